# SPDX-License-Identifier: AGPL-3.0-or-later
"""The tab of index and models, and searching in several documents."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox, QPushButton

from core.document.model import Document
from core.pipeline import Pipeline
from core.strategies.recipe import parse_recipe
from core.vectors.fetch import is_confirmed
from gui import settings
from gui.controllers.model_choice import endpoint_host
from gui.panels.plots import tail_words
from tests.core.vectors.test_endpoint import Server
from tests.gui.evaluation.conftest import FIRST, SECOND, TEXTS

# The engine works at a low priority, so on a busy machine it may be given little of a processor.
WAIT = 400_000
pytestmark = pytest.mark.timeout(1_200)


@pytest.fixture
def searched(bench, files, qtbot):
    """Two texts in the window, the toy embedder, chunks of 60 tokens of both."""
    workbench = bench.workbench
    workbench._model = "toy"
    with qtbot.waitSignal(workbench.models.ready, timeout=WAIT):
        workbench._load_model()
    for slot in bench.state.slots[1:]:
        bench.state.remove_slot(slot.id)
    bench.state.set_recipe(bench.state.chosen, parse_recipe("FC:size=60,overlap=0"))
    for path in files.values():
        bench.open(path)
        bench.wait_for_chunks(bench.state.chosen)
    return bench


def ask(bench, question: str) -> tuple:
    """Hits of a question in the document shown, from the index."""
    state = bench.state
    state.set_query(question)
    result = state.current.result(state.chosen)
    bench.qtbot.waitUntil(lambda: result.hits_exactness == "exact", timeout=WAIT)
    return result.hits


def test_all_open_documents_are_searched_and_a_hit_opens_its_own(searched, qtbot):
    state, panel = searched.state, searched.workbench.bottom.queries
    searched.workbench.bottom.show_tab("queries")
    first, second = state.documents.values()
    state.set_current(first.id)
    panel.options.scope.setCurrentIndex(1)
    question = f"How many visitors did the {SECOND[0]} keeper count?"
    hits = ask(searched, question)
    assert {hit.document for hit in hits} == {first.id, second.id}
    row = next(row for row, hit in enumerate(hits) if hit.document == second.id)
    assert panel.table.model().index(row, 5).data() == "two.txt"
    place = panel.table.visualRect(panel.table.model().index(row, 5)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert state.current is second
    assert (state.selection.start, state.selection.end) == (hits[row].start, hits[row].end)


def test_the_line_above_the_hits_names_the_index_once_it_has_answered(searched):
    hits = ask(searched, "How many visitors did the comet keeper count?")
    panel = searched.workbench.bottom.queries
    assert panel.note.startswith(f"{len(hits)} hits from LanceDB, ")
    searched.state.current_changed.emit(searched.state.current)
    assert panel.note == f"{len(hits)} hits from LanceDB"


def test_this_document_finds_only_its_own(searched):
    hits = ask(searched, "How many visitors did the comet keeper count?")
    assert {hit.document for hit in hits} == {searched.state.current.id}


def test_another_document_is_asked_itself_and_never_shows_hits_of_an_older_query(searched):
    state, panel = searched.state, searched.workbench.bottom.queries
    first, second = state.documents.values()
    old = ask(searched, "Who paid for the comet?")
    assert second.result(state.chosen).hits == old
    state.set_current(first.id)
    assert panel.model.hits == ()
    assert panel.note == "searching…"
    asked_first = first.result(state.chosen)
    searched.qtbot.waitUntil(lambda: asked_first.hits_exactness == "exact", timeout=WAIT)
    assert {hit.document for hit in panel.model.hits} == {first.id}
    ask(searched, "How many visitors did the lantern keeper count?")
    state.set_current(second.id)
    assert panel.model.hits == ()
    result = second.result(state.chosen)
    searched.qtbot.waitUntil(lambda: result.hits_exactness == "exact", timeout=WAIT)
    assert panel.model.hits != old


def test_all_open_documents_are_searched_with_the_parameters_that_are_shown(searched):
    state, panel = searched.state, searched.workbench.bottom.queries
    first, second = state.documents.values()
    panel.options.scope.setCurrentIndex(1)
    state.set_recipe(state.chosen, parse_recipe("FC:size=30,overlap=0"))
    before = len(first.result(state.chosen).chunks)
    ask(searched, "Who paid for the comet?")
    chunks = first.result(state.chosen).chunks
    assert len(chunks) > before
    assert panel.note.split(", ")[1].startswith(
        f"{len(chunks) + len(second.result(state.chosen).chunks)} rows"
    )


def test_a_document_that_a_strategy_refuses_is_left_out_of_the_pool(searched):
    state, panel = searched.state, searched.workbench.bottom.queries
    first, second = state.documents.values()
    panel.options.scope.setCurrentIndex(1)
    slot = state.slot(state.chosen)
    searched.workbench.chunking._refuse(first, slot, "no")
    hits = ask(searched, "Who paid for the comet?")
    assert {hit.document for hit in hits} == {second.id}


def test_the_row_of_a_hit_stays_when_a_hit_of_another_document_is_opened(searched):
    state, panel = searched.state, searched.workbench.bottom.queries
    first, _ = state.documents.values()
    panel.options.scope.setCurrentIndex(1)
    searched.workbench.bottom.show_tab("queries")
    hits = ask(searched, f"How many visitors did the {FIRST[0]} keeper count?")
    row = next(row for row, hit in enumerate(hits) if hit.document == first.id)
    place = panel.table.visualRect(panel.table.model().index(row, 5)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert state.current is first
    assert panel.model.hits == hits  # the pool is the same
    assert panel.table.currentIndex().row() == row


def test_full_text_is_searched_without_a_model_and_other_modes_say_so(bench, files):
    state, panel = bench.state, bench.workbench.bottom.queries
    for slot in state.slots[1:]:
        state.remove_slot(slot.id)
    state.set_recipe(state.chosen, parse_recipe("FC:size=60,overlap=0"))
    bench.open(files["one.txt"])
    bench.wait_for_chunks(state.chosen)
    state.set_query("lantern keeper")
    assert "no model is loaded" in panel.note
    panel.options.mode.setCurrentIndex(panel.options.mode.findData("text"))
    result = state.current.result(state.chosen)
    bench.qtbot.waitUntil(lambda: result.hits_exactness == "exact", timeout=WAIT)
    assert result.hits
    assert "full text" in panel.note
    panel.options.mode.setCurrentIndex(panel.options.mode.findData("hybrid"))
    assert "no model is loaded" in panel.note


def test_repeats_are_left_out_of_hits_when_asked(bench, tmp_path, qtbot):
    text = "\n\n".join([TEXTS["one.txt"].split("\n\n")[0]] * 3 + [TEXTS["two.txt"]])
    path = tmp_path / "twice.txt"
    path.write_text(text, "utf-8")
    with qtbot.waitSignal(bench.workbench.models.ready, timeout=WAIT):
        bench.workbench._model = "toy"
        bench.workbench._load_model()
    bench.state.set_recipe(bench.state.chosen, parse_recipe("RC:size=320,overlap=0"))
    bench.open(path)
    bench.wait_for_chunks(bench.state.chosen)
    question = "How many visitors did the harbour keeper count?"
    hits = ask(bench, question)
    texts = [text[hit.start : hit.end].strip() for hit in hits]
    assert len(set(texts)) < len(texts)
    bench.workbench.retrieval.index.leave_out.setChecked(True)
    result = bench.state.chosen_result
    qtbot.waitUntil(
        lambda: len({text[h.start : h.end].strip() for h in result.hits}) == len(result.hits),
        timeout=WAIT,
    )
    note = bench.workbench.bottom.queries.note
    assert int(note.split()[0]) == len(result.hits)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))


def test_tables_are_listed_with_rows_and_dimension_and_are_cleared(searched, qtbot):
    ask(searched, "How many visitors did the comet keeper count?")
    retrieval = searched.workbench.retrieval
    panel = retrieval.index
    with qtbot.waitSignal(retrieval.storing.seen, timeout=WAIT):
        searched.workbench.bottom.show_tab("index")
    rows = [
        [panel.tables.item(r, c).text() for c in range(6)] for r in range(panel.tables.rowCount())
    ]
    chunks = len(searched.state.chosen_result.chunks)
    assert ["toy", "ordinary", str(chunks), "64"] in [row[1:5] for row in rows]
    assert panel.sizes["indexes"].text() not in ("—", "0 B")
    panel.tables.selectAll()
    button = panel.findChild(type(panel.use), "clear indexes")
    with qtbot.waitSignal(retrieval.storing.seen, timeout=WAIT):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.tables.rowCount() == 0, timeout=WAIT)


def test_near_duplicates_are_found_and_lead_to_both_places(searched, qtbot, tmp_path):
    path = tmp_path / "copy.txt"
    path.write_text(TEXTS["two.txt"], "utf-8")
    searched.open(path)
    searched.wait_for_chunks(searched.state.chosen)
    retrieval = searched.workbench.retrieval
    with qtbot.waitSignal(retrieval.storing.duplicates_found, timeout=WAIT) as found:
        retrieval.index.duplicates_asked.emit()
    report = found.args[0]
    assert report.documents[0].same_text and report.share > 0.2
    assert "▲" in retrieval.index.duplicate_note.text()
    searched.workbench.bottom.show_tab("index")
    item = retrieval.index.pairs.item(len(report.documents))
    seen = []
    for _ in range(2):
        retrieval.index._on_pair(item)
        seen.append(searched.state.current.name)
    assert set(seen) == {"two.txt", "copy.txt"}


def test_text_goes_to_a_host_only_after_the_user_agreed(bench, qtbot):
    models, panel = bench.workbench.models, bench.workbench.retrieval.index
    bench.workbench.bottom.show_tab("index")
    name = "https://vectors.example.org/v1#some-model"
    assert endpoint_host(name) == "vectors.example.org"
    assert endpoint_host("http://127.0.0.1:9/v1#m") == "" and endpoint_host("minilm") == ""
    asked = []

    def refuse() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        asked.append(box.text())
        qtbot.mouseClick(box.button(QMessageBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)

    QTimer.singleShot(200, refuse)
    models.load(name)
    assert "vectors.example.org" in asked[0]
    assert not is_confirmed("vectors.example.org")
    assert models.current is None and panel.model.count() > 10


def test_the_model_in_force_is_offered_for_evaluations(searched):
    setup = searched.workbench.retrieval.evaluation.setup
    offered = [action.data() for action in setup.models.actions()]
    assert offered.count("toy") == 1
    assert setup.chosen_models == (offered[0],) != ("toy",)


def test_an_endpoint_of_the_users_answers_queries(searched, qtbot):
    server = Server()
    try:
        name = f"{server.base}#tiny"
        with qtbot.waitSignal(searched.workbench.models.ready, timeout=WAIT):
            searched.workbench.retrieval.index.add_own(name)
        searched.wait_for_chunks(searched.state.chosen)  # made anew with the model
        hits = ask(searched, "How many visitors did the comet keeper count?")
        assert len(hits) == 5
        assert {body["model"] for body in server.requests} == {"tiny"}
        sent = [text for body in server.requests for text in body["input"]]
        assert "How many visitors did the comet keeper count?" in sent
        setup = searched.workbench.retrieval.evaluation.setup
        assert name in [action.data() for action in setup.models.actions()]
    finally:
        server.close()


def test_the_index_is_kept_where_the_user_says_and_a_wrong_place_is_told(searched, qtbot, tmp_path):
    panel, fields = searched.workbench.bottom.queries, searched.workbench.retrieval.index.search
    ask(searched, "How many visitors did the comet keeper count?")
    searched.workbench.bottom.show_tab("index")
    QTest.keyClicks(fields.place, str(tmp_path / "lance"))
    QTest.keyClick(fields.place, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: any((tmp_path / "lance").glob("*.lance")), timeout=WAIT)
    (tmp_path / "file").write_text("no folder", "utf-8")
    fields.place.setText(str(tmp_path / "file"))
    QTest.keyClick(fields.place, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: f"index at {tmp_path / 'file'}" in panel.note, timeout=WAIT)
    fields.reranker.setText(str(tmp_path / "no-model"))
    fields.place.clear()
    QTest.keyClick(fields.place, Qt.Key.Key_Return)
    QTest.keyClick(fields.reranker, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "no-model" in panel.note, timeout=WAIT)
    assert settings.read(settings.RERANKER) == str(tmp_path / "no-model")


def test_an_unknown_model_leaves_the_one_in_force(searched, qtbot):
    models = searched.workbench.models
    with qtbot.waitSignal(models.failed, timeout=WAIT) as failed:
        models.load("no-such-model")
    assert "no-such-model" in failed.args[0]
    assert models.current.id == "toy"
    assert "no-such-model" in searched.workbench.retrieval.index.model_note.text()


def test_the_tail_is_told_above_the_sizes():
    chunks = Pipeline().chunk(parse_recipe("FC:size=60,overlap=0"), Document(TEXTS["one.txt"]))
    assert tail_words(chunks, {}) == ""
    first = int(chunks.ends[0])
    assert tail_words(chunks, {0: first - 50}).startswith("▲ 1 of")
    assert not tail_words(chunks, {0: first - 2}).startswith("▲")


@pytest.mark.parametrize("words", ["nonsense", "http://localhost:8080/v1", "http://host#"])
def test_words_that_are_no_endpoint_are_refused_with_an_example(bench, monkeypatch, words):
    index = bench.workbench.retrieval.index
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: (words, True))
    index._on_endpoint()
    assert index.model_note.text().startswith(f"✕ '{words}' is no endpoint: write its address")


def test_clearing_indexes_without_choosing_any_says_so(bench):
    index = bench.workbench.retrieval.index
    bench.workbench.bottom.show_tab("index")
    QTest.mouseClick(index.findChild(QPushButton, "clear indexes"), Qt.MouseButton.LeftButton)
    assert "select the indexes" in bench.window.message.text
