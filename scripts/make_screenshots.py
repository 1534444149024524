# SPDX-License-Identifier: AGPL-3.0-or-later
"""Makes pictures of the window on real documents into build/screenshots, and those of the README.

    make screenshots                          all pictures
    make screenshots ARGS="--only two-columns"  those whose name holds that
    make screenshots ARGS="--readme"          docs/images/window.png and window-dark.png, too

A picture is taken when the numbers have settled, from a window off the screen. Those at ratio 2
come from a process of their own, since the ratio is fixed when Qt starts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SHARED = Path(os.environ.get("CHUNKSCOPE_SHARED", ROOT.parent / "shared"))
OUT = ROOT / "build" / "screenshots"
SAMPLES = ROOT / "resources" / "samples"
SETTLE_SECONDS = 90.0
SHOWN_TURNS = 60  # of the event loop, until everything is laid out
QUIET_SECONDS = 1.5  # nothing runs for so long: the window has settled

Steps = Callable[["Camera"], None]


@dataclass(frozen=True)
class Shot:
    """One picture: a document, how large the window is, what is done before it is taken."""

    name: str
    document: Path | None
    steps: Steps = field(default=lambda camera: None)
    size: tuple[int, int] = (1366, 768)
    ratio: int = 1
    is_dark: bool = False
    strategies: tuple[str, ...] = ("RC:size=1000,overlap=100", "SSTC:threshold=0.4")
    waits: bool = True  # for models and numbers
    model: str = "minilm"


def first_with(folder: str, words: tuple[str, ...]) -> Path | None:
    """The first PDF of the shared corpus whose name holds one of the words."""
    found = sorted((SHARED / folder).rglob("*.pdf")) if SHARED.is_dir() else []
    return next((path for path in found if any(w in path.name.lower() for w in words)), None)


def query(camera: "Camera") -> None:
    """Ask the guideline a question, and show the hits."""
    camera.window.state.set_query("When is warfarin restarted after the procedure?")
    camera.settle()
    camera.workbench.bottom.show_tab("queries")
    hits = camera.window.state.chosen_result.hits
    if hits:
        camera.workbench._select_chunks((hits[0].chunk,))
        camera.window.pages.navigator.show_span(hits[0].start, hits[0].end, always=True)


def at_page(page: int, zoom: float | None = None, rotation: int = 0) -> Steps:
    """Go to a page."""

    def steps(camera: "Camera") -> None:
        view = camera.window.pages.camera
        if rotation:
            view.rotate(rotation)
        if zoom is not None:
            view.set_zoom(zoom)
        view.go_to_page(page, 120 if zoom else 0)

    return steps


def select(chunk: int) -> Steps:
    """Select a chunk, so that the inspector tells about it."""

    def steps(camera: "Camera") -> None:
        camera.workbench._select_chunks((chunk,))

    return steps


def failed_page(camera: "Camera") -> None:
    """A page that cannot be drawn."""
    from gui.pages.images import Tile

    current = camera.window.state.current
    tile = Tile(current.id, 0, 1.0, 0, 0)
    camera.window.images.put_error(tile, RuntimeError("the picture in it is damaged"))


def in_tab(name: str) -> Steps:
    """Show a tab of the bottom pane."""

    def steps(camera: "Camera") -> None:
        camera.workbench.bottom.show_tab(name)

    return steps


def closed_panes(camera: "Camera") -> None:
    """Only the pages."""
    for dock in camera.window.docks.values():
        dock.hide()


GUIDELINE, REPORT = SAMPLES / "guideline.pdf", SAMPLES / "report.pdf"
FOUR = ("RC:size=1000,overlap=0", "SSTC:threshold=0.4", "SBC", "PBC")


def all_shots() -> list[Shot]:
    """Every picture that can be made here."""
    arabic = first_with("corpus", ("arabic",))
    japanese = first_with("corpus", ("cjk_ja", "japan"))
    shots = [
        Shot("window", GUIDELINE, query),
        Shot("window-dark", GUIDELINE, query, is_dark=True),
        Shot("large-at-2", REPORT, select(12), size=(1280, 720), ratio=2),
        Shot("large-at-2-dark", REPORT, select(12), size=(1280, 720), ratio=2, is_dark=True),
        Shot("full-2560", REPORT, at_page(8), size=(2560, 1440)),
        Shot("chunks-table", GUIDELINE, in_tab("chunks")),
        Shot("rotated", GUIDELINE, at_page(2, rotation=90)),
        Shot("two-columns-400", GUIDELINE, at_page(2, zoom=4.0)),
        Shot("four-strategies", GUIDELINE, at_page(1), strategies=FOUR),
        Shot("pages-only", GUIDELINE, closed_panes),
        Shot("empty", None, waits=False),
        Shot("loading", REPORT, waits=False),
        Shot("no-model", GUIDELINE, model=""),
        Shot("failed-page", GUIDELINE, failed_page, model=""),
    ]
    for name, document in (("arabic", arabic), ("japanese", japanese)):
        if document is not None:
            shots.append(Shot(name, document, model="", strategies=FOUR[:1]))
    return shots


class Camera:
    """A window for one picture."""

    def __init__(self, shot: Shot) -> None:
        from gui import settings
        from gui.garbage import Collector
        from gui.main_window import MainWindow
        from gui.workbench import Workbench

        settings.write(settings.THEME, "dark" if shot.is_dark else "light")
        self.window = MainWindow()
        self._collector = Collector(self.window)
        self.window.resize(*shot.size)
        self.window.show()
        self.workbench = Workbench(self.window, model=shot.model)
        for _ in self.workbench.build():
            self.turn()
        state = self.window.state
        for slot in state.slots:
            state.remove_slot(slot.id)
        from core.strategies.recipe import parse_recipe

        for word in shot.strategies:
            state.add_slot(parse_recipe(word))
        if shot.document is None:
            self.window.show_current()
        else:
            self.window.opening.open(shot.document)

    def turn(self) -> None:
        """Let the window work for a moment."""
        import time

        from PySide6.QtCore import QEvent
        from PySide6.QtWidgets import QApplication

        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        time.sleep(0.005)

    def settle(self) -> None:
        """Wait until nothing is computed any more."""
        import time

        end = time.monotonic() + SETTLE_SECONDS
        quiet = time.monotonic()
        while time.monotonic() < end and time.monotonic() - quiet < QUIET_SECONDS:
            self.turn()
            if self.window.jobs.is_busy():
                quiet = time.monotonic()

    def first_pages(self) -> None:
        """Wait only until a page is drawn."""
        import time

        end = time.monotonic() + 10
        while time.monotonic() < end and not self.window.images._kept:
            self.turn()


def take(shot: Shot, target: Path) -> None:
    """Take one picture in this process."""
    camera = Camera(shot)
    if shot.waits:
        camera.settle()
        shot.steps(camera)
        camera.settle()
    elif shot.document is not None:
        camera.first_pages()
    for _ in range(SHOWN_TURNS):
        camera.turn()
    target.parent.mkdir(parents=True, exist_ok=True)
    camera.window.grab().save(str(target))
    camera.window.close()


def take_apart(name: str, ratio: int, config: Path) -> None:
    """Take one picture in a process of its own, with its ratio of pixels."""
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "QT_SCALE_FACTOR": str(ratio),
        "CHUNKSCOPE_CONFIG_DIR": str(config),
    }
    command = [sys.executable, __file__, "--take", name]
    subprocess.run(command, env=environment, check=True)


def main(arguments: list[str]) -> int:
    """Make the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names that hold this")
    parser.add_argument("--readme", action="store_true", help="also renew docs/images")
    parser.add_argument("--take", default="", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    shots = {shot.name: shot for shot in all_shots()}
    if options.take:
        from PySide6.QtWidgets import QApplication

        application = QApplication(["screenshots"])
        application.setStyle("Fusion")
        take(shots[options.take], OUT / f"{options.take}.png")
        return 0
    for name, shot in shots.items():
        if options.only in name:
            with tempfile.TemporaryDirectory() as config:
                take_apart(name, shot.ratio, Path(config))
            print(OUT / f"{name}.png")
    if options.readme:
        images = ROOT / "docs" / "images"
        images.mkdir(parents=True, exist_ok=True)
        for name in ("window", "window-dark"):
            (images / f"{name}.png").write_bytes((OUT / f"{name}.png").read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
