# SPDX-License-Identifier: AGPL-3.0-or-later
"""From gold spans to the relevance of chunks, and what became of each gold span.

`spec/evaluation.md` 3 (gains) and 7 (answerability).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.arrays import Indices, Mask, Spans, Values
from core.search.pool import Gold, Pool
from core.search.spans import merged, overlaps, shared, total

Fate = Literal["lost", "split", "not retrieved", "fine"]
FATES: tuple[Fate, ...] = ("lost", "split", "not retrieved", "fine")
_GREEDY_ABOVE = 200  # chunks on one gold span; the exact count takes their square


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a chunk is relevant; stored with each result."""

    whole: float = 0.99  # share of the gold span in the chunk
    part: float = 0.50  # likewise
    fill: float = 0.50  # share of the chunk that is gold
    whole_question: bool = False  # gain 2 only for a chunk that has all gold of the question


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """The relevant chunks of one question, and its gold spans.

    chunks: int64 (c,), ascending: those that hold any gold. gains: int64 (c,), 0, 1 or 2.
    coverage: float64 (g, c), the share of each gold span in each of these chunks.
    whole: bool (g,), held whole by some chunk. best: float64 (g,), greatest coverage.
    missing: float64 (g,), share of each gold span that is in no chunk.
    seen: float64 (g,), greatest share that the model reads in one chunk.
    """

    chunks: Indices
    gains: Indices
    coverage: Values
    whole: Mask
    best: Values
    missing: Values
    seen: Values

    def gains_of(self, ranked: Indices) -> Indices:
        """int64 (k,): the gain of each ranked chunk."""
        if not len(self.chunks):
            return np.zeros(len(ranked), np.int64)
        places = np.minimum(np.searchsorted(self.chunks, ranked), len(self.chunks) - 1)
        return np.where(self.chunks[places] == ranked, self.gains[places], 0)

    def whole_in(self, ranked: Indices, thresholds: Thresholds) -> Mask:
        """The gold spans that one of the ranked chunks holds whole, bool (g,)."""
        columns = np.isin(self.chunks, ranked)
        return np.asarray((self.coverage[:, columns] >= thresholds.whole).any(axis=1))


def relevance(pool: Pool, gold: Gold, thresholds: Thresholds) -> Relevance:
    """The relevance of a pool's chunks for one question, by its trimmed gold spans."""
    found = [pool.overlapping(start, end) for start, end in gold.trimmed.tolist()]
    chunks = np.unique(np.concatenate([each for each, _ in found] or [np.empty(0, np.int64)]))
    overlap = np.zeros((len(gold), len(chunks)), np.int64)
    for row, (which, shares) in enumerate(found):
        overlap[row, np.searchsorted(chunks, which)] = shares
    sizes = gold.trimmed[:, 1] - gold.trimmed[:, 0]
    coverage = overlap / np.maximum(sizes, 1)[:, None]
    fill = overlap / np.maximum(pool.lengths[chunks], 1)
    coverage, fill = _best_of_copies(coverage, gold), _best_of_copies(fill, gold)
    grades = gold.grades[: len(coverage)]
    best = coverage.max(axis=1, initial=0.0)
    return Relevance(
        chunks,
        _gains(coverage, fill, grades, thresholds),
        coverage,
        best >= thresholds.whole,
        best,
        _least_of_copies(np.array([_missing(pool, *span) for span in gold.trimmed.tolist()]), gold),
        _seen(pool, gold),
    )


def least_pieces(pool: Pool, start: int, end: int, whole: float = 0.99) -> int | None:
    """The least number of chunks whose union holds `whole` of [start, end); None: they do not."""
    chunks, _ = pool.overlapping(start, end)
    wanted = whole * (end - start)
    parts = [np.clip(merged(pool.spans_of(np.array([chunk]))), start, end) for chunk in chunks]
    parts = [part[part[:, 1] > part[:, 0]] for part in parts]
    if not parts or total(merged(np.concatenate(parts))) < wanted:
        return None
    if len(parts) > _GREEDY_ABOVE or any(len(part) > 1 for part in parts):
        return _greedy_pieces(parts, wanted)
    return _exact_pieces(np.concatenate(parts), wanted)


