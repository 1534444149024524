# SPDX-License-Identifier: AGPL-3.0-or-later
"""Trimming of white space from the edges of spans, for all spans at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Mask, Spans
from core.units.tokens import code_points, is_space


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """Where the text is not white space, as `str.strip` sees it.

    next_start: int64 (N + 1,), the first solid character at or after each offset; N: none.
    last_end: int64 (N + 1,), the end of the last solid character before each offset; 0: none.
    """

    next_start: NDArray[np.int64]
    last_end: NDArray[np.int64]

    def trim(self, spans: Spans) -> tuple[Spans, Mask]:
        """Trim spans, int64 (n, 2), at both ends.

        Returns:
            The trimmed spans, and bool (n,): which of them hold anything. The others are as given.
        """
        starts, ends = self.next_start[spans[:, 0]], self.last_end[spans[:, 1]]
        solid = starts < ends
        trimmed = np.where(solid[:, None], np.stack([starts, ends], axis=1), spans)
        return trimmed, solid


def solid_table(text: str) -> Solid:
    """Find the white space of a text of N characters."""
    solid = ~is_space(code_points(text))
    offsets = np.arange(len(text), dtype=np.int64)
    next_start = np.full(len(text) + 1, len(text), np.int64)
    next_start[:-1] = np.where(solid, offsets, len(text))
    next_start = np.minimum.accumulate(next_start[::-1])[::-1]
    last_end = np.zeros(len(text) + 1, np.int64)
    last_end[1:] = np.maximum.accumulate(np.where(solid, offsets + 1, 0))
    return Solid(next_start, last_end)
