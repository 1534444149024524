# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the engine process does for a search: bring the index up to date, and ask it.

Module-level functions, so that they can be called by name in another process. Open tables stay
open there between calls.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Values
from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Notice
from core.errors import ModelError, ParameterError, SearchError
from core.search.filters import NO_FILTERS, Filters, allowed
from core.search.found import FoundRows, together
from core.search.hits import Ranking, exact_rankings, fused, fusion_depth
from core.search.index import INDEXED_FROM, ChunkIndex, Space, VectorIndex
from core.search.place import corpus_place
from core.search.rerank import DEPTH, rerank_scores
from core.search.rows import ChangedRows, Rows

Mode = Literal["dense", "index", "text", "hybrid"]
MODES: tuple[Mode, ...] = ("dense", "index", "text", "hybrid")
MOST_HITS = 1_000_000  # above, k is taken for a slip of the finger
KEPT_TABLES = 12
# Of all tables together, with texts and vectors: so that changes can be sent alone, and the vector
# index is compared with a product in memory.
KEPT_ROWS = 60_000
COMPARED_UP_TO = 200_000  # rows; above, the recall of the vector index is measured once
DEFAULT_INDEX = VectorIndex()


@dataclass(frozen=True, slots=True)
class Where:
    """Which table: the corpus by name, what its vectors are, and the user's URI if any."""

    corpus: str
    space: Space
    uri: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked.

    vector: float32 (d,), of the question; None for full text only.
    reranker: a cross-encoder that orders the first 50 again; empty: none.
    """

    text: str
    vector: NDArray[np.float32] | None
    k: int = 5
    mode: Mode = "dense"
    filters: Filters = NO_FILTERS
    reranker: str = ""
    index: VectorIndex = DEFAULT_INDEX


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk that was found. Offsets are code points; pages count from 0."""

    rank: int  # from 1
    score: float
    document: str
    chunk: int  # index in its document's `Chunks`; −1 where only the index is known
    start: int
    end: int
    first_page: int
    last_page: int


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a question.

    rows: chunks in the index. written: chunks that had to be written first.
    index_recall: share of the exact hits that the vector index gave; None without one.
    """

    hits: tuple[Hit, ...]
    mode: Mode
    rows: int
    written: int
    milliseconds: float
    index_recall: float | None = None
    notices: tuple[Notice, ...] = ()


_open_tables: OrderedDict[Where, ChunkIndex] = OrderedDict()
_last_rows: OrderedDict[Where, Rows] = OrderedDict()


def search_again(
    where: Where,
    digest: bytes,
    question: Question,
    *,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> Found | None:
    """Like `update_and_search` with the rows of the last time, if their `Rows.digest` is this.

    None where they are not: send them.

    Raises:
        SearchError, ModelError, ParameterError: as `update_and_search`.
    """
    rows = _last_rows.get(where)
    if rows is None or rows.digest() != digest:
        return None
    return update_and_search(where, rows, question, cancel=cancel, progress=progress)


def update_changed_and_search(
    where: Where,
    changed: ChangedRows,
    question: Question,
    *,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> Found | None:
    """Like `update_and_search`; None where the rows are not known here: send them all.

    Raises:
        SearchError, ModelError, ParameterError: as `update_and_search`.
    """
    there = _last_rows.get(where)
    rows = None if there is None else changed.whole(there)
    if rows is None:
        return None
    return update_and_search(where, rows, question, cancel=cancel, progress=progress)


def update_and_search(
    where: Where,
    rows: Rows,
    question: Question,
    *,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> Found:
    """Make the table hold exactly `rows`, writing those that changed, and ask it.

    Raises:
        SearchError: the index cannot be written or read.
        ModelError: the re-ranker is not there, or dense search has no vectors.
        ParameterError: k or the mode is not allowed.
    """
    del progress
    check_question(question)
    began = perf_counter()
    _keep(where, rows)
    table = table_at(where)
    for write in (table.update, table.update, table.rebuild):
        try:
            written = write(rows)
            cancel.check()
            found, recall = ask(table, question, rows, cancel=cancel)
            break
        except SearchError:  # another window wrote between update and search, or it is damaged
            if write == table.rebuild or not table.place.is_ours:
                raise
            table.close()
    notices = written.notices + _notices(question, len(rows))
    changed = written.added + written.removed
    hits = _hits(found, rows)
    spent = (perf_counter() - began) * 1000
    return Found(hits, question.mode, len(table), changed, spent, recall, notices)


def search(
    where: Where,
    question: Question,
    *,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> Found:
    """Ask a table as it is; its hits know no chunk numbers.

    Raises:
        SearchError: there is no such table.
    """
    del progress
    check_question(question)
    began = perf_counter()
    table = table_at(where)
    if not len(table) and not table.open():
        raise SearchError("there is no index of these documents yet: update it first")
    kept = _last_rows.get(where)
    rows = kept if kept is not None and table.holds(kept.keys) else None
    found, recall = ask(table, question, rows, cancel=cancel)
    notices = _notices(question, len(table))
    spent = (perf_counter() - began) * 1000
    return Found(_hits(found, None), question.mode, len(table), 0, spent, recall, notices)


def tidy(where: Where, *, cancel: CancelToken = NEVER, progress: Progress = silent) -> None:
    """Compact a table while nothing else is to be done."""
    del cancel, progress
    table = table_at(where)
    if len(table) or table.open():
        table.tidy()


def forget(*, cancel: CancelToken = NEVER, progress: Progress = silent) -> None:
    """Close all tables, for instance before the indexes are cleared."""
    del cancel, progress
    _open_tables.clear()
    _last_rows.clear()


def table_at(where: Where) -> ChunkIndex:
    """The table, kept open."""
    if where not in _open_tables:
        _open_tables[where] = ChunkIndex(corpus_place(where.corpus, where.uri), where.space)
    _open_tables.move_to_end(where)
    while len(_open_tables) > KEPT_TABLES:
        _open_tables.popitem(last=False)
    return _open_tables[where]


def _keep(where: Where, rows: Rows) -> None:
    _last_rows.pop(where, None)
    _last_rows[where] = rows
    while sum(map(len, _last_rows.values())) > KEPT_ROWS or len(_last_rows) > KEPT_TABLES:
        _last_rows.popitem(last=False)


def check_question(question: Question) -> None:
    """Refuse a question that cannot be asked.

    Raises:
        ParameterError: the mode is unknown, or k is out of bounds.
        ModelError: dense search without a vector.
    """
    if question.mode not in MODES:
        raise ParameterError(
            f"retrieval is '{question.mode}', but must be one of {', '.join(MODES)}: choose one"
        )
    check_k(question.k)
    if question.vector is None and question.mode != "text":
        raise ModelError(
            f"retrieval '{question.mode}' needs an embedding model: choose one, or search with "
            "text only"
        )


def check_k(k: int) -> None:
    """Refuse a number of hits that cannot be asked for.

    Raises:
        ParameterError: below 1 or above `MOST_HITS`.
    """
    if not 1 <= k <= MOST_HITS:
        raise ParameterError(
            f"k is {k}, but must be at least 1 and at most {MOST_HITS}: ask for as many hits"
        )


def ask(
    table: ChunkIndex, question: Question, rows: Rows | None = None, *, cancel: CancelToken = NEVER
) -> tuple[FoundRows, float | None]:
    """Ask a table, re-rank if wanted; also the recall of the vector index against exact search.

    Args:
        table: what is asked.
        question: the question.
        rows: those that the table holds, if they are at hand: the comparison is quicker with them.
        cancel: asked between texts of the re-ranker.
    """
    k = max(question.k, DEPTH) if question.reranker else question.k
    recall = None
    if question.mode == "hybrid":
        found = _hybrid(table, question, k)
    elif question.mode == "text":
        found = table.full_text(question.text, k, question.filters)
    else:
        found, recall = _dense(table, question, k, rows)
    if question.reranker and len(found):
        found = _reranked(table, question, found, cancel)
    return found, recall


def _dense(
    table: ChunkIndex, question: Question, k: int, rows: Rows | None
) -> tuple[FoundRows, float | None]:
    assert question.vector is not None, "checked"
    if question.mode != "index" or not table.index_vectors(question.index):
        return table.nearest(question.vector, k, question.filters), None
    found = table.nearest(question.vector, k, question.filters, index=question.index)
    if len(table) > COMPARED_UP_TO:
        return found, table.index_recall(question.index)
    if rows is None:
        exact = table.nearest(question.vector, k, question.filters)
    else:
        exact = _exact(rows, replace(question, k=k))
    return found, float(np.isin(exact.keys, found.keys).mean()) if len(exact) else None


def _hybrid(table: ChunkIndex, question: Question, k: int) -> FoundRows:
    assert question.vector is not None, "checked"
    depth = fusion_depth(k)
    lists = [
        table.nearest(question.vector, depth, question.filters),
        table.full_text(question.text, depth, question.filters),
    ]
    rows = together(lists)
    row_of = {key: row for row, key in enumerate(rows.keys.tolist())}
    rankings = [
        Ranking(np.array([row_of[key] for key in found.keys.tolist()], np.int64), found.scores)
        for found in lists
    ]
    ranking = fused(rankings, k)
    return rows.take(ranking.rows, ranking.scores)


def _reranked(
    table: ChunkIndex, question: Question, found: FoundRows, cancel: CancelToken
) -> FoundRows:
    texts = table.texts(found.keys)
    scores: Values = rerank_scores(question.reranker, question.text, texts, cancel=cancel)
    order = np.argsort(-scores, kind="stable")[: question.k]
    return found.take(order, scores[order])


def _hits(found: FoundRows, rows: Rows | None) -> tuple[Hit, ...]:
    chunks = np.full(len(found), -1, np.int64) if rows is None else _chunk_numbers(found, rows)
    columns = (found.starts, found.ends, found.first_pages, found.last_pages)
    return tuple(
        Hit(index + 1, score, document, chunk, *numbers)
        for index, (score, document, chunk, *numbers) in enumerate(
            zip(
                found.scores.tolist(),
                found.documents,
                chunks.tolist(),
                *(column.tolist() for column in columns),
                strict=True,
            )
        )
    )


def _chunk_numbers(found: FoundRows, rows: Rows) -> Indices:
    order = np.argsort(rows.keys)
    places = np.searchsorted(rows.keys, found.keys, sorter=order)
    numbers: Indices = rows.chunks[order[np.minimum(places, len(rows) - 1)]]
    return numbers


def _notices(question: Question, rows: int) -> tuple[Notice, ...]:
    if question.mode == "index" and rows < INDEXED_FROM:
        words = f"the pool has {rows:,} chunks, below {INDEXED_FROM:,}: searched exactly"
        return (Notice(None, "index", words),)
    return ()


def exact_hits(rows: Rows, question: Question) -> tuple[Hit, ...]:
    """Dense hits by one matrix product, without an index: what LanceDB's hits must equal."""
    check_question(question)
    return _hits(_exact(rows, question), rows)


def _exact(rows: Rows, question: Question) -> FoundRows:
    assert question.vector is not None, "checked"
    where = np.flatnonzero(allowed(rows, question.filters))
    vectors = rows.vectors if len(where) == len(rows) else rows.vectors[where]
    (ranking,) = exact_rankings(question.vector[None, :], vectors, question.k)
    best = rows.take(where[ranking.rows])
    return FoundRows(
        best.keys,
        tuple(best.names),
        best.starts,
        best.ends,
        best.first_pages,
        best.last_pages,
        ranking.scores,
    )
