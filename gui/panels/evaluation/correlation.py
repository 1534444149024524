# SPDX-License-Identifier: AGPL-3.0-or-later
"""How the measures go together: Pearson's r over configurations, or over questions."""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from gui.panels.evaluation.heat_grid import HeatGrid
from gui.panels.evaluation.shown import Shown, measure_words
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

MEASURES = (
    "recall",
    "precision",
    "iou",
    "hit",
    "mrr",
    "p_at_1",
    "p_at_k",
    "r_chunk",
    "f1",
    "ndcg",
    "dcov",
    "survival",
    "whole_at_k",
)
LEAST = 3  # points of a correlation
UNITS = (("over configurations", "configurations"), ("over questions", "questions"))


class Correlation(EvaluationView):
    """A heat map of measures × measures."""

    title = "Measures"
    uses_measure = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.unit = QComboBox()
        self.unit.setAccessibleName("Correlation over")
        for words, name in UNITS:
            self.unit.addItem(words, name)
        self.unit.setCurrentIndex(1)
        self.unit.currentIndexChanged.connect(self._draw)
        self._note = QLabel()
        self._note.setObjectName("muted")
        self._grid = HeatGrid(theme)
        row = QHBoxLayout()
        row.addWidget(QLabel("Correlation of the measures"))
        row.addWidget(self.unit)
        row.addWidget(self._note, 1)
        self.column.addLayout(row)
        self.column.addWidget(self._grid, 1)

    def recolour(self) -> None:
        """Colour the axes."""
        self._grid.recolour(self.theme)

    def plot(self) -> pg.GraphicsWidget:
        """The cells."""
        return self._grid.plotItem

    def table(self) -> Table:
        """The coefficients."""
        names, values, _ = self._values()
        rows = [
            (name, *(None if np.isnan(v) else v for v in row))
            for name, row in zip(names, values.tolist(), strict=True)
        ]
        return Table(("measure", *names), rows)

    def refresh(self, shown: Shown) -> None:
        """Draw."""
        del shown
        self._draw()

    def _draw(self, *_: object) -> None:
        names, values, n = self._values()
        if n < LEAST:
            self._grid.clear()
            self._note.setText(f"{n} points are too few: evaluate more strategies or models")
            return
        self._note.setText(f"Pearson's r of {n} points; — where a measure does not vary")
        self._grid.show_values(values, names, names, self.theme, low=-1.0, high=1.0)

    def _values(self) -> tuple[list[str], NDArray[np.float64], int]:
        shown = self.shown
        if shown is None:
            return [], np.empty((0, 0)), 0
        names = [measure_words(name, shown.k) for name in MEASURES]
        if self.unit.currentData() == "questions":
            columns = [
                np.concatenate([shown.values(r, m) for r in shown.results]) for m in MEASURES
            ]
        else:
            columns = [
                np.array(
                    [
                        np.nan if (mean := result.measures[name].mean) is None else mean
                        for result in shown.evaluation.results
                    ]
                )
                for name in MEASURES
            ]
        return names, pearson(np.column_stack(columns)), len(columns[0])


def pearson(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 (c, c): Pearson's r of columns, float64 (n, c), each pair where both are known."""
    count = points.shape[1]
    found = np.full((count, count), np.nan)
    for a in range(count):
        for b in range(count):
            kept = points[~np.isnan(points[:, [a, b]]).any(axis=1)][:, [a, b]]
            if len(kept) >= LEAST and kept.std(axis=0).min() > 1e-12:
                found[a, b] = np.asarray(np.corrcoef(kept.T))[0, 1]
    return found
