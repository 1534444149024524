# SPDX-License-Identifier: AGPL-3.0-or-later
"""The toy embedder: signed hashing of words, for tests (`spec/metrics.md` 3.1)."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.arrays import Spans, Vectors, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent

WORD = re.compile(r"[^\W_]+")
DIMENSION = 64


@dataclass(frozen=True, slots=True)
class ToyEmbedder:
    """Deterministic vectors without a model, a limit, a prefix or late pooling."""

    id: str = "toy"
    dimension: int = DIMENSION
    window: int | None = None
    has_token_vectors: bool = False

    def encode(
        self, texts: Sequence[str], cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> Vectors:
        """Vectors, float32 (n, 64), of `texts`."""
        cancel.check()
        return self.encode_exactly(texts).astype(np.float32)

    def encode_exactly(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The same, float64 (n, 64): the definition and the expected scores are in this type."""
        if not texts:
            return np.zeros((0, DIMENSION))
        return np.stack([_vector(text) for text in texts])

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries: there is no prefix, so they are those of texts."""
        return self.encode(texts)

    def pieces(self, text: str) -> Spans:
        """int64 (n, 2): spans of the words."""
        return as_spans([match.span() for match in WORD.finditer(text)])


@lru_cache(maxsize=100_000)
def _component(word: str) -> tuple[int, float]:
    hashed = zlib.crc32(word.encode("utf-8"))
    return hashed % DIMENSION, -1.0 if (hashed >> 6) & 1 else 1.0


def _vector(text: str) -> NDArray[np.float64]:
    vector = np.zeros(DIMENSION)
    for word in WORD.findall(text.lower()):
        index, sign = _component(word)
        vector[index] += sign
    norm = np.sqrt(vector @ vector)
    return vector / norm if norm else vector
