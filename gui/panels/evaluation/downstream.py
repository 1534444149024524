# SPDX-License-Identifier: AGPL-3.0-or-later
"""Intrinsic against downstream: does a better score go with finding more?

Each strategy's change of the five scores against its change of recall and nDCG, both from one
baseline: the claim of the adaptive-chunking paper, on the user's own documents.
"""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from gui.panels.evaluation.plotting import adopt_menu, colour_axis, strategy_colour
from gui.panels.evaluation.shown import Shown, measure_words
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

SCORES = ("RC", "ICC", "DCC", "BI", "SC")
MEASURES = ("recall", "ndcg")
LEAST = 3  # strategies beside the baseline, for a correlation


class Downstream(EvaluationView):
    """Two rows of five scatter plots."""

    title = "Intrinsic against downstream"
    uses_measure = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.baseline = QComboBox()
        self.baseline.setAccessibleName("Baseline")
        self.baseline.currentIndexChanged.connect(self._draw)
        self._note = QLabel("Spearman's ρ stands above each plot; a point is a strategy.")
        self._note.setObjectName("muted")
        self._layout = pg.GraphicsLayoutWidget()
        self._plots: list[list[pg.PlotItem]] = []
        row = QHBoxLayout()
        row.addWidget(QLabel("Changes against"))
        row.addWidget(self.baseline)
        row.addWidget(self._note, 1)
        self.column.addLayout(row)
        self.column.addWidget(self._layout, 1)
        self.recolour()

    def recolour(self) -> None:
        """Colour the ground; the plots are drawn anew."""
        self._layout.setBackground(self.theme.base)

    def plot(self) -> pg.GraphicsWidget:
        """All plots together."""
        return self._layout.ci

    def table(self) -> Table:
        """The changes."""
        names, scores, measures = self._changes()
        header = ("strategy", *(f"change_{n}" for n in (*SCORES, *MEASURES)))
        cells = np.concatenate([scores, measures], axis=1).tolist() if names else []
        rows = [
            (name, *(None if np.isnan(value) else value for value in row))
            for name, row in zip(names, cells, strict=True)
        ]
        return Table(header, rows)

    def refresh(self, shown: Shown) -> None:
        """Offer the baselines and draw."""
        if not any(result.record.intrinsic for result in shown.results):
            self.say(
                "Tick “intrinsic” above and press Run, to compare those scores with what is found."
            )
            return
        if len(shown.results) < 2:
            self.say("Evaluate two strategies or more.")
            return
        before = self.baseline.currentData()
        self.baseline.blockSignals(True)
        self.baseline.clear()
        for name in shown.names:
            self.baseline.addItem(shown.labels[name], name)
        self.baseline.setCurrentIndex(max(0, self.baseline.findData(before)))
        self.baseline.blockSignals(False)
        self._draw()

    def _changes(self) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """Names of the other strategies, their changes of scores (n, 5) and measures (n, 2)."""
        shown, base = self.shown, self.baseline.currentIndex()
        if shown is None or not 0 <= base < len(shown.results):
            return [], np.empty((0, len(SCORES))), np.empty((0, len(MEASURES)))
        scores = np.array(
            [[_known(r.record.intrinsic.get(code)) for code in SCORES] for r in shown.results]
        )
        measures = np.array(
            [[_known(r.measures[name].mean) for name in MEASURES] for r in shown.results]
        )
        others = [place for place in range(len(shown.results)) if place != base]
        names = [shown.names[place] for place in others]
        return names, (scores - scores[base])[others], (measures - measures[base])[others]

    def _make_plots(self) -> None:
        """Made when they are first needed: ten plots take a moment."""
        if self._plots:
            return
        for row in range(len(MEASURES)):
            columns = range(len(SCORES))
            made = [self._layout.addPlot(row=row, col=c, enableMenu=False) for c in columns]
            for plot in made:
                adopt_menu(plot, self._layout)
            self._plots.append(made)

    def _draw(self, *_: object) -> None:
        shown = self.shown
        if shown is None:
            return
        self._make_plots()
        names, scores, measures = self._changes()
        for row, measure in enumerate(MEASURES):
            for column, code in enumerate(SCORES):
                plot = self._plots[row][column]
                plot.clear()
                self._draw_one(plot, names, scores[:, column], measures[:, row])
                if row == len(MEASURES) - 1:
                    plot.setLabel("bottom", f"Δ {code}")
                if column == 0:
                    plot.setLabel("left", f"Δ {measure_words(measure, shown.k)}")

    def _draw_one(
        self,
        plot: pg.PlotItem,
        names: list[str],
        xs: NDArray[np.float64],
        ys: NDArray[np.float64],
    ) -> None:
        theme = self.theme
        plot.hideButtons()
        plot.setMouseEnabled(x=False, y=False)
        for side in ("left", "bottom"):
            colour_axis(plot.getAxis(side), theme)
        for angle in (0, 90):
            plot.addItem(pg.InfiniteLine(0, angle=angle, pen=pg.mkPen(theme.border)))
        labels = self.shown.labels if self.shown is not None else {}
        spots = [
            {
                "pos": (x, y),
                "brush": strategy_colour(theme, place),
                "pen": None,
                "data": labels.get(name, name),
            }
            for place, (name, x, y) in enumerate(zip(names, xs.tolist(), ys.tolist(), strict=True))
            if not np.isnan(x) and not np.isnan(y)
        ]
        item = pg.ScatterPlotItem(size=9, hoverable=True, tip=_tip)
        item.addPoints(spots)
        plot.addItem(item)
        rho = spearman(xs, ys)
        words = f"ρ {rho:+.2f}".replace("-", "−") if not np.isnan(rho) else "ρ —"
        plot.setTitle(words, color=theme.muted.name(), size="9pt")


def spearman(xs: NDArray[np.float64], ys: NDArray[np.float64]) -> float:
    """Spearman's ρ of two columns, float64 (n,); nan for too few points or no variation."""
    from scipy.stats import rankdata

    kept = ~np.isnan(xs) & ~np.isnan(ys)
    if kept.sum() < LEAST or np.ptp(xs[kept]) == 0 or np.ptp(ys[kept]) == 0:
        return float("nan")
    return float(np.corrcoef(rankdata(xs[kept]), rankdata(ys[kept]))[0, 1])


def _known(value: float | None) -> float:
    return float("nan") if value is None else value


def _tip(x: float, y: float, data: object) -> str:
    return f"{data}\nΔ score {x:+.3f}, Δ measure {y:+.3f}"
