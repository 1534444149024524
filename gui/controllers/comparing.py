# SPDX-License-Identifier: AGPL-3.0-or-later
"""Scoring many chunkings of a document, one small step each, so that all else stays smooth."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal

from core.document.model import Document
from core.errors import ChunkscopeError
from core.pipeline import Pipeline
from core.scores.results import Scores
from core.scores.selection import (
    LATE_FOR_ALL,
    Bootstrap,
    Candidate,
    CorpusSelection,
    Selection,
    Uncertainty,
    codes_of_mixed_kinds,
    has_long_chunks,
    select,
    select_over_documents,
)
from core.strategies.chunks import Chunks
from core.strategies.variants import Variant
from gui.controllers.scoring import Scoring
from gui.jobs import Jobs, JobToken
from gui.state import OpenDocument, State

JOB = "compare"
DRAWS = "draws"
FIRST_PRIORITY, PRIORITY = 1, 40  # the first rows come before the scores of a drag
FIRST_ROWS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One variant on one document."""

    variant: Variant
    candidate: Candidate
    seconds: float = 0.0


@dataclass(slots=True, eq=False)
class Comparison:
    """All that was compared on one document, as it grows."""

    document: str
    name: str
    rows: list[Compared] = field(default_factory=list)
    selection: Selection | None = None
    uncertainty: Uncertainty | None = None


