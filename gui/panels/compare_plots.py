# SPDX-License-Identifier: AGPL-3.0-or-later
"""Plots of a comparison: any two values with the Pareto front, parallel lines, sweeps."""

from collections.abc import Callable, Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QTabWidget, QVBoxLayout, QWidget

from core.scores.mean import CODES
from gui.panels.compare_table import Fact
from gui.panels.plots import plain, recolour
from gui.theme import Theme

VALUES: dict[str, Callable[[Fact], float]] = {
    **{code: (lambda fact, code=code: fact.value(code)) for code in CODES},  # type: ignore[misc]
    "Mean": lambda fact: fact.mean,
    "Chunks": lambda fact: fact.chunks,
}
AXES = (*CODES, "Mean")
LABEL_DIPS = 14  # between names of curves
LEAST_RANGE = 0.01  # of an axis: below, what cannot be told apart would look far apart
MAP_STEPS = 5  # colours in the key of the heat map
LABEL_ROOM = 0.12  # for the names behind the ends of curves, of the width


def pareto_front(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places of the points, float64 (n, 2), that no other is above in both; by ascending x."""
    known = np.flatnonzero(~np.isnan(points).any(axis=1))
    order = known[np.lexsort((-points[known, 1], -points[known, 0]))]
    front, best = [], -np.inf
    for place in order.tolist():
        if points[place, 1] > best:
            front.append(place)
            best = points[place, 1]
    return np.array(front[::-1], np.int64)


class ScatterPlot(QWidget):
    """Two values of all rows; the front is a line.

    Signals:
        row_asked: the place of the row that was clicked.
    """

    row_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts: Sequence[Fact] = ()
        self._chosen = -1
        self.across, self.up = QComboBox(), QComboBox()
        for box, name, value in ((self.across, "Across", "ICC"), (self.up, "Up", "DCC")):
            box.addItems(list(VALUES))
            box.setCurrentText(value)
            box.setAccessibleName(name)
            box.currentTextChanged.connect(self._refresh)
        self.plot = pg.PlotWidget(enableMenu=False)
        plain(self.plot)
        self.plot.plotItem.layout.setContentsMargins(0, 8, 0, 0)  # half of the highest number
        self.plot.plotItem.vb.setLimits(minXRange=LEAST_RANGE, minYRange=LEAST_RANGE)
        self._front = pg.PlotDataItem([], [])
        self._points = pg.ScatterPlotItem(size=9, hoverable=True, tip=self._tip)
        self._points.sigClicked.connect(self._on_click)
        self._mark = pg.ScatterPlotItem(size=15)
        for item in (self._front, self._points, self._mark):
            self.plot.addItem(item)
        side = QVBoxLayout()  # beside the plot: above it, they would take the room of its axis
        for words, box in (("Up", self.up), ("Across", self.across)):
            side.addWidget(QLabel(words))
            side.addWidget(box)
        side.insertStretch(2, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 2, 4, 2)
        row.addLayout(side)
        row.addWidget(self.plot, 1)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        recolour(self.plot, theme)
        self._points.setBrush(pg.mkBrush(theme.strategies[0]))
        self._points.setPen(pg.mkPen(theme.base))
        self._front.setPen(pg.mkPen(theme.strategies[1], width=1.5, style=Qt.PenStyle.DashLine))
        self._mark.setBrush(None)
        self._mark.setPen(pg.mkPen(theme.accent, width=2))

    def show_facts(self, facts: Sequence[Fact], chosen: int) -> None:
        """Show the rows, with one of them marked; −1 for none."""
        self._facts, self._chosen = facts, chosen
        self._refresh()

    @property
    def front(self) -> list[str]:
        """Names of the rows on the Pareto front."""
        points = self._coordinates()
        return [self._facts[k].row.candidate.name for k in pareto_front(points).tolist()]

    def _coordinates(self) -> NDArray[np.float64]:
        across, up = VALUES[self.across.currentText()], VALUES[self.up.currentText()]
        rows = [(across(fact), up(fact)) for fact in self._facts]
        return np.array(rows, np.float64).reshape(-1, 2)

    def _refresh(self, *_: object) -> None:
        points = self._coordinates()
        known = np.flatnonzero(~np.isnan(points).any(axis=1))
        self._points.setData(points[known, 0], points[known, 1], data=known.tolist())
        front = points[pareto_front(points)]
        self._front.setData(front[:, 0], front[:, 1])
        marked = points[[self._chosen]] if self._chosen in known else points[:0]
        self._mark.setData(marked[:, 0], marked[:, 1])
        self.plot.setLabel("bottom", self.across.currentText())
        self.plot.setLabel("left", self.up.currentText())

    def _tip(self, x: float, y: float, data: int) -> str:
        return f"{self._facts[data].row.candidate.name}\n{x:.3g}, {y:.3g}"

    def _on_click(self, item: object, points: Sequence[object]) -> None:
        del item
        if len(points):
            self.row_asked.emit(int(points[0].data()))  # type: ignore[attr-defined]


class ParallelPlot(pg.PlotWidget):
    """A line a row over the five scores and the mean; the marked row and the best stand out.

    Signals:
        row_asked: the place of the row whose line was clicked.
    """

    row_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        plain(self)
        self._values: NDArray[np.float64] = np.empty((0, len(AXES)))
        self._lines = pg.PlotDataItem([], [], connect="finite")
        self._best = pg.PlotDataItem([], [], connect="finite")
        self._mark = pg.PlotDataItem([], [], connect="finite")
        for item in (self._lines, self._best, self._mark):
            self.addItem(item)
        self.getAxis("bottom").setTicks([list(enumerate(AXES))])
        self.setXRange(0, len(AXES) - 1, padding=0.08)  # room for the names of the outer two
        self.scene().sigMouseClicked.connect(self._on_click)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        recolour(self, theme)
        faint = pg.mkColor(theme.muted)
        faint.setAlpha(90)
        self._lines.setPen(pg.mkPen(faint))
        self._best.setPen(pg.mkPen(theme.ok, width=2))
        self._mark.setPen(pg.mkPen(theme.accent, width=2.5))

    def show_facts(self, facts: Sequence[Fact], chosen: int) -> None:
        """Show the rows, with one of them marked; −1 for none."""
        rows = [[VALUES[axis](fact) for axis in AXES] for fact in facts]
        self._values = np.array(rows, np.float64).reshape(-1, len(AXES))
        self._lines.setData(*_broken(self._values))
        means = self._values[:, -1]
        best = int(np.nanargmax(means)) if len(means) and not np.isnan(means).all() else -1
        self._best.setData(*_broken(self._values[[best]] if best >= 0 else self._values[:0]))
        is_known = 0 <= chosen < len(self._values)
        self._mark.setData(*_broken(self._values[[chosen]] if is_known else self._values[:0]))
        known = self._values[~np.isnan(self._values)]
        if len(known):
            self.setYRange(float(known.min()), float(known.max()), padding=0.04)

    def _on_click(self, event: object) -> None:
        place = self.plotItem.vb.mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
        axis = round(place.x())
        if not 0 <= axis < len(AXES) or not len(self._values):
            return
        distance = np.abs(self._values[:, axis] - place.y())
        if not np.isnan(distance).all():
            self.row_asked.emit(int(np.nanargmin(distance)))


class SweepPlot(pg.PlotWidget):
    """Scores over the range of a parameter as curves, of two parameters as a heat map of the mean.

    Signals:
        row_asked: the place of the row nearest to a click.
    """

    row_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        plain(self)
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self._places: NDArray[np.float64] = np.empty((0, 2))
        self._curves = [pg.PlotDataItem([], [], symbolSize=5) for _ in AXES]
        self._labels = [pg.TextItem(axis, anchor=(0, 0.5)) for axis in AXES]
        for item in (*self._curves, *self._labels):
            self.addItem(item)
        self._image = pg.ImageItem()
        self.addItem(self._image)
        self.scene().sigMouseClicked.connect(self._on_click)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        recolour(self, theme)
        styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
        for place, curve in enumerate(self._curves):
            is_mean = AXES[place] == "Mean"
            colour = theme.text if is_mean else theme.strategies[place]
            style = Qt.PenStyle.SolidLine if is_mean else styles[place % len(styles)]
            curve.setPen(pg.mkPen(colour, width=2.5 if is_mean else 1.5, style=style))
            curve.setSymbol("o" if is_mean else None)
            curve.setSymbolBrush(colour)
            self._labels[place].setColor(colour)

    def show_swept(self, facts: Sequence[Fact], names: tuple[str, ...]) -> None:
        """Show a sweep over one or two parameters; without names, nothing."""
        self._names = names
        is_map = len(names) == 2
        self._image.setVisible(is_map)
        places = [[_setting(fact, name) for name in names[:2]] for fact in facts]
        values = [[VALUES[axis](fact) for axis in AXES] for fact in facts]
        table = np.array(values, np.float64).reshape(-1, len(AXES))
        self._places = np.array(places, np.float64).reshape(-1, max(1, len(names)))
        for place, curve in enumerate(self._curves):
            shown = len(names) == 1
            curve.setData(self._places[:, 0], table[:, place]) if shown else curve.setData([], [])
        self._place_labels(table if len(names) == 1 else table[:0])
        self.plotItem.setTitle(None)
        self.setLabel("bottom", names[0] if names else "")
        self.setLabel("left", names[1] if is_map else "")
        if is_map:
            self._show_map(table[:, -1])
        self.autoRange()
        if len(names) == 1 and len(table):
            low, high = self._places[:, 0].min(), self._places[:, 0].max()
            self.setXRange(low, high + LABEL_ROOM * (high - low), padding=0.02)

    def _place_labels(self, table: NDArray[np.float64]) -> None:
        """Name the curves at their ends, one below the other where they end together."""
        ends = []
        for place in range(len(AXES)):
            known = np.flatnonzero(~np.isnan(table[:, place]))
            self._labels[place].setVisible(bool(len(known)))
            if len(known):
                ends.append((float(table[known[-1], place]), int(known[-1]), place))
        if not ends:
            return
        low, high = float(np.nanmin(table)), float(np.nanmax(table))
        ends.sort(reverse=True)
        gap = (high - low) * LABEL_DIPS / max(4.0 * LABEL_DIPS, self.plotItem.vb.height())
        places, above = [], np.inf
        for value, _, _ in ends:
            above = min(value, above - gap)
            places.append(above)
        raised = max(0.0, low - places[-1])  # else the lowest would lie below the plot
        for (_, row, place), across in zip(ends, places, strict=True):
            self._labels[place].setPos(self._places[row, 0], across + raised)

    def _show_map(self, means: NDArray[np.float64]) -> None:
        if self._image.lut is None:  # reading it takes longer than a frame: only when needed
            self._image.setColorMap(pg.colormap.get("viridis"))
        xs, columns = np.unique(self._places[:, 0], return_inverse=True)
        ys, rows = np.unique(self._places[:, 1], return_inverse=True)
        image = np.full((len(xs), len(ys)), np.nan)
        image[columns, rows] = means
        if not len(means) or np.isnan(means).all():
            self._image.clear()
            return
        levels = (float(np.nanmin(means)), float(np.nanmax(means)) + 1e-9)
        self._image.setImage(image, levels=levels)
        steps = [(v[-1] - v[0]) / max(1, len(v) - 1) or 1.0 for v in (xs, ys)]
        self._image.setRect(
            float(xs[0] - steps[0] / 2),
            float(ys[0] - steps[1] / 2),
            float(steps[0] * len(xs)),
            float(steps[1] * len(ys)),
        )
        self.plotItem.setTitle(self._key(*levels), size="9pt", color=self._theme.muted.name())

    @staticmethod
    def _key(low: float, high: float) -> str:
        """What the colours say, for example "mean 0.581 ■■■■■ 0.934"."""
        colours = pg.colormap.get("viridis").getLookupTable(nPts=MAP_STEPS, mode="qcolor")
        squares = "".join(f'<span style="color:{each.name()}">■</span>' for each in colours)
        return f"mean {low:.3f} {squares} {high:.3f}"

    def _on_click(self, event: object) -> None:
        if not len(self._places) or not self._names:
            return
        point = self.plotItem.vb.mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
        target = np.array([point.x(), point.y()])[: self._places.shape[1]]
        scale = np.ptp(self._places, axis=0)
        distance = np.abs(self._places - target) / np.where(scale > 0, scale, 1.0)
        self.row_asked.emit(int(distance.sum(axis=1).argmin()))


KINDS: dict[str, type[ScatterPlot | ParallelPlot | SweepPlot]] = {
    "Scatter": ScatterPlot,
    "Parallel": ParallelPlot,
    "Sweep": SweepPlot,
}


class ComparePlots(QTabWidget):
    """The plots as tabs, in step with the table; each is made when it is first looked at.

    Signals:
        row_asked: the place of a row.
    """

    row_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self._theme = theme
        self._plots: dict[str, ScatterPlot | ParallelPlot | SweepPlot] = {}
        self._places: dict[str, QVBoxLayout] = {}
        for name in KINDS:
            place = QWidget()
            self._places[name] = QVBoxLayout(place)
            self._places[name].setContentsMargins(0, 0, 0, 0)
            self.addTab(place, name)
        self._facts: Sequence[Fact] = ()
        self._chosen = -1
        self._names: tuple[str, ...] = ()
        self.currentChanged.connect(self._refresh)

    @property
    def front(self) -> str:
        """The title of the tab in front."""
        return self.tabText(self.currentIndex())

    def show_tab(self, name: str) -> None:
        """Bring a plot to the front."""
        self.setCurrentIndex(list(KINDS).index(name))

    def plot(self, name: str) -> ScatterPlot | ParallelPlot | SweepPlot:
        """The plot of a tab."""
        if name not in self._plots:
            made = KINDS[name](self._theme)
            made.row_asked.connect(self.row_asked)
            self._places[name].addWidget(made)
            self._plots[name] = made
        return self._plots[name]

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        for plot in self._plots.values():
            plot.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self._refresh()

    def show_facts(self, facts: Sequence[Fact], chosen: int, names: tuple[str, ...]) -> None:
        """Show the rows; `names` are the parameters that were swept."""
        self._facts, self._chosen, self._names = facts, chosen, names
        self._refresh()

    def _refresh(self, *_: object) -> None:
        """Draw what is in front; the others when they come there."""
        if not self.isVisible() or self.front not in KINDS:
            return
        plot = self.plot(self.front)
        if isinstance(plot, SweepPlot):
            plot.show_swept(self._facts, self._names)
        else:
            plot.show_facts(self._facts, self._chosen)


def _broken(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Across and up of one line with a gap after each row."""
    n, axes = rows.shape
    x = np.tile(np.append(np.arange(axes, dtype=np.float64), np.nan), n)
    y = np.concatenate([rows, np.full((n, 1), np.nan)], axis=1).ravel()
    return x, y


def _setting(fact: Fact, name: str) -> float:
    return float(fact.row.variant.recipe.settings[name])  # type: ignore[arg-type]  # a number
