# SPDX-License-Identifier: AGPL-3.0-or-later
"""The whole window on real files: opening, going about, several documents, what is remembered."""

import pymupdf
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QMenu

from core.strategies.recipe import parse_recipe
from gui import settings
from gui.actions import ACTIONS
from gui.state import Selection


@pytest.fixture
def guideline(root):
    return root / "resources" / "samples" / "guideline.pdf"


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("One line about boats.\n\nAnother about tides and harbours.\n" * 40)
    return path


def make_pdf(path, *, pages=3, labels=(), password=""):
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page(width=300, height=400)
        page.insert_text((40, 60), f"Harbour report, part {number + 1}. The tide was low.")
    if labels:
        document.set_page_labels(list(labels))
    more = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password} if password else {}
    document.save(path, **more)
    return path


def test_a_pdf_is_opened_with_pages_text_chunks_and_thumbnails(bench, guideline):
    bench.open(guideline)
    slot = bench.state.add_slot(parse_recipe("RC:size=800,overlap=0"))
    bench.wait_for_chunks(slot)
    assert len(bench.state.current.page_sizes) == 12
    assert len(bench.state.current.result(slot).chunks) > 20
    assert bench.window.windowTitle() == "guideline.pdf – Chunkscope"
    bench.qtbot.waitUntil(lambda: len(bench.window.images._kept) > 1, timeout=60_000)


def test_a_missing_file_is_told_in_place_and_what_is_open_stays(bench, note, tmp_path):
    bench.open(note)
    bench.window.open_path(tmp_path / "gone.pdf")
    bench.qtbot.waitUntil(bench.window.message.isVisible, timeout=60_000)
    assert "gone.pdf" in bench.window.message.text
    assert bench.state.current.path == note


def test_a_file_that_is_no_pdf_is_told_in_place(bench, tmp_path):
    path = tmp_path / "fake.pdf"
    path.write_bytes(b"this is not a PDF")
    bench.window.open_path(path)
    bench.qtbot.waitUntil(bench.window.message.isVisible, timeout=60_000)
    assert "fake.pdf" in bench.window.message.text
    assert "choose a PDF, .txt or .md file" in bench.window.message.text
    assert bench.window.empty.isVisible()


def test_a_file_without_text_opens_with_a_notice(bench, tmp_path):
    path = tmp_path / "empty.txt"
    path.write_bytes(b"")
    bench.open(path)
    assert [notice.kind for notice in bench.state.current.notices] == ["no_text"]


def test_a_locked_pdf_asks_in_place_says_what_was_wrong_and_opens(bench, tmp_path):
    path = make_pdf(tmp_path / "locked.pdf", password="tide")
    bench.window.open_path(path)
    strip = bench.window.password
    bench.qtbot.waitUntil(strip.isVisible, timeout=60_000)
    for word in ("ebb", "tide"):
        strip.box.setText(word)
        with bench.qtbot.waitSignal(
            bench.window.opening.password_needed if word == "ebb" else bench.state.text_changed,
            timeout=60_000,
        ):
            bench.qtbot.keyClick(strip.box, Qt.Key.Key_Return)
    assert not strip.isVisible()
    assert "Harbour report" in bench.state.current.document.text


