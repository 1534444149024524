# SPDX-License-Identifier: AGPL-3.0-or-later
"""Labelling in the window with keys and the mouse."""

import json
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from core.search.gold import PlacedQuery
from core.search.query_sets import load_query_set
from gui.state import Hit
from tests.gui.evaluation.conftest import FIRST, TEXTS, answer, read_json

Key, No = Qt.Key, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def labelled(bench, files):
    """The window with a text and the questions that lie beside it, the first one chosen."""
    bench.open(files["one.txt"])
    book = bench.workbench.book
    bench.qtbot.waitUntil(
        lambda: [isinstance(each, PlacedQuery) for each in book.placed()] == [True] * 5,
        timeout=60_000,
    )
    book.choose(0)
    bench.workbench.bottom.show_tab("gold")
    bench.window.pages.setFocus()
    return bench


def select_text(bench, start: int, end: int) -> None:
    """Select characters as the text tool does."""
    pages, document = bench.window.pages, bench.state.current.document
    QTest.keyClick(pages, Key.Key_T)
    assert pages.mouse.tool == "text"
    pages.text.press(document, start, 1)
    pages.text.drag(document, end - 1)


def test_questions_beside_a_document_are_loaded_and_their_gold_is_drawn(labelled):
    book = labelled.workbench.book
    assert [query.id for query in book.queries] == [f"one-{k}" for k in range(1, 6)]
    start = TEXTS["one.txt"].index(answer(FIRST[0], 40))
    assert labelled.window.pages.shown.gold.tolist()[0][0] == start
    assert labelled.state.query == book.queries[0].question


