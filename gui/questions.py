# SPDX-License-Identifier: AGPL-3.0-or-later
"""The questions of the workspace and their gold passages, with undo. Shown by panels."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from core.arrays import Spans, as_spans
from core.document.model import Document
from core.search.gold import PlacedQuery, Placement, document_ids, place_gold
from core.search.query_sets import (
    ENDING,
    GoldSpan,
    Query,
    QuerySet,
    SetDocument,
    load_query_set,
    parse_query_set,
    queries_from_lines,
    query_set_json,
    save_query_set,
    unit_edges,
)
from gui.jobs import Jobs, JobToken
from gui.state import OpenDocument, State
from gui.tags import DocumentTags

EMPTY = QuerySet("questions", ())
AT_ONCE = 4  # questions whose gold is placed in the UI thread: those that were just edited
SLOT = "gold"


class _Change(QUndoCommand):
    """One step: another query set. The question looked at before is looked at again."""

    def __init__(
        self,
        text: str,
        old: tuple[QuerySet, int],
        new: QuerySet,
        put: Callable[[QuerySet, int], None],
    ) -> None:
        super().__init__(text)
        self._old, self._new, self._put = old, new, put

    def redo(self) -> None:
        """Put the new questions."""
        self._put(self._new, self._old[1])

    def undo(self) -> None:
        """Put the old ones back."""
        self._put(*self._old)


class QuestionBook(QObject):
    """The query set that the user works on.

    Signals:
        changed: the questions, or what is known of their places, changed.
        chosen: the index of the question looked at, −1 for none.
        failed: what went wrong.
    """

    changed = Signal()
    chosen = Signal(int)
    failed = Signal(str)

    def __init__(self, state: State, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self.set = EMPTY
        self.path: Path | None = None
        self.is_automatic = False  # all came from files beside the documents, and are unchanged
        self.undo_stack = QUndoStack(self)
        self.tags = DocumentTags(state, self.undo_stack, self)
        self.index = -1
        self._placed: dict[int, tuple[Query, PlacedQuery]] = {}  # by id of the question's value
        self._placed_in: tuple[tuple[str, str], ...] = ()  # names and keys of the texts
        state.text_changed.connect(self._on_text)
        state.documents_changed.connect(self._on_documents)

    # what is there

    @property
    def queries(self) -> tuple[Query, ...]:
        """All questions."""
        return self.set.queries

    @property
    def current(self) -> Query | None:
        """The question looked at."""
        return self.queries[self.index] if 0 <= self.index < len(self.queries) else None

    def names(self) -> dict[str, str]:
        """The name of each open document by its id; no two are alike."""
        found: dict[str, str] = {}
        for opened in self._state.documents.values():
            name = opened.name
            if name in found.values():
                name = f"{opened.path.parent.name}/{name}"
            found[opened.id] = name if name not in found.values() else f"{name} ({opened.id})"
        return found

    def opened(self, name: str) -> OpenDocument | None:
        """The open document of that name."""
        ids = {each: document for document, each in self.names().items()}
        return self._state.documents.get(ids.get(name, ""))

    def texts(self) -> dict[str, Document]:
        """The open documents that have their text, by name."""
        return {
            name: opened.document
            for document, name in self.names().items()
            if (opened := self._state.documents[document]).document is not None
            and opened.document.final
        }

    def placed(self) -> list[PlacedQuery | None]:
        """Where the gold of each question is in the open documents; None: being looked for."""
        texts = self.texts()
        place = tuple((name, document.key) for name, document in texts.items())
        if place != self._placed_in:
            self._placed, self._placed_in = {}, place
        missing = [query for query in self.queries if id(query) not in self._placed]
        if 0 < len(missing) <= AT_ONCE:
            self._note(missing, place_gold(replace(self.set, queries=tuple(missing)), texts))
        elif missing:
            self._place_beside(texts)
        return [self._placed[id(q)][1] if id(q) in self._placed else None for q in self.queries]

    def placed_current(self) -> PlacedQuery | None:
        """Where the gold of the question looked at is."""
        return self.placed()[self.index] if self.current is not None else None

    def gold_in(self, document: str) -> Spans:
        """int64 (n, 2): the gold of the question looked at, in an open document by its id."""
        placed, name = self.placed_current(), self.names().get(document)
        places = placed.placements if placed is not None else ()
        return as_spans(
            [(each.start, each.end) for each in places if each.is_placed and each.document == name]
        )

    def _place_beside(self, texts: Mapping[str, Document]) -> None:
        wanted, where = self.set, self._placed_in

        def work(token: JobToken) -> object:
            placed = []
            for query in wanted.queries:
                token.check()
                placed += place_gold(replace(wanted, queries=(query,)), texts)
            return placed

        def done(placed: object) -> None:
            assert isinstance(placed, list), "placing gives a list"
            if where == self._placed_in and wanted is self.set:
                self._note(wanted.queries, placed)
                self.changed.emit()

        self._jobs.request(SLOT, "python", work, done, priority=-2)

    def _note(self, queries: Iterable[Query], placed: Iterable[PlacedQuery]) -> None:
        for query, place in zip(queries, placed, strict=True):
            self._placed[id(query)] = (query, place)

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

    # files

    def load(self, path: Path) -> None:
        """Work on the questions of a file.

        Raises:
            SearchError: it is not a query set.
        """
        loaded = load_query_set(path)
        self.path = path
        self.replace_all(loaded, f"load {path.name}")

    def load_beside(self, path: Path) -> bool:
        """Take the questions that lie beside a document, unless the user works on others."""
        beside = path.with_name(path.stem + ENDING)
        if (self.queries and not self.is_automatic) or not beside.is_file():
            return False
        loaded = load_query_set(beside)
        known = {query.id for query in self.queries}
        if known & {query.id for query in loaded.queries}:
            return False
        documents = {each.doc for each in self.set.documents}
        self._put(
            replace(
                loaded,
                queries=(*self.queries, *loaded.queries),
                documents=(
                    *self.set.documents,
                    *(each for each in loaded.documents if each.doc not in documents),
                ),
            )
        )
        self.is_automatic = True
        self.path = None if known else beside
        return True

    def replace_all(self, queries: QuerySet, text: str = "import questions") -> None:
        """Work on other questions."""
        self._change(text, queries)
        self.choose(0 if queries.queries else -1)

    def save(self, path: Path) -> None:
        """Write the questions into a file of the user's."""
        save_query_set(self.set, path)
        self.path = path
        self.undo_stack.setClean()

    def kept(self) -> dict[str, Any] | None:
        """What a workspace keeps; None where there is nothing of the user's."""
        return None if self.is_automatic or not self.queries else query_set_json(self.set)

    def restore(self, kept: Mapping[str, Any] | None, index: int = -1) -> None:
        """Put back what a workspace kept.

        Raises:
            SearchError: it is damaged.
        """
        if kept is not None:
            self._put(parse_query_set(json.dumps(kept).encode(), "the workspace's query set"))
            self.undo_stack.clear()
            self.is_automatic = False
        if -1 <= index < len(self.queries):
            self.index = index
            self.chosen.emit(index)

    # changing

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
            words = "add a question" if len(fresh) == 1 else f"add {len(fresh)} questions"
            self._change(words, changed)
            self.choose(len(self.queries) - len(fresh))

    def remove(self, indices: Iterable[int]) -> None:
        """Remove questions."""
        gone = set(indices)
        left = tuple(query for k, query in enumerate(self.queries) if k not in gone)
        self._change("remove questions", replace(self.set, queries=left))
        self.choose(min(self.index, len(left) - 1))

    def edit(self, index: int, query: Query, text: str = "edit question") -> None:
        """Replace a question."""
        self._change(text, self._with(index, query))

    def mark(self, opened: OpenDocument, start: int, end: int, *, grade: int = 2) -> bool:
        """Mark a passage as gold of the question looked at; one that is marked so is unmarked.

        Returns:
            False where there is no question, or no text.
        """
        query, document = self.current, opened.document
        if query is None or document is None:
            return False
        start, end = _trimmed(document.text, start, end)
        if end <= start:
            return False
        same = self._gold_at(opened, start, end)
        gold = tuple(span for row, span in enumerate(query.gold) if row not in same)
        is_marked = bool(same) and all(query.gold[row].grade == grade for row in same)
        changed = self.set
        if not is_marked:
            span, changed = self._span(opened, start, end, grade)
            gold = (*gold, span)
        words = "unmark gold" if is_marked else "mark gold"
        self._change(
            words, self._with(self.index, replace(query, gold=gold, unanswerable=False), changed)
        )
        return True

    def place(self, index: int, row: int, opened: OpenDocument, start: int, end: int) -> None:
        """Say where a gold passage is now: its text is what stands there."""
        document, query = opened.document, self.queries[index]
        if document is None:
            return
        start, end = _trimmed(document.text, start, end)
        if end <= start:
            return
        old = query.gold[row]
        span, changed = self._span(opened, start, end, old.grade)
        gold = list(query.gold)
        gold[row] = replace(span, group=old.group, extra=old.extra)
        self._change("place gold", self._with(index, replace(query, gold=tuple(gold)), changed))

    def set_grade(self, index: int, row: int, grade: int) -> None:
        """Say whether a gold passage answers fully (2) or in part (1)."""
        query = self.queries[index]
        gold = list(query.gold)
        gold[row] = replace(gold[row], grade=grade)
        self.edit(index, replace(query, gold=tuple(gold)), "grade gold")

    def remove_gold(self, index: int, rows: Iterable[int]) -> None:
        """Remove gold passages of a question."""
        gone, query = set(rows), self.queries[index]
        gold = tuple(span for row, span in enumerate(query.gold) if row not in gone)
        self.edit(index, replace(query, gold=gold), "remove gold")

    def group_gold(self, index: int, name: str | None, rows: Iterable[int] | None = None) -> None:
        """Make gold of a question one passage with parts, or parts of no passage.

        Args:
            index: of the question.
            name: of the passage; None: of none.
            rows: the gold spans that are meant; None: all.
        """
        query = self.queries[index]
        chosen = set(range(len(query.gold)) if rows is None else rows)
        gold = tuple(
            replace(span, group=name) if row in chosen else span
            for row, span in enumerate(query.gold)
        )
        self.edit(index, replace(query, gold=gold), "group gold")

    def set_unanswerable(self, index: int, unanswerable: bool) -> None:
        """Say that the documents do not answer a question, which then has no gold."""
        query = self.queries[index]
        gold = () if unanswerable else query.gold
        changed = replace(query, unanswerable=unanswerable, gold=gold)
        self.edit(index, changed, "no answer here")

    def _gold_at(self, opened: OpenDocument, start: int, end: int) -> set[int]:
        """The rows of the current question's gold that lie at a place."""
        placed = self.placed_current()
        places: tuple[Placement, ...] = placed.placements if placed is not None else ()
        name = self.names().get(opened.id)
        return {
            row
            for row, each in enumerate(places)
            if (each.document, each.start, each.end) == (name, start, end)
        }

    def _span(
        self, opened: OpenDocument, start: int, end: int, grade: int
    ) -> tuple[GoldSpan, QuerySet]:
        """A gold span at a place, in the set's unit, and the set that knows the document."""
        document = opened.document
        assert document is not None, "gold is marked in a text"
        name = self._set_name(opened)
        quote, page = document.text[start:end], document.page_of(start) + 1
        if self.set.offset_unit != "unicode_code_points":
            edges = unit_edges(document.text, self.set.offset_unit)
            start, end = (int(each) for each in edges[np.array([start, end])])
        known = [each for each in self.set.documents if each.doc != name]
        entry = SetDocument(name, opened.name, document.sha256, len(document.text))
        changed = replace(self.set, documents=(*known, entry))
        return GoldSpan(name, start, end, quote, grade, page), changed

    def _set_name(self, opened: OpenDocument) -> str:
        """How the set calls a document: by its own name for it, if it has one."""
        own = self.names()[opened.id]
        named = {span.doc for query in self.queries for span in query.gold}
        ids = document_ids(self.set.documents, self.texts(), named)
        return next((name for name, document in ids.items() if document == own), own)

    def _with(self, index: int, query: Query, questions: QuerySet | None = None) -> QuerySet:
        queries = (*self.queries[:index], query, *self.queries[index + 1 :])
        return replace(questions or self.set, queries=queries)

    def _change(self, text: str, new: QuerySet) -> None:
        self.is_automatic = False
        self.undo_stack.push(_Change(text, (self.set, self.index), new, self._put))

    def _put(self, questions: QuerySet, index: int | None = None) -> None:
        before = self.index
        self.set = questions
        self.index = self.index if index is None else index
        kept = {id(query) for query in questions.queries}
        self._placed = {key: each for key, each in self._placed.items() if key in kept}
        if self.index >= len(self.queries):
            self.index = len(self.queries) - 1
        self.changed.emit()
        if self.index != before:
            self.chosen.emit(self.index)

    def _on_documents(self) -> None:
        self.changed.emit()

    def _on_text(self, document: str) -> None:
        opened = self._state.documents.get(document)
        if opened is not None and opened.document is not None and opened.document.final:
            self.changed.emit()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends."""
    quote = text[start:end]
    start += len(quote) - len(quote.lstrip())
    return start, start + len(quote.strip())


def is_being_read(opened: OpenDocument) -> bool:
    """True while the text of a document arrives."""
    document = opened.document
    is_stuck = bool(opened.error) or opened.needs_password
    return not is_stuck and (document is None or not document.final)
