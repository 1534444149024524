# SPDX-License-Identifier: AGPL-3.0-or-later
"""Hits that follow the query and the chunks.

While a slider is dragged they come from an exact product with late vectors; as soon as it rests,
from the LanceDB index, which is brought up to date first. The two are compared where both are of
late vectors: a difference is a defect and is written to the log.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from core.arrays import Vectors
from core.pipeline import Pipeline
from core.search import serve
from core.search.duplicates import CONTAINED, NEAR, Shingles, shingles, similarity
from core.search.filters import Filters
from core.search.index import Space
from core.search.place import corpus_name
from core.search.sender import RowSender
from core.search.serve import Found, Question, Where
from core.strategies.chunks import Chunks
from core.vectors.embedder import Embedder, VectorKind
from gui.controllers.chunking import Chunking
from gui.controllers.scoring import Scoring
from gui.controllers.search_pool import NO_CHUNKS, Choices, Part, SearchPool
from gui.jobs import Jobs, JobToken
from gui.questions import is_being_read
from gui.state import Exactness, Hit, OpenDocument, State
from gui.tags import DocumentTags

REST_MILLISECONDS = 60
SEARCHING = "searching…"
NO_MODEL = "no model is loaded yet: the query runs when it is there. Full text needs none."
SPARE = 10  # hits beyond k, where repeats are left out
_log = logging.getLogger("chunkscope.search")


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A query and its vector, float32 (1, d); None where only full text is searched."""

    text: str
    vector: Vectors | None


