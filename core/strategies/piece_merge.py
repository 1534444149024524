# SPDX-License-Identifier: AGPL-3.0-or-later
"""Merging of pieces into chunks, and the overlap between them (`spec/metrics.md` 15.2, 15.3)."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from core.arrays import Indices, Mask, Spans, Values, as_spans
from core.strategies.piece_tree import Part, Pieces, PieceTree
from core.strategies.small_groups import join_small

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Merge:
    """The n chunks that merging gives, in list order.

    groups: int64 (n, 2), the pieces of each chunk, first and last + 1, overlap left out.
    spans: int64 (n, 2), with overlap. shared: int64 (n,), length units of the overlap at each
    chunk's beginning. values, bounds: int64 (n − 1,), what ended each chunk but the last: the
    length that was compared and the bound that it broke or met. is_large: bool (n − 1,), it ended
    because neither side was small, and not because it was full.
    """

    groups: Spans
    spans: Spans
    shared: Indices
    values: Indices
    bounds: Indices
    is_large: Mask

    def turned_round(self, pieces: int) -> "Merge":
        """The chunks of a backward merge, which was made of this many pieces, in text order."""
        return Merge(
            pieces - self.groups[::-1, ::-1],
            self.spans[::-1],
            self.shared[::-1],
            self.values[::-1],
            self.bounds[::-1],
            self.is_large[::-1],
        )


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
    spans, stops, shared, firsts = list[Span](), list[int](), [0], [0]
    current, total = list[Part](), 0
    for number, part in enumerate(pieces.parts()):
        if current and total + part[2] > most:
            spans.append(_hull(current))
            stops.append(total + part[2])
            kept = tails.tail(current)
            current = [*kept, part]
            total = tree.count(*_hull(current))
            shared.append(sum(each[2] for each in kept))
            firsts.append(number)
        else:
            current.append(part)
            total += part[2]
    if not current:
        return _merged([0], [], [], [], most)
    return _merged([*firsts, len(pieces)], [*spans, _hull(current)], shared, stops, most)


def merge_small_only(
    pieces: Pieces, tree: PieceTree, *, least: int, most: int, overlap: int, backward: bool
) -> Merge:
    """Join only pieces of fewer than `least` units with a neighbour, up to `most`."""
    found = join_small(pieces.counts.tolist(), least=least, most=most)
    parts = pieces.parts()
    spans, shared = list[Span](), list[int]()
    tails, kept = _Tails(tree, overlap, backward), list[Part]()
    for low, high in pairwise(found.edges):
        current = [*kept, *parts[low:high]]
        spans.append(_hull(current))
        shared.append(sum(each[2] for each in kept))
        # a single piece is returned as it is
        kept = tails.tail(current) if overlap > 0 and len(parts) > 1 else []
    sizes = np.array(found.sizes, np.int64)
    smaller, together = np.minimum(sizes[:-1], sizes[1:]), sizes[:-1] + sizes[1:]
    is_large = smaller >= least
    return replace(
        _merged(found.edges, spans, shared, np.where(is_large, smaller, together), most),
        bounds=np.where(is_large, least, most),
        is_large=is_large,
    )


def _merge_without_overlap(pieces: Pieces, most: int) -> Merge:
    running = np.concatenate([[0], np.cumsum(pieces.counts)])
    sums = running.tolist()
    edges = [0]
    while (low := edges[-1]) < len(pieces):
        edges.append(max(low + 1, bisect_right(sums, sums[low] + most, low + 1) - 1))
    firsts, lasts = np.array(edges[:-1], np.int64), np.array(edges[1:], np.int64)
    one, two = pieces.spans[firsts], pieces.spans[lasts - 1]
    spans = np.stack([np.minimum(one[:, 0], two[:, 0]), np.maximum(one[:, 1], two[:, 1])], axis=1)
    stops = running[lasts[:-1] + 1] - running[firsts[:-1]]
    return _merged(edges, spans, np.zeros(len(firsts)), stops, most)


def _merged(
    edges: Sequence[int],
    spans: Sequence[Span] | Spans,
    shared: Sequence[int] | Values,
    stops: Sequence[int] | Indices,
    most: int,
) -> Merge:
    """Chunks that ended because one more piece would have made them longer than `most`."""
    return Merge(
        np.stack([edges[:-1], edges[1:]], axis=1).astype(np.int64),
        as_spans(spans),
        np.array(shared, np.int64),
        np.array(stops, np.int64),
        np.full(len(stops), most),
        np.zeros(len(stops), np.bool_),
    )


def _hull(parts: list[Part]) -> Span:
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
