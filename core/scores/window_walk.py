# SPDX-License-Identifier: AGPL-3.0-or-later
"""Windows of DCC found one by one, for chunks in any order, nested, or of several spans."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Spans, as_spans
from core.scores.envelope import joined_spans
from core.scores.lengths import Lengths

SpanList = list[list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """What was found from each begin on.

    chunks: the spans of each chunk. last: int64 (k,), the last member of each window. pieces:
    its text as spans, those that touch made one.
    """

    chunks: Sequence[SpanList]
    last: Indices
    pieces: Sequence[Spans]


def walk(
    text: str,
    chunks: Sequence[Spans] | Spans,
    lengths: Lengths,
    begins: Indices,
    *,
    limit: int,
    least: int,
    previous: Walk | None = None,
) -> Walk:
    """The windows that begin at each of `begins`, before any is dropped.

    Args:
        text: the document's text.
        chunks: int64 (n, 2), or a list of the spans of each chunk.
        lengths: measures in the unit of `limit`.
        begins: int64 (k,), places of chunks.
        limit: greatest length of a window.
        least: members that a window takes whatever their length.
        previous: an earlier walk from every chunk, with the same limit; windows that neither
            hold nor stopped before a changed chunk are taken from it.
    """
    rows = _rows(chunks)
    if previous is None or len(begins) != len(rows):
        steps = _Steps(text, rows, lengths, limit, least)
        found = [steps.window(begin) for begin in begins.tolist()]
        return _as_walk(rows, found)
    before, after = common_items(previous.chunks, rows)
    shift, end = len(rows) - len(previous.chunks), len(rows) - after
    steps = _Steps(text, rows, lengths, limit, least)
    known_last = previous.last.tolist()
    found = []
    for begin in range(len(rows)):
        if begin < before and known_last[begin] + 1 < before:
            found.append((known_last[begin], previous.pieces[begin]))
        elif begin >= end:
            old = begin - shift
            found.append((known_last[old] + shift, previous.pieces[old]))
        else:
            found.append(steps.window(begin))
    return _as_walk(rows, found)


class _Steps:
    """Takes one chunk after the other into a window, until it is full."""

    def __init__(
        self, text: str, rows: Sequence[SpanList], lengths: Lengths, limit: int, least: int
    ) -> None:
        self._text = text
        self._rows = rows
        self._lengths = lengths
        self._limit = limit
        self._least = least
        is_one_span = all(len(row) == 1 for row in rows)
        self._edges = [(row[0][0], row[0][1]) for row in rows] if is_one_span else None
        self._known: dict[tuple[tuple[int, int], ...], int] = {}
        self._known_tails: dict[tuple[int, int], int] = {}

    def window(self, begin: int) -> tuple[int, Spans]:
        """The last member of the window that begins at a chunk, and its pieces."""
        if self._edges is not None:
            return self._window_of_one_span(self._edges, begin)
        pieces: SpanList = []
        size, member = 0, begin
        while member < len(self._rows):
            tail = without(self._rows[member], joined_spans(pieces).tolist())
            units = self._units(tail)
            if member - begin >= self._least and size + units > self._limit:
                break
            if units > 0:
                pieces += tail
                size += units
            member += 1
        return member - 1, touching_joined(as_spans(pieces))

    def _window_of_one_span(
        self, edges: Sequence[tuple[int, int]], begin: int
    ) -> tuple[int, Spans]:
        """The same of chunks of one span: each adds what is behind the end of the window.

        Thousands of small chunks make millions of steps: hence no call in a step.
        """
        pieces: SpanList = []
        size, member, covered, known = 0, begin, edges[begin][0], self._known_tails
        for start, end in edges[begin:]:
            tail = (start if start > covered else covered, end)
            units = 0 if end <= tail[0] else known.get(tail, -1)
            if units < 0:
                units = known[tail] = self._units([list(tail)])
            if size + units > self._limit and member - begin >= self._least:
                break
            if units > 0:
                pieces.append(list(tail))
                size, covered = size + units, end
            member += 1
        return member - 1, touching_joined(as_spans(pieces))

    def _units(self, tail: SpanList) -> int:
        if not tail:
            return 0
        key = tuple((a, b) for a, b in tail)
        if key not in self._known:
            text = "".join(self._text[a:b] for a, b in tail)
            self._known[key] = int(self._lengths.of_texts([text])[0])
        return self._known[key]


def _rows(chunks: Sequence[Spans] | Spans) -> list[SpanList]:
    if isinstance(chunks, np.ndarray):
        return [[row] for row in chunks.tolist()]
    return [as_spans(each).tolist() for each in chunks]


def _as_walk(rows: Sequence[SpanList], found: Sequence[tuple[int, Spans]]) -> Walk:
    last = np.array([last for last, _ in found], np.int64)
    return Walk(rows, last, [pieces for _, pieces in found])


def common_items(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """How many items of two lists are equal at the start and, of the rest, at the end."""
    shorter = min(len(old), len(new))
    before = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - before
    after = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return before, after


def touching_joined(spans: Spans) -> Spans:
    """int64 (k, 2): the spans in order, those that begin where the last ended made one."""
    spans = spans[spans[:, 1] > spans[:, 0]]
    if len(spans) < 2:
        return spans
    opens = np.append(True, spans[1:, 0] != spans[:-1, 1])
    closes = np.append(opens[1:], True)
    return np.column_stack((spans[opens, 0], spans[closes, 1]))


def without(spans: SpanList, covered: SpanList) -> SpanList:
    """What of `spans` no span of `covered` (sorted, disjoint) holds, in order."""
    left = []
    for start, end in spans:
        for low, high in covered:
            if high <= start:
                continue
            if low >= end:
                break
            if low > start:
                left.append([start, low])
            start = max(start, high)  # noqa: PLW2901 - the rest of the span
        if end > start:
            left.append([start, end])
    return left
