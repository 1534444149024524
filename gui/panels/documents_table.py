# SPDX-License-Identifier: AGPL-3.0-or-later
"""Several documents: the winner of each, and choosing per document against one for all."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.scores.mean import CODES
from core.scores.selection import CorpusRow, CorpusSelection, Selection
from gui.controllers.comparing import Comparison
from gui.panels.tables import signed
from gui.theme import ROW_HEIGHT

TITLES = ("", "Strategy", "Mean", "Margin", *CODES)
MOST_SINGLES = 8
WIDTHS = (140, 150, 56, 64)  # so that means stand beside names of any length
SCORE_WIDTH = 52


class DocumentsTable(QTableWidget):
    """One row a document, then the adaptive row, then the best single strategies."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(TITLES), parent)
        self.setObjectName("documentsTable")
        self.setHorizontalHeaderLabels(TITLES)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setFrameShape(QTableWidget.Shape.NoFrame)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        for column in range(len(TITLES)):
            self.setColumnWidth(column, WIDTHS[column] if column < len(WIDTHS) else SCORE_WIDTH)

    def show_comparisons(
        self, comparisons: Sequence[Comparison], over: CorpusSelection | None
    ) -> None:
        """Show what was chosen for each document, and over all of them."""
        rows = [
            _document_cells(each.name, each.selection)
            for each in comparisons
            if each.selection is not None
        ]
        first_of_corpus = len(rows)
        if over is not None:
            gain = "" if over.gain is None else signed(over.gain, 4)
            rows.append(_corpus_cells("chosen per document", over.adaptive, gain))
            rows += [_corpus_cells("one for all", each, "") for each in over.singles[:MOST_SINGLES]]
        self.setRowCount(len(rows))
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                self.setItem(row, column, _cell(text, column, is_bold=row == first_of_corpus))


def _document_cells(name: str, selection: Selection) -> list[str]:
    if selection.winner is None:
        return [name, f"no winner: {selection.reason}", "—", "", *([""] * len(CODES))]
    first = selection.standings[0]
    ties = selection.ties if len(selection.ties) > 1 else (selection.winner,)
    scores = first.candidate.scores
    values = [None if scores is None else scores[code].value for code in CODES]
    margin = "" if selection.margin is None else f"{selection.margin:.4f}"
    words = " = ".join(ties) + (" (tie)" if len(ties) > 1 else "")
    return [name, words, _number(first.value), margin, *(_number(value) for value in values)]


def _corpus_cells(what: str, row: CorpusRow, gain: str) -> list[str]:
    name = "" if row.name == "adaptive" else row.name
    return [what, name, _number(row.mean), gain, *(_number(row.scores[code]) for code in CODES)]


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def _cell(text: str, column: int, *, is_bold: bool) -> QTableWidgetItem:
    cell = QTableWidgetItem(text)
    cell.setToolTip(text if column <= 1 else "")
    if column > 1:
        cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    if is_bold:
        font = QFont()
        font.setBold(True)
        cell.setFont(font)
    return cell
