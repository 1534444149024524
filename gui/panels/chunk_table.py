# SPDX-License-Identifier: AGPL-3.0-or-later
"""The table of chunks: a model over arrays, so that 100,000 rows cost nothing until shown."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from core.document.model import Document
from core.strategies.chunks import LEVELS, Chunks
from gui.heat import heat_colour
from gui.panels.tables import number_words
from gui.theme import Theme

FIRST_CHARACTERS = 90
Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True, eq=False)
class TableContent:
    """What the rows show. Columns are arrays over the n chunks, nan where nothing is known."""

    document: Document
    chunks: Chunks
    tokens: NDArray[np.int64]  # −1: not counted yet
    columns: Mapping[str, NDArray[np.float64]]  # "ICC", "DCC", "tail", …


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, what it says, its numbers for sorting, its words."""

    title: str
    tip: str
    numbers: Callable[[TableContent], NDArray[np.float64]]
    words: Callable[[TableContent, int], str]
    is_text: bool = False


def _chunk_numbers(content: TableContent) -> NDArray[np.float64]:
    return np.arange(len(content.chunks), dtype=np.float64)


def _pages(content: TableContent) -> NDArray[np.float64]:
    starts = content.document.page_starts
    if not len(starts):
        return np.zeros(len(content.chunks))
    found = np.searchsorted(starts, content.chunks.starts, side="right") - 1
    return np.maximum(found, 0).astype(np.float64)


def _page_words(content: TableContent, row: int) -> str:
    first = content.document.page_of(int(content.chunks.starts[row]))
    last = content.document.page_of(max(0, int(content.chunks.ends[row]) - 1))
    return str(first + 1) if first == last else f"{first + 1}–{last + 1}"


def _tokens(content: TableContent) -> NDArray[np.float64]:
    return content.tokens.astype(np.float64)


def _token_words(content: TableContent, row: int) -> str:
    count = int(content.tokens[row])
    return "…" if count < 0 else f"{count:,}"


def _lengths(content: TableContent) -> NDArray[np.float64]:
    sizes = np.zeros(len(content.chunks))
    np.add.at(sizes, content.chunks.owners, np.diff(content.chunks.spans, axis=1)[:, 0])
    return sizes


def _length_words(content: TableContent, row: int) -> str:
    return f"{int(np.diff(content.chunks.spans_of(row), axis=1).sum()):,}"


def _parts(content: TableContent) -> NDArray[np.float64]:
    return np.diff(content.chunks.pointers).astype(np.float64)


def _part_words(content: TableContent, row: int) -> str:
    parts = int(content.chunks.pointers[row + 1] - content.chunks.pointers[row])
    level = LEVELS[content.chunks.levels[row]]
    if level == "child":
        return f"child of {content.chunks.parents[row] + 1}"
    return level if level != "chunk" else ("" if parts == 1 else f"{parts} parts")


def _value_column(name: str, tip: str) -> Column:
    def numbers(content: TableContent) -> NDArray[np.float64]:
        return content.columns.get(name, np.full(len(content.chunks), np.nan))

    def words(content: TableContent, row: int) -> str:
        value = float(numbers(content)[row])
        return "—" if math.isnan(value) else f"{value:.3f}"

    return Column(name, tip, numbers, words)


def _count_column(name: str, tip: str) -> Column:
    def numbers(content: TableContent) -> NDArray[np.float64]:
        return content.columns.get(name, np.full(len(content.chunks), np.nan))

    def words(content: TableContent, row: int) -> str:
        value = float(numbers(content)[row])
        return "" if math.isnan(value) or value == 0 else f"{value:,.0f}"

    return Column(name, tip, numbers, words)


def _tails(content: TableContent) -> NDArray[np.float64]:
    return content.columns.get("Tail", np.full(len(content.chunks), np.nan))


def _tail_words(content: TableContent, row: int) -> str:
    share = float(_tails(content)[row])
    return "" if math.isnan(share) else f"{share:.1%}" if share < 0.01 else f"{share:.0%}"


