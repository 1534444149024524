# SPDX-License-Identifier: AGPL-3.0-or-later
"""The greedy merge of small pieces into chunks of at most a size, with overlap of whole pieces.

`spec/strategies.md` 3.10, procedure `merge`. Lengths are summed piece by piece, so over the
running sums each chunk is two bisections, whatever the number of its pieces.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices

FEW = 24  # runs: fewer are merged one after the other, more are merged side by side


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """n chunks as ranges of pieces, int64 (n,) each: `first` to `last`, half-open.

    stops: the length that the chunk would have with one more piece; −1 at the run's end.
    kept: the length of the pieces that it shares with the chunk before.
    runs: which run it is made of.
    """

    first: Indices
    last: Indices
    stops: Indices
    kept: Indices
    runs: Indices


def merge_runs(sums: Indices, low: Indices, high: Indices, *, size: int, overlap: int) -> Merged:
    """Merge the pieces of r runs, half-open, none of which is as long as `size`.

    Args:
        sums: int64 (p + 1,), running sums of the pieces' lengths.
        low: int64 (r,), the first piece of each run.
        high: int64 (r,), the piece after its last, above `low`.
        size: the greatest sum of a chunk.
        overlap: the greatest sum that the next chunk repeats; at most `size`.

    Returns:
        The chunks, not in the order of the text.
    """
    parts: list[tuple[Indices, ...]] = []
    first, kept, runs = low, np.zeros(len(low), np.int64), np.arange(len(low))
    while len(first) >= FEW:
        last = np.minimum(np.searchsorted(sums, sums[first] + size, side="right") - 1, high)
        goes_on = last < high
        stops = np.full(len(first), -1, np.int64)
        end, longer = sums[last[goes_on]], sums[last[goes_on] + 1]
        stops[goes_on] = longer - sums[first[goes_on]]
        parts.append((first, last, stops, kept, runs))
        least = np.maximum(end - overlap, longer - size)
        first = np.maximum(np.searchsorted(sums, least), first[goes_on])
        kept, high, runs = end - sums[first], high[goes_on], runs[goes_on]
    rest = zip(first.tolist(), high.tolist(), kept.tolist(), runs.tolist(), strict=True)
    for start, stop, shared, run in rest:
        own = _merge_run(sums[start : stop + 1].tolist(), shared, size=size, overlap=overlap)
        rows = np.array(own, np.int64)
        number = np.full(rows.shape[1], run)
        parts.append((rows[0] + start, rows[1] + start, rows[2], rows[3], number))
    columns = zip(*parts, strict=True) if parts else ([np.empty(0, np.int64)] for _ in range(5))
    return Merged(*(np.concatenate(column) for column in columns))


def _merge_run(sums: Sequence[int], kept: int, *, size: int, overlap: int) -> list[list[int]]:
    """First, last, stops and kept of the chunks of one run, as in `Merged`."""
    firsts: list[int] = []
    lasts: list[int] = []
    stops: list[int] = []
    shared: list[int] = []
    first, high = 0, len(sums) - 1
    while True:
        last = bisect_right(sums, sums[first] + size, first + 1) - 1
        firsts.append(first)
        lasts.append(last)
        shared.append(kept)
        if last >= high:
            stops.append(-1)
            return [firsts, lasts, stops, shared]
        end, longer = sums[last], sums[last + 1]
        stops.append(longer - sums[first])
        first = bisect_left(sums, max(end - overlap, longer - size), first, last)
        kept = end - sums[first]


def windows_of_characters(
    starts: Indices, ends: Indices, *, size: int, overlap: int
) -> tuple[Indices, Indices, Indices]:
    """The same merge where each piece is one character of length 1, for n runs at once.

    Args:
        starts: int64 (n,), where each run begins.
        ends: int64 (n,), where it ends.
        size: characters of a chunk, at least 2.
        overlap: characters shared with the next, at most `size`.

    Returns:
        Starts and ends of the m chunks, int64 (m,), and the run of each, int64 (m,).
    """
    step = max(1, size - overlap)  # the next character must have room
    numbers = 1 + np.maximum(0, -(-(ends - starts - size) // step))
    runs = np.repeat(np.arange(len(starts)), numbers)
    rank = np.arange(len(runs)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    first = starts[runs] + rank * step
    return first, np.minimum(first + size, ends[runs]), runs
