# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strips above the pages: messages in place instead of dialogs."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)


class MessageStrip(QFrame):
    """One message that stays until it is closed or replaced."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._label = QLabel()
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close = QToolButton()
        close.setText("✕")
        close.setAutoRaise(True)
        close.setAccessibleName("Close the message")
        close.clicked.connect(self.hide)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(6, 2, 6, 2)
        self.row.addWidget(self._label, 1)
        self.row.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def say(self, message: str) -> None:
        """Show a message, or hide where there is none."""
        self._label.setText(message)
        self.setVisible(bool(message))


class ChangedStrip(MessageStrip):
    """Says that the file of the document shown is another one now, and offers to read it.

    Signals:
        reload_asked.
    """

    reload_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = QPushButton("Reload")
        self.button.setToolTip("Read the file again; what is shown stays until then")
        self.button.clicked.connect(self.reload_asked)
        self.row.insertWidget(1, self.button)


class PasswordStrip(QFrame):
    """Asks for the password of a locked document.

    Signals:
        given: document id, password.
    """

    given = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._document = ""
        self._asked: dict[str, str] = {}  # what is said, by document
        self._label = QLabel()
        self._label.setWordWrap(True)
        self.box = QLineEdit()
        self.box.setEchoMode(QLineEdit.EchoMode.Password)
        self.box.setPlaceholderText("Password")
        self.box.setMaximumWidth(260)
        self.box.returnPressed.connect(self._give)
        button = QPushButton("Open")
        button.clicked.connect(self._give)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 6, 4)
        row.addWidget(self._label, 1)
        row.addWidget(self.box)
        row.addWidget(button)
        self.hide()

    def ask(self, document: str, name: str, message: str) -> None:
        """Ask when the document is shown; `message` says what was wrong with the last password."""
        self._asked[document] = message or f"{name} is protected by a password."

    def show_for(self, document: str) -> None:
        """Show the question while its document is shown, and no other."""
        self._document = document
        self.setVisible(document in self._asked)
        if document in self._asked:
            self._label.setText(self._asked[document])
            self.box.clear()
            self.box.setFocus()

    def _give(self) -> None:
        self._asked.pop(self._document, None)
        self.hide()
        self.given.emit(self._document, self.box.text())


class EmptyState(QWidget):
    """What the centre shows while no document is open.

    Signals:
        open_asked, sample_asked.
    """

    open_asked = Signal()
    sample_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyState")
        title = QLabel("No document. Open a PDF or drop one here.")
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        opening = QPushButton("Open…")
        opening.clicked.connect(self.open_asked)
        sample = QPushButton("Open sample")
        sample.clicked.connect(self.sample_asked)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(opening)
        row.addWidget(sample)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addWidget(title)
        column.addLayout(row)
        column.addStretch(2)
