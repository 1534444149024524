# SPDX-License-Identifier: AGPL-3.0-or-later
"""Merging of pieces into chunks, and the overlap between them (`spec/metrics.md` 15.2, 15.3)."""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from core.strategies.piece_tree import Part, Pieces, PieceTree
from core.strategies.small_groups import join_small


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a chunk ended: the number that was compared, and the bound that it broke or met."""

    value: float
    bound: float
    is_large: bool = False  # it ended because it was not small, and not because it was full


@dataclass(slots=True)
class Merge:
    """The chunks that merging gives, in list order.

    groups: the pieces of each chunk, first and last + 1, overlap left out.
    spans: start and end with overlap. stops: what ended each chunk but the last. shared: length
    units of the overlap at each chunk's beginning.
    """

    groups: list[tuple[int, int]]
    spans: list[tuple[int, int]]
    stops: list[Stop]
    shared: list[int]


def merge_to_size(
    pieces: Pieces, tree: PieceTree, *, most: int, overlap: int, backward: bool
) -> Merge:
    """Fill each chunk with pieces while the sum of their counts is at most `most`.

    Args:
        pieces: in list order, which is from the end of the text if `backward`.
        tree: splits the pieces that overlap is taken from.
        most: the effective size.
        overlap: the greatest length that is repeated; 0: none.
        backward: the list runs from the end of the text.
    """
    if overlap < 1:
        return _merge_without_overlap(pieces, most)
    tails = _Tails(tree, overlap, backward)
    parts = pieces.parts()
    merge = Merge([], [], [], [])
    low, current, total, shared = 0, list[Part](), 0, 0
    for number, part in enumerate(parts):
        if current and total + part[2] > most:
            merge.groups.append((low, number))
            merge.spans.append(_hull(current))
            merge.stops.append(Stop(total + part[2], most))
            merge.shared.append(shared)
            kept = tails.tail(current)
            low, current = number, [*kept, part]
            shared, total = sum(each[2] for each in kept), tree.count(*_hull(current))
        else:
            current.append(part)
            total += part[2]
    if current:
        merge.groups.append((low, len(parts)))
        merge.spans.append(_hull(current))
        merge.shared.append(shared)
    return merge


def merge_small_only(
    pieces: Pieces, tree: PieceTree, *, least: int, most: int, overlap: int, backward: bool
) -> Merge:
    """Join only pieces of fewer than `least` units with a neighbour, up to `most`."""
    found = join_small(pieces.counts.tolist(), least=least, most=most)
    groups = list(zip(found.edges[:-1], found.edges[1:], strict=True))
    parts = pieces.parts()
    stops = [
        _small_stop(one, two, least, most)
        for one, two in zip(found.sizes, found.sizes[1:], strict=False)
    ]
    merge = Merge(groups, [], stops, [])
    tails, kept = _Tails(tree, overlap, backward), list[Part]()
    for low, high in groups:
        current = [*kept, *parts[low:high]]
        merge.spans.append(_hull(current))
        merge.shared.append(sum(each[2] for each in kept))
        # a single piece is returned as it is
        kept = tails.tail(current) if overlap > 0 and len(parts) > 1 else []
    return merge


def _small_stop(one: int, two: int, least: int, most: int) -> Stop:
    if min(one, two) >= least:
        return Stop(min(one, two), least, is_large=True)
    return Stop(one + two, most)


def _merge_without_overlap(pieces: Pieces, most: int) -> Merge:
    n = len(pieces)
    sums = [0, *np.cumsum(pieces.counts).tolist()]
    merge = Merge([], [], [], [0] * n)
    low = 0
    while low < n:
        high = max(low + 1, bisect_right(sums, sums[low] + most, low + 1, n + 1) - 1)
        merge.groups.append((low, high))
        if high < n:
            merge.stops.append(Stop(sums[high + 1] - sums[low], most))
        low = high
    edges = np.array(merge.groups, np.int64).reshape(-1, 2)
    first, last = pieces.spans[edges[:, 0]], pieces.spans[edges[:, 1] - 1]
    hulls = np.stack([np.minimum(first[:, 0], last[:, 0]), np.maximum(first[:, 1], last[:, 1])])
    merge.spans = [(a, b) for a, b in hulls.T.tolist()]
    merge.shared = [0] * len(merge.groups)
    return merge


def _hull(parts: list[Part]) -> tuple[int, int]:
    one, two = parts[0], parts[-1]
    return min(one[0], two[0]), max(one[1], two[1])


@dataclass(frozen=True, slots=True)
class _Tails:
    tree: PieceTree
    overlap: int
    backward: bool

    def tail(self, parts: list[Part]) -> list[Part]:
        """The end of a chunk that the next one repeats, at most `overlap` units."""
        got: list[Part] = []
        length = 0
        for number, part in enumerate(reversed(parts)):
            must_split = part[2] > self.overlap
            if must_split and (number == 0 or length < self.overlap // 2):
                return [*self.end_of(part, self.overlap - length), *got]
            if length + part[2] > self.overlap:
                break
            got.insert(0, part)
            length += part[2]
        return got

    def end_of(self, part: Part, room: int) -> list[Part]:
        """As many pieces of one piece as there is room for, those nearest to the next chunk."""
        if room < 1:
            return []
        got: list[Part] = []
        length = 0
        for each in self.tree.walk(part[0], part[1], room, from_end=not self.backward):
            if length + each[2] > room:
                break
            got.insert(0, each)
            length += each[2]
        return got
