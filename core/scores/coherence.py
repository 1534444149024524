# SPDX-License-Identifier: AGPL-3.0-or-later
"""Document contextual coherence (DCC): how near a chunk is to the windows of text around it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Spans, as_spans
from core.declaration import Declaration, Parameter
from core.scores.lengths import Lengths
from core.scores.window_walk import Walk, touching_joined, walk

DCC_WINDOW = Parameter(
    "dcc_window",
    default=3000,
    minimum=1,
    maximum=1_000_000,
    unit="units",
    help="The greatest length of a window",
)
DCC_STEP = Parameter(
    "dcc_step",
    default=1,
    minimum=1,
    maximum=1000,
    unit="chunks",
    help="From one window to the next, in reference mode; else always 1",
)
DCC = Declaration(
    code="DCC",
    name="Document contextual coherence",
    family="score",
    strategy_class="embedding",
    source="de Moura Júnior, Lelong and Blangero 2026 (arXiv 2603.25333); mean per chunk here",
    help="The mean cosine of a chunk with the stretches of the document that hold it.",
    parameters=(DCC_WINDOW, DCC_STEP),
)

Number = TypeVar("Number", bound=np.number[Any])
SpanSums = Callable[[Spans], tuple[NDArray[np.float64], Indices]]  # of token vectors; tokens


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """The w recorded windows over n chunks in a given order.

    first, last: int64 (w,), the first and the last member (inclusive), places in that order.
    Their text is either given by `walked`, one list of spans a window, or, when the chunks form
    a chain, by the chunk of `first` and then the `tails`, int64 (n, 2), up to `last`: what each
    chunk adds to the one before it.
    """

    first: Indices
    last: Indices
    heads: Spans
    tails: Spans
    walked: tuple[Spans, ...] | None = None
    walk: Walk | None = None  # from every chunk on, kept for the next edit

    def __len__(self) -> int:
        return len(self.first)

    def spans_of(self, index: int) -> Spans:
        """int64 (k, 2): what one window covers, spans that touch made one."""
        if self.walked is not None:
            return self.walked[index]
        first, last = int(self.first[index]), int(self.last[index])
        return touching_joined(
            np.concatenate((self.heads[index, None], self.tails[first + 1 : last + 1]))
        )

    def take(self, chosen: Mask) -> "Windows":
        """Only the chosen ones, bool (w,)."""
        rows = np.flatnonzero(chosen)
        if self.walked is None:
            return Windows(self.first[rows], self.last[rows], self.heads[rows], self.tails)
        walked = tuple(self.walked[row] for row in rows.tolist())
        return Windows(self.first[rows], self.last[rows], self.heads, self.tails, walked)

    def texts(self, text: str) -> list[str]:
        """The texts of the windows: their pieces, joined without anything between."""
        return [
            "".join(text[a:b] for a, b in self.spans_of(index).tolist())
            for index in range(len(self))
        ]

    def sums(self, span_sums: SpanSums) -> tuple[NDArray[np.float64], Indices]:
        """Sums of the windows' token vectors, float64 (w, d), and their tokens, int64 (w,)."""
        if self.walked is not None:
            return _sums_of_pieces(self.walked, span_sums)
        if not len(self):
            return span_sums(as_spans([]))
        low, high = int(self.first.min()), int(self.last.max())
        head_sums, head_tokens = span_sums(self.heads)
        tail_sums, tail_tokens = span_sums(self.tails[low : high + 1])
        before, before_tokens = _prefix(tail_sums), _prefix(tail_tokens)
        start, end = self.first + 1 - low, self.last + 1 - low
        head_sums += before[end]
        head_sums -= before[start]
        return head_sums, head_tokens + before_tokens[end] - before_tokens[start]

    def pieces(self, piece_counts: Callable[[Spans], Indices]) -> Indices:
        """int64 (w,): word pieces of each window."""

        def only_counts(spans: Spans) -> tuple[NDArray[np.float64], Indices]:
            return np.zeros((len(spans), 0)), piece_counts(spans)

        return self.sums(only_counts)[1]


def find_windows(
    text: str,
    chunks: Sequence[Spans] | Spans,
    lengths: Lengths,
    *,
    limit: int,
    step: int,
    least: int,
    previous: Windows | None = None,
) -> Windows:
    """The windows of `spec/metrics.md` 6 over chunks in the order given.

    Args:
        text: the document's text.
        chunks: int64 (n, 2), one span a chunk; or a list of the spans of each chunk.
        lengths: measures in the unit of `limit`.
        limit: greatest length of a window.
        step: chunks from one window to the next.
        least: members that a window takes whatever their length: 1 in reference mode, else 2.
        previous: windows of the chunks before an edit, with the same limit and step 1.
    """
    n = len(chunks)
    begins = np.arange(0, n, step)
    if isinstance(chunks, np.ndarray) and (chain := find_chain(chunks, lengths)) is not None:
        last = chain_reach(chain, begins, limit=limit, least=least)
        recorded = is_recorded(begins, last)
        first, last = begins[recorded], last[recorded]
        return Windows(first, last, _counted(chunks[first], chain.units[first]), chain.tails)
    known = None if previous is None else previous.walk
    found = walk(text, chunks, lengths, begins, limit=limit, least=least, previous=known)
    recorded = is_recorded(begins, found.last)
    kept = tuple(found.pieces[index] for index in np.flatnonzero(recorded).tolist())
    none = as_spans([])
    return Windows(begins[recorded], found.last[recorded], none, none, kept, found)


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """n chunks of which each begins and ends at or after the one before.

    tails: int64 (n, 2), what each adds to the one before it (empty: start = end).
    units: int64 (n,), the length of each chunk; tail_units: int64 (n,), of each tail.
    """

    tails: Spans
    units: Indices
    tail_units: Indices


