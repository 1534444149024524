# SPDX-License-Identifier: AGPL-3.0-or-later
"""A matrix of numbers as coloured cells with the numbers written in them."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from gui.panels.evaluation.plotting import Plot
from gui.theme import Theme

MOST_WRITTEN = 900  # cells; above, the numbers would not be legible
_FULL = 0.55  # of the way from low to high; above, the writing has the colour of the ground


class HeatGrid(Plot):
    """Rows from top to bottom, columns from left to right."""

    def show_values(
        self,
        values: NDArray[np.float64],
        rows: Sequence[str],
        columns: Sequence[str],
        theme: Theme,
        *,
        low: float | None = None,
        high: float | None = None,
        form: str = "{:.2f}",
    ) -> None:
        """Show float64 (r, c); nan is an empty cell with a dash."""
        self.clear()
        known = values[~np.isnan(values)]
        if not len(known):
            return
        least = float(known.min()) if low is None else low
        most = float(known.max()) if high is None else high
        shares = np.nan_to_num((values - least) / max(most - least, 1e-12)).clip(0, 1)
        ground = _components(theme.base)
        full = _components(theme.strategies[0])
        shown = np.where(np.isnan(values), 0.0, 0.12 + 0.88 * shares)[..., None]
        image = (ground + (full - ground) * shown).astype(np.uint8)
        item = pg.ImageItem(image, axisOrder="row-major", levels=(0, 255))
        item.setRect(-0.5, -0.5, len(columns), len(rows))
        self.addItem(item)
        if values.size <= MOST_WRITTEN:
            self._write(values, shares, theme, form)
        self.ticks("left", rows)
        self.ticks("bottom", columns)
        self.setXRange(-0.5, len(columns) - 0.5, padding=0)
        self.setYRange(-0.5, len(rows) - 0.5, padding=0)
        self.invertY(True)

    def _write(
        self, values: NDArray[np.float64], shares: NDArray[np.float64], theme: Theme, form: str
    ) -> None:
        for row, column in np.ndindex(*values.shape):
            value = values[row, column]
            is_full = not np.isnan(value) and shares[row, column] > _FULL
            colour = theme.base if is_full else theme.text
            words = "—" if np.isnan(value) else form.format(value).replace("-", "−")
            item = pg.TextItem(words, color=colour, anchor=(0.5, 0.5))
            item.setPos(column, row)
            self.addItem(item, ignoreBounds=True)


def _components(colour: QColor) -> NDArray[np.float64]:
    """float64 (3,): red, green and blue, 0 to 255."""
    return np.array([colour.red(), colour.green(), colour.blue()], np.float64)
