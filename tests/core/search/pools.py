# SPDX-License-Identifier: AGPL-3.0-or-later
"""Small pools of chunks for the tests of search."""

import numpy as np

from core.arrays import Vectors
from core.document.model import Document, Page
from core.search.rows import Rows, join_rows, rows_of
from core.strategies.chunks import one_span_chunks

DIMENSION = 16
WORDS = ("river", "stone", "window", "garden", "letter", "winter", "market", "silver")


def document_of(sentences: int, name: str = "a") -> Document:
    """A document of that many lines of 20 characters, ten on a page."""
    lines = [
        f"{WORDS[i % 8]} {WORDS[i // 8 % 8]} {i:05d}".ljust(19) + "\n" for i in range(sentences)
    ]
    text = "".join(lines)
    pages = tuple(
        Page(i // 200, 100, 100, 0, i, min(i + 200, len(text))) for i in range(0, len(text), 200)
    )
    return Document(text, name, pages=pages)


def unit_vectors(count: int, seed: int = 0, dimension: int = DIMENSION) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rows_at(starts, length: int = 20, name: str = "a", tags=(), sentences: int = 400) -> Rows:
    """Rows of `length` characters at `starts`; a row's vector depends on its place only."""
    starts = np.asarray(starts, np.int64)
    spans = np.column_stack([starts, starts + length])
    table = unit_vectors(1000, seed=sum(name.encode()))
    vectors = table[(starts * 7 + length) % 1000]
    document = document_of(sentences, name)
    return rows_of(name, document, one_span_chunks(spans), vectors, tags=tags)


def two_documents() -> Rows:
    return join_rows(
        [
            rows_at(range(0, 2000, 20), name="b", tags=("law", "long")),
            rows_at(range(0, 1000, 20), name="a", tags=("health",)),
        ]
    )
