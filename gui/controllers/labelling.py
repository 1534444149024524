# SPDX-License-Identifier: AGPL-3.0-or-later
"""Labelling from the keyboard: gold from selected text and from hits, question after question."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.errors import ChunkscopeError
from gui.pages.view import PageView
from gui.questions import QuestionBook
from gui.state import State

NO_QUESTION = "Choose a question in the Gold tab, or type one there: gold belongs to a question."
NO_SELECTION = "Select text with the text tool (T) first; G then marks it as gold."


class Labelling(QObject):
    """Changes the questions of the book by what is selected on the pages and found.

    Signals:
        told: what was done, or why it was not.
    """

    told = Signal(str)

    def __init__(
        self, state: State, pages: PageView, book: QuestionBook, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._pages = pages
        self._book = book
        self._looked_beside: set[str] = set()
        state.documents_changed.connect(self._on_documents)

    def selected_text(self) -> tuple[int, int] | None:
        """The span that is selected on the pages."""
        span = self._pages.text.span
        return span if span is not None and span[1] > span[0] else None

    def mark_selection(self, grade: int) -> None:
        """Mark the selected text as gold of the question looked at."""
        span, current = self.selected_text(), self._state.current
        if self._book.current is None:
            self.told.emit(NO_QUESTION)
        elif span is None or current is None:
            self.told.emit(NO_SELECTION)
        elif self._book.mark(current, *span, grade=grade):
            self._pages.text.clear()
            self._tell()

    def mark_hit(self, rank: int) -> None:
        """Mark the chunk of a hit as gold of the question looked at, or unmark it."""
        result = self._state.chosen_result
        hits = result.hits if result is not None else ()
        hit = next((each for each in hits if each.rank == rank), None)
        opened = self._state.documents.get(hit.document) if hit is not None else None
        if self._book.current is None:
            self.told.emit(NO_QUESTION)
        elif hit is None or opened is None:
            self.told.emit(f"There is no hit {rank}.")
        elif self._book.mark(opened, hit.start, hit.end):
            self._tell()

    def step(self, by: int) -> None:
        """Ask the next or previous question."""
        if self._book.queries:
            self._book.step(by)
        else:
            self.told.emit(NO_QUESTION)

    def _tell(self) -> None:
        query = self._book.current
        if query is not None:
            done = self._book.undo_stack.undoText()
            count = len(query.gold)
            passages = "1 gold passage" if count == 1 else f"{count} gold passages"
            self.told.emit(f"{done}: {query.id} has {passages}")

    def _on_documents(self) -> None:
        for opened in list(self._state.documents.values()):
            if opened.id not in self._looked_beside:
                self._looked_beside.add(opened.id)
                self._load_beside(opened.path)

    def _load_beside(self, path: Path) -> None:
        try:
            self._book.load_beside(path)
        except ChunkscopeError as error:
            self.told.emit(str(error))
