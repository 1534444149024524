# SPDX-License-Identifier: AGPL-3.0-or-later
"""The questions as rows: words and tags can be changed in place."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.search.gold import PlacedQuery
from core.strategies.chunks import Chunks
from gui.questions import QuestionBook
from gui.tags import tags_in

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
TITLES = ("Id", "Question", "Gold", "In chunks", "Tags")
WIDTHS = (70, 420, 50, 110, 100)
QUESTION, TAGS = 1, 4  # the columns that can be changed
GLYPHS = {"whole": "✓ whole", "cut": "⟂ cut", "lost": "✕ lost", "": ""}
WHOLE = 0.99  # share of a passage


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

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Words and tags can be changed."""
        found = super().flags(index)
        if index.column() in (QUESTION, TAGS):
            found |= Qt.ItemFlag.ItemIsEditable
        return found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """One cell."""
        shown = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.EditRole)
        if role not in shown:
            return None
        query = self._book.queries[index.row()]
        gold = "none" if query.unanswerable else str(len(query.gold) or "")
        doubtful = self._doubtful.get(index.row(), 0)
        gold = f"▲ {doubtful}/{gold}" if doubtful else gold
        state = GLYPHS[self._states.get(index.row(), "")]
        return (query.id, query.question, gold, state, ", ".join(query.tags))[index.column()]

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Change words or tags; a question without words is refused."""
        query, words = self._book.queries[index.row()], str(value).strip()
        if role != Qt.ItemDataRole.EditRole:
            return False
        if index.column() == QUESTION and words and words != query.question:
            self._book.edit(index.row(), replace(query, question=words))
        elif index.column() == TAGS and tags_in(words) != query.tags:
            self._book.edit(index.row(), replace(query, tags=tags_in(words)), "tag question")
        else:
            return False
        return True


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
        state = "whole" if best >= WHOLE * length else ("cut" if best > 0 else "lost")
        worst = state if worst in ("", "whole") or state == "lost" else worst
    return worst
