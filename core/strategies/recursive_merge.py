# SPDX-License-Identifier: AGPL-3.0-or-later
"""Recursive splitting over nested pieces: which are gone into, and what becomes of the rest.

`spec/strategies.md` 3.10 as arrays, level by level. The plain recursive form is kept in the tests,
as the definition that this one must equal.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Spans
from core.strategies.chunks import Chunks, Reasons, Rule, one_span_chunks, reasons
from core.strategies.greedy_merge import merge_runs, windows_of_characters
from core.strategies.nested_pieces import Level, NestedPieces, running_sums
from core.strategies.ranges import ranges
from core.strategies.trimming import Solid

FULL, BESIDE = 0, 1  # why a chunk ends: it is full; what follows or what held it is too long


@dataclass(frozen=True, slots=True, eq=False)
class RecursiveChunks:
    """n chunks before their edges are trimmed, and what decided each end.

    spans: int64 (n, 2). why: int8 (n,), `FULL` or `BESIDE`.
    values: int64 (n,), the length that was compared with the size.
    kept: int64 (n,), the length shared with the chunk before.
    bare: bool (n,), True for a piece that nothing could cut; it is not trimmed.
    """

    spans: Spans
    why: NDArray[np.int8]
    values: Indices
    kept: Indices
    bare: Mask

    def take(self, which: Indices | Mask) -> "RecursiveChunks":
        """The chunks at `which`."""
        return RecursiveChunks(
            self.spans[which],
            self.why[which],
            self.values[which],
            self.kept[which],
            self.bare[which],
        )


@dataclass(frozen=True, slots=True, eq=False)
class TextEdges:
    """What the edges of chunks are looked up in.

    solid: where the document's text is not white space.
    ranks: int8 (N + 1,), the first level that has an edge at each offset of the document; the
        number of levels where none has.
    """

    solid: Solid
    ranks: NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Where n chunks of several roots are in the document.

    spans: int64 (n, 2), offsets of the document. roots: int64 (n,), the root of each.
    """

    spans: Spans
    roots: Indices


@dataclass(frozen=True, slots=True, eq=False)
class _Inside:
    """The pieces of one level that lie inside r long pieces of the level above, or roots.

    low, high: int64 (r,), half-open ranges of pieces, ascending, none empty.
    lengths: int64 (r,), of what holds them.
    """

    low: Indices
    high: Indices
    lengths: Indices

    def holding(self, which: Indices) -> Indices:
        """Those of the pieces `which`, int64 (m,), that lie in a range."""
        at = np.searchsorted(self.low, which, side="right") - 1
        return which[(at >= 0) & (which < self.high[at])]


def split_recursively(pieces: NestedPieces, *, size: int, overlap: int) -> RecursiveChunks:
    """Split and merge.

    Args:
        pieces: the nested pieces; lengths that are missing are counted and kept there.
        size: a piece of at least this length is split, a sum of at most this length is a chunk.
        overlap: the greatest length that a chunk repeats from the one before; below `size`.
    """
    if not pieces.levels:
        return _between_characters(pieces, *_whole(pieces), size=size, overlap=overlap)
    parts: list[RecursiveChunks] = []
    roots = pieces.roots
    inside = _Inside(roots[:-1], roots[1:], np.full(len(roots) - 1, -1, np.int64))
    long_spans, long_lengths = np.empty((0, 2), np.int64), np.empty(0, np.int64)
    for level in pieces.levels:
        lengths = pieces.lengths(level, inside.low, inside.high)
        is_long = lengths >= size
        if level.children is not None or pieces.by_characters:
            is_long |= level.whole
        long = inside.holding(np.flatnonzero(is_long))
        parts.append(_merge_level(level, inside, long, size=size, overlap=overlap))
        if not len(long):
            return _join(parts)
        long_spans = np.stack([level.edges[long], level.edges[long + 1]], axis=1)
        long_lengths = lengths[long]
        if level.children is not None:
            inside = _Inside(level.children[long], level.children[long + 1], long_lengths)
    last = _between_characters(pieces, long_spans, long_lengths, size=size, overlap=overlap)
    return _join([*parts, last])


