# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunking: in the same frame where that is quick, else beside; the newest request wins."""

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from core.document.model import Document
from core.errors import ChunkscopeError
from core.pipeline import Pipeline
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe
from core.strategies.run import works_apart
from gui.jobs import Jobs, JobToken
from gui.state import OpenDocument, Slot, SlotResult, State

SAME_FRAME_SECONDS = 0.008  # the last cut took less: the next one runs in the window's thread
QUICK_SECONDS = 0.150
PATIENCE_MILLISECONDS = 400  # what takes longer is told; below, the words would only flicker


@dataclass(frozen=True, slots=True)
class Speed:
    """How long the last cut of a recipe took on this document and machine."""

    seconds: float
    was_prepared: bool

    @property
    def glyph(self) -> str:
        """The mark of its speed class."""
        if self.seconds <= SAME_FRAME_SECONDS:
            return "⚡"
        return "◔" if self.seconds <= QUICK_SECONDS else "◑"

    @property
    def words(self) -> str:
        """For example "3.2 ms"."""
        if self.seconds < 1:
            return f"{self.seconds * 1000:.{1 if self.seconds < 0.01 else 0}f} ms"
        return f"{self.seconds:.1f} s"


class Chunking(QObject):
    """Keeps the chunks of all slots on all open documents in step with recipes and texts.

    Signals:
        refused: slot id, message; the chunks of the last valid recipe stay.
        speed_noted: document id, strategy code; its speed was measured anew.
    """

    refused = Signal(int, str)
    speed_noted = Signal(str, str)

    def __init__(
        self, state: State, jobs: Jobs, pipeline: Pipeline, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self._made: dict[tuple[str, int], tuple[Recipe, str]] = {}  # recipe, key of the text
        self._refused: dict[tuple[str, int], tuple[Recipe, str] | None] = {}  # likewise
        self.speeds: dict[tuple[str, str], Speed] = {}  # document id, strategy code
        state.slots_changed.connect(self.update_all)
        state.text_changed.connect(self._on_text)
        state.current_changed.connect(self._on_current)
        state.document_closed.connect(self._on_closed)
        state.query_changed.connect(self._on_query)
        state.scores_changed.connect(self._on_scores)

    def update_all(self) -> None:
        """Chunk the current document by every slot whose recipe changed."""
        self._drop_removed()
        current = self._state.current
        if current is None or current.document is None:
            return
        for slot in self._state.slots:
            self.update(current, slot)

    def _drop_removed(self) -> None:
        """Stop working for strategies that are no longer shown: others wait in the same lane."""
        for document, slot in [each for each in self._made if self._state.slot(each[1]) is None]:
            del self._made[(document, slot)]
            self._jobs.cancel(_job(document, slot))

    def update_pool(self) -> None:
        """Chunk all open documents, which are about to be searched together."""
        for opened in list(self._state.documents.values()):
            for slot in self._state.slots:
                if not self.is_refused(opened, slot.id):
                    self.update(opened, slot)

    def is_refused(self, opened: OpenDocument, slot: int) -> bool:
        """True if the recipe that a slot has now was tried on a document, and cannot be used."""
        return self._refused.get((opened.id, slot)) == self._wanted(opened, slot)

    def is_up_to_date(self, opened: OpenDocument, slot: int) -> bool:
        """True if a document has chunks of its text by the recipe that a slot has now."""
        wanted = self._wanted(opened, slot)
        if wanted is None or opened.result(slot).chunks is None:
            return False
        is_asked = self._made.get((opened.id, slot)) == wanted
        return is_asked and not self._jobs.is_asked(_job(opened.id, slot))

    def _wanted(self, opened: OpenDocument, slot: int) -> tuple[Recipe, str] | None:
        """The recipe that a slot has now, and the key of a document's text."""
        shown, document = self._state.slot(slot), opened.document
        return None if shown is None or document is None else (shown.recipe, document.key)

    def update(self, opened: OpenDocument, slot: Slot) -> None:
        """Chunk one document by one slot, unless that is done."""
        document = opened.document
        if document is None:
            return
        if self.waits_for_model(slot):
            self._made.pop((opened.id, slot.id), None)  # what is shown is no longer of its recipe
            self._state.mark_outdated(opened.id, slot.id)
            return
        wanted = (slot.recipe, document.key)
        if self._made.get((opened.id, slot.id)) == wanted:
            return
        self._made[(opened.id, slot.id)] = wanted
        opened.result(slot.id).error = ""  # that of another recipe
        if self._runs_in_frame(opened, slot, document):
            self._jobs.cancel(_job(opened.id, slot.id))
            self._chunk_now(opened, slot, document)
        else:
            self._chunk_beside(opened, slot, document)

    def waits_for_model(self, slot: Slot) -> bool:
        """True while nothing can be made, for want of vectors."""
        declared = slot.recipe.strategy.declaration.strategy_class
        return declared == "embedding" and self._pipeline.embedder is None

    def make_again(self) -> None:
        """Chunk all anew, for instance with another model."""
        self._made.clear()
        self.update_all()

    def _runs_in_frame(self, opened: OpenDocument, slot: Slot, document: Document) -> bool:
        speed = self.speeds.get((opened.id, slot.recipe.code))
        if speed is None or not speed.was_prepared or speed.seconds > SAME_FRAME_SECONDS:
            return False
        return self._pipeline.is_prepared(slot.recipe, document)

    def _chunk_now(self, opened: OpenDocument, slot: Slot, document: Document) -> None:
        begin = time.perf_counter()
        try:
            chunks = self._pipeline.chunk(slot.recipe, document)
        except ChunkscopeError as error:
            self._refuse(opened, slot, str(error))
            return
        self._note_speed(opened, slot, time.perf_counter() - begin, was_prepared=True)
        self._put(opened, slot, document, chunks)

    def _chunk_beside(self, opened: OpenDocument, slot: Slot, document: Document) -> None:
        def work(token: JobToken) -> object:
            was_prepared = self._pipeline.is_prepared(slot.recipe, document)
            begin = time.perf_counter()
            chunks = self._pipeline.chunk(
                slot.recipe, document, cancel=token, progress=token.progress
            )
            return chunks, time.perf_counter() - begin, was_prepared

        def done(result: object) -> None:
            assert isinstance(result, tuple), "chunks, seconds, whether it was prepared"
            chunks, seconds, was_prepared = result
            self._note_speed(opened, slot, seconds, was_prepared=was_prepared)
            self._put(opened, slot, document, chunks)
            if not was_prepared:
                self._measure(opened, slot, document)

        def failed(error: Exception) -> None:
            self._refuse(opened, slot, str(error))

        self._jobs.request(
            _job(opened.id, slot.id),
            self._lane(slot.recipe, document),
            work,
            done,
            failed=failed,
            priority=0 if slot.id == self._state.chosen else 2,  # late vectors come between
            title=f"Chunking {opened.name} by {slot.recipe.code}",
        )
        QTimer.singleShot(PATIENCE_MILLISECONDS, self, lambda: self._tell_if_late(opened, slot))

    def _tell_if_late(self, opened: OpenDocument, slot: Slot) -> None:
        """Say that what is shown is of before, if others are still being made."""
        is_there = opened.id in self._state.documents and self._state.slot(slot.id) == slot
        is_done = self.is_up_to_date(opened, slot.id) or self.is_refused(opened, slot.id)
        if is_there and not is_done:
            self._state.mark_outdated(opened.id, slot.id)

    def _lane(self, recipe: Recipe, document: Document) -> str:
        """Where a strategy is prepared: what waits for the engine holds up no other cuts."""
        if self._pipeline.is_prepared(recipe, document):
            return "python"
        if recipe.strategy.declaration.strategy_class in ("embedding", "model"):
            return "model"
        return "apart" if works_apart(recipe, document) else "python"

    def _measure(self, opened: OpenDocument, slot: Slot, document: Document) -> None:
        """Time the quick stage once, so that the first move of a slider already knows its class."""

        def work(token: JobToken) -> object:
            begin = time.perf_counter()
            self._pipeline.chunk(slot.recipe, document, cancel=token)
            return time.perf_counter() - begin

        def done(seconds: object) -> None:
            assert isinstance(seconds, float), "seconds"
            self._note_speed(opened, slot, seconds, was_prepared=True)

        self._jobs.request(f"measure {opened.id} {slot.id}", "python", work, done, priority=5)

    def _note_speed(
        self, opened: OpenDocument, slot: Slot, seconds: float, *, was_prepared: bool
    ) -> None:
        known = self.speeds.get((opened.id, slot.recipe.code))
        self.speeds[(opened.id, slot.recipe.code)] = Speed(seconds, was_prepared)
        if known is None or known.glyph != Speed(seconds, was_prepared).glyph:
            self.speed_noted.emit(opened.id, slot.recipe.code)

    def speed(self, document: str, code: str) -> Speed | None:
        """How long the last cut of a strategy took on a document."""
        return self.speeds.get((document, code))

    def _put(self, opened: OpenDocument, slot: Slot, document: Document, chunks: Chunks) -> None:
        if opened.id not in self._state.documents or self._state.slot(slot.id) is None:
            return
        old = opened.result(slot.id)
        result = SlotResult(
            chunks,
            is_provisional=not document.final,
            scores=old.scores,
            hits=old.hits,
            hits_exactness=old.hits_exactness,
            tail_starts=self._tails(document, chunks),
        )
        self._state.put_chunks(opened.id, slot.id, result)

    def _tails(self, document: Document, chunks: Chunks) -> dict[int, int] | None:
        """Where the model stops reading; None before there are vectors."""
        is_known = self._pipeline.has_token_vectors(document)
        return self._pipeline.tails(document, chunks) if is_known else None

    def _on_scores(self, name: str, slot: int) -> None:
        """Vectors may have come since the chunks were made: their tails are known then."""
        opened = self._state.documents.get(name)
        if opened is None or opened.document is None:
            return
        result = opened.result(slot)
        if result.chunks is None or result.tail_starts is not None:
            return
        tails = self._tails(opened.document, result.chunks)
        if tails is not None:
            self._state.put_tails(name, slot, tails)

    def _refuse(self, opened: OpenDocument, slot: Slot, message: str) -> None:
        if opened.id not in self._state.documents:
            return
        result = opened.result(slot.id)
        result.error, result.is_outdated = message, True
        self._refused[(opened.id, slot.id)] = self._made.pop((opened.id, slot.id), None)
        self._state.chunks_changed.emit(opened.id, slot.id)
        self.refused.emit(slot.id, message)

    def _on_text(self, document: str) -> None:
        current = self._state.current
        if current is not None and current.id == document:
            self.update_all()

    def _on_current(self, opened: OpenDocument | None) -> None:
        del opened
        self.update_all()

    def _on_closed(self, document: str) -> None:
        for jobs in ("chunks", "measure"):
            self._jobs.cancel_all(f"{jobs} {document} ")

    def _on_query(self, query: str) -> None:
        """Strategies that read the text for what is asked get the new query."""
        for slot in self._state.slots:
            reads = slot.recipe.parameters.get("reading") == "query"
            if reads:
                self._state.set_recipe(slot.id, slot.recipe.with_settings({"query": query}))


def _job(document: str, slot: int) -> str:
    return f"chunks {document} {slot}"
