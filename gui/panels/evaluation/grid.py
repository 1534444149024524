# SPDX-License-Identifier: AGPL-3.0-or-later
"""A plain table of words, right-aligned where they are numbers; copies itself as TSV."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gui.theme import ROW_HEIGHT

WIDEST = 420


class Grid(QTableWidget):
    """Rows of words under a header."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(QTableWidget.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setStretchLastSection(True)
        copy = QShortcut(QKeySequence.StandardKey.Copy, self)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)

    def fill(
        self, titles: Sequence[str], rows: Sequence[Sequence[str]], tips: Sequence[str] = ()
    ) -> None:
        """Show other rows; `tips` are of the columns."""
        self.clear()
        self.setColumnCount(len(titles))
        self.setRowCount(len(rows))
        self.setHorizontalHeaderLabels(list(titles))
        for column, tip in enumerate(tips):
            header = self.horizontalHeaderItem(column)
            if header is not None:
                header.setToolTip(tip)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for place, row in enumerate(rows):
            for column, words in enumerate(row):
                item = QTableWidgetItem(words)
                if column and words[:1] in "0123456789+−<>—±":
                    item.setTextAlignment(right)
                item.setToolTip(words if len(words) > 40 else "")
                self.setItem(place, column, item)
        self.resizeColumnsToContents()
        for column in range(len(titles)):
            self.setColumnWidth(column, min(self.columnWidth(column) + 12, WIDEST))

    def copy(self) -> None:
        """Copy the selected rows as tab-separated values with a header."""
        headers = [self.horizontalHeaderItem(column) for column in range(self.columnCount())]
        lines = ["\t".join(each.text() if each is not None else "" for each in headers)]
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        for row in chosen or range(self.rowCount()):
            items = [self.item(row, column) for column in range(self.columnCount())]
            lines.append("\t".join(item.text() if item is not None else "" for item in items))
        QGuiApplication.clipboard().setText("\n".join(lines))
