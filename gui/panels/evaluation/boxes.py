# SPDX-License-Identifier: AGPL-3.0-or-later
"""Box plots over the questions, with the share of questions where nothing was found."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from core.arrays import Values
from gui.panels.evaluation.plotting import Plot, strategy_colour, words_at
from gui.panels.evaluation.shown import Shown, share
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

HALF, JITTER, SEED = 0.3, 0.18, 12_345
WHISKER = 1.5  # of the distance between the quartiles (Tukey 1977)


class Boxes(EvaluationView):
    """A box a strategy: quartiles, median, whiskers, a dot a question."""

    title = "Box plots"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._plot = Plot(theme)
        self.column.addWidget(self._plot)

    def recolour(self) -> None:
        """Colour the axes."""
        self._plot.recolour(self.theme)

    def plot(self) -> pg.GraphicsWidget:
        """The boxes."""
        return self._plot.plotItem

    def table(self) -> Table:
        """The value of each question with each strategy."""
        shown = self.shown
        if shown is None:
            return Table(("question",), ())
        columns = [shown.values(result).tolist() for result in shown.results]
        ids = [question.id for question in shown.results[0].record.questions]
        rows = [
            (name, *(None if np.isnan(value) else value for value in values))
            for name, *values in zip(ids, *columns, strict=True)
        ]
        return Table(("question", *shown.names), rows)

    def refresh(self, shown: Shown) -> None:
        """Draw the boxes."""
        plot, theme = self._plot, self.theme
        plot.clear()
        generator = np.random.default_rng(SEED)
        top = 1e-6
        for place, result in enumerate(shown.results):
            values = shown.values(result)
            values = values[~np.isnan(values)]
            if not len(values):
                continue
            top = max(top, float(values.max()))
            colour = strategy_colour(theme, place)
            self._draw_box(place, values, colour)
            spots = place + generator.uniform(-JITTER, JITTER, len(values))
            faint = pg.mkColor(colour)
            faint.setAlpha(110)
            plot.addItem(pg.ScatterPlotItem(spots, values, size=5, brush=faint, pen=None))
        for place, result in enumerate(shown.results):
            hits = shown.values(result, "hit_lenient")
            zero = float((hits == 0).sum() / max(1, (~np.isnan(hits)).sum()))
            words = f"{share(zero)} without a hit"
            words_at(plot.plotItem, words, place, top * 1.04, theme.muted, anchor=(0.5, 1.0))
        plot.ticks("bottom", [shown.labels[name] for name in shown.names])
        plot.setLabel("left", shown.measure_words)
        plot.setXRange(-0.6, len(shown.results) - 0.4, padding=0)
        plot.setYRange(0, top * 1.16, padding=0.02)

    def _draw_box(self, place: int, values: Values, colour: object) -> None:
        plot, pen = self._plot, pg.mkPen(colour, width=2)
        low, middle, high = np.percentile(values, [25, 50, 75]).tolist()
        reach = WHISKER * (high - low)
        bottom = float(values[values >= low - reach].min())
        top = float(values[values <= high + reach].max())
        x0, x1 = place - HALF, place + HALF
        box = pg.PlotCurveItem([x0, x1, x1, x0, x0], [low, low, high, high, low], pen=pen)
        plot.addItem(box)
        plot.addItem(pg.PlotCurveItem([x0, x1], [middle, middle], pen=pg.mkPen(colour, width=4)))
        for ends in ((bottom, low), (high, top)):
            plot.addItem(pg.PlotCurveItem([place, place], list(ends), pen=pen))
