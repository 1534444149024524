# SPDX-License-Identifier: AGPL-3.0-or-later
"""Ranges of whole numbers, many at a time."""

import numpy as np

from core.arrays import Indices


def ranges(low: Indices, high: Indices) -> Indices:
    """int64: the numbers from `low` to `high`, half-open, of all ranges, one after the other."""
    sizes = high - low
    ranks: Indices = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks + np.repeat(low, sizes)
