# SPDX-License-Identifier: AGPL-3.0-or-later
"""The query box and the hits of the chosen strategy."""

from collections.abc import Mapping

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
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.arrays import Spans
from gui.panels.search_options import SearchOptions
from gui.panels.tables import row_table
from gui.questions import QuestionBook
from gui.state import Hit, Selection, State

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
TITLES = ("Rank", "Score", "Chunk", "Page", "Gold", "Document", "Text")
WIDTHS = (50, 70, 60, 50, 60, 140, 600)
WHOLE = 0.99  # share of a gold passage that a hit holds whole
SNIPPET = 160
NOTHING_ASKED = "Ask a question of this document."
SOURCES = {"approximate": ", ≈ from late vectors", "exact": " from LanceDB"}  # of hits


class HitModel(QAbstractTableModel):
    """The hits as rows."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self._state = state
        self.hits: tuple[Hit, ...] = ()
        self.gold: Mapping[str, Spans] = {}  # by document id

    def show(self, hits: tuple[Hit, ...]) -> None:
        """Show other hits."""
        self.beginResetModel()
        self.hits = hits
        self.endResetModel()

    def show_gold(self, gold: Mapping[str, Spans]) -> None:
        """Mark the hits that hold gold, int64 (n, 2) by document."""
        self.gold = gold
        if self.hits:
            last = len(self.hits) - 1
            self.dataChanged.emit(self.index(0, 4), self.index(last, 4))

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """One row a hit."""
        return 0 if parent.isValid() else len(self.hits)

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
        hit = self.hits[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            is_tip = role == Qt.ItemDataRole.ToolTipRole
            return self._words(hit, index.column(), 1_500 if is_tip else SNIPPET)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() < 4:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _words(self, hit: Hit, column: int, length: int) -> str:
        opened = self._state.documents.get(hit.document)
        document = opened.document if opened is not None else None
        score = f"{'≈ ' if hit.exactness == 'approximate' else ''}{hit.score:.3f}"
        facts = {0: str(hit.rank), 1: score, 2: str(hit.chunk + 1), 4: self._gold_mark(hit)}
        if column in facts:
            return facts[column]
        if column == 3:
            shown = opened.shown or document if opened is not None else None
            return str(shown.page_of(hit.start) + 1) if shown is not None else ""
        if column == 5:
            return opened.name if opened is not None else ""
        text = document.text[hit.start : hit.end] if document is not None else ""
        return " ".join(text[: 2 * length].split())[:length]

    def _gold_mark(self, hit: Hit) -> str:
        return gold_mark(hit, self.gold.get(hit.document))


class QueriesPanel(QWidget):
    """Ask a question; see what comes back.

    Signals:
        asked: the query.
        top_k_changed: how many hits.
    """

    asked = Signal(str)
    top_k_changed = Signal(int)

    def __init__(self, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queriesPanel")
        self._state = state
        self._book: QuestionBook | None = None
        self._looked_at: tuple[str, int] | None = None  # document and start of a hit
        self.box = QLineEdit()
        self.box.setPlaceholderText("Ask a question of the open documents, then press Enter")
        self.box.setClearButtonEnabled(True)
        self.box.setAccessibleName("Query")
        self.box.returnPressed.connect(self._on_enter)
        self.top_k = QSpinBox()
        self.top_k.setRange(1, 50)
        self.top_k.setValue(state.top_k)
        self.top_k.setPrefix("top ")
        self.top_k.setAccessibleName("Number of hits")
        self.top_k.valueChanged.connect(self.top_k_changed)
        self.options = SearchOptions(state)
        self._note = QLabel()
        self._note.setObjectName("muted")
        self.model = HitModel(state)
        self.table = row_table(self.model, "hitTable", "Hits", WIDTHS, one_row=True)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        row = QHBoxLayout()
        row.addWidget(self.box, 1)
        row.addWidget(self.top_k)
        row.addWidget(self.options)
        self.controls = row
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(8, 6, 8, 4)
        column_layout.setSpacing(4)
        column_layout.addLayout(row)
        column_layout.addWidget(self._note)
        column_layout.addWidget(self.table, 1)
        state.hits_changed.connect(self._on_hits)
        state.chosen_changed.connect(self._refresh)
        state.current_changed.connect(self._refresh)
        state.query_changed.connect(self._on_query)
        self._refresh()

    def say(self, text: str) -> None:
        """Say something above the hits: searching, or why nothing was found."""
        self._note.setText(text)

    @property
    def note(self) -> str:
        """The line above the hits."""
        return self._note.text()

    def set_book(self, book: QuestionBook) -> None:
        """Mark the gold of the question looked at in the hits."""
        self._book = book
        self.options.set_tags(book.tags)
        book.changed.connect(self.show_gold)
        book.chosen.connect(self.show_gold)
        self.show_gold()

    def show_gold(self, *_: object) -> None:
        """Mark the hits that hold gold of the question that is asked."""
        book = self._book
        asked = book.current if book is not None else None
        if book is None or asked is None or asked.question.strip() != self._state.query:
            self.model.show_gold({})
            return
        self.model.show_gold({each: book.gold_in(each) for each in self._state.documents})

    def _on_enter(self) -> None:
        self.asked.emit(self.box.text().strip())

    def _on_query(self, query: str) -> None:
        if self.box.text().strip() != query:
            self.box.setText(query)
        if not query:
            self.say(NOTHING_ASKED)
        self.show_gold()

    def _on_hits(self, document: str, slot: int) -> None:
        current = self._state.current
        if current is not None and current.id == document and slot == self._state.chosen:
            self._refresh()

    def _refresh(self, *_: object) -> None:
        result = self._state.chosen_result
        hits = result.hits if result is not None else ()
        if hits != self.model.hits:
            self.model.show(hits)
            self._look_at_same()
        if not self._state.query:
            self.say(NOTHING_ASKED)
        elif result is None or result.hits_exactness == "none":
            self.say("searching…")
        else:
            found = f"{len(hits)} hits" if hits else "no hits"
            self.say(f"{found}{SOURCES.get(result.hits_exactness, '')}")

    def _look_at_same(self) -> None:
        """The hit that was looked at stays the current row, wherever it is now."""
        chosen = self._looked_at
        rows = (k for k, hit in enumerate(self.model.hits) if (hit.document, hit.start) == chosen)
        row = next(rows, -1)
        if row < 0:
            return
        flags = QItemSelectionModel.SelectionFlag
        model = self.table.selectionModel()
        model.blockSignals(True)
        model.setCurrentIndex(self.model.index(row, 0), flags.ClearAndSelect | flags.Rows)
        model.blockSignals(False)
        self.table.viewport().update()

    def _on_row(self, current: QModelIndex, before: QModelIndex) -> None:
        del before
        if not current.isValid():
            return
        hit = self.model.hits[current.row()]
        self._looked_at = (hit.document, hit.start)
        if self._state.current is None or self._state.current.id != hit.document:
            self._state.set_current(hit.document)
        chosen = self._state.chosen
        self._state.select(Selection("chunk", (hit.chunk,), chosen, hit.start, hit.end, "hits"))


def gold_mark(hit: Hit, gold: Spans | None) -> str:
    """How many gold passages a hit holds whole, or that it holds a part of one."""
    if gold is None or not len(gold):
        return ""
    inner = np.minimum(gold[:, 1], hit.end) - np.maximum(gold[:, 0], hit.start)
    whole = int((inner >= WHOLE * (gold[:, 1] - gold[:, 0])).sum())
    if whole:
        return f"★ {whole}/{len(gold)}"
    return "◐ part" if (inner > 0).any() else ""
