# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strategies of the user's: asked for once a version, told where they fail."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.strategies.registry import strategies
from core.strategies.user_strategies import disagree, load_agreed, strategies_folder
from gui.controllers.own_strategies import OwnStrategies
from gui.panels.agreement_strip import AgreementStrip


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnStrategies]:
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path))
    made = OwnStrategies()
    yield made
    for path in strategies_folder().glob("*.py"):
        disagree(path)
    load_agreed()


@pytest.fixture
def strip(qtbot: QtBot, own: OwnStrategies) -> AgreementStrip:
    made = AgreementStrip()
    qtbot.addWidget(made)
    own.asked.connect(made.ask)
    made.agreed.connect(own.agree_to)
    made.ignored.connect(own.ignore)
    return made


def test_a_new_file_is_not_run_before_the_user_agrees(
    qtbot: QtBot, own: OwnStrategies, strip: AgreementStrip
) -> None:
    path = own.new_from_template()
    before = set(strategies())
    own.load()
    assert set(strategies()) == before
    assert path.name in strip.text
    qtbot.mouseClick(strip.load, Qt.MouseButton.LeftButton)
    assert len(set(strategies()) - before) == 1
    assert strip.isHidden()


def test_another_version_is_asked_for_again(
    qtbot: QtBot, own: OwnStrategies, strip: AgreementStrip
) -> None:
    path = own.new_from_template()
    own.load()
    qtbot.mouseClick(strip.load, Qt.MouseButton.LeftButton)
    path.write_text(path.read_text() + "\n# changed\n")
    qtbot.waitUntil(lambda: not strip.isHidden(), timeout=30_000)


def test_what_is_ignored_is_not_asked_for_again(
    qtbot: QtBot, own: OwnStrategies, strip: AgreementStrip
) -> None:
    own.new_from_template()
    own.load()
    qtbot.mouseClick(strip.ignore, Qt.MouseButton.LeftButton)
    assert strip.isHidden()
    own.load()
    assert strip.isHidden()


def test_an_error_is_told_with_file_and_line(
    qtbot: QtBot, own: OwnStrategies, strip: AgreementStrip
) -> None:
    told: list[str] = []
    own.failed.connect(told.extend)
    path = own.folder() / "broken.py"
    path.write_text("x = 1\nraise ValueError('no')\n")
    own.load()
    qtbot.mouseClick(strip.load, Qt.MouseButton.LeftButton)
    assert any(f"{path}, line 2" in message for message in told)


def test_the_template_gets_a_name_that_is_free(own: OwnStrategies) -> None:
    names = [own.new_from_template().name for _ in range(3)]
    assert names == ["my_strategy.py", "my_strategy_2.py", "my_strategy_3.py"]


def test_a_folder_that_is_made_by_hand_is_noticed(
    qtbot: QtBot, own: OwnStrategies, strip: AgreementStrip
) -> None:
    own.load()
    assert not strategies_folder().exists()
    strategies_folder().mkdir()
    (strategies_folder() / "mine.py").write_text("# nothing yet\n")
    qtbot.waitUntil(lambda: "mine.py" in strip.text, timeout=30_000)
