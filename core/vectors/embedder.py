# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the core asks of an embedding model."""

from collections.abc import Sequence
from typing import Literal, Protocol

from core.arrays import Spans, Vectors
from core.cancel import NEVER, CancelToken, Progress, silent

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
