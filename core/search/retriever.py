# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rankings of many questions over one pool, for an evaluation.

Dense search is one matrix product for all questions; the other modes ask the LanceDB table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from core.arrays import Indices, Vectors
from core.cancel import NEVER, CancelToken
from core.document.model import Notice
from core.search.hits import NO_HITS, Ranking, best_rows
from core.search.index import ChunkIndex
from core.search.rows import Rows
from core.search.serve import Mode, Question, Where, ask, table_at

LATENCY_QUERIES, WARM_UP = 200, 20


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The rankings of q questions over one pool.

    scores: for dense search, float32 (q, n), to find the rank of any chunk; else None.
    index_recall: mean share of the exact hits that the vector index gave; None without one.
    """

    rankings: list[Ranking]
    scores: Vectors | None
    index_recall: float | None
    notices: tuple[Notice, ...] = ()

    def rank_of_first(self, question: int, chunks: Indices) -> int | None:
        """The best rank of some chunks, int64 (c,), in the full ranking; None: not found."""
        if not len(chunks):
            return None
        if self.scores is None:
            places = np.flatnonzero(np.isin(self.rankings[question].rows, chunks))
            return int(places[0]) + 1 if len(places) else None
        row = self.scores[question].astype(np.float64).round(6)
        best = int(chunks[np.lexsort((chunks, -row[chunks]))[0]])
        ahead = (row > row[best]) | ((row == row[best]) & (np.arange(len(row)) < best))
        return int(ahead.sum()) + 1


def retrieve(
    rows: Rows,
    questions: Sequence[str],
    vectors: Vectors | None,
    where: Where,
    *,
    mode: Mode,
    depth: int,
    reranker: str = "",
    cancel: CancelToken = NEVER,
) -> Retrieved:
    """Rank the rows for each question.

    Args:
        rows: the pool.
        questions: q texts.
        vectors: float32 (q, d), of the questions; None for full text.
        where: the table, where one is needed.
        mode: dense, index, text or hybrid.
        depth: how many results.
        reranker: a cross-encoder that orders the first 50 again; empty: none.
        cancel: asked between questions.
    """
    if mode == "dense" and not reranker:
        assert vectors is not None, "dense search has vectors"
        if not len(rows):
            return Retrieved([NO_HITS] * len(questions), None, None)
        scores: Vectors = vectors @ rows.vectors.T
        rankings = [
            best_rows(row, depth) if query.any() else NO_HITS
            for row, query in zip(scores, vectors, strict=True)
        ]
        return Retrieved(rankings, scores, None)
    table = table_at(where)
    notices = table.update(rows).notices
    order = np.argsort(rows.keys)
    rankings, recalls = [], []
    for number, text in enumerate(questions):
        cancel.check()
        vector = None if vectors is None else vectors[number]
        question = Question(text, vector, depth, mode, reranker=reranker)
        found, recall = ask(table, question, cancel=cancel)
        places = order[np.searchsorted(rows.keys, found.keys, sorter=order)]
        rankings.append(Ranking(places, found.scores))
        if recall is not None:
            recalls.append(recall)
    return Retrieved(rankings, None, float(np.mean(recalls)) if recalls else None, notices)


def search_times(table: ChunkIndex, vectors: Vectors, k: int) -> list[float]:
    """Milliseconds of exact searches of a table, after a warm-up; the queries are repeated."""
    times = []
    for number in range(WARM_UP + LATENCY_QUERIES):
        began = perf_counter()
        table.nearest(vectors[number % len(vectors)], k)
        times.append((perf_counter() - began) * 1000)
    return times[WARM_UP:]
