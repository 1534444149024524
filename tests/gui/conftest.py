# SPDX-License-Identifier: AGPL-3.0-or-later
"""Pages with chunks on them, in a view without the rest of the window.

A text file stands for the document: its pages need no process, and each character has an exact box.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.arrays import Spans, as_spans
from core.document.model import Document
from core.document.text_blocks import with_form_feed_pages
from core.pipeline import Pipeline
from core.strategies.recipe import parse_recipe
from gui.jobs import Jobs, JobToken
from gui.pages.images import PageImages, Tile
from gui.pages.painters import mapped
from gui.pages.text_pages import paint_text_page, typeset
from gui.pages.view import PageView
from gui.state import OpenDocument, SlotResult, State
from gui.theme import LIGHT

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from gui.workbench import Workbench

SENTENCE = "The tide turns twice a day, and the boats wait for it. "
PARAGRAPHS = "\n\n".join(SENTENCE * 6 for _ in range(24))


@pytest.fixture(autouse=True)
def _no_key_stays_down(qapp):
    """Release what a test held: Qt keeps the keys of the last event for the whole process."""
    yield
    if QGuiApplication.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyRelease(QWidget(), Qt.Key.Key_Shift)


@dataclass
class Desk:
    """A view with its state, as a test uses them."""

    qtbot: QtBot
    state: State
    jobs: Jobs
    view: PageView

    @property
    def chunks(self):
        return self.state.chosen_result.chunks

    def add(self, word: str) -> int:
        """Show one more strategy, and put its chunks in."""
        slot = self.state.add_slot(parse_recipe(word))
        self.put(slot)
        return slot

    def put(self, slot: int) -> None:
        """Chunk by the recipe of a slot."""
        opened, recipe = self.state.current, self.state.slot(slot).recipe
        chunks = Pipeline().chunk(recipe, opened.document)
        self.state.put_chunks(opened.id, slot, SlotResult(chunks))

    def point_of(self, offset: int) -> QPointF:
        """The middle of a character, in the view."""
        maker = self.view._composer.maker()
        page = maker.document.page_of(offset)
        pieces = maker.span_overlay(spans((offset, offset + 1)), page)
        quad = mapped(pieces.quads, self.view.camera.layout.transform(page))[0]
        x, y = quad.mean(axis=0).tolist()
        return QPointF(x, y) - self.view.camera.offset

    def click(self, offset: int, *, modifier=Qt.KeyboardModifier.NoModifier) -> None:
        """Click on a character."""
        point = self.point_of(offset).toPoint()
        port = self.view.viewport()
        self.qtbot.mouseMove(port, point)
        self.qtbot.mouseClick(port, Qt.MouseButton.LeftButton, modifier, point)

    def picture(self) -> QImage:
        """What the view shows, once the images are there."""
        self.qtbot.waitUntil(self._is_drawn, timeout=30_000)
        return self.view.viewport().grab().toImage()

    def _is_drawn(self) -> bool:
        # Painting asks for the images, and may first lay out anew, which counts as zooming.
        self.view.viewport().grab()
        return not self.view.sheets.is_zooming and not self.jobs.is_busy("image")


def spans(*pairs: tuple[int, int]) -> Spans:
    """Spans from pairs of offsets."""
    return as_spans(list(pairs))


def text_document(text: str) -> Document:
    """A document of plain text, with pages."""
    return with_form_feed_pages(Document(text))


@pytest.fixture
def desk(qtbot):
    """A view of 820 × 620 dip over a document of paragraphs; no strategy yet."""
    yield from make_desk(qtbot, PARAGRAPHS)


def make_desk(qtbot, text: str):
    state, jobs = State(), Jobs()
    shown = typeset(text_document(text))

    def render(tile: Tile, clip: QRectF, token: JobToken) -> QImage:
        token.check()
        return paint_text_page(shown, tile.page, tile.scale, clip)

    view = PageView(state, PageImages(jobs, render), LIGHT)
    qtbot.addWidget(view)
    view.resize(820, 620)
    view.show()
    opened = OpenDocument("a", Path("/nowhere/boats.txt"), "boats.txt", shown=shown)
    opened.page_sizes = tuple((page.width, page.height) for page in shown.pages)
    state.add_document(opened)
    state.put_text("a", text_document(text), len(shown.pages))
    view.setFocus()
    yield Desk(qtbot, state, jobs, view)
    jobs.close()


@dataclass
class Bench:
    """The whole window with its panels, without a model."""

    qtbot: QtBot
    window: "MainWindow"
    workbench: "Workbench"

    @property
    def state(self) -> State:
        return self.window.state

    def open(self, path: Path) -> None:
        """Open a document and wait for its final text."""
        self.window.open_path(path)
        self.qtbot.waitUntil(lambda: self._is_read(path), timeout=60_000)

    def _is_read(self, path: Path) -> bool:
        current = self.state.current
        return (
            current is not None
            and current.path == path
            and current.document is not None
            and current.document.final
        )

    def wait_for_chunks(self, slot: int) -> None:
        """Wait until a slot has chunks of the current text."""
        current = self.state.current
        self.qtbot.waitUntil(
            lambda: (
                current.result(slot).chunks is not None and not self.window.jobs.is_busy("chunk")
            ),
            timeout=60_000,
        )

    def run(self, action: str) -> None:
        """Trigger an action of the table."""
        self.workbench.actions[action].trigger()


@pytest.fixture
def make_bench(qtbot, tmp_path, monkeypatch):
    """Make windows that remember in the test's own folder; all are closed at the end."""
    from gui.main_window import MainWindow
    from gui.workbench import Workbench

    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    made = []

    def make(*, restores_documents: bool = False) -> Bench:
        window = MainWindow()
        window.opening.uses_layout_model = False
        window.restores_documents = restores_documents
        qtbot.addWidget(window)
        window.resize(1366, 768)
        window.show()
        workbench = Workbench(window, model="")
        for _ in workbench.build():
            pass
        made.append(window)
        return Bench(qtbot, window, workbench)

    yield make
    for window in made:
        window.close()
        _delete_plot_menus(window)


def _delete_plot_menus(window: "MainWindow") -> None:
    """WORKAROUND pyqtgraph 0.13: a plot's menus and their controls have no parent."""
    import pyqtgraph

    for plot in window.findChildren(pyqtgraph.PlotWidget):
        for menu in (plot.plotItem.ctrlMenu, plot.plotItem.vb.menu):
            if menu is not None:
                menu.deleteLater()


@pytest.fixture
def bench(make_bench):
    """A window with its panels and no document."""
    return make_bench()
