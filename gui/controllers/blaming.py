# SPDX-License-Identifier: AGPL-3.0-or-later
"""What costs a score, asked when somebody looks, and what mending the dearest would gain."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from core.document.model import Document
from core.errors import ChunkscopeError
from core.pipeline import Pipeline
from core.scores.blame import Blame, Item, blame, blame_mean
from core.scores.options import ScoreOptions
from core.strategies.chunks import Chunks
from gui.jobs import Jobs, JobToken
from gui.state import State

MOST_GAINS = 24  # items whose gain is computed, the dearest first
JOB = "blame"
PRIORITY = 12


@dataclass(frozen=True, slots=True, eq=False)
class Blamed:
    """What the table shows: items, and the gain of mending each, None: not computed.

    codes: the score of each gain, in the order of the gains' values.
    """

    document: str
    slot: int
    found: Blame
    gains: tuple[float | None, ...]
    is_final: bool = True


class Blaming(QObject):
    """Answers for the chosen strategy.

    Signals:
        blamed: a Blamed; again when gains have been computed.
        refused: why there is nothing to show.
    """

    blamed = Signal(object)
    refused = Signal(str)

    def __init__(
        self, state: State, jobs: Jobs, pipeline: Pipeline, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self.code = "mean"
        self._is_watched = False
        state.scores_changed.connect(self._on_scores)
        state.chosen_changed.connect(self._on_other)
        state.current_changed.connect(self._on_other)

    def set_watched(self, is_watched: bool) -> None:
        """Keep up with the scores while somebody looks; otherwise do nothing."""
        self._is_watched = is_watched
        if is_watched:
            self.ask(self.code)
        else:
            self._jobs.cancel(JOB)

    def ask(self, code: str) -> None:
        """Ask what costs a score, or the mean."""
        self.code = code
        if not self._is_watched:
            return
        self._jobs.cancel(JOB)  # else the gains of another score would bring its items back
        current, slot, result = self._state.current, self._state.chosen, self._state.chosen_result
        if current is None or current.document is None or result is None:
            self.refused.emit("Choose a strategy.")
            return
        document, chunks, scores = current.document, result.chunks, result.scores
        if chunks is None or scores is None or len(scores.units) != len(chunks):
            self.refused.emit("Scores are still being computed.")
            return
        if code != "mean" and scores[code].value is None:
            what = "still to come" if scores[code].is_pending else "not measurable"
            self.refused.emit(f"{code} is {what}: {scores[code].reason}")
            return
        kinds = [block.kind for block in document.blocks]
        opened = current.id

        def work(token: JobToken) -> object:
            token.check()
            inputs = self._pipeline.inputs(document)
            if code == "mean":
                return blame_mean(inputs, chunks, scores, block_kinds=kinds)
            return blame(inputs, chunks, scores, code, block_kinds=kinds)

        def done(found: object) -> None:
            assert isinstance(found, Blame), "blame"
            nothing: tuple[float | None, ...] = (None,) * len(found.items)
            answer = Blamed(opened, slot, found, nothing, scores.is_final)
            self.blamed.emit(answer)
            self._find_gains(answer, document, chunks, scores.options)

        self._jobs.request(JOB, "python", work, done, failed=self._on_failed, priority=PRIORITY)

    def _find_gains(
        self, answer: Blamed, document: Document, chunks: Chunks, options: ScoreOptions
    ) -> None:
        """One small step an item, so that whatever is more urgent comes between."""
        todo = [k for k, item in enumerate(answer.found.items[:MOST_GAINS]) if item.chunks]
        if not chunks.is_contiguous or not todo:
            return
        gains = list(answer.gains)

        def step(place: int) -> None:
            item = answer.found.items[todo[place]]

            def work(token: JobToken) -> object:
                token.check()
                return self._pipeline.gain_of(
                    document, chunks, options, item=item, code=answer.found.code
                )

            def done(gain: object) -> None:
                gains[todo[place]] = gain if isinstance(gain, float) else None
                is_last = place + 1 == len(todo)
                if is_last or place % 6 == 5:
                    self.blamed.emit(replace(answer, gains=tuple(gains)))
                if not is_last:
                    step(place + 1)

            self._jobs.request(
                JOB, "python", work, done, failed=self._on_failed, priority=PRIORITY + 10
            )

        step(0)

    def _on_scores(self, document: str, slot: int) -> None:
        current = self._state.current
        if current is not None and current.id == document and slot == self._state.chosen:
            self.ask(self.code)

    def _on_other(self, *_: object) -> None:
        self.ask(self.code)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, ChunkscopeError):
            self.refused.emit(str(error))
        else:
            self._jobs.failed.emit(JOB, error)


def first_chunk(item: Item) -> int:
    """The chunk to go to: of a cut the one that begins there; −1 for the document's edge."""
    return item.chunks[-1] if item.chunks else -1
