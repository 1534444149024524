# SPDX-License-Identifier: AGPL-3.0-or-later
"""An embedder whose model lives in the engine process; here are its facts and its tokenizer.

Token vectors are not sent: the engine writes them into the cache on disk, and both processes map
the same file.
"""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.arrays import Spans, Vectors, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.vectors.cache import (
    Space,
    VectorCache,
    cache_folder,
    encode_through,
    shared_cache,
)
from core.vectors.embedder import Embedder, TokenEmbedder
from core.vectors.late import late_vectors
from core.vectors.models import find_model, folder_revision, load_embedder, model_folder

SHIPPED_FACTS = Path(__file__).resolve().parents[2] / "resources" / "models.json"
_FACTS = "models.json"


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

    def call_apart(
        self,
        function: Any,
        *arguments: Any,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Any:
        """The same beside other calls, for what uses neither models nor indexes."""

    def call_urgent(self, function: Any, *arguments: Any, cancel: CancelToken = NEVER) -> Any:
        """The same between the steps of long work."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model once it was loaded; kept, so that it need not be loaded again."""

    id: str
    dimension: int
    window: int | None
    has_token_vectors: bool
    revision: str
    text_window: int
    query_prefix: str = ""
    document_prefix: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RemoteEmbedder:
    """The model called `name`, used through `engine`; what is in the cache needs no model."""

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

        def ask(missing: list[str]) -> Vectors:
            vectors: Vectors = self.engine.call(
                encode_texts, self.name, self.size, missing, cancel=cancel, progress=progress
            )
            return vectors

        return self._through_cache(texts, self.facts.document_prefix, ask)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, float32 (n, d), between the steps of long work."""

        def ask(missing: list[str]) -> Vectors:
            vectors: Vectors = self.engine.call_urgent(
                encode_queries, self.name, self.size, missing
            )
            return vectors

        return self._through_cache(texts, self.facts.query_prefix, ask)

    def _through_cache(
        self, texts: Sequence[str], prefix: str, ask: Callable[[list[str]], Vectors]
    ) -> Vectors:
        if not self.revision:  # a model whose vectors are not kept
            return ask(list(texts))

        def compute(missing: list[str], keep: Callable[[list[str], Vectors], None]) -> None:
            keep(missing, ask(missing))

        space = Space(self.id, self.revision, self.window, prefix)
        return encode_through(self.cache, space, texts, compute, dimension=self.dimension)

    def pieces(self, text: str) -> Spans:
        """int64 (n, 2): spans of the text's word pieces."""
        return self.tokenize(text)[0]

    def tokenize(self, text: str) -> tuple[Spans, NDArray[np.int64]]:
        """Spans, int64 (n, 2), and ids, int64 (n,), of the text's word pieces."""
        tokenizer = _tokenizer_in(self.facts.folder) if self.facts.folder else None
        if tokenizer is not None:
            # `encode` would hold the interpreter for the whole text, and so the window.
            encoding = tokenizer.encode_batch([text], add_special_tokens=False)[0]
            return as_spans(encoding.offsets), np.array(encoding.ids, dtype=np.int64)
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
    """The model called `name`; it is loaded in the engine only if nothing is known of it yet.

    Raises:
        ModelError: it is not on this machine.
    """
    entry = find_model(name)
    folder = model_folder(entry)
    key = f"{entry.id} {window} {folder_revision(folder) if folder is not None else ''}"
    facts = known_facts(key)
    if facts is None:
        facts = engine.call(model_facts, name, window, cancel=cancel)
        keep_facts(key, facts)
    if folder is not None:
        facts = replace(facts, folder=str(folder))
    return RemoteEmbedder(name, window, facts, engine, shared_cache() if cache is None else cache)


def known_facts(key: str) -> ModelFacts | None:
    """Facts of a model that was loaded before, here or when the packaged one was added."""
    for path in (cache_folder() / _FACTS, SHIPPED_FACTS):
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            if key in kept:
                return ModelFacts(**kept[key])
        except (OSError, ValueError, TypeError):
            continue  # absent or damaged: the model is loaded, and they are written again
    return None


def keep_facts(key: str, facts: ModelFacts) -> None:
    """Keep facts for the next start; a disk that is full or read-only does no harm."""
    path = cache_folder() / _FACTS
    with contextlib.suppress(OSError):
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            kept = {}
        kept[key] = asdict(replace(facts, folder=""))
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        fresh.replace(path)


@lru_cache(maxsize=2)
def _tokenizer_in(folder: str) -> Any:
    """The tokenizer of a model folder, without truncation and padding; None without a file."""
    path = Path(folder) / "tokenizer.json"
    if not path.is_file():
        return None
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


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
        model.text_window if isinstance(model, TokenEmbedder) else 0,
        getattr(model, "query_prefix", "") if is_token_model else "",
        getattr(model, "document_prefix", "") if is_token_model else "",
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
    """Spans, int64 (n, 2), and ids, int64 (n,), of a text's word pieces.

    The ids are empty for a model without tokens.
    """
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
    """Last hidden states, float32 (b, w, d), of windows of word pieces, int64 (b, w)."""
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
