# SPDX-License-Identifier: AGPL-3.0-or-later
"""Groups of neighbouring units (sentences, paragraphs, tokens) as spans of the document.

Some algorithms decide on the string that their units give when they are joined, which differs
from the slice of the document in white space only: the joined view of `spec/strategies.md` 1.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans, Values
from core.strategies.chunks import Chunks, Reasons, Rule, join_reasons, one_span_chunks, reasons
from core.strategies.source import Source
from core.strategies.trimming import Solid

SENTENCE_GLUE = " "
PARAGRAPH_GLUE = "\n\n"


def windows(n: int, size: int, step: int) -> tuple[Indices, Indices]:
    """Starts and ends of windows over `n` units, int64 (m,) each (`spec/strategies.md` 1.3).

    Args:
        n: how many units there are.
        size: units of a window, at least 1; the last ones can be shorter.
        step: units from one start to the next, at least 1.
    """
    starts = np.arange(0, n, step, dtype=np.int64)
    return starts, np.minimum(starts + size, n)


@dataclass(frozen=True, eq=False)
class JoinedUnits:
    """The n units of a text, joined by `glue`.

    spans: int64 (n, 2), the units in the document, ascending.
    lengths: int64 (n,), their characters.
    starts: int64 (n + 1,), where each unit begins in the whole joined string; the last entry is
        where one more unit would begin.
    broken: int64 (n,), how many gaps before unit k differ from the glue, counted from unit 0.
    """

    text: str
    glue: str
    spans: Spans
    lengths: Indices
    starts: Offsets
    broken: Indices
    solid: Solid

    def __len__(self) -> int:
        return len(self.spans)

    def group_spans(self, first: Indices, last: Indices) -> Spans:
        """int64 (m, 2): spans of the groups of units `first` to `last`, half-open, none empty.

        A group whose slice is not the joined string loses the white space at its ends (the trim
        rule).
        """
        spans = np.stack([self.spans[first, 0], self.spans[last - 1, 1]], axis=1)
        trim = self.broken[last - 1] > self.broken[first]
        return np.where(trim[:, None], self._trimmed(spans), spans)

    def group_lengths(self, first: Indices, last: Indices) -> Indices:
        """int64 (m,): characters of each group's joined string, glue included."""
        lengths: Indices = self.starts[last] - self.starts[first] - len(self.glue)
        return lengths

    def group_text(self, first: int, last: int) -> str:
        """The joined string of one group."""
        return self.glue.join(self.text[a:b] for a, b in self.spans[first:last].tolist())

    @cached_property
    def whole(self) -> str:
        """The joined string of all units."""
        return self.group_text(0, len(self))

    def place(self, pieces: Spans) -> Spans:
        """Spans of pieces of the whole joined string, int64 (m, 2), in the document.

        A character of the glue maps to the gap between its units: its left edge is the end of the
        unit before, its right edge the start of the unit after. Empty pieces are not allowed.
        """
        from_unit, to_unit = self._unit(pieces[:, 0]), self._unit(pieces[:, 1] - 1)
        left = self._left(from_unit, pieces[:, 0])
        right = self._right(to_unit, pieces[:, 1] - 1)
        spans = np.stack([left, right], axis=1)
        # equal as long as no gap that differs from the glue lies between the two edges, and no edge
        # lies within the glue: it then takes the whole gap along
        resized = right - left != pieces[:, 1] - pieces[:, 0]
        near = np.flatnonzero(self._near_break(from_unit, to_unit) | resized)
        rows = np.concatenate([spans[near], pieces[near]], axis=1).tolist()
        differs = near[[self.text[a:b] != self.whole[c:d] for a, b, c, d in rows]]
        spans[differs] = self._trimmed(spans[differs])
        return spans

    def _near_break(self, from_unit: Indices, to_unit: Indices) -> Mask:
        """Pieces that may hold a gap that differs from the glue, also one they end in."""
        after = np.minimum(to_unit + 1, len(self) - 1)
        near: Mask = self.broken[after] > self.broken[from_unit]
        return near

    def _unit(self, places: Offsets) -> Indices:
        return np.searchsorted(self.starts[:-1], places, side="right") - 1

    def _left(self, unit: Indices, places: Offsets) -> Offsets:
        inside = np.minimum(places - self.starts[unit], self.lengths[unit])
        return np.asarray(self.spans[unit, 0] + inside)

    def _right(self, unit: Indices, places: Offsets) -> Offsets:
        inside = places - self.starts[unit] < self.lengths[unit]
        after = np.minimum(unit + 1, len(self) - 1)
        at_character = self.spans[unit, 0] + places - self.starts[unit] + 1
        edges: Offsets = np.where(inside, at_character, self.spans[after, 0])
        return edges

    def _trimmed(self, spans: Spans) -> Spans:
        """Without white space at the ends; what is nothing else becomes empty at its start."""
        trimmed, has_text = self.solid.trim(spans)
        return np.where(has_text[:, None], trimmed, spans[:, :1])


