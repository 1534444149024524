# SPDX-License-Identifier: AGPL-3.0-or-later
"""Names of the array types that cross module borders. Offsets are code points of the text."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n,), code points
Spans = NDArray[np.int64]  # (n, 2), half-open, code points
Indices = NDArray[np.int64]  # (n,)
Values = NDArray[np.float64]  # (n,)
Vectors = NDArray[np.float32]  # (n, d)
Boxes = NDArray[np.float32]  # (n, 4): x0, y0, x1, y1 in points, display frame
# (n, 4, 2): corners along the text: start top, end top, end bottom, start bottom
Quads = NDArray[np.float32]
Mask = NDArray[np.bool_]  # (n,)


def as_spans(pairs: Sequence[Any] | NDArray[Any]) -> Spans:
    """Make spans, int64 (n, 2), from pairs of offsets; an empty input gives (0, 2)."""
    return np.asarray(pairs, dtype=np.int64).reshape(-1, 2)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Mark `array` read-only, because a cache shares it, and return it."""
    array.setflags(write=False)
    return array
