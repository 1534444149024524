# SPDX-License-Identifier: AGPL-3.0-or-later
"""Makes the application and its window; the panels come once the first page is painted."""

import sys
from collections.abc import Sequence

import quicktok
from PySide6.QtWidgets import QApplication

from core import VERSION
from gui.garbage import Collector
from gui.late_start import LateStart
from gui.main_window import MainWindow

TOKENIZERS = ("cl100k_base", "o200k_base")  # of most strategies, and of size compliance


def stop_reading_sources() -> None:
    """WORKAROUND: PySide6 6.8 to 6.11 reads the source of each module that is imported.

    It looks there for its own name, to apply `__feature__` switches, which nothing here uses. It
    makes imports a third slower and keeps all sources in memory.
    """
    hook = sys.modules.get("shibokensupport.feature")
    if hook is not None and hasattr(hook, "_mod_uses_pyside"):
        hook._mod_uses_pyside = _uses_no_features  # type: ignore[attr-defined]


def _uses_no_features(module: object) -> bool:
    del module
    return False


def load_tokenizers() -> None:
    """Load the tables of tokens before the window is there, while the PDF process opens the file.

    The library holds the interpreter for 0.1 to 0.3 s each; later the window would stand still.
    """
    for name in TOKENIZERS:
        quicktok.get_encoding(name)


def start(arguments: Sequence[str]) -> tuple[QApplication, MainWindow]:
    """The application and its window, shown."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(list(arguments))
    application.setApplicationName("Chunkscope")
    application.setApplicationVersion(VERSION)
    application.setStyle("Fusion")
    load_tokenizers()
    stop_reading_sources()
    window = MainWindow()
    collector = Collector(window)
    for activity in (
        window.state.hover_changed,
        window.state.selection_changed,
        window.state.slots_changed,
        window.pages.verticalScrollBar().valueChanged,
        window.pages.camera.zoom_changed,
    ):
        activity.connect(collector.note_activity)
    late = LateStart(window)
    late.finished.connect(collector.begin)
    window.restore()
    window.show()
    return application, window
