# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strategies × models and strategies × domains, and how stable the order of strategies is."""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from core.search.conclusions import name_of
from gui.panels.evaluation.heat_grid import HeatGrid
from gui.panels.evaluation.shown import Shown, part_words
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

COLUMNS = (
    ("Models", "model"),
    ("Pools", "pool"),
    ("Documents of the gold", "document"),
    ("Tags of the questions", "tag"),
)


class HeatMaps(EvaluationView):
    """One heat map; what the columns are is chosen."""

    title = "Heat maps"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.columns = QComboBox()
        self.columns.setAccessibleName("Columns")
        for words, name in COLUMNS:
            self.columns.addItem(words, name)
        self.columns.currentIndexChanged.connect(self._draw)
        self.stability = QLabel()
        self.stability.setObjectName("muted")
        self._grid = HeatGrid(theme)
        row = QHBoxLayout()
        row.addWidget(QLabel("Strategies ×"))
        row.addWidget(self.columns)
        row.addWidget(self.stability, 1)
        self.column.addLayout(row)
        self.column.addWidget(self._grid, 1)

    def recolour(self) -> None:
        """Colour the axes."""
        self._grid.recolour(self.theme)

    def plot(self) -> pg.GraphicsWidget:
        """The cells."""
        return self._grid.plotItem

    def table(self) -> Table:
        """The means."""
        rows, columns, values = self._values()
        cells = [[None if np.isnan(v) else v for v in row] for row in values.tolist()]
        return Table(
            ("strategy", *columns), [(n, *row) for n, row in zip(rows, cells, strict=True)]
        )

    def refresh(self, shown: Shown) -> None:
        """Choose columns that differ, and draw."""
        del shown
        if len(self._values()[1]) < 2:
            for place, (_, name) in enumerate(COLUMNS):
                if len(self._values(name)[1]) > 1:
                    self.columns.setCurrentIndex(place)
                    break
        self._draw()

    def _draw(self, *_: object) -> None:
        shown = self.shown
        if shown is None:
            return
        rows, columns, values = self._values()
        labels = [shown.labels.get(name, name) for name in rows]
        self._grid.show_values(values, labels, columns, self.theme)
        self.stability.setText(f"{shown.measure_words}  ·  {stability_words(values)}")

    def _values(self, which: str = "") -> tuple[list[str], list[str], NDArray[np.float64]]:
        shown = self.shown
        if shown is None:
            return [], [], np.empty((0, 0))
        kind = which or str(self.columns.currentData())
        cells: dict[tuple[str, str], float | None] = {}
        for result in shown.evaluation.results:
            record, measure = result.record, shown.measure
            name, mean = name_of(record), result.measures[measure].mean
            if kind == "model" and record.pool == shown.pool:
                cells[name, part_words((record.embedder, "all"))] = mean
            elif kind == "pool" and record.embedder == shown.embedder:
                cells[name, record.pool] = mean
            elif (record.embedder, record.pool) == (shown.embedder, shown.pool):
                split = result.by_tag if kind == "tag" else result.by_document
                if kind in ("tag", "document"):
                    cells.update({(name, key): means[measure] for key, means in split.items()})
        rows = list(dict.fromkeys(name for name, _ in cells))
        columns = list(dict.fromkeys(column for _, column in cells))
        values = np.full((len(rows), len(columns)), np.nan)
        for (name, column), value in cells.items():
            if value is not None:
                values[rows.index(name), columns.index(column)] = value
        return rows, columns, values


def kendall_w(values: NDArray[np.float64]) -> float:
    """Kendall's coefficient of concordance of the columns' orders of the rows, with ties.

    Args:
        values: float64 (n, m): n strategies as m columns order them; columns with gaps are left
            out (Kendall and Babington Smith 1939).

    Returns:
        0 (no agreement) to 1 (one order), nan for fewer than two columns or rows.
    """
    from scipy.stats import rankdata

    kept = values[:, ~np.isnan(values).any(axis=0)]
    n, m = kept.shape
    if n < 2 or m < 2:
        return float("nan")
    ranks = np.column_stack([rankdata(column) for column in kept.T])
    sums = ranks.sum(axis=1)
    ties = sum(
        (count**3 - count).sum()
        for column in ranks.T
        for count in [np.unique(column, return_counts=True)[1]]
    )
    whole = m**2 * (n**3 - n) - m * ties
    return float(12 * ((sums - sums.mean()) ** 2).sum() / whole) if whole else float("nan")


def stability_words(values: NDArray[np.float64]) -> str:
    """How far the columns agree in their order of the strategies."""
    w = kendall_w(values)
    if np.isnan(w):
        return "the order of strategies needs two columns and two strategies to be compared"
    return f"stability of the order: Kendall's W {w:.2f} (1: all columns order them alike)"