def test_files_can_be_dropped_on_the_window(bench, note):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(note))])
    event = QDropEvent(
        QPointF(300, 300),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    bench.window.dropEvent(event)
    bench.qtbot.waitUntil(lambda: bench.state.current is not None, timeout=60_000)
    assert bench.state.current.path == note


def test_several_documents_are_tabs_and_each_keeps_its_place(bench, note, guideline):
    tabs, bar = bench.window.tabs, bench.window.pages.verticalScrollBar()
    bench.open(guideline)
    assert not tabs.isVisible()
    bench.window.pages.camera.go_to_page(4)
    left_at = bench.window.pages.camera.anchor
    bench.open(note)
    assert tabs.isVisible() and tabs.count() == 2
    assert bar.value() == 0
    tabs.setCurrentIndex(0)
    assert bench.state.current.path == guideline
    assert bench.window.pages.camera.anchor.page == left_at.page
    bench.window.tabs.tabCloseRequested.emit(0)
    assert [each.path for each in bench.state.documents.values()] == [note]
    assert not tabs.isVisible()


def test_closing_the_last_document_shows_how_to_open_one(bench, note):
    bench.open(note)
    bench.run("file.close")
    assert bench.window.empty.isVisible()
    assert bench.state.current is None


def test_the_same_file_is_not_opened_twice(bench, note):
    bench.open(note)
    bench.window.open_path(note)
    assert len(bench.state.documents) == 1


def test_a_file_that_is_asked_for_twice_at_once_is_opened_once(bench, note, tmp_path):
    report = make_pdf(tmp_path / "report.pdf")
    for path in (note, report, note, report):
        bench.window.open_path(path)
    bench.qtbot.waitUntil(lambda: len(bench.state.documents) >= 2, timeout=60_000)
    jobs = bench.window.jobs  # what follows the opening, as vectors, may go on
    bench.qtbot.waitUntil(
        lambda: not (jobs.is_busy("open") or jobs.is_busy("text")), timeout=60_000
    )
    assert sorted(each.name for each in bench.state.documents.values()) == [note.name, "report.pdf"]


def test_reloading_a_file_that_is_gone_keeps_what_was_read(bench, note, tmp_path):
    report = make_pdf(tmp_path / "report.pdf")
    for path in (note, report):
        bench.open(path)
        path.unlink()
        bench.run("file.reload")
        assert bench.window.message.isVisible()
        assert "no longer there" in bench.window.message.text
        assert bench.state.current.path == path
        assert bench.state.current.document.final


def test_a_locked_file_that_is_gone_is_told_in_place_and_can_be_tried_again(bench, tmp_path):
    path = make_pdf(tmp_path / "locked.pdf", password="tide")
    bench.window.open_path(path)
    strip = bench.window.password
    bench.qtbot.waitUntil(strip.isVisible, timeout=60_000)
    kept = path.read_bytes()
    path.unlink()
    strip.given.emit(bench.state.current.id, "tide")
    bench.qtbot.waitUntil(bench.window.message.isVisible, timeout=60_000)
    assert "locked.pdf" in bench.window.message.text
    path.write_bytes(kept)
    with bench.qtbot.waitSignal(bench.state.text_changed, timeout=60_000):
        strip.given.emit(bench.state.current.id, "tide")
    assert "Harbour report" in bench.state.current.document.text


def test_files_opened_last_are_in_the_menu_newest_first(bench, note, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("Other boats.\n")
    bench.open(note)
    bench.open(other)
    menu = bench.workbench.recent
    menu.aboutToShow.emit()
    assert [action.data() for action in menu.actions()] == [str(other), str(note)]
    other.unlink()
    menu.aboutToShow.emit()
    assert [action.data() for action in menu.actions()] == [str(note)]


def test_the_page_box_takes_labels_and_numbers(bench, tmp_path):
    labels = [{"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1}]
    bench.open(make_pdf(tmp_path / "roman.pdf", pages=5, labels=labels))
    box = bench.workbench.toolbar.page_box
    bench.window.pages.camera.set_zoom(3.0)
    for typed, page in (("iv", 3), ("2", 1), ("nonsense", 1)):
        box.setText(typed)
        bench.qtbot.keyClick(box, Qt.Key.Key_Return)
        assert bench.window.pages.camera.page == page
    assert box.text() == "ii"


def test_back_and_forward_return_to_where_one_was(bench, guideline):
    bench.open(guideline)
    camera = bench.window.pages.camera
    bench.workbench.left.thumbnails.page_asked.emit(6)
    bench.workbench.left.thumbnails.page_asked.emit(9)
    bench.run("go.back")
    assert camera.page == 6
    bench.run("go.back")
    assert camera.page == 0
    bench.run("go.forward")
    assert camera.page == 6


def test_finding_goes_to_the_match_and_says_how_many(bench, guideline):
    bench.open(guideline)
    finder = bench.workbench.left.finder
    bench.run("edit.find")
    bench.qtbot.keyClicks(finder.box, "warfarin")
    bench.qtbot.waitUntil(lambda: "found" in finder._count.text(), timeout=60_000)
    bench.qtbot.keyClick(finder.box, Qt.Key.Key_Return)
    shown = bench.window.pages.shown
    start, end = shown.matches[shown.match].tolist()
    assert bench.state.current.document.text[start:end].lower() == "warfarin"


def test_a_wrong_expression_keeps_the_last_matches(bench, note):
    bench.open(note)
    finder = bench.workbench.left.finder
    finder._pattern.setChecked(True)
    finder.box.setText("boats")
    bench.qtbot.waitUntil(lambda: len(finder._matches) == 40, timeout=60_000)
    finder.box.setText("boats(")
    bench.qtbot.waitUntil(lambda: "found" not in finder._count.text(), timeout=60_000)
    assert len(finder._matches) == 40


def test_copying_gives_the_selected_chunk(bench, note):
    bench.open(note)
    slot = bench.state.add_slot(parse_recipe("FCC:size=100,overlap=0"))
    bench.state.set_chosen(slot)
    bench.wait_for_chunks(slot)
    bench.workbench._select_chunks((1,))
    bench.run("edit.copy")
    assert QGuiApplication.clipboard().text() == bench.state.current.document.text[100:200]


def test_escape_in_a_field_returns_to_the_pages_and_there_clears(bench, note):
    bench.open(note)
    bench.workbench.toolbar.page_box.setFocus()
    bench.run("go.pages")
    assert bench.window.pages.hasFocus()
    bench.state.select(Selection("chunk", (0,), bench.state.chosen, 0, 9, "keys"))
    bench.run("go.pages")
    assert bench.state.selection.kind == "nothing"


def test_all_panes_can_be_closed_and_opened_again(bench):
    for action in ("window.left", "window.right", "window.bottom"):
        bench.run(action)
    assert not any(dock.isVisible() for dock in bench.window.docks.values())
    bench.run("window.reset")
    assert all(dock.isVisible() for dock in bench.window.docks.values())


def test_changing_the_theme_moves_nothing(bench, guideline):
    bench.open(guideline)
    bench.window.pages.camera.go_to_page(3)
    before = bench.window.pages.camera.anchor
    bench.run("view.dark")
    assert bench.window.theme.is_dark
    assert bench.window.pages.camera.anchor == before
    bench.run("view.light")
    assert not bench.window.theme.is_dark


def test_no_shortcut_is_taken_twice(bench):
    keys = [
        key.toString() for action in bench.workbench.actions.values() for key in action.shortcuts()
    ]
    assert sorted(keys) == sorted(set(keys))


def test_every_action_of_the_table_is_in_a_menu_and_says_what_it_does(bench):
    shown = set()
    waiting = [action.menu() for action in bench.window.menuBar().actions()]
    while waiting:
        menu = waiting.pop()
        for action in menu.actions():
            shown.add(action.objectName())
            if isinstance(action.menu(), QMenu):
                waiting.append(action.menu())
    assert {spec.id for spec in ACTIONS} <= shown
    assert all(spec.tip for spec in ACTIONS)


def test_buttons_without_words_are_named_for_screen_readers(bench):
    unnamed = [
        button
        for button in bench.window.findChildren(QAbstractButton)
        if not (button.text() or button.accessibleName() or button.toolTip())
        and not button.objectName().startswith("qt_")
        and type(button.parent()).__module__.startswith("gui.")  # not the inside of Qt's widgets
    ]
    assert not unnamed, [(each, each.parent()) for each in unnamed]


def test_the_workspace_is_restored(make_bench, guideline, note):
    first = make_bench()
    first.open(note)
    first.open(guideline)
    first.window.pages.camera.set_zoom(1.5)
    first.window.pages.camera.go_to_page(5)
    first.window.pages.set_layers({"cuts", "tint"})
    for slot in first.state.slots:
        first.state.remove_slot(slot.id)
    first.state.add_slot(parse_recipe("FCC:size=321,overlap=0"))
    kept = first.state.add_slot(parse_recipe("SBC"))
    first.state.set_chosen(kept)
    first.state.set_query("When to stop?")
    place = first.window.pages.camera.anchor
    first.window.close()

    second = make_bench(restores_documents=True)
    second.qtbot.waitUntil(
        lambda: len(second.state.documents) == 2 and second.state.current.document is not None,
        timeout=60_000,
    )
    assert second.state.current.path == guideline
    assert [slot.recipe.code for slot in second.state.slots] == ["FCC", "SBC"]
    assert second.state.slots[0].recipe.parameters["size"] == 321
    assert second.state.chosen_slot.recipe.code == "SBC"
    assert second.state.query == "When to stop?"
    assert second.window.pages.shown.layers == {"cuts", "tint"}
    assert second.window.pages.camera.zoom == pytest.approx(1.5)
    assert second.window.pages.camera.anchor.page == place.page
    assert second.window.pages.camera.anchor.y == pytest.approx(place.y, abs=2)


def test_a_change_is_saved_soon_without_closing(bench, note, tmp_path):
    saved = tmp_path / "config" / "workspace.json"
    bench.open(note)
    bench.qtbot.waitUntil(
        lambda: saved.exists() and "note.txt" in saved.read_text(), timeout=60_000
    )


def test_a_damaged_workspace_is_set_aside_with_a_message(make_bench, tmp_path):
    (tmp_path / "config" / "workspace.json").write_text("{ torn")
    bench = make_bench(restores_documents=True)
    assert "workspace.json" in bench.window.message.text
    assert (tmp_path / "config" / "workspace.damaged-1.json").read_text() == "{ torn"
    assert bench.state.slots  # the first strategies are shown all the same


def test_documents_that_are_gone_are_named_and_the_others_open(make_bench, note, tmp_path):
    gone = tmp_path / "gone.txt"
    gone.write_text("Soon gone.\n")
    first = make_bench()
    first.open(gone)
    first.open(note)
    first.window.close()
    gone.unlink()
    second = make_bench(restores_documents=True)
    second.qtbot.waitUntil(lambda: second.state.current is not None, timeout=60_000)
    assert second.state.current.path == note
    assert "gone.txt" in second.window.message.text


def test_a_workspace_can_be_saved_to_a_file_and_opened_from_it(bench, note, tmp_path):
    bench.open(note)
    file = tmp_path / "boats.chunkscope.json"
    bench.workbench.keeping.save_as(file)
    bench.run("file.close")
    bench.workbench.keeping.open(file)
    bench.qtbot.waitUntil(lambda: bench.state.current is not None, timeout=60_000)
    assert bench.state.current.path == note


def test_a_damaged_setting_counts_as_absent(bench):
    settings.store().setValue(settings.TOP_K.key, "many")
    assert settings.read(settings.TOP_K) == settings.TOP_K.default


def test_notices_are_listed_and_lead_to_their_page(bench, guideline):
    from core.document.model import Notice

    bench.open(guideline)
    bench.state.current.notices = (
        Notice(None, "text", "It has no outline."),
        Notice(7, "page", "The text of this page is tiny."),
    )
    bench.state.notices_changed.emit(bench.state.current.id)
    assert "2 notices" in bench.window.status._notices.text()
    bench.window.status._notices.click()
    listed = bench.workbench.notices._list
    assert [listed.item(row).text() for row in range(2)] == [
        "▲ It has no outline.",
        "▲ Page 8: The text of this page is tiny.",
    ]
    listed.itemClicked.emit(listed.item(1))
    assert bench.window.pages.camera.page == 7
