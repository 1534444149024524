# SPDX-License-Identifier: AGPL-3.0-or-later
"""The visible strategies side by side: number of chunks, five scores and the mean."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.scores.mean import CODES
from core.scores.results import Scores
from core.scores.selection import codes_of_mixed_kinds
from gui.panels.behind import Behind
from gui.panels.slot_list import swatch
from gui.panels.slot_names import elided, slot_names
from gui.state import Slot, State
from gui.theme import ROW_HEIGHT, Theme

MIXED = (
    "Vectors of several kinds: pooled values are higher, so these cannot be compared.\n"
    "The tab Compare scores all by one kind."
)
TITLES = ("Strategy", "Chunks", *CODES, "Mean")


def measure_words(scores: Scores, code: str) -> str:
    """A score as it is shown: ≈ will be replaced, p is pooled, … is to come, — not measurable."""
    measure = scores[code]
    if measure.value is None:
        return "…" if measure.is_pending else "—"
    if measure.state == "late":
        return f"≈ {measure.value:.2f}"
    return f"{measure.value:.3f}{' p' if measure.state == 'pooled' else ''}"


def mean_words(scores: Scores) -> str:
    """The mean as it is shown."""
    if scores.mean is None:
        return "—"
    return f"{scores.mean:.3f}" if scores.is_final else f"≈ {scores.mean:.2f}"


class SideBySide(QTableWidget):
    """One row a visible strategy.

    Signals:
        slot_asked: the id of the slot whose row was clicked.
    """

    slot_asked = Signal(int)

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(0, len(TITLES), parent)
        self.setObjectName("sideBySide")
        self._state = state
        self._theme = theme
        self.setHorizontalHeaderLabels(TITLES)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setFrameShape(QTableWidget.Shape.NoFrame)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.cellClicked.connect(self._on_cell)
        self._behind = Behind(self.refresh, self)
        for changed in (
            state.slots_changed,
            state.scores_changed,
            state.chunks_changed,
            state.chunks_outdated,
        ):
            changed.connect(self._behind.ask)
        state.chosen_changed.connect(self.refresh)
        state.current_changed.connect(self.refresh)

    def sizeHint(self) -> QSize:
        """High enough for six rows."""
        return QSize(420, ROW_HEIGHT * 5)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Show what is known now; nothing while hidden."""
        current = self._state.current
        if current is None or not self.isVisible():
            return
        self.setRowCount(len(self._state.slots))
        names = slot_names(self._state.slots)
        for row, slot in enumerate(self._state.slots):
            result = current.result(slot.id)
            is_now = not result.is_outdated
            scores, chunks = (result.scores, result.chunks) if is_now else (None, None)
            name = elided(names[slot.id], self.fontMetrics())
            words = [name, "…" if chunks is None else f"{len(chunks):,}"]
            if scores is None:
                words += ["…"] * (len(CODES) + 1)
            else:
                words += [measure_words(scores, code) for code in CODES] + [mean_words(scores)]
            for column, text in enumerate(words):
                self._show_cell(row, column, text, slot, scores)
        found = [current.result(slot.id).scores for slot in self._state.slots]
        self._warn([scores for scores in found if scores is not None])

    def _warn(self, shown: list[Scores]) -> None:
        """Mark the scores whose values are of several kinds of vectors, once they are final."""
        mixed = codes_of_mixed_kinds(shown) if all(each.is_final for each in shown) else []
        for column, code in enumerate(CODES, 2):
            title = QTableWidgetItem(f"{code} ▲" if code in mixed else code)
            title.setToolTip(MIXED if code in mixed else "")
            self.setHorizontalHeaderItem(column, title)

    def showEvent(self, event: object) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)  # type: ignore[arg-type]  # Qt's show event
        self.refresh()

    def _show_cell(
        self, row: int, column: int, text: str, slot: Slot, scores: Scores | None
    ) -> None:
        cell = self.item(row, column)
        if cell is None:
            cell = QTableWidgetItem()
            self.setItem(row, column, cell)
        cell.setText(text)
        font = QFont(self.font())
        font.setBold(slot.id == self._state.chosen)
        font.setItalic(text.startswith("≈"))
        cell.setFont(font)
        ink = self._theme.approximate if text.startswith("≈") else self._theme.text
        cell.setForeground(QColor(ink))
        if column == 0:
            cell.setIcon(swatch(self._theme, slot.colour))
            cell.setToolTip(slot.recipe.word)
        else:
            cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if 1 < column <= 1 + len(CODES) and scores is not None:
            cell.setToolTip(scores[CODES[column - 2]].reason)

    def _on_cell(self, row: int, column: int) -> None:
        del column
        if row < len(self._state.slots):
            self.slot_asked.emit(self._state.slots[row].id)
