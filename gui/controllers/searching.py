# SPDX-License-Identifier: AGPL-3.0-or-later
"""Hits that follow the query and the chunks.

While a slider is dragged they come from an exact product with late vectors; as soon as it rests,
from the LanceDB index, which is brought up to date first.
"""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from core.arrays import Vectors
from core.document.model import Document
from core.pipeline import Pipeline
from core.strategies.chunks import Chunks
from gui.jobs import Jobs, JobToken
from gui.state import Hit, OpenDocument, State

REST_MILLISECONDS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A query and its vector, float32 (1, d)."""

    text: str
    vector: Vectors


class Searching(QObject):
    """Keeps the hits of all slots in step with query and chunks.

    Signals:
        failed: what went wrong, for the line above the hits.
    """

    failed = Signal(str)

    def __init__(
        self, state: State, jobs: Jobs, pipeline: Pipeline, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self._query: Query | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MILLISECONDS)
        state.query_changed.connect(self._on_query)
        state.chunks_changed.connect(self._on_chunks)

    def set_top_k(self, top_k: int) -> None:
        """Show more or fewer hits."""
        self._state.top_k = top_k
        self.search_all()

    def search_all(self) -> None:
        """Search again in every slot on the current document."""
        current = self._state.current
        if current is None or self._query is None:
            return
        for slot in self._state.slots:
            self._search(current, slot.id)

    def _on_query(self, text: str) -> None:
        self._query = None
        if not text:
            self._clear()
            return
        embedder = self._pipeline.embedder
        if embedder is None:
            self.failed.emit("the model is still being loaded; the query runs when it is there")
            return

        def work(token: JobToken) -> object:
            token.check()
            return Query(text, embedder.encode_queries([text]))

        def done(query: object) -> None:
            assert isinstance(query, Query), "a query with its vector"
            self._query = query
            self.search_all()

        self._jobs.request("query", "query", work, done, failed=self._on_failed, priority=-5)

    def ask_again(self) -> None:
        """Ask the same query, for instance with another model."""
        self._on_query(self._state.query)

    def _on_chunks(self, document: str, slot: int) -> None:
        opened = self._state.documents.get(document)
        if opened is not None and self._query is not None:
            self._search(opened, slot)

    def _search(self, opened: OpenDocument, slot: int) -> None:
        document, chunks, query = opened.document, opened.result(slot).chunks, self._query
        if document is None or chunks is None or query is None:
            return
        if not self._pipeline.has_token_vectors(document):
            return
        top_k = self._state.top_k

        def work(token: JobToken) -> object:
            token.check()
            return self._late_hits(opened.id, document, chunks, query, top_k)

        def done(hits: object) -> None:
            assert isinstance(hits, tuple), "hits"
            if opened.id in self._state.documents and opened.result(slot).chunks is chunks:
                self._state.put_hits(opened.id, slot, hits, "approximate")

        self._jobs.request(
            f"hits {opened.id} {slot}", "python", work, done, failed=self._on_failed, priority=1
        )

    def _late_hits(
        self, opened: str, document: Document, chunks: Chunks, query: Query, top_k: int
    ) -> tuple[Hit, ...]:
        tokens = self._pipeline.token_vectors(document)
        vectors = tokens.span_vectors(chunks.spans, chunks.pointers)
        scores = vectors @ query.vector[0]
        best = np.argsort(-scores, kind="stable")[:top_k]
        return tuple(
            Hit(
                rank + 1,
                float(scores[index]),
                opened,
                int(index),
                int(chunks.starts[index]),
                int(chunks.ends[index]),
                "approximate",
            )
            for rank, index in enumerate(best.tolist())
        )

    def _clear(self) -> None:
        for opened in self._state.documents.values():
            for slot in list(opened.results):
                self._state.put_hits(opened.id, slot, (), "none")

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(str(error))