def _reason_words(content: TableContent, row: int) -> str:
    reason = content.chunks.start_reasons[row]
    return "start of the document" if reason is None else reason.words


def _margins(content: TableContent) -> NDArray[np.float64]:
    return content.chunks.start_reasons.margins


def _margin_words(content: TableContent, row: int) -> str:
    margin = float(_margins(content)[row])
    return "" if math.isnan(margin) else number_words(margin)


def _first_words(content: TableContent, row: int) -> str:
    text = content.chunks.text_of(row, content.document.text)
    return " ".join(text[: 2 * FIRST_CHARACTERS].split())[:FIRST_CHARACTERS]


COLUMNS = (
    Column("#", "Number of the chunk", _chunk_numbers, lambda _, row: str(row + 1)),
    Column("Pages", "Where it lies", _pages, _page_words),
    Column("Tokens", "Size in tokens", _tokens, _token_words),
    Column("Characters", "Size in characters", _lengths, _length_words),
    Column("Parts", "Spans of a chunk that is not contiguous; nesting", _parts, _part_words),
    Column("Tail", "Share of the chunk that the model does not read", _tails, _tail_words),
    _value_column("ICC", "Cohesion of the chunk with its sentences"),
    _value_column("DCC", "Coherence with the text around it"),
    _count_column("Hit", "Best rank among the hits of the query"),
    Column("Cut because", "Why it begins where it does", _margins, _reason_words, is_text=True),
    Column("Margin", "How far the value is from flipping", _margins, _margin_words),
    Column("First words", "How it begins", _chunk_numbers, _first_words, is_text=True),
)


class ChunkTableModel(QAbstractTableModel):
    """Rows are chunks, in the order of the sorted column."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._content: TableContent | None = None
        self._order: NDArray[np.int64] = np.empty(0, np.int64)
        self._places: NDArray[np.int64] = np.empty(0, np.int64)
        self._sorted = (0, Qt.SortOrder.AscendingOrder)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def set_content(self, content: TableContent | None) -> None:
        """Show other chunks, in the same sorting."""
        self.beginResetModel()
        self._content = content
        self._sort()
        self.endResetModel()

    def chunk_of(self, row: int) -> int:
        """The chunk in a row."""
        return int(self._order[row])

    def shows(self, chunks: Chunks) -> bool:
        """True if the rows are those of these chunks, not of older ones."""
        return self._content is not None and self._content.chunks is chunks

    def row_of(self, chunk: int) -> int:
        """The row of a chunk, or −1."""
        return int(self._places[chunk]) if 0 <= chunk < len(self._places) else -1

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """One row a chunk."""
        return 0 if parent.isValid() or self._content is None else len(self._order)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """The columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Titles and what they mean."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole and COLUMNS[section].is_text:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return COLUMNS[section].tip if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """One cell."""
        if self._content is None:
            return None
        column, chunk = COLUMNS[index.column()], self.chunk_of(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return column.words(self._content, chunk)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if column.is_text else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.BackgroundRole and index.column() == 0:
            heat = self._content.columns.get("heat")
            if heat is not None:
                return heat_colour(self._theme, float(heat[chunk]))
            tint = QColor(self._theme.parity[chunk % 2])
            tint.setAlphaF(0.35)
            return tint
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; what is not known comes last."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        chunks = [self.chunk_of(index.row()) for index in before]
        self._sorted = (column, order)
        self._sort()
        after = [
            self.index(self.row_of(chunk), index.column())
            for chunk, index in zip(chunks, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)  # what is selected stays with its chunk
        self.layoutChanged.emit()

    def _sort(self) -> None:
        if self._content is None:
            self._order = self._places = np.empty(0, np.int64)
            return
        column, direction = self._sorted
        numbers = COLUMNS[column].numbers(self._content)
        keys = -numbers if direction == Qt.SortOrder.DescendingOrder else numbers
        self._order = np.argsort(keys, kind="stable")  # nan sorts last
        self._places = np.empty_like(self._order)
        self._places[self._order] = np.arange(len(self._order))
