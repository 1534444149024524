# SPDX-License-Identifier: AGPL-3.0-or-later
"""The truncated tail: what of a text an embedder never reads (`spec/evaluation.md` 8)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Offsets, Spans, Values
from core.vectors.embedder import Embedder
from core.vectors.windows import readable_pieces


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """The tails of n texts.

    tokens: int64 (n,), tokens of each text, special tokens and prefix included.
    window: tokens that the model reads; None: all.
    cuts: int64 (n,), where the first character lies that is not read; −1: all is read.
    """

    tokens: Indices
    window: int | None
    cuts: Offsets

    @property
    def tail_tokens(self) -> Indices:
        """int64 (n,): tokens that are not read."""
        return np.maximum(0, self.tokens - (self.window or 1 << 62))

    @property
    def shares(self) -> Values:
        """float64 (n,): the share of each text's tokens that is not read."""
        return np.asarray(self.tail_tokens / np.maximum(self.tokens, 1))


def tails_of_texts(
    texts: Sequence[str], embedder: Embedder, *, header_lengths: Sequence[int]
) -> Tails:
    """Tails of exactly the texts that are sent to the model.

    Args:
        texts: header and text, as sent; the document prefix is added here.
        embedder: whose tokenizer counts; an estimate for an endpoint.
        header_lengths: characters of each text that stand before the chunk's own; cuts are
            offsets in the chunk's text.
    """
    room = readable_pieces(embedder)
    added = _added(embedder)
    tokens = np.zeros(len(texts), np.int64)
    cuts = np.full(len(texts), -1, np.int64)
    for index, (text, header) in enumerate(zip(texts, header_lengths, strict=True)):
        pieces = embedder.pieces(text)
        tokens[index] = len(pieces) + added
        if room is not None and len(pieces) > room:
            cuts[index] = max(0, int(pieces[room, 0]) - header)
    return Tails(tokens, embedder.window, cuts)


def tails_of_spans(spans: Spans, pieces: Spans, embedder: Embedder) -> Tails:
    """Tails of spans of a document, by its table of word pieces: quick enough for a drag.

    Args:
        spans: int64 (n, 2), one a chunk.
        pieces: int64 (m, 2), the word pieces of the whole document, as `embedder.pieces` gives.
        embedder: whose window is asked.

    Returns:
        As `tails_of_texts`, with cuts in offsets of the document. Equal to it where spans begin
        and end between words.
    """
    starts = pieces[:, 0]
    low, high = np.searchsorted(starts, spans, side="left").T
    counts = np.maximum(high - low, 0)
    cuts = np.full(len(spans), -1, np.int64)
    room = readable_pieces(embedder)
    if room is not None:
        long = np.flatnonzero(counts > room)
        cuts[long] = starts[low[long] + room]
    return Tails(counts + _added(embedder), embedder.window, cuts)


def _added(embedder: Embedder) -> int:
    """Tokens that the model adds to a text: special ones and its prefix."""
    room = readable_pieces(embedder)
    return 0 if room is None or embedder.window is None else embedder.window - room