def join_units(text: str, units: Spans, glue: str, solid: Solid | None = None) -> JoinedUnits:
    """Prepare `units`, int64 (n, 2), ascending and disjoint, for groups joined by `glue`."""
    lengths = units[:, 1] - units[:, 0]
    starts = np.zeros(len(units) + 1, np.int64)
    np.cumsum(lengths + len(glue), out=starts[1:])
    broken = np.zeros(len(units), np.int64)
    gaps = zip(units[:-1, 1].tolist(), units[1:, 0].tolist(), strict=True)
    differs = [text[a:b] != glue for a, b in gaps]
    np.cumsum(differs, out=broken[1:])
    return JoinedUnits(text, glue, units, lengths, starts, broken, solid or Solid(text))


def joined_sentences(source: Source, splitter: str | None = None) -> JoinedUnits:
    """The sentences by the splitter in force, joined by a space; made once and kept."""
    name = splitter or source.splitter
    key = ("joined sentences", name, source.options.headings_end_sentences)
    return source.units.get(
        key,
        lambda: join_units(source.text, source.sentences(name), SENTENCE_GLUE, solid_of(source)),
    )


def joined_paragraphs(source: Source) -> JoinedUnits:
    """The paragraphs by the rule in force, joined by a blank line; made once and kept."""
    key = ("joined paragraphs", source.options.paragraphs)
    return source.units.get(
        key, lambda: join_units(source.text, source.paragraphs(), PARAGRAPH_GLUE, solid_of(source))
    )


def solid_of(source: Source) -> Solid:
    """Where the text is not white space; made once and kept."""
    return source.units.get("solid", lambda: Solid(source.text))


def groups_between(cuts: Indices, n: int) -> tuple[Indices, Indices]:
    """Groups of `n` units that end at `cuts` and at the end, int64 (m + 1,) each, half-open.

    Args:
        cuts: int64 (m,), ascending, each from 1 to n − 1: the first unit of the next group.
        n: how many units there are; 0 gives no group.
    """
    if n == 0:
        none = np.empty(0, np.int64)
        return none, none
    edges = np.concatenate([[0], cuts, [n]])
    return edges[:-1], edges[1:]


def cut_reasons(between: Reasons) -> tuple[Reasons, Reasons]:
    """Start and end reasons of n + 1 chunks from those of the n cuts between them."""
    order = np.arange(len(between))
    return between.take(np.append(-1, order)), between.take(np.append(order, -1))


def group_chunks(joined: JoinedUnits, cuts: Indices, between: Reasons) -> Chunks:
    """Chunks of neighbouring units without overlap, with one reason for each cut.

    Args:
        joined: the n units.
        cuts: int64 (m,), ascending: the first unit after each cut.
        between: the reasons of the m cuts.
    """
    if not len(joined):
        return one_span_chunks(joined.spans)
    first, last = groups_between(cuts, len(joined))
    starts, ends = cut_reasons(between)
    return one_span_chunks(joined.group_spans(first, last), starts, ends)


def window_reasons(
    full: Rule,
    stepped: Rule,
    sizes: Values | Indices,
    *,
    size: float,
    step: float,
    at_end: Mask,
) -> tuple[Reasons, Reasons]:
    """Start and end reasons of n windows: each starts a step after the one before and ends full.

    Args:
        full: the rule of the ends; its value is the window's size, its threshold the greatest.
        stepped: the rule of the starts; its value is the step.
        sizes: (n,), units in each window.
        size: units that a window may have.
        step: units from one start to the next.
        at_end: bool (n,), windows that end with the last unit: their ends have no reason.
    """
    n = len(sizes)
    which = np.zeros(n, np.int64)
    which[:1] = -1
    starts = reasons(stepped, n, which=which, values=step)
    ends = reasons(
        full,
        n,
        which=np.where(at_end, -1, 0),
        values=np.asarray(sizes, np.float64),
        thresholds=size,
    )
    return starts, ends


def joined_reasons(parts: Sequence[Reasons]) -> Reasons:
    """The reasons of several lists in order; one list is given back as it is."""
    return parts[0] if len(parts) == 1 else join_reasons(parts)
