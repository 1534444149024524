# SPDX-License-Identifier: AGPL-3.0-or-later
"""Static models (model2vec): one vector a token, no context, about a hundred times as quick."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from core.arrays import Spans, Vectors, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.errors import ModelError
from core.vectors.cache import Space, VectorCache, encode_through
from core.vectors.models import ModelEntry, folder_revision

LIBRARY_WINDOW = 512  # tokens at which model2vec cuts unless it is told otherwise
NO_WINDOW = 0
LEAST_WINDOW = 16
BATCH_TEXTS = 1_024


@dataclass(frozen=True, slots=True, eq=False)
class StaticEmbedder:
    """One loaded static model. Late pooling has no meaning: its tokens know no context."""

    id: str
    dimension: int
    window: int | None
    revision: str
    query_prefix: str
    document_prefix: str
    cache: VectorCache
    _model: Any
    _tokenizer: Any  # a `tokenizers.Tokenizer` that neither cuts nor pads
    has_token_vectors: bool = False

    def encode(
        self, texts: Sequence[str], cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> Vectors:
        """Unit vectors, float32 (n, d), cut at the window; zero for a text without a token."""
        return self._encode(texts, self.document_prefix, cancel, progress)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, float32 (n, d), with the model's query prefix."""
        return self._encode(texts, self.query_prefix, NEVER, silent)

    def pieces(self, text: str) -> Spans:
        """int64 (n, 2): spans of the text's tokens, special tokens left out."""
        encoding = self._tokenizer.encode_batch([text], add_special_tokens=False)[0]
        return as_spans(encoding.offsets)

    def _encode(
        self, texts: Sequence[str], prefix: str, cancel: CancelToken, progress: Progress
    ) -> Vectors:
        def compute(missing: list[str], keep: Callable[[list[str], Vectors], None]) -> None:
            for low in range(0, len(missing), BATCH_TEXTS):
                cancel.check()
                progress(low, len(missing), "vectors")
                batch = missing[low : low + BATCH_TEXTS]
                keep(batch, self._encode_batch([prefix + text for text in batch]))
            progress(len(missing), len(missing), "vectors")

        space = Space(self.id, self.revision, self.window, prefix)
        return encode_through(self.cache, space, texts, compute, dimension=self.dimension)

    def _encode_batch(self, texts: list[str]) -> Vectors:
        vectors = self._model.encode(
            texts, max_length=self.window, normalize=True, use_multiprocessing=False
        )
        rows = np.asarray(vectors, np.float32)
        # stored as float16, a vector's length is 1 only to three digits
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.where(norms > 0, rows / np.maximum(norms, 1e-30), 0.0).astype(np.float32)


def load_static_model(
    entry: ModelEntry, folder: Path, *, window: int | None, cache: VectorCache
) -> StaticEmbedder:
    """Load the static model in `folder`; nothing is fetched.

    Args:
        entry: what the registry knows of it.
        folder: with `model.safetensors`, `tokenizer.json` and `config.json`.
        window: tokens that are read; None: 512, as the library; 0: all.
        cache: where vectors are kept.

    Raises:
        ModelError: it cannot be loaded, or the window is not possible.
    """
    if window is not None and window != NO_WINDOW and window < LEAST_WINDOW:
        raise ModelError(
            f"window is {window} tokens, but must be at least {LEAST_WINDOW}, "
            "or 0 for no limit: choose such a value"
        )
    model, tokenizer = _load(folder)
    return StaticEmbedder(
        id=entry.id,
        dimension=int(model.dim),
        window=(LIBRARY_WINDOW if window is None else window) or None,
        revision=folder_revision(folder),
        query_prefix=entry.query_prefix,
        document_prefix=entry.document_prefix,
        cache=cache,
        _model=model,
        _tokenizer=tokenizer,
    )


@lru_cache(maxsize=4)
def _load(folder: Path) -> tuple[Any, Any]:
    """The model and its tokenizer, without truncation and padding."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    try:
        model = StaticModel.from_pretrained(folder)
        tokenizer = Tokenizer.from_str(model.tokenizer.to_str())
    except Exception as error:  # the library raises many kinds for a folder that is not right
        raise ModelError(f"the model in '{folder}' cannot be loaded: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return model, tokenizer
