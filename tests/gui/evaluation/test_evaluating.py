# SPDX-License-Identifier: AGPL-3.0-or-later
"""Evaluations run from the tab, in the engine, with the toy embedder."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.search.evaluation import Options
from core.strategies.recipe import parse_recipe
from gui.controllers.evaluating import NOTHING, Wanted
from gui.panels.evaluation import candidates
from gui.state import OpenDocument
from tests.gui.evaluation.conftest import FIRST

# The engine works at a low priority, so on a busy machine it may be given little of a processor.
SECONDS = 400
pytestmark = pytest.mark.timeout(1_200)


def wanted(words: str, **options: object) -> Wanted:
    recipes = tuple(parse_recipe(word) for word in words.split())
    return Wanted(recipes, Options(k=3, measure_costs=False, **options), ("toy",))


@pytest.fixture
def ready(bench, files):
    """The window with a text and its questions, the tab of evaluations in front."""
    bench.open(files["one.txt"])
    bench.workbench.bottom.show_tab("evaluate")
    return bench


def test_rows_appear_strategy_by_strategy(ready, qtbot):
    retrieval = ready.workbench.retrieval
    counts = []
    retrieval.evaluating.arrived.connect(lambda found: counts.append(len(found.results)))
    with qtbot.waitSignal(retrieval.evaluating.finished, timeout=SECONDS * 1000):
        retrieval.evaluation.setup.run_asked.emit(wanted("FC:size=30 FC:size=60 FC:size=30"))
    assert counts == [1, 2]  # the one that is there twice is done once
    panel = retrieval.evaluation
    assert panel.views["Leaderboard"].has_content
    assert panel.setup.run.isVisible() and "5 questions" in panel.note.text()


def test_a_strategy_that_fails_is_named_and_the_others_go_on(ready, qtbot):
    retrieval = ready.workbench.retrieval
    with qtbot.waitSignal(retrieval.evaluating.finished, timeout=SECONDS * 1000):
        # without a model, a strategy that embeds sentences cannot run
        retrieval.evaluation.setup.run_asked.emit(
            wanted("SSTC:threshold=0.4 FC:size=60", retrieval="text")
        )
    panel = retrieval.evaluation
    assert len(panel.evaluation.results) == 1
    assert "1 strategy failed" in panel.note.text()
    assert "SSTC" in panel.note.toolTip()


def test_what_was_done_is_found_again(ready, qtbot):
    evaluating = ready.workbench.retrieval.evaluating
    with qtbot.waitSignal(evaluating.finished, timeout=SECONDS * 1000):
        evaluating.run(wanted("FC:size=45"))
    first = evaluating.last.results[0].record
    with qtbot.waitSignal(evaluating.finished, timeout=SECONDS * 1000):
        evaluating.run(wanted("FC:size=45"))
    assert evaluating.last.results[0].record == first  # with its timings: it was read


def test_what_is_searched_is_said_beside_its_choice(bench, files, qtbot):
    retrieval = bench.workbench.retrieval
    setup, evaluating = retrieval.evaluation.setup, retrieval.evaluating
    bench.open(files["one.txt"])
    assert setup.hint.startswith("Only one.txt is searched")
    bench.open(files["two.txt"])
    assert setup.hint.startswith("All 2 open documents are searched together")
    assert "ordinary vectors, as a pipeline would store them" in setup.hint
    assert retrieval.evaluation.note.text() == setup.hint
    assert "Queries & hits: late vectors" in setup.hint
    options = bench.workbench.bottom.queries.options
    options.vectors.setCurrentIndex(options.vectors.findData("windows"))
    assert "Queries & hits: window vectors" in setup.hint
    setup.pool.setCurrentIndex(setup.pool.findData("this"))
    assert setup.hint.startswith("Only two.txt is searched")
    setup.retrieval.setCurrentIndex(setup.retrieval.findData("text"))
    assert "vectors" not in setup.hint
    bench.state.set_recipe(bench.state.slots[0].id, parse_recipe("FC:size=60"))
    with qtbot.waitSignal(evaluating.finished, timeout=SECONDS * 1000):
        QTest.mouseClick(setup.run, Qt.MouseButton.LeftButton)
    assert evaluating.last.used == 5
    assert list(evaluating.last.documents) == ["two.txt"]
    assert "1 document, full text" in retrieval.evaluation.note.text()
    setup.pool.setCurrentIndex(0)
    assert "Next run: All 2 open documents" in retrieval.evaluation.note.text()


def test_a_document_that_is_still_being_read_is_named_and_not_left_out(bench, files):
    bench.open(files["one.txt"])
    bench.state.add_document(OpenDocument("late", files["two.txt"], "late.pdf"), is_shown=False)
    retrieval = bench.workbench.retrieval
    retrieval.evaluation.setup.run_asked.emit(wanted("FC:size=30"))
    assert retrieval.evaluation.note.text() == (
        "✕ late.pdf is still being read: run again when its text is there."
    )
    first = bench.state.current.id
    retrieval.evaluation.setup.run_asked.emit(replace(wanted("FC:size=30"), only=first))
    assert retrieval.evaluating.is_running


def test_cancel_ends_the_run(ready, qtbot):
    retrieval = ready.workbench.retrieval
    panel = retrieval.evaluation
    panel.setup.run_asked.emit(wanted("FC:size=31 FC:size=32 FC:size=33"))
    assert retrieval.evaluating.is_running
    qtbot.mouseClick(panel.setup.cancel, Qt.MouseButton.LeftButton)
    assert not retrieval.evaluating.is_running
    assert panel.setup.run.isVisible()


def test_without_questions_it_says_what_is_needed(bench, qtbot):
    retrieval = bench.workbench.retrieval
    bench.workbench.bottom.show_tab("evaluate")
    qtbot.mouseClick(retrieval.evaluation.setup.run, Qt.MouseButton.LeftButton)
    assert NOTHING in retrieval.evaluation.note.text()


def test_a_click_on_the_matrix_shows_the_passage_on_its_page(ready, qtbot):
    retrieval, state = ready.workbench.retrieval, ready.state
    with qtbot.waitSignal(retrieval.evaluating.finished, timeout=SECONDS * 1000):
        retrieval.evaluation.setup.run_asked.emit(wanted("FC:size=60"))
    retrieval.evaluation.show_view("Gold matrix")
    matrix = retrieval.evaluation.views["Gold matrix"]
    index = matrix.model.index(4 + 2, 0)
    place = matrix.grid.visualRect(index).center()
    qtbot.mouseClick(matrix.grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    selected = state.selection
    assert selected.kind == "gold"
    text = state.current.document.text[selected.start : selected.end]
    assert text.startswith(f"The {FIRST[2]} keeper counted")


def test_a_typed_list_and_a_range_become_recipes(ready):
    setup = ready.workbench.retrieval.evaluation.setup
    setup.which.setCurrentIndex(setup.which.findData("typed"))
    setup.typed.setText("FC:size=60,overlap=10 RC")
    assert [recipe.code for recipe in setup.recipes()] == ["FC", "RC"]
    state = ready.state
    state.set_chosen(state.slots[1].id)
    setup.which.setCurrentIndex(setup.which.findData("range"))
    setup.parameter.setCurrentText("size")
    setup.low.setValue(200)
    setup.high.setValue(1000)
    setup.count.setValue(5)
    sizes = [recipe.parameters["size"] for recipe in setup.recipes()]
    assert sizes == [200, 400, 600, 800, 1000]


def test_a_word_that_is_no_recipe_is_refused(ready, qtbot):
    panel = ready.workbench.retrieval.evaluation
    panel.setup.which.setCurrentIndex(panel.setup.which.findData("typed"))
    panel.setup.typed.setText("RC:sice=3")
    qtbot.mouseClick(panel.setup.run, Qt.MouseButton.LeftButton)
    assert "sice" in panel.note.text()


def test_all_presets_are_many_and_unlike():
    words = [recipe.word for recipe in candidates.all_presets()]
    assert len(words) > 40 and len(set(words)) == len(words)