def as_chunks(
    found: RecursiveChunks,
    pieces: NestedPieces,
    edges: TextEdges,
    *,
    size: int,
    overlap: int,
    placed: Placed | None = None,
) -> Chunks:
    """Trim the chunks, drop those of white space, and give the reasons.

    Args:
        found: the chunks.
        pieces: what they were made of.
        edges: of the document.
        size: the size that was asked for.
        overlap: the overlap that was asked for.
        placed: where the chunks are in the document; None: where they are in the pieces.
    """
    raw = found.spans if placed is None else placed.spans
    ranks = edges.ranks[raw[:, 1]]
    trimmed, full = edges.solid.trim(raw)
    spans = np.where(found.bare[:, None], raw, trimmed)
    primaries = None if placed is None else placed.roots
    keep = full | found.bare
    if not keep.all():
        found, spans, ranks = found.take(keep), spans[keep], ranks[keep]
        primaries = None if primaries is None else primaries[keep]
    # nothing but white space follows
    ranks = np.where(spans[:, 1] == edges.solid.end, np.int8(-1), ranks)
    starts, ends = _reasons(found, pieces, ranks, size=size, overlap=overlap)
    return one_span_chunks(spans, starts, ends, primaries=primaries)


def ranks_of(pieces: NestedPieces) -> NDArray[np.int8]:
    """int8 (N + 1,): the first level that has an edge at each offset, as in `TextEdges`."""
    ranks = np.full(len(pieces.text) + 1, len(pieces.levels), np.int8)
    for number in reversed(range(len(pieces.levels))):
        ranks[pieces.levels[number].edges] = number
    return ranks


def _whole(pieces: NestedPieces) -> tuple[Spans, Indices]:
    """The span and the length of the whole text, where no separator but the empty one is given."""
    n = len(pieces.text)
    whole = n if pieces.counter is None else pieces.counter.count(pieces.text)
    return np.array([[0, n]][: min(n, 1)], np.int64).reshape(-1, 2), np.full(min(n, 1), whole)


def _merge_level(
    level: Level, inside: _Inside, long: Indices, *, size: int, overlap: int
) -> RecursiveChunks:
    """Merge the runs of short pieces in each range; the pieces `long`, int64 (m,), end a run."""
    low = np.sort(np.concatenate([inside.low, long + 1]))
    stops = np.concatenate([inside.high, long])
    order = np.argsort(stops, kind="stable")
    high = stops[order]
    # what ends a run: the long piece that follows in the range, or the end of what holds it
    beside = np.concatenate([inside.lengths, level.lengths[long]])[order]
    filled = low < high
    low, high, beside = low[filled], high[filled], beside[filled]
    fits = level.sums[high] - level.sums[low] <= size
    merged = merge_runs(level.sums, low[~fits], high[~fits], size=size, overlap=overlap)
    first = np.concatenate([low[fits], merged.first])
    last = np.concatenate([high[fits], merged.last])
    short = np.zeros(int(fits.sum()), np.int64)
    at_end = np.concatenate([short, merged.stops]) <= 0
    values = np.concatenate(
        [beside[fits], np.where(merged.stops < 0, beside[~fits][merged.runs], merged.stops)]
    )
    return RecursiveChunks(
        np.stack([level.edges[first], level.edges[last]], axis=1),
        np.where(at_end, BESIDE, FULL).astype(np.int8),
        values,
        np.concatenate([short, merged.kept]),
        np.zeros(len(first), np.bool_),
    )


def _between_characters(
    pieces: NestedPieces, spans: Spans, lengths: Indices, *, size: int, overlap: int
) -> RecursiveChunks:
    """What no separator cuts any more: cut between characters, or left whole."""
    if not pieces.by_characters:
        return _uncut(spans, lengths)
    return _merge_characters(pieces, spans, lengths, size=size, overlap=overlap)


def _merge_characters(
    pieces: NestedPieces, spans: Spans, lengths: Indices, *, size: int, overlap: int
) -> RecursiveChunks:
    """Cut the spans between any two characters; a character of the size or more stays alone."""
    if pieces.counter is None and size > 1:
        return _even_characters(spans, lengths, size=size, overlap=overlap)
    if not len(spans):
        return _join([])
    edges = ranges(spans[:, 0], spans[:, 1] + 1)
    high = np.cumsum(spans[:, 1] - spans[:, 0] + 1) - 1
    is_character = np.ones(len(edges), np.bool_)
    is_character[high] = False  # between two spans lies a piece of no length
    counted = np.zeros(len(edges), np.int64)
    counted[is_character] = pieces.character_lengths(edges[is_character])
    counted = counted[:-1]
    level = Level("", edges, counted, running_sums(counted), np.zeros(len(counted), np.bool_))
    inside = _Inside(np.concatenate([[0], high[:-1] + 1]), high, lengths)
    long = inside.holding(np.flatnonzero(counted >= size))
    merged = _merge_level(level, inside, long, size=size, overlap=overlap)
    alone = _uncut(np.stack([edges[long], edges[long + 1]], axis=1), counted[long])
    return _join([merged, alone])


