# SPDX-License-Identifier: AGPL-3.0-or-later
"""What may follow a moment behind the pages: a tick of a slider must not wait for tables."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

BEHIND_MILLISECONDS = 60


class Behind(QObject):
    """Does something once, a moment after the first time it was asked for.

    Asking again meanwhile changes nothing, so that a drag is followed some 15 times a second.
    """

    def __init__(self, work: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(BEHIND_MILLISECONDS)
        self._timer.timeout.connect(self._run)

    def ask(self, *_: object) -> None:
        """Do it soon. Takes what any signal brings."""
        if not self._timer.isActive():
            self._timer.start()

    def _run(self) -> None:
        self._work()
