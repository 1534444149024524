# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where ICC and DCC get their vectors: exact ones, late ones, or those that suit the text.

A cosine never has an exact vector on one side and a pooled one on the other. So what is asked
for is a group: a chunk with its parts, or a window with its chunks; the group's longest text
decides for all (`spec/metrics.md` 3.4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Offsets, Spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.vectors.embedder import Embedder
from core.vectors.late import BLOCK, TokenVectors

Policy = Literal["exact", "late", "auto"]
State = Literal["exact", "late", "pooled"]
SPECIAL_TOKENS = 2  # of a BERT-like model: at the start and at the end
DOUBTFUL_PIECES = 16  # a count from the document's table may be off by the words that are cut
AUTO_TEXTS = 1_000  # texts that `auto` still encodes: about a minute of all-MiniLM-L6-v2
Number = TypeVar("Number", bound=np.number[Any])
SpanSums = Callable[[Spans], tuple[NDArray[np.float64], Indices]]
VectorRows = NDArray[np.floating]  # (n, d), unit or zero


def one_kind(embedder: Embedder | None) -> Policy:
    """The policy by which chunkings are compared: late vectors, if the model gives any.

    Exact vectors would be mixed with pooled ones of chunks that are longer than the model reads,
    and pooled values are higher: long chunks would win. A model without token vectors has but
    one kind.
    """
    return "late" if embedder is not None and embedder.has_token_vectors else "exact"


class Passages(Protocol):
    """n texts of the document: chunks, parts or windows."""

    def __len__(self) -> int: ...

    def take(self, chosen: Mask) -> "Passages":
        """Only the chosen ones, bool (n,)."""

    def texts(self, text: str) -> list[str]:
        """Each as a string."""

    def sums(self, span_sums: SpanSums) -> tuple[NDArray[np.float64], Indices]:
        """Sums of their token vectors, float64 (n, d), and numbers of tokens, int64 (n,)."""

    def pieces(self, piece_counts: Callable[[Spans], Indices]) -> Indices:
        """int64 (n,): word pieces of each."""


@dataclass(frozen=True, slots=True, eq=False)
class SpanPassages:
    """Passages of one span each, int64 (n, 2); or of several, with `pointers`, int64 (n + 1,)."""

    spans: Spans
    pointers: Indices | None = None

    def __len__(self) -> int:
        return len(self.spans) if self.pointers is None else len(self.pointers) - 1

    def take(self, chosen: Mask) -> "SpanPassages":
        """Only the chosen ones, bool (n,)."""
        return self.at(np.flatnonzero(chosen))

    def at(self, order: Indices) -> "SpanPassages":
        """Those at `order`, int64 (k,)."""
        if self.pointers is None:
            return SpanPassages(self.spans[order])
        sizes = np.diff(self.pointers)[order]
        ends = np.cumsum(sizes)
        rows = np.arange(int(sizes.sum())) - np.repeat(ends - sizes, sizes)
        rows += np.repeat(self.pointers[:-1][order], sizes)
        return SpanPassages(self.spans[rows], np.concatenate(([0], ends)))

    def texts(self, text: str) -> list[str]:
        """Each as a string; several spans are joined by a space, as a chunk's are."""
        slices = [text[a:b] for a, b in self.spans.tolist()]
        if self.pointers is None:
            return slices
        edges = self.pointers.tolist()
        return [" ".join(slices[a:b]) for a, b in pairwise(edges)]

    def sums(self, span_sums: SpanSums) -> tuple[NDArray[np.float64], Indices]:
        """Sums of their token vectors, float64 (n, d), and numbers of tokens, int64 (n,)."""
        sums, tokens = span_sums(self.spans)
        if self.pointers is None:
            return sums, tokens
        return self._grouped(sums), self._grouped(tokens)

    def pieces(self, piece_counts: Callable[[Spans], Indices]) -> Indices:
        """int64 (n,): word pieces of each."""
        counts = piece_counts(self.spans)
        return counts if self.pointers is None else self._grouped(counts)

    def _grouped(self, rows: NDArray[Number]) -> NDArray[Number]:
        assert self.pointers is not None
        groups = np.zeros((len(self), *rows.shape[1:]), rows.dtype)
        np.add.at(groups, np.repeat(np.arange(len(self)), np.diff(self.pointers)), rows)
        return groups


@runtime_checkable
class PreciseEmbedder(Protocol):
    """An embedder whose vectors are defined in float64, as the toy's are."""

    def encode_exactly(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Vectors, float64 (n, d)."""


@dataclass(frozen=True, eq=False)
class VectorSupply:
    """Vectors of passages of one text.

    policy: `exact`: as a user's own pipeline would store them, pooled where a text is longer
    than the model reads. `late`: all pooled, at once. `auto`: exact as long as there are few.
    truncates: True in reference mode: long texts are encoded as far as the model reads.
    estimates: True if `late` gives those of `sentence_estimate`: never final, whatever the length.
    late: makes the token vectors of the text when they are first needed; None: there are none.
    """

    text: str
    embedder: Embedder
    policy: Policy = "auto"
    late: Callable[[], TokenVectors] | None = None
    truncates: bool = False
    cancel: CancelToken = NEVER
    progress: Progress = silent
    estimates: bool = False

    @property
    def can_pool(self) -> bool:
        """True if spans of the text have late vectors, or estimates in their place."""
        return self.late is not None and (self.embedder.has_token_vectors or self.estimates)

    @cached_property
    def tokens(self) -> TokenVectors:
        """The token vectors, made on first use."""
        assert self.late is not None
        return self.late()

    @cached_property
    def _piece_starts(self) -> Offsets:
        """Where word pieces begin, in one row: a search in a column would copy it first."""
        known = "tokens" in self.__dict__
        pieces = self.tokens.pieces if known else self.embedder.pieces(self.text)
        return np.ascontiguousarray(pieces[:, 0])

    def are_long(self, passages: Passages) -> Mask:
        """Mask, bool (n,): passages that the model cannot read whole."""
        if self.embedder.window is None or not len(passages):
            return np.zeros(len(passages), np.bool_)
        room = self.embedder.window - SPECIAL_TOKENS
        counts = passages.pieces(self._piece_counts)
        long = counts > room
        doubtful = np.abs(counts - room) <= DOUBTFUL_PIECES
        if self.policy != "late" and doubtful.any():
            texts = passages.take(doubtful).texts(self.text)
            long[doubtful] = [len(self.embedder.pieces(text)) > room for text in texts]
        return long

    def encode(self, texts: Sequence[str]) -> VectorRows:
        """Vectors of the texts themselves, each unique one encoded once, in one call."""
        unique = dict.fromkeys(texts)
        if not unique:
            return np.zeros((0, self.embedder.dimension))
        if isinstance(self.embedder, PreciseEmbedder):
            vectors: VectorRows = self.embedder.encode_exactly(list(unique))
        else:
            vectors = self.embedder.encode(list(unique), self.cancel, self.progress)
        if len(unique) == len(texts):
            return vectors
        rows = {text: row for row, text in enumerate(unique)}
        return vectors[[rows[text] for text in texts]]

    def pool(self, passages: Passages) -> VectorRows:
        """float64 (n, d): pooled vectors of the passages; zero for one without a token."""
        if not self.can_pool:
            return self._pool_pieces(passages.texts(self.text))
        sums, _ = passages.sums(self._span_sums)
        norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        norms[norms == 0] = 1.0
        sums /= norms[:, None]
        return sums

    def _piece_counts(self, spans: Spans) -> Indices:
        low, high = self._piece_ranges(spans)
        return high - low

    def _piece_ranges(self, spans: Spans) -> tuple[Indices, Indices]:
        low = np.searchsorted(self._piece_starts, spans[:, 0], side="left")
        high = np.searchsorted(self._piece_starts, spans[:, 1], side="left")
        return low, np.maximum(low, high)

    def _span_sums(self, spans: Spans) -> tuple[NDArray[np.float64], Indices]:
        tokens = self.tokens
        low, high = self._piece_ranges(spans)
        return token_sums(tokens, low, high), high - low

    def _pool_pieces(self, texts: list[str]) -> VectorRows:
        """Length-weighted means over pieces that the model reads whole, cut at sentence ends."""
        pieces = [self._readable(text) for text in texts]
        flat = [piece for each in pieces for piece in each]
        vectors = self.encode(flat).astype(np.float64)
        weights = np.array([max(1, len(self.embedder.pieces(piece))) for piece in flat], np.float64)
        means = np.zeros((len(texts), self.embedder.dimension))
        owners = np.repeat(np.arange(len(texts)), [len(each) for each in pieces])
        np.add.at(means, owners, vectors * weights[:, None])
        norms = np.linalg.norm(means, axis=1, keepdims=True)
        return np.asarray(means / np.where(norms == 0, 1.0, norms))

    def _readable(self, text: str) -> list[str]:
        """The text in pieces of at most the model's window, cut after a sentence if one ends."""
        room = (self.embedder.window or 0) - SPECIAL_TOKENS
        spans = self.embedder.pieces(text)
        if self.embedder.window is None or len(spans) <= room:
            return [text]
        cuts, begin = [0], 0
        while len(spans) - begin > room:
            latest = int(spans[begin + room, 0])
            stop = _last_sentence_end(text, cuts[-1], latest) or latest
            cuts.append(stop)
            begin = int(np.searchsorted(spans[:, 0], stop, side="left"))
        return [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def token_sums(tokens: TokenVectors, low: Indices, high: Indices) -> NDArray[np.float64]:
    """Sums, float64 (m, d), of the vectors of the word pieces `low` to `high`, int64 (m,).

    In float64, so that the sum over neighbouring spans is the sum over their union to 1e-12.
    """
    sums = tokens.prefix[high].astype(np.float64)
    sums -= tokens.prefix[low]
    crossing = np.flatnonzero(low // BLOCK != high // BLOCK)
    if len(crossing):
        sums[crossing] += (
            tokens.offsets[high[crossing] // BLOCK] - tokens.offsets[low[crossing] // BLOCK]
        )
    return sums


def _last_sentence_end(text: str, start: int, latest: int) -> int | None:
    """The end of the last sentence in text[start:latest] as its marks and spaces show it."""
    for place in range(latest, start, -1):
        if text[place - 1].isspace() and text[start:place].rstrip()[-1:] in ".!?。！？":
            return place
    return None
