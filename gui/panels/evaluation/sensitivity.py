# SPDX-License-Identifier: AGPL-3.0-or-later
"""Recall and F1 over the range of a parameter, with intervals."""

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from core.search.evaluation import StrategyResult
from gui.panels.evaluation.plotting import Plot
from gui.panels.evaluation.shown import Shown, measure_words
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

MEASURES = ("recall", "f1")
LEAST = 2  # values of a range


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """Results of one strategy that differ in one number only, ascending."""

    code: str
    parameter: str
    values: tuple[float, ...]
    results: tuple[StrategyResult, ...]


class Sensitivity(EvaluationView):
    """A line and a band a measure."""

    title = "Range of a parameter"
    uses_measure = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.which = QComboBox()
        self.which.setAccessibleName("Strategy and parameter")
        self.which.currentIndexChanged.connect(self._draw)
        self._note = QLabel()
        self._note.setObjectName("muted")
        self._plot = Plot(theme)
        self._legend = self._plot.addLegend(offset=(-10, 10))
        self._legend.setLabelTextColor(theme.text)
        self._ranges: list[Range] = []
        row = QHBoxLayout()
        row.addWidget(self.which)
        row.addWidget(self._note, 1)
        self.column.addLayout(row)
        self.column.addWidget(self._plot, 1)

    def recolour(self) -> None:
        """Colour the axes and the legend."""
        self._plot.recolour(self.theme)
        self._legend.setLabelTextColor(self.theme.text)

    def plot(self) -> pg.GraphicsWidget:
        """The lines."""
        return self._plot.plotItem

    def table(self) -> Table:
        """Mean and interval of each measure at each value."""
        chosen = self._chosen()
        ends = [f"{name}_{end}" for name in MEASURES for end in ("mean", "low", "high")]
        if chosen is None:
            return Table(("value", *ends), ())
        rows = []
        for value, result in zip(chosen.values, chosen.results, strict=True):
            each = [result.measures[name] for name in MEASURES]
            rows.append((value, *(e for i in each for e in (i.mean, i.low, i.high))))
        return Table((chosen.parameter, *ends), rows)

    def refresh(self, shown: Shown) -> None:
        """Find the ranges of the evaluation and draw one."""
        self._ranges = ranges_of(shown)
        if not self._ranges:
            self.say(
                "Choose “Parameter range” above and press Run: the results then differ in one "
                "number only."
            )
            return
        before = self.which.currentText()
        self.which.blockSignals(True)
        self.which.clear()
        for each in self._ranges:
            self.which.addItem(f"{each.code} · {each.parameter}")
        self.which.setCurrentIndex(max(0, self.which.findText(before)))
        self.which.blockSignals(False)
        self._draw()

    def _chosen(self) -> Range | None:
        place = self.which.currentIndex()
        return self._ranges[place] if 0 <= place < len(self._ranges) else None

    def _draw(self, *_: object) -> None:
        chosen, shown, plot = self._chosen(), self.shown, self._plot
        plot.clear()
        if chosen is None or shown is None:
            return
        xs = np.array(chosen.values)
        for place, name in enumerate(MEASURES):
            self._draw_line(xs, chosen, name, place, shown.k)
        n = chosen.results[0].measures["recall"].n
        self._note.setText(f"{len(xs)} values, 95 % intervals, {n} questions")
        plot.setLabel("bottom", chosen.parameter)
        plot.setLabel("left", " and ".join(measure_words(name, shown.k) for name in MEASURES))
        plot.enableAutoRange()

    def _draw_line(
        self, xs: NDArray[np.float64], chosen: Range, name: str, place: int, k: int
    ) -> None:
        colour = self.theme.strategies[place]
        intervals = [result.measures[name] for result in chosen.results]
        means = np.array([_known(each.mean) for each in intervals])
        low = np.array([_known(each.low) for each in intervals])
        high = np.array([_known(each.high) for each in intervals])
        shade = pg.mkColor(colour)
        shade.setAlpha(45)
        if not np.isnan(low).any() and not np.isnan(high).any():
            ends = [pg.PlotDataItem(xs, each, pen=pg.mkPen(None)) for each in (low, high)]
            for end in ends:
                self._plot.addItem(end)
            self._plot.addItem(pg.FillBetweenItem(*ends, brush=shade))
        line = pg.PlotDataItem(
            xs,
            means,
            pen=pg.mkPen(colour, width=2),
            symbol="os"[place % 2],
            symbolSize=7,
            symbolBrush=colour,
            symbolPen=None,
            name=measure_words(name, k),
        )
        self._plot.addItem(line)


def ranges_of(shown: Shown) -> list[Range]:
    """Results of this part that differ in one number only."""
    by_code: dict[str, list[StrategyResult]] = {}
    for result in shown.results:
        by_code.setdefault(result.record.strategy, []).append(result)
    found = []
    for code, results in by_code.items():
        every = [{k: v for k, v in r.record.parameters.items() if k != "name"} for r in results]
        varied = sorted(key for key in every[0] if len({repr(each.get(key)) for each in every}) > 1)
        numbers = [key for key in varied if all(_is_number(each.get(key)) for each in every)]
        if len(varied) != 1 or not numbers or len(results) < LEAST:
            continue
        key = numbers[0]
        pairs = sorted(zip(every, results, strict=True), key=lambda pair: float(pair[0][key]))
        values = tuple(float(own[key]) for own, _ in pairs)
        found.append(Range(code, key, values, tuple(result for _, result in pairs)))
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _known(value: float | None) -> float:
    return float("nan") if value is None else value
