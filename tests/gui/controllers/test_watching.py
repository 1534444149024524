# SPDX-License-Identifier: AGPL-3.0-or-later
"""A file that changes on disk while it is open, and reading it again."""

import os

import pymupdf
import pytest
from PySide6.QtCore import Qt


@pytest.fixture
def bench(make_bench):
    return make_bench()


def write_pdf(path, words, password=""):
    document = pymupdf.open()
    document.new_page(width=300, height=400).insert_text((40, 60), words)
    more = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password} if password else {}
    document.save(path, **more)
    return path


def replace(path, other):
    """As many programs save: a new file takes the place of the old one."""
    os.replace(other, path)


def test_a_file_that_is_replaced_is_told_in_place_and_read_again_on_click(bench, tmp_path):
    path = write_pdf(tmp_path / "tides.pdf", "The tide was low.")
    bench.open(path)
    strip = bench.workbench.watching.strip
    assert not strip.isVisible()

    replace(path, write_pdf(tmp_path / "new.pdf", "The tide was high, and the boats came in."))
    bench.qtbot.waitUntil(strip.isVisible, timeout=30_000)
    assert "low" in bench.state.current.document.text
    with bench.qtbot.waitSignal(bench.window.opening.finished, timeout=60_000):
        bench.qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)

    assert "high" in bench.state.current.document.text
    assert not strip.isVisible()


def test_a_file_that_was_read_again_is_watched_on(bench, tmp_path):
    path = write_pdf(tmp_path / "tides.pdf", "The tide was low.")
    bench.open(path)
    strip = bench.workbench.watching.strip
    for words in ("The tide was high, at last.", "Nobody knows where the tide went, or when."):
        replace(path, write_pdf(tmp_path / "new.pdf", words))
        bench.qtbot.waitUntil(strip.isVisible, timeout=30_000)
        with bench.qtbot.waitSignal(bench.window.opening.finished, timeout=60_000):
            bench.run("file.reload")
        assert words in bench.state.current.document.text


def test_the_strip_is_shown_over_the_document_that_changed_alone(bench, tmp_path):
    path = write_pdf(tmp_path / "tides.pdf", "The tide was low.")
    other = tmp_path / "boats.txt"
    other.write_text("Boats wait for the tide.")
    bench.open(other)
    bench.open(path)
    strip = bench.workbench.watching.strip

    replace(path, write_pdf(tmp_path / "new.pdf", "The tide was high, and the boats came in."))
    bench.qtbot.waitUntil(strip.isVisible, timeout=30_000)

    bench.window.tabs.setCurrentIndex(0)
    assert not strip.isVisible()
    bench.window.tabs.setCurrentIndex(1)
    assert strip.isVisible()


def test_a_locked_file_is_read_again_without_asking(bench, tmp_path):
    path = write_pdf(tmp_path / "locked.pdf", "The tide was low.", password="ebb")
    bench.window.open_path(path)
    strip = bench.window.password
    bench.qtbot.waitUntil(strip.isVisible, timeout=60_000)
    with bench.qtbot.waitSignal(bench.window.opening.finished, timeout=60_000):
        strip.given.emit(bench.state.current.id, "ebb")
        strip.hide()
    first = bench.state.current.id

    with bench.qtbot.waitSignal(bench.window.opening.finished, timeout=60_000):
        bench.run("file.reload")

    assert bench.state.current.id != first
    assert "tide was low" in bench.state.current.document.text
    assert not strip.isVisible()
