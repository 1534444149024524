# SPDX-License-Identifier: AGPL-3.0-or-later
"""Choosing on one half of the questions and reporting on the other, lest the best look too good."""

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from core.search.conclusions import HALVED_FROM
from core.search.evaluation import ChosenOnHalf
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.shown import Shown, change, range_words, score
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

TITLES = ("Strategy", "Chosen", "Half that chooses", "Other half", "95 % interval", "Change")
TIPS = (
    "",
    "The best of the half that chooses",
    "Mean over the questions that choose: the best one looks better here than it is",
    "Mean over the questions that took no part in the choice",
    "Of the other half",
    "Other half against the half that chooses",
)


class Halves(EvaluationView):
    """A table of the strategies on both halves, and a sentence for the one that is chosen."""

    title = "Choose on half"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.grid = Grid("Strategies on both halves of the questions")
        self.column.addWidget(self.sentence)
        self.column.addWidget(self.grid, 1)

    def table(self) -> Table:
        """Means of both halves."""
        header = ("strategy", "chosen", "choosing", "reported", "low", "high", "questions", "seed")
        found = chosen_on_half(self.shown)
        if found is None:
            return Table(header, ())
        rows = []
        for each in found.every:
            is_chosen, seen = int(each.strategy == found.strategy), each.reported
            numbers = (each.choosing, seen.mean, seen.low, seen.high, seen.n, found.seed)
            rows.append((each.strategy, is_chosen, *numbers))
        return Table(header, rows)

    def refresh(self, shown: Shown) -> None:
        """Show the halves of the measure, or why there are none."""
        found = chosen_on_half(shown)
        if found is None:
            self.say(
                f"Halves need two strategies, {HALVED_FROM} questions and a measure that is "
                "compared, such as recall or nDCG."
            )
            return
        labels, interval = shown.labels, found.interval
        self.sentence.setText(
            f"{labels[found.strategy]} is the best of {len(found.every)} on {found.questions} "
            f"questions drawn at random (seed {found.seed}). On the other {interval.n}, which took "
            f"no part in the choice, its {shown.measure_words} is {score(interval.mean)} "
            f"({range_words(interval)}, 95 %)."
        )
        rows = []
        for each in sorted(found.every, key=lambda one: -(one.choosing or 0.0)):
            seen = each.reported
            moved = None if None in (seen.mean, each.choosing) else seen.mean - each.choosing  # type: ignore[operator]
            mark = "●" if each.strategy == found.strategy else ""
            means = (score(each.choosing), score(seen.mean), range_words(seen), change(moved))
            rows.append((labels[each.strategy], mark, *means))
        self.grid.fill(TITLES, rows, TIPS)


def chosen_on_half(shown: Shown | None) -> ChosenOnHalf | None:
    """The choice by the measure, model and pool that are shown."""
    if shown is None:
        return None
    wanted = (shown.measure, shown.embedder, shown.pool)
    every = shown.evaluation.chosen
    return next((e for e in every if (e.measure, e.embedder, e.pool) == wanted), None)
