# SPDX-License-Identifier: AGPL-3.0-or-later
"""Blame: the table of what costs a score."""

import pytest
from PySide6.QtCore import Qt

from gui.controllers.blaming import Blaming
from gui.panels.blame_panel import GAIN, BlamePanel
from gui.state import NOTHING
from gui.theme import LIGHT
from tests.gui.lab import Lab


@pytest.fixture
def panel(lab: Lab) -> BlamePanel:
    blaming = Blaming(lab.state, lab.jobs, lab.pipeline, lab.parent)
    made = BlamePanel(lab.state, LIGHT)
    lab.qtbot.addWidget(made)
    made.code_asked.connect(blaming.ask)
    made.watched.connect(blaming.set_watched)
    blaming.blamed.connect(made.show_blamed)
    blaming.refused.connect(made.say)
    made.resize(800, 200)
    made.show()
    return made


def fill(lab: Lab, panel: BlamePanel, code: str, *words: str) -> int:
    slot = lab.show(*words)[0]
    panel.show_code(code)
    lab.wait(lambda: panel.model.rowCount() > 0 and not lab.jobs.is_busy("blame"))
    return slot


def test_costs_add_up_to_what_is_lost(lab: Lab, panel: BlamePanel) -> None:
    slot = fill(lab, panel, "BI", "FC:size=100,overlap=0")
    items = [panel.model.item(row) for row in range(panel.model.rowCount())]
    lost = 1 - lab.opened.result(slot).scores["BI"].value
    assert sum(float(item.cost) for item in items) == pytest.approx(lost, abs=1e-12)
    assert f"{lost:.3f}" in panel.says


def test_the_dearest_comes_first_and_a_row_goes_to_its_cut(lab: Lab, panel: BlamePanel) -> None:
    slot = fill(lab, panel, "BI", "FC:size=100,overlap=0")
    costs = [float(panel.model.item(row).cost) for row in range(panel.model.rowCount())]
    assert costs == sorted(costs, reverse=True)
    row_box = panel.table.visualRect(panel.model.index(0, 0))
    lab.qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=row_box.center())
    selected = lab.state.selection
    assert (selected.kind, selected.slot) == ("cut", slot)
    assert selected.ids == (panel.model.item(0).chunks[1],)


def test_a_click_goes_to_the_cut_also_where_its_row_was_in_use_before(
    lab: Lab, panel: BlamePanel
) -> None:
    slot = fill(lab, panel, "BI", "FC:size=100,overlap=0")

    def click_the_first() -> None:
        box = panel.table.visualRect(panel.model.index(0, 0))
        lab.qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=box.center())

    click_the_first()
    dearest = lab.state.selection
    lab.state.select(NOTHING)
    click_the_first()
    assert lab.state.selection == dearest
    panel.show_code("SC")
    lab.wait(lambda: panel.model.code == "SC")
    assert not panel.table.selectionModel().hasSelection()
    click_the_first()
    assert lab.state.selection.slot == slot
    assert lab.state.selection.ids == (panel.model.item(0).chunks[0],)


def test_what_costs_one_score_does_not_stay_under_the_name_of_another(
    lab: Lab, panel: BlamePanel
) -> None:
    lab.show("FC:size=100,overlap=0")
    panel.show_code("BI")
    lab.wait(lambda: panel.model.rowCount() > 0)  # what mending would gain is still being found
    panel.show_code("RC")
    lab.wait(lambda: not lab.jobs.is_busy())
    assert panel.model.rowCount() == 0
    assert panel.says.startswith("RC is not measurable: ")


def test_the_row_in_use_stays_while_shift_is_held(lab: Lab, panel: BlamePanel) -> None:
    fill(lab, panel, "BI", "FC:size=100,overlap=0")
    row_box = panel.table.visualRect(panel.model.index(1, 0))
    lab.qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=row_box.center())
    lab.qtbot.keyPress(panel, Qt.Key.Key_Shift, Qt.KeyboardModifier.ShiftModifier)
    panel.show_blamed(panel.model._blamed)
    assert [row.row() for row in panel.table.selectionModel().selectedRows()] == [1]


def test_sorting_keeps_the_selected_item(lab: Lab, panel: BlamePanel) -> None:
    fill(lab, panel, "BI", "FC:size=100,overlap=0")
    row_box = panel.table.visualRect(panel.model.index(1, 0))
    lab.qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=row_box.center())
    item = panel.model.item(1)
    panel.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    rows = panel.table.selectionModel().selectedRows()
    assert [panel.model.item(row.row()) for row in rows] == [item]


def test_a_gain_is_what_merging_really_changes(lab: Lab, panel: BlamePanel) -> None:
    from core.scores.gains import merged

    slot = fill(lab, panel, "BI", "FC:size=100,overlap=0")
    result, item = lab.opened.result(slot), panel.model.item(0)
    joined = merged(result.chunks, *item.chunks)
    after = lab.pipeline.score(lab.opened.document, joined, lab.scoring.options)
    change = (after["BI"].value - result.scores["BI"].value) * 1000
    shown = panel.model.data(panel.model.index(0, GAIN))
    assert shown == f"{change:+.1f}"


def test_it_follows_the_slider_while_it_is_seen(lab: Lab, panel: BlamePanel) -> None:
    from core.strategies.recipe import parse_recipe

    slot = fill(lab, panel, "BI", "FC:size=100,overlap=0")
    before = panel.model.rowCount()
    lab.state.set_recipe(slot, parse_recipe("FC:size=30,overlap=0"))
    lab.wait(lambda: panel.model.rowCount() > before)


def test_a_score_that_is_not_measurable_says_why(lab: Lab, panel: BlamePanel) -> None:
    lab.show("PBC")
    panel.show_code("ICC")
    assert "ICC is not measurable" in panel.says
    assert panel.model.rowCount() == 0