class Searching(QObject):
    """Keeps the hits of all slots in step with query and chunks.

    Signals:
        failed: what went wrong, for the line above the hits.
        told: what was found where, for the same line.
    """

    failed = Signal(str)
    told = Signal(str)

    def __init__(
        self, state: State, jobs: Jobs, pipeline: Pipeline, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self._query: Query | None = None
        self._sender = RowSender()
        self._pool = SearchPool(state, pipeline)
        # documents and slots with hits of this query, and the chunks that those are of
        self._answered: dict[tuple[str, int], Chunks | None] = {}
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MILLISECONDS)
        self._rest.timeout.connect(self._ask_index)
        state.query_changed.connect(self._on_query)
        state.chunks_changed.connect(self._on_chunks)
        state.current_changed.connect(self._on_current)
        state.document_closed.connect(self._on_closed)
        state.text_changed.connect(self._on_text)

    @property
    def choices(self) -> Choices:
        """How is searched now."""
        return self._pool.choices

    def set_top_k(self, top_k: int) -> None:
        """Show more or fewer hits."""
        self._state.top_k = top_k
        self._answered.clear()
        self.search_all()

    def set_choices(self, choices: Choices) -> None:
        """Search in another way."""
        self._pool.choices = choices
        self._answered.clear()
        if self._query is None or (self._query.vector is None and choices.mode != "text"):
            self.ask_again()
        else:
            self.search_all()

    def choose(
        self, mode: serve.Mode, vectors: VectorKind, all_documents: bool, filters: Filters
    ) -> None:
        """Search in another mode, with other vectors, in one or all documents, or in a part."""
        self.set_choices(
            replace(
                self.choices,
                mode=mode,
                vectors=vectors,
                all_documents=all_documents,
                filters=filters,
            )
        )

    def set_reranker(self, model: str) -> None:
        """Let a cross-encoder order the first hits again; empty: none."""
        self.set_choices(replace(self.choices, reranker=model))

    def set_uri(self, uri: str) -> None:
        """Keep the index in a database of the user's; empty: in the data folder."""
        self.set_choices(replace(self.choices, uri=uri))

    def set_tags(self, tags: DocumentTags) -> None:
        """Filter by these tags of documents."""
        self._pool.set_tags(tags)
        tags.changed.connect(self._on_pool)

    def set_makers(self, chunking: Chunking, scoring: Scoring) -> None:
        """Who chunks documents, and makes their vectors, that are searched and not shown."""
        self._pool.set_makers(chunking, scoring)

    def set_without_repeats(self, is_on: bool) -> None:
        """Leave out hits that nearly repeat a higher one, or show them."""
        self.set_choices(replace(self.choices, without_repeats=is_on))

    def search_all(self) -> None:
        """Search again in every slot on the current document."""
        current = self._state.current
        if current is None or self._query is None:
            return
        for slot in self._state.slots:
            self._search_late(current, slot.id)
        self._rest.start()

    def ask_again(self) -> None:
        """Ask the same query, for instance with another model."""
        self._on_query(self._state.query)

    def _on_query(self, text: str) -> None:
        self._query = None
        self._answered.clear()
        self._jobs.cancel("query")
        if not text:
            self._clear()
            return
        self.told.emit(SEARCHING)
        embedder = self._pipeline.embedder
        if self.choices.mode == "text":
            self._search_now(Query(text, None))
        elif embedder is None:
            self.failed.emit(NO_MODEL)
        else:
            self._encode(text, embedder)

    def _encode(self, text: str, embedder: Embedder) -> None:
        def work(token: JobToken) -> object:
            token.check()
            return Query(text, embedder.encode_queries([text]))

        def done(query: object) -> None:
            assert isinstance(query, Query), "a query with its vector"
            self._search_now(query)

        self._jobs.request("query", "query", work, done, failed=self._on_failed, priority=-5)

    def _search_now(self, query: Query) -> None:
        self._query = query
        self.search_all()
        self._rest.stop()
        self._ask_index()  # at once: nothing is dragged, and the engine waits for it

    def _on_current(self, current: OpenDocument | None) -> None:
        """Hits of an older query, or none yet, are not shown as those of this one."""
        slots = [each.id for each in self._state.slots]
        late = [slot for slot in slots if current and (current.id, slot) not in self._answered]
        if current is None or not late or not self._state.query:
            return
        for slot in late:
            hits, exactness = self._hits_of_pool(slot)
            self._state.put_hits(current.id, slot, hits, exactness)
        self.search_all()

    def _hits_of_pool(self, slot: int) -> tuple[tuple[Hit, ...], Exactness]:
        """The hits that all open documents share, where they are one pool and were searched."""
        for opened in self._state.documents.values() if self.choices.all_documents else ():
            if (opened.id, slot) in self._answered:
                result = opened.result(slot)
                return result.hits, result.hits_exactness
        return (), "none"

    def _on_text(self, document: str) -> None:
        """A document that was still being read joins those that are searched."""
        opened = self._state.documents.get(document)
        if self.choices.all_documents and opened is not None and not is_being_read(opened):
            self._rest.start()

    def _on_closed(self, document: str) -> None:
        self._pool.forget_rows()
        for key in [key for key in self._answered if key[0] == document]:
            del self._answered[key]
        if self.choices.all_documents:
            self._on_pool()

    def _on_pool(self) -> None:
        """Other documents, or other tags of theirs, are searched together."""
        self._answered.clear()
        self.search_all()

    def _on_chunks(self, document: str, slot: int) -> None:
        opened = self._state.documents.get(document)
        if opened is None or self._query is None:
            return
        self._search_late(opened, slot)
        self._rest.start()

    # at once: late vectors and one matrix product

    def _search_late(self, opened: OpenDocument, slot: int) -> None:
        document, chunks, query = opened.document, opened.result(slot).chunks, self._query
        if document is None or chunks is None or query is None or query.vector is None:
            return
        if self.choices.mode == "text":
            return
        parts, question = self._pool.parts(opened, slot), self._question(query)
        if not all(self._pipeline.has_token_vectors(part.document) for part in parts):
            return

        def work(token: JobToken) -> object:
            return serve.exact_hits(self._pool.rows(parts, "late", token), question)

        def done(hits: object) -> None:
            assert isinstance(hits, tuple), "hits"
            if opened.id in self._state.documents and opened.result(slot).chunks is chunks:
                self._put(opened, slot, hits, "approximate")

        self._jobs.request(
            f"hits {opened.id} {slot}",
            "python",
            work,
            done,
            failed=self._on_failed,
            priority=1,
            after_frame=True,
        )

    # at rest: the LanceDB index

    def _ask_index(self) -> None:
        current = self._state.current
        if current is None or self._query is None:
            return
        if self.choices.all_documents:
            self._pool.make_ready()
        chosen = self._state.chosen
        for slot in sorted(self._state.slots, key=lambda each: each.id != chosen):
            if current.result(slot.id).chunks is not None:
                self._search_index(current, slot.id, self._query)
            elif slot.id == chosen:
                self.failed.emit(NO_CHUNKS.format(name=current.name))

    def _search_index(self, current: OpenDocument, slot: int, query: Query) -> None:
        parts = self._pool.parts(current, slot)
        kind = self._pool.kind(parts)
        waiting = self._pool.waits_for(slot, kind, parts)
        if waiting:
            if slot == self._state.chosen:
                self.failed.emit(waiting)  # asked again when it is there
            return
        embedder, chunks = self._pipeline.embedder, current.result(slot).chunks
        engine, question = self._pipeline.engine, self._question(query)
        assert engine is not None, "the window has an engine"
        model = "" if embedder is None or kind is None else _model_words(embedder)
        corpus = corpus_name([part.document.key for part in parts])
        uri = self.choices.uri
        name = f"{corpus} slot {slot}" if uri else f"slot {slot}"  # all corpora share that place
        where = Where(corpus, Space(model, kind or "ordinary", name), uri)

        def work(token: JobToken) -> object:
            rows = self._pool.rows(parts, kind, token)
            return self._sender.ask(engine, where, rows, question, cancel=token)

        def done(found: object) -> None:
            assert isinstance(found, Found), "the index gives what was found"
            if current.id in self._state.documents and current.result(slot).chunks is chunks:
                if kind == "late" and self._answered.get((current.id, slot)) is chunks:
                    self._compare(current, slot, found)
                self._on_found(current, slot, found, kind)

        self._jobs.request(
            f"index {current.id} {slot}",
            "query" if kind == "late" or kind is None else "model",
            work,
            done,
            failed=self._on_failed,
            priority=0 if slot == self._state.chosen else 2,
            title=_title(parts) if kind in ("ordinary", "windows") else "",
        )

    def _on_found(
        self, current: OpenDocument, slot: int, found: Found, kind: VectorKind | None
    ) -> None:
        self._jobs.cancel(f"hits {current.id} {slot}")  # an approximate answer comes too late now
        self._put(current, slot, found.hits, "exact")
        if slot == self._state.chosen:
            shown = len(current.result(slot).hits)
            self.told.emit(_facts(found, kind, self.choices, shown))

    def _compare(self, current: OpenDocument, slot: int, found: Found) -> None:
        """Write down where the index finds others than the exact product of the same chunks."""
        if self.choices.reranker or self.choices.mode != "dense":
            return
        before = [(hit.document, hit.chunk) for hit in current.result(slot).hits]
        after = [(hit.document, hit.chunk) for hit in self._kept(found.hits)]
        if before and before != after:
            _log.warning("hits of the index differ from the exact product: %s, %s", after, before)

    def _question(self, query: Query) -> Question:
        more = SPARE if self.choices.without_repeats else 0  # to move up
        k = self._state.top_k + more
        return Question(
            query.text,
            query.vector[0] if query.vector is not None else None,
            k,
            self.choices.mode,
            self.choices.filters,
            self.choices.reranker,
        )

    def _put(
        self, opened: OpenDocument, slot: int, hits: Sequence[serve.Hit], exactness: Exactness
    ) -> None:
        shown = tuple(
            Hit(rank + 1, hit.score, hit.document, hit.chunk, hit.start, hit.end, exactness)
            for rank, hit in enumerate(self._kept(hits))
        )
        self._answered[opened.id, slot] = opened.result(slot).chunks
        self._state.put_hits(opened.id, slot, shown, exactness)

    def _kept(self, hits: Sequence[serve.Hit]) -> Sequence[serve.Hit]:
        """The hits that are shown."""
        kept = self._without_repeats(hits) if self.choices.without_repeats else hits
        return kept[: self._state.top_k]

    def _without_repeats(self, hits: Sequence[serve.Hit]) -> list[serve.Hit]:
        """The hits that do not nearly repeat a higher one (`spec/evaluation.md` 9)."""
        kept: list[serve.Hit] = []
        seen: list[Shingles] = []
        for hit in hits:
            opened = self._state.documents.get(hit.document)
            document = opened.document if opened is not None else None
            words = shingles(document.text[hit.start : hit.end]) if document else frozenset()
            if not any(_is_repeat(words, other) for other in seen):
                kept.append(hit)
            seen.append(words)
        return kept

    def _clear(self) -> None:
        for opened in self._state.documents.values():
            for slot in list(opened.results):
                self._state.put_hits(opened.id, slot, (), "none")

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(str(error))


