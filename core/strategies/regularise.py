# SPDX-License-Identifier: AGPL-3.0-or-later
"""Regularisation (REG): after any strategy, split what is too long and join what is too short.

`spec/metrics.md` 16 is the normative text, `spec/strategies.md` 7.5 gives the words. The source is
the adaptive chunking paper (AC); its defaults are 1,100, 100 and 1,150 o200k tokens.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Spans, as_spans
from core.document.model import Notice
from core.strategies.chunks import (
    Chunks,
    Reasons,
    Rule,
    join_reasons,
    one_span_chunks,
    reasons,
)
from core.strategies.piece_merge import merge_to_size
from core.strategies.piece_tree import PieceTree
from core.strategies.small_groups import Groups, Toward, join_small
from core.strategies.source import Source
from core.strategies.span_counts import SpanCounter, span_counter
from core.strategies.split_merge import split_tree
from core.strategies.split_reasons import boundary_reasons
from core.units.tokens import canonical_tokenizer

KINDS = ("split", "joined with the next", "joined with the one before", "left small", "gap closed")
SPLIT, NEXT, PREVIOUS, LEFT_SMALL, GAP = range(len(KINDS))


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """The m changes of one regularisation, in the order in which they were made.

    kinds: int8 (m,), index into `KINDS`. offsets: int64 (m,), where in the text: the boundary that
    was made, removed or kept, or the end of the gap.
    values: int64 (m,), units of the chunk (characters of a gap); bounds: int64 (m,), what it was
    compared with. together: int64 (m,), units of both neighbours, −1 where nothing was joined.
    """

    kinds: NDArray[np.int8]
    offsets: Indices
    values: Indices
    bounds: Indices
    together: Indices
    unit: str
    merged_max: int

    def __len__(self) -> int:
        return len(self.kinds)

    def words(self, index: int) -> str:
        """One change in words for the user."""
        kind, value, bound = self.kinds[index], int(self.values[index]), int(self.bounds[index])
        if kind == SPLIT:
            return f"split: {value:,} {self.unit} > {bound:,}"
        if kind == LEFT_SMALL:
            return f"left small: both neighbours would exceed {self.merged_max:,}"
        if kind == GAP:
            return f"gap of {value:,} character{'s' * (value != 1)} closed"
        together = int(self.together[index])
        return (
            f"{KINDS[kind]}: {value:,} {self.unit} < {bound:,}, "
            f"together {together:,} ≤ {self.merged_max:,}"
        )

    def summary(self) -> str:
        """How many changes of each kind, in one line."""
        counted = [(int((self.kinds == kind).sum()), name) for kind, name in enumerate(KINDS)]
        return "regularised: " + (
            ", ".join(f"{number:,} {name}" for number, name in counted if number) or "no change"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Regularisation:
    """The chunks after the pass, and all that it changed."""

    chunks: Chunks
    changes: Changes


def regularise(
    chunks: Chunks,
    source: Source,
    *,
    max: int = 1100,
    min: int = 100,
    merged_max: int = 1150,
    toward: Toward = "next",
    length: str = "o200k_base",
    split: bool = True,
    fill: bool = True,
) -> Chunks:
    """The chunks after regularisation; `regularisation` also tells what was changed."""
    limits = Limits(max, min, merged_max, toward, length, split, fill)
    return regularisation(chunks, source, limits).chunks


@dataclass(frozen=True, slots=True)
class Limits:
    """The parameters of REG, in units of `length`.

    A chunk above `largest` is split, one below `least` is joined with a neighbour if both together
    have at most `merged_max`; `toward` is tried first.
    """

    largest: int = 1100
    least: int = 100
    merged_max: int = 1150
    toward: Toward = "next"
    length: str = "o200k_base"
    split: bool = True
    fill: bool = True


def regularisation(chunks: Chunks, source: Source, limits: Limits) -> Regularisation:
    """Split, close gaps, join what is small.

    Gaps need not be closed again after joining: a joined chunk goes from the lesser start to the
    greater end, so where there was no gap there is none.

    Args:
        chunks: of any strategy; chunks of several spans, or of none, are left as they are.
        source: the document; the pieces that are cut and counted are kept in its units.
        limits: the parameters.
    """
    unit = canonical_tokenizer(limits.length)
    log = _Log(unit if unit in ("words", "characters") else "tokens", limits.merged_max)
    if not chunks.is_contiguous:
        odd = int((np.diff(chunks.pointers) != 1).sum())
        message = f"regularisation skipped these chunks: {odd:,} of them are not one span"
        return Regularisation(chunks.with_notices(Notice(None, "reg", message)), log.changes())
    counter = span_counter(source, unit)
    items = _items(chunks, counter)
    if limits.split and (items.counts > limits.largest).any():
        tree = split_tree(source, separators="paper", attach="start", length=unit)
        items = _split_large(items, tree, counter, limits, log=log)
    if limits.fill:
        items = _close_gaps(items, counter, log)
    items = _join_small(items, counter, limits, log)
    changes = log.changes()
    result = _with_items(chunks, items).with_notices(Notice(None, "reg", changes.summary()))
    return Regularisation(result, changes)


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """The n chunks on their way through the pass.

    spans: int64 (n, 2). counts: int64 (n,). origins: int64 (n,), the chunk each was made from.
    starts, ends: int64 (n,), rows of `pool`, the reasons of all boundaries so far.
    """

    spans: Spans
    counts: Indices
    origins: Indices
    starts: Indices
    ends: Indices
    pool: Reasons

    def __len__(self) -> int:
        return len(self.counts)


class _Log:
    """Collects the changes, one row each."""

    def __init__(self, unit: str, merged_max: int) -> None:
        self.unit, self.merged_max = unit, merged_max
        self._rows: list[tuple[int, int, int, int, int]] = []

    def add(self, kind: int, offset: int, value: int, bound: int, together: int = -1) -> None:
        self._rows.append((kind, offset, value, bound, together))

    def changes(self) -> Changes:
        rows = np.array(self._rows, np.int64).reshape(-1, 5)
        kinds, offsets, values, bounds, together = rows.T
        return Changes(
            kinds.astype(np.int8), offsets, values, bounds, together, self.unit, self.merged_max
        )


def _items(chunks: Chunks, counter: SpanCounter) -> _Items:
    n = len(chunks)
    numbers = np.arange(n)
    pool = join_reasons([chunks.start_reasons, chunks.end_reasons])
    counts = counter.counts(chunks.spans)
    return _Items(chunks.spans, counts, numbers, numbers, numbers + n, pool)


def _split_large(
    items: _Items, tree: PieceTree, counter: SpanCounter, limits: Limits, *, log: _Log
) -> _Items:
    """Step 1: each chunk above the largest size becomes the chunks of STM over its own text."""
    large = np.flatnonzero(items.counts > limits.largest)
    pieces = tree.split(items.spans[large], limits.largest)
    first_piece = np.searchsorted(pieces.roots, np.arange(len(large) + 1))
    spans, repeats, details = [], np.ones(len(items), np.int64), []
    for number, low, high in zip(large.tolist(), first_piece, first_piece[1:], strict=False):
        own = pieces.take(np.arange(low, high))
        merge = merge_to_size(own, tree, most=limits.largest, overlap=0, backward=False)
        cuts = boundary_reasons(merge, own, tree, log.unit)
        for row, offset in enumerate(merge.spans[1:, 0].tolist()):
            log.add(SPLIT, offset, int(items.counts[number]), limits.largest)
            details.append(reason.words if (reason := cuts[row]) else "")
        if len(merge.spans) > 1:  # a single character stays whole
            spans += merge.spans.tolist()
            repeats[number] = len(merge.spans)
    parts = as_spans(spans)
    rule = Rule("oversize", f"split: {{value:,.0f}} {log.unit} > {{threshold:,.0f}}; {{detail}}")
    cuts = reasons(
        rule,
        len(details),
        values=np.repeat(items.counts, repeats - 1).astype(np.float64),
        thresholds=float(limits.largest),
        step="reg",
        details=details,
    )
    return _replaced(items, repeats, parts, counter.counts(parts), cuts)


def _replaced(
    items: _Items, repeats: Indices, parts: Spans, counts: Indices, cuts: Reasons
) -> _Items:
    """Put `parts` in the place of the items that are repeated, with `cuts` between them."""
    row = np.repeat(np.arange(len(items)), repeats)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    made = repeats[row] > 1
    all_spans, all_counts = items.spans[row], items.counts[row]
    all_spans[made], all_counts[made] = parts, counts
    begins = np.flatnonzero(rank > 0)  # a part that begins at a new boundary
    starts, ends = items.starts[row], items.ends[row]
    fresh = len(items.pool) + np.arange(len(begins))
    starts[begins], ends[begins - 1] = fresh, fresh
    pool = join_reasons([items.pool, cuts])
    return _Items(all_spans, all_counts, items.origins[row], starts, ends, pool)


def _close_gaps(items: _Items, counter: SpanCounter, log: _Log) -> _Items:
    """Step 2: a gap goes to the chunk after it, what is left at the end to the last chunk."""
    if not len(items):
        return items
    text_end = len(counter.text)
    spans = items.spans.copy()
    covered = np.concatenate([[0], np.maximum.accumulate(spans[:, 1])])
    sizes = spans[:, 0] - covered[:-1]
    late = np.flatnonzero(sizes > 0)
    spans[late, 0] = covered[late]
    rest = text_end - int(covered[-1])
    for offset, size in zip(spans[late, 0].tolist(), sizes[late].tolist(), strict=True):
        log.add(GAP, offset, size, 0)
    if rest > 0:
        log.add(GAP, text_end - rest, rest, 0)
        spans[-1, 1] = text_end
    changed = np.union1d(late, [len(items) - 1] if rest > 0 else []).astype(np.int64)
    counts = items.counts.copy()
    counts[changed] = counter.counts(spans[changed])
    rule = Rule("gap", "gap of {value:,.0f} characters closed")
    inner = late[late > 0]  # at the text's beginning there is no boundary
    closed = reasons(rule, len(inner), values=sizes[inner].astype(np.float64), step="reg")
    starts = items.starts.copy()
    starts[inner] = len(items.pool) + np.arange(len(inner))
    pool = join_reasons([items.pool, closed])
    return replace(items, spans=spans, counts=counts, starts=starts, pool=pool)


def _join_small(items: _Items, counter: SpanCounter, limits: Limits, log: _Log) -> _Items:
    """Step 3: a chunk below the least size joins a neighbour that has room."""
    starts, ends = items.spans[:, 0].tolist(), items.spans[:, 1].tolist()

    def measure(low: int, high: int) -> int:
        return counter.count(min(starts[low:high]), max(ends[low:high]))

    groups = join_small(
        items.counts.tolist(),
        least=limits.least,
        most=limits.merged_max,
        measure=measure,
        adds_up=_adds_up(items.spans, counter).tolist(),
        toward=limits.toward,
    )
    for join in groups.joins:
        kind = NEXT if join.direction == "next" else PREVIOUS
        log.add(kind, starts[join.boundary], join.size, limits.least, join.together)
    if len(items) > 1:
        for low, size in zip(groups.edges, groups.sizes, strict=False):
            if size < limits.least:
                log.add(LEFT_SMALL, starts[low], size, limits.least)
    return _grouped(items, groups)


def _adds_up(spans: Spans, counter: SpanCounter) -> Mask:
    """Bool (n,): True where a chunk meets the one before and both counts add up."""
    if not len(spans) or (np.diff(spans, axis=0) < 0).any():
        return np.zeros(len(spans), np.bool_)
    meets = np.append(False, spans[1:, 0] == spans[:-1, 1])
    return meets & counter.adds_up(spans[:, 0])


def _grouped(items: _Items, groups: Groups) -> _Items:
    """Each group as one item: from the lesser start to the greater end, with their reasons."""
    firsts, lasts = [], []
    for low, high in pairwise(groups.edges):
        spans = items.spans[low:high]
        firsts.append(low + int(spans[:, 0].argmin()) if high - low > 1 else low)
        lasts.append(low + int(spans[:, 1].argmax()) if high - low > 1 else low)
    first, last = np.array(firsts, np.int64), np.array(lasts, np.int64)
    return _Items(
        np.stack([items.spans[first, 0], items.spans[last, 1]], axis=1),
        np.array(groups.sizes, np.int64),
        items.origins[first],
        items.starts[first],
        items.ends[last],
        items.pool,
    )


def _with_items(chunks: Chunks, items: _Items) -> Chunks:
    """The chunks with the spans and reasons of the items; nesting is lost."""
    headers = chunks.headers and tuple(chunks.headers[at] for at in items.origins.tolist())
    made = one_span_chunks(
        items.spans,
        items.pool.take(items.starts),
        items.pool.take(items.ends),
        primaries=chunks.primaries[items.origins],
        labels=chunks.labels[items.origins],
        headers=headers or None,
        notices=chunks.notices,
    )
    scores = None if chunks.scores is None else chunks.scores[items.origins]
    return replace(made, scores=scores)
