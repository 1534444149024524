# SPDX-License-Identifier: AGPL-3.0-or-later
"""Choosing among fifty strategies by keyboard and mouse."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.strategies.registry import strategies
from core.strategies.waiting import WAITING
from gui.panels.picker import Facts, StrategyPicker


@pytest.fixture
def picker(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StrategyPicker:
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path))
    made = StrategyPicker()
    qtbot.addWidget(made)
    return made


def shown(picker: StrategyPicker) -> list[str]:
    """Codes in the order in which they stand."""
    return [
        item.text(0).removeprefix("★ ").split(" · ")[0]
        for _, items in picker._families()
        for item in items
        if not item.isHidden()
    ]


def test_all_strategies_stand_in_the_order_of_the_publications(picker: StrategyPicker) -> None:
    picker.open_for(-1)
    codes = shown(picker)
    assert set(codes) == {*strategies(), *WAITING}
    order = ["FCC", "SBC", "PBC", "RC", "SSTC", "LCSI", "HSSC", "K4", "S1", "STM", "PAGE", "RGX"]
    assert [code for code in codes if code in order] == order


def test_words_filter_and_enter_chooses(qtbot: QtBot, picker: StrategyPicker) -> None:
    picker.open_for(3)
    qtbot.keyClicks(picker._filter, "parent")
    assert "PCC" in shown(picker)
    assert "FCC" not in shown(picker)
    first = shown(picker)[0]
    with qtbot.waitSignal(picker.picked) as picked:
        qtbot.keyClick(picker._filter, Qt.Key.Key_Return)
    assert picked.args == [3, first]


def test_a_code_that_is_typed_is_marked_before_words_that_hold_it(
    qtbot: QtBot, picker: StrategyPicker
) -> None:
    picker.open_for(-1)
    qtbot.keyClicks(picker._filter, "adapt")
    assert shown(picker)[0] != "ADAPT"
    with qtbot.waitSignal(picker.picked) as picked:
        qtbot.keyClick(picker._filter, Qt.Key.Key_Return)
    assert picked.args == [-1, "ADAPT"]


def test_arrows_mark_only_what_can_be_chosen(qtbot: QtBot, picker: StrategyPicker) -> None:
    picker.open_for(-1)
    able = [code for code in shown(picker) if code in strategies()]
    marked = []
    for _ in able:
        marked.append(picker._tree.currentItem().data(0, Qt.ItemDataRole.UserRole))
        qtbot.keyClick(picker._filter, Qt.Key.Key_Down)
    assert marked == able
    qtbot.keyClick(picker._filter, Qt.Key.Key_Up)
    assert picker._tree.currentItem().data(0, Qt.ItemDataRole.UserRole) == able[-2]


def test_it_says_where_the_empty_columns_are_filled_from(picker: StrategyPicker) -> None:
    picker.open_for(-1)
    assert "Compare" in picker._foot.text()
    assert all("Compare" in picker._tree.headerItem().toolTip(column) for column in (1, 2, 3))


def test_a_star_puts_a_strategy_on_top_and_stays(qtbot: QtBot, picker: StrategyPicker) -> None:
    picker.open_for(-1)
    qtbot.keyClicks(picker._filter, "STM")
    qtbot.keyClicks(picker._filter, "*")
    other = StrategyPicker()
    qtbot.addWidget(other)
    other.open_for(-1)
    assert shown(other)[0] == "STM"


def test_what_is_known_here_is_shown_and_searched(qtbot: QtBot, picker: StrategyPicker) -> None:
    def facts(code: str) -> Facts:
        return Facts("⚡", 61, "0.912", ("SBC",)) if code == "LCSI" else Facts()

    picker.set_facts(facts)
    picker.open_for(-1)
    qtbot.keyClicks(picker._filter, "0.912 61")
    assert shown(picker) == ["LCSI"]
    item = picker._tree.currentItem()
    assert [item.text(column) for column in (1, 2, 3)] == ["⚡", "61", "0.912"]
    assert "= SBC here" in item.text(5)


def test_what_waits_for_a_model_is_shown_but_cannot_be_chosen(
    qtbot: QtBot, picker: StrategyPicker
) -> None:
    picker.open_for(-1)
    qtbot.keyClicks(picker._filter, "lbdc")
    assert shown(picker) == ["LBDC"]
    with qtbot.assertNotEmitted(picker.picked, wait=50):
        qtbot.keyClick(picker._filter, Qt.Key.Key_Return)