class Comparing(QObject):
    """Runs lists of variants.

    Signals:
        started: number of steps.
        row_added: document id, place of the row in its comparison.
        rows_changed: document id; values of rows are others (exact ones, other weights).
        progressed: steps done, steps in all.
        finished: whether everything was computed.
    """

    started = Signal(int)
    row_added = Signal(str, int)
    rows_changed = Signal(str)
    progressed = Signal(int, int)
    finished = Signal(bool)

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        pipeline: Pipeline,
        scoring: Scoring,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self._scoring = scoring
        self.comparisons: dict[str, Comparison] = {}
        self._queue: list[tuple[OpenDocument, Document, Variant]] = []
        self._total = 0
        self._are_stale = False  # rows that were scored before vectors or references came
        self._rescored: set[str] = set()  # documents whose rows are being scored anew
        scoring.vectors_ready.connect(self.score_again)
        scoring.pairs_ready.connect(self.score_again)

    @property
    def is_running(self) -> bool:
        """True while there are steps to do."""
        return bool(self._queue) or self._jobs.is_busy(JOB)

    @property
    def has_model(self) -> bool:
        """True once strategies and scores that need vectors can run."""
        return self._pipeline.embedder is not None

    @property
    def weights(self) -> Mapping[str, float]:
        """Of the mean, as the scores panel has them."""
        return self._scoring.options.weights

    def start(self, variants: Sequence[Variant], documents: Sequence[OpenDocument]) -> None:
        """Compare on some open documents, in place of what was compared before."""
        self.cancel()
        self._jobs.cancel_all(DRAWS)
        self._are_stale = False
        ready = [(each, each.document) for each in documents if each.document is not None]
        self.comparisons = {each.id: Comparison(each.id, each.name) for each, _ in ready}
        quick_first = sorted(variants, key=_needs_model)
        self._queue = [
            (opened, document, variant) for opened, document in ready for variant in quick_first
        ]
        self._total = len(self._queue)
        self.started.emit(self._total)
        self._next()

    def cancel(self) -> None:
        """Stop; what was computed stays."""
        was_running = bool(self._queue or self._rescored)
        self._queue = []
        self._rescored.clear()
        self._jobs.cancel_all(JOB)
        if was_running:
            self._conclude(is_complete=False)

    def _next(self) -> None:
        if not self._queue:
            self._conclude(is_complete=True)
            if self._are_stale:
                self._are_stale = False
                for each in list(self.comparisons):
                    self.score_again(each)
            return
        opened, document, variant = self._queue[0]
        options, recipe = self._scoring.options, variant.recipe

        def work(token: JobToken) -> object:
            begin = time.perf_counter()
            try:
                chunks = self._pipeline.chunk(recipe, document, cancel=token, aside=True)
                scores = self._pipeline.score_at_once(document, chunks, options)
            except ChunkscopeError as error:
                return Candidate(variant.name, recipe.code, recipe.settings, error=str(error)), 0.0
            candidate = Candidate(variant.name, recipe.code, recipe.settings, chunks, scores)
            return candidate, time.perf_counter() - begin

        def done(result: object) -> None:
            assert isinstance(result, tuple), "candidate, seconds"
            self._add(opened, variant, *result)

        def failed(error: Exception) -> None:
            told = Candidate(variant.name, recipe.code, recipe.settings, error=str(error))
            self._add(opened, variant, told, 0.0)

        declared = recipe.strategy.declaration.strategy_class
        with_model = declared == "embedding" and not self._pipeline.is_prepared(recipe, document)
        lane = "model" if with_model else "python"
        is_first = self._total - len(self._queue) < FIRST_ROWS
        priority = FIRST_PRIORITY if is_first else PRIORITY
        self._jobs.request(JOB, lane, work, done, failed=failed, priority=priority)

    def _add(
        self, opened: OpenDocument, variant: Variant, candidate: Candidate, seconds: float
    ) -> None:
        self._queue.pop(0)
        is_last = not self._queue
        rows = self.comparisons[opened.id].rows
        rows.append(Compared(variant, candidate, seconds))
        self.row_added.emit(opened.id, len(rows) - 1)
        self.progressed.emit(self._total - len(self._queue), self._total)
        if is_last or self._queue:  # else somebody who was told has stopped us
            self._next()

    # choosing

    def _conclude(self, *, is_complete: bool) -> None:
        self.choose_again()
        self.finished.emit(is_complete)
        for comparison in self.comparisons.values():
            self._draw(comparison)

    def choose_again(self) -> None:
        """Rank anew, for instance under other weights; nothing is scored for it."""
        for comparison in self.comparisons.values():
            candidates = [row.candidate for row in comparison.rows]
            comparison.selection = select(candidates, self.weights) if candidates else None
            self.rows_changed.emit(comparison.document)

    def over_documents(self) -> CorpusSelection | None:
        """Choosing per document against one for all; None for a single document."""
        chosen = [each.selection for each in self.comparisons.values() if each.selection]
        return select_over_documents(chosen, self.weights) if len(chosen) > 1 else None

    def _draw(self, comparison: Comparison) -> None:
        """How sure the ranking is: chunks drawn again and again."""
        opened = self._state.documents.get(comparison.document)
        selection, weights = comparison.selection, self.weights
        if opened is None or opened.document is None or selection is None:
            return
        document, job = opened.document, f"{DRAWS} {comparison.document}"

        def work(token: JobToken) -> object:
            token.check()
            return Bootstrap(self._pipeline.inputs(document), selection, weights)

        def done(drawing: object) -> None:
            assert isinstance(drawing, Bootstrap), "draws to be made"
            self._draw_on(comparison, drawing)

        self._jobs.request(job, "python", work, done, priority=PRIORITY)

    def _draw_on(self, comparison: Comparison, drawing: Bootstrap) -> None:
        """One candidate a request, so that all else comes between."""

        def work(token: JobToken) -> object:
            token.check()
            return None if drawing.step() else drawing.uncertainty()

        def done(found: object) -> None:
            if found is None:
                self._draw_on(comparison, drawing)
                return
            assert isinstance(found, Uncertainty), "what the draws say"
            comparison.uncertainty = found
            self.rows_changed.emit(comparison.document)

        job = f"{DRAWS} {comparison.document}"
        self._jobs.request(job, "python", work, done, priority=PRIORITY)

    # better values

    def score_again(self, document: str) -> None:
        """Score the rows that are there anew, because vectors, references or options are others."""
        comparison, opened = self.comparisons.get(document), self._state.documents.get(document)
        if comparison is None or opened is None or opened.document is None:
            return
        if self._queue:
            self._are_stale = True
            return
        text, options = opened.document, self._scoring.options

        def quick(chunks: Chunks, token: JobToken) -> Scores:
            token.check()
            return self._pipeline.score_at_once(text, chunks, options)

        self._score_all(comparison, _Again("python", quick, ""))

    def why_not_exactly(self, document: str) -> str:
        """Why the rows cannot be compared by exact vectors; empty: they can."""
        comparison = self.comparisons.get(document)
        scored = [] if comparison is None else _scores_of(comparison)
        if self._pipeline.embedder is None or not scored:
            return "Nothing was compared with a model yet."
        if self._has_late and has_long_chunks(scored):
            return f"{LATE_FOR_ALL.partition(': ')[2].capitalize()}."
        return ""

    @property
    def _has_late(self) -> bool:
        embedder = self._pipeline.embedder
        return embedder is not None and embedder.has_token_vectors

    def score_exactly(self, document: str) -> None:
        """Ask for exact vectors of all rows, so that a winner may be named.

        Of all or of none: exact values are far below late ones.
        """
        comparison, opened = self.comparisons.get(document), self._state.documents.get(document)
        if comparison is None or opened is None or opened.document is None:
            return
        if self.why_not_exactly(document) or self._queue:
            return
        text, options = opened.document, self._scoring.options

        def exact(chunks: Chunks, token: JobToken) -> Scores:
            return self._pipeline.score(
                text, chunks, options, policy="exact", cancel=token, progress=token.progress
            )

        self._score_all(comparison, _Again("model", exact, "Exact scores"))

    def _score_all(self, comparison: Comparison, again: "_Again") -> None:
        rows = comparison.rows
        todo = [k for k, row in enumerate(rows) if row.candidate.scores is not None]
        self._rescored.add(comparison.document)
        self.started.emit(len(todo))
        self._score_next(comparison, todo, {}, again)

    def _score_next(
        self, comparison: Comparison, todo: list[int], made: dict[int, Scores], again: "_Again"
    ) -> None:
        """One row a step; all are put in at the end, so that rows of two kinds are never ranked."""
        if not todo:
            self._put_again(comparison, made)
            return
        row = comparison.rows[todo[0]]

        def work(token: JobToken) -> object:
            chunks = row.candidate.chunks
            assert chunks is not None, "only rows with chunks are scored again"
            return again.score(chunks, token)

        def done(scores: object) -> None:
            assert isinstance(scores, Scores), "scoring makes scores"
            made[todo[0]] = scores
            self.progressed.emit(len(made), len(made) + len(todo) - 1)
            if comparison.document in self._rescored:  # else somebody who was told has stopped us
                self._score_next(comparison, todo[1:], made, again)

        def failed(error: Exception) -> None:
            self._jobs.failed.emit(JOB, error)
            self._rescored.discard(comparison.document)
            self._conclude(is_complete=False)

        self._jobs.request(
            f"{JOB} {comparison.document}",
            again.lane,
            work,
            done,
            failed=failed,
            priority=PRIORITY,
            title=again.title,
        )

    def _put_again(self, comparison: Comparison, made: dict[int, Scores]) -> None:
        self._rescored.discard(comparison.document)
        # A chunk near the limit may turn out to be longer than the model reads after all.
        if self._has_late and codes_of_mixed_kinds(list(made.values())):
            self._conclude(is_complete=False)
            return
        for place, scores in made.items():
            row = comparison.rows[place]
            comparison.rows[place] = replace(row, candidate=replace(row.candidate, scores=scores))
        self._conclude(is_complete=True)


def _scores_of(comparison: Comparison) -> list[Scores]:
    return [each for row in comparison.rows if (each := row.candidate.scores) is not None]


def _needs_model(variant: Variant) -> bool:
    return variant.recipe.strategy.declaration.strategy_class == "embedding"


@dataclass(frozen=True, slots=True)
class _Again:
    """How rows are scored anew: in which lane, by what, under which title."""

    lane: str
    score: Callable[[Chunks, JobToken], Scores]
    title: str