def fates(relevance: Relevance, ranked: Indices, thresholds: Thresholds) -> list[Fate]:
    """What became of each gold span in the top k: lost, split, not retrieved or fine."""
    retrieved = relevance.whole_in(ranked, thresholds)
    found: list[Fate] = []
    for missing, whole, is_retrieved in zip(
        relevance.missing, relevance.whole, retrieved, strict=True
    ):
        if missing > 1 - thresholds.whole + 1e-12:
            found.append("lost")
        elif not whole:
            found.append("split")
        else:
            found.append("fine" if is_retrieved else "not retrieved")
    return found


def _gains(coverage: Values, fill: Values, grades: Indices, thresholds: Thresholds) -> Indices:
    """int64 (c,): the greatest gain that a gold span gives each chunk."""
    whole = coverage >= thresholds.whole
    part = (coverage >= thresholds.part) | ((fill >= thresholds.fill) & (coverage > 0))
    gains = np.where(whole, grades[:, None], np.where(part, 1, 0))
    if not len(gains):
        return np.zeros(coverage.shape[1], np.int64)
    highest = gains.max(axis=0)
    if thresholds.whole_question:
        full = grades == 2
        has_all = whole[full].all(axis=0)
        highest = np.where((highest == 2) & ~has_all, 1, highest)
    return np.asarray(highest, np.int64)


def _best_of_copies(values: Values, gold: Gold) -> Values:
    """For each original span the greatest value of its copies, (g, c)."""
    if not gold.has_copies:
        return values
    n = int((gold.originals == np.arange(len(gold))).sum())
    best = values[:n].copy()
    np.maximum.at(best, gold.originals[n:], values[n:])
    return best


def _least_of_copies(values: Values, gold: Gold) -> Values:
    if not gold.has_copies:
        return values.astype(np.float64)
    return -_best_of_copies(-values[:, None], gold)[:, 0]


def _missing(pool: Pool, start: int, end: int) -> float:
    chunks, _ = pool.overlapping(start, end)
    union = merged(np.clip(pool.spans_of(chunks), start, end))
    return 1 - total(union) / (end - start)


def _seen(pool: Pool, gold: Gold) -> Values:
    """float64 (g,): of each original span the greatest share that is read in one chunk."""
    shares = np.zeros(len(gold))
    for row, (start, end) in enumerate(gold.trimmed.tolist()):
        chunks, _ = pool.overlapping(start, end)
        for chunk in chunks.tolist():
            spans = pool.spans_of(np.array([chunk]))
            spans = np.minimum(spans, pool.seen_ends[chunk])
            shares[row] = max(shares[row], overlaps(spans, start, end).sum() / (end - start))
    return _best_of_copies(shares[:, None], gold)[:, 0]


def _exact_pieces(parts: Spans, wanted: float) -> int:
    """The least number of intervals, by the most that j of them can cover."""
    parts = parts[np.lexsort((parts[:, 1], parts[:, 0]))]
    starts, ends = parts[:, 0], parts[:, 1]
    covered = (ends - starts).astype(np.float64)  # of unions of j intervals that end with each
    for count in range(1, len(parts) + 1):
        if covered.max() >= wanted - 1e-9:
            return count
        new = ends[None, :] - np.maximum(starts[None, :], ends[:, None])  # (before, after)
        is_later = (ends[None, :] > ends[:, None]) & (starts[None, :] >= starts[:, None])
        sums = np.where(is_later, covered[:, None] + np.maximum(new, 0), -np.inf)
        covered = np.maximum(covered, sums.max(axis=0))
    return len(parts)


def _greedy_pieces(parts: list[Spans], wanted: float) -> int:
    """A number of pieces by always taking the one that adds most; for chunks of several spans."""
    union: Spans = np.empty((0, 2), np.int64)
    count = 0
    while total(union) < wanted - 1e-9:
        added = [total(part) - shared(part, union) for part in parts]
        union = merged(np.concatenate([union, parts[int(np.argmax(added))]]))
        count += 1
    return count
