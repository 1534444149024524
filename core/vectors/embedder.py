# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the core asks of an embedding model."""

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.arrays import Spans, Vectors
from core.cancel import NEVER, CancelToken, Progress, silent
from core.vectors.cache import VectorCache

VectorKind = Literal["ordinary", "late", "windows"]


class Embedder(Protocol):
    """A model that turns texts into unit vectors (or zero vectors), float32 (n, dimension)."""

    @property
    def id(self) -> str:
        """Full name, such as "sentence-transformers/all-MiniLM-L6-v2"."""

    @property
    def dimension(self) -> int:
        """Components of a vector."""

    @property
    def window(self) -> int | None:
        """Word pieces that the model reads, special tokens included; None: no limit."""

    @property
    def has_token_vectors(self) -> bool:
        """True if late pooling is possible and has a meaning (mean pooling)."""

    def encode(
        self,
        texts: Sequence[str],
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Vectors:
        """Ordinary vectors of document texts, each unique text encoded once and cached."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, with the model's query prefix."""

    def pieces(self, text: str) -> Spans:
        """int64 (n, 2): spans of the text's word pieces, special tokens left out."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives the states of single word pieces, for late pooling."""

    @property
    def revision(self) -> str:
        """What tells two versions of the model apart, for cache keys."""

    @property
    def cache(self) -> VectorCache:
        """Where vectors are kept."""

    @property
    def text_window(self) -> int:
        """Word pieces of a text that fit beside special tokens and document prefix."""

    def tokenize(self, text: str) -> tuple[Spans, NDArray[np.int64]]:
        """Spans, int64 (n, 2), and ids, int64 (n,), of the text's word pieces."""

    def token_states(self, windows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Last hidden states, float32 (b, w, d), of b windows of w word pieces, int64 (b, w).

        Special tokens and prefix are added, and their states left out.
        """


@runtime_checkable
class LateFiller(Protocol):
    """An embedder whose token vectors are made elsewhere and found in the cache on disk."""

    def fill_late(
        self, text: str, overlap: float, cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> None:
        """Have the token vectors of `text` put into the cache."""
