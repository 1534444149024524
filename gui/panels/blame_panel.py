# SPDX-License-Identifier: AGPL-3.0-or-later
"""Blame: cuts and chunks by what they cost a score, with the reason in words."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from core.scores.blame import Item
from core.scores.mean import CODES
from gui.controllers.blaming import Blamed, first_chunk
from gui.panels.tables import make_sortable, row_table, signed
from gui.state import Selection, SelectionKind, State
from gui.theme import Theme

TITLES = ("What", "Page", "Costs ‰", "Share", "Gain ‰", "Reason")
TIPS = (
    "The cut between two chunks, or the chunk",
    "Where it lies",
    "In thousandths of the score",
    "Of all that is lost",
    "In thousandths: what the score would gain if the cut were not there, or the chunk were joined "
    "or split; below zero it would lose",
    "",
)
WIDTHS = (110, 56, 84, 64, 80)
COST, SHARE, GAIN, REASON = 2, 3, 4, 5
MOST_ROWS = 200
Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()


class BlameModel(QAbstractTableModel):
    """Rows are items, in the order of the sorted column."""

    def __init__(self, state: State, theme: Theme) -> None:
        super().__init__()
        self._state = state
        self._theme = theme
        self._blamed: Blamed | None = None
        self._order: list[int] = []
        self._sorted = (COST, Qt.SortOrder.DescendingOrder)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme

    def show_blamed(self, blamed: Blamed | None) -> None:
        """Show other items, in the same sorting."""
        self.beginResetModel()
        self._blamed = blamed
        self._sort()
        self.endResetModel()

    @property
    def code(self) -> str:
        """The score that is blamed, "" for none."""
        return "" if self._blamed is None else self._blamed.found.code

    def item(self, row: int) -> Item | None:
        """The item in a row."""
        if self._blamed is None or not 0 <= row < len(self._order):
            return None
        return self._blamed.found.items[self._order[row]]

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """One row an item, the dearest 200."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """The columns."""
        return 0 if parent.isValid() else len(TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Titles and what they mean."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section == REASON:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return TIPS[section] if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """One cell."""
        item = self.item(index.row())
        if item is None or self._blamed is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(item, self._order[index.row()])[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == REASON:
            return item.words
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = index.column() in (COST, SHARE, GAIN)
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == GAIN:
            gain = self._blamed.gains[self._order[index.row()]]
            if gain is not None:
                return QColor(self._theme.ok if gain > 0 else self._theme.muted)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        items = [self._order[index.row()] for index in before]
        self._sorted = (column, order)
        self._sort()
        after = [
            self.index(self._order.index(item), index.column())
            for item, index in zip(items, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)  # what is selected stays with its item
        self.layoutChanged.emit()

    def _words(self, item: Item, place: int) -> tuple[str, ...]:
        assert self._blamed is not None, "an item is of some blame"
        mark = "" if self._blamed.is_final else "≈ "
        loss = float(self._blamed.found.loss)
        gain = self._blamed.gains[place]
        return (
            _object(item),
            self._page(item),
            f"{mark}{float(item.cost) * 1000:.1f}",
            f"{float(item.cost) / loss:.0%}" if loss > 0 else "",
            "" if gain is None else f"{mark}{signed(gain * 1000, 1)}",
            item.words,
        )

    def _page(self, item: Item) -> str:
        opened = self._state.current
        document = opened.document if opened is not None else None
        return "" if document is None else str(document.page_of(max(0, item.place[0])) + 1)

    def _sort(self) -> None:
        if self._blamed is None:
            self._order = []
            return
        items = self._blamed.found.items[:MOST_ROWS]
        gains = self._blamed.gains
        column, direction = self._sorted
        keys: dict[int, Callable[[int], Any]] = {
            0: lambda k: (items[k].kind, items[k].chunks),
            1: lambda k: items[k].place,
            GAIN: lambda k: -1e9 if gains[k] is None else gains[k],
            REASON: lambda k: items[k].words,
        }
        key = keys.get(column, lambda k: float(items[k].cost))
        is_down = direction == Qt.SortOrder.DescendingOrder
        self._order = sorted(range(len(items)), key=key, reverse=is_down)


class BlamePanel(QWidget):
    """The table, which score it is about, and whether references are drawn.

    Signals:
        code_asked: the score to blame.
        watched: True while the panel can be seen.
        references_asked: whether arcs are drawn on the pages.
    """

    code_asked = Signal(str)
    watched = Signal(bool)
    references_asked = Signal(bool)

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("blamePanel")
        self._state = state
        self.codes = QComboBox()
        self.codes.setAccessibleName("Score")
        self.codes.addItems(["mean", *CODES])
        self.codes.textActivated.connect(self._ask)
        self.references = QCheckBox("Draw references on the pages")
        self.references.setToolTip("Arcs from pronouns to what they stand for; red where cut apart")
        self.references.toggled.connect(self.references_asked)
        self._foot = QLabel()
        self._foot.setObjectName("muted")
        self.model = BlameModel(state, theme)
        self.table = row_table(self.model, "blameTable", "What costs the score", WIDTHS)
        make_sortable(self.table)
        self.table.sortByColumn(COST, Qt.SortOrder.DescendingOrder)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.clicked.connect(self._go)  # also to the row that is the current one already
        top = QHBoxLayout()
        top.setContentsMargins(8, 4, 8, 0)
        top.addWidget(QLabel("What costs"))
        top.addWidget(self.codes)
        top.addWidget(self._foot, 1)
        top.addWidget(self.references)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(0, 0, 0, 0)
        column_layout.addLayout(top)
        column_layout.addWidget(self.table, 1)

    @property
    def says(self) -> str:
        """The line above the table."""
        return self._foot.text()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.model.set_theme(theme)

    def show_code(self, code: str) -> None:
        """Be about another score."""
        self.codes.setCurrentText(code)
        self._ask(code)

    def _ask(self, code: str) -> None:
        """Ask what costs a score; what costs another one does not stay under its name."""
        if self.model.code not in ("", code):
            self.say(f"Finding what costs {code}…")
        self.code_asked.emit(code)

    def show_blamed(self, blamed: object) -> None:
        """Show what was found; the row in use stays."""
        assert isinstance(blamed, Blamed), "blaming gives what it found"
        is_same_score = self.model.code == blamed.found.code
        row = self.table.currentIndex().row() if is_same_score else -1
        self.model.show_blamed(blamed)
        if 0 <= row < self.model.rowCount():
            # Not selectRow: that asks which keys are held, and with Shift it selects nothing.
            flags = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().blockSignals(True)
            self.table.selectionModel().setCurrentIndex(
                self.model.index(row, 0), flags.ClearAndSelect | flags.Rows
            )
            self.table.selectionModel().blockSignals(False)
        self._foot.setText(sum_words(blamed))

    def say(self, message: str) -> None:
        """Say why there is nothing to show."""
        self.model.show_blamed(None)
        self._foot.setText(message)

    def showEvent(self, event: object) -> None:
        """Somebody looks."""
        super().showEvent(event)  # type: ignore[arg-type]  # Qt's show event
        self.watched.emit(True)

    def hideEvent(self, event: object) -> None:
        """Nobody looks."""
        super().hideEvent(event)  # type: ignore[arg-type]  # Qt's hide event
        self.watched.emit(False)

    def _on_row(self, index: QModelIndex, before: QModelIndex) -> None:
        del before
        self._go(index)

    def _go(self, index: QModelIndex) -> None:
        item = self.model.item(index.row())
        if item is None:
            return
        start, end = item.place
        chunk = first_chunk(item)
        if chunk < 0:
            self._state.select(Selection("text", (), -1, start, max(end, start + 1), "blame"))
            return
        kind: SelectionKind = "cut" if item.kind == "cut" else "chunk"
        self._state.select(Selection(kind, (chunk,), self._state.chosen, start, end, "blame"))


def sum_words(blamed: Blamed) -> str:
    """For example "Costs add up to 0.124 = 1 − RC"."""
    found = blamed.found
    if not found.items:
        return f"Nothing costs {found.code}."
    more = (
        f", the dearest {MOST_ROWS} of {len(found.items):,}" if len(found.items) > MOST_ROWS else ""
    )
    mark = "" if blamed.is_final else "≈ "
    total = f"{mark}{float(found.loss):.3f} = 1 − {found.code}"
    word = "item" if len(found.items) == 1 else "items"
    return f"{len(found.items):,} {word}{more}. Costs add up to {total}"


def _object(item: Item) -> str:
    if item.kind == "cut":
        return f"cut {item.chunks[0] + 1} | {item.chunks[1] + 1}"
    return f"chunk {item.chunks[0] + 1}" if item.chunks else "the edge"
