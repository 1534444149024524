# SPDX-License-Identifier: AGPL-3.0-or-later
"""The rows of an index: chunks of one or many documents with their vectors, as arrays."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Offsets, Vectors
from core.document.model import Document
from core.strategies.chunks import LEVELS, Chunks

NO_VECTORS: Vectors = np.empty((0, 0), np.float32)

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # splitmix64
_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """n chunks, in the order of (document, start, end), in which equal scores are listed.

    documents: ids of the documents. owners: int64 (n,), index into `documents`.
    chunks: int64 (n,), index of the chunk in its document's `Chunks`.
    starts, ends: int64 (n,), code points. first_pages, last_pages: int64 (n,), from 0.
    keys: int64 (n,), equal for chunks that have the same place, header and level; no two alike.
    vectors: float32 (n, d), unit rows; d = 0 where only full text is searched.
    tags: the tags of each document.
    without_vector: int64 (m,), chunks that were left out: zero or non-finite vectors.
    """

    documents: tuple[str, ...]
    owners: Indices
    chunks: Indices
    starts: Offsets
    ends: Offsets
    first_pages: Indices
    last_pages: Indices
    texts: tuple[str, ...]
    keys: NDArray[np.int64]
    vectors: Vectors
    tags: tuple[tuple[str, ...], ...]
    without_vector: Indices

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def dimension(self) -> int:
        """Components of a vector; 0: there are none."""
        return int(self.vectors.shape[1])

    @property
    def names(self) -> list[str]:
        """The document id of each row."""
        return [self.documents[owner] for owner in self.owners.tolist()]

    def digest(self) -> bytes:
        """The same for rows that find the same hits, whoever holds them."""
        told = hashlib.blake2b(repr((self.documents, self.dimension)).encode(), digest_size=16)
        for column in (self.keys, self.owners, self.chunks, self.first_pages, self.last_pages):
            told.update(column.tobytes())
        return told.digest()

    def take(self, rows: Indices | Mask) -> "Rows":
        """Only the rows at `rows`, int64 (m,) or bool (n,)."""
        where = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Rows(
            self.documents,
            self.owners[where],
            self.chunks[where],
            self.starts[where],
            self.ends[where],
            self.first_pages[where],
            self.last_pages[where],
            tuple(self.texts[row] for row in where.tolist()),
            self.keys[where],
            self.vectors[where],
            self.tags,
            self.without_vector,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ChangedRows:
    """n rows for somebody who has the texts and vectors of most of them.

    before: keys of the rows that are known there, int64 (m,), in their order.
    rows: the n rows with texts and vectors only of those that are new, in their order.
    known: int64 (n,), the place of each row among those known there; −1: it is new.
    """

    before: NDArray[np.int64]
    rows: Rows
    known: Indices

    @classmethod
    def of(cls, rows: Rows, before: NDArray[np.int64]) -> "ChangedRows":
        """What is to be told of `rows` where those with the keys `before` are known."""
        order = np.argsort(before)
        places = np.searchsorted(before, rows.keys, sorter=order)
        places = order[np.minimum(places, len(before) - 1)]
        known = np.where(before[places] == rows.keys, places, -1)
        new = np.flatnonzero(known < 0)
        texts = tuple(rows.texts[row] for row in new.tolist())
        return cls(before, replace(rows, texts=texts, vectors=rows.vectors[new]), known)

    def whole(self, there: Rows) -> Rows | None:
        """The n rows; None where `there` are not the rows that were thought to be there."""
        if not np.array_equal(there.keys, self.before) or there.dimension != self.rows.dimension:
            return None
        is_new = self.known < 0
        new_texts = iter(self.rows.texts)
        texts = tuple(
            next(new_texts) if place < 0 else there.texts[place] for place in self.known.tolist()
        )
        vectors = there.vectors[self.known]
        vectors[is_new] = self.rows.vectors
        return replace(self.rows, texts=texts, vectors=vectors)


def searched_chunks(chunks: Chunks, index: object = "children") -> Indices:
    """int64 (m,): the chunks that a search finds; those without text of their own are left out.

    Args:
        chunks: as a strategy made them.
        index: of a strategy with parents: `children`, `parents` or `both`.
    """
    keep = np.ones(len(chunks), np.bool_)
    if index != "both":
        left_out = "child" if index == "parents" else "parent"
        keep = chunks.levels != LEVELS.index(left_out)
        if not keep.any():
            keep = np.ones(len(chunks), np.bool_)
    found: Indices = np.flatnonzero(keep & (chunks.starts >= 0))
    return found


def rows_of(
    document_id: str,
    document: Document,
    chunks: Chunks,
    vectors: Vectors | None,
    *,
    chosen: Indices | None = None,
    tags: Sequence[str] = (),
) -> Rows:
    """The rows of one document.

    Args:
        document_id: what hits name the document by.
        document: its text and pages.
        chunks: all its chunks.
        vectors: float32 (m, d), of the chosen chunks, or None for full text only.
        chosen: int64 (m,), the chunks that are searched; None: `searched_chunks(chunks)`.
        tags: tags of the document.
    """
    which = searched_chunks(chunks) if chosen is None else chosen
    kept = np.zeros((len(which), 0), np.float32) if vectors is None else vectors
    has_vector = np.ones(len(which), np.bool_) if vectors is None else usable(kept)
    lost, which, kept = which[~has_vector], which[has_vector], kept[has_vector]
    starts, ends = chunks.starts[which], chunks.ends[which]
    order = np.lexsort((ends, starts))
    which, starts, ends, kept = which[order], starts[order], ends[order], kept[order]
    texts = tuple(chunks.embedded_texts(which, document.text))
    return Rows(
        (document_id,),
        np.zeros(len(which), np.int64),
        which,
        starts,
        ends,
        pages_at(document, starts),
        pages_at(document, np.maximum(starts, ends - 1)),
        texts,
        row_keys("\0".join((document_id, document.sha256, *tags)), chunks, which),
        np.ascontiguousarray(kept, np.float32),
        (tuple(tags),),
        lost,
    )


def join_rows(parts: Sequence[Rows]) -> Rows:
    """The rows of several documents as one pool, documents by id."""
    if not parts:
        return _NO_ROWS
    ordered = sorted(parts, key=lambda part: part.documents)
    bases = np.cumsum([0, *(len(part.documents) for part in ordered)])
    dimension = max(part.dimension for part in ordered)
    filled = [part for part in ordered if len(part) or part.dimension == dimension]
    vectors = [part.vectors for part in filled if part.dimension == dimension]

    def joined(name: str) -> NDArray[np.int64]:
        return np.concatenate([getattr(part, name) for part in ordered])

    return Rows(
        tuple(name for part in ordered for name in part.documents),
        np.concatenate([p.owners + base for p, base in zip(ordered, bases, strict=False)]),
        joined("chunks"),
        joined("starts"),
        joined("ends"),
        joined("first_pages"),
        joined("last_pages"),
        tuple(text for part in ordered for text in part.texts),
        joined("keys"),
        np.concatenate(vectors) if vectors else np.empty((0, dimension), np.float32),
        tuple(tags for part in ordered for tags in part.tags),
        joined("without_vector"),
    )


def usable(vectors: Vectors) -> Mask:
    """Rows that are finite and not zero, bool (n,) (`spec/evaluation.md` 12)."""
    if not vectors.shape[1]:
        return np.ones(len(vectors), np.bool_)
    sizes = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    mask: Mask = np.isfinite(sizes) & (sizes > 0)
    return mask


def pages_at(document: Document, offsets: Offsets) -> Indices:
    """int64 (n,): index of the page that holds each offset; 0 without pages."""
    if not document.pages:
        return np.zeros(len(offsets), np.int64)
    pages: Indices = np.searchsorted(document.page_starts, offsets, side="right") - 1
    return np.maximum(pages, 0)


def on_pages(rows: Rows, shown: Document) -> Rows:
    """The rows of one document with the pages of another layout of the same text."""
    first, last = (
        pages_at(shown, rows.starts),
        pages_at(shown, np.maximum(rows.starts, rows.ends - 1)),
    )
    return replace(rows, first_pages=first, last_pages=last)


def row_keys(document: str, chunks: Chunks, which: Indices) -> NDArray[np.int64]:
    """int64 (m,): a hash of each chosen chunk's place, header and level; no two are alike.

    A key tells whether a row must be written again, so it says all that the row's text and
    vector depend on: the document's text and tags, the spans, the header and the level.
    """
    digest = hashlib.sha256(document.encode()).digest()[:8]
    keys = np.full(len(which), int.from_bytes(digest, "little"), np.uint64)
    for column in (chunks.starts, chunks.ends, chunks.levels.astype(np.int64)):
        keys = _mixed(keys ^ column[which].astype(np.uint64))
    if not chunks.is_contiguous or chunks.headers or chunks.texts:
        keys = _mixed(keys ^ np.array([_rest(chunks, row) for row in which.tolist()], np.uint64))
    return _made_unlike(keys).view(np.int64)


def _rest(chunks: Chunks, row: int) -> int:
    """A hash of what a chunk has besides its ends and level."""
    header = chunks.headers[row] if chunks.headers else ""
    spans = chunks.spans_of(row)
    if len(spans) == 1 and not header and row not in chunks.texts:
        return 0
    text = repr((spans.tolist(), header, chunks.texts.get(row, "")))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One round of splitmix64 (Steele, Lea and Flood, OOPSLA 2014), wrapping around."""
    values = values + _STEP
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))


def _made_unlike(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Give the second and later of equal chunks keys of their own, always the same ones."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    same = np.concatenate([[False], ordered[1:] == ordered[:-1]])
    if not same.any():
        return keys
    places = np.arange(len(keys))
    first = np.maximum.accumulate(np.where(same, 0, places))
    repeats = np.empty(len(keys), np.uint64)
    repeats[order] = places - first
    return np.where(repeats > 0, _mixed(keys ^ (repeats * _STEP)), keys)


_NONE = np.empty(0, np.int64)
_NO_ROWS = Rows((), _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, (), _NONE, NO_VECTORS, (), _NONE)
