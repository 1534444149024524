# SPDX-License-Identifier: AGPL-3.0-or-later
"""What comes after the first page is painted: imports beside the window, then panels in steps.

No step holds the window's thread for long: a module takes its time in a lane, a panel is made in
one turn of the event loop.
"""

from collections.abc import Iterator
from importlib import import_module

from PySide6.QtCore import QObject, QTimer, Signal

from gui.jobs import JobToken
from gui.main_window import MainWindow

AT_THE_LATEST_MILLISECONDS = 1_500  # the panels do not wait longer for the first page
FIRST_JOBS = ("chunks ", "scores ")
PAUSE_MILLISECONDS, MOST_PAUSES = 10, 100  # a second in all
# The larger ones by name, so that a cancelled start ends between them.
MODULES = (
    "core.document.assemble",
    "core.strategies.recipe",
    "core.strategies.run",
    "core.scores.live",
    "core.search.serve",
    "core.pipeline",
    "gui.workspace",
    "gui.panels.left_pane",
    "gui.panels.strategy_panel",
    "gui.panels.bottom_pane",
    "gui.workbench",
    "gui.panels.plots",
    "gui.retrieval",
    "gui.study",
    "gui.retrieval",
)


class LateStart(QObject):
    """Makes the workbench after the first image has arrived and been painted.

    Signals:
        finished: the panels are there.
    """

    finished = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._is_started = False
        self._steps: Iterator[None] = iter(())
        self._pauses = 0
        window.images.arrived.connect(self._on_image)
        window.opening.layout_waits = self._layout_waits
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(self.begin)
        self._deadline.start(AT_THE_LATEST_MILLISECONDS)

    def _layout_waits(self) -> bool:
        """True until it is known whether vectors are to be made, and while they are."""
        bench = self._window.workbench
        return bench is None or bench.scoring.makes_vectors

    def begin(self) -> None:
        """Import what the panels need, unless that has begun."""
        if self._is_started:
            return
        self._is_started = True
        self._deadline.stop()
        self._window.images.arrived.disconnect(self._on_image)
        # The lane of the models: the first text is made in the other one meanwhile.
        self._window.jobs.request("late start", "model", _import_modules, self._on_imported)

    def _on_image(self, *_: object) -> None:
        QTimer.singleShot(0, self.begin)  # after the image is painted

    def _on_imported(self, _: object) -> None:
        from gui.workbench import Workbench

        workbench = Workbench(self._window)
        self._steps = workbench.build()
        self._next_step()

    def _next_step(self) -> None:
        if self._gives_way():
            QTimer.singleShot(PAUSE_MILLISECONDS, self._next_step)
            return
        try:
            next(self._steps)
        except StopIteration:
            self.finished.emit()
        else:
            QTimer.singleShot(0, self._next_step)

    def _gives_way(self) -> bool:
        """True while the first chunks and scores are made.

        Both want the interpreter, and a step that waits for it in between holds the window.
        """
        is_busy = any(self._window.jobs.is_busy(kind) for kind in FIRST_JOBS)
        self._pauses += is_busy
        return is_busy and self._pauses < MOST_PAUSES


def _import_modules(token: JobToken) -> object:
    for name in MODULES:
        token.check()
        import_module(name)
    from core.strategies.registry import strategies
    from core.strategies.user_strategies import found

    token.check()
    strategies()  # which imports them all
    token.check()
    return found()  # which looks through all installed packages
