# SPDX-License-Identifier: AGPL-3.0-or-later
"""One table of a LanceDB index: brought up to date by its changed rows, searched in all modes.

A table holds the chunks of one corpus for one model and vector kind. Each update is one commit of
LanceDB, so whoever opens the table finds the rows of one chunking and never of two, whenever a
process was killed. What a state is known by, its chunking key, is made from its rows.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Values
from core.document.model import Notice
from core.errors import ChunkscopeError, SearchError
from core.search.filters import NO_FILTERS, Filters, condition
from core.search.found import COLUMNS, NOTHING, FoundRows, found_rows
from core.search.place import Place
from core.search.rows import Rows
from core.vectors.embedder import VectorKind

SCHEMA_VERSION = 1
INDEXED_FROM = 20_000  # rows; below, a vector index gains nothing over the exact product
# Measured on 2,000 rows: a merge takes 50 µs a changed row, writing all takes 11 µs a row.
REWRITE_SHARE = 0.2
TIDY_AFTER = 48  # updates; each leaves a fragment and a version
KEEP_VERSIONS = timedelta(seconds=30)  # a search in another process may still read them
SPARE = 16  # hits beyond k that are fetched, so that ties at the edge are cut by place
RECALL_QUERIES, RECALL_NOISE, RECALL_SEED = 30, 0.5, 12_345
PQ_COMPONENTS = 8  # of a vector are one byte in IVF_PQ
_TYPES = {"ivfpq": "IVF_PQ", "ivfhnswsq": "IVF_HNSW_SQ"}
DAMAGED = "the search index was damaged and has been made again from the document"
_NOT_DAMAGE = ("no space left", "permission denied", "read-only", "too many open files")
_SOURCE_LINE = re.compile(
    r",? ?\S*\.rs:\d+:\d+$"
)  # where in its own program, at the end of an error
_META = b"chunkscope"
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Space:
    """What the vectors of a table are: two tables of one space can be compared."""

    model: str  # full name, with its revision where that is known; "" for full text only
    kind: VectorKind
    slot: str = "main"  # keeps windows and strategies apart that write at the same time

    @property
    def table(self) -> str:
        """The table's name."""
        text = f"{SCHEMA_VERSION}\0{self.model}\0{self.kind}\0{self.slot}"
        return f"chunks-{hashlib.sha256(text.encode()).hexdigest()[:20]}"


@dataclass(frozen=True, slots=True)
class Written:
    """What an update wrote, in rows."""

    added: int
    removed: int
    total: int
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """How an approximate vector index is built and asked; recorded with each result."""

    type: str = "IVF_PQ"  # or IVF_HNSW_SQ
    partitions: int | None = None  # None: by LanceDB, from the number of rows
    probes: int = 32  # partitions that are looked into
    ef: int = 200  # candidates of HNSW
    refine: int = 20  # that many times k are scored again exactly


@dataclass(slots=True, eq=False)
class _State:
    """What this process knows of the table: version, keys in order, components, indexes."""

    version: int = -1
    keys: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    dimension: int = 0
    has_text_index: bool = False
    vector_index: str = ""  # its type
    index_recall: float | None = None
    updates: int = 0


