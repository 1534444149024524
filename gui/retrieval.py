# SPDX-License-Identifier: AGPL-3.0-or-later
"""What belongs to retrieval, put together: questions, gold, evaluations, indexes and models.

Kept apart from the workbench, which shows documents and chunks without any of it.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.arrays import Spans
from gui.controllers.labelling import Labelling
from gui.panels.gold_panel import GoldPanel
from gui.theme import Theme

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from gui.workbench import Workbench

TOLD_MILLISECONDS = 5_000


class Retrieval(QObject):
    """Made by the workbench when its panels are there."""

    def __init__(self, bench: "Workbench", window: "MainWindow") -> None:
        super().__init__(bench)
        self._bench = bench
        self._window = window
        state, book = window.state, bench.book
        self.labelling = Labelling(state, window.pages, book, self)
        self.gold = GoldPanel(state, book, window.theme)
        self.gold.set_text_source(self.labelling.selected_text)
        bench.bottom.add("gold", "Gold", self.gold)
        bench.undo_group.addStack(book.undo_stack)
        self._connect()
        state.documents_changed.emit()

    def _connect(self) -> None:
        bench, window = self._bench, self._window
        self.gold.gold_changed.connect(self._show_gold)
        self.gold.failed.connect(window.say)
        bench.book.failed.connect(window.say)
        self.labelling.told.connect(self._tell)
        bench.bottom.queries.set_book(bench.book)
        bench.bottom.queries.choices_changed.connect(bench.searching.choose)
        for name, action in bench.actions.items():
            if name.startswith("evaluate.mark_"):
                for widget in (self.gold.table, bench.bottom.queries.table):
                    widget.addAction(action)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.gold.set_theme(theme)

    def _tell(self, message: str) -> None:
        self._window.status.showMessage(message, TOLD_MILLISECONDS)

    def _show_gold(self, spans: Spans) -> None:
        self._window.pages.shown.gold = spans
        self._window.pages.refresh()