def _title(parts: Sequence[Part]) -> str:
    """What is told with the progress of vectors."""
    what = parts[0].document.name if len(parts) == 1 else f"{len(parts)} documents"
    return f"Index of {what}"


def _is_repeat(one: Shingles, other: Shingles) -> bool:
    jaccard, contained = similarity(one, other)
    return jaccard >= NEAR or contained >= CONTAINED


def _model_words(embedder: Embedder) -> str:
    """A model as the index knows it: another version or window gives other vectors."""
    return f"{embedder.id}@{getattr(embedder, 'revision', '')} window {embedder.window}"


def _facts(found: Found, kind: VectorKind | None, choices: Choices, count: int) -> str:
    """One line: how many hits are shown, from which vectors, what was done to them, how quick."""
    parts = [f"{count} hits from LanceDB, {found.rows:,} rows"]
    parts.append(f"{kind} vectors" if kind is not None else "full text")
    if choices.reranker:
        parts.append(f"re-ranked by {choices.reranker.rstrip('/').split('/')[-1]}")
    if choices.without_repeats:
        parts.append("repeats left out")
    parts.append(f"{found.milliseconds:.0f} ms")
    if found.index_recall is not None:
        parts.append(f"recall of the index {found.index_recall:.0%}")
    return "  ·  ".join([*parts, *(notice.message for notice in found.notices)])
