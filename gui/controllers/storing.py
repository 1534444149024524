# SPDX-License-Identifier: AGPL-3.0-or-later
"""Looks at indexes and caches, clears them, and finds near-duplicates of the corpus."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from core.engine_process import EngineProcess
from core.pipeline import Pipeline
from core.search import stored
from core.search.duplicate_report import DuplicateReport, duplicate_report
from core.search.rows import join_rows
from core.search.stored import Stored
from gui.jobs import Jobs, JobToken
from gui.questions import QuestionBook
from gui.state import State


class Storing(QObject):
    """What is on the disk, and what is in the corpus twice.

    Signals:
        seen: a `Stored`.
        duplicates_found: a `DuplicateReport`.
        failed: what went wrong.
    """

    seen = Signal(object)
    duplicates_found = Signal(object)
    failed = Signal(str)

    def __init__(  # noqa: PLR0917 - what it works on
        self,
        state: State,
        jobs: Jobs,
        book: QuestionBook,
        pipeline: Pipeline,
        engine: EngineProcess,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._book = book
        self._pipeline = pipeline
        self._engine = engine

    def look(self) -> None:
        """Measure everything."""

        def work(token: JobToken) -> object:
            return self._engine.call_urgent(stored.look_at_stored, cancel=token)

        def done(found: object) -> None:
            assert isinstance(found, Stored), "what is stored"
            self.seen.emit(found)

        self._jobs.request("stored", "query", work, done, failed=self._on_failed, priority=5)

    def clear_indexes(self, names: tuple[str, ...]) -> None:
        """Delete the indexes of some corpora."""
        self._clear(lambda token: self._engine.call(stored.clear_indexes, names, cancel=token))

    def clear_vectors(self) -> None:
        """Forget all vectors on the disk."""
        self._clear(lambda token: self._engine.call(stored.clear_vectors, cancel=token))

    def clear_documents(self) -> None:
        """Forget the texts of documents on the disk."""
        self._clear(lambda token: stored.clear_documents())

    def clear_evaluations(self) -> None:
        """Forget the records of evaluations."""
        self._clear(lambda token: stored.clear_evaluations())

    def find_duplicates(self) -> None:
        """Find near-duplicates among the chunks of the chosen strategy, in all open documents."""
        chosen, names = self._slot_with_chunks(), self._book.names()
        parts = [
            (names[opened.id], opened.document, opened.result(chosen).chunks)
            for opened in self._state.documents.values()
        ]
        known = [
            (name, document, chunks)
            for name, document, chunks in parts
            if document is not None and chunks is not None
        ]
        if not known:
            self.failed.emit("there are no chunks yet: open a document and choose a strategy")
            return

        def work(token: JobToken) -> object:
            rows = join_rows(
                [
                    self._pipeline.rows(name, document, chunks, None, cancel=token)
                    for name, document, chunks in known
                ]
            )
            documents = {name: replace(document, geometry=None) for name, document, _ in known}
            return self._engine.call(
                duplicate_report, rows, documents, cancel=token, progress=token.progress
            )

        def done(report: object) -> None:
            assert isinstance(report, DuplicateReport), "the engine reports duplicates"
            self.duplicates_found.emit(report)

        self._jobs.request(
            "duplicates", "model", work, done, failed=self._on_failed, title="Near-duplicates"
        )

    def _slot_with_chunks(self) -> int:
        """The chosen slot, or while it has no chunks another one."""
        current, chosen = self._state.current, self._state.chosen
        slots = sorted(self._state.slots, key=lambda each: each.id != chosen)
        for slot in slots:
            if current is not None and current.result(slot.id).chunks is not None:
                return slot.id
        return chosen

    def _clear(self, clear: Callable[[JobToken], object]) -> None:
        def done(_: object) -> None:
            self.look()

        self._jobs.request("clear", "model", clear, done, failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(str(error))