def test_alt_down_asks_the_next_question(labelled):
    QTest.keyClick(labelled.window.pages, Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert labelled.workbench.book.index == 1
    assert labelled.state.query == labelled.workbench.book.queries[1].question
    QTest.keyClick(labelled.window.pages, Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert labelled.workbench.book.index == 0


def test_g_marks_the_selected_text_and_shift_g_marks_it_in_part(labelled):
    book, pages = labelled.workbench.book, labelled.window.pages
    select_text(labelled, 4, 30)
    QTest.keyClick(pages, Key.Key_G)
    assert [(span.start, span.end, span.grade) for span in book.current.gold[1:]] == [(4, 30, 2)]
    assert [4, 30] in pages.shown.gold.tolist()
    assert pages.text.span is None
    select_text(labelled, 40, 60)
    QTest.keyClick(pages, Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    assert book.current.gold[-1].grade == 1


def test_g_without_a_selection_says_what_to_do(labelled):
    QTest.keyClick(labelled.window.pages, Key.Key_G)
    assert "Select text" in labelled.window.status.currentMessage()


def test_a_number_marks_the_hit_of_that_rank_and_takes_it_back(labelled):
    state, book = labelled.state, labelled.workbench.book
    current = state.current
    state.set_chosen(state.slots[1].id)  # RC needs no model
    labelled.wait_for_chunks(state.chosen)
    chunks = current.result(state.chosen).chunks
    hits = tuple(
        Hit(rank + 1, 0.5, current.id, rank, int(chunks.starts[rank]), int(chunks.ends[rank]))
        for rank in range(len(chunks))
    )
    state.put_hits(current.id, state.chosen, hits, "exact")
    QTest.keyClick(labelled.window.pages, Key.Key_1)
    marked = book.current.gold[-1]
    assert (marked.start, marked.end) == (hits[0].start, hits[0].end)
    labelled.workbench.bottom.show_tab("queries")
    table = labelled.workbench.bottom.queries.table
    assert table.model().index(0, 4).data().startswith("★")
    table.setFocus()
    QTest.keyClick(table, Key.Key_1)
    assert len(book.current.gold) == 1


def test_undo_belongs_to_the_questions_while_their_panel_has_the_focus(labelled):
    book, panel = labelled.workbench.book, labelled.workbench.retrieval.gold
    book.mark(labelled.state.current, 4, 30)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(book.current.gold) == 1
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(panel.table, Key.Key_Z, both)
    assert len(book.current.gold) == 2


def test_typed_questions_are_added_one_a_line(labelled):
    panel, book = labelled.workbench.retrieval.gold, labelled.workbench.book
    QGuiApplication.clipboard().setText("Who paid?\nWho forgot?")
    panel.typed.setFocus()
    QTest.keyClick(panel.typed, Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    panel._add()
    assert [query.question for query in book.queries[-2:]] == ["Who paid?", "Who forgot?"]
    assert book.current.question == "Who paid?"
    assert panel.model.rowCount() == 7


def test_doubtful_gold_comes_first_and_is_placed_at_the_selection(labelled):
    book, panel = labelled.workbench.book, labelled.workbench.retrieval.gold
    query = book.queries[2]
    lost = replace(query.gold[0], text="words that stand nowhere in this text at all")
    book.edit(2, replace(query, gold=(lost,)))
    first = panel.gold.item(0)
    assert first.text().startswith("▲ one-3") and "lost" in first.text()
    assert panel.model.index(2, 2).data() == "▲ 1/1"
    panel.gold.setCurrentItem(first)
    select_text(labelled, 4, 30)
    panel.edits._place()
    assert book.queries[2].gold[0].text == TEXTS["one.txt"][4:30]
    assert panel.model.index(2, 2).data() == "1"


def test_files_of_all_forms_are_imported(labelled, tmp_path):
    panel, book = labelled.workbench.retrieval.gold, labelled.workbench.book
    rows = [{"_id": "7", "text": "Who counted?"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    panel.files.import_file(tmp_path / "a.jsonl")
    assert book.queries[0].question == "Who counted?"
    references = json.dumps(
        [{"content": TEXTS["one.txt"][4:30], "start_index": 4, "end_index": 30}]
    )
    quoted = references.replace('"', '""')
    (tmp_path / "b.csv").write_text(
        f'question,references,corpus_id\nWho?,"{quoted}",one.txt\n', "utf-8"
    )
    panel.files.import_file(tmp_path / "b.csv")
    assert book.gold_in(labelled.state.current.id).tolist() == [[4, 30]]
    beir = tmp_path / "beir"
    (beir / "qrels").mkdir(parents=True)
    (beir / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": "What?"}), "utf-8")
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tone.txt\t1\n", "utf-8")
    panel.files.import_file(beir)
    assert book.queries[0].extra["relevant_documents"] == {"one.txt": 1}
    topics = "<top>\n<num> Number: 301\n<title> Tides and boats\n</top>\n"
    (tmp_path / "topics.txt").write_text(topics, "utf-8")
    (tmp_path / "qrels.txt").write_text("301 0 one.txt 2\n", "utf-8")
    panel.files.import_file(tmp_path / "topics.txt", tmp_path / "qrels.txt")
    assert book.queries[0].id == "301"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        pytest.param("bad.json", "{", "bad.json", id="damaged"),
        pytest.param("empty.csv", "question,references,corpus_id\n", "has no question", id="empty"),
    ],
)
def test_a_file_without_questions_is_refused_and_nothing_is_lost(
    labelled, tmp_path, qtbot, name, content, words
):
    panel, book = labelled.workbench.retrieval.gold, labelled.workbench.book
    (tmp_path / name).write_text(content, "utf-8")
    with qtbot.waitSignal(panel.failed) as failed:
        panel.files.import_file(tmp_path / name)
    assert words in failed.args[0]
    assert len(book.queries) == 5


def choose(labelled, text: str) -> None:
    """Choose an entry of the menu of files."""
    files = labelled.workbench.retrieval.gold.files
    next(each for each in files.menu().actions() if each.text() == text).trigger()


@pytest.mark.parametrize(
    ("entry", "form", "written"),
    [
        pytest.param("Save…", "", "mine.json", id="save"),
        pytest.param("Export…", "Benchmark CSV (*.csv)", "mine.csv", id="csv"),
        pytest.param("Export…", "JSON lines (*.jsonl)", "mine.jsonl", id="jsonl"),
        pytest.param("Export…", "Query set (*.json)", "mine.json", id="json"),
    ],
)
def test_a_name_without_an_ending_gets_that_of_its_form(
    labelled, tmp_path, monkeypatch, entry, form, written
):
    answer = (str(tmp_path / "mine"), form)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: answer)
    choose(labelled, entry)
    labelled.workbench.retrieval.gold.files.import_file(tmp_path / written)
    assert len(labelled.workbench.book.queries) == 5


def test_topics_that_are_not_chosen_ask_for_no_judgements(labelled, monkeypatch):
    asked = []
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *words: asked.append(words[1]) or ("", "")
    )
    choose(labelled, "Import TREC topics with qrels…")
    assert asked == ["TREC topics"]


def test_saved_questions_are_read_again(labelled, tmp_path):
    book = labelled.workbench.book
    book.mark(labelled.state.current, 4, 30, grade=1)
    book.save(tmp_path / "mine.queries.json")
    loaded = load_query_set(tmp_path / "mine.queries.json")
    assert loaded.queries == book.queries
    assert loaded.documents[0].sha256 == labelled.state.current.document.sha256


def test_the_workspace_restores_questions_of_the_users(labelled, make_bench, tmp_path):
    labelled.workbench.book.add("One of my own")
    labelled.workbench.keeping.save_now()
    kept = read_json(tmp_path / "config" / "workspace.json")
    assert kept["questions"]["questions"][-1]["question"] == "One of my own"
    again = make_bench()
    book = again.workbench.book
    assert [query.question for query in book.queries][-1] == "One of my own"
    assert book.index == 5


def test_gold_that_is_selected_stays_selected_when_it_is_changed(labelled):
    panel, book = labelled.workbench.retrieval.gold, labelled.workbench.book
    book.mark(labelled.state.current, 4, 30)
    line = panel.gold.visualItemRect(panel.gold.item(1)).center()
    QTest.mouseClick(panel.gold.viewport(), Qt.MouseButton.LeftButton, pos=line)
    panel.edits._grade_part()
    assert panel.gold.chosen_gold() == [(0, 1)]
    QTest.keyClick(panel.gold, Key.Key_Delete)
    assert len(book.current.gold) == 1


def test_a_button_for_gold_says_what_it_needs(labelled, qtbot):
    panel, book = labelled.workbench.retrieval.gold, labelled.workbench.book
    with qtbot.waitSignal(panel.failed) as failed:
        panel.edits._accept()
    assert "select gold" in failed.args[0]
    book.add("One of my own")
    with qtbot.waitSignal(panel.failed) as failed:
        panel.edits._group()
    assert "no gold yet" in failed.args[0]


def test_all_typed_lines_are_seen_until_they_are_added(labelled):
    panel = labelled.workbench.retrieval.gold
    one = panel.typed.height()
    QTest.keyClicks(panel.typed, "What is bridging?")
    QTest.keyClick(panel.typed, Key.Key_Return)
    QTest.keyClicks(panel.typed, "Who stops it?")
    assert panel.typed.height() >= one + panel.typed.fontMetrics().lineSpacing()
    panel._add()
    assert panel.typed.height() == one
