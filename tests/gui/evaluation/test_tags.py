# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tags of documents: typed in the window, kept, undone, and what they are used for."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from core.search.filters import Filters
from core.strategies.recipe import parse_recipe
from gui.panels.evaluation.shown import parts_of
from gui.panels.search_options import pages_in
from gui.tags import tags_in
from tests.gui.evaluation.conftest import SECOND, read_json

# The engine works at a low priority, so on a busy machine it may be given little of a processor.
WAIT = 400_000
pytestmark = pytest.mark.timeout(1_200)


def opened(bench, files):
    """Both texts in the window, with short chunks."""
    bench.state.set_recipe(bench.state.chosen, parse_recipe("FC:size=60,overlap=0"))
    for path in files.values():
        bench.open(path)
        bench.wait_for_chunks(bench.state.chosen)
    return bench


def type_tags(bench, row: int, words: str) -> None:
    """Type into the table of tags with mouse and keys."""
    bench.run("evaluate.tags")
    table = bench.workbench.retrieval._tag_table.table
    place = table.visualItemRect(table.item(row, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (editor,) = table.viewport().findChildren(QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, words)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    bench.qtbot.waitUntil(lambda: not table.viewport().findChildren(QLineEdit))


def scopes(bench) -> list[str]:
    combo = bench.workbench.bottom.queries.options.scope
    return [combo.itemText(place) for place in range(combo.count())]


def test_typed_tags_are_kept_offered_and_undone(bench, files, make_bench, tmp_path):
    opened(bench, files)
    book = bench.workbench.book
    type_tags(bench, 0, "law, long")
    type_tags(bench, 1, "health")
    first, second = bench.state.documents.values()
    assert (book.tags.of(first), book.tags.of(second)) == (("law", "long"), ("health",))
    assert scopes(bench)[2:5] == ["tag health", "tag law", "tag long"]
    bench.workbench.keeping.save_now()
    kept = read_json(tmp_path / "config" / "workspace.json")["tags"]
    assert kept[str(files["one.txt"])] == ["law", "long"]
    bench.run("edit.undo")
    assert book.tags.all() == ["law", "long"]
    bench.run("edit.redo")
    assert book.tags.all() == ["health", "law", "long"]
    again = make_bench()
    again.open(files["two.txt"])
    assert again.workbench.book.tags.all() == ["health"]


def test_hits_are_filtered_by_tag_document_and_page(bench, files, qtbot):
    bench.workbench._model = "toy"
    with qtbot.waitSignal(bench.workbench.models.ready, timeout=WAIT):
        bench.workbench._load_model()
    opened(bench, files)
    first, second = bench.state.documents.values()
    bench.workbench.book.tags.set(first, ("law",))
    options = bench.workbench.bottom.queries.options
    bench.state.set_query(f"How many visitors did the {SECOND[0]} keeper count?")
    result = bench.state.current.result(bench.state.chosen)

    def homes() -> set[str]:
        return {hit.document for hit in result.hits}

    options.scope.setCurrentText("all open")
    qtbot.waitUntil(lambda: homes() == {first.id, second.id}, timeout=WAIT)
    options.scope.setCurrentText("tag law")
    qtbot.waitUntil(lambda: homes() == {first.id}, timeout=WAIT)
    options.scope.setCurrentText("in two.txt")
    qtbot.waitUntil(lambda: homes() == {second.id}, timeout=WAIT)
    QTest.keyClicks(options.pages, "9-12")
    QTest.keyClick(options.pages, Qt.Key.Key_Return)
    assert options.filters() == Filters(documents=(second.id,), pages=(8, 11))
    qtbot.waitUntil(lambda: homes() == set(), timeout=WAIT)  # it has fewer pages


def test_each_tag_is_a_pool_with_a_leaderboard_of_its_own(bench, files, qtbot):
    bench.workbench._model = "toy"
    opened(bench, files)
    first, second = bench.state.documents.values()
    bench.workbench.book.tags.set(first, ("law",))
    bench.workbench.book.tags.set(second, ("health",))
    retrieval = bench.workbench.retrieval
    setup = retrieval.evaluation.setup
    qtbot.waitUntil(lambda: None not in bench.workbench.book.placed(), timeout=WAIT)
    setup.retrieval.setCurrentIndex(setup.retrieval.findData("text"))
    setup.pool.setCurrentIndex(setup.pool.findData("tag"))
    with qtbot.waitSignal(retrieval.evaluating.finished, timeout=WAIT):
        qtbot.mouseClick(setup.run, Qt.MouseButton.LeftButton)
    assert parts_of(retrieval.evaluation.evaluation) == [(None, "health"), (None, "law")]
    words = [retrieval.evaluation.part.itemText(k) for k in range(2)]
    assert words == ["full text · health", "full text · law"]


def test_tags_are_separated_by_commas_and_pages_by_a_dash():
    assert tags_in(" law ,  long  text, law,, ") == ("law", "long text")
    assert [pages_in(words) for words in ("", "3", "2-5", "2 – 5", "4-")] == [
        None,
        (2, 2),
        (1, 4),
        (1, 4),
        (3, 999_999),
    ]
