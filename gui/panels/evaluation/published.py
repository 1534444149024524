# SPDX-License-Identifier: AGPL-3.0-or-later
"""Published numbers in a table of their own, with how they were measured."""

from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QWidget

from core.search.published import PublishedTable, published_tables
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.shown import Shown
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

OTHER_DATA = "From other data: compare with own numbers only where the setting is the same."


class Published(EvaluationView):
    """It needs no evaluation."""

    title = "Published numbers"
    uses_measure = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.which = QComboBox()
        self.which.setAccessibleName("Publication")
        self.which.addItems([each.name for each in published_tables()])
        self.note = QLabel()
        self.note.setObjectName("muted")
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.grid = Grid("Published numbers")
        self.column.addWidget(self.which)
        self.column.addWidget(self.note)
        self.column.addWidget(self.grid, 1)
        self.which.currentIndexChanged.connect(self._fill)
        self._fill()

    def show_part(self, shown: Shown | None, message: str = "") -> None:
        """The same whatever was evaluated."""
        del shown, message
        self.show_content()

    def refresh(self, shown: Shown) -> None:
        """Nothing follows an evaluation."""
        del shown

    def table(self) -> Table:
        """The table as it was published."""
        return Table(self._chosen().header, self._chosen().rows)

    def _chosen(self) -> PublishedTable:
        return published_tables()[max(0, self.which.currentIndex())]

    def _fill(self, *_: object) -> None:
        chosen = self._chosen()
        parts = (chosen.source, OTHER_DATA, chosen.how and f"Measured: {chosen.how}", chosen.note)
        self.note.setText("  ·  ".join(part for part in parts if part))
        self.note.setToolTip("\n\n".join(part for part in parts if part))
        self.grid.fill(chosen.header, chosen.rows)
