# SPDX-License-Identifier: AGPL-3.0-or-later
"""Late pooling: one pass over a document gives the vector of any span by one subtraction.

The idea is late chunking as published by Jina (Günther et al. 2024, arXiv:2409.04701); windows,
weights and prefix sums are those of `spec/strategies.md` 8.2.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Spans, Values, Vectors
from core.cancel import NEVER, CancelToken, Progress, silent
from core.errors import ModelError, ParameterError
from core.vectors.embedder import Embedder, LateFiller, TokenEmbedder

BLOCK = 4_096  # word pieces whose prefix sums share one float64 offset
DEFAULT_OVERLAP = 0.5  # measured: better than 0.25, and more costs more than it gives
LEAST_WINDOW, GREATEST_WINDOW = 16, 32_768
GREATEST_OVERLAP = 0.75
# Of a forward pass: as quick a piece as more, and what is urgent waits no longer than that.
BATCH_PIECES = 512
MEMORY_BYTES = 64 << 20  # prefix sums above this are a file that is mapped, if not cached anyway
_SPANS_AT_ONCE = 512  # what is written stays in the processor's caches
_PREFIX, _OFFSETS, _PIECES = "prefix.npy", "offsets.npy", "pieces.npy"


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """Prefix sums of the vectors of a text's n word pieces.

    pieces: int64 (n, 2), spans of the word pieces, by ascending start.
    prefix: float32 (n + 1, d), sum of the vectors from the start of the block to each piece.
    offsets: float64 (n // BLOCK + 1, d), sum of all vectors before each block of 4,096 pieces.

    A piece belongs to the span that holds its first character.
    """

    pieces: Spans
    prefix: NDArray[np.float32]
    offsets: NDArray[np.float64]
    window: int  # word pieces of a window
    overlap: float  # share of a window that the next one repeats

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return int(self.prefix.shape[1])

    def piece_ranges(self, spans: Spans) -> NDArray[np.int64]:
        """int64 (m, 2): the pieces [i, j) of each span, int64 (m, 2)."""
        ranges: NDArray[np.int64] = np.searchsorted(self.pieces[:, 0], spans, side="left")
        return ranges

    def span_vectors(self, spans: Spans, pointers: Indices | None = None) -> Vectors:
        """Unit vectors, float32 (n, d), of n chunks; zero where a chunk has no piece.

        Args:
            spans: int64 (m, 2), in code points.
            pointers: int64 (n + 1,): chunk i has the spans `pointers[i]:pointers[i + 1]`, as in
                `Chunks`. None: each span is a chunk.
        """
        ranges = self.piece_ranges(spans)
        sums = np.empty((len(spans), self.dimension), np.float32)
        for first in range(0, len(spans), _SPANS_AT_ONCE):
            part = slice(first, first + _SPANS_AT_ONCE)
            self._sum_into(sums[part], ranges[part, 0], ranges[part, 1])
        if pointers is not None:
            sums = _add_groups(sums, pointers)
        for first in range(0, len(sums), _SPANS_AT_ONCE):
            _normalise(sums[first : first + _SPANS_AT_ONCE])
        return sums

    def has_token(self, spans: Spans, pointers: Indices | None = None) -> Mask:
        """Whether each of n chunks has a piece, and so a vector: bool (n,)."""
        ranges = self.piece_ranges(spans)
        counts = np.maximum(ranges[:, 1] - ranges[:, 0], 0)
        if pointers is not None:
            totals = np.concatenate([[0], np.cumsum(counts)])
            counts = totals[pointers[1:]] - totals[pointers[:-1]]
        mask: Mask = counts > 0
        return mask

    def _sum_into(self, sums: Vectors, low: Indices, high: Indices) -> None:
        """Write the sums of the vectors of the pieces [low, high), float32 (m, d)."""
        np.take(self.prefix, high, axis=0, out=sums, mode="clip")
        sums -= self.prefix[low]
        low_block, high_block = low // BLOCK, high // BLOCK
        crossing = np.flatnonzero(low_block != high_block)
        if len(crossing):
            steps = self.offsets[high_block[crossing]] - self.offsets[low_block[crossing]]
            sums[crossing] += steps.astype(np.float32)
        sums[high <= low] = 0.0


def late_vectors(
    text: str,
    embedder: Embedder,
    *,
    window: int | None = None,
    overlap: float = DEFAULT_OVERLAP,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> TokenVectors:
    """Run `embedder` over overlapping windows of `text` and keep prefix sums of its states.

    Args:
        text: the whole document.
        embedder: a model with mean pooling.
        window: word pieces of a window, special tokens left out; None: what the model reads.
        overlap: share of a window that the next one repeats, 0 to 0.75.
        cancel: asked before each batch of windows.
        progress: told before each batch of windows.

    Raises:
        ModelError: the model gives no token vectors.
        ParameterError: the window or the overlap is out of range.
    """
    if not embedder.has_token_vectors or not isinstance(embedder, TokenEmbedder):
        raise ModelError(
            f"late pooling has no meaning for '{embedder.id}', which does not pool by the mean of "
            "token vectors: use ordinary vectors or windows, or choose a model such as minilm"
        )
    width = embedder.text_window if window is None else window
    _check_range("window", width, LEAST_WINDOW, min(GREATEST_WINDOW, embedder.text_window))
    _check_range("window_overlap", overlap, 0, GREATEST_OVERLAP)
    pieces, ids = embedder.tokenize(text)

    def make(folder: Path) -> None:
        prefix = np.lib.format.open_memmap(
            folder / _PREFIX, "w+", np.float32, (len(ids) + 1, embedder.dimension)
        )
        offsets = _fill(prefix, ids, embedder, width, overlap, cancel=cancel, progress=progress)
        prefix.flush()
        np.save(folder / _OFFSETS, offsets)
        np.save(folder / _PIECES, pieces)

    def is_valid(folder: Path) -> bool:
        return _read(folder, pieces, embedder.dimension) is not None

    key = _key(text, embedder, width, overlap)
    filler = embedder if isinstance(embedder, LateFiller) and window is None else None
    if filler is not None and embedder.cache.find_arrays(key, is_valid) is None:
        filler.fill_late(text, overlap, cancel, progress)
    folder = embedder.cache.arrays(key, make, is_valid)
    stored = None if folder is None else _read(folder, pieces, embedder.dimension)
    if stored is None:
        prefix = _scratch(len(ids) + 1, embedder.dimension)
        offsets = _fill(prefix, ids, embedder, width, overlap, cancel=cancel, progress=progress)
        stored = prefix, offsets
    return TokenVectors(pieces, *stored, window=width, overlap=overlap)


def window_starts(n: int, width: int, overlap: float) -> Indices:
    """int64 (w,): first piece of each window over `n` pieces.

    The last window is moved back so that it is full, where there are pieces enough.
    """
    if n <= width:
        return np.zeros(min(n, 1), np.int64)
    stride = max(1, int(width * (1 - overlap)))
    starts = np.arange(0, n - width + stride, stride, dtype=np.int64)
    starts[-1] = n - width
    return starts


def window_weights(width: int) -> Values:
    """float64 (width,): weight of each position, falling towards the window's edges."""
    position = np.arange(width)
    return np.minimum(position + 1, width - position).astype(np.float64)


def _fill(
    prefix: NDArray[np.float32],
    ids: NDArray[np.int64],
    embedder: TokenEmbedder,
    width: int,
    overlap: float,
    *,
    cancel: CancelToken,
    progress: Progress,
) -> NDArray[np.float64]:
    """Write the prefix sums of all pieces; return the offsets of the blocks."""
    sums = _PrefixSums(prefix)
    for vectors in _token_vectors(ids, embedder, width, overlap, cancel=cancel, progress=progress):
        sums.add(vectors)
    return sums.offsets


def _token_vectors(
    ids: NDArray[np.int64],
    embedder: TokenEmbedder,
    width: int,
    overlap: float,
    *,
    cancel: CancelToken,
    progress: Progress,
) -> Iterator[NDArray[np.float32]]:
    """Runs of final token vectors, float32 (k, d), in order: weighted means over the windows."""
    starts = window_starts(len(ids), width, overlap)
    size = min(width, len(ids))
    weights = window_weights(size).astype(np.float32)
    batch = max(1, BATCH_PIECES // max(1, size))
    # what later windows may still add to begins at `done`; a window is at most `size` ahead
    open_sums = np.zeros((size, embedder.dimension), np.float32)
    open_weights = np.zeros(size, np.float32)
    done = 0
    for low in range(0, len(starts), batch):
        cancel.check()
        progress(low, len(starts), "windows")
        some = starts[low : low + batch]
        states = embedder.token_states(ids[some[:, None] + np.arange(size)])
        for index, start in enumerate(some.tolist()):
            if start > done:  # no later window begins before this one
                ready = start - done
                yield open_sums[:ready] / open_weights[:ready, None]
                open_sums = _shifted(open_sums, ready)
                open_weights = _shifted(open_weights, ready)
                done = start
            open_sums += states[index] * weights[:, None]
            open_weights += weights
    if len(starts):
        yield open_sums / open_weights[:, None]
    progress(len(starts), len(starts), "windows")


def _shifted(array: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    moved = np.zeros_like(array)
    if count < len(array):
        moved[: len(array) - count] = array[count:]
    return moved


class _PrefixSums:
    """Writes prefix sums into an array, a run of vectors at a time."""

    def __init__(self, prefix: NDArray[np.float32]) -> None:
        dimension = prefix.shape[1]
        self._prefix = prefix
        self._done = 0
        self._sum = np.zeros(dimension)  # float64: since the start of the block
        self.offsets = np.zeros(((len(prefix) - 1) // BLOCK + 1, dimension))
        prefix[0] = 0.0

    def add(self, vectors: NDArray[np.float32]) -> None:
        """Append vectors, float32 (k, d)."""
        while len(vectors):
            block = self._done // BLOCK
            room = (block + 1) * BLOCK - self._done
            part, vectors = vectors[:room], vectors[room:]
            sums = self._sum + np.cumsum(part, axis=0, dtype=np.float64)
            self._prefix[self._done + 1 : self._done + 1 + len(part)] = sums
            self._done += len(part)
            self._sum = sums[-1]
            if self._done % BLOCK == 0:
                self.offsets[block + 1] = self.offsets[block] + self._sum
                self._prefix[self._done] = 0.0
                self._sum = np.zeros_like(self._sum)


def _normalise(sums: Vectors) -> None:
    """Give rows length 1 in place. A mean and a sum have one direction, so no count is needed."""
    norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    norms[norms == 0] = 1.0
    sums /= norms[:, None]


def prefix_sums(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Prefix sums, float32 (n + 1, d), and block offsets of token vectors, float32 (n, d)."""
    prefix = np.empty((len(vectors) + 1, vectors.shape[1]), np.float32)
    sums = _PrefixSums(prefix)
    sums.add(vectors)
    return prefix, sums.offsets


def _add_groups(sums: Vectors, pointers: Indices) -> Vectors:
    """float32 (n, d): the sum of the rows `pointers[i]:pointers[i + 1]`; zero for no row."""
    filled = np.flatnonzero(np.diff(pointers) > 0)
    if len(filled) == len(pointers) - 1 == len(sums):  # one row each
        return sums
    groups = np.zeros((len(pointers) - 1, sums.shape[1]), np.float32)
    if len(filled):
        groups[filled] = np.add.reduceat(sums, pointers[filled], axis=0)
    return groups


def _scratch(rows: int, columns: int) -> NDArray[np.float32]:
    """An array; a large one is a file without a name that is mapped, and ends with the array."""
    if rows * columns * 4 <= MEMORY_BYTES:
        return np.empty((rows, columns), np.float32)
    with TemporaryFile(prefix="chunkscope-") as file:
        return np.asarray(np.memmap(file, np.float32, "w+", shape=(rows, columns)))


def _read(
    folder: Path, pieces: Spans, dimension: int
) -> tuple[NDArray[np.float32], NDArray[np.float64]] | None:
    """The stored prefix sums and offsets, or None when they are damaged or of other pieces."""
    try:
        prefix = np.load(folder / _PREFIX, mmap_mode="r")
        offsets = np.load(folder / _OFFSETS)
        stored = np.load(folder / _PIECES)
    except (OSError, ValueError, EOFError):
        return None
    n = len(pieces)
    right = (
        prefix.shape == (n + 1, dimension)
        and prefix.dtype == np.float32
        and offsets.shape == (n // BLOCK + 1, dimension)
        and offsets.dtype == np.float64
        and np.isfinite(offsets).all()
        and np.array_equal(stored, pieces)
    )
    return (np.asarray(prefix), offsets) if right else None


def _key(text: str, embedder: TokenEmbedder, width: int, overlap: float) -> bytes:
    made_of = (embedder.id, embedder.revision, embedder.text_window, width, overlap, "late-1")
    digest = hashlib.sha256(repr(made_of).encode())
    digest.update(b"\0" + text.encode("utf-8"))
    return digest.digest()


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ParameterError(
            f"{name} is {value:.12g}, but must be at least {low:g} and at most {high:.12g}: "
            "choose a value in that range"
        )