def find_chain(spans: Spans, lengths: Lengths) -> Chain | None:
    """The chunks as a chain, or None when what a chunk adds depends on where a window begins."""
    if len(spans) > 1 and (np.diff(spans, axis=0) < 0).any():
        return None
    tails = tails_of_chain(spans)
    units = lengths.of_spans(spans, "members")
    is_same = (tails == spans).all()
    tail_units = units if is_same else lengths.of_spans(tails, "tails")
    chain = Chain(_counted(tails, tail_units), units, tail_units)
    return chain if is_chain(spans, chain) else None


def _counted(spans: Spans, units: Indices) -> Spans:
    """The spans, those of no units made empty: a window leaves them out."""
    counted = spans.copy()
    counted[units == 0, 0] = counted[units == 0, 1]
    return counted


def tails_of_chain(spans: Spans) -> Spans:
    """int64 (n, 2): what each chunk adds to the one before it; the first adds itself."""
    tails = spans.copy()
    tails[1:, 0] = np.minimum(np.maximum(spans[1:, 0], spans[:-1, 1]), spans[1:, 1])
    return tails


def is_chain(spans: Spans, chain: Chain) -> bool:
    """False if a piece counts 0 and the next chunk overlaps it: then it does not cover its text."""
    overlaps = spans[1:, 0] < spans[:-1, 1]
    silent = (chain.units[:-1] == 0) | (chain.tail_units[:-1] == 0)
    return not bool((overlaps & silent).any())


def chain_reach(chain: Chain, begins: Indices, *, limit: int, least: int) -> Indices:
    """int64 (k,): the last member of the windows that begin at `begins`."""
    before = _prefix(chain.tail_units)
    room = limit - chain.units[begins] + before[begins + 1]
    last: Indices = np.searchsorted(before, room, side="right") - 2
    return np.minimum(np.maximum(last, begins + least - 1), len(chain.units) - 1)


def is_recorded(begins: Indices, last: Indices) -> Mask:
    """Mask, bool (k,): at least two members, and another last member than the window before.

    The window recorded before ends where the valid window before ends: had that one not been
    recorded, it would be because it ends there too.
    """
    recorded = np.zeros(len(begins), np.bool_)
    valid = np.flatnonzero(last > begins)
    recorded[valid] = np.append(True, last[valid][1:] != last[valid][:-1])[: len(valid)]
    return recorded


def window_sums(
    first: Indices, last: Indices, vectors: NDArray[np.floating], n: int
) -> NDArray[np.float64]:
    """float64 (n, d): for each of n chunks the sum of the vectors, (w, d), of its windows.

    first, last: int64 (w,), the members of each window, `last` included.
    """
    if (np.diff(first) >= 0).all() and (np.diff(last) >= 0).all():
        # the windows of a chunk are neighbours: those that begin up to it, less those that ended
        before, members = _prefix(vectors.astype(np.float64, copy=False)), np.arange(n)
        of_chunk: NDArray[np.float64] = before[np.searchsorted(first, members, side="right")]
        of_chunk -= before[np.searchsorted(last, members, side="left")]
        return of_chunk
    steps = np.zeros((n + 1, vectors.shape[1]))
    np.add.at(steps, first, vectors)
    np.subtract.at(steps, last + 1, vectors)
    sums: NDArray[np.float64] = np.cumsum(steps[:n], axis=0)
    return sums


def window_counts(first: Indices, last: Indices, n: int) -> Indices:
    """int64 (n,): how many windows hold each of n chunks."""
    opened = np.bincount(first, minlength=n + 1)
    closed = np.bincount(last + 1, minlength=n + 1)
    return np.cumsum(opened[:n] - closed[:n])


def mean_of_all_members(
    windows: Windows, window_vectors: NDArray[np.floating], chunk_vectors: NDArray[np.floating]
) -> float:
    """The mean over all windows, (w, d), and members, (n, d), of their cosine.

    Source: `spec/metrics.md` 6, reference mode.
    """
    before = _prefix(chunk_vectors.astype(np.float64))
    members = before[windows.last + 1] - before[windows.first]
    total = float(np.einsum("ij,ij->", window_vectors.astype(np.float64), members))
    return total / int((windows.last - windows.first + 1).sum())


def _sums_of_pieces(
    pieces: tuple[Spans, ...], span_sums: SpanSums
) -> tuple[NDArray[np.float64], Indices]:
    """Sums over each window's pieces: one look-up for all of them."""
    sums, tokens = span_sums(np.concatenate(pieces) if pieces else as_spans([]))
    owners = np.repeat(np.arange(len(pieces)), [len(each) for each in pieces])
    total = np.zeros((len(pieces), sums.shape[1]))
    np.add.at(total, owners, sums)
    return total, np.bincount(owners, weights=tokens, minlength=len(pieces)).astype(np.int64)


def _prefix(rows: NDArray[Number]) -> NDArray[Number]:
    """Sums of the first 0, 1, … n rows of (n, …): (n + 1, …)."""
    sums = np.empty((len(rows) + 1, *rows.shape[1:]), rows.dtype)
    sums[0] = 0
    np.cumsum(rows, axis=0, out=sums[1:])
    return sums
