# SPDX-License-Identifier: AGPL-3.0-or-later
"""An embedder whose model lives in the engine process; here are its facts and its tokenizer.

Token vectors are not sent: the engine writes them into the cache on disk, and both processes map
the same file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.arrays import Spans, Vectors
from core.cancel import NEVER, CancelToken, Progress, silent
from core.vectors.cache import VectorCache, shared_cache
from core.vectors.embedder import Embedder, TokenEmbedder
from core.vectors.late import late_vectors
from core.vectors.models import load_embedder


class Caller(Protocol):
    """Runs a function of a module in another process (`core/engine_process.py`)."""

    def call(
        self,
        function: Any,
        *arguments: Any,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Any:
        """Its value; it is given `cancel` and `progress` by name."""

    def call_urgent(self, function: Any, *arguments: Any, cancel: CancelToken = NEVER) -> Any:
        """The same between the steps of long work."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model once it is loaded."""

    id: str
    dimension: int
    window: int | None
    has_token_vectors: bool
    revision: str
    text_window: int


@dataclass(frozen=True, slots=True, eq=False)
class RemoteEmbedder:
    """The model called `name`, used through `engine`."""

    name: str
    size: int | None  # the window that was asked for; None: the library's
    facts: ModelFacts
    engine: Caller
    cache: VectorCache

    @property
    def id(self) -> str:
        """Full name of the model."""
        return self.facts.id

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return self.facts.dimension

    @property
    def window(self) -> int | None:
        """Word pieces that the model reads, special tokens included; None: no limit."""
        return self.facts.window

    @property
    def has_token_vectors(self) -> bool:
        """True if late pooling has a meaning."""
        return self.facts.has_token_vectors

    @property
    def revision(self) -> str:
        """What tells two versions of the model apart."""
        return self.facts.revision

    @property
    def text_window(self) -> int:
        """Word pieces of a text that fit beside special tokens and prefix."""
        return self.facts.text_window

    def encode(
        self, texts: Sequence[str], cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> Vectors:
        """Ordinary unit vectors, float32 (n, d)."""
        vectors: Vectors = self.engine.call(
            encode_texts, self.name, self.size, list(texts), cancel=cancel, progress=progress
        )
        return vectors

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, float32 (n, d), between the steps of long work."""
        vectors: Vectors = self.engine.call_urgent(
            encode_queries, self.name, self.size, list(texts)
        )
        return vectors

    def pieces(self, text: str) -> Spans:
        """int64 (n, 2): spans of the text's word pieces."""
        return self.tokenize(text)[0]

    def tokenize(self, text: str) -> tuple[Spans, NDArray[np.int64]]:
        """Spans, int64 (n, 2), and ids, int64 (n,), of the text's word pieces."""
        found: tuple[Spans, NDArray[np.int64]] = self.engine.call(
            tokenize_text, self.name, self.size, text
        )
        return found

    def token_states(self, windows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Last hidden states, float32 (b, w, d), of windows of word pieces, int64 (b, w)."""
        states: NDArray[np.float32] = self.engine.call(token_states, self.name, self.size, windows)
        return states

    def fill_late(
        self, text: str, overlap: float, cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> None:
        """Let the engine put the token vectors of `text` into the cache on disk."""
        self.engine.call(
            fill_late, self.name, self.size, text, overlap, cancel=cancel, progress=progress
        )


def remote_embedder(
    name: str,
    engine: Caller,
    *,
    window: int | None = None,
    cancel: CancelToken = NEVER,
    cache: VectorCache | None = None,
) -> RemoteEmbedder:
    """Load the model called `name` in the engine.

    Raises:
        ModelError: it is not on this machine.
    """
    facts: ModelFacts = engine.call(model_facts, name, window, cancel=cancel)
    return RemoteEmbedder(name, window, facts, engine, shared_cache() if cache is None else cache)


# What the engine runs.


def model_facts(
    name: str, window: int | None, *, cancel: CancelToken, progress: Progress
) -> ModelFacts:
    """Load a model and tell what it is."""
    cancel.check()
    del progress
    model = load_embedder(name, window=window)
    is_token_model = isinstance(model, TokenEmbedder)
    return ModelFacts(
        model.id,
        model.dimension,
        model.window,
        model.has_token_vectors,
        model.revision if isinstance(model, TokenEmbedder) else "",
        model.text_window if is_token_model and isinstance(model, TokenEmbedder) else 0,
    )


def encode_texts(
    name: str, window: int | None, texts: list[str], *, cancel: CancelToken, progress: Progress
) -> Vectors:
    """Ordinary vectors of texts, float32 (n, d)."""
    return load_embedder(name, window=window).encode(texts, cancel, progress)


def encode_queries(
    name: str, window: int | None, texts: list[str], *, cancel: CancelToken, progress: Progress
) -> Vectors:
    """Vectors of queries, float32 (n, d)."""
    del cancel, progress
    return load_embedder(name, window=window).encode_queries(texts)


def tokenize_text(
    name: str, window: int | None, text: str, *, cancel: CancelToken, progress: Progress
) -> tuple[Spans, NDArray[np.int64]]:
    """Spans and ids of a text's word pieces; the ids are empty for a model without tokens."""
    del cancel, progress
    model: Embedder = load_embedder(name, window=window)
    if isinstance(model, TokenEmbedder):
        return model.tokenize(text)
    return model.pieces(text), np.empty(0, np.int64)


def token_states(
    name: str,
    window: int | None,
    windows: NDArray[np.int64],
    *,
    cancel: CancelToken,
    progress: Progress,
) -> NDArray[np.float32]:
    """Last hidden states of windows of word pieces."""
    del cancel, progress
    model = load_embedder(name, window=window)
    assert isinstance(model, TokenEmbedder), "only asked of models with token vectors"
    return model.token_states(windows)


def fill_late(
    name: str,
    window: int | None,
    text: str,
    overlap: float,
    *,
    cancel: CancelToken,
    progress: Progress,
) -> None:
    """Make the token vectors of a text, which puts them into the cache on disk."""
    model = load_embedder(name, window=window)
    late_vectors(text, model, overlap=overlap, cancel=cancel, progress=progress)
