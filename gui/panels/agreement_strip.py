# SPDX-License-Identifier: AGPL-3.0-or-later
"""A strip that asks before code of the user's is run, and says what failed in it."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from core.strategies.user_strategies import UserStrategy


class AgreementStrip(QFrame):
    """Names the files and asks once for all of them.

    Signals:
        agreed, ignored: the UserStrategy values that the strip asked for.
    """

    agreed = Signal(object)
    ignored = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._asked: list[UserStrategy] = []
        self._label = QLabel()
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.load = QPushButton("Load")
        self.load.clicked.connect(self._agree)
        self.ignore = QPushButton("Ignore")
        self.ignore.clicked.connect(self._ignore)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 2, 6, 2)
        row.addWidget(self._label, 1)
        row.addWidget(self.load)
        row.addWidget(self.ignore)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def ask(self, strategies: list[UserStrategy]) -> None:
        """Ask for these; nothing to ask for hides the strip."""
        self._asked = strategies
        names = ", ".join(_name(each) for each in strategies)
        several = len(strategies) > 1
        self._label.setText(
            f"{names} {'are' if several else 'is'} new or changed in your folder of strategies. "
            f"{'They' if several else 'It'} can do whatever you can: load "
            f"{'them' if several else 'it'} only if you know what is inside."
        )
        self.setToolTip("\n".join(each.place for each in strategies))
        self.setVisible(bool(strategies))

    def _agree(self) -> None:
        self.agreed.emit(self._asked)

    def _ignore(self) -> None:
        self.ignored.emit(self._asked)


def _name(strategy: UserStrategy) -> str:
    place = strategy.place
    return place if place.startswith("entry point") else Path(place).name
