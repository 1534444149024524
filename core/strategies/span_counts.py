# SPDX-License-Identifier: AGPL-3.0-or-later
"""Exact counts of any span of a text, from counts of its segments.

The tokenizers cut a text into words before they encode, and at certain places they always do, so
that a span across such a place has exactly as many tokens as its two sides. These places are:

* between a visible ASCII character and a space behind it;
* between an ASCII letter or digit and a newline behind it;
* between a newline and what is behind it, if that is neither white space nor a slash (which
  `o200k_base` lets follow newlines); except for `gpt2`, whose rule for white space looks ahead.

No word of `cl100k_base`, `o200k_base` or `gpt2` goes on over such a place, and no rule of theirs
looks behind, or, at these places, ahead. Word pieces and `words` are cut at white space anyway.
So the segments between such places are counted once; a span costs two bisections and the counts
of what it has of its first and last segment.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans
from core.strategies.ascii_view import ascii_bytes, is_letter_or_digit
from core.strategies.source import Source
from core.units.tokens import (
    PieceCounter,
    canonical_tokenizer,
    code_points,
    is_space,
    token_table,
)

_WAS_SPACE = (0x180E, 0x200B, 0xFEFF)  # white space in some versions of Unicode or libraries
SEGMENT = 128  # characters, about; shorter segments are counted together
_QUICK = ("cl100k_base", "o200k_base", "words")  # the tokens of a whole text cost little


class SpanCounter:
    """Counts of the spans of one text. One worker uses it at a time."""

    def __init__(self, text: str, counter: PieceCounter) -> None:
        self.text = text
        self.counter = counter
        self._is_additive = counter.tokenizer == "characters"
        self._places: list[int] = []
        self._sums: list[int] = []
        self._is_place = np.empty(0, np.bool_)
        self._all: tuple[Offsets, Indices] | None = None
        # of each start and end that was asked for: the place beside it, and the units up to there
        self._heads: dict[int, tuple[int, int]] = {}
        self._tails: dict[int, tuple[int, int]] = {}

    def count(self, start: int, end: int) -> int:
        """Units of the text from `start` to `end`, by itself."""
        if self._is_additive:
            return end - start
        first, head = self._heads.get(start) or self._head(start)
        last, tail = self._tails.get(end) or self._tail(end)
        if first > last:
            return self.counter.count(self.text[start:end])
        return self._sums[last] - self._sums[first] + head + tail

    def _head(self, start: int) -> tuple[int, int]:
        """The first place from `start` on, and the units before it."""
        self._prepare()
        first = bisect_left(self._places, start)
        to = self._places[first] if first < len(self._places) else start
        head = self.counter.count(self.text[start:to]) if start < to else 0
        self._heads[start] = first, head
        return first, head

    def _tail(self, end: int) -> tuple[int, int]:
        """The last place up to `end`, and the units behind it."""
        self._prepare()
        last = bisect_right(self._places, end) - 1
        since = self._places[last] if last >= 0 else end
        tail = self.counter.count(self.text[since:end]) if since < end else 0
        self._tails[end] = last, tail
        return last, tail

    def counts(self, spans: Spans) -> Indices:
        """int64 (n,): units of each span, int64 (n, 2)."""
        if self._is_additive:
            return spans[:, 1] - spans[:, 0]
        places, sums = self._sums_at_places()
        first = np.searchsorted(places, spans[:, 0], side="left")
        last = np.searchsorted(places, spans[:, 1], side="right") - 1
        inside = np.flatnonzero(first <= last)
        outside = np.flatnonzero(first > last)
        counts = np.zeros(len(spans), np.int64)
        first, last = first[inside], last[inside]
        counts[inside] = sums[last] - sums[first]
        counts[inside] += self._rests(spans[inside, 0], places[first])
        counts[inside] += self._rests(places[last], spans[inside, 1])
        counts[outside] = self._rests(spans[outside, 0], spans[outside, 1])
        return counts

    def adds_up(self, offsets: Offsets) -> Mask:
        """Bool (n,): True where the counts of two spans that meet at an offset add up."""
        if self._is_additive:
            return np.ones(len(offsets), np.bool_)
        self._prepare()
        return self._is_place[offsets]

    def _sums_at_places(self) -> tuple[Offsets, Indices]:
        """Places, int64 (p,), and the units before each: at every place where that costs little."""
        self._prepare()
        if self._all is None:
            if self.counter.tokenizer in _QUICK:
                places = np.flatnonzero(self._is_place)
                table = token_table(self.text, self.counter.tokenizer)
                self._all = places, table.first_token_from(places)
            else:
                self._all = np.array(self._places, np.int64), np.array(self._sums, np.int64)
        return self._all

    def _rests(self, starts: Offsets, ends: Offsets) -> Indices:
        """int64 (n,): units from each start to each end, encoded; 0 for what is empty."""
        text, counts = self.text, np.zeros(len(starts), np.int64)
        some = np.flatnonzero(starts < ends)
        pairs = zip(starts[some].tolist(), ends[some].tolist(), strict=True)
        counts[some] = self.counter.counts([text[a:b] for a, b in pairs])
        return counts

    def _prepare(self) -> None:
        if self._sums:
            return
        found = cut_places(self.text, self.counter.tokenizer)
        self._is_place = np.zeros(len(self.text) + 1, np.bool_)
        self._is_place[found] = True
        places = _thinned(found)
        segments = [self.text[a:b] for a, b in pairwise(places)]
        self._places = list(places)
        self._sums = [0, *np.cumsum(self.counter.counts(segments)).tolist()]


def span_counter(source: Source, unit: str) -> SpanCounter:
    """The counter of the document's spans in `unit`, shared by all who ask for it."""
    name = canonical_tokenizer(unit)
    return source.units.get(
        ("span counter", name), lambda: SpanCounter(source.text, source.counter(name))
    )


def cut_places(text: str, tokenizer: str) -> Offsets:
    """int64 (n,): the places at which counts of `tokenizer` add up, ascending."""
    codes = ascii_bytes(text)
    newline, space = codes == ord("\n"), codes == ord(" ")
    visible = (codes > ord(" ")) & (codes < 0x7F)
    if not text.isascii():
        points = code_points(text)
        visible &= points < 0x7F
        begins = ~is_space(points) & (points > ord(" ")) & ~np.isin(points, _WAS_SPACE)
    else:
        begins = visible | (codes == 0x7F)
    found = (visible[:-1] & space[1:]) | (is_letter_or_digit(codes[:-1]) & newline[1:])
    if tokenizer != "gpt2":
        found |= newline[:-1] & begins[1:] & (codes[1:] != ord("/"))
    return np.flatnonzero(found) + 1


def _thinned(places: Offsets) -> Sequence[int]:
    """The first place of each stretch of `SEGMENT` characters."""
    stretch = places // SEGMENT
    chosen: list[int] = places[np.flatnonzero(np.diff(stretch, prepend=-1))].tolist()
    return chosen or [0]
