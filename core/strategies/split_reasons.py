# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks of split-then-merge with their reasons (`spec/metrics.md` 15.4).

Each boundary tells the separator that made the cut, the text that it matched, and the length at
which merging stopped.
"""

from functools import lru_cache

import numpy as np

from core.arrays import Indices, as_spans
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
    firsts = np.array([low for low, _ in merge.groups], np.int64)
    inner = boundary_reasons(merge, pieces, tree, unit, firsts[1:])
    shared = np.array(merge.shared, np.int64)
    starts, ends = np.arange(-1, n - 1), np.append(np.arange(n - 1), -1)[:n]
    plain_starts, plain_ends = inner.take(starts), inner.take(ends)
    if overlap < 1 or not shared.any():
        return one_span_chunks(as_spans(merge.spans), plain_starts, plain_ends)
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
    return one_span_chunks(as_spans(merge.spans), plain_starts, plain_ends)


def boundary_reasons(
    merge: Merge, pieces: Pieces, tree: PieceTree, unit: str, firsts: Indices
) -> Reasons:
    """Reasons of the boundaries before the pieces `firsts`, int64 (n,), in the merge's order."""
    levels = pieces.levels[firsts]
    number = len(tree.separators)
    side = "before" if tree.attach == "start" else "after"
    large = np.array([stop.is_large for stop in merge.stops], np.bool_)
    details = tuple(
        repr(tree.text[a:b]) if b > a else "nothing" for a, b in pieces.matches[firsts].tolist()
    )
    return reasons(
        _rules(tuple(each.label for each in tree.separators), side, unit),
        len(firsts),
        which=np.where(levels < 0, number, levels) + large * (number + 1),
        values=np.array([stop.value for stop in merge.stops], np.float64),
        thresholds=np.array([stop.bound for stop in merge.stops], np.float64),
        details=details,
    )


@lru_cache(maxsize=32)
def _rules(separators: tuple[str, ...], side: str, unit: str) -> tuple[Rule, ...]:
    """Two rules for each separator and for a cut between characters: full, and not small."""
    number = len(separators)
    labels = [label.replace("{", "{{").replace("}", "}}") for label in separators]
    places = [
        f"cut {side} {{detail}} (separator {level + 1} of {number}: {label})"
        for level, label in enumerate(labels)
    ] + ["cut between two characters, where no separator was left"]
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