class ChunkIndex:
    """A table of chunks. One process may hold it as long as it likes; others may write it."""

    def __init__(self, place: Place, space: Space) -> None:
        self.place = place
        self.space = space
        self._table: Any = None
        self._state = _State()
        self._notices: list[Notice] = []

    def __len__(self) -> int:
        return len(self._state.keys)

    @property
    def chunking_key(self) -> str:
        """What this state of the table is known by: equal for equal sets of rows."""
        return chunking_key(self._state.keys)

    def holds(self, keys: NDArray[np.int64]) -> bool:
        """True if its rows, as this process knows them, are those with these keys, int64 (n,)."""
        return np.array_equal(np.sort(keys), self._state.keys)

    def open(self) -> bool:
        """Open the table at its newest state; False if there is none yet.

        Raises:
            SearchError: the user's database cannot be read.
        """
        return self._guarded(self._open, or_else=lambda: False)

    def close(self) -> None:
        """Forget the table as it was; the next update opens it again."""
        self._table, self._state = None, _State()

    def update(self, rows: Rows, *, within: Sequence[str] = ()) -> Written:
        """Make the table hold exactly these rows, in one commit, writing those that changed.

        Args:
            rows: all rows, or all rows of some documents.
            within: ids of these documents, so that the rows of others stay; empty: all.

        Raises:
            SearchError: it cannot be written; what was there stays.
        """
        with self.place.lock(self.space.table):
            written = self._guarded(
                lambda: self._update(rows, within), or_else=lambda: self._begin(rows)
            )
        return self._told(written)

    def rebuild(self, rows: Rows) -> Written:
        """Make the table anew with these rows, because what is there cannot be searched."""
        with self.place.lock(self.space.table):
            self._drop()
            written = self._guarded(lambda: self._begin(rows))
        return self._told(written)

    def nearest(
        self,
        vector: NDArray[np.float32],
        k: int,
        filters: Filters = NO_FILTERS,
        *,
        index: VectorIndex | None = None,
    ) -> FoundRows:
        """The k rows nearest to a query by cosine: exact, or through a vector index.

        Args:
            vector: float32 (d,), unit; a zero vector finds nothing.
            k: how many.
            filters: which rows count.
            index: use this vector index, which `index_vectors` has built; None: exact.
        """
        if not len(self) or not vector.any():
            return NOTHING

        def ask() -> Any:
            query = self._table.search(vector, vector_column_name="vector")
            query = query.distance_type("cosine")
            if index is None:
                query = query.bypass_vector_index()
            else:
                query = query.nprobes(index.probes).refine_factor(index.refine)
                candidates = max(index.ef, (k + SPARE) * index.refine)
                query = query.ef(candidates) if "HNSW" in index.type else query
            return _limited(query, k, filters, "_distance")

        found = self._guarded(ask)
        return found_rows(found, 1.0 - _column(found, "_distance"), k)

    def full_text(self, question: str, k: int, filters: Filters = NO_FILTERS) -> FoundRows:
        """The k rows that match a question best by BM25. The question is text, not a language."""
        if not len(self) or not question.strip():
            return NOTHING

        def ask() -> Any:
            from lancedb.query import MatchQuery

            self._index_text()
            query = self._table.search(MatchQuery(question, "text"), query_type="fts")
            return _limited(query, k, filters, "_score")

        found = self._guarded(ask)
        return found_rows(found, _column(found, "_score"), k)

    def index_vectors(self, index: VectorIndex) -> bool:
        """Build a vector index where there are rows enough; False where search stays exact."""
        if len(self) < INDEXED_FROM:
            return False
        if self._state.vector_index != index.type:
            with self.place.lock(self.space.table):
                self._guarded(lambda: self._index_vectors(index))
        return True

    def index_recall(self, index: VectorIndex, k: int = 10) -> float:
        """Share of the exact hits that a vector index gives, mean over queries near some rows."""
        if self._state.index_recall is None:
            generator = np.random.default_rng(RECALL_SEED)
            shares = []
            for vector in self._guarded(lambda: self._some_vectors(generator)):
                noise = generator.normal(size=vector.shape) / np.sqrt(vector.size)
                query = np.asarray(vector + RECALL_NOISE * noise, np.float32)
                query /= np.linalg.norm(query)
                exact = self.nearest(query, k).keys
                shares.append(np.isin(exact, self.nearest(query, k, index=index).keys).mean())
            self._state.index_recall = float(np.mean(shares))
        return self._state.index_recall

    def texts(self, keys: NDArray[np.int64]) -> list[str]:
        """The texts of some rows, int64 (k,), for a re-ranker."""
        if not len(keys):
            return []
        query = self._table.search().where(_key_list(keys)).select(["key", "text"]).limit(len(keys))
        found = self._guarded(query.to_arrow)
        pairs = zip(found.column("key").to_pylist(), found.column("text").to_pylist(), strict=True)
        by_key = dict(pairs)
        return [by_key[key] for key in keys.tolist()]

    def tidy(self) -> None:
        """Join fragments, bring indexes up to date, and drop old versions."""
        with self.place.lock(self.space.table):
            self._guarded(self._tidy)

    def remove(self) -> None:
        """Delete the table; it is made again by the next update."""
        with self.place.lock(self.space.table):
            self._guarded(
                lambda: _connection(self.place).drop_table(self.space.table), or_else=_none
            )
            self._table, self._state = None, _State()

    # --- the work itself, under the lock where it writes ------------------------------------------

    def _open(self) -> bool:
        table = _connection(self.place).open_table(self.space.table)
        meta = (table.schema.metadata or {}).get(_META)
        if meta is None or json.loads(meta).get("schema") != SCHEMA_VERSION:
            raise ValueError("the table is of another version")
        self._table = table
        self._read_state()
        return True

    def _read_state(self) -> None:
        state = _State(self._table.version, self._keys(), _dimension(self._table))
        for each in self._table.list_indices():
            if "text" in each.columns:
                state.has_text_index = True
            if "vector" in each.columns:
                state.vector_index = _TYPES.get(str(each.index_type).replace("_", "").lower(), "")
        self._state = state

    def _keys(self, where: str = "") -> NDArray[np.int64]:
        """The keys of the rows, ascending, int64 (n,)."""
        query = self._table.search().select(["key"]).limit(self._table.count_rows())
        rows = (query.where(where) if where else query).to_arrow()
        return np.sort(np.asarray(rows.column("key"), np.int64))

    def _update(self, rows: Rows, within: Sequence[str]) -> Written:
        if self._table is None:
            self._open()
        self._table.checkout_latest()
        if self._table.version != self._state.version:
            self._read_state()
        if self._state.dimension != rows.dimension and not within:
            return self._begin(rows)
        everything = self._state.keys
        known = self._keys(condition(Filters(tuple(within)))) if within else everything
        is_new = ~np.isin(rows.keys, known, assume_unique=True)
        gone = known[~np.isin(known, rows.keys, assume_unique=True)]
        added = int(is_new.sum())
        if not added and not len(gone):
            return Written(0, 0, len(everything))
        if added + len(gone) > REWRITE_SHARE * len(rows) and not within:
            self._table.add(_arrow(rows, self.space), mode="overwrite")
            self._state.has_text_index, self._state.vector_index = False, ""
        else:
            self._write_changes(rows.take(is_new), gone)
        kept = everything[~np.isin(everything, gone, assume_unique=True)]
        self._state.keys = np.sort(np.concatenate([kept, rows.keys[is_new]]))
        if self.place.folder is None and self._table.count_rows() != len(self):
            if within:
                raise SearchError(
                    "another program wrote into the index at the same time: try again"
                )
            return self._begin(rows)  # no lock kept us apart
        self._state.version = self._table.version
        self._state.updates += 1
        if self._state.updates % TIDY_AFTER == 0:
            self._tidy()
        return Written(added, len(gone), len(self))

    def _write_changes(self, new: Rows, gone: NDArray[np.int64]) -> None:
        """Add and delete rows in one commit."""
        if not len(new):
            self._table.delete(_key_list(gone))
        elif not len(gone):
            self._table.add(_arrow(new, self.space))
        else:
            merge = self._table.merge_insert("key").when_not_matched_insert_all()
            merge = merge.when_not_matched_by_source_delete(_key_list(gone))
            merge.execute(_arrow(new, self.space))

    def _begin(self, rows: Rows) -> Written:
        """Make the table anew with these rows, whatever stands in its place."""
        self._table = _connection(self.place).create_table(
            self.space.table, _arrow(rows, self.space), mode="overwrite"
        )
        self._state = _State(self._table.version, np.sort(rows.keys), rows.dimension)
        return Written(len(rows), 0, len(rows))

    def _tidy(self) -> None:
        # Another process may have tidied first: what is left untidy now is seen to next time.
        with contextlib.suppress(RuntimeError, OSError, ValueError):
            self._table.optimize(cleanup_older_than=KEEP_VERSIONS)
        self._table.checkout_latest()
        self._state.version = self._table.version

    def _index_text(self) -> None:
        if self._state.has_text_index:
            return
        from lancedb.index import FTS

        words = FTS(
            base_tokenizer="icu",  # words of every script
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
            max_token_length=None,
        )
        with self.place.lock(self.space.table):
            self._table.create_index("text", config=words, replace=True)
        self._state.has_text_index = True
        self._state.version = self._table.version

    def _index_vectors(self, index: VectorIndex) -> None:
        from lancedb.index import HnswSq, IvfPq

        settings: dict[str, Any] = {"distance_type": "cosine", "num_partitions": index.partitions}
        dimension = _dimension(self._table)
        if "HNSW" in index.type:
            config: Any = HnswSq(**settings)
        else:
            parts = dimension // PQ_COMPONENTS if dimension % PQ_COMPONENTS == 0 else None
            config = IvfPq(**settings, num_sub_vectors=parts)
        self._table.create_index("vector", config=config, replace=True)
        self._state.vector_index, self._state.index_recall = index.type, None
        self._state.version = self._table.version

    def _some_vectors(self, generator: np.random.Generator) -> NDArray[np.float32]:
        """float32 (m, d): the vectors of some rows."""
        keys = generator.choice(self._state.keys, min(RECALL_QUERIES, len(self)), replace=False)
        query = self._table.search().where(_key_list(keys)).select(["vector"]).limit(len(keys))
        column = query.to_arrow().column("vector").combine_chunks()
        return np.asarray(column.flatten(), np.float32).reshape(len(keys), -1)

    # --- what can go wrong ----------------------------------------------------------------------

    def _guarded(
        self, work: Callable[[], Value], or_else: Callable[[], Value] | None = None
    ) -> Value:
        """Do `work`; where a table of ours is not there or damaged, make it go and `or_else`.

        LanceDB raises many kinds of errors, all of which mean that the table cannot be used.
        """
        try:
            return work()
        except ChunkscopeError:
            raise
        except Exception as error:  # of LanceDB's client
            is_missing = f"'{self.space.table}' was not found" in str(error)
            if or_else is None or not (is_missing or self._is_damage(error)):
                raise self._failed(error) from error
            if not is_missing:
                self._drop()
        try:
            return or_else()
        except Exception as error:  # likewise
            raise self._failed(error) from error

    def _is_damage(self, error: Exception) -> bool:
        """True if a table of ours may be made again; the user's own is never touched."""
        words = str(error).lower()
        return self.place.is_ours and not any(each in words for each in _NOT_DAMAGE)

    def _failed(self, error: Exception) -> SearchError:
        return SearchError(f"the search index at {self.place.uri} failed: {plain_words(error)}")

    def _drop(self) -> None:
        self._table, self._state = None, _State()
        if self.place.folder is not None and self.place.is_ours:
            shutil.rmtree(self.place.folder / f"{self.space.table}.lance", ignore_errors=True)
        self._notices.append(Notice(None, "index", DAMAGED))

    def _told(self, written: Written) -> Written:
        notices, self._notices = tuple(self._notices), []
        return replace(written, notices=notices)


