# SPDX-License-Identifier: AGPL-3.0-or-later
"""Evaluations: run in the engine, one strategy more at a time, so that rows appear at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal

from core.document.model import Document
from core.engine_process import EngineProcess
from core.errors import ChunkscopeError, SearchError
from core.evaluation_run import Plan, run_plan
from core.search.evaluate import Evaluation
from core.search.evaluation import Options
from core.search.stored import evaluations_folder
from core.strategies.recipe import Recipe
from gui.jobs import Jobs, JobToken
from gui.questions import QuestionBook, is_being_read
from gui.state import OpenDocument, State

SLOT = "evaluation"
NOTHING = "An evaluation needs an open document with its text, questions with gold, and strategies."

STILL_READ = "{name} is still being read: run again when its text is there."


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked for. `only`: id of the one document that is searched; empty: all."""

    recipes: tuple[Recipe, ...]
    options: Options
    models: tuple[str, ...] = ("minilm",)
    intrinsic: bool = False
    only: str = ""


@dataclass(slots=True, eq=False)
class _Run:
    """An evaluation that goes on: strategies that are done, that failed, that wait."""

    plan: Plan
    waiting: list[Recipe]
    done: list[Recipe] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # message by the strategy's word

    @property
    def count(self) -> int:
        return len(self.waiting) + len(self.done) + len(self.failed)


class Evaluating(QObject):
    """Runs evaluations of the open documents on the questions of the book.

    What is done is kept on disk and found again: a run that was cancelled goes on where it was.

    Signals:
        arrived: an Evaluation, of the strategies that are done.
        stepped: strategies that are finished, all, the one that runs, "" at the end.
        failed: what went wrong with the whole run.
        skipped: a strategy's one-word recipe, why it has no row.
        finished: all strategies were tried.
    """

    arrived = Signal(object)
    stepped = Signal(int, int, str)
    failed = Signal(str)
    skipped = Signal(str, str)
    finished = Signal()

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        book: QuestionBook,
        engine: EngineProcess,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._book = book
        self._engine = engine
        self.last: Evaluation | None = None

    @property
    def is_running(self) -> bool:
        """True while an evaluation goes on."""
        return self._jobs.is_busy(SLOT)

    def run(self, wanted: Wanted, tags: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """Evaluate; an evaluation that runs is replaced."""
        only = self._book.names().get(wanted.only, "")
        documents = {
            name: _light(each)
            for name, each in self._book.texts().items()
            if not wanted.only or name == only
        }
        late = next((each for each in self._meant(wanted) if is_being_read(each)), None)
        if late is not None:
            self.failed.emit(STILL_READ.format(name=late.name))
            return
        recipes = list({recipe.word: recipe for recipe in wanted.recipes}.values())
        if not documents or not self._book.queries or not recipes:
            self.failed.emit(NOTHING)
            return
        plan = Plan(
            documents,
            (self._book.set,),
            (),
            wanted.options,
            wanted.models,
            tags=tags or {},
            intrinsic=wanted.intrinsic,
            folder=evaluations_folder(),
        )
        self._next(_Run(plan, recipes))

    def _meant(self, wanted: Wanted) -> list[OpenDocument]:
        """The documents that are to be searched."""
        return [e for e in self._state.documents.values() if wanted.only in ("", e.id)]

    def cancel(self) -> None:
        """Stop; what is done is kept and found again."""
        self._jobs.cancel(SLOT)

    def _next(self, run: _Run) -> None:
        if not run.waiting:
            self.stepped.emit(run.count, run.count, "")
            self.finished.emit()
            return
        recipe = run.waiting.pop(0)
        at = len(run.done) + len(run.failed)
        self.stepped.emit(at, run.count + 1, recipe.word)
        part = replace(run.plan, recipes=(*run.done, recipe))

        def work(token: JobToken) -> object:
            return self._engine.call(run_plan, part, cancel=token, progress=token.progress)

        def done(evaluation: object) -> None:
            assert isinstance(evaluation, Evaluation), "a plan gives an evaluation"
            run.done.append(recipe)
            self.last = evaluation
            self.arrived.emit(evaluation)
            self._next(run)

        def failed(error: Exception) -> None:
            self._on_failed(run, recipe, error)

        title = f"Evaluating {at + 1} of {run.count + 1}"
        self._jobs.request(SLOT, "model", work, done, failed=failed, priority=15, title=title)

    def _on_failed(self, run: _Run, recipe: Recipe, error: Exception) -> None:
        """One strategy may fail without the others; what holds for all ends the run."""
        if isinstance(error, SearchError) or not isinstance(error, ChunkscopeError):
            self.failed.emit(str(error))
            return
        run.failed[recipe.word] = str(error)
        self.skipped.emit(recipe.word, str(error))
        if not run.waiting and not run.done:
            self.failed.emit(str(error))
            return
        self._next(run)


def _light(document: Document) -> Document:
    """Without what only painting needs."""
    return replace(document, geometry=None)
