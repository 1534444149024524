# SPDX-License-Identifier: AGPL-3.0-or-later
"""Questions and their gold: a table, and the gold of the question looked at."""

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListWidgetItem,
    QPlainTextEdit,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.search.gold import PlacedQuery
from gui.panels.gold_edits import GoldEdits, labelled_button
from gui.panels.gold_list import GoldList, doubtful_count, place_of
from gui.panels.question_files import QuestionFiles
from gui.panels.question_table import QUESTION, WIDTHS, QuestionModel, state_of
from gui.panels.tables import row_table
from gui.questions import QuestionBook
from gui.state import Selection, State
from gui.theme import Theme

EMPTY_NOTE = (
    "No questions. Type them here, or import a file. Then select text on a page and press G to "
    "mark a gold passage."
)
TYPED_HEIGHT = 26
MOST_LINES = 4  # of typed questions that are seen at once


class GoldPanel(QWidget):
    """The questions, and the gold passages of one of them; doubtful passages of all come first.

    Signals:
        gold_changed: gold of the question looked at, in the document shown, int64 (n, 2).
        failed: what went wrong.
    """

    gold_changed = Signal(object)
    failed = Signal(str)

    def __init__(
        self, state: State, book: QuestionBook, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("goldPanel")
        self._state = state
        self._book = book
        self._theme = theme
        self._placed: list[PlacedQuery | None] = []
        self.model = QuestionModel(book)
        self.table = row_table(self.model, "questionTable", "Questions", WIDTHS, stretched=QUESTION)
        edits = QAbstractItemView.EditTrigger
        self.table.setEditTriggers(edits.DoubleClicked | edits.EditKeyPressed)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.gold = GoldList()
        self.gold.itemActivated.connect(self._go)
        self.gold.itemClicked.connect(self._go)
        self.edits = GoldEdits(state, book, self.gold)
        self.edits.failed.connect(self.failed)
        self.files = QuestionFiles(book)
        self.files.failed.connect(self.failed)
        self.files.removal_asked.connect(self._remove)
        self.typed = QPlainTextEdit()
        self.typed.setPlaceholderText("Type or paste questions, one a line")
        self.typed.setAccessibleName("New questions")
        self.typed.setFixedHeight(TYPED_HEIGHT)
        self.typed.blockCountChanged.connect(self._fit_typed)
        self.note = QLabel(EMPTY_NOTE)
        self.note.setObjectName("muted")
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._build()
        book.changed.connect(self.refresh)
        book.chosen.connect(self._on_chosen)
        state.chunks_changed.connect(self._on_chunks)
        state.chosen_changed.connect(self._on_current)
        state.current_changed.connect(self._on_current)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self._show_gold()

    def _build(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.typed, 1)
        row.addWidget(labelled_button("Add", "Add the questions typed here", self._add))
        row.addWidget(self.files)
        row.addWidget(self.edits)
        split = QSplitter()
        split.addWidget(self.table)
        split.addWidget(self.gold)
        split.setSizes([760, 420])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(8, 6, 8, 4)
        outer.setSpacing(4)
        outer.addLayout(row)
        outer.addWidget(self.note)
        outer.addWidget(split, 1)

    def refresh(self) -> None:
        """Show the questions and where their gold is."""
        self._placed = self._book.placed()
        self._show_states()
        self._show_note()
        self._show_gold()

    # what is shown

    def _show_note(self) -> None:
        total = len(self._book.queries)
        if not total:
            self.note.setText(EMPTY_NOTE)
            return
        if any(each is None for each in self._placed):
            self.note.setText(f"Looking for the gold of {total} questions…")
            return
        used = sum(each is not None and not each.left_out for each in self._placed)
        doubtful = sum(doubtful_count(each) for each in self._placed)
        words = f"{used} of {total} questions can be used"
        without = sum(query.unanswerable for query in self._book.queries)
        if without:
            words += f" ({without} without an answer, for false alarms)"
        if doubtful:
            words += f"  ·  ▲ {doubtful} gold passages are doubtful and come first at the right"
        keys = "G marks selected text (Shift+G: answers in part), 1–9 a hit, Alt+↓ asks the next"
        self.note.setText(f"{words}  ·  {keys}")

    def _show_states(self) -> None:
        current, result = self._state.current, self._state.chosen_result
        states: dict[int, str] = {}
        if current is not None and result is not None and result.chunks is not None:
            name = self._book.names().get(current.id, "")
            for row, placed in enumerate(self._placed):
                if placed is not None:
                    states[row] = state_of(placed, name, result.chunks)
        doubtful = {row: doubtful_count(placed) for row, placed in enumerate(self._placed)}
        self.model.refresh(states, doubtful)
        if 0 <= self._book.index < self.model.rowCount():
            self._select_row(self._book.index)

    def _show_gold(self) -> None:
        self.gold.show_placed(self._placed, self._book.index, self._theme)
        current = self._state.current
        self.gold_changed.emit(self._book.gold_in(current.id if current is not None else ""))

    def _select_row(self, row: int) -> None:
        flags = QItemSelectionModel.SelectionFlag
        model = self.table.selectionModel()
        model.blockSignals(True)
        model.setCurrentIndex(self.model.index(row, 0), flags.ClearAndSelect | flags.Rows)
        model.blockSignals(False)
        self.table.scrollTo(self.model.index(row, 0))
        self.table.viewport().update()

    def _on_chosen(self, index: int) -> None:
        if index >= 0:
            self._select_row(index)
        self._show_gold()

    def _on_chunks(self, document: str, slot: int) -> None:
        current = self._state.current
        is_shown = current is not None and current.id == document and slot == self._state.chosen
        if is_shown and self.isVisible():
            self._show_states()

    def showEvent(self, event: object) -> None:
        """Catch up with what happened while hidden."""
        del event
        self._show_states()

    def _on_current(self, _: object) -> None:
        self._show_states()
        self._show_gold()

    def _on_row(self, current: QModelIndex, before: QModelIndex) -> None:
        del before
        if current.isValid() and current.row() != self._book.index:
            self._book.choose(current.row())

    def _go(self, item: QListWidgetItem) -> None:
        index, row = place_of(item)
        placed = self._placed[index] if index < len(self._placed) else None
        if placed is None or row >= len(placed.placements):
            return
        place = placed.placements[row]
        opened = self._book.opened(place.document)
        if opened is None or place.start < 0:
            return
        if self._state.current is not opened:
            self._state.set_current(opened.id)
        self._state.select(
            Selection("gold", (), self._state.chosen, place.start, place.end, "gold")
        )

    # what the user does

    def _fit_typed(self, lines: int) -> None:
        """Show what was typed or pasted, as far as there is room."""
        more = min(lines, MOST_LINES) - 1
        self.typed.setFixedHeight(TYPED_HEIGHT + more * self.typed.fontMetrics().lineSpacing())

    def _add(self) -> None:
        self._book.add(self.typed.toPlainText())
        self.typed.clear()

    def _remove(self) -> None:
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        if rows:
            self._book.remove(rows)
