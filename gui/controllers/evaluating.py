# SPDX-License-Identifier: AGPL-3.0-or-later
"""Evaluations: run in the engine, one strategy more at a time, so that rows appear at once."""

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.document.model import Document
from core.engine_process import EngineProcess
from core.evaluation_run import Plan, run_plan
from core.search.evaluate import Evaluation
from core.search.evaluation import Options
from core.search.place import indexes_folder
from core.strategies.recipe import Recipe
from gui.jobs import Jobs, JobToken
from gui.questions import QuestionBook
from gui.state import State

SLOT = "evaluation"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked for."""

    recipes: tuple[Recipe, ...]
    options: Options
    models: tuple[str, ...] = ("minilm",)
    intrinsic: bool = False


class Evaluating(QObject):
    """Runs evaluations of the open documents on the questions of the book.

    Signals:
        arrived: an Evaluation, of the strategies that are done.
        failed: what went wrong.
        finished: all strategies are done.
    """

    arrived = Signal(object)
    failed = Signal(str)
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

    def run(self, wanted: Wanted) -> None:
        """Evaluate; an evaluation that runs is replaced."""
        documents = {name: _light(each) for name, each in self._book.texts().items()}
        if not documents or not self._book.queries or not wanted.recipes:
            self.failed.emit("an evaluation needs an open document, questions and strategies")
            return
        plan = Plan(
            documents,
            (self._book.set,),
            wanted.recipes,
            wanted.options,
            wanted.models,
            intrinsic=wanted.intrinsic,
            folder=records_folder(),
        )
        self._ask(plan, 1)

    def cancel(self) -> None:
        """Stop; what is done is kept and found again."""
        self._jobs.cancel(SLOT)

    def _ask(self, plan: Plan, count: int) -> None:
        part = replace(plan, recipes=plan.recipes[:count])

        def work(token: JobToken) -> object:
            return self._engine.call(run_plan, part, cancel=token, progress=token.progress)

        def done(evaluation: object) -> None:
            assert isinstance(evaluation, Evaluation), "a plan gives an evaluation"
            self.last = evaluation
            self.arrived.emit(evaluation)
            if count < len(plan.recipes):
                self._ask(plan, count + 1)
            else:
                self.finished.emit()

        def failed(error: Exception) -> None:
            self.failed.emit(str(error))

        title = f"Evaluating {count} of {len(plan.recipes)}"
        self._jobs.request(SLOT, "model", work, done, failed=failed, priority=15, title=title)


def records_folder() -> Path:
    """Where records of evaluations are kept, beside the indexes."""
    return indexes_folder().parent / "evaluations"


def _light(document: Document) -> Document:
    """Without what only painting needs."""
    return replace(document, geometry=None)
