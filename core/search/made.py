# SPDX-License-Identifier: AGPL-3.0-or-later
"""The chunks of one contender with their vectors, and what they cost (`spec/evaluation.md` 13)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from core.arrays import Indices, Vectors
from core.cancel import on_document
from core.document.model import Document
from core.errors import SearchError
from core.search.case import Asked, Case, Contender
from core.search.costs import PeakMemory, latency, size_summary, timed
from core.search.place import folder_size
from core.search.retriever import search_times
from core.search.rows import Rows, join_rows
from core.search.serve import Where, table_at
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe
from core.strategies.run import run
from core.strategies.source import Units
from core.units.tokens import token_table
from core.vectors.embedder import Embedder

QUERY_VECTORS = 20  # questions whose vectors are made anew for the latency


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """The chunks of one contender, their rows, and what making them took."""

    chunks: Mapping[str, Chunks]
    rows: Rows
    split_seconds: float
    embed_seconds: float
    memory: PeakMemory


def made_chunks(case: Case, contender: Contender, embedder: Embedder | None, asked: Asked) -> Made:
    """Chunk and embed all documents of a pool."""
    memory, began = PeakMemory(), perf_counter()
    chunks: dict[str, Chunks] = {}
    for name, document in asked.documents.items():
        case.cancel.check()
        chunks[name] = _chunks(case, contender, name, document)
    split_seconds = perf_counter() - began
    recipe = contender.recipe
    is_instant = recipe is not None and recipe.strategy.declaration.strategy_class == "instant"
    if recipe is not None and is_instant and case.options.measure_costs:
        split_seconds = timed(lambda: _split_anew(recipe, asked.documents))[1]
    began = perf_counter()
    index = recipe.parameters.get("index", "children") if recipe is not None else "children"
    parts = [
        case.stages.rows(
            name,
            document,
            chunks[name],
            case.options.vectors if embedder is not None else None,
            index=index,
            tags=case.tags.get(name, ()),
            cancel=case.cancel,
            progress=on_document(case.progress, name),
        )
        for name, document in asked.documents.items()
    ]
    return Made(chunks, join_rows(parts), split_seconds, perf_counter() - began, memory)


def _chunks(case: Case, contender: Contender, name: str, document: Document) -> Chunks:
    if contender.recipe is not None:
        return case.stages.chunk(
            contender.recipe,
            document,
            cancel=case.cancel,
            progress=on_document(case.progress, name),
            allow_many=True,
        )
    found = (contender.foreign or {}).get(name)
    if found is None:
        raise SearchError(
            f"the chunks '{contender.name}' have none for '{name}': give chunks of all documents"
        )
    return found


def _split_anew(recipe: Recipe, documents: Mapping[str, Document]) -> None:
    for document in documents.values():
        run(recipe, document, Units(), allow_many=True)


def configuration_costs(
    case: Case,
    made: Made,
    where: Where,
    *,
    vectors: Vectors | None,
    embedder: Embedder | None,
    texts: Sequence[str],
) -> dict[str, Any]:
    """What the configuration costs. Times of vectors are those of this run: the cache helps."""
    rows = made.rows
    tokens = np.concatenate(
        [
            token_counts(document, made.chunks[name], rows, name)
            for name, document in case.documents.items()
            if name in rows.documents
        ]
        or [np.empty(0, np.int64)]
    )
    costs: dict[str, Any] = {
        "split_seconds": made.split_seconds,
        "embed_seconds": made.embed_seconds,
        "vector_bytes": len(rows) * rows.dimension * 4,
        "tokens": size_summary(tokens),
        "memory_before": made.memory.before,
    }
    if case.options.measure_costs:
        costs |= _index_costs(made, where)
        if vectors is not None and embedder is not None and len(rows):
            costs |= _latencies(case, where, vectors, embedder, texts)
        table_at(where).remove()
    costs["peak_rss"] = made.memory.bytes()
    return costs


def _index_costs(made: Made, where: Where) -> dict[str, Any]:
    """Time and bytes of the table; it is empty before, except where the mode has searched it."""
    table = table_at(where)
    table.open()  # and its libraries, so that the writing alone is timed
    began = perf_counter()
    table.update(made.rows)
    write = perf_counter() - began
    table.tidy()
    folder = table.place.folder
    size = None if folder is None else folder_size(folder / f"{where.space.table}.lance")
    return {
        "write_seconds": write,
        "build_seconds": made.split_seconds + made.embed_seconds + write,
        "index_bytes": size,
    }


def _latencies(
    case: Case, where: Where, vectors: Vectors, embedder: Embedder, texts: Sequence[str]
) -> dict[str, Any]:
    """Milliseconds of searches, and of making the vector of a question that is not cached."""
    searches = latency(search_times(table_at(where), vectors, case.options.k))
    making = []
    for text in texts[:QUERY_VECTORS]:
        began = perf_counter()
        embedder.encode_queries([f"{text} {began:.9f}"])
        making.append((perf_counter() - began) * 1000)
    vector = float(np.median(making))
    return {
        "search_milliseconds": searches,
        "query_vector_milliseconds": vector,
        "query_milliseconds": {
            name: None if value is None else value + vector for name, value in searches.items()
        },
    }


def token_counts(document: Document, chunks: Chunks, rows: Rows, name: str) -> Indices:
    """int64 (n,): cl100k tokens of a document's searched chunks, by the table of its text."""
    table = token_table(document.text, "cl100k_base")
    which = rows.chunks[rows.owners == rows.documents.index(name)]
    starts, ends = chunks.starts[which], chunks.ends[which]
    edges = np.searchsorted(table.starts, np.column_stack([starts, ends]))
    return np.asarray(edges[:, 1] - edges[:, 0], np.int64)