def _none() -> None:
    """Nothing was there."""


def chunking_key(keys: NDArray[np.int64]) -> str:
    """A name for a set of rows by their keys, int64 (n,), in any order."""
    return hashlib.sha256(np.sort(keys).tobytes()).hexdigest()


def _connection(place: Place) -> Any:
    os.environ.setdefault("LANCEDB_LOG", "error")  # its warnings are no news: "it will be created"
    import lancedb

    return lancedb.connect(place.uri)


def _dimension(table: Any) -> int:
    schema = table.schema
    return int(schema.field("vector").type.list_size) if "vector" in schema.names else 0


def _key_list(keys: NDArray[np.int64]) -> str:
    return f"key IN ({', '.join(map(str, keys.tolist()))})"


def _limited(query: Any, k: int, filters: Filters, score: str) -> Any:
    where = condition(filters)
    if where:
        query = query.where(where, prefilter=True)
    return query.select([*COLUMNS, score]).limit(k + SPARE).to_arrow()


def _column(found: Any, name: str) -> Values:
    return np.asarray(found.column(name), np.float64)


def _arrow(rows: Rows, space: Space) -> Any:
    """The rows as an Arrow table."""
    import pyarrow as pa

    owners = pa.array(rows.owners.astype(np.int32))
    tags = pa.array([list(tags) for tags in rows.tags], pa.list_(pa.string()))
    columns: dict[str, Any] = {
        "key": pa.array(rows.keys),
        "document": pa.array(list(rows.documents), pa.string()).take(owners),
        "start": pa.array(rows.starts),
        "end": pa.array(rows.ends),
        "first_page": pa.array(rows.first_pages),
        "last_page": pa.array(rows.last_pages),
        "tags": tags.take(owners),
        "text": pa.array(rows.texts, pa.string()),
    }
    if rows.dimension:
        flat = pa.array(rows.vectors.reshape(-1))
        columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, rows.dimension)
    meta = {"schema": SCHEMA_VERSION, "model": space.model, "vectors": space.kind}
    return pa.table(columns).replace_schema_metadata({_META: json.dumps(meta).encode()})


def plain_words(error: Exception) -> str:
    """The first line of an error of LanceDB's client, without the line of its own source."""
    words = str(error).strip().splitlines() or [repr(error)]
    return _SOURCE_LINE.sub("", words[0])