def _even_characters(spans: Spans, lengths: Indices, *, size: int, overlap: int) -> RecursiveChunks:
    starts, ends, runs = windows_of_characters(spans[:, 0], spans[:, 1], size=size, overlap=overlap)
    first = np.diff(runs, prepend=-1) > 0
    at_end = ends == spans[runs, 1]
    return RecursiveChunks(
        np.stack([starts, ends], axis=1),
        np.where(at_end, BESIDE, FULL).astype(np.int8),
        np.where(at_end, lengths[runs], size + 1),
        np.where(first, 0, min(overlap, size - 1)),
        np.zeros(len(starts), np.bool_),
    )


def _uncut(spans: Spans, lengths: Indices) -> RecursiveChunks:
    n = len(spans)
    return RecursiveChunks(
        spans, np.full(n, BESIDE, np.int8), lengths, np.zeros(n, np.int64), np.ones(n, np.bool_)
    )


def _join(parts: list[RecursiveChunks]) -> RecursiveChunks:
    """All parts in the order of the text."""
    none = RecursiveChunks(
        np.empty((0, 2), np.int64),
        np.empty(0, np.int8),
        np.empty(0, np.int64),
        np.empty(0, np.int64),
        np.empty(0, np.bool_),
    )
    joined = RecursiveChunks(
        np.concatenate([none.spans, *(part.spans for part in parts)]),
        np.concatenate([none.why, *(part.why for part in parts)]),
        np.concatenate([none.values, *(part.values for part in parts)]),
        np.concatenate([none.kept, *(part.kept for part in parts)]),
        np.concatenate([none.bare, *(part.bare for part in parts)]),
    )
    return joined.take(np.argsort(joined.spans[:, 0], kind="stable"))


def _reasons(
    found: RecursiveChunks,
    pieces: NestedPieces,
    ranks: NDArray[np.int8],
    *,
    size: int,
    overlap: int,
) -> tuple[Reasons, Reasons]:
    """The reasons of all starts and ends: the separator cut at, and the length that decided.

    `ranks`, int8 (n,): the level of the separator at each end; −1 at the document's end.
    """
    n = len(found.spans)
    labels = [f"before {level.label}" for level in pieces.levels] + ["between two characters"]
    rules = _rules(labels, pieces.unit)
    which = np.where(ranks < 0, -1, found.why * len(labels) + ranks.astype(np.int64))
    ends = reasons(rules, n, which=which, values=found.values.astype(float), thresholds=size)
    before = np.concatenate([np.full(min(n, 1), -1, np.int64), which[:-1]])
    shares = found.kept > 0
    values = np.where(shares, found.kept, np.roll(found.values, 1))
    starts = reasons(
        rules,
        n,
        which=np.where(shares, len(rules) - 1, before),
        values=values.astype(float),
        thresholds=np.where(shares, float(overlap), float(size)),
    )
    return starts, ends


def _rules(labels: list[str], unit: str) -> tuple[Rule, ...]:
    safe = [label.replace("{", "{{").replace("}", "}}") for label in labels]
    number = len(labels)
    full = [
        Rule(
            f"full, separator {k + 1}",
            f"with the next piece {{value:,.0f}} {unit} > {{threshold:,.0f}}; "
            f"cut {label} (separator {k + 1} of {number})",
        )
        for k, label in enumerate(safe)
    ]
    beside = [
        Rule(
            f"beside a long piece, separator {k + 1}",
            f"a piece of {{value:,.0f}} {unit} >= {{threshold:,.0f}} is split by itself; "
            f"cut {label} (separator {k + 1} of {number})",
        )
        for k, label in enumerate(safe)
    ]
    shared = Rule(
        "overlap", f"whole pieces of {{value:,.0f}} {unit} are repeated, at most {{threshold:,.0f}}"
    )
    return (*full, *beside, shared)
