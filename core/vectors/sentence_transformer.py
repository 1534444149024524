# SPDX-License-Identifier: AGPL-3.0-or-later
"""Embedders that sentence-transformers loads: ordinary vectors and states of word pieces."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Spans, Vectors, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.errors import ModelError
from core.openmp import wait_asleep
from core.vectors.cache import Space, VectorCache, encode_through
from core.vectors.models import ModelEntry, folder_revision

LEAST_WINDOW = 16
# Texts between two looks at the cancel token. Sorted by length, so little is padding.
BATCH_TEXTS = 32
# Word pieces of a batch, padding included: as quick a piece as more, and a query that comes
# meanwhile waits no longer than that.
BATCH_PIECES = 512


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTransformerEmbedder:
    """One loaded model with the window in which it is used."""

    id: str
    dimension: int
    window: int
    limit: int  # the largest window that the model's positions allow
    has_token_vectors: bool
    revision: str
    query_prefix: str
    document_prefix: str
    special_tokens: int  # how many the tokenizer adds to a text
    cache: VectorCache
    _model: Any
    _tokenizer: Any  # a `tokenizers.Tokenizer` that neither cuts nor pads

    @property
    def text_window(self) -> int:
        """Word pieces of a text that fit beside special tokens and document prefix."""
        return self.window - self.special_tokens - len(self._prefix_ids())

    def encode(
        self, texts: Sequence[str], cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> Vectors:
        """Ordinary unit vectors, float32 (n, d): each text cut at the window."""
        return self._encode(texts, self.document_prefix, cancel, progress)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, float32 (n, d), with the model's query prefix."""
        return self._encode(texts, self.query_prefix, NEVER, silent)

    def pieces(self, text: str) -> Spans:
        """int64 (n, 2): spans of the text's word pieces, special tokens left out."""
        return self.tokenize(text)[0]

    def tokenize(self, text: str) -> tuple[Spans, NDArray[np.int64]]:
        """Spans, int64 (n, 2), and ids, int64 (n,), of the text's word pieces."""
        # `encode` would hold the interpreter for the whole text, and so the window.
        encoding = self._tokenizer.encode_batch([text], add_special_tokens=False)[0]
        return as_spans(encoding.offsets), np.array(encoding.ids, dtype=np.int64)

    def token_states(self, windows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Last hidden states, float32 (b, w, d), of b windows of w word pieces, int64 (b, w)."""
        import torch

        prefix = self._prefix_ids()
        full = self._tokenizer.encode("", add_special_tokens=True).ids
        # The template is begin + text + end; BERT's kind has one special token on each side.
        begin, end = full[: (len(full) + 1) // 2], full[(len(full) + 1) // 2 :]
        before = np.array([*begin, *prefix], np.int64)
        rows = np.concatenate(
            [
                np.broadcast_to(before, (len(windows), len(before))),
                windows,
                np.broadcast_to(np.array(end, np.int64), (len(windows), len(end))),
            ],
            axis=1,
        )
        ids = torch.from_numpy(np.ascontiguousarray(rows))
        features = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        with torch.inference_mode():
            states = self._model[0](features)["token_embeddings"]
        width = windows.shape[1]
        kept: NDArray[np.float32] = states[:, len(before) : len(before) + width].float().numpy()
        return kept

    def _prefix_ids(self) -> list[int]:
        ids: list[int] = self._tokenizer.encode(self.document_prefix, add_special_tokens=False).ids
        return ids

    def _encode(
        self, texts: Sequence[str], prefix: str, cancel: CancelToken, progress: Progress
    ) -> Vectors:
        space = Space(self.id, self.revision, self.window, prefix)

        def compute(missing: list[str], keep: Callable[[list[str], Vectors], None]) -> None:
            self._compute(missing, prefix, keep, cancel=cancel, progress=progress)

        return encode_through(self.cache, space, texts, compute, dimension=self.dimension)

    def _compute(
        self,
        texts: list[str],
        prefix: str,
        keep: Callable[[list[str], Vectors], None],
        *,
        cancel: CancelToken,
        progress: Progress,
    ) -> None:
        """Encode unique texts, the longest first, so that memory is claimed once."""
        self._model.max_seq_length = self.window
        lengths = [
            min(len(encoding.ids), self.window)
            for encoding in self._tokenizer.encode_batch_fast(texts, add_special_tokens=True)
        ]
        order = sorted(range(len(texts)), key=lambda index: -lengths[index])
        done, waiting = 0, list[str]()
        vectors: list[Vectors] = []
        while done < len(order):
            cancel.check()
            progress(done, len(order), "vectors")
            size = max(1, min(BATCH_TEXTS, BATCH_PIECES // max(1, lengths[order[done]])))
            batch = [texts[index] for index in order[done : done + size]]
            vectors.append(self._encode_batch([prefix + text for text in batch]))
            waiting += batch
            done += len(batch)
            if len(waiting) >= _KEEP_EVERY or done == len(order):
                keep(waiting, np.concatenate(vectors))
                waiting, vectors = [], []
        progress(done, len(order), "vectors")

    def _encode_batch(self, texts: list[str]) -> Vectors:
        # prompt="": the prefix is ours to put, and some models would put one of their own
        vectors = self._model.encode(
            texts,
            prompt="",
            batch_size=len(texts),
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, np.float32)


_KEEP_EVERY = 256  # texts: what a cancelled run has at most done in vain


def load_sentence_transformer(
    entry: ModelEntry, folder: Path, *, window: int | None, cache: VectorCache
) -> SentenceTransformerEmbedder:
    """Load the model in `folder`; nothing is fetched.

    Raises:
        ModelError: it cannot be loaded, or the window is not possible.
    """
    model, tokenizer = _load(folder)
    limit = _limit(model, entry)
    library_window = _library_window(folder, entry, limit)
    if window is not None and not LEAST_WINDOW <= window <= limit:
        raise ModelError(
            f"window is {window} word pieces, but must be at least {LEAST_WINDOW} and at most "
            f"{limit} for '{entry.id}': choose such a value or leave it at {library_window}"
        )
    prompts: dict[str, str] = dict(getattr(model, "prompts", None) or {})
    return SentenceTransformerEmbedder(
        id=entry.id,
        dimension=int(model.get_embedding_dimension()),
        window=library_window if window is None else window,
        limit=limit,
        has_token_vectors=_pools_by_mean(model),
        revision=folder_revision(folder),
        query_prefix=entry.query_prefix or prompts.get("query", ""),
        document_prefix=entry.document_prefix or prompts.get("document", ""),
        special_tokens=len(tokenizer.encode("", add_special_tokens=True).ids),
        cache=cache,
        _model=model,
        _tokenizer=tokenizer,
    )


@lru_cache(maxsize=2)
def _load(folder: Path) -> tuple[Any, Any]:
    """The model and its tokenizer, without truncation and padding."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # the caller sets thread counts
    wait_asleep()
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
    except Exception as error:  # the libraries raise many kinds for a folder that is not right
        raise ModelError(f"the model in '{folder}' cannot be loaded: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    model.eval()
    return model, tokenizer


def _limit(model: Any, entry: ModelEntry) -> int:
    """Word pieces that the model's positions allow."""
    config = getattr(getattr(model[0], "auto_model", model[0]), "config", None)
    positions = getattr(config, "max_position_embeddings", None)
    limits = [value for value in (positions, entry.limit) if value]
    return min(limits) if limits else 512


@lru_cache(maxsize=16)
def _library_window_of(folder: Path) -> int | None:
    model, _ = _load(folder)
    return getattr(model, "max_seq_length", None)


def _library_window(folder: Path, entry: ModelEntry, limit: int) -> int:
    """What the library would use; read once, before any window is set on the shared model."""
    found = _library_window_of(folder) or entry.window or limit
    return min(int(found), limit)


def _pools_by_mean(model: Any) -> bool:
    """True if a text's vector is the mean of its word pieces' states: then late pooling fits."""
    pooling = [module for module in model if type(module).__name__ == "Pooling"]
    others = {type(module).__name__ for module in model} - {"Transformer", "Pooling", "Normalize"}
    if len(pooling) != 1 or others:
        return False
    mode = getattr(pooling[0], "pooling_mode", None)
    return mode == "mean" or bool(getattr(pooling[0], "pooling_mode_mean_tokens", False))
