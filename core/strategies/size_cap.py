# SPDX-License-Identifier: AGPL-3.0-or-later
"""The greatest size of a chunk as a last resort: what is longer is cut between visible characters.

The first guess takes windows of the whole text's tokens, for all spans at once. A part encoded by
itself may have more tokens than it has there, and a boundary may fall within a visible character;
spans where that is so are cut anew, one part after the other.
"""

import numpy as np

from core.arrays import Indices, Mask, Spans
from core.strategies.span_counts import SpanCounter
from core.units.graphemes import Graphemes
from core.units.tokens import TokenTable


class SizeCap:
    """Cuts spans of one text into parts of at most `most` units, counted by themselves."""

    def __init__(
        self, most: int, counter: SpanCounter, table: TokenTable, graphemes: Graphemes
    ) -> None:
        self._most = most
        self._counter = counter
        self._edges = table.floors if table.tiles else np.append(table.starts, graphemes.length)
        self._table = table
        self._graphemes = graphemes

    def cut(self, spans: Spans, sizes: Indices) -> tuple[Spans, Indices]:
        """The parts of all spans, int64 (m, 2), and the span of each, int64 (m,), ascending.

        A single visible character of more units stays whole. `sizes`, int64 (n,), are the units of
        the spans.
        """
        parts, owners = self._windows(spans, sizes > self._most)
        wrong = (parts[:, 0] >= parts[:, 1]) | (self._counter.counts(parts) > self._most)
        again = np.zeros(len(spans), np.bool_)
        again[owners[wrong]] = True
        if not again.any():
            return parts, owners
        found, numbers = [parts[~again[owners]]], [owners[~again[owners]]]
        for number in np.flatnonzero(again).tolist():
            own = self._one_by_one(*spans[number].tolist())
            found.append(own)
            numbers.append(np.full(len(own), number))
        joined = np.concatenate(numbers)
        order = np.argsort(joined, kind="stable")
        return np.concatenate(found)[order], joined[order]

    def _windows(self, spans: Spans, over: Mask) -> tuple[Spans, Indices]:
        """Those that are `over`, bool (n,), in parts of `most` of the whole text's tokens."""
        low, high = (self._table.first_token_from(spans[:, k]) for k in (0, 1))
        counts = np.maximum(1, -(-(high - low) // self._most))
        counts[~over] = 1
        owners = np.repeat(np.arange(len(spans)), counts)
        rank = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        cuts = self._edges[np.minimum(low[owners] + rank * self._most, len(self._edges) - 1)]
        starts = np.where(rank == 0, spans[owners, 0], self._graphemes.floor(cuts))
        ends = np.where(np.diff(owners, append=-1) != 0, spans[owners, 1], np.append(starts[1:], 0))
        return np.stack([starts, ends], axis=1), owners

    def _one_by_one(self, start: int, end: int) -> Spans:
        """The parts of one span, each as long as its tokens in the whole text promise, or less."""
        edges = [start]
        while self._counter.count(edges[-1], end) > self._most:
            cut = self._next_cut(edges[-1], end)
            if cut >= end:
                break
            edges.append(cut)
        edges.append(end)
        return np.stack([edges[:-1], edges[1:]], axis=1)

    def _next_cut(self, start: int, end: int) -> int:
        """Where the part that begins at `start` ends; behind its first visible character."""
        first = int(self._table.first_token_from(np.array([start]))[0])
        ahead = int(self._edges[min(first + self._most, len(self._edges) - 1)])
        cut = self._floor(min(ahead, end - 1))
        while cut > start and self._counter.count(start, cut) > self._most:
            cut = self._floor(cut - 1)
        return cut if cut > start else self._after(start, end)

    def _floor(self, offset: int) -> int:
        return int(self._graphemes.floor(np.array([offset]))[0])

    def _after(self, start: int, end: int) -> int:
        """The end of the visible character at `start`."""
        cut = start + 1
        while cut < end and self._floor(cut) < cut:
            cut += 1
        return cut
