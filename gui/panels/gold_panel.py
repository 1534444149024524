# SPDX-License-Identifier: AGPL-3.0-or-later
"""Questions and their gold: a table, and the gold of the question looked at."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.arrays import as_spans
from core.errors import ChunkscopeError
from core.search.gold import PlacedQuery
from core.search.query_import import export_queries, import_queries
from core.strategies.chunks import Chunks
from gui.questions import QuestionBook
from gui.state import Selection, State
from gui.theme import ROW_HEIGHT

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
TITLES = ("Id", "Question", "Gold", "In chunks", "Tags")
WIDTHS = (70, 420, 50, 110, 100)
GLYPHS = {"whole": "✓ whole", "cut": "⟂ cut", "lost": "✕ lost", "": ""}
FILES = "Query sets (*.json *.jsonl *.csv *.tsv);;All files (*)"


class QuestionModel(QAbstractTableModel):
    """The questions as rows."""

    def __init__(self, book: QuestionBook) -> None:
        super().__init__()
        self._book = book
        self._states: Mapping[int, str] = {}

    def refresh(self, states: Mapping[int, str]) -> None:
        """Show the questions as they are now; `states` say what the chunks do to their gold."""
        self.beginResetModel()
        self._states = states
        self.endResetModel()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """One row a question."""
        return 0 if parent.isValid() else len(self._book.queries)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """The columns."""
        return 0 if parent.isValid() else len(TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Titles."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return TITLES[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """One cell."""
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        query = self._book.queries[index.row()]
        gold = "none" if query.unanswerable else str(len(query.gold) or "")
        state = GLYPHS[self._states.get(index.row(), "")]
        return (query.id, query.question, gold, state, ", ".join(query.tags))[index.column()]


class GoldPanel(QWidget):
    """The questions, and the gold passages of one of them.

    Signals:
        gold_changed: spans of gold in the document shown, int64 (n, 2).
        failed: what went wrong.
    """

    gold_changed = Signal(object)
    failed = Signal(str)

    def __init__(self, state: State, book: QuestionBook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("goldPanel")
        self._state = state
        self._book = book
        self._placed: list[PlacedQuery] = []
        self.model = QuestionModel(book)
        self.table = _table(self.model)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._gold = QListWidget()
        self._gold.setAccessibleName("Gold passages")
        self._gold.itemActivated.connect(self._go)
        self._gold.itemClicked.connect(self._go)
        self._typed = QPlainTextEdit()
        self._typed.setPlaceholderText("Type or paste questions, one a line")
        self._typed.setMaximumHeight(48)
        self._note = QLabel("No questions. Type them here, or import a file.")
        self._note.setObjectName("muted")
        self._note.setWordWrap(True)
        self._build()
        book.changed.connect(self.refresh)
        book.chosen.connect(self._on_chosen)
        state.chunks_changed.connect(self._on_chunks)
        state.chosen_changed.connect(self._on_current)
        state.current_changed.connect(self._on_current)
        self.refresh()

    def _build(self) -> None:
        row = QHBoxLayout()
        for text, tip, method in (
            ("Add", "Add the questions typed here", self._add),
            ("Import…", "JSON, JSONL, CSV, BEIR or TREC files", self._import),
            ("Save…", "Write a query set file", self._save),
            ("Export…", "CSV or JSONL", self._export),
            ("Remove", "Remove the selected questions", self._remove),
            ("Group parts", "The gold of this question is one passage with parts", self._group),
            ("No answer here", "The documents do not answer this question", self._unanswerable),
            ("Undo", "Undo the last change of questions", self._book.undo_stack.undo),
            ("Redo", "Do it again", self._book.undo_stack.redo),
        ):
            button = QPushButton(text)
            button.setToolTip(tip)
            button.clicked.connect(method)
            row.addWidget(button)
        row.addStretch(1)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._typed)
        column.addWidget(self.table, 1)
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(self._gold)
        split.setSizes([700, 320])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(8, 6, 8, 4)
        outer.setSpacing(4)
        outer.addLayout(row)
        outer.addWidget(self._note)
        outer.addWidget(split, 1)

    def refresh(self) -> None:
        """Place all gold again and show the questions."""
        self._placed = self._book.placed()
        self._show_states()
        used = sum(not each.left_out for each in self._placed)
        total = len(self._book.queries)
        if total:
            self._note.setText(
                f"{used} of {total} questions can be used. Select text with the text tool and "
                "press G to mark gold; Alt+Down goes to the next question; 1 to 9 mark a hit."
            )
        else:
            self._note.setText("No questions. Type them here, or import a file.")
        self._show_gold()

    # what is shown

    def _show_states(self) -> None:
        current, result = self._state.current, self._state.chosen_result
        states: dict[int, str] = {}
        if current is not None and result is not None and result.chunks is not None:
            for row, placed in enumerate(self._placed):
                states[row] = state_of(placed, current.name, result.chunks)
        selected = self._book.index
        self.model.refresh(states)
        if 0 <= selected < self.model.rowCount():
            self._select_row(selected)

    def _show_gold(self) -> None:
        self._gold.clear()
        current = self._state.current
        spans = []
        if 0 <= self._book.index < len(self._placed):
            placed = self._placed[self._book.index]
            for gold, place in zip(placed.query.gold, placed.placements, strict=True):
                words = " ".join(gold.text.split())[:120]
                part = f" [{gold.group}]" if gold.group else ""
                item = QListWidgetItem(f"★{gold.grade}{part} {place.status}: {words}")
                item.setToolTip(gold.text)
                item.setData(Qt.ItemDataRole.UserRole, (place.document, place.start, place.end))
                self._gold.addItem(item)
                if current is not None and place.is_placed and place.document == current.name:
                    spans.append((place.start, place.end))
        self.gold_changed.emit(as_spans(spans))

    def _select_row(self, row: int) -> None:
        flags = QItemSelectionModel.SelectionFlag
        model = self.table.selectionModel()
        model.blockSignals(True)
        model.setCurrentIndex(self.model.index(row, 0), flags.ClearAndSelect | flags.Rows)
        model.blockSignals(False)
        self.table.viewport().update()

    def _on_chosen(self, index: int) -> None:
        if index >= 0:
            self._select_row(index)
        self._show_gold()

    def _on_chunks(self, document: str, slot: int) -> None:
        current = self._state.current
        if current is not None and current.id == document and slot == self._state.chosen:
            self._show_states()

    def _on_current(self, _: object) -> None:
        self._show_states()
        self._show_gold()

    def _on_row(self, current: QModelIndex, before: QModelIndex) -> None:
        del before
        if current.isValid() and current.row() != self._book.index:
            self._book.choose(current.row())

    def _go(self, item: QListWidgetItem) -> None:
        name, start, end = item.data(Qt.ItemDataRole.UserRole)
        opened = next((o for o in self._state.documents.values() if o.name == name), None)
        if opened is None or start < 0:
            return
        if self._state.current is not opened:
            self._state.set_current(opened.id)
        self._state.select(Selection("gold", (), self._state.chosen, start, end, "gold"))

    # what the user does

    def _add(self) -> None:
        self._book.add(self._typed.toPlainText())
        self._typed.clear()

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Import questions", "", FILES)
        if name:
            self.import_file(Path(name))

    def import_file(self, path: Path) -> None:
        """Import questions from a file of any known form."""
        try:
            self._book.replace_all(import_queries(path))
        except ChunkscopeError as error:
            self.failed.emit(str(error))

    def _save(self) -> None:
        suggested = str(self._book.path or "questions.queries.json")
        name, _ = QFileDialog.getSaveFileName(self, "Save questions", suggested, FILES)
        if name:
            self._write(lambda: self._book.save(Path(name)))

    def _export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Export questions", "questions.csv", FILES)
        if name:
            self._write(lambda: export_queries(self._book.set, Path(name)))

    def _write(self, write: object) -> None:
        try:
            write()  # type: ignore[operator]
        except (ChunkscopeError, OSError) as error:
            self.failed.emit(str(error))

    def _remove(self) -> None:
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        if rows:
            self._book.remove(rows)

    def _group(self) -> None:
        query = self._book.current
        if query is not None and query.gold:
            has_group = all(span.group for span in query.gold)
            self._book.group_gold(self._book.index, None if has_group else "parts")

    def _unanswerable(self) -> None:
        from dataclasses import replace

        query = self._book.current
        if query is not None:
            changed = replace(query, unanswerable=not query.unanswerable, gold=())
            self._book.edit(self._book.index, changed, "no answer here")


def state_of(placed: PlacedQuery, document: str, chunks: Chunks) -> str:
    """What the chunks do to a question's gold in one document: whole, cut, lost, or nothing."""
    worst = ""
    for place in placed.placements:
        if not place.is_placed or place.document != document:
            continue
        starts, ends = chunks.spans[:, 0], chunks.spans[:, 1]
        inner = np.minimum(ends, place.end) - np.maximum(starts, place.start)
        best = int(inner.max()) if len(inner) else 0
        length = place.end - place.start
        state = "whole" if best >= 0.99 * length else ("cut" if best > 0 else "lost")
        worst = state if worst in ("", "whole") or state == "lost" else worst
    return worst


def _table(model: QuestionModel) -> QTableView:
    table = QTableView()
    table.setObjectName("questionTable")
    table.setAccessibleName("Questions")
    table.setModel(model)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.horizontalHeader().setStretchLastSection(True)
    for column, width in enumerate(WIDTHS):
        table.setColumnWidth(column, width)
    return table
