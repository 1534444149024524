# SPDX-License-Identifier: AGPL-3.0-or-later
"""Cosines in float64, 0 where a vector is zero (`spec/strategies.md` 1.6, 8.1)."""

import numpy as np
from numpy.typing import NDArray

from core.arrays import Values, Vectors


def unit_rows(vectors: Vectors) -> NDArray[np.float64]:
    """The rows with length 1 in float64, (n, d); a zero row stays zero."""
    rows = vectors.astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    norms[norms == 0] = 1.0
    rows /= norms[:, None]
    return rows


def neighbour_cosines(vectors: Vectors) -> Values:
    """float64 (n − 1,): the cosine of each vector, (n, d), and the next; empty below two."""
    if len(vectors) < 2:
        return np.empty(0)
    rows = unit_rows(vectors)
    cosines: Values = np.einsum("ij,ij->i", rows[:-1], rows[1:])
    return cosines
