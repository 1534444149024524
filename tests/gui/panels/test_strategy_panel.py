# SPDX-License-Identifier: AGPL-3.0-or-later
"""The strategy card, driven as a user does."""

import threading

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QToolButton

from core.strategies.recipe import make_recipe, parse_recipe
from gui.controllers.chunking import PATIENCE_MILLISECONDS
from gui.controllers.ghosting import Ghosting
from gui.panels.parameter_row import label_words
from gui.panels.preset_box import MINE, OWN_VALUES, PUBLISHED
from gui.panels.strategy_panel import StrategyPanel
from gui.theme import DARK, LIGHT
from tests.gui.lab import Lab


@pytest.fixture
def panel(lab: Lab) -> StrategyPanel:
    made = StrategyPanel(lab.state, LIGHT)
    lab.qtbot.addWidget(made)
    made.resize(320, 700)
    made.show()
    made.attach(lab.chunking, Ghosting(lab.state, lab.jobs, lab.pipeline, made))
    return made


def wait_for_strip(lab: Lab, panel: StrategyPanel, name: str) -> None:
    def is_full() -> bool:
        row = panel.row(name)
        return row is not None and row.strip is not None and bool(row.strip.changes)

    lab.wait(is_full)
    lab.wait(lambda: not lab.jobs.is_busy("ghosts"))


def presets(panel: StrategyPanel) -> QComboBox:
    return panel._presets.box


def test_it_says_how_many_chunks_and_how_quick(lab: Lab, panel: StrategyPanel) -> None:
    slot = lab.show("SGC:sentences=4,overlap=0")[0]
    count = len(lab.opened.result(slot).chunks)
    lab.wait(lambda: "⚡" in panel._facts.text() or "◔" in panel._facts.text())
    assert panel._facts.text().startswith(f"{count} chunks")


def test_chunks_of_before_are_not_passed_off_as_those_that_are_being_made(
    lab: Lab, panel: StrategyPanel
) -> None:
    slot = lab.show("PBC")[0]
    gate = threading.Event()
    lab.jobs.request("gate", "python", lambda token: gate.wait(60), lambda result: None)
    lab.state.set_recipe(slot, parse_recipe("SBC"))
    lab.wait(lambda: lab.opened.result(slot).is_outdated)
    assert panel._facts.text() == "being made…  ·  8 of before are shown"
    assert panel._slots._rows[slot]._count.text() == "…"
    gate.set()
    lab.wait(lambda: panel._facts.text().startswith("96 chunks"))
    assert panel._slots._rows[slot]._count.text() == "96"


def test_a_pattern_without_end_leaves_the_chunks_of_before_and_says_so(
    lab: Lab, panel: StrategyPanel
) -> None:
    slot = lab.show("RGX")[0]
    count = len(lab.opened.result(slot).chunks)
    for pattern, said in ((r"(\w+\s?)+$$x", "too long"), ("((((", "no regular expression")):
        line = panel.row("pattern")._line
        line.clear()
        lab.qtbot.keyClicks(line, pattern)
        lab.qtbot.keyClick(line, Qt.Key.Key_Return)
        lab.wait(lambda said=said: said in panel._error.text())
        lab.qtbot.wait(PATIENCE_MILLISECONDS + 100)
        assert panel._facts.text() == f"not made  ·  {count} of before are shown"
        assert panel._slots._rows[slot]._count.text() == "✕"


def test_it_waits_for_the_model_only_while_there_is_none(lab: Lab, panel: StrategyPanel) -> None:
    slot = lab.show("PBC")[0]
    lab.state.set_recipe(slot, parse_recipe("SSTC"))
    assert panel._facts.text() == "waiting for the model  ·  8 of before are shown"
    lab.state.set_recipe(slot, parse_recipe("PBC"))
    lab.wait(lambda: panel._facts.text().startswith("8 chunks"))


def test_a_strategy_that_is_removed_no_longer_holds_the_others_up(
    lab: Lab, panel: StrategyPanel
) -> None:
    gate = threading.Event()
    lab.jobs.request("gate", "python", lambda token: gate.wait(60), lambda result: None)
    slot = lab.state.add_slot(parse_recipe("PBC"))
    assert lab.jobs.is_busy("chunks")
    lab.state.remove_slot(slot)
    assert not lab.jobs.is_busy("chunks")
    gate.set()


def test_its_parts_are_called_as_they_are_labelled(lab: Lab, panel: StrategyPanel) -> None:
    lab.show("RC")
    row = panel.row("length_unit")
    assert row.findChild(QComboBox).accessibleName() == "length unit"
    assert "Reset length unit" in [each.accessibleName() for each in row.findChildren(QToolButton)]


