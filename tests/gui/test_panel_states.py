# SPDX-License-Identifier: AGPL-3.0-or-later
"""Each panel says in words why it is empty, what it waits for, and what went wrong."""

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from core.document.model import Document
from core.strategies.recipe import parse_recipe
from gui.controllers.anchoring import Anchoring
from gui.panels.chunk_panel import ChunkPanel
from gui.panels.chunk_table import COLUMNS
from gui.panels.inspector import EMPTY, Inspector
from gui.panels.outline import Outline
from gui.panels.tables import number_words
from gui.state import OpenDocument, Selection, SlotResult, State
from gui.status_bar import StatusBar
from gui.theme import LIGHT


@pytest.fixture
def state(qapp):
    return State()


def opened(state: State, **more: object) -> OpenDocument:
    made = OpenDocument("a", Path("/nowhere/a.txt"), "a.txt", **more)
    state.add_document(made)
    return made


def click_row(desk, panel: ChunkPanel, row: int) -> None:
    """Click on a row: `QTableView.selectRow` would ask which keys an earlier test held down."""
    place = panel.table.visualRect(panel.model.index(row, 0)).center()
    desk.qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_the_chunk_table_says_what_it_waits_for(state, qtbot):
    panel = ChunkPanel(state, LIGHT)
    qtbot.addWidget(panel)
    state.current_changed.emit(None)
    assert panel.empty.text() == "No document is open."
    current = opened(state)
    assert panel.empty.text() == "Choose a strategy."
    slot = state.add_slot(parse_recipe("FCC"))
    assert panel.empty.text() == "The text is being read…"
    state.put_text("a", Document("One line."), 1)
    state.chosen_changed.emit(slot)
    assert panel.empty.text() == "Chunks are being made…"
    state.put_chunks("a", slot, SlotResult(error="size is 0, but must be at least 1"))
    assert panel.empty.text() == "✕ size is 0, but must be at least 1"
    assert current.result(slot).chunks is None


def test_the_chunk_table_shows_rows_that_select_chunks(desk):
    panel = ChunkPanel(desk.state, LIGHT)
    desk.qtbot.addWidget(panel)
    desk.add("FCC:size=400,overlap=0")
    assert panel.model.rowCount() == len(desk.chunks)
    click_row(desk, panel, 3)
    assert desk.state.selection.ids == (3,)
    assert desk.state.selection.origin == "table"


def test_the_chunk_table_says_how_much_of_a_chunk_is_not_read(desk):
    panel = ChunkPanel(desk.state, LIGHT)
    desk.qtbot.addWidget(panel)
    slot = desk.add("FCC:size=400,overlap=0")
    chunks = desk.chunks
    desk.state.put_chunks("a", slot, SlotResult(chunks, tail_starts={1: int(chunks.ends[1]) - 100}))
    tail = next(k for k, column in enumerate(COLUMNS) if column.title == "Tail")

    def cells() -> list[str]:
        return [panel.model.data(panel.model.index(row, tail)) for row in range(3)]

    desk.qtbot.waitUntil(lambda: cells() == ["", "25%", ""])


def test_the_first_chunk_has_no_margin_and_large_ones_no_power_of_ten(desk):
    panel = ChunkPanel(desk.state, LIGHT)
    desk.qtbot.addWidget(panel)
    desk.add("RC:size=3500,overlap=0")
    margin = next(k for k, column in enumerate(COLUMNS) if column.title == "Margin")
    assert panel.model.data(panel.model.index(0, margin)) == ""
    assert panel.model.data(panel.model.index(1, margin)) != ""
    assert number_words(3501.0) == "3,501"
    assert number_words(0.05714) == "0.0571"


def test_sorting_the_chunk_table_keeps_the_selected_chunk(desk):
    panel = ChunkPanel(desk.state, LIGHT)
    desk.qtbot.addWidget(panel)
    desk.add("SBC")
    click_row(desk, panel, 5)
    assert desk.state.selection.ids == (5,)
    orders = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
    for column, order in itertools.product(range(4), orders):
        panel.table.sortByColumn(column, order)
        assert desk.state.selection.ids == (5,)
        rows = panel.table.selectionModel().selectedRows()
        assert [panel.model.chunk_of(row.row()) for row in rows] == [5]


def test_the_inspector_tells_about_what_is_selected(desk):
    inspector = Inspector(desk.state, LIGHT)
    desk.qtbot.addWidget(inspector)
    assert EMPTY in inspector._text.toPlainText()
    desk.add("FCC:size=400,overlap=0")
    desk.click(500)
    assert "Chunk 2 of" in inspector._text.toPlainText()
    desk.state.select(Selection("cut", (2,), desk.state.chosen, 800, 801, "keys"))
    assert "Cut 2│3" in inspector._text.toPlainText()
    inspector._pin.setChecked(True)
    desk.click(100)
    assert "Cut 2│3" in inspector._text.toPlainText()


def test_the_selection_goes_over_to_the_strategy_that_is_chosen(desk):
    anchoring = Anchoring(desk.state)
    inspector = Inspector(desk.state, LIGHT)
    desk.qtbot.addWidget(inspector)
    first = desk.add("FCC:size=400,overlap=0")
    desk.click(500)
    assert "Chunk 2 of" in inspector._text.toPlainText()
    other = desk.add("FCC:size=100,overlap=0")
    desk.state.set_chosen(other)
    assert (desk.state.selection.slot, desk.state.selection.ids) == (other, (4,))
    assert "Chunk 5 of" in inspector._text.toPlainText()
    desk.state.set_chosen(first)
    assert "Chunk 2 of" in inspector._text.toPlainText()
    del anchoring


def test_the_outline_says_when_there_is_nothing(state, qtbot):
    outline = Outline(state)
    qtbot.addWidget(outline)
    opened(state)
    assert outline._stack.currentWidget() is outline._empty
    assert "no bookmarks" in outline._empty.text()


def test_the_status_bar_counts_the_chunks_of_the_strategy_in_front(desk):
    status = StatusBar(desk.state, desk.jobs)
    desk.qtbot.addWidget(status)
    first, second = desk.add("PBC"), desk.add("SBC")
    for slot in (first, second, first):
        desk.state.set_chosen(slot)
        assert f"{len(desk.chunks):,} chunks" in status._place.text()
    desk.state.mark_outdated("a", first)
    assert "chunks are being made" in status._place.text()
