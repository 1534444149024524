# SPDX-License-Identifier: AGPL-3.0-or-later
"""Parent-child chunking (PCC): recursive chunks, and recursive chunks inside each of them.

`spec/strategies.md` 3.12. The children of all parents are made in one go: the parents' slices are
set end to end, as the roots of one set of nested pieces, and the chunks are moved back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans
from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import LEVELS, Chunks, join_reasons, one_span_chunks
from core.strategies.nested_pieces import (
    NOT_COUNTED,
    Level,
    NestedPieces,
    literal,
    running_sums,
)
from core.strategies.ranges import ranges
from core.strategies.recursive import (
    DEFAULT_SEPARATORS,
    RecursivePieces,
    recursive_pieces,
)
from core.strategies.recursive_merge import Placed, as_chunks, split_recursively
from core.strategies.registry import strategy
from core.strategies.sizes import LENGTH_UNIT
from core.strategies.source import Source

PCC = Declaration(
    code="PCC",
    name="Parent-child chunking",
    family="recursive",
    strategy_class="instant",
    source="Chunking study (CB), Tables 1 and 2; released code, commit 9a8f4c8",
    help="Recursive chunks, the parents, and recursive chunks of each parent's text, the children. "
    "The overlap of 20 is in the code, not in the paper. The code indexes parents and children "
    "alike; the paper retrieves children: index says which.",
    parameters=(
        Parameter(
            "parent",
            default=500,
            minimum=2,
            maximum=100_000,
            step=10,
            unit="length units",
            help="Size of the parents",
        ),
        Parameter(
            "child",
            default=100,
            minimum=1,
            maximum="parent - 1",
            step=5,
            unit="length units",
            help="Size of the children",
        ),
        Parameter(
            "overlap",
            default=20,
            minimum=0,
            maximum="child - 1",
            step=1,
            unit="length units",
            help="Overlap on both levels, in whole pieces",
        ),
        Parameter(
            "index",
            default="children",
            type="choice",
            choices=("children", "parents", "both"),
            help="Which level a search finds; the spans are the same",
        ),
        LENGTH_UNIT,
    ),
    presets=(
        Preset(
            "CB, as published code", {"parent": 500, "child": 100, "overlap": 20, "index": "both"}
        ),
        Preset("CB Table 1, without overlap", {"parent": 500, "child": 100, "overlap": 0}),
        Preset(
            "CB Table 1, in tokens as its legend",
            {"parent": 500, "child": 100, "length_unit": "cl100k_base"},
        ),
    ),
)


def prepare_parents(source: Source, *, length_unit: str) -> RecursivePieces:
    """Find the pieces of the whole text; those of the parents are parts of them."""
    return recursive_pieces(source, [literal(each) for each in DEFAULT_SEPARATORS], length_unit)


@strategy(PCC, prepare=prepare_parents)
def cut_parents_and_children(
    prepared: RecursivePieces, *, parent: int, child: int, overlap: int, index: str
) -> Chunks:
    """Cut the parents, then the children of each, and list each parent before its children."""
    parents = prepared.chunks(size=parent, overlap=overlap)
    if not len(parents):
        return parents
    roots = parents.spans
    bases = np.concatenate([[0], np.cumsum(roots[:, 1] - roots[:, 0])])
    inner = [_inner_edges(level, roots) for level in prepared.pieces.levels]
    pieces = _inside(prepared.pieces, inner, roots, bases)
    found = split_recursively(pieces, size=child, overlap=overlap)
    _keep_counts(prepared.pieces, inner, pieces)
    owners = np.searchsorted(bases, found.spans[:, 0], side="right") - 1
    placed = Placed(found.spans + (roots[:, 0] - bases[:-1])[owners][:, None], owners)
    children = as_chunks(
        found, prepared.pieces, prepared.edges, size=child, overlap=overlap, placed=placed
    )
    return _interleave(parents, children, children.primaries)


@dataclass(frozen=True, slots=True, eq=False)
class _InnerEdges:
    """The n edges of one level that lie inside r roots.

    which: int64 (n,), all of them. counts: int64 (r,), how many are inside each root.
    firsts: int64 (r + 1,), each root's first piece, where a root of k edges has k + 1 pieces.
    shifts: int64 (r,), what is added to an edge's number to have that of its piece.
    at_root: bool (n + r + 1,), True for the pieces that begin with their root, and at the end.
    cut_off: int64 (c,), the last pieces of those roots that end inside a piece.
    """

    which: Indices
    counts: Indices
    firsts: Indices
    shifts: Indices
    at_root: Mask
    cut_off: Indices

    def filled(self, inside: Indices, at_roots: Indices) -> Indices:
        """int64: one value a piece, or edge: those of the n edges, and of the roots' own."""
        at_root = self.at_root[: len(self.which) + len(at_roots)]
        values = np.empty(len(at_root), np.int64)
        values[at_root], values[~at_root] = at_roots, inside
        return values


