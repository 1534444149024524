# SPDX-License-Identifier: AGPL-3.0-or-later
"""What all plots of evaluations share: a plain plot in the theme's colours."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gui.theme import Theme

LEAST_HEIGHT = 90
AXES = ("left", "bottom", "right", "top")


class Plot(pg.PlotWidget):
    """A plot without menu and zoom, whose axes follow the theme."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        adopt_menu(self.plotItem, self)
        self.hideButtons()
        self.setMouseEnabled(x=False, y=False)
        self.setMinimumHeight(LEAST_HEIGHT)
        self.recolour(theme)

    def recolour(self, theme: Theme) -> None:
        """Use other colours for ground and axes."""
        self.setBackground(theme.base)
        for name in AXES:
            colour_axis(self.getAxis(name), theme)

    def ticks(self, side: str, labels: Sequence[str]) -> None:
        """Name the places 0, 1, 2, … of an axis."""
        self.getAxis(side).setTicks([list(enumerate(labels))])


def adopt_menu(plot: pg.PlotItem, owner: QWidget) -> None:
    """WORKAROUND pyqtgraph 0.14: a plot's menu has no parent, so it would outlive the plot."""
    plot.ctrlMenu.setParent(owner, plot.ctrlMenu.windowFlags())


def keep_numbers(axis: pg.AxisItem) -> None:
    """Write 0.6 as 0.6. WORKAROUND pyqtgraph 0.14: switched off twice, it scales once more."""
    if axis.autoSIPrefix:
        axis.enableAutoSIPrefix(False)


def colour_axis(axis: pg.AxisItem, theme: Theme) -> None:
    """Give an axis the theme's colours."""
    keep_numbers(axis)
    axis.setPen(pg.mkPen(theme.border))
    axis.setTextPen(pg.mkPen(theme.muted))


def strategy_colour(theme: Theme, place: int) -> QColor:
    """The colour of the strategy at a place of a list."""
    return theme.strategies[place % len(theme.strategies)]


def words_at(
    plot: pg.PlotItem, text: str, x: float, y: float, colour: QColor, **more: object
) -> None:
    """Write something into a plot; `anchor` is the point of the words that lies at x, y."""
    item = pg.TextItem(text, color=colour, **more)
    item.setPos(x, y)
    plot.addItem(item, ignoreBounds=True)
