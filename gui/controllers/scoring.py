# SPDX-License-Identifier: AGPL-3.0-or-later
"""Scores that follow the chunks: at once from late vectors, exact ones when things rest."""

import time

from PySide6.QtCore import QObject, QTimer, Signal

from core.document.model import Document
from core.pipeline import Pipeline
from core.scores.adaptive_judge import pairs_key
from core.scores.options import ScoreOptions
from core.scores.results import Scores
from core.strategies.chunks import Chunks
from gui.jobs import Jobs, JobToken
from gui.state import OpenDocument, Slot, State

REST_MILLISECONDS = 250  # without a change before exact vectors are asked for
LIVE_SECONDS = 0.2  # while chunks change faster than they are scored, scores are told this often


class Scoring(QObject):
    """Keeps the scores of all slots in step with their chunks.

    Signals:
        vectors_ready: document id; late vectors of its text are at hand.
        pairs_ready: document id; references have been looked for.
    """

    vectors_ready = Signal(str)
    pairs_ready = Signal(str)

    def __init__(
        self, state: State, jobs: Jobs, pipeline: Pipeline, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self.options = ScoreOptions()
        self.computes_exactly = True
        self.waits_for_model = False  # one is being loaded, and `start` is called when it is there
        self._made_of: dict[str, tuple[object, ...]] = {}  # by job: what it works on
        self._scored_from: dict[tuple[str, int], tuple[object, ...]] = {}  # by document and slot
        self._told_at: dict[tuple[str, int], float] = {}  # likewise
        self._behind: set[tuple[str, int]] = set()  # likewise: scores of older chunks are made
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MILLISECONDS)
        self._rest.timeout.connect(self._ask_exact)
        state.slots_changed.connect(self._give_way)
        state.chunks_changed.connect(self._on_chunks)
        state.text_changed.connect(self._on_text)
        state.current_changed.connect(self._on_current)
        state.document_closed.connect(self._on_closed)

    @property
    def makes_vectors(self) -> bool:
        """True while late vectors are being made, or wait for a model that is being loaded."""
        return self.waits_for_model or self._jobs.is_busy("vectors ")

    def set_options(self, options: ScoreOptions) -> None:
        """Score again with other options; other weights alone only change the mean."""
        is_weights_only = repr(options.parameters()) == repr(self.options.parameters()) and (
            options.mode == self.options.mode
        )
        self.options = options
        for opened in self._state.documents.values():
            for slot, result in opened.results.items():
                if result.scores is not None and is_weights_only:
                    self._state.put_scores(opened.id, slot, result.scores.weighted(options.weights))
        if not is_weights_only:
            self.score_all()

    def set_weights(self, weights: dict[str, float]) -> None:
        """Change the weights of the mean."""
        from dataclasses import replace

        self.set_options(replace(self.options, weights=weights))

    def score_all(self) -> None:
        """Score every slot on the current document again."""
        current = self._state.current
        for slot in self._state.slots:
            if current is not None:
                self._follow(current, slot)
        self._rest.start()

    def start(self) -> None:
        """Make vectors and look for references of the current document, if it is final."""
        current = self._state.current
        if current is None or current.document is None or not current.document.final:
            return
        self._find_vectors(current, current.document)
        self._find_pairs(current, current.document)

    def make_vectors(self, opened: OpenDocument) -> None:
        """Make the vectors of a document that is searched and not shown."""
        if opened.document is not None and opened.document.final:
            self._find_vectors(opened, opened.document)

    def _on_text(self, document: str) -> None:
        current = self._state.current
        if current is not None and current.id == document:
            self.start()

    def _on_current(self, opened: OpenDocument | None) -> None:
        self.start()
        if opened is not None:
            self._catch_up(opened)

    def _catch_up(self, opened: OpenDocument) -> None:
        """Score again what vectors, references or options came for while another was shown."""
        if opened.document is None:
            return
        now = self._basis(opened.document)
        for slot in self._state.slots:
            is_scored = opened.result(slot.id).scores is not None
            if is_scored and self._scored_from.get((opened.id, slot.id)) != now:
                self._follow(opened, slot)
                self._rest.start()

    def _basis(self, document: Document) -> tuple[object, ...]:
        """What scores are made from besides the chunks."""
        pipeline = self._pipeline
        return (
            self.options.mode,
            repr(self.options.parameters()),
            pipeline.embedder,
            pipeline.has_token_vectors(document) or pipeline.has_sentence_vectors(document),
            pipeline.has_pairs(document),
        )

    def _on_closed(self, document: str) -> None:
        for job in ("vectors", "pairs"):
            self._jobs.cancel(f"{job} {document}")
        for jobs in ("scores", "exact"):
            self._jobs.cancel_all(f"{jobs} {document} ")
        for kept in (self._scored_from, self._told_at):
            for key in [key for key in kept if key[0] == document]:
                del kept[key]
        self._behind = {key for key in self._behind if key[0] != document}

    def _on_chunks(self, document: str, slot: int) -> None:
        opened, changed = self._state.documents.get(document), self._state.slot(slot)
        if opened is not None and changed is not None and not opened.result(slot).error:
            self._jobs.cancel(f"exact {document} {slot}")
            if self._is_overdue(document, slot):
                self._behind.add((document, slot))
            else:
                self._follow(opened, changed)
            self._rest.start()

    def _is_overdue(self, document: str, slot: int) -> bool:
        """True if scores being made are let through, though the chunks are others by now.

        A drag would else stop each one for the next, and show none until it rests.
        """
        told = self._told_at.get((document, slot), 0.0)
        is_late = time.monotonic() - told > LIVE_SECONDS
        return is_late and self._jobs.is_asked(f"scores {document} {slot}")

    def _follow(self, opened: OpenDocument, slot: Slot) -> None:
        document, chunks = opened.document, opened.result(slot.id).chunks
        if document is None or chunks is None:
            return
        options, key = self.options, (opened.id, slot.id)
        self._scored_from[key] = self._basis(document)
        self._behind.discard(key)

        def work(token: JobToken) -> object:
            return self._pipeline.follow_scores(
                document, chunks, options, slot=slot.id, cancel=token
            )

        def done(scores: object) -> None:
            self._told_at[key] = time.monotonic()
            is_behind = key in self._behind
            self._put(opened, slot, chunks, scores, are_older=is_behind)
            if is_behind:
                self._follow_newest(key)

        def failed(error: Exception) -> None:
            self._ignore(error)
            if key in self._behind:
                self._follow_newest(key)

        self._jobs.request(
            f"scores {opened.id} {slot.id}",
            "python",
            work,
            done,
            failed=failed,
            priority=2 if slot.id == self._state.chosen else 3,
            after_frame=True,
        )

    def _follow_newest(self, key: tuple[str, int]) -> None:
        opened, slot = self._state.documents.get(key[0]), self._state.slot(key[1])
        if opened is not None and slot is not None:
            self._follow(opened, slot)

    def _give_way(self) -> None:
        """Stop exact vectors for what was just asked for; what is finished of them is kept."""
        self._jobs.cancel_all("exact ")
        self._rest.start()

    def _ask_exact(self) -> None:
        if self._jobs.is_busy("chunks "):  # it may need the engine, and others wait behind it
            self._rest.start()
            return
        current = self._state.current
        if current is None or current.document is None or not current.document.final:
            return
        if not self.computes_exactly or self._pipeline.embedder is None:
            return
        chosen = self._state.chosen
        for slot in sorted(self._state.slots, key=lambda each: each.id != chosen):
            chunks = current.result(slot.id).chunks
            if chunks is not None:
                self._score_exactly(current, slot, current.document, chunks)

    def _score_exactly(
        self, opened: OpenDocument, slot: Slot, document: Document, chunks: Chunks
    ) -> None:
        options = self.options

        def work(token: JobToken) -> object:
            return self._pipeline.score(
                document,
                chunks,
                options,
                policy="exact",
                cancel=token,
                progress=token.progress,
            )

        def done(scores: object) -> None:
            self._put(opened, slot, chunks, scores)

        self._jobs.request(
            f"exact {opened.id} {slot.id}",
            "model",
            work,
            done,
            failed=self._ignore,
            priority=20,
            title=f"Exact vectors of {opened.name}",
        )

    def _find_vectors(self, opened: OpenDocument, document: Document) -> None:
        pipeline, embedder = self._pipeline, self._pipeline.embedder
        if embedder is None or not document.text.strip():
            return
        if pipeline.has_token_vectors(document) or pipeline.has_sentence_vectors(document):
            return
        make = pipeline.token_vectors if embedder.has_token_vectors else pipeline.sentence_vectors
        job, made_of = f"vectors {opened.id}", (document.text, self._pipeline.embedder)
        if self._is_made(job, made_of):
            return

        def work(token: JobToken) -> object:
            make(document, cancel=token, progress=token.progress)
            return None

        def done(_: object) -> None:
            self.vectors_ready.emit(opened.id)
            self.score_all()

        self._made_of[job] = made_of
        title = f"Vectors of {opened.name}"
        self._jobs.request(job, "model", work, done, priority=1, title=title)

    def _is_made(self, job: str, made_of: tuple[object, ...]) -> bool:
        """True while a job works on just this: the layout gives a text other blocks meanwhile."""
        return self._jobs.is_asked(job) and self._made_of.get(job) == made_of

    def _find_pairs(self, opened: OpenDocument, document: Document) -> None:
        if self.waits_for_model or self._pipeline.has_pairs(document):
            return  # vectors go first: two scores need them
        job, made_of = f"pairs {opened.id}", (*pairs_key(document), document.text)
        if self._is_made(job, made_of):
            return

        def work(token: JobToken) -> object:
            return self._pipeline.find_pairs(document, cancel=token, progress=token.progress)

        def done(_: object) -> None:
            self.pairs_ready.emit(opened.id)
            self.score_all()

        self._made_of[job] = made_of
        self._jobs.request(
            job,
            "model",
            work,
            done,
            failed=self._ignore,
            priority=10,
            title=f"References of {opened.name}",
        )

    def _put(
        self,
        opened: OpenDocument,
        slot: Slot,
        chunks: Chunks,
        scores: object,
        *,
        are_older: bool = False,
    ) -> None:
        """Show scores of the chunks that are shown, or `are_older` ones until theirs are there."""
        assert isinstance(scores, Scores), "scoring makes scores"
        is_open = opened.id in self._state.documents
        if is_open and (are_older or opened.result(slot.id).chunks is chunks):
            self._state.put_scores(opened.id, slot.id, scores.weighted(self.options.weights))

    def _ignore(self, error: Exception) -> None:
        """Scores that cannot be had are shown as not measurable by the panel."""
        self._jobs.failed.emit("scores", error)
