# SPDX-License-Identifier: AGPL-3.0-or-later
"""Recursive splitting over nested pieces: which are gone into, and what becomes of the rest.

`spec/strategies.md` 3.10 as arrays, level by level. The plain recursive form is kept in the tests,
as the definition that this one must equal.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Offsets, Spans
from core.strategies.chunks import Chunks, Reasons, Rule, one_span_chunks, reasons
from core.strategies.greedy_merge import merge_runs, windows_of_characters
from core.strategies.nested_pieces import Level, NestedPieces
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
class Placed:
    """Where n chunks of several roots are in the document.

    spans: int64 (n, 2), offsets of the document. roots: int64 (n,), the root of each.
    """

    spans: Spans
    roots: Indices


def split_recursively(pieces: NestedPieces, *, size: int, overlap: int) -> RecursiveChunks:
    """Split and merge.

    Args:
        pieces: the nested pieces; lengths that are missing are counted and kept there.
        size: a piece of at least this length is split, a sum of at most this length is a chunk.
        overlap: the greatest length that a chunk repeats from the one before; below `size`.
    """
    if not pieces.text:
        return _join([])
    parts: list[RecursiveChunks] = []
    long_spans, long_lengths = _roots(pieces)
    above, needed = long_lengths, np.ones(len(long_lengths), np.bool_)
    for level in pieces.levels:
        if level is pieces.levels[0]:
            needed = np.ones(len(level.parents), np.bool_)
        lengths = pieces.lengths(level, needed)
        long = needed & (lengths >= size)
        if level.children is not None or pieces.by_characters:
            long |= needed & level.whole
        good = needed & ~long
        parts.append(_merge_level(level, good, lengths, above, size=size, overlap=overlap))
        which = np.flatnonzero(long)
        long_spans = np.stack([level.edges[which], level.edges[which + 1]], axis=1)
        long_lengths, above = lengths[which], lengths
        if not len(which):
            return _join(parts)
        if level.children is not None:
            needed = np.repeat(long, np.diff(level.children))
    if pieces.by_characters:
        parts.append(
            _merge_characters(pieces, long_spans, long_lengths, size=size, overlap=overlap)
        )
    else:
        parts.append(_uncut(long_spans, long_lengths))
    return _join(parts)


def as_chunks(
    found: RecursiveChunks,
    pieces: NestedPieces,
    solid: Solid,
    *,
    size: int,
    overlap: int,
    placed: Placed | None = None,
) -> Chunks:
    """Trim the chunks, drop those of white space, and give the reasons.

    Args:
        found: the chunks.
        pieces: what they were made of.
        solid: where the document's text is not white space.
        size: the size that was asked for.
        overlap: the overlap that was asked for.
        placed: where the chunks are in the document; None: where they are in the pieces.
    """
    raw = found.spans if placed is None else placed.spans
    trimmed, full = solid.trim(raw)
    spans = np.where(found.bare[:, None], raw, trimmed)
    keep = full | found.bare
    found, spans = found.take(keep), spans[keep]
    at_end = spans[:, 1] == solid.end  # nothing but white space follows
    starts, ends = _reasons(found, pieces, at_end, size=size, overlap=overlap)
    primaries = None if placed is None else placed.roots[keep]
    return one_span_chunks(spans, starts, ends, primaries=primaries)


def _roots(pieces: NestedPieces) -> tuple[Spans, Indices]:
    """Spans of the roots, and their lengths, which only reasons and lone characters need."""
    if pieces.levels:
        first = pieces.levels[0].parents
        return np.empty((0, 2), np.int64), np.full(first[-1] + 1, -1, np.int64)
    whole = len(pieces.text) if pieces.counter is None else pieces.counter.count(pieces.text)
    return np.array([[0, len(pieces.text)]], np.int64), np.array([whole], np.int64)


def _merge_level(
    level: Level, good: Mask, lengths: Indices, above: Indices, *, size: int, overlap: int
) -> RecursiveChunks:
    """Merge the runs of short pieces that have the same parent, without a long one between."""
    which = np.flatnonzero(good)
    if not len(which):
        return _join([])
    fresh = (np.diff(which) > 1) | (np.diff(level.parents[which]) > 0)
    low = np.flatnonzero(np.append(True, fresh))  # runs, as ranges of `which`
    high = np.append(low[1:], len(which))
    sums = np.concatenate([[0], np.cumsum(lengths[which])])
    fits = sums[high] - sums[low] <= size
    merged = merge_runs(sums, low[~fits], high[~fits], size=size, overlap=overlap)
    short = np.zeros(int(fits.sum()), np.int64)
    first = which[np.concatenate([low[fits], merged.first])]
    last = which[np.concatenate([high[fits], merged.last]) - 1] + 1
    stops = np.concatenate([short - 1, merged.stops])
    kept = np.concatenate([short, merged.kept])
    # what ended the run: the long piece that follows under the same parent, or the parent's end
    follows = np.minimum(last, len(lengths) - 1)
    sibling = (last < len(lengths)) & (level.parents[follows] == level.parents[last - 1])
    beside = np.where(sibling, lengths[follows], above[level.parents[last - 1]])
    return RecursiveChunks(
        np.stack([level.edges[first], level.edges[last]], axis=1),
        np.where(stops < 0, BESIDE, FULL).astype(np.int8),
        np.where(stops < 0, beside, stops),
        kept,
        np.zeros(len(first), np.bool_),
    )


def _merge_characters(
    pieces: NestedPieces, spans: Spans, lengths: Indices, *, size: int, overlap: int
) -> RecursiveChunks:
    """Cut the spans between any two characters; a character of the size or more stays alone."""
    if pieces.counter is None and size > 1:
        return _even_characters(spans, lengths, size=size, overlap=overlap)
    parts = []
    for (start, end), length in zip(spans.tolist(), lengths.tolist(), strict=True):
        edges = np.arange(start, end + 1)
        counted = pieces.character_lengths(start, end)
        inside = np.zeros(len(counted), np.int64)
        level = Level("", edges, counted, inside, inside > 0)
        long = counted >= size
        above = np.array([length], np.int64)
        parts.append(_merge_level(level, ~long, counted, above, size=size, overlap=overlap))
        alone = edges[:-1][long]
        parts.append(_uncut(np.stack([alone, alone + 1], axis=1), counted[long]))
    return _join(parts)


def _even_characters(spans: Spans, lengths: Indices, *, size: int, overlap: int) -> RecursiveChunks:
    starts, ends, runs = windows_of_characters(spans[:, 0], spans[:, 1], size=size, overlap=overlap)
    first = np.diff(runs, prepend=-1) > 0
    at_end = ends == spans[runs, 1]
    return RecursiveChunks(
        np.stack([starts, ends], axis=1),
        np.where(at_end, BESIDE, FULL).astype(np.int8),
        np.where(at_end, lengths[runs], size + 1),
        np.where(first, 0, overlap),
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
    found: RecursiveChunks, pieces: NestedPieces, at_end: Mask, *, size: int, overlap: int
) -> tuple[Reasons, Reasons]:
    """The reasons of all starts and ends: the separator cut at, and the length that decided."""
    n = len(found.spans)
    labels = [f"before {level.label}" for level in pieces.levels] + ["between two characters"]
    rules = _rules(labels, pieces.unit)
    level = _levels_of(pieces, found.spans[:, 1])
    which = np.where(at_end, -1, found.why * len(labels) + level)
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


def _levels_of(pieces: NestedPieces, offsets: Offsets) -> Indices:
    """int64: the first level that has an edge at each offset; the number of levels if none has."""
    found = np.full(len(offsets), len(pieces.levels), np.int64)
    for number in reversed(range(len(pieces.levels))):
        edges = pieces.levels[number].edges
        at = np.minimum(np.searchsorted(edges, offsets), len(edges) - 1)
        found[edges[at] == offsets] = number
    return found
