# SPDX-License-Identifier: AGPL-3.0-or-later
"""Choosing and judging strategies in the whole window."""

import json
from pathlib import Path

import pytest

from core.strategies.recipe import parse_recipe
from tests.gui.lab import PARAGRAPH, TEXT


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "rat.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_compare_all_fills_the_table_and_a_row_goes_to_the_pages(bench, text_file: Path) -> None:
    bench.open(text_file)
    study = bench.workbench.study
    bench.run("evaluate.compare")
    assert bench.workbench.bottom.currentWidget() is study.compare
    bench.qtbot.waitUntil(lambda: study.compare.model.rowCount() > 3, timeout=60_000)
    recipe = study.compare.model.fact(2).row.variant.recipe
    study.comparing.cancel()
    study.compare.recipe_asked.emit(recipe)
    assert bench.state.chosen_slot.recipe == recipe
    bench.wait_for_chunks(bench.state.chosen)


def test_chunks_of_another_tool_are_drawn_and_scored_like_ours(
    bench, text_file: Path, tmp_path: Path
) -> None:
    bench.open(text_file)
    chunk_file = tmp_path / "theirs.json"
    chunk_file.write_text(json.dumps([{"page_content": PARAGRAPH}] * 3 + ["nowhere to be found"]))
    bench.workbench.study.import_chunks(chunk_file)
    slot = bench.state.chosen
    bench.wait_for_chunks(slot)
    result = bench.state.current.result(slot)
    assert len(result.chunks) == 3
    assert "not in this text" in bench.workbench.strategy._notes.text()
    bench.qtbot.waitUntil(lambda: result_scores(bench, slot) is not None, timeout=60_000)


def result_scores(bench, slot: int):
    return bench.state.current.result(slot).scores


def test_a_click_on_a_score_opens_its_blame(bench, text_file: Path) -> None:
    bench.open(text_file)
    slot = bench.state.add_slot(parse_recipe("FC:size=40,overlap=0"))
    bench.state.set_chosen(slot)
    bench.qtbot.waitUntil(lambda: result_scores(bench, slot) is not None, timeout=60_000)
    bench.workbench.bottom.scores.cards["SC"].clicked.emit("SC")
    blame = bench.workbench.study.blame
    assert bench.workbench.bottom.currentWidget() is blame
    bench.qtbot.waitUntil(lambda: blame.model.rowCount() > 0, timeout=60_000)
    assert "1 − SC" in blame.says


def test_the_picker_shows_what_is_known_here(bench, text_file: Path) -> None:
    bench.open(text_file)
    slot = bench.state.add_slot(parse_recipe("PBC"))
    bench.qtbot.waitUntil(lambda: result_scores(bench, slot) is not None, timeout=60_000)
    facts = bench.workbench.study.facts("PBC")
    assert facts.chunks == 8
    assert facts.mean
