# SPDX-License-Identifier: AGPL-3.0-or-later
"""Heat: how much each chunk lacks of one score, as colours for table, thumbnails and margin."""

import math

import numpy as np
from PySide6.QtGui import QColor

from core.arrays import Values
from gui.state import SlotResult, State
from gui.theme import Theme

FAINTEST, STRONGEST = 0.06, 0.9  # opacity of a chunk that lacks nothing, and of one that lacks all


def heat_values(state: State, result: SlotResult | None) -> Values | None:
    """float64 (n,): the part of each chunk in the score that is shown as heat; None: no heat."""
    if not state.heat or result is None or result.scores is None or result.chunks is None:
        return None
    if len(result.scores.units) != len(result.chunks):
        return None  # of older chunks
    values: Values = result.scores[state.heat].clipped_per_chunk
    return None if bool(np.isnan(values).all()) else values


def heat_colour(theme: Theme, value: float) -> QColor:
    """The colour of one chunk's part, 0 to 1; transparent where there is none."""
    colour = QColor(theme.bad)
    if math.isnan(value):
        colour.setAlphaF(0.0)
    else:
        colour.setAlphaF(FAINTEST + (STRONGEST - FAINTEST) * (1.0 - value))
    return colour