def _inner_edges(level: Level, roots: Spans) -> _InnerEdges:
    low = np.searchsorted(level.edges, roots[:, 0], side="right")
    high = np.searchsorted(level.edges, roots[:, 1], side="left")
    firsts = np.concatenate([[0], np.cumsum(high - low + 1)])
    at_root = np.zeros(firsts[-1] + 1, np.bool_)
    at_root[firsts] = True
    cut_off = firsts[1:][level.edges[high] > roots[:, 1]] - 1
    return _InnerEdges(
        ranges(low, high), high - low, firsts, firsts[:-1] + 1 - low, at_root, cut_off
    )


def _inside(
    pieces: NestedPieces, inner: Sequence[_InnerEdges], roots: Spans, bases: Offsets
) -> NestedPieces:
    """The pieces inside each root, a span int64 (r, 2), with the roots set end to end.

    A root begins and ends with a solid character, so no separator crosses its edges, and what is
    found in it alone is what was found in the whole text. Nothing is searched for but the roots:
    what is inside what is known from the whole text.
    """
    levels = []
    for number, (level, own) in enumerate(zip(pieces.levels, inner, strict=True)):
        shift = np.repeat(bases[:-1] - roots[:, 0], own.counts)
        edges = own.filled(level.edges[own.which] + shift, bases)
        sums, lengths = edges, np.diff(edges)
        if pieces.counter is not None:
            lengths = own.filled(level.lengths[own.which], np.full(len(roots), NOT_COUNTED))
            lengths[own.cut_off] = NOT_COUNTED
            sums = running_sums(lengths)
        whole = np.repeat(own.counts == 0, own.counts + 1)
        children = None
        if level.children is not None:
            below = inner[number + 1]
            places = level.children[own.which] + np.repeat(below.shifts, own.counts)
            children = own.filled(places, below.firsts)
        levels.append(Level(level.label, edges, lengths, sums, whole, children))
    text = "" if pieces.counter is None else "".join(pieces.text[a:b] for a, b in roots.tolist())
    return replace(pieces, text=text, roots=inner[0].firsts, levels=tuple(levels))


def _keep_counts(pieces: NestedPieces, inner: Sequence[_InnerEdges], inside: NestedPieces) -> None:
    """Keep what was counted inside the roots for the next cut."""
    if pieces.counter is None:
        return
    for level, own, counted in zip(pieces.levels, inner, inside.levels, strict=True):
        found = counted.lengths.copy()
        found[own.cut_off] = NOT_COUNTED
        found = found[~own.at_root[:-1]]
        new = (found != NOT_COUNTED) & (level.lengths[own.which] == NOT_COUNTED)
        if new.any():
            level.lengths[own.which[new]] = found[new]
            level.sums = running_sums(level.lengths)


def _interleave(parents: Chunks, children: Chunks, owners: Indices) -> Chunks:
    """Each parent followed by its children; `owners`, int64 (children,), are ascending."""
    n = len(parents)
    is_child = np.ones(n + len(owners), np.bool_)
    place_of_parent = np.arange(n) + np.searchsorted(owners, np.arange(n))
    is_child[place_of_parent] = False
    order = np.empty(len(is_child), np.int64)
    order[is_child], order[~is_child] = np.arange(n, len(order)), np.arange(n)
    parent_of = np.full(len(order), -1, np.int64)
    parent_of[is_child] = place_of_parent[owners]
    levels = np.where(is_child, LEVELS.index("child"), LEVELS.index("parent")).astype(np.int8)
    # where a child begins or ends with its parent, the parent's reason is the reason
    begins = parents.spans[owners, 0] == children.spans[:, 0]
    ends = parents.spans[owners, 1] == children.spans[:, 1]
    own = np.arange(n, n + len(owners))
    rows = np.arange(n)
    from_start = np.concatenate([rows, np.where(begins, owners, own)])
    from_end = np.concatenate([rows, np.where(ends, owners, own)])
    start_reasons = join_reasons([parents.start_reasons, children.start_reasons])
    end_reasons = join_reasons([parents.end_reasons, children.end_reasons])
    return one_span_chunks(
        np.concatenate([parents.spans, children.spans])[order],
        start_reasons.take(from_start[order]),
        end_reasons.take(from_end[order]),
        levels=levels,
        parents=parent_of,
    )