def test_it_names_the_strategies_with_the_same_chunks(lab: Lab, panel: StrategyPanel) -> None:
    lab.show("SBC", "SGC:sentences=1,overlap=0", "PBC")
    assert "Same chunks as SGC" in panel._notes.text()
    assert "PBC" not in panel._notes.text()


def test_alt_and_an_arrow_go_to_the_next_change(lab: Lab, panel: StrategyPanel) -> None:
    slot = lab.show("SGC:sentences=4,overlap=0")[0]
    wait_for_strip(lab, panel, "sentences")
    row = panel.row("sentences")
    before = lab.opened.result(slot).chunks.key
    lab.qtbot.keyClick(row.slider, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert row.value in row.strip.changes
    assert row.value > 4
    lab.wait(lambda: lab.opened.result(slot).chunks.key != before)
    lab.qtbot.keyClick(row.slider, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert row.value == 4


def test_the_strip_says_the_number_of_chunks_and_a_click_goes_there(
    lab: Lab, panel: StrategyPanel
) -> None:
    slot = lab.show("SGC:sentences=4,overlap=0")[0]
    wait_for_strip(lab, panel, "sentences")
    row = panel.row("sentences")
    middle = QPoint(row.strip.width() // 2, row.strip.height() // 2)
    lab.qtbot.mouseClick(row.strip, Qt.MouseButton.LeftButton, pos=middle)
    assert row.value != 4
    lab.wait(lambda: lab.is_scored(slot) and not lab.jobs.is_busy("chunks"))
    count = len(lab.opened.result(slot).chunks)
    assert row.strip.words(float(row.value)).startswith(f"at {row.value}: {count:,} chunk")


def test_a_published_preset_is_named_until_a_value_differs(lab: Lab, panel: StrategyPanel) -> None:
    slot = lab.show("RC")[0]
    assert presets(panel).currentText() == PUBLISHED
    lab.state.set_recipe(slot, parse_recipe("RC:size=321"))
    assert presets(panel).currentText() == OWN_VALUES
    lab.qtbot.mouseClick(panel._presets.reset, Qt.MouseButton.LeftButton)
    assert lab.state.chosen_slot.recipe == make_recipe("RC")
    assert presets(panel).currentText() == PUBLISHED


def test_an_own_preset_is_saved_chosen_and_deleted(
    lab: Lab, panel: StrategyPanel, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path))
    slot = lab.show("RC:size=321")[0]
    box = panel._presets
    lab.qtbot.mouseClick(box.save, Qt.MouseButton.LeftButton)
    lab.qtbot.keyClicks(box.name, "mine")
    lab.qtbot.keyClick(box.name, Qt.Key.Key_Return)
    assert presets(panel).currentText() == f"{MINE}mine"
    lab.state.set_recipe(slot, make_recipe("RC"))
    box.box.textActivated.emit(f"{MINE}mine")
    assert lab.state.chosen_slot.recipe.parameters["size"] == 321
    lab.qtbot.mouseClick(box.delete, Qt.MouseButton.LeftButton)
    assert box.box.findText(f"{MINE}mine") < 0


def test_a_value_that_is_refused_is_told_below_its_field(lab: Lab, panel: StrategyPanel) -> None:
    lab.show("RGX:pattern=x")
    row = panel.row("pattern")
    row._line.setText("((((")
    lab.qtbot.keyClick(row._line, Qt.Key.Key_Return)
    lab.wait(lambda: bool(panel._error.text()) or bool(row._error.text()))


@pytest.mark.parametrize("code", ["SBC", "CDAC", "K4", "ADAPT", "S1"])
def test_with_shared_options_no_control_lies_outside_the_narrowest_pane(
    lab: Lab, panel: StrategyPanel, code: str
) -> None:
    lab.state.add_slot(make_recipe(code))
    lab.qtbot.mouseClick(panel._shared_switch, Qt.MouseButton.LeftButton)
    lab.wait(lambda: panel.row("tail.rule") is not None and panel.row("tail.rule").isVisible())
    least = max(column.minimumSizeHint().width() for column in (panel._own, panel._shared))
    assert least <= 280 - 34  # without margins and a scroll bar


def test_names_of_parameters_are_words() -> None:
    names = ("tail.rule", "sc_min", "weight.ICC", "length_unit")
    assert [label_words(name) for name in names] == [
        "tail rule",
        "SC min",
        "weight ICC",
        "length unit",
    ]


def test_another_theme_reaches_the_strips(lab: Lab, panel: StrategyPanel) -> None:
    lab.show("SGC:sentences=4,overlap=0")
    wait_for_strip(lab, panel, "sentences")
    strip = panel.row("sentences").strip
    light = strip.grab().toImage()
    panel.set_theme(DARK)
    assert strip.grab().toImage() != light
