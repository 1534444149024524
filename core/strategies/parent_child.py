# SPDX-License-Identifier: AGPL-3.0-or-later
"""Parent-child chunking (PCC): recursive chunks, and recursive chunks inside each of them.

`spec/strategies.md` 3.12. The children of all parents are made in one go: the parents' slices are
set end to end, as the roots of one set of nested pieces, and the chunks are moved back.
"""

import numpy as np

from core.arrays import Indices, Offsets, Spans
from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import LEVELS, Chunks, join_reasons, one_span_chunks
from core.strategies.nested_pieces import NestedPieces, link_levels, literal
from core.strategies.ranges import ranges
from core.strategies.recursive import (
    DEFAULT_SEPARATORS,
    LENGTH_UNIT,
    RecursivePieces,
    recursive_pieces,
)
from core.strategies.recursive_merge import Placed, as_chunks, split_recursively
from core.strategies.registry import strategy
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
    pieces = _inside(prepared.pieces, roots, bases)
    found = split_recursively(pieces, size=child, overlap=overlap)
    owners = np.searchsorted(bases, found.spans[:, 0], side="right") - 1
    placed = Placed(found.spans + (roots[:, 0] - bases[:-1])[owners][:, None], owners)
    children = as_chunks(found, pieces, prepared.solid, size=child, overlap=overlap, placed=placed)
    return _interleave(parents, children, children.primaries)


def _inside(pieces: NestedPieces, roots: Spans, bases: Offsets) -> NestedPieces:
    """The pieces inside each root, a span int64 (r, 2), with the roots set end to end.

    A root begins and ends with a solid character, so no separator crosses its edges, and what is
    found in it alone is what was found in the whole text.
    """
    edges, wholes = [bases], []
    for level in pieces.levels:
        low = np.searchsorted(level.edges, roots[:, 0], side="right")
        high = np.searchsorted(level.edges, roots[:, 1], side="left")
        within = ranges(low, high)
        shift = np.repeat(bases[:-1] - roots[:, 0], high - low)
        begins = np.append(0, np.cumsum(high - low + 1))  # each root's edge, then those inside it
        own = np.empty(begins[-1] + 1, np.int64)
        is_inside = np.ones(len(own), np.bool_)
        is_inside[begins] = False
        own[begins], own[is_inside] = bases, level.edges[within] + shift
        edges.append(own)
        wholes.append(np.repeat(high == low, high - low + 1))
    text = "".join(pieces.text[a:b] for a, b in roots.tolist())
    levels = link_levels([level.label for level in pieces.levels], edges, wholes, pieces.counter)
    return NestedPieces(text, levels, pieces.by_characters, pieces.unit, pieces.counter)


def _interleave(parents: Chunks, children: Chunks, owners: Indices) -> Chunks:
    """Each parent followed by its children; `owners`, int64 (children,), are ascending."""
    n = len(parents)
    order = np.argsort(np.concatenate([np.arange(n), owners]), kind="stable")
    is_child = order >= n
    place_of_parent = np.flatnonzero(~is_child)
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
