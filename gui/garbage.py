# SPDX-License-Identifier: AGPL-3.0-or-later
"""Collects Python's cyclic garbage in the window's thread, when nothing is going on.

Qt objects that a worker thread frees crash the program, and so may a collection that begins within
a call of Qt. So automatic collection is off, whatever a library wants, and only this timer
collects. A full collection over all that is loaded takes 0.3 s and more; therefore what is there
after the start is frozen (looked at no more), young objects are collected often, and all others
only when the user has done nothing for a while.
"""

import gc

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

STEP_MILLISECONDS = 1_000
IDLE_MILLISECONDS = 4_000
YOUNG, MIDDLE, ALL = 0, 1, 2
MIDDLE_AFTER, ALL_AFTER = 10, 20  # collections of the generation before


class Collector(QObject):
    """Collects garbage now and then, once begun. Automatic collection is off from its making."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        # WORKAROUND: srsly, which reads spaCy's models, turns it on though it was off
        gc.enable = _stays_off
        self._rest = QElapsedTimer()
        self._rest.start()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)

    def note_activity(self, *_: object) -> None:
        """The user is doing something: no long collection now."""
        self._rest.restart()

    def begin(self) -> None:
        """Look no more at what is there now (modules, strategies, panels); collect from now on."""
        gc.freeze()
        self._timer.start(STEP_MILLISECONDS)

    def collect(self) -> None:
        """Collect the generation that is due."""
        _, middle, old = gc.get_count()
        is_idle = self._rest.elapsed() >= IDLE_MILLISECONDS
        if old >= ALL_AFTER and is_idle:
            gc.collect(ALL)
        elif middle >= MIDDLE_AFTER and is_idle:
            gc.collect(MIDDLE)
        else:
            gc.collect(YOUNG)


def _stays_off() -> None:
    """Do nothing in place of `gc.enable`."""
