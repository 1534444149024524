# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tokens of many slices of one text, each slice read as a text of its own.

A slice has the tokens of the whole text between any two places at which the tokenizer always cuts
(`core.strategies.span_counts`); only what lies before the first such place and behind the last
one, a word or two, is encoded anew. So other slices cost a few short strings, not their text.
"""

from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans
from core.strategies.span_counts import cut_places
from core.units.tokens import TokenTable, piece_tables


@dataclass(frozen=True, slots=True, eq=False)
class TextTokens:
    """The tokens of a whole text, and where it may be taken apart.

    places: int64 (p,), offsets at which the tokenizer always cuts, ascending.
    numbers: int64 (p,), the first token behind each place.
    """

    text: str
    table: TokenTable
    places: Offsets
    numbers: Indices

    def slices(self, spans: Spans) -> "SliceTokens":
        """The tokens of n slices, int64 (n, 2)."""
        middle = self._middle(spans)
        low, high = (np.searchsorted(self.places, edge) for edge in middle.T)
        outer = np.stack([spans[:, 0], middle[:, 0], middle[:, 1], spans[:, 1]], axis=1).tolist()
        heads = [self.text[a:b] for a, b, _, _ in outer]
        tails = [self.text[a:b] for _, _, a, b in outer]
        ends, numbers = piece_tables(heads + tails, self.table.tokenizer)
        n = len(spans)
        lengths = np.cumsum([0, *map(len, heads), *map(len, tails)])
        first = np.append(self.numbers, 0)[low]
        counts = np.where(low < high, np.append(self.numbers, 0)[high] - first, 0)
        sizes = np.diff(numbers)
        return SliceTokens(
            self.table,
            ends,
            np.stack([sizes[:n], counts, sizes[n:]], axis=1),
            np.stack([numbers[:n], first, numbers[n:-1]], axis=1),
            np.stack(
                [spans[:, 0] - lengths[:n], np.zeros(n, np.int64), middle[:, 1] - lengths[n:-1]],
                axis=1,
            ),
        )

    def _middle(self, spans: Spans) -> Spans:
        """int64 (n, 2): from the first place of each slice to its last; its end if it has none."""
        if not len(self.places):
            return np.repeat(spans[:, 1:], 2, axis=1)
        first = np.searchsorted(self.places, spans[:, 0], side="left")
        last = np.searchsorted(self.places, spans[:, 1], side="right") - 1
        has_none = first > last
        low = np.where(has_none, spans[:, 1], self.places[np.minimum(first, len(self.places) - 1)])
        high = np.where(has_none, spans[:, 1], self.places[last])
        return np.stack([low, high], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class SliceTokens:
    """The tokens of n slices. Each has three parts: its head, what it shares with the text, a tail.

    shared, ends: the tables of the text, and of all heads and tails.
    counts: int64 (n, 3), tokens of each part. firsts: int64 (n, 3), the first token of each part
        in its table. shifts: int64 (n, 3), from the offsets of its table to those of the text.
    """

    shared: TokenTable
    ends: TokenTable
    counts: Indices
    firsts: Indices
    shifts: Indices

    def totals(self) -> Indices:
        """int64 (n,): tokens of each slice."""
        totals: Indices = self.counts.sum(axis=1)
        return totals

    def windows(self, owners: Indices, first: Indices, last: Indices) -> tuple[Spans, Mask]:
        """Spans of the tokens `first` to `last` of the slices `owners`, int64 (m,), none empty.

        Returns:
            int64 (m, 2), offsets of the text, where an edge inside a character is its start; and
            bool (m,), which windows have such an edge.
        """
        starts, opens = self._edges(owners, first, 0)
        stops, closes = self._edges(owners, last - 1, 1)
        return np.stack([starts, stops], axis=1), opens | closes

    def _edges(self, owners: Indices, ranks: Indices, side: int) -> tuple[Offsets, Mask]:
        """Where the tokens `ranks` begin (side 0) or end (1), and which do inside a character."""
        counts = self.counts[owners]
        part = (ranks >= counts[:, 0]).astype(np.int64) + (ranks >= counts[:, 0] + counts[:, 1])
        before = np.stack(
            [np.zeros(len(ranks), np.int64), counts[:, 0], counts[:, 0] + counts[:, 1]]
        )
        rows = np.arange(len(ranks))
        tokens = self.firsts[owners, part] + ranks - before[part, rows]
        offsets, is_inside = np.empty(len(ranks), np.int64), np.empty(len(ranks), np.bool_)
        for table, which in ((self.shared, part == 1), (self.ends, part != 1)):
            offsets[which] = (table.ends if side else table.starts)[tokens[which]]
            is_inside[which] = table.cuts[tokens[which] + side] < 0
        return offsets + self.shifts[owners, part], is_inside


def text_tokens(text: str, table: TokenTable) -> TextTokens:
    """Prepare a text, whose tokens are `table`, to be taken apart."""
    places = cut_places(text, table.tokenizer)
    return TextTokens(text, table, places, table.first_token_from(places))
