# SPDX-License-Identifier: AGPL-3.0-or-later
"""The questions of the workspace and their gold passages, with undo. Shown by panels."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from core.document.model import Document
from core.search.gold import PlacedQuery, place_gold
from core.search.query_sets import (
    GoldSpan,
    Query,
    QuerySet,
    SetDocument,
    load_query_set,
    queries_from_lines,
    save_query_set,
)
from gui.state import OpenDocument, State

EMPTY = QuerySet("questions", ())


class _Change(QUndoCommand):
    """One step: another query set."""

    def __init__(
        self, text: str, old: QuerySet, new: QuerySet, put: Callable[[QuerySet], None]
    ) -> None:
        super().__init__(text)
        self._old, self._new, self._put = old, new, put

    def redo(self) -> None:
        """Put the new questions."""
        self._put(self._new)

    def undo(self) -> None:
        """Put the old ones back."""
        self._put(self._old)


class QuestionBook(QObject):
    """The query set that the user works on.

    Signals:
        changed: the questions, or what is known of their places, changed.
        chosen: the index of the question looked at, −1 for none.
    """

    changed = Signal()
    chosen = Signal(int)

    def __init__(self, state: State, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.set = EMPTY
        self.path: Path | None = None
        self.undo_stack = QUndoStack(self)
        self.index = -1
        state.text_changed.connect(self._on_text)
        state.documents_changed.connect(self.changed)

    # what is there

    @property
    def queries(self) -> tuple[Query, ...]:
        """All questions."""
        return self.set.queries

    @property
    def current(self) -> Query | None:
        """The question looked at."""
        return self.queries[self.index] if 0 <= self.index < len(self.queries) else None

    def texts(self) -> dict[str, Document]:
        """The open documents that have their text, by name."""
        return {
            opened.name: opened.document
            for opened in self._state.documents.values()
            if opened.document is not None and opened.document.final
        }

    def placed(self) -> list[PlacedQuery]:
        """Where the gold of each question is in the open documents."""
        return place_gold(self.set, self.texts())

    # choosing

    def choose(self, index: int) -> None:
        """Look at a question, and ask it."""
        if -1 <= index < len(self.queries):
            self.index = index
            self.chosen.emit(index)
            if self.current is not None:
                self._state.set_query(self.current.question)

    def step(self, by: int) -> None:
        """Look at the next or previous question."""
        if self.queries:
            self.choose(min(max(self.index + by, 0), len(self.queries) - 1))

    # changing

    def load(self, path: Path) -> None:
        """Work on the questions of a file.

        Raises:
            SearchError: it is not a query set.
        """
        loaded = load_query_set(path)
        self.path = path
        self._change(f"load {path.name}", loaded)

    def replace_all(self, queries: QuerySet, text: str = "import questions") -> None:
        """Work on other questions."""
        self._change(text, queries)

    def save(self, path: Path) -> None:
        """Write the questions into a file of the user's."""
        save_query_set(self.set, path)
        self.path = path

    def add(self, text: str) -> None:
        """Add questions, one a line."""
        known = {query.id for query in self.queries}
        fresh = []
        for query in queries_from_lines(text):
            number = len(known) + 1
            while f"q-{number:03d}" in known:
                number += 1
            known.add(f"q-{number:03d}")
            fresh.append(replace(query, id=f"q-{number:03d}"))
        if fresh:
            changed = replace(self.set, queries=(*self.queries, *fresh))
            self._change(f"add {len(fresh)} questions", changed)
            self.choose(len(self.queries) - 1)

    def remove(self, indices: Iterable[int]) -> None:
        """Remove questions."""
        gone = set(indices)
        left = tuple(query for k, query in enumerate(self.queries) if k not in gone)
        self._change("remove questions", replace(self.set, queries=left))
        self.choose(min(self.index, len(left) - 1))

    def edit(self, index: int, query: Query, text: str = "edit question") -> None:
        """Replace a question."""
        queries = (*self.queries[:index], query, *self.queries[index + 1 :])
        self._change(text, replace(self.set, queries=queries))

    def mark(self, opened: OpenDocument, start: int, end: int, *, grade: int = 2) -> bool:
        """Mark a passage as gold of the question looked at; False if there is none."""
        query, document = self.current, opened.document
        if query is None or document is None or end <= start:
            return False
        text = document.text[start:end]
        page = document.page_of(start) + 1
        span = GoldSpan(opened.name, start, end, text, grade, page)
        same = [
            each
            for each in query.gold
            if (each.doc, each.start, each.end) == (opened.name, start, end)
        ]
        gold = tuple(each for each in query.gold if each not in same)
        if not same:
            gold = (*gold, span)
        self._remember(opened)
        words = "unmark gold" if same else "mark gold"
        self.edit(self.index, replace(query, gold=gold, unanswerable=False), words)
        return True

    def group_gold(self, index: int, name: str | None) -> None:
        """Make all gold of a question one passage with parts, or parts of no passage."""
        query = self.queries[index]
        gold = tuple(replace(span, group=name) for span in query.gold)
        self.edit(index, replace(query, gold=gold), "group gold")

    def _remember(self, opened: OpenDocument) -> None:
        """Note the document's text, so that offsets can be trusted later."""
        document = opened.document
        assert document is not None, "gold is marked in a text"
        known = [each for each in self.set.documents if each.doc != opened.name]
        entry = SetDocument(opened.name, opened.name, document.sha256, len(document.text))
        self.set = replace(self.set, documents=(*known, entry))

    def _change(self, text: str, new: QuerySet) -> None:
        self.undo_stack.push(_Change(text, self.set, new, self._put))

    def _put(self, questions: QuerySet) -> None:
        self.set = questions
        if self.index >= len(self.queries):
            self.index = len(self.queries) - 1
        self.changed.emit()

    def _on_text(self, document: str) -> None:
        opened = self._state.documents.get(document)
        if opened is not None and opened.document is not None and opened.document.final:
            self.changed.emit()
