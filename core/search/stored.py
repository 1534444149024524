# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is stored on this machine: tables of the indexes, caches; sized, and cleared on demand."""

import contextlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from core.cancel import CancelToken, Progress
from core.document import cache as document_cache
from core.search.index import SCHEMA_VERSION
from core.search.place import folder_size, indexes_folder, remove_corpus, stored_corpora
from core.search.serve import forget
from core.vectors.cache import shared_cache

_META = b"chunkscope"


@dataclass(frozen=True, slots=True)
class StoredTable:
    """One table of an index."""

    corpus: str
    name: str
    model: str  # "" for full text only
    kind: str
    rows: int
    dimension: int
    size: int  # bytes
    changed: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Stored:
    """All that is kept, with sizes in bytes."""

    tables: tuple[StoredTable, ...]
    indexes: int
    vectors: int
    documents: int
    evaluations: int


def evaluations_folder() -> Path:
    """Where records of evaluations are kept, beside the indexes."""
    return indexes_folder().parent / "evaluations"


def look_at_stored(*, cancel: CancelToken, progress: Progress) -> Stored:
    """Open all tables and measure all folders; for the process that has LanceDB."""
    del progress
    tables = []
    for corpus in stored_corpora():
        cancel.check()
        tables += _tables_of(corpus.name, corpus.changed)
    return Stored(
        tuple(tables),
        folder_size(indexes_folder()),
        shared_cache().size(),
        folder_size(document_cache.cache_folder()),
        folder_size(evaluations_folder()),
    )


def clear_indexes(names: tuple[str, ...], *, cancel: CancelToken, progress: Progress) -> None:
    """Delete the indexes of some corpora; each is made again when it is searched.

    Raises:
        SearchError: there is none of a name.
    """
    forget()
    for place, name in enumerate(names):
        cancel.check()
        progress(place, len(names), "indexes")
        remove_corpus(name)


def clear_vectors(*, cancel: CancelToken, progress: Progress) -> None:
    """Forget all vectors that were made on this machine; what came with the program stays."""
    del cancel, progress
    shared_cache().clear()


def clear_documents() -> None:
    """Forget the texts of documents; a document is read again when it is opened."""
    shutil.rmtree(document_cache.cache_folder(), ignore_errors=True)


def clear_evaluations() -> None:
    """Forget the records of evaluations: a run begins anew."""
    shutil.rmtree(evaluations_folder(), ignore_errors=True)


def _tables_of(corpus: str, changed: float) -> list[StoredTable]:
    import lancedb

    folder, found = indexes_folder() / corpus, []
    for place in sorted(folder.glob("*.lance")):
        name = place.stem
        with contextlib.suppress(Exception):  # a damaged table is made again when it is searched
            table = lancedb.connect(str(folder)).open_table(name)
            meta = json.loads((table.schema.metadata or {}).get(_META, b"{}"))
            if meta.get("schema") != SCHEMA_VERSION:
                continue
            vector = table.schema.field("vector") if "vector" in table.schema.names else None
            dimension = 0 if vector is None else int(vector.type.list_size)
            found.append(
                StoredTable(
                    corpus,
                    name,
                    meta.get("model", ""),
                    meta.get("vectors", ""),
                    table.count_rows(),
                    dimension,
                    folder_size(place),
                    changed,
                )
            )
    return found
