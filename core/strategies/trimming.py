# SPDX-License-Identifier: AGPL-3.0-or-later
"""Trimming of white space from the edges of spans, for all spans at once."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.arrays import Mask, Offsets, Spans, as_spans
from core.units.tokens import code_points, is_space

FEW = 1000  # characters a span: where there are fewer spans, no table is worth its time
STEPS = 4  # characters that are passed one by one, before the next solid one is searched for


class Solid:
    """Where a text is not white space, as `str.strip` sees it. One worker uses it at a time.

    The tables are made when many spans are trimmed; for a few, their ends are looked at.
    """

    def __init__(self, text: str) -> None:
        """Take a text."""
        self.text = text
        self._has_table = False

    @cached_property
    def end(self) -> int:
        """The end of the last solid character; 0 if there is none."""
        return len(self.text.rstrip())

    @cached_property
    def _is_space(self) -> NDArray[np.bool_]:
        """Bool (N + 1,): white space; the last entry, behind the text, is none."""
        self._has_table = True
        return np.append(is_space(code_points(self.text)), False)

    @cached_property
    def _places(self) -> Offsets:
        """int64 (s,): the offsets of the solid characters."""
        return np.flatnonzero(~self._is_space[:-1])

    def trim(self, spans: Spans) -> tuple[Spans, Mask]:
        """Trim spans, int64 (n, 2), at both ends.

        Returns:
            The trimmed spans, and bool (n,): which of them hold anything. The others are as given.
        """
        if not self._has_table and len(spans) <= len(self.text) // FEW:
            return self._trim_one_by_one(spans)
        starts, ends = self._next_solid(spans[:, 0]), self._behind_solid(spans[:, 1])
        solid = starts < ends
        trimmed = np.where(solid[:, None], np.stack([starts, ends], axis=1), spans)
        return trimmed, solid

    def _next_solid(self, offsets: Offsets) -> Offsets:
        """int64 (n,): the first solid character from each offset on; N if there is none.

        Most runs of white space are short: to step over them is quicker than to search.
        """
        found = offsets.copy()
        for _ in range(STEPS):
            inside = np.flatnonzero(self._is_space[found])
            if not len(inside):
                return found
            found[inside] += 1
        inside = np.flatnonzero(self._is_space[found])
        place = np.searchsorted(self._places, found[inside])
        found[inside] = np.append(self._places, len(self.text))[place]
        return found

    def _behind_solid(self, offsets: Offsets) -> Offsets:
        """int64 (n,): the end of the last solid character before each offset; 0 if there is none.

        The entry behind the text is read for what begins at 0: it is no white space.
        """
        found = offsets.copy()
        for _ in range(STEPS):
            inside = np.flatnonzero(self._is_space[found - 1])
            if not len(inside):
                return found
            found[inside] -= 1
        inside = np.flatnonzero(self._is_space[found - 1])
        place = np.searchsorted(self._places, found[inside])
        found[inside] = np.append(-1, self._places)[place] + 1
        return found

    def _trim_one_by_one(self, spans: Spans) -> tuple[Spans, Mask]:
        text = self.text
        trimmed, solid = [], []
        for low, high in spans.tolist():
            start, end = low, high
            while end > start and text[end - 1].isspace():
                end -= 1
            while start < end and text[start].isspace():
                start += 1
            solid.append(start < end)
            trimmed.append((start, end) if start < end else (low, high))
        return as_spans(trimmed), np.array(solid, np.bool_)
