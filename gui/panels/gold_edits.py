# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the user does with gold: buttons, the menu of the list, its Delete key. All is undone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core.search.query_sets import GoldSpan
from gui.panels.gold_list import GoldList
from gui.questions import QuestionBook
from gui.state import State

NOT_FOUND = "this gold was not found: select its text, then place it at the selection"
NOTHING_CHOSEN = "select gold passages in the list at the right first"
NO_GOLD = "the question has no gold yet: select text on a page and press G"
NOTHING_TO_PLACE = "select one gold passage here, and its text with the text tool"


class GoldEdits(QWidget):
    """A row of buttons for the gold that is selected in a list.

    Signals:
        failed: why something cannot be done.
    """

    failed = Signal(str)

    def __init__(
        self, state: State, book: QuestionBook, gold: GoldList, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._book = book
        self._gold = gold
        self._selected: Callable[[], tuple[int, int] | None] = _nothing
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for text, tip, method in (
            ("Group parts", "The selected gold is one passage with parts, or no more", self._group),
            ("No answer here", "The documents do not answer this question", self._unanswerable),
            ("Accept place", "Write down where the selected gold was found", self._accept),
            ("Place at selection", "The selected gold is the text selected", self._place),
            ("Undo", "Undo the last change of questions (Ctrl+Z)", book.undo_stack.undo),
            ("Redo", "Do it again (Ctrl+Shift+Z)", book.undo_stack.redo),
        ):
            row.addWidget(labelled_button(text, tip, method))
        for text, method, keys in (
            ("Grade 2: answers fully", self._grade_full, ""),
            ("Grade 1: answers in part", self._grade_part, ""),
            ("Remove gold", self._remove, "Delete"),
        ):
            action = QAction(text, gold)
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(method)
            gold.addAction(action)

    def set_text_source(self, selected: Callable[[], tuple[int, int] | None]) -> None:
        """Where the text selected on the pages is asked for."""
        self._selected = selected

    @contextmanager
    def _one_step(self, text: str) -> Iterator[None]:
        """Several changes are undone as one."""
        self._book.undo_stack.beginMacro(text)
        try:
            yield
        finally:
            self._book.undo_stack.endMacro()

    def _group(self) -> None:
        query, index = self._book.current, self._book.index
        rows = [row for question, row in self._gold.chosen_gold() if question == index]
        if query is None or not query.gold:
            self.failed.emit(NO_GOLD)
            return
        rows = rows if len(rows) > 1 else list(range(len(query.gold)))
        is_one = len({query.gold[row].group for row in rows}) == 1 and query.gold[rows[0]].group
        self._book.group_gold(index, None if is_one else _free_group(query.gold), rows)

    def _unanswerable(self) -> None:
        query = self._book.current
        if query is not None:
            self._book.set_unanswerable(self._book.index, not query.unanswerable)

    def _accept(self) -> None:
        every, chosen = self._book.placed(), self._gold.chosen_gold()
        if not chosen:
            self.failed.emit(NOTHING_CHOSEN)
            return
        found = []
        for index, row in chosen:
            placed = every[index]
            place = placed.placements[row] if placed is not None else None
            opened = self._book.opened(place.document) if place is not None else None
            if place is None or opened is None or not place.is_placed:
                self.failed.emit(NOT_FOUND)
                return
            found.append((index, row, opened, place.start, place.end))
        with self._one_step("accept places of gold"):
            for each in found:
                self._book.place(*each)

    def _place(self) -> None:
        span, current, chosen = self._selected(), self._state.current, self._gold.chosen_gold()
        if span is None or current is None or len(chosen) != 1:
            self.failed.emit(NOTHING_TO_PLACE)
            return
        index, row = chosen[0]
        self._book.place(index, row, current, *span)

    def _grade_full(self) -> None:
        self._grade(2)

    def _grade_part(self) -> None:
        self._grade(1)

    def _grade(self, grade: int) -> None:
        chosen = self._gold.chosen_gold()
        if chosen:
            with self._one_step("grade gold"):
                for index, row in chosen:
                    self._book.set_grade(index, row, grade)

    def _remove(self) -> None:
        chosen = self._gold.chosen_gold()
        if not chosen:
            return
        with self._one_step("remove gold"):
            for index in sorted({question for question, _ in chosen}):
                rows = [row for question, row in chosen if question == index]
                self._book.remove_gold(index, rows)


def _free_group(gold: tuple[GoldSpan, ...]) -> str:
    taken = {span.group for span in gold}
    return next(name for k in range(len(gold) + 1) if (name := f"parts {k + 1}") not in taken)


def _nothing() -> None:
    return None


def labelled_button(text: str, tip: str, method: Callable[[], object]) -> QPushButton:
    """A button that does one thing."""
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(method)
    return button
