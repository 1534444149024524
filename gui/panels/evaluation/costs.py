# SPDX-License-Identifier: AGPL-3.0-or-later
"""What configurations cost, and which ones nothing else beats."""

from collections.abc import Mapping
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QSplitter, QVBoxLayout, QWidget

from core.search.costs import Axis, pareto_front
from core.search.evaluation import Record
from core.search.evaluation_json import cost_points
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.plotting import Plot, words_at
from gui.panels.evaluation.shown import MISSING, Shown, bytes_words
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

AXES = (
    ("Size of the index", "index_bytes", "MiB", 1 / 2**20),
    ("Time to build", "build_seconds", "s", 1.0),
    ("95 % of queries within", "p95", "ms", 1.0),
    ("Greatest memory", "peak_rss", "MiB", 1 / 2**20),
)
MEMORY_TIP = (
    "Greatest memory of the process that evaluates and its children while this strategy was "
    "measured, model and libraries included; in brackets what was there before"
)
TITLES = ("Strategy", "Front", "Chunks", "Build", "Index", "p50", "p95", "Memory", "Not read")


class Costs(EvaluationView):
    """A Pareto plot of a measure against a cost, and all costs as a table."""

    title = "Costs"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.axis = QComboBox()
        self.axis.setAccessibleName("Cost")
        for words, name, unit, _ in AXES:
            self.axis.addItem(f"{words} ({unit})", name)
        self.axis.currentIndexChanged.connect(self._draw)
        self._plot = Plot(theme)
        self._note = QLabel()
        self._note.setObjectName("muted")
        self._note.setWordWrap(True)
        self.grid = Grid("Costs")
        left = QWidget()
        box = QVBoxLayout(left)
        box.setContentsMargins(0, 0, 0, 0)
        for widget in (self.axis, self._plot):
            box.addWidget(widget)
        right = QWidget()
        side = QVBoxLayout(right)
        side.setContentsMargins(0, 0, 0, 0)
        side.addWidget(self.grid, 1)
        side.addWidget(self._note)
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(right)
        split.setSizes([480, 520])
        self.column.addWidget(split)

    def recolour(self) -> None:
        """Colour the axes."""
        self._plot.recolour(self.theme)

    def plot(self) -> pg.GraphicsWidget:
        """The Pareto plot."""
        return self._plot.plotItem

    def table(self) -> Table:
        """All numbers of the plot and the table."""
        names = (self.shown.measure if self.shown else "", *(name for _, name, _, _ in AXES))
        rows = [
            (name, *(point.get(each) for each in names)) for name, point in self._points().items()
        ]
        return Table(("strategy", *names), rows)

    def refresh(self, shown: Shown) -> None:
        """Draw and fill."""
        self._draw()
        front = self._front()
        rows = []
        for name, result in zip(shown.names, shown.results, strict=True):
            row = _cost_row(result.record)
            is_front = "●" if name in front else "○"
            rows.append((shown.labels[name], is_front, f"{result.record.chunks:,}", *row))
        tips = {
            "Front": f"of {shown.measure_words} against {self._axis()[0]}",
            "Memory": MEMORY_TIP,
        }
        self.grid.fill(TITLES, rows, [tips.get(title, "") for title in TITLES])
        machine = shown.results[0].record.machine
        busy = "  ▲ The machine was busy: compare ratios only." if machine.get("busy") else ""
        self._note.setText(
            f"{machine.get('system', '')}, {machine.get('cores', '')} cores, "
            f"{machine.get('threads', '')} threads.{busy}"
        )

    def _axis(self) -> tuple[str, str, str, float]:
        return AXES[max(0, self.axis.currentIndex())]

    def _points(self) -> Mapping[str, Mapping[str, float]]:
        if self.shown is None:
            return {}
        part = (self.shown.embedder, self.shown.pool)
        return cost_points(self.shown.evaluation).get(part, {})

    def _front(self) -> list[str]:
        if self.shown is None:
            return []
        axes = (Axis(self.shown.measure, True), Axis(self._axis()[1], False))
        return pareto_front(self._points(), axes)

    def _draw(self, *_: object) -> None:
        shown, theme, plot = self.shown, self.theme, self._plot
        plot.clear()
        if shown is None:
            return
        words, name, unit, factor = self._axis()
        points, front = self._points(), self._front()
        has_any = False
        places = [each[name] * factor for each in points.values() if name in each]
        middle = (min(places) + max(places)) / 2 if places else 0.0
        for full, result in zip(shown.names, shown.results, strict=True):
            point = points.get(full, {})
            if name not in point or shown.measure not in point:
                continue
            has_any = True
            x, y = point[name] * factor, point[shown.measure]
            interval = result.measures[shown.measure]
            if interval.low is not None and interval.high is not None:
                pen = pg.mkPen(theme.border, width=2)
                plot.addItem(pg.PlotCurveItem([x, x], [interval.low, interval.high], pen=pen))
            brush = theme.strategies[0] if full in front else None
            pen = pg.mkPen(theme.strategies[0], width=2)
            plot.addItem(pg.ScatterPlotItem([x], [y], size=10, brush=brush, pen=pen))
            anchor = (1.05, 1.0) if x > middle else (-0.05, 1.0)  # towards the middle
            words_at(plot.plotItem, shown.labels[full], x, y, theme.text, anchor=anchor)
        self._draw_front([points[each] for each in front], name, factor)
        plot.setLabel("bottom", f"{words}, {unit}" if has_any else "this cost was not measured")
        plot.setLabel("left", shown.measure_words)
        plot.plotItem.vb.setDefaultPadding(0.14)  # for the names beside the points
        plot.enableAutoRange()

    def _draw_front(self, front: list[Mapping[str, float]], name: str, factor: float) -> None:
        measure = self.shown.measure if self.shown is not None else ""
        ordered = sorted((each[name] * factor, each[measure]) for each in front)
        steps: list[tuple[float, float]] = []
        for x, y in ordered:
            if steps:
                steps.append((x, steps[-1][1]))
            steps.append((x, y))
        if len(steps) > 1:
            xs, ys = zip(*steps, strict=True)
            pen = pg.mkPen(self.theme.accent, width=1, style=Qt.PenStyle.DashLine)
            self._plot.addItem(pg.PlotCurveItem(list(xs), list(ys), pen=pen))


def _cost_row(record: Record) -> list[str]:
    costs: Mapping[str, Any] = record.costs
    latency = costs.get("query_milliseconds") or {}
    build = costs.get("build_seconds")
    size = costs.get("index_bytes") or costs.get("vector_bytes")
    return [
        MISSING if build is None else f"{build:.2f} s",
        bytes_words(size),
        *(_milliseconds(latency.get(each)) for each in ("p50", "p95")),
        _memory_words(costs),
        f"{record.tail.get('unseen', 0.0):.1%}",
    ]


def _memory_words(costs: Mapping[str, Any]) -> str:
    before = costs.get("memory_before")
    words = bytes_words(costs.get("peak_rss"))
    return f"{words} ({bytes_words(before)})" if before is not None else words


def _milliseconds(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f} ms"
