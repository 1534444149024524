# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks of split-then-merge with their reasons (`spec/metrics.md` 15.4).

Each boundary tells the separator that made the cut, the text that it matched, and the length at
which merging stopped.
"""

from functools import lru_cache

import numpy as np

from core.arrays import Indices, Offsets
from core.strategies.chunks import Chunks, Reasons, Rule, laid_over, one_span_chunks, reasons
from core.strategies.piece_merge import Merge
from core.strategies.piece_tree import Pieces, PieceTree


def merged_chunks(
    merge: Merge, pieces: Pieces, tree: PieceTree, unit: str, *, overlap: int, backward: bool
) -> Chunks:
    """Chunks with reasons: the separator of each boundary and the length that ended the merging.

    The overlap lies at the beginning of the later chunk, in backward order at the end of the
    earlier one.
    """
    n = len(merge.groups)
    shared = merge.shared
    inner = boundary_reasons(merge, pieces, tree, unit)
    starts, ends = np.arange(-1, n - 1), np.append(np.arange(n - 1), -1)[:n]
    plain_starts, plain_ends = inner.take(starts), inner.take(ends)
    if overlap < 1 or not shared.any():
        return one_span_chunks(merge.spans, plain_starts, plain_ends)
    rule = Rule(
        "overlap", f"{{value:,.0f}} {unit} of the neighbour are repeated, <= {{threshold:,.0f}}"
    )
    repeats = reasons(
        rule,
        n,
        which=np.where(shared > 0, 0, -1),
        values=shared.astype(float),
        thresholds=float(overlap),
    )
    if backward:
        plain_ends = laid_over(plain_ends, repeats)
    else:
        plain_starts = laid_over(plain_starts, repeats)
    return one_span_chunks(merge.spans, plain_starts, plain_ends)


def boundary_reasons(merge: Merge, pieces: Pieces, tree: PieceTree, unit: str) -> Reasons:
    """Reasons of the boundaries between the chunks of a merge, in its order."""
    firsts = merge.groups[1:, 0]
    levels = pieces.levels[firsts]
    number = len(tree.separators)
    side = "before" if tree.attach == "start" else "after"
    return reasons(
        _rules(tuple(each.label for each in tree.separators), side, unit),
        len(firsts),
        which=np.where(levels < 0, number, levels) + merge.is_large * (number + 1),
        values=merge.values.astype(np.float64),
        thresholds=merge.bounds.astype(np.float64),
        details=_matched(tree.text, pieces, firsts),
    )


def removed_boundaries(
    chunks: Chunks, pieces: Pieces, tree: PieceTree, unit: str, *, most: int
) -> tuple[Offsets, Reasons]:
    """The boundaries between pieces that merging removed: ghosts, with the data of the others.

    Args:
        chunks: what was made of the pieces, without overlap.
        pieces: of the whole text, in its order.
        tree: made the pieces.
        unit: the unit's name in sentences.
        most: the greatest length of a chunk.

    Returns:
        int64 (n,), the offsets, and their reasons: the value is the length of the chunk up to the
        end of the piece that begins there.
    """
    removed = np.flatnonzero(~np.isin(pieces.spans[:, 0], chunks.starts))
    sums = np.concatenate([[0], np.cumsum(pieces.counts)])
    owner = np.searchsorted(chunks.starts, pieces.spans[removed, 0], side="right") - 1
    first = np.searchsorted(pieces.spans[:, 0], chunks.starts[owner])
    number = len(tree.separators)
    levels = pieces.levels[removed]
    side = "before" if tree.attach == "start" else "after"
    rules = tuple(
        Rule(
            f"merged, level {level + 1}",
            f"merged: {{value:,.0f}} {unit} <= {{threshold:,.0f}}; no {place}",
        )
        for level, place in enumerate(_places(tuple(e.label for e in tree.separators), side))
    )
    ghosts = reasons(
        rules,
        len(removed),
        which=np.where(levels < 0, number, levels),
        values=(sums[removed + 1] - sums[first]).astype(np.float64),
        thresholds=float(most),
        details=_matched(tree.text, pieces, removed),
    )
    return pieces.spans[removed, 0], ghosts


def _matched(text: str, pieces: Pieces, which: Indices) -> list[str]:
    """What the separators before these pieces matched, as the user reads it."""
    spans = pieces.matches[which].tolist()
    return [repr(text[a:b]) if b > a else "nothing" for a, b in spans]


def _places(separators: tuple[str, ...], side: str) -> list[str]:
    """Words for a cut at each separator, and for one between characters."""
    number = len(separators)
    labels = [label.replace("{", "{{").replace("}", "}}") for label in separators]
    at_separators = [
        f"cut {side} {{detail}} (separator {level + 1} of {number}: {label})"
        for level, label in enumerate(labels)
    ]
    return [*at_separators, "cut between two characters, where no separator was left"]


@lru_cache(maxsize=32)
def _rules(separators: tuple[str, ...], side: str, unit: str) -> tuple[Rule, ...]:
    """Two rules for each separator and for a cut between characters: full, and not small."""
    places = _places(separators, side)
    full = [
        Rule(
            f"full, level {level + 1}",
            f"with the next piece {{value:,.0f}} {unit} > {{threshold:,.0f}}; {place}",
        )
        for level, place in enumerate(places)
    ]
    large = [
        Rule(
            f"not small, level {level + 1}",
            f"neither side is small: {{value:,.0f}} {unit} >= {{threshold:,.0f}}; {place}",
        )
        for level, place in enumerate(places)
    ]
    return (*full, *large)
