# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where the tags of the open documents are typed."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.questions import QuestionBook
from gui.state import State
from gui.tags import tags_in
from gui.theme import ROW_HEIGHT

TITLES = ("Document", "Tags")
SIZE = (520, 280)
NOTE = (
    "Tags of a document, separated by commas. Documents with one tag can be searched and "
    "evaluated together; each tag is then a row of its own."
)


class TagTable(QDialog):
    """A table of the open documents; it stays open beside the work."""

    def __init__(self, state: State, book: QuestionBook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Tags of documents")
        self.resize(*SIZE)
        self._state = state
        self._book = book
        note = QLabel(NOTE)
        note.setWordWrap(True)
        note.setObjectName("muted")
        self.table = QTableWidget(0, len(TITLES))
        self.table.setObjectName("tagTable")
        self.table.setAccessibleName("Tags of documents")
        self.table.setHorizontalHeaderLabels(TITLES)
        edits = QAbstractItemView.EditTrigger
        self.table.setEditTriggers(edits.DoubleClicked | edits.EditKeyPressed | edits.AnyKeyPressed)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.itemChanged.connect(self._on_item)
        column = QVBoxLayout(self)
        column.addWidget(note)
        column.addWidget(self.table, 1)
        state.documents_changed.connect(self._fill)
        book.tags.changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.table.blockSignals(True)
        names = self._book.names()
        self.table.setRowCount(len(names))
        for row, (document, name) in enumerate(names.items()):
            title = self._cell(row, 0)
            title.setText(name)
            title.setFlags(title.flags() & ~Qt.ItemFlag.ItemIsEditable)
            title.setData(Qt.ItemDataRole.UserRole, document)
            tags = self._book.tags.of(self._state.documents[document])
            self._cell(row, 1).setText(", ".join(tags))
        self.table.blockSignals(False)

    def _cell(self, row: int, column: int) -> QTableWidgetItem:
        """The same cell as before: it may be edited just now."""
        cell = self.table.item(row, column)
        if cell is None:
            cell = QTableWidgetItem()
            self.table.setItem(row, column, cell)
        return cell

    def _on_item(self, item: QTableWidgetItem) -> None:
        title = self.table.item(item.row(), 0)
        document = title.data(Qt.ItemDataRole.UserRole) if title is not None else ""
        opened = self._state.documents.get(document)
        if opened is not None:
            self._book.tags.set(opened, tags_in(item.text()))
            self._fill()
