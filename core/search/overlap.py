# SPDX-License-Identifier: AGPL-3.0-or-later
"""Gold passages that are whole in a chunk only because neighbouring chunks share text."""

from core.arrays import Indices
from core.search.pool import Pool


def is_saved_by_overlap(
    pool: Pool, start: int, end: int, holders: Indices, *, least: float
) -> bool:
    """True if no chunk would hold a passage without the text that it shares with a neighbour.

    A chunk without overlap is what stands before its next neighbour begins, or what stands after
    the one before has ended: a passage that either of them holds is not saved by the overlap.
    Chunks within chunks (parents) are no neighbours.

    Args:
        pool: chunks on the axis; those of several spans are not looked at.
        start: of the passage, on the axis.
        end: of the passage.
        holders: int64 (h,), the chunks that hold it whole.
        least: share of the passage that counts as whole.
    """
    if not len(holders) or len(pool.spans) != len(pool):
        return False
    starts, ends = pool.spans[:, 0], pool.spans[:, 1]
    for low, high in pool.spans[holders].tolist():
        after = starts[(starts > low) & (starts < high) & (ends > high)]
        before = ends[(starts < low) & (ends > low) & (ends < high)]
        own = ((low, after.min(initial=high)), (before.max(initial=low), high))
        if any(min(end, b) - max(start, a) >= least * (end - start) for a, b in own):
            return False
    return True
