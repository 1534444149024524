# SPDX-License-Identifier: AGPL-3.0-or-later
"""Questions and their gold: a table, and the gold of the question looked at."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import ChunkscopeError
from core.search.gold import PlacedQuery, Placement
from core.search.query_import import export_queries, import_queries
from core.search.query_sets import GoldSpan
from core.strategies.chunks import Chunks
from gui.questions import QuestionBook
from gui.state import Selection, State
from gui.theme import ROW_HEIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
TITLES = ("Id", "Question", "Gold", "In chunks", "Tags")
WIDTHS = (70, 420, 50, 110, 100)
GLYPHS = {"whole": "✓ whole", "cut": "⟂ cut", "lost": "✕ lost", "": ""}
FILES = "Query sets (*.json *.jsonl *.csv *.txt *.topics);;All files (*)"
EXPORTED = "Benchmark CSV (*.csv);;JSON lines (*.jsonl);;Query set (*.json)"
EMPTY_NOTE = (
    "No questions. Type them here, or import a file. Then select text on a page and press G to "
    "mark a gold passage."
)
DOUBTFUL = ("fuzzy", "ambiguous", "lost")
QUOTE, TYPED_HEIGHT = 140, 26
_PLACE = Qt.ItemDataRole.UserRole  # question, row of its gold


class QuestionModel(QAbstractTableModel):
    """The questions as rows."""

    def __init__(self, book: QuestionBook) -> None:
        super().__init__()
        self._book = book
        self._states: Mapping[int, str] = {}
        self._doubtful: Mapping[int, int] = {}

    def refresh(self, states: Mapping[int, str], doubtful: Mapping[int, int]) -> None:
        """Show the questions as they are now.

        Args:
            states: what the chunks do to the gold of a question, by its number.
            doubtful: how many of its gold passages are not where they were.
        """
        self.beginResetModel()
        self._states, self._doubtful = states, doubtful
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
        doubtful = self._doubtful.get(index.row(), 0)
        gold = f"▲ {doubtful}/{gold}" if doubtful else gold
        state = GLYPHS[self._states.get(index.row(), "")]
        return (query.id, query.question, gold, state, ", ".join(query.tags))[index.column()]


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
        self._selected: Callable[[], tuple[int, int] | None] = _nothing
        self._placed: list[PlacedQuery | None] = []
        self.model = QuestionModel(book)
        self.table = _table(self.model)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.gold = QListWidget()
        self.gold.setAccessibleName("Gold passages")
        self.gold.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.gold.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.gold.setSpacing(2)
        self.gold.itemActivated.connect(self._go)
        self.gold.itemClicked.connect(self._go)
        self.typed = QPlainTextEdit()
        self.typed.setPlaceholderText("Type or paste questions, one a line")
        self.typed.setAccessibleName("New questions")
        self.typed.setFixedHeight(TYPED_HEIGHT)
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

    def set_text_source(self, selected: Callable[[], tuple[int, int] | None]) -> None:
        """Where the text selected on the pages is asked for."""
        self._selected = selected

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self._show_gold()

    def _build(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.typed, 1)
        row.addWidget(_button("Add", "Add the questions typed here", self._add))
        row.addWidget(self._menu())
        for text, tip, method in (
            ("Group parts", "The selected gold is one passage with parts, or no more", self._group),
            ("No answer here", "The documents do not answer this question", self._unanswerable),
            ("Accept place", "Write down where the selected gold was found", self._accept),
            ("Place at selection", "The selected gold is the text selected", self._place),
            ("Undo", "Undo the last change of questions (Ctrl+Z)", self._book.undo_stack.undo),
            ("Redo", "Do it again (Ctrl+Shift+Z)", self._book.undo_stack.redo),
        ):
            row.addWidget(_button(text, tip, method))
        for text, method in (
            ("Grade 2: answers fully", self._grade_full),
            ("Grade 1: answers in part", self._grade_part),
            ("Remove gold", self._remove_gold),
        ):
            action = QAction(text, self.gold)
            action.triggered.connect(method)
            self.gold.addAction(action)
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

    def _menu(self) -> QToolButton:
        menu = QMenu("Questions", self)
        for text, method in (
            ("Import file…", self._import),
            ("Import BEIR folder…", self._import_folder),
            ("Import TREC topics with qrels…", self._import_judged),
            ("Save…", self._save),
            ("Export…", self._export),
            ("Remove selected", self._remove),
        ):
            menu.addAction(text).triggered.connect(method)
        button = QToolButton()
        button.setText("Questions")
        button.setToolTip("Import, save, export, remove")
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

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
        doubtful = sum(_doubtful(each) for each in self._placed)
        words = f"{used} of {total} questions can be used"
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
        doubtful = {row: _doubtful(placed) for row, placed in enumerate(self._placed)}
        self.model.refresh(states, doubtful)
        if 0 <= self._book.index < self.model.rowCount():
            self._select_row(self._book.index)

    def _show_gold(self) -> None:
        self.gold.clear()
        for index, placed in enumerate(self._placed):
            if placed is not None and index != self._book.index and _doubtful(placed):
                self._list(index, placed, only_doubtful=True)
        current = self._state.current
        if 0 <= self._book.index < len(self._placed):
            placed = self._placed[self._book.index]
            if placed is not None:
                self._list(self._book.index, placed, only_doubtful=False)
        self.gold_changed.emit(self._book.gold_in(current.id if current is not None else ""))

    def _list(self, index: int, placed: PlacedQuery, *, only_doubtful: bool) -> None:
        rows = list(zip(range(len(placed.placements)), placed.placements, strict=True))
        for row, place in sorted(rows, key=lambda each: not _is_doubtful(each[1])):
            is_doubtful = _is_doubtful(place)
            if only_doubtful and not is_doubtful:
                continue
            gold = placed.query.gold[row]
            item = QListWidgetItem(_words(placed, gold, place))
            item.setToolTip(f"{placed.query.question}\n\n{gold.text}")
            item.setData(_PLACE, (index, row))
            if is_doubtful:
                item.setForeground(QColor(self._theme.warn))
            self.gold.addItem(item)

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
        index, row = item.data(_PLACE)
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

    # keys

    def event(self, event: QEvent) -> bool:
        """Undo and redo are the questions' own while the focus is here."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = QKeySequence.StandardKey
            if event.matches(keys.Undo) or event.matches(keys.Redo):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo, redo, and Delete for gold."""
        if event.matches(QKeySequence.StandardKey.Undo):
            self._book.undo_stack.undo()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self._book.undo_stack.redo()
        elif event.key() == Qt.Key.Key_Delete and self.gold.hasFocus():
            self._remove_gold()
        else:
            super().keyPressEvent(event)

    # what the user does

    def _add(self) -> None:
        self._book.add(self.typed.toPlainText())
        self.typed.clear()

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Import questions", "", FILES)
        if name:
            self.import_file(Path(name))

    def _import_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Import a BEIR folder")
        if name:
            self.import_file(Path(name))

    def _import_judged(self) -> None:
        topics, _ = QFileDialog.getOpenFileName(self, "TREC topics", "", "All files (*)")
        judged, _ = QFileDialog.getOpenFileName(self, "TREC qrels", "", "All files (*)")
        if topics:
            self.import_file(Path(topics), Path(judged) if judged else None)

    def import_file(self, path: Path, judged: Path | None = None) -> None:
        """Import questions from a file or folder of any known form."""
        try:
            self._book.replace_all(import_queries(path, judged=judged), f"import {path.name}")
        except ChunkscopeError as error:
            self.failed.emit(str(error))

    def _save(self) -> None:
        suggested = str(self._book.path or "questions.queries.json")
        name, _ = QFileDialog.getSaveFileName(self, "Save questions", suggested, FILES)
        if name:
            self.write(lambda: self._book.save(Path(name)))

    def _export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Export questions", "questions.csv", EXPORTED)
        if name:
            self.write(lambda: export_queries(self._book.set, Path(name)))

    def write(self, work: Callable[[], None]) -> None:
        """Do what writes a file, and tell when that fails."""
        try:
            work()
        except (ChunkscopeError, OSError) as error:
            self.failed.emit(str(error))

    def _remove(self) -> None:
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        if rows:
            self._book.remove(rows)

    def _chosen_gold(self) -> list[tuple[int, int]]:
        """Question and row of the gold that is selected."""
        return [item.data(_PLACE) for item in self.gold.selectedItems()]

    def _group(self) -> None:
        query, index = self._book.current, self._book.index
        rows = [row for question, row in self._chosen_gold() if question == index]
        if query is None or not query.gold:
            return
        rows = rows if len(rows) > 1 else list(range(len(query.gold)))
        is_one = len({query.gold[row].group for row in rows}) == 1 and query.gold[rows[0]].group
        self._book.group_gold(index, None if is_one else _free_group(query.gold), rows)

    def _unanswerable(self) -> None:
        query = self._book.current
        if query is not None:
            self._book.set_unanswerable(self._book.index, not query.unanswerable)

    def _accept(self) -> None:
        for index, row in self._chosen_gold():
            placed = self._placed[index]
            place = placed.placements[row] if placed is not None else None
            opened = self._book.opened(place.document) if place is not None else None
            if place is None or opened is None or not place.is_placed:
                self.failed.emit(
                    "this gold was not found: select its text, then place it at the selection"
                )
                return
            self._book.place(index, row, opened, place.start, place.end)

    def _place(self) -> None:
        span, current, chosen = self._selected(), self._state.current, self._chosen_gold()
        if span is None or current is None or len(chosen) != 1:
            self.failed.emit("select one gold passage here, and its text with the text tool")
            return
        index, row = chosen[0]
        self._book.place(index, row, current, *span)

    def _grade_full(self) -> None:
        self._grade(2)

    def _grade_part(self) -> None:
        self._grade(1)

    def _grade(self, grade: int) -> None:
        for index, row in self._chosen_gold():
            self._book.set_grade(index, row, grade)

    def _remove_gold(self) -> None:
        chosen = self._chosen_gold()
        for index in {question for question, _ in chosen}:
            self._book.remove_gold(index, [row for question, row in chosen if question == index])


def _is_doubtful(place: Placement) -> bool:
    """True for gold that was found by likeness only, at several places, or not at all."""
    return place.status in DOUBTFUL


def _doubtful(placed: PlacedQuery | None) -> int:
    return 0 if placed is None else sum(_is_doubtful(place) for place in placed.placements)


def _words(placed: PlacedQuery, gold: GoldSpan, place: Placement) -> str:
    quote = " ".join(gold.text.split())[:QUOTE]
    part = f" [{gold.group}]" if gold.group else ""
    near = "~ " if place.status == "fuzzy" else ""
    state = "" if place.status == "exact" else f" {place.status}"
    mark = "▲ " if _is_doubtful(place) else ""
    return f"{mark}{placed.query.id} ★{gold.grade}{part}{state}: {near}{quote}"


def _free_group(gold: tuple[GoldSpan, ...]) -> str:
    taken = {span.group for span in gold}
    return next(name for k in range(len(gold) + 1) if (name := f"parts {k + 1}") not in taken)


def _nothing() -> None:
    return None


def _button(text: str, tip: str, method: Callable[[], object]) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(method)
    return button


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
    for column, width in enumerate(WIDTHS):
        table.setColumnWidth(column, width)
    table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    return table
