# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is searched together: documents with their chunks and rows, and what they wait for."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.document.model import Document
from core.pipeline import Pipeline
from core.search import serve
from core.search.filters import NO_FILTERS, Filters
from core.search.rows import Rows, join_rows, on_pages
from core.strategies.chunks import Chunks
from core.vectors.embedder import VectorKind
from gui.controllers.chunking import Chunking
from gui.controllers.scoring import Scoring
from gui.jobs import JobToken, Shared
from gui.questions import is_being_read
from gui.state import MOST_SLOTS, OpenDocument, State
from gui.tags import DocumentTags

NO_TEXT = "waiting for the text of {name}: the query runs when it is there"
NO_CHUNKS = "waiting for the chunks of {name}: the query runs when they are there"
NO_VECTORS = "waiting for the vectors of {name}: the query runs when they are there"


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
class Part:
    """One document of a pool, as it was when the search was asked."""

    id: str
    document: Document
    chunks: Chunks
    index: object
    tags: tuple[str, ...]
    shown: Document  # the same text on the pages that the user sees

    @property
    def key(self) -> tuple[object, ...]:
        """What its rows are made of; of objects the identity, so the part must be kept."""
        return (self.id, id(self.document), id(self.chunks), self.index, self.tags, id(self.shown))


class SearchPool:
    """The documents that a query is asked of: the one that is shown, or all that are open."""

    def __init__(self, state: State, pipeline: Pipeline) -> None:
        self._state = state
        self._pipeline = pipeline
        self._chunking: Chunking | None = None
        self._scoring: Scoring | None = None
        self._tags: DocumentTags | None = None
        self._kept: Shared[tuple[Sequence[Part], Rows]] = Shared(MOST_SLOTS)
        self.choices = Choices()

    def set_makers(self, chunking: Chunking, scoring: Scoring) -> None:
        """Who chunks documents, and makes their vectors, that are searched and not shown."""
        self._chunking, self._scoring = chunking, scoring

    def set_tags(self, tags: DocumentTags) -> None:
        """Give each document's tags to its rows."""
        self._tags = tags

    def parts(self, current: OpenDocument, slot: int) -> list[Part]:
        """The documents that a slot is searched in and that have chunks."""
        documents = self._state.documents.values() if self.choices.all_documents else [current]
        return [
            self._part(opened, slot)
            for opened in documents
            if opened.document is not None and opened.result(slot).chunks is not None
            if self._chunking is None or not self._chunking.is_refused(opened, slot)
        ]

    def _part(self, opened: OpenDocument, slot: int) -> Part:
        document, chunks = opened.document, opened.result(slot).chunks
        shown = self._state.slot(slot)
        assert document is not None and chunks is not None, "only what is chunked is searched"
        index = shown.recipe.parameters.get("index", "children") if shown else "children"
        tags = self._tags.of(opened) if self._tags is not None else ()
        return Part(opened.id, document, chunks, index, tags, opened.shown or document)

    def kind(self, parts: Sequence[Part]) -> VectorKind | None:
        """The kind of vectors that can be had now; None: none yet, or none are needed."""
        embedder = self._pipeline.embedder
        if embedder is None or self.choices.mode == "text":
            return None
        if self.choices.vectors != "late" or not embedder.has_token_vectors:
            return "ordinary" if self.choices.vectors == "late" else self.choices.vectors
        has_all = all(self._pipeline.has_token_vectors(part.document) for part in parts)
        return "late" if has_all else None

    def waits_for(self, slot: int, kind: VectorKind | None, parts: Sequence[Part]) -> str:
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

    def make_ready(self) -> None:
        """Have what is searched and not shown brought up to date: it comes as news of chunks."""
        if self._chunking is not None:
            self._chunking.update_pool()
        is_late = self.choices.vectors == "late" and self.choices.mode != "text"
        if is_late and self._scoring is not None:
            for opened in self._state.documents.values():
                self._scoring.make_vectors(opened)

    def forget_rows(self) -> None:
        """Let go of what was searched, for instance of a document that is closed."""
        self._kept.clear()

    def rows(self, parts: Sequence[Part], kind: VectorKind | None, token: JobToken) -> Rows:
        """The rows of all parts, on the pages that the user sees; called in a lane."""
        token.check()
        key = (kind, self._pipeline.embedder, *(part.key for part in parts))
        return self._kept.get(key, lambda: (parts, self._made(parts, kind, token)))[1]

    def _made(self, parts: Sequence[Part], kind: VectorKind | None, token: JobToken) -> Rows:
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
