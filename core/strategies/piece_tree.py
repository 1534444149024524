# SPDX-License-Identifier: AGPL-3.0-or-later
"""The tree of pieces of split-then-merge: each span's cuts and counts, made when first needed.

How a span is cut depends on its text alone; only whether it is cut depends on the size. So the
tree grows as sizes are tried, and a new size walks what is there, level by level, in numpy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from core.arrays import Indices, Offsets, Spans
from core.strategies.ascii_view import ascii_bytes, is_letter_or_digit
from core.strategies.ranges import ranges
from core.strategies.separator_search import Attach, Match, SplitSeparator, piece_edges
from core.units.tokens import PieceCounter

UNKNOWN = -1
# Cuts between characters are kept by text: the same words come again and again.
LONGEST_KEPT = 64  # characters
MOST_KEPT = 200_000
Part = tuple[int, int, int]  # start, end, count of a piece


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """n pieces that tile one or more spans, in the order of the text.

    spans: int64 (n, 2). counts: int64 (n,), length units of each piece by itself.
    roots: int64 (n,), which of the split spans each piece belongs to; ascending.
    levels: int64 (n,), the separator that was cut at where the piece begins; −1 where a root
        begins; the number of separators for a cut between characters.
    matches: int64 (n, 2), what the separator matched there; empty spans where nothing did.
    """

    spans: Spans
    counts: Indices
    roots: Indices
    levels: Indices
    matches: Spans

    def __len__(self) -> int:
        return len(self.counts)

    def parts(self) -> list[Part]:
        """Start, end and count of each piece, as plain numbers."""
        return list(zip(*self.spans.T.tolist(), self.counts.tolist(), strict=True))

    def take(self, which: Indices) -> "Pieces":
        """The pieces at `which`, int64 (m,), in that order."""
        return Pieces(
            self.spans[which],
            self.counts[which],
            self.roots[which],
            self.levels[which],
            self.matches[which],
        )


class PieceTree:
    """The pieces of one text at one list of separators. One worker uses it at a time."""

    def __init__(
        self,
        text: str,
        separators: Sequence[SplitSeparator],
        counter: PieceCounter,
        attach: Attach = "start",
    ) -> None:
        self.text = text
        self.separators = tuple(separators)
        self.counter = counter
        self.attach = attach
        self._word_starts = word_starts(text)
        absent = {probe for probe in {each.probe for each in separators} if probe not in text}
        self._is_absent = [each.probe in absent for each in separators]
        self._roots: dict[tuple[int, int], int] = {}
        self._nodes = _Nodes()
        self._kept_cuts: dict[tuple[str, int], list[tuple[int, int]]] = {}

    def count(self, start: int, end: int) -> int:
        """Length units of the text from `start` to `end`, by itself."""
        return self.counter.count(self.text[start:end])

    def exceeds(self, start: int, end: int, most: int) -> bool:
        """True if the text from `start` to `end` has more than `most` units."""
        return self._words(start, end) > most or self.count(start, end) > most

    def _words(self, start: int, end: int) -> int:
        """How many words begin in a span: at most its units."""
        starts = self._word_starts
        return int(np.searchsorted(starts, end) - np.searchsorted(starts, start))

    def split(self, spans: Spans, most: int) -> Pieces:
        """Split spans, int64 (n, 2), each as a text of its own, into pieces of at most `most`.

        A single character of more units stays a piece.
        """
        nodes = self._nodes
        frontier, roots = self._root_nodes(spans)
        done: list[Pieces] = []
        while len(frontier):
            self._count(frontier, most)
            counts = nodes.counts[frontier]
            fits = (counts >= 0) & (counts <= most)
            done.append(nodes.pieces(frontier[fits], roots[fits]))
            over, roots = frontier[~fits], roots[~fits]
            for node in over[nodes.first[over] == UNKNOWN].tolist():
                self._expand(node)
            first, last = nodes.first[over], nodes.last[over]
            hard = first == last  # no separator cuts them
            done.append(self._characters(over[hard], roots[hard], most))
            frontier, roots = ranges(first, last), np.repeat(roots, last - first)
        return _in_order([nodes.pieces(frontier, roots), *done])

    def walk(self, start: int, end: int, most: int, *, from_end: bool) -> Iterator[Part]:
        """The pieces of `split` for one span, one by one, and only as far as they are asked for.

        Args:
            start: where the span begins.
            end: where it ends, after `start`.
            most: the greatest length of a piece.
            from_end: the last piece comes first.
        """
        nodes = self._nodes
        waiting = [self._root(start, end)]
        while waiting:
            node = waiting.pop()
            low, high, count = self._counted(node, most)
            if 0 <= count <= most:
                yield low, high, count
                continue
            if nodes.first[node] == UNKNOWN:
                self._expand(node)
            first, last = int(nodes.first[node]), int(nodes.last[node])
            if first == last:
                alone = np.array([node])
                parts = self._characters(alone, np.zeros_like(alone), most).parts()
                yield from reversed(parts) if from_end else parts
            else:
                children = range(first, last)
                waiting += children if from_end else reversed(children)

    def _root(self, start: int, end: int) -> int:
        """The node of a span as a text of its own."""
        node = self._roots.get((start, end))
        if node is None:
            node = self._roots[start, end] = self._nodes.add_root(start, end)
        return node

    def _root_nodes(self, spans: Spans) -> tuple[Indices, Indices]:
        """The nodes of the spans that are not empty, and the numbers of those spans."""
        numbers = np.flatnonzero(spans[:, 0] < spans[:, 1])
        found = [self._root(start, end) for start, end in spans[numbers].tolist()]
        return np.array(found, np.int64), numbers

    def _counted(self, node: int, most: int) -> tuple[int, int, int]:
        """Start, end and count of one node; the count stays unknown if words tell enough."""
        nodes = self._nodes
        start, end, count = int(nodes.starts[node]), int(nodes.ends[node]), int(nodes.counts[node])
        if count == UNKNOWN and self._words(start, end) <= most:
            count = nodes.counts[node] = self.count(start, end)
        return start, end, count

    def _count(self, frontier: Indices, most: int) -> None:
        """Count the nodes whose number is not known and not above `most` by their words."""
        nodes = self._nodes
        unknown = frontier[nodes.counts[frontier] == UNKNOWN]
        low, high = (
            np.searchsorted(self._word_starts, edges[unknown])
            for edges in (nodes.starts, nodes.ends)
        )
        unknown = unknown[high - low <= most]
        if len(unknown):
            text = self.text
            bounds = zip(nodes.starts[unknown].tolist(), nodes.ends[unknown].tolist(), strict=True)
            nodes.counts[unknown] = self.counter.counts([text[a:b] for a, b in bounds])

    def _expand(self, node: int) -> None:
        """Give a node its children."""
        nodes = self._nodes
        start, end = int(nodes.starts[node]), int(nodes.ends[node])
        level, edges = self._cut(start, end, int(nodes.next_levels[node]))
        nodes.add_children(node, level, edges, self.attach)

    def _cut(self, start: int, end: int, level: int) -> tuple[int, list[Match]]:
        """The first separator from `level` that cuts the span, and the matches it cuts at."""
        while level < len(self.separators):
            search = self.separators[level].search
            if search is None:
                break
            if self._is_absent[level]:
                level += 1
                continue
            edges = piece_edges(list(search(self.text, start, end)), start, end, attach=self.attach)
            if edges:
                return level, edges
            level += 1
        return len(self.separators), []

    def _characters(self, nodes: Indices, roots: Indices, most: int) -> Pieces:
        """Cut nodes between characters, each piece as long as the probing finds."""
        found = self._nodes.pieces(nodes, roots)
        cuts = [self._character_cuts(start, end, most) for start, end in found.spans.tolist()]
        sizes = np.fromiter(map(len, cuts), np.int64, len(cuts))
        lengths, counts = np.array(list(chain.from_iterable(cuts)), np.int64).reshape(-1, 2).T
        ends = np.cumsum(lengths)
        firsts = np.cumsum(sizes) - sizes  # of each node, its first piece
        ends += np.repeat(found.spans[:, 0] - (ends - lengths)[firsts], sizes)
        starts = ends - lengths
        levels = np.full(len(counts), len(self.separators), np.int64)
        matches = np.stack([starts, starts], axis=1)
        levels[firsts], matches[firsts] = found.levels, found.matches
        spans = np.stack([starts, ends], axis=1)
        return Pieces(spans, counts, np.repeat(roots, sizes), levels, matches)

    def _character_cuts(self, start: int, end: int, most: int) -> list[tuple[int, int]]:
        """The characters and the units of each piece of a span that no separator cuts."""
        key = (self.text[start:end], most)
        cuts = self._kept_cuts.get(key)
        if cuts is None:
            cuts = []
            at = start
            while at < end:
                length = self._longest_prefix(at, end, most)
                cuts.append((length, self.count(at, at + length)))
                at += length
            if end - start <= LONGEST_KEPT:
                if len(self._kept_cuts) >= MOST_KEPT:
                    self._kept_cuts.clear()
                self._kept_cuts[key] = cuts
        return cuts

    def _longest_prefix(self, start: int, end: int, most: int) -> int:
        """Counts are not monotone, so the order of the probes is part of the definition."""
        low, high, best = 0, end - start, 0
        while low <= high:
            middle = (low + high) // 2
            if not self.exceeds(start, start + middle, most):
                best, low = middle, middle + 1
            else:
                high = middle - 1
        return max(best, 1)


class _Nodes:
    """Struct of growing arrays: the spans that were met, their counts and their children.

    first, last: the children are the nodes `first` to `last`, half-open; equal: no separator cuts
    the span; UNKNOWN: not tried. next_levels: the separator to try next.
    """

    def __init__(self) -> None:
        self.size = 0
        self.starts, self.ends, self.counts = (np.empty(64, np.int64) for _ in range(3))
        self.first, self.last = (np.empty(64, np.int64) for _ in range(2))
        self.levels, self.next_levels = (np.empty(64, np.int64) for _ in range(2))
        self.matches = np.empty((64, 2), np.int64)

    def add_root(self, start: int, end: int) -> int:
        self._add([start], [end], [-1], [(start, start)], next_level=0)
        return self.size - 1

    def add_children(self, node: int, level: int, edges: list[Match], attach: Attach) -> None:
        if not edges:
            self.first[node] = self.last[node] = 0
            return
        side = 0 if attach == "start" else 1
        places = [match[side] for match in edges]
        starts = [int(self.starts[node]), *places]
        ends = [*places, int(self.ends[node])]
        levels = [int(self.levels[node])] + [level] * len(edges)
        low, high = self.matches[node].tolist()
        first = self.size
        self._add(starts, ends, levels, [(low, high), *edges], next_level=level + 1)
        self.first[node], self.last[node] = first, self.size

    def pieces(self, nodes: Indices, roots: Indices) -> Pieces:
        spans = np.stack([self.starts[nodes], self.ends[nodes]], axis=1)
        return Pieces(spans, self.counts[nodes], roots, self.levels[nodes], self.matches[nodes])

    def _add(
        self,
        starts: list[int],
        ends: list[int],
        levels: list[int],
        matches: list[Match],
        *,
        next_level: int,
    ) -> None:
        low, high = self.size, self.size + len(starts)
        while high > len(self.starts):
            self._grow()
        self.starts[low:high], self.ends[low:high] = starts, ends
        self.levels[low:high], self.matches[low:high] = levels, matches
        self.next_levels[low:high] = next_level
        self.counts[low:high] = self.first[low:high] = self.last[low:high] = UNKNOWN
        self.size = high

    def _grow(self) -> None:
        for name in ("starts", "ends", "counts", "first", "last", "levels", "next_levels"):
            setattr(self, name, np.concatenate([getattr(self, name)] * 2))
        self.matches = np.concatenate([self.matches] * 2)


def word_starts(text: str) -> Offsets:
    """int64 (w,): where the words of the text begin, ascending.

    A word begins at an ASCII letter or digit behind ASCII white space. Every tokenizer here splits
    at white space at least so far that two such words share no token: a span has at least as many
    tokens as words begin in it. That decides most long spans without encoding them.
    """
    codes = ascii_bytes(text)
    white = (codes == ord(" ")) | (codes == ord("\n")) | (codes == ord("\t"))
    return np.flatnonzero(white[:-1] & is_letter_or_digit(codes[1:])) + 1


def _in_order(parts: Sequence[Pieces]) -> Pieces:
    """All pieces by root, and within a root in the order of the text."""
    spans = np.concatenate([part.spans for part in parts])
    roots = np.concatenate([part.roots for part in parts])
    joined = Pieces(
        spans,
        np.concatenate([part.counts for part in parts]),
        roots,
        np.concatenate([part.levels for part in parts]),
        np.concatenate([part.matches for part in parts]),
    )
    return joined.take(np.lexsort((spans[:, 0], roots)))
