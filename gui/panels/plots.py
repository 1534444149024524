# SPDX-License-Identifier: AGPL-3.0-or-later
"""Plots of the chosen strategy: sizes with the allowed band, and its values along the document."""

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.scores.results import Scores
from core.strategies.chunks import Chunks
from gui.panels.behind import Behind
from gui.panels.evaluation.plotting import colour_axis
from gui.state import Selection, State
from gui.theme import Theme

BARS = 40
LOWEST = 56  # height of a plot in the lowest pane, dip
MOST_POINTS = 4_000
TAIL_WARNING = 0.01  # of the text
# Parameters that a value of the strategy is compared with: a line in the plot is the slider.
THRESHOLDS = ("threshold", "distance", "delta", "amount", "tau")


class SizePlot(pg.PlotWidget):
    """Histogram of the chunks' sizes, with the band that size compliance allows.

    Signals:
        band_clicked: least and greatest number of tokens of the bar.
    """

    band_clicked = Signal(float, float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        plain(self)
        self._caption = caption(self, "tokens a chunk")
        hide_ticks(self)  # until there are sizes
        self.setToolTip("Sizes of the chunks; the shaded band is what size compliance allows")
        self._edges: NDArray[np.float64] = np.empty(0)
        self._bars = pg.BarGraphItem(x=[], height=[], width=1)
        self._band = pg.LinearRegionItem(movable=False)
        self._band.setZValue(-10)
        self._band.hide()
        self.addItem(self._band)
        self.addItem(self._bars)
        self.scene().sigMouseClicked.connect(self._on_click)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        recolour(self, theme)
        self._caption.setText(self._caption.text, color=theme.muted)
        self._bars.setOpts(brush=theme.strategies[0], pen=None)
        shade = pg.mkColor(theme.ok)
        shade.setAlpha(40)
        self._band.setBrush(shade)
        for line in self._band.lines:
            line.setPen(pg.mkPen(theme.ok, style=Qt.PenStyle.DashLine))

    def show_sizes(self, sizes: NDArray[np.int64], least: float, greatest: float) -> None:
        """Show the sizes, in tokens."""
        self._band.setRegion((least, greatest))
        self._band.show()
        self.getAxis("bottom").setTicks(None)
        if not len(sizes):
            self._bars.setOpts(x=[], height=[], width=1)
            return
        top = max(float(sizes.max()) * 1.02, 1.0)
        counts, self._edges = np.histogram(sizes, bins=BARS, range=(0, top))
        width = self._edges[1] - self._edges[0]
        self._bars.setOpts(x=self._edges[:-1] + width / 2, height=counts, width=width * 0.9)
        self.setXRange(0, top, padding=0.02)
        most = int(counts.max())
        self.setYRange(0, most, padding=0.05)
        self.getAxis("left").setTicks([[(0, "0"), (most, f"{most:,}")]])

    def show_nothing(self) -> None:
        """There are no sizes yet."""
        self._bars.setOpts(x=[], height=[], width=1)
        self._band.hide()
        self._edges = np.empty(0)
        hide_ticks(self)

    def _on_click(self, event: object) -> None:
        x = self.plotItem.vb.mapSceneToView(event.scenePos()).x()  # type: ignore[attr-defined]
        place = int(np.searchsorted(self._edges, x, side="right")) - 1
        if 0 <= place < len(self._edges) - 1:
            self.band_clicked.emit(float(self._edges[place]), float(self._edges[place + 1]))


class ValuePlot(pg.PlotWidget):
    """What the strategy compared at each boundary, along the document, with the threshold.

    Signals:
        threshold_moved: the value the line was dragged to.
        chunk_clicked: the chunk that begins at the boundary nearest to a click.
    """

    threshold_moved = Signal(float)
    chunk_clicked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        plain(self)
        self._caption = caption(self, "")
        hide_ticks(self)  # until there are values
        self._values: NDArray[np.float64] = np.empty(0)
        self._is_setting = False
        self._points = pg.PlotDataItem([], [], symbol="o", symbolSize=5)
        self._line = pg.InfiniteLine(angle=0, movable=True)
        self._line.sigDragged.connect(self._on_drag)
        self._marker = pg.InfiniteLine(angle=90, movable=False)
        for item in (self._points, self._line, self._marker):
            self.addItem(item)
        self._line.hide()
        self._marker.hide()
        self.scene().sigMouseClicked.connect(self._on_click)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        recolour(self, theme)
        self._caption.setText(self._caption.text, color=theme.muted)
        self._points.setPen(pg.mkPen(theme.border))
        self._points.setSymbolBrush(theme.strategies[0])
        self._points.setSymbolPen(None)
        self._line.setPen(pg.mkPen(theme.bad, width=2))
        self._line.setHoverPen(pg.mkPen(theme.accent, width=3))
        self._marker.setPen(pg.mkPen(theme.accent, width=1))

    def show_values(self, chunks: Chunks, threshold: float | None, name: str) -> None:
        """Show the value at each chunk's start; `threshold` None: nothing to drag."""
        begins = chunks.start_reasons
        values = np.where(begins.rule < 0, np.nan, begins.values)  # nothing decided on the first
        self._values = values
        places = np.flatnonzero(~np.isnan(values))
        if len(places) > MOST_POINTS:
            places = places[:: -(-len(places) // MOST_POINTS)]
        self._points.setData(places + 1, values[places])
        ends = {float(values[places].min()), float(values[places].max())} if len(places) else set()
        words = [(end, f"{end:,.2f}" if abs(end) < 100 else f"{end:,.0f}") for end in ends]
        self.getAxis("left").setTicks([words])
        self.getAxis("bottom").setTicks(None)
        self._caption.setText(f"{name or 'value'} by chunk")
        self._line.setVisible(threshold is not None)
        self._is_setting = True
        if threshold is not None:
            self._line.setValue(threshold)
        self._is_setting = False
        tip = "The value compared at the start of each chunk"
        self.setToolTip(
            tip + ("; drag the line: it is the slider" if threshold is not None else "")
        )

    def show_nothing(self) -> None:
        """There are no values yet."""
        self._values = np.empty(0)
        self._points.setData([], [])
        self._line.hide()
        self._caption.setText("")
        hide_ticks(self)

    def mark(self, chunk: int) -> None:
        """Mark a chunk, −1 for none."""
        self._marker.setVisible(chunk >= 0)
        if chunk >= 0:
            self._marker.setValue(chunk + 1)

    def _on_drag(self) -> None:
        if not self._is_setting:
            self.threshold_moved.emit(float(self._line.value()))

    def _on_click(self, event: object) -> None:
        x = self.plotItem.vb.mapSceneToView(event.scenePos()).x()  # type: ignore[attr-defined]
        chunk = round(x) - 1
        if 0 <= chunk < len(self._values):
            self.chunk_clicked.emit(chunk)


class Plots(QWidget):
    """Both plots, in step with the chosen strategy.

    Signals:
        chunks_asked: indices of chunks to select, a tuple.
    """

    chunks_asked = Signal(object)

    def __init__(
        self, state: State, sizes: SizePlot, values: ValuePlot, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self.sizes, self.values = sizes, values
        self.tail = QLabel()
        self.tail.setObjectName("muted")
        self.tail.hide()
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addWidget(self.tail)
        left.addWidget(self.sizes, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for plot in (self.sizes, self.values):
            plot.setMinimumHeight(LOWEST)
            thin_axes(plot)
        row.addLayout(left, 2)
        row.addWidget(self.values, 3)
        self.sizes.band_clicked.connect(self._on_band)
        self.values.chunk_clicked.connect(self._on_chunk)
        self.values.threshold_moved.connect(self._on_threshold)
        self._behind = Behind(self._refresh, self)
        state.chunks_changed.connect(self._on_result)
        state.scores_changed.connect(self._on_result)
        state.chosen_changed.connect(self._behind.ask)
        state.current_changed.connect(self._behind.ask)
        state.selection_changed.connect(self._on_selection)
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.sizes.set_theme(theme)
        self.values.set_theme(theme)

    def _on_result(self, document: str, slot: int) -> None:
        current = self._state.current
        is_shown = current is not None and current.id == document and slot == self._state.chosen
        if is_shown:
            self._behind.ask()

    def _refresh(self, *_: object) -> None:
        result, chosen = self._state.chosen_result, self._state.chosen_slot
        if not self.isVisible():
            return
        if result is None or chosen is None or result.chunks is None:
            self._show_nothing()
            return
        name = threshold_name(chosen.recipe.parameters)
        value = chosen.recipe.parameters.get(name)
        threshold = float(value) if isinstance(value, int | float) else None
        self.values.show_values(result.chunks, threshold, name)
        self.tail.setText(tail_words(result.chunks, result.tail_starts))
        self.tail.setVisible(bool(self.tail.text()))
        scores = result.scores
        if isinstance(scores, Scores):
            options = scores.options
            self.sizes.show_sizes(scores.units, options.sc_min, options.sc_max)

    def _show_nothing(self) -> None:
        """Until there are chunks: what was shown is of another strategy or document."""
        self.values.show_nothing()
        self.sizes.show_nothing()
        self.tail.hide()

    def showEvent(self, event: object) -> None:
        """Catch up with what happened while hidden."""
        del event
        self._refresh()

    def _on_selection(self, selection: Selection) -> None:
        is_chunk = selection.kind in ("chunk", "cut") and selection.slot == self._state.chosen
        self.values.mark(selection.ids[0] if is_chunk and selection.ids else -1)

    def _on_band(self, least: float, greatest: float) -> None:
        result = self._state.chosen_result
        if result is not None and isinstance(result.scores, Scores):
            units = result.scores.units
            chosen = np.flatnonzero((units >= least) & (units < greatest))
            self.chunks_asked.emit(tuple(chosen.tolist()))

    def _on_chunk(self, chunk: int) -> None:
        self.chunks_asked.emit((chunk,))

    def _on_threshold(self, value: float) -> None:
        chosen = self._state.chosen_slot
        if chosen is None:
            return
        name = threshold_name(chosen.recipe.parameters)
        parameter = chosen.recipe.strategy.declaration.parameter(name)
        low, high = parameter.bounds(chosen.recipe.parameters)
        clamped = min(
            max(value, low if low is not None else value), high if high is not None else value
        )
        step = parameter.step if parameter.step < 1 else 0.01
        rounded = round(clamped / step) * step
        self._state.set_recipe(chosen.id, chosen.recipe.with_settings({name: rounded}))


def tail_words(chunks: Chunks, tail_starts: Mapping[int, int] | None) -> str:
    """How much of the text the model never reads; nothing where it reads all."""
    if not tail_starts or not len(chunks):
        return ""
    unseen = sum(int(chunks.ends[index]) - cut for index, cut in tail_starts.items())
    share = unseen / max(1, int((chunks.ends - chunks.starts).sum()))
    mark = "▲ " if share > TAIL_WARNING else ""
    words = f"{share:.1%}" if share < 0.01 else f"{share:.0%}"
    return (
        f"{mark}{len(tail_starts):,} of {len(chunks):,} chunks lose text: {words} of it is never "
        "embedded"
    )


def threshold_name(parameters: object) -> str:
    """The parameter that the values are compared with, "" if there is none."""
    return next((name for name in THRESHOLDS if name in parameters), "")  # type: ignore[operator]


def plain(plot: pg.PlotWidget) -> None:
    """No menu, no buttons, and the view stays where the values are."""
    plot.hideButtons()
    plot.setMinimumHeight(80)
    plot.setMouseEnabled(x=False, y=False)


def hide_ticks(plot: pg.PlotWidget) -> None:
    """For a plot without values: the numbers of its axes would say nothing."""
    for axis in ("left", "bottom"):
        plot.getAxis(axis).setTicks([[]])


def thin_axes(plot: pg.PlotWidget) -> None:
    """For a low plot: one level of ticks, room for the caption and halves of words."""
    plot.plotItem.layout.setContentsMargins(0, 13, 12, 0)
    for axis in ("left", "bottom"):
        plot.getAxis(axis).setStyle(maxTickLevel=0, maxTextLevel=0, tickTextOffset=2)


def caption(plot: pg.PlotWidget, words: str) -> pg.LabelItem:
    """Words above the plot, at the right: what it shows, in less room than labels of axes."""
    made = pg.LabelItem(words, size="8pt")
    made.setParentItem(plot.plotItem)
    made.anchor((1, 0), (1, 0), offset=(-8, -4))
    return made


def recolour(plot: pg.PlotWidget, theme: Theme) -> None:
    """Give background and axes the theme's colours."""
    plot.setBackground(theme.base)
    for axis in ("left", "bottom"):
        colour_axis(plot.getAxis(axis), theme)
