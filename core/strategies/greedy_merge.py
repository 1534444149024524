# SPDX-License-Identifier: AGPL-3.0-or-later
"""The greedy merge of small pieces into chunks of at most a size, with overlap of whole pieces.

`spec/strategies.md` 3.10, procedure `merge`. Lengths are summed piece by piece, so over the
running sums each chunk is two bisections, whatever the number of its pieces.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.arrays import Indices


@dataclass(slots=True)
class Merged:
    """Chunks as ranges of pieces: `first` to `last`, half-open.

    `stops`: the length that the chunk would have with one more piece; −1 at the run's end.
    `kept`: the length of the pieces that it shares with the chunk before.
    """

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)

    def run(self, sums: Sequence[int], low: int, high: int, *, size: int, overlap: int) -> None:
        """Merge the pieces `low` to `high` (half-open), each shorter than `size`.

        Args:
            sums: running sums of the pieces' lengths; piece i is `sums[i + 1] - sums[i]` long.
            low: the first piece.
            high: the piece after the last.
            size: the greatest sum of a chunk.
            overlap: the greatest sum that the next chunk repeats; below `size`.
        """
        first, kept = low, 0
        while True:
            last = bisect_right(sums, sums[first] + size, first + 1, high + 1) - 1
            self.first.append(first)
            self.last.append(last)
            self.kept.append(kept)
            if last >= high:
                self.stops.append(-1)
                return
            longer = sums[last + 1]
            self.stops.append(longer - sums[first])
            first = bisect_left(sums, max(sums[last] - overlap, longer - size), first, last)
            kept = sums[last] - sums[first]


def windows_of_characters(
    starts: Indices, ends: Indices, *, size: int, overlap: int
) -> tuple[Indices, Indices, Indices]:
    """The same merge where each piece is one character of length 1, for n runs at once.

    Args:
        starts: int64 (n,), where each run begins.
        ends: int64 (n,), where it ends.
        size: characters of a chunk, at least 2.
        overlap: characters shared with the next, below `size`.

    Returns:
        Starts and ends of the m chunks, int64 (m,), and the run of each, int64 (m,).
    """
    step = size - overlap
    numbers = 1 + np.maximum(0, -(-(ends - starts - size) // step))
    runs = np.repeat(np.arange(len(starts)), numbers)
    rank = np.arange(len(runs)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    first = starts[runs] + rank * step
    return first, np.minimum(first + size, ends[runs]), runs
