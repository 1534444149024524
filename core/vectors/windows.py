# SPDX-License-Identifier: AGPL-3.0-or-later
"""Vectors of the kind `windows`: what a model cannot read at once is read in parts.

A text longer than the model reads is cut at sentence ends into parts of at most the limit; its
vector is the mean of theirs, weighted by length, and normalised (`design/decisions.md` 33).
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.arrays import Indices, Spans, Vectors, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Document
from core.units.sentences import split_sentences
from core.vectors.embedder import Embedder, TokenEmbedder

SPLITTER = "punkt"


def readable_pieces(embedder: Embedder) -> int | None:
    """Word pieces of a text that the model reads, special tokens left out; None: no limit."""
    return embedder.text_window if isinstance(embedder, TokenEmbedder) else embedder.window


def window_vectors(
    texts: Sequence[str],
    embedder: Embedder,
    *,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> Vectors:
    """Unit vectors, float32 (n, d), of texts of any length; ordinary ones for those that fit."""
    limit = readable_pieces(embedder)
    if limit is None:
        return embedder.encode(texts, cancel, progress)
    parts: list[str] = []
    weights: list[int] = []
    pointers = [0]
    known: dict[str, tuple[list[str], list[int]]] = {}
    for text in texts:
        if text not in known:
            cancel.check()
            known[text] = _parts(text, embedder, limit)
        some, lengths = known[text]
        parts += some
        weights += lengths
        pointers.append(len(parts))
    vectors = embedder.encode(parts, cancel, progress)
    return weighted_means(vectors, np.array(weights, np.int64), np.array(pointers, np.int64))


def weighted_means(vectors: Vectors, weights: Indices, pointers: Indices) -> Vectors:
    """Unit vectors, float32 (n, d): weighted means of the rows `pointers[i]:pointers[i + 1]`.

    Args:
        vectors: float32 (m, d).
        weights: int64 (m,), at least 1.
        pointers: int64 (n + 1,), ascending strictly: each text has a row.
    """
    if len(pointers) == 1:
        return vectors
    if len(pointers) - 1 == len(vectors):
        return vectors
    sums = np.add.reduceat(vectors.astype(np.float64) * weights[:, None], pointers[:-1], axis=0)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    means = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
    return np.asarray(means, np.float32)


def _parts(text: str, embedder: Embedder, limit: int) -> tuple[list[str], list[int]]:
    """The parts of a text, and their word pieces (at least 1 for the mean)."""
    if len(text) <= limit:  # a word piece has at least one character
        return [text], [1]
    pieces = embedder.pieces(text)
    if len(pieces) <= limit:
        return [text], [1]
    sentences = split_sentences(Document(text), SPLITTER)
    edges = part_edges(pieces, sentences, limit)
    offsets = [0, *pieces[edges[1:-1], 0].tolist(), len(text)]
    return [text[a:b].strip() for a, b in pairwise(offsets)], np.diff(edges).tolist()


def part_edges(pieces: Spans, sentences: Spans, limit: int) -> Indices:
    """int64 (m + 1,): the first word piece of each part, and the number of pieces.

    A part ends with the last sentence that fits; a sentence longer than the limit is cut before
    its last word that begins in the limit, or anywhere if it is one word.

    Args:
        pieces: int64 (n, 2), spans of the word pieces.
        sentences: int64 (k, 2).
        limit: word pieces of a part, at least 1.
    """
    n = len(pieces)
    starts = as_spans(pieces)[:, 0]
    sentence_starts = np.unique(np.searchsorted(starts, sentences[:, 0], side="left"))
    gaps = np.flatnonzero(starts[1:] > pieces[:-1, 1]) + 1  # pieces that begin after a gap
    edges = [0]
    while n - edges[-1] > limit:
        low, high = edges[-1], edges[-1] + limit
        edges.append(
            _last_within(sentence_starts, low, high) or _last_within(gaps, low, high) or high
        )
    return np.array([*edges, n], np.int64)


def _last_within(candidates: Indices, low: int, high: int) -> int:
    """The last candidate in (low, high]; 0 if there is none."""
    index = int(np.searchsorted(candidates, high, side="right")) - 1
    return int(candidates[index]) if index >= 0 and candidates[index] > low else 0
