# SPDX-License-Identifier: AGPL-3.0-or-later
"""A matrix of numbers as coloured cells with the numbers written in them."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from gui.panels.evaluation.plotting import Plot
from gui.theme import Theme

MOST_WRITTEN = 900  # cells; above, the numbers would not be legible
_GAP = 6  # dip between the names of two columns
_RED_GREEN_BLUE = np.array([0.2126, 0.7152, 0.0722])  # of the luminance (WCAG 2)


class HeatGrid(Plot):
    """Rows from top to bottom, columns from left to right."""

    _columns: Sequence[str] = ()

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
        self._columns = columns
        item = pg.ImageItem(image, axisOrder="row-major", levels=(0, 255))
        item.setRect(-0.5, -0.5, len(columns), len(rows))
        self.addItem(item)
        if values.size <= MOST_WRITTEN:
            self._write(values, image, theme, form)
        self.ticks("left", rows)
        self._name_columns()
        self.setXRange(-0.5, len(columns) - 0.5, padding=0)
        self.setYRange(-0.5, len(rows) - 0.5, padding=0)
        self.invertY(True)

    def resizeEvent(self, event: object) -> None:
        """Names of columns end with dots where their column is too narrow."""
        super().resizeEvent(event)
        if self._columns:  # not yet while the plot is made
            self._name_columns()

    def _name_columns(self) -> None:
        room = int(self.plotItem.vb.width() / max(1, len(self._columns))) - _GAP
        elide, right = self.fontMetrics().elidedText, Qt.TextElideMode.ElideRight
        self.ticks("bottom", [elide(name, right, max(room, 0)) for name in self._columns])

    def _write(
        self, values: NDArray[np.float64], image: NDArray[np.uint8], theme: Theme, form: str
    ) -> None:
        for row, column in np.ndindex(*values.shape):
            value = values[row, column]
            colour = _ink(image[row, column], theme)
            words = "—" if np.isnan(value) else form.format(value).replace("-", "−")
            item = pg.TextItem(words, color=colour, anchor=(0.5, 0.5))
            item.setPos(column, row)
            self.addItem(item, ignoreBounds=True)


def _ink(cell: NDArray[np.uint8], theme: Theme) -> QColor:
    """The colour of the theme that is more legible on a cell."""
    ground, base, text = (
        _luminance(each) for each in (cell, _components(theme.base), _components(theme.text))
    )
    return theme.base if _contrast(base, ground) > _contrast(text, ground) else theme.text


def _components(colour: QColor) -> NDArray[np.float64]:
    """float64 (3,): red, green and blue, 0 to 255."""
    return np.array([colour.red(), colour.green(), colour.blue()], np.float64)


def _luminance(colour: NDArray[np.float64] | NDArray[np.uint8]) -> float:
    """The relative luminance of red, green and blue, 0 to 255 each (WCAG 2)."""
    shares = colour / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ _RED_GREEN_BLUE)


def _contrast(one: float, other: float) -> float:
    """The ratio of contrast of two luminances, from 1 (WCAG 2)."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
