# SPDX-License-Identifier: AGPL-3.0-or-later
"""The bottom table of the chosen strategy's chunks, linked with the pages."""

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QStackedLayout,
    QWidget,
)

from gui.heat import heat_values
from gui.panels.behind import Behind
from gui.panels.chunk_table import COLUMNS, ChunkTableModel, TableContent
from gui.panels.tables import make_sortable, row_table
from gui.state import NOTHING, Selection, SlotResult, State
from gui.theme import Theme

WIDTHS = (56, 70, 70, 90, 90, 60, 64, 64, 50, 320, 70, 500)


class ChunkPanel(QWidget):
    """Shows the chunks of the chosen slot and selects them."""

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._is_following = False
        self.model = ChunkTableModel(theme)
        self.table = row_table(self.model, "chunkTable", "Chunks", WIDTHS[: len(COLUMNS)])
        make_sortable(self.table)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.horizontalHeader().setSectionsMovable(True)
        self.table.selectionModel().selectionChanged.connect(self._on_rows)
        copy = QShortcut(QKeySequence.StandardKey.Copy, self.table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        self.empty = QLabel()
        self.empty.setObjectName("empty")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        self._behind = Behind(self._refresh, self)
        state.chunks_changed.connect(self._on_result)
        state.scores_changed.connect(self._on_result)
        state.hits_changed.connect(self._on_result)
        state.chosen_changed.connect(self._refresh)
        state.current_changed.connect(self._refresh)
        state.selection_changed.connect(self._on_selection)
        state.heat_changed.connect(self._refresh)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.model.set_theme(theme)

    def _on_result(self, document: str, slot: int) -> None:
        current = self._state.current
        if current is None or current.id != document or slot != self._state.chosen:
            return
        if self.model.rowCount() and current.result(slot).chunks is not None:
            self._behind.ask()
        else:
            self._refresh()

    def _refresh(self, *_: object) -> None:
        current, result = self._state.current, self._state.chosen_result
        if current is None or current.document is None or result is None or result.chunks is None:
            self.model.set_content(None)
            self.empty.setText(_why_empty(self._state))
            self._stack.setCurrentWidget(self.empty)
            return
        self._stack.setCurrentWidget(self.table)
        top = self.table.rowAt(0)
        tokens, columns = _columns(result)
        heat = heat_values(self._state, result)
        if heat is not None:
            columns["heat"] = heat
        self._is_following = True
        self.model.set_content(TableContent(current.document, result.chunks, tokens, columns))
        self._is_following = False
        if top >= 0:
            self.table.scrollTo(
                self.model.index(min(top, self.model.rowCount() - 1), 0),
                QAbstractItemView.ScrollHint.PositionAtTop,
            )
        self._mark(self._state.selection)

    def _on_selection(self, selection: Selection) -> None:
        if selection.origin != "table":
            self._mark(selection)

    def _mark(self, selection: Selection) -> None:
        """Mark the rows of what is selected; also after the rows were made anew."""
        self._is_following = True
        model = self.table.selectionModel()
        model.clearSelection()
        if selection.kind in ("chunk", "cut") and selection.slot == self._state.chosen:
            rows = [row for row in map(self.model.row_of, selection.ids) if row >= 0]
            chosen = QItemSelection()
            for row in rows[:500]:
                index = self.model.index(row, 0)
                chosen.select(index, index)
            flags = QItemSelectionModel.SelectionFlag
            model.select(chosen, flags.Select | flags.Rows)
            if rows:
                self.table.scrollTo(self.model.index(rows[0], 0))
        self._is_following = False

    def _on_rows(self, *_: object) -> None:
        result = self._state.chosen_result
        if self._is_following or result is None or result.chunks is None:
            return
        if not self.model.shows(result.chunks):
            return  # the rows of the new chunks are on their way
        rows = self.table.selectionModel().selectedRows()
        ids = tuple(sorted(self.model.chunk_of(row.row()) for row in rows))
        if not ids:
            self._state.select(NOTHING)
            return
        chunks = result.chunks
        start, end = int(chunks.starts[ids[0]]), int(chunks.ends[ids[0]])
        self._state.select(Selection("chunk", ids, self._state.chosen, start, end, "table"))

    def _copy(self) -> None:
        """Copy the selected rows as tab-separated values with a header."""
        lines = ["\t".join(column.title for column in COLUMNS)]
        for row in self.table.selectionModel().selectedRows():
            cells = [
                str(self.model.data(self.model.index(row.row(), column)))
                for column in range(len(COLUMNS))
            ]
            lines.append("\t".join(cells))
        QGuiApplication.clipboard().setText("\n".join(lines))


def _why_empty(state: State) -> str:
    """What the panel says while there are no chunks."""
    current, result = state.current, state.chosen_result
    if current is None:
        return "No document is open."
    if state.chosen_slot is None:
        return "Choose a strategy."
    if current.error or (result is not None and result.error):
        return f"✕ {current.error or (result.error if result is not None else '')}"
    if current.needs_password:
        return "The document is locked: its password is asked for above the pages."
    return "The text is being read…" if current.document is None else "Chunks are being made…"


def _columns(result: SlotResult) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Tokens of each chunk (−1: unknown) and further columns."""
    assert result.chunks is not None, "columns are those of chunks"
    n = len(result.chunks)
    tokens = np.full(n, -1, np.int64)
    columns: dict[str, np.ndarray] = {}
    scores = result.scores
    if scores is not None and len(scores.units) == n:
        tokens = scores.units
        for code in ("ICC", "DCC"):
            columns[code] = scores[code].clipped_per_chunk
    if result.tail_starts:
        columns["Tail"] = np.full(n, np.nan)
        for chunk, start in result.tail_starts.items():
            first, end = int(result.chunks.starts[chunk]), int(result.chunks.ends[chunk])
            columns["Tail"][chunk] = (end - start) / max(1, end - first)
    if result.hits:
        ranks = np.full(n, np.nan)
        for hit in reversed(result.hits):
            if hit.chunk < n:
                ranks[hit.chunk] = hit.rank
        columns["Hit"] = ranks
    return tokens, columns
