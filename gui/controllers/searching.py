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
from core.document.model import Document
from core.pipeline import Pipeline
from core.search import serve
from core.search.duplicates import CONTAINED, NEAR, Shingles, shingles, similarity
from core.search.filters import NO_FILTERS, Filters
from core.search.index import Space
from core.search.place import corpus_name
from core.search.rows import Rows, join_rows, on_pages
from core.search.sender import RowSender
from core.search.serve import Found, Question, Where
from core.strategies.chunks import Chunks
from core.vectors.embedder import Embedder, VectorKind
from gui.controllers.chunking import Chunking
from gui.controllers.scoring import Scoring
from gui.jobs import Jobs, JobToken
from gui.questions import is_being_read
from gui.state import Exactness, Hit, OpenDocument, State
from gui.tags import DocumentTags

REST_MILLISECONDS = 60
SEARCHING = "searching…"
NO_MODEL = "no model is loaded yet: the query runs when it is there. Full text needs none."
NO_TEXT = "waiting for the text of {name}: the query runs when it is there"
NO_CHUNKS = "waiting for the chunks of {name}: the query runs when they are there"
NO_VECTORS = "waiting for the vectors of {name}: the query runs when they are there"
SPARE = 10  # hits beyond k, where repeats are left out
_log = logging.getLogger("chunkscope.search")


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A query and its vector, float32 (1, d); None where only full text is searched."""

    text: str
    vector: Vectors | None


@dataclass(frozen=True, slots=True)
class Choices:
    """How is searched."""

    mode: serve.Mode = "dense"
    vectors: VectorKind = "late"
    all_documents: bool = False
    filters: Filters = NO_FILTERS  # by ids of documents
    without_repeats: bool = False  # a hit that nearly repeats a higher one is left out
    reranker: str = ""  # a cross-encoder that orders the first 50 again
    uri: str = ""  # a LanceDB database of the user's; empty: in the data folder


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One document of a pool, as it was when the search was asked."""

    id: str
    document: Document
    chunks: Chunks
    index: object
    tags: tuple[str, ...]
    shown: Document  # the same text on the pages that the user sees


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
        self._chunking: Chunking | None = None
        self._scoring: Scoring | None = None
        self._answered: set[tuple[str, int]] = set()  # documents and slots with hits of this query
        self._tags: DocumentTags | None = None
        self.choices = Choices()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MILLISECONDS)
        self._rest.timeout.connect(self._ask_index)
        state.query_changed.connect(self._on_query)
        state.chunks_changed.connect(self._on_chunks)
        state.current_changed.connect(self._on_current)
        state.document_closed.connect(self._on_closed)
        state.text_changed.connect(self._on_text)

    def set_top_k(self, top_k: int) -> None:
        """Show more or fewer hits."""
        self._state.top_k = top_k
        self._answered.clear()
        self.search_all()

    def set_choices(self, choices: Choices) -> None:
        """Search in another way."""
        self.choices = choices
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
        self._tags = tags
        tags.changed.connect(self._on_pool)

    def set_makers(self, chunking: Chunking, scoring: Scoring) -> None:
        """Who chunks documents, and makes their vectors, that are searched and not shown."""
        self._chunking, self._scoring = chunking, scoring

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
        del document
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
        parts, question = self._parts(opened, slot), self._question(query)
        if not all(self._pipeline.has_token_vectors(part.document) for part in parts):
            return

        def work(token: JobToken) -> object:
            return serve.exact_hits(self._rows(parts, "late", token), question)

        def done(hits: object) -> None:
            assert isinstance(hits, tuple), "hits"
            if opened.id in self._state.documents and opened.result(slot).chunks is chunks:
                self._put(opened, slot, hits, "approximate")

        self._jobs.request(
            f"hits {opened.id} {slot}", "python", work, done, failed=self._on_failed, priority=1
        )

    # at rest: the LanceDB index

    def _ask_index(self) -> None:
        current = self._state.current
        if current is None or self._query is None:
            return
        if self.choices.all_documents:
            self._make_pool()
        chosen = self._state.chosen
        for slot in sorted(self._state.slots, key=lambda each: each.id != chosen):
            if current.result(slot.id).chunks is not None:
                self._search_index(current, slot.id, self._query)
            elif slot.id == chosen:
                self.failed.emit(NO_CHUNKS.format(name=current.name))

    def _make_pool(self) -> None:
        """Have what is searched and not shown brought up to date: it comes as news of chunks."""
        if self._chunking is not None:
            self._chunking.update_pool()
        is_late = self.choices.vectors == "late" and self.choices.mode != "text"
        if is_late and self._scoring is not None:
            for opened in self._state.documents.values():
                self._scoring.make_vectors(opened)

    def _search_index(self, current: OpenDocument, slot: int, query: Query) -> None:
        parts = self._parts(current, slot)
        kind = self._kind(parts)
        waiting = self._waits_for(slot, kind, parts)
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
            rows = self._rows(parts, kind, token)
            return self._sender.ask(engine, where, rows, question, cancel=token)

        def done(found: object) -> None:
            assert isinstance(found, Found), "the index gives what was found"
            if current.id in self._state.documents and current.result(slot).chunks is chunks:
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

    def _waits_for(self, slot: int, kind: VectorKind | None, parts: Sequence[_Part]) -> str:
        """What is not there yet that the index must have; empty: all is."""
        names = {opened.id: opened.name for opened in self._state.documents.values()}
        chunking = self._chunking
        if chunking is not None and self.choices.all_documents:
            for opened in self._state.documents.values():
                if is_being_read(opened):
                    return NO_TEXT.format(name=opened.name)
                is_done = chunking.is_up_to_date(opened, slot) or chunking.is_refused(opened, slot)
                if opened.document is not None and not is_done:
                    return NO_CHUNKS.format(name=opened.name)
        if kind is not None or self.choices.mode == "text":
            return ""
        lacking = (each.id for each in parts if not self._pipeline.has_token_vectors(each.document))
        name = next((names[each] for each in lacking), "the text")
        return NO_VECTORS.format(name=name)

    def _rows(self, parts: Sequence[_Part], kind: VectorKind | None, token: JobToken) -> Rows:
        token.check()
        made = []
        for part in parts:
            rows = self._pipeline.rows(
                part.id,
                part.document,
                part.chunks,
                kind,
                index=part.index,
                tags=part.tags,
                cancel=token,
                progress=token.progress,
            )
            made.append(on_pages(rows, part.shown))
        return join_rows(made)

    def _on_found(
        self, current: OpenDocument, slot: int, found: Found, kind: VectorKind | None
    ) -> None:
        before = [(hit.document, hit.chunk) for hit in current.result(slot).hits]
        after = [(hit.document, hit.chunk) for hit in self._kept(found.hits)]
        is_same_question = kind == "late" and not self.choices.reranker
        if is_same_question and self.choices.mode == "dense" and before and before != after:
            _log.warning("hits of the index differ from the exact product: %s, %s", after, before)
        self._jobs.cancel(f"hits {current.id} {slot}")  # an approximate answer comes too late now
        self._put(current, slot, found.hits, "exact")
        if slot == self._state.chosen:
            self.told.emit(_facts(found, kind, self.choices, len(after)))

    def _kind(self, parts: Sequence[_Part]) -> VectorKind | None:
        """The kind of vectors that can be had now; None: none yet, or none are needed."""
        embedder = self._pipeline.embedder
        if embedder is None or self.choices.mode == "text":
            return None
        if self.choices.vectors != "late" or not embedder.has_token_vectors:
            return "ordinary" if self.choices.vectors == "late" else self.choices.vectors
        has_all = all(self._pipeline.has_token_vectors(part.document) for part in parts)
        return "late" if has_all else None

    def _parts(self, current: OpenDocument, slot: int) -> list[_Part]:
        documents = self._state.documents.values() if self.choices.all_documents else [current]
        return [
            self._part(opened, slot)
            for opened in documents
            if opened.document is not None and opened.result(slot).chunks is not None
            if self._chunking is None or not self._chunking.is_refused(opened, slot)
        ]

    def _part(self, opened: OpenDocument, slot: int) -> _Part:
        document, chunks = opened.document, opened.result(slot).chunks
        shown = self._state.slot(slot)
        assert document is not None and chunks is not None, "only what is chunked is searched"
        index = shown.recipe.parameters.get("index", "children") if shown else "children"
        tags = self._tags.of(opened) if self._tags is not None else ()
        return _Part(opened.id, document, chunks, index, tags, opened.shown or document)

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
        self._answered.add((opened.id, slot))
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


def _title(parts: Sequence[_Part]) -> str:
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
