# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rankings: ties, exact search, fusion (`spec/evaluation.md` 5 and 11). Plain numpy, no index.

Rows are in the order in which equal scores are listed: by document, start and end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Values, Vectors

RRF_CONSTANT = 60
# Two float32 products of equal vectors may differ in the seventh digit, by their place in a block.
SCORE_DECIMALS = 6
_QUERIES_AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The best rows of one query, best first.

    rows: int64 (k,). scores: float64 (k,), descending.
    """

    rows: Indices
    scores: Values

    def __len__(self) -> int:
        return len(self.rows)

    def first(self, k: int) -> "Ranking":
        """The first k."""
        return Ranking(self.rows[:k], self.scores[:k])


NO_HITS = Ranking(np.empty(0, np.int64), np.empty(0))


def best_rows(scores: NDArray[np.floating], k: int) -> Ranking:
    """The k rows with the highest scores, (n,); equal ones by row. −inf is never a hit."""
    rounded: Values = scores.astype(np.float64)
    rounded = rounded.round(SCORE_DECIMALS)
    candidates = np.flatnonzero(rounded > -np.inf)
    if len(candidates) > k > 0:
        limit = np.partition(rounded[candidates], len(candidates) - k)[len(candidates) - k]
        candidates = candidates[rounded[candidates] >= limit]
    order = np.argsort(-rounded[candidates], kind="stable")[:k]
    rows: Indices = candidates[order]
    return Ranking(rows, rounded[rows])


def exact_rankings(queries: Vectors, vectors: Vectors, k: int) -> list[Ranking]:
    """The k nearest rows of each query by cosine, in float32.

    Args:
        queries: float32 (q, d), unit or zero; a zero query finds nothing.
        vectors: float32 (n, d), unit rows.
        k: how many; fewer come back where there are fewer rows.
    """
    rankings: list[Ranking] = []
    for first in range(0, len(queries), _QUERIES_AT_ONCE):
        some = queries[first : first + _QUERIES_AT_ONCE]
        products: NDArray[np.float32] = some @ vectors.T
        for query, scores in zip(some, products, strict=True):
            rankings.append(best_rows(scores, k) if query.any() else NO_HITS)
    return rankings


def fusion_depth(k: int) -> int:
    """How deep the lists are that are fused."""
    return max(50, 10 * k)


def fused(rankings: Sequence[Ranking], k: int) -> Ranking:
    """Reciprocal rank fusion: each list gives a row 1 / (60 + rank), rank from 1.

    Source: Cormack, Clarke and Buettcher, SIGIR 2009.
    """
    rows = np.unique(np.concatenate([ranking.rows for ranking in rankings] or [NO_HITS.rows]))
    scores = np.zeros(len(rows))
    for ranking in rankings:
        places = np.searchsorted(rows, ranking.rows)
        scores[places] += 1.0 / (RRF_CONSTANT + 1.0 + np.arange(len(ranking)))
    order = np.argsort(-np.round(scores, 12), kind="stable")[:k]
    return Ranking(rows[order], scores[order])
