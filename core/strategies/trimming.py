# SPDX-License-Identifier: AGPL-3.0-or-later
"""Trimming of white space from the edges of spans, for all spans at once."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Mask, Offsets, Spans
from core.units.tokens import code_points, is_space


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """Where a text of N characters is not white space, as `str.strip` sees it.

    places: int64 (s + 2,), −1, the offsets of the solid characters, and N.
    """

    places: Offsets

    @property
    def end(self) -> int:
        """The end of the last solid character; 0 if there is none."""
        return int(self.places[-2]) + 1

    def trim(self, spans: Spans) -> tuple[Spans, Mask]:
        """Trim spans, int64 (n, 2), at both ends.

        Returns:
            The trimmed spans, and bool (n,): which of them hold anything. The others are as given.
        """
        inside = self.places[1:-1]
        starts = self.places[np.searchsorted(inside, spans[:, 0]) + 1]
        ends = self.places[np.searchsorted(inside, spans[:, 1])] + 1
        solid = starts < ends
        trimmed = np.where(solid[:, None], np.stack([starts, ends], axis=1), spans)
        return trimmed, solid


def solid_table(text: str) -> Solid:
    """Find the white space of a text."""
    return padded(np.flatnonzero(~is_space(code_points(text))), len(text))


def padded(offsets: Offsets, length: int) -> Solid:
    """The table of a text of `length` characters whose solid ones are at `offsets`, int64 (s,)."""
    return Solid(np.concatenate([[-1], offsets, [length]]))
