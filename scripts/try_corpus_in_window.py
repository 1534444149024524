# SPDX-License-Identifier: AGPL-3.0-or-later
"""Open every file of a folder in the window and write a table of what could be seen.

    python scripts/try_corpus_in_window.py ../shared/corpus docs/corpus.md

All files go through one window, one after the other, as a user would open and close them: until the
text is whole and cut, then through the first PAGES pages, each until its image is drawn.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from scripts.try_corpus import asked_for, notices_in_words, time_class, write_table

STRATEGY = "RC:size=1000,overlap=0"
PAGES = 12  # of each file that are looked at
PATIENCE_SECONDS = 180.0
TITLES = ("file", "pages", "images", "chunks", "pages with cuts", "time", "notices", "result")
MARKS = ("<!-- table of the window -->", "<!-- end of the table of the window -->")


def main() -> None:
    """Try all files, and write the table into the document."""
    document, files = asked_for(__doc__)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        for variable in ("CONFIG", "CACHE", "DATA", "STATE"):
            os.environ[f"XDG_{variable}_HOME"] = f"{home}/{variable.lower()}"
        trial = Trial()
        sys.excepthook = trial.note_fault
        rows = []
        for path, password in files:
            rows.append(trial.row(path, password))
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
        trial.window.close()
    write_table(document, rows, TITLES, MARKS)


class Trial:
    """One window, and what it says."""

    def __init__(self) -> None:
        from core.strategies.recipe import parse_recipe
        from gui.start import start

        self.application, self.window = start(["trial"])
        self.window.resize(1366, 900)
        self.refused: list[str] = []
        self.faults: list[str] = []  # exceptions on the way, such as while something is painted
        self.window.opening.failed.connect(lambda path, message: self.refused.append(message))
        state = self.window.state
        self.wait(lambda: len(state.slots) == 2)  # those of a first start
        for slot in state.slots:
            state.remove_slot(slot.id)
        self.slot = state.add_slot(parse_recipe(STRATEGY))

    def wait(self, condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
        """Let events pass until something is so; False if it never was."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self.application.processEvents()
            time.sleep(0.002)
        return True

    def note_fault(self, kind: type[BaseException], error: BaseException, where: object) -> None:
        """Keep an exception that nothing caught."""
        del where
        self.faults.append(f"{kind.__name__}: {error}")

    def row(self, path: Path, password: str) -> tuple[str, ...]:
        """The row of one file."""
        self.refused.clear()
        self.faults.clear()
        began = perf_counter()
        self.window.open_path(path)
        self.wait(lambda: bool(self.refused) or self._is_whole(path) or self._is_locked(path))
        if self._is_locked(path) and password:
            self.window.password.box.setText(password)
            QTest.keyClick(self.window.password.box, Qt.Key.Key_Return)
            self.wait(lambda: bool(self.refused) or self._is_whole(path))
        if self.refused or not self._is_whole(path):
            spent = time_class(perf_counter() - began)
            told = " ".join(self.refused) or "not open in time"
            self._close(path)
            return (path.name, "", "", "", "", spent, "", f"refused: {told}")
        found = self._seen()
        opened = self.window.state.current
        notices = notices_in_words([{"kind": notice.kind} for notice in opened.notices])
        spent = time_class(perf_counter() - began)
        said = "; ".join(self.faults) or opened.result(self.slot).error or "shown"
        row = (path.name, str(len(opened.page_sizes)), *found, spent, notices, said)
        self._close(path)
        return row

    def _is_whole(self, path: Path) -> bool:
        current = self.window.state.current
        if current is None or current.path != path or current.document is None:
            return False
        chunking = self.window.workbench.chunking
        is_cut = chunking.is_up_to_date(current, self.slot)
        return current.document.final and (is_cut or bool(current.result(self.slot).error))

    def _is_locked(self, path: Path) -> bool:
        current = self.window.state.current
        return current is not None and current.path == path and current.needs_password

    def _seen(self) -> tuple[str, str, str]:
        """How many of the pages that are looked at are drawn; chunks; pages with a cut drawn."""
        from gui.pages.overlay import OverlayMaker

        pages, opened = self.window.pages, self.window.state.current
        looked = range(min(PAGES, len(opened.page_sizes)))
        chunks, maker = opened.result(self.slot).chunks, OverlayMaker(opened.document)
        drawn = cuts = 0
        for page in looked:
            pages.camera.go_to_page(page)
            is_in_time = self.wait(self._is_drawn, 30)
            drawn += is_in_time and not pages.sheets.error(opened, page)
            cuts += chunks is not None and len(maker.overlay(chunks, page, None).cuts) > 0
        count = 0 if chunks is None else len(chunks)
        return f"{drawn} of {len(looked)}", f"{count:,}", str(cuts)

    def _is_drawn(self) -> bool:
        """True once what is in view is painted; painting asks for the images that it lacks."""
        pages = self.window.pages
        pages.viewport().repaint()
        return not pages.sheets.is_zooming and not self.window.jobs.is_busy("image")

    def _close(self, path: Path) -> None:
        opening = self.window.opening
        if document := opening.id_of(path):
            opening.close(document)
        self.wait(lambda: not self.window.state.documents, 30)


if __name__ == "__main__":
    main()
