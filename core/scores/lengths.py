# SPDX-License-Identifier: AGPL-3.0-or-later
"""Lengths of spans and texts in the unit of a scoring."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from core.arrays import Indices, Spans
from core.scores.inputs import ScoreInputs


class Lengths(Protocol):
    """Measures pieces of one text in one unit."""

    def of_texts(self, texts: Sequence[str]) -> Indices:
        """int64 (n,): units of each text."""

    def of_spans(self, spans: Spans, role: str) -> Indices:
        """int64 (n,): units of each span, int64 (n, 2); `role` says what the spans are."""


class FreshLengths:
    """Measures everything that it is asked for; equal texts are still counted once."""

    def __init__(self, inputs: ScoreInputs, unit: str) -> None:
        self._inputs = inputs
        self._unit = unit

    def of_texts(self, texts: Sequence[str]) -> Indices:
        """int64 (n,): units of each text."""
        return self._inputs.counts(texts, self._unit)

    def of_spans(self, spans: Spans, role: str) -> Indices:
        """int64 (n,): units of each span, int64 (n, 2)."""
        text = self._inputs.text
        return self.of_texts([text[a:b] for a, b in spans.tolist()])


class FollowingLengths(FreshLengths):
    """Measures only the spans that are not those of the last time, in each role."""

    def __init__(self, inputs: ScoreInputs, unit: str) -> None:
        super().__init__(inputs, unit)
        self._last: dict[str, tuple[Spans, Indices]] = {}

    def of_spans(self, spans: Spans, role: str) -> Indices:
        """int64 (n,): units of each span, int64 (n, 2)."""
        units = np.empty(len(spans), np.int64)
        known_spans, known = self._last.get(role, (spans[:0], units[:0]))
        before, after = common_rows(known_spans, spans)
        end = len(spans) - after
        units[:before] = known[:before]
        units[before:end] = super().of_spans(spans[before:end], role)
        units[end:] = known[len(known) - after :]
        self._last[role] = spans, units
        return units


def common_rows(old: Spans, new: Spans) -> tuple[int, int]:
    """How many rows of two arrays, int64 (n, 2), are equal at the start and, then, at the end."""
    shorter = min(len(old), len(new))
    before = _leading((old[:shorter] == new[:shorter]).all(axis=1))
    rest = shorter - before
    if not rest:
        return before, 0
    return before, _leading((old[-rest:] == new[-rest:]).all(axis=1)[::-1])


def _leading(same: np.ndarray) -> int:
    """How many rows are true before the first that is not."""
    return len(same) if same.all() else int(np.argmin(same))
