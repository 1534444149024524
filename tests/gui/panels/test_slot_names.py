# SPDX-License-Identifier: AGPL-3.0-or-later
"""The visible strategies can be told apart by their names, wherever they are listed."""

import pytest
from PySide6.QtWidgets import QToolButton

from core.strategies.recipe import make_recipe, parse_recipe
from gui.panels.side_by_side import SideBySide
from gui.panels.slot_list import SlotList
from gui.panels.slot_names import NAME_WIDTH, elided, slot_names
from gui.state import Slot
from gui.theme import LIGHT
from tests.gui.lab import Lab


@pytest.mark.parametrize(
    ("words", "names"),
    [
        pytest.param(["STM", "RC"], ["STM", "RC"], id="one of each code"),
        pytest.param(["RC:size=300", "RC"], ["RC · size 300", "RC · size 500"], id="a parameter"),
        pytest.param(["STM", "STM:reg=on"], ["STM", "STM · REG on"], id="a shared option"),
        pytest.param(["SBC", "SBC"], ["SBC", "SBC"], id="the same twice"),
    ],
)
def test_a_name_has_what_tells_it_from_others_of_its_code(words, names):
    slots = [Slot(index, parse_recipe(word), 0) for index, word in enumerate(words)]
    assert list(slot_names(slots).values()) == names


def test_imported_chunks_are_called_by_their_files():
    files = "/tmp/ours/first.json", "/tmp/ours/second.json"
    slots = [Slot(k, make_recipe("IMPORT", {"file": file}), 0) for k, file in enumerate(files)]
    assert list(slot_names(slots).values()) == ["IMPORT · first.json", "IMPORT · second.json"]


def test_the_lists_show_the_names_and_follow_a_change(lab: Lab) -> None:
    listed, side = SlotList(lab.state, LIGHT), SideBySide(lab.state, LIGHT)
    for widget in (listed, side):
        lab.qtbot.addWidget(widget)
        widget.show()
    first, _ = lab.show("FC:size=100,overlap=0", "FC:size=60,overlap=0")

    def shown() -> list[str]:
        return [each.text() for each in listed.findChildren(QToolButton, "slotName")]

    assert [text.removeprefix("A  ") for text in shown()] == ["FC · size 100", "FC · size 60"]
    lab.wait(lambda: side.item(1, 0) is not None and side.item(1, 0).text() == "FC · size 60")
    lab.state.set_recipe(first, parse_recipe("SBC"))
    assert [text.removeprefix("A  ") for text in shown()] == ["SBC", "FC"]


def test_a_long_name_keeps_its_end_and_no_more_room_than_a_list_has(lab: Lab) -> None:
    side = SideBySide(lab.state, LIGHT)
    lab.qtbot.addWidget(side)
    name = "IMPORT · " + "chunks of a very long name " * 5 + "v2.json"
    shown = elided(name, side.fontMetrics())
    assert shown.endswith("v2.json")
    assert side.fontMetrics().horizontalAdvance(shown) <= NAME_WIDTH
