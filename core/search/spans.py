# SPDX-License-Identifier: AGPL-3.0-or-later
"""Lengths of unions and intersections of spans on one axis."""

import numpy as np

from core.arrays import Indices, Offsets, Spans


def merged(spans: Spans) -> Spans:
    """The union of spans, int64 (n, 2), as disjoint spans that do not touch, ascending."""
    spans = spans[spans[:, 1] > spans[:, 0]]
    if len(spans) < 2:
        return spans
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    reach = np.maximum.accumulate(spans[:, 1])
    begins = np.concatenate([[True], spans[1:, 0] > reach[:-1]])
    first = np.flatnonzero(begins)
    last = np.concatenate([first[1:], [len(spans)]]) - 1
    return np.column_stack([spans[first, 0], reach[last]])


def total(spans: Spans) -> int:
    """The sum of the lengths; what overlaps counts each time."""
    return int((spans[:, 1] - spans[:, 0]).sum())


def length_below(union: Spans, offsets: Offsets) -> Offsets:
    """int64: how much of a merged union lies before each offset."""
    if not len(union):
        return np.zeros_like(offsets)
    before = np.concatenate([[0], np.cumsum(union[:, 1] - union[:, 0])])
    which = np.searchsorted(union[:, 0], offsets, side="right") - 1
    inside = np.minimum(offsets, union[which, 1]) - union[which, 0]
    below: Offsets = np.where(which < 0, 0, before[which] + np.maximum(inside, 0))
    return below


def shared(one: Spans, other: Spans) -> int:
    """The length of the intersection of two merged unions."""
    if not len(one) or not len(other):
        return 0
    below = length_below(other, one)
    return int((below[:, 1] - below[:, 0]).sum())


def overlaps(spans: Spans, start: int, end: int) -> Indices:
    """int64 (n,): how much of each span lies in [start, end)."""
    shares: Indices = np.minimum(spans[:, 1], end) - np.maximum(spans[:, 0], start)
    return np.maximum(shares, 0)
