# SPDX-License-Identifier: AGPL-3.0-or-later
"""Trimming of white space from the edges of spans, for all spans at once."""

import numpy as np

from core.arrays import Mask, Offsets, Spans, as_spans
from core.units.tokens import code_points, is_space

FEW = 1000  # characters a span: where there are fewer spans, no table is worth its time


class Solid:
    """Where a text is not white space, as `str.strip` sees it. One worker uses it at a time.

    The table of places is made when many spans are trimmed; for a few, their ends are looked at.
    """

    def __init__(self, text: str) -> None:
        """Take a text."""
        self.text = text
        self._places: Offsets | None = None

    @property
    def places(self) -> Offsets:
        """int64 (s + 2,): −1, the offsets of the solid characters, and the text's length."""
        if self._places is None:
            self._places = solid_places(self.text)
        return self._places

    @property
    def end(self) -> int:
        """The end of the last solid character; 0 if there is none."""
        return len(self.text.rstrip())

    def trim(self, spans: Spans) -> tuple[Spans, Mask]:
        """Trim spans, int64 (n, 2), at both ends.

        Returns:
            The trimmed spans, and bool (n,): which of them hold anything. The others are as given.
        """
        if self._places is None and len(spans) <= len(self.text) // FEW:
            return self._trim_one_by_one(spans)
        inside = self.places[1:-1]
        starts = self.places[np.searchsorted(inside, spans[:, 0]) + 1]
        ends = self.places[np.searchsorted(inside, spans[:, 1])] + 1
        solid = starts < ends
        trimmed = np.where(solid[:, None], np.stack([starts, ends], axis=1), spans)
        return trimmed, solid

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


def solid_places(text: str) -> Offsets:
    """int64 (s + 2,): −1, the offsets of the s solid characters, and the text's length."""
    offsets = np.flatnonzero(~is_space(code_points(text)))
    return np.concatenate([[-1], offsets, [len(text)]])
