# SPDX-License-Identifier: AGPL-3.0-or-later
"""The base of all views of an evaluation: content, or a sentence that says why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from gui.panels.evaluation.shown import Shown
from gui.theme import Theme

NOTHING_YET = "Run an evaluation to see this: choose strategies above, then press Run."
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers of a view, for a file."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


class EvaluationView(QWidget):
    """One way to look at an evaluation. It is brought up to date when it is seen.

    Signals:
        passage_asked: name of a document, start and end, to be shown on its page.
        why_asked: full name of a strategy, id of a question, number of a gold passage.
    """

    title = ""
    uses_measure = True
    passage_asked = Signal(str, int, int)
    why_asked = Signal(str, str, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.shown: Shown | None = None
        self._is_late = False
        self._message = QLabel(NOTHING_YET)
        self._message.setObjectName("empty")
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self.content = QWidget()
        self.column = QVBoxLayout(self.content)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(4)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._message)
        self._stack.addWidget(self.content)

    # for the panel

    def show_part(self, shown: Shown | None, message: str = "") -> None:
        """Look at a part of an evaluation, or say why there is none."""
        self.shown = shown
        if shown is None or not shown.results:
            self.say(message or NOTHING_YET)
            return
        self._is_late = True
        if self.isVisible():
            self._catch_up()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.recolour()
        if self.shown is not None and self.shown.results:
            self._is_late = True
            if self.isVisible():
                self._catch_up()

    @property
    def has_content(self) -> bool:
        """True if there is something to export."""
        return self._stack.currentWidget() is self.content

    @property
    def message(self) -> str:
        """The sentence that stands in place of the content."""
        return self._message.text()

    def table(self) -> Table:
        """What is shown, as numbers."""
        raise NotImplementedError

    def plot(self) -> pg.GraphicsWidget | None:
        """What is exported as a picture; None: the content as it is on the screen."""
        return None

    # for the views

    def refresh(self, shown: Shown) -> None:
        """Show a part that has results; may `say` why it cannot."""
        raise NotImplementedError

    def recolour(self) -> None:
        """Give what stays between refreshes the theme's colours."""

    def show_content(self) -> None:
        """Show the content in place of a sentence."""
        self._stack.setCurrentWidget(self.content)

    def say(self, message: str) -> None:
        """Show a sentence in place of the content."""
        self._message.setText(message)
        self._stack.setCurrentWidget(self._message)

    def _catch_up(self) -> None:
        self._is_late = False
        if self.shown is not None:
            self.show_content()
            self.refresh(self.shown)

    def showEvent(self, event: object) -> None:
        """Show what came while the view was hidden."""
        del event
        if self._is_late:
            self._catch_up()
