# SPDX-License-Identifier: AGPL-3.0-or-later
"""Values of a parameter along a line, as a slider and the strip below it show them."""

import math

import numpy as np
from numpy.typing import NDArray

from core.declaration import Parameter

LOGARITHMIC_FROM = 500  # a range this many times its least value is logarithmic
MOST_SAMPLES = 129  # values of a range that are tried, unless all its steps are fewer than
EXACT_UP_TO = 201


class Scale:
    """Between positions of a slider, 0 to 1, and values of a parameter."""

    def __init__(self, parameter: Parameter, low: float, high: float) -> None:
        self.low, self.high = low, max(low, high)
        self._is_whole = parameter.type == "integer"
        self._step = parameter.step
        self.is_logarithmic = low >= 0 and high > LOGARITHMIC_FROM * max(low, 1)

    def position(self, value: float) -> float:
        """0 to 1."""
        return float(self.positions(np.array(value)))

    def positions(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """0 to 1 for each of the values, whatever their shape."""
        if self.high <= self.low:
            return np.zeros_like(values, dtype=np.float64)
        if self.is_logarithmic:
            above = np.maximum(0, values - self.low)
            return np.log1p(above) / math.log1p(self.high - self.low)
        return (values - self.low) / (self.high - self.low)

    def value(self, position: float) -> float:
        """The value at a position, on a step of the parameter."""
        if self.is_logarithmic:
            raw = self.low + math.expm1(position * math.log1p(self.high - self.low))
            raw = float(f"{raw:.2g}") if raw > 20 else raw
        else:
            raw = self.low + position * (self.high - self.low)
        if self._is_whole:
            raw = round(raw)
        elif not self.is_logarithmic and self._step < 1:
            raw = round(raw / self._step) * self._step
        return min(max(raw, self.low), self.high)

    def samples(self) -> tuple[list[float], bool]:
        """Ascending values over the whole range, and whether they are all of its steps."""
        if self.high <= self.low:
            return [self.low], True
        step = 1.0 if self._is_whole else self._step
        steps = round((self.high - self.low) / step) + 1
        if steps <= EXACT_UP_TO:
            values = [self.low + k * step for k in range(steps)]
            return [min(round(value, 10), self.high) for value in values], True
        count = MOST_SAMPLES - 1
        values = [self.value(k / count) for k in range(count + 1)]
        return sorted(set(values)), False


def coarse_to_fine(count: int) -> list[int]:
    """The numbers 0 to `count` − 1: the ends, the middle, the quarters, and so on."""
    order: dict[int, None] = dict.fromkeys((0, count - 1) if count > 1 else range(count))
    parts = 2
    while len(order) < count:
        order.update(dict.fromkeys(k * (count - 1) // parts for k in range(1, parts)))
        parts *= 2
    return list(order)
