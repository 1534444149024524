# SPDX-License-Identifier: AGPL-3.0-or-later
"""Makes the application and its window, and the panels once the first page is painted."""

import gc
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from core import VERSION
from gui.main_window import MainWindow

COLLECT_MILLISECONDS = 2_000
PANELS_AT_THE_LATEST = 1_500  # milliseconds: the panels do not wait longer for the first page


class LateStart(QObject):
    """Makes the workbench after the first image has been painted."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._is_started = False
        window.images.arrived.connect(self._on_image)
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(self.make)
        self._deadline.start(PANELS_AT_THE_LATEST)

    def make(self) -> None:
        """Make the panels now, if that has not been done."""
        if self._is_started:
            return
        self._is_started = True
        self._deadline.stop()
        from gui.workbench import Workbench

        Workbench(self._window)

    def _on_image(self, *_: object) -> None:
        QTimer.singleShot(0, self.make)


def start(arguments: Sequence[str]) -> tuple[QApplication, MainWindow]:
    """The application and its window, shown."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(list(arguments))
    application.setApplicationName("Chunkscope")
    application.setApplicationVersion(VERSION)
    application.setStyle("Fusion")
    window = MainWindow()
    collector = QTimer(window)
    collector.timeout.connect(gc.collect)
    collector.start(COLLECT_MILLISECONDS)
    LateStart(window)
    window.restore()
    window.show()
    return application, window
