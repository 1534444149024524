# SPDX-License-Identifier: AGPL-3.0-or-later
"""What near-duplicates in the rankings do to a measure: with them, without them, the difference."""

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from core.search.evaluation import NamedComparison
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.shown import MINUS, MISSING, Shown, change, p_words, score
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

TITLES = ("Strategy", "With", "Without", "Without − with", "95 % interval", "p", "Questions")
HOW = "Tick “ignore duplicates” and press Run: each measure is then shown with and without them."
TIPS = (
    "",
    "As it was searched",
    "Hits that nearly repeat a higher one are taken out, and the next ones move up",
    "Paired by question",
    "Paired bootstrap",
    "Paired permutation test, two-sided",
    "",
)


class DuplicateEffect(EvaluationView):
    """One row a strategy."""

    title = "Effect of duplicates"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.sentence = QLabel()
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.grid = Grid("Measures with and without near-duplicates")
        self.column.addWidget(self.sentence)
        self.column.addWidget(self.grid, 1)

    def table(self) -> Table:
        """Means with and without, and the difference."""
        header = ("strategy", "with", "without", "difference", "low", "high", "p", "questions")
        rows = []
        for each, without in self._pairs():
            result = each.result
            before = _before(without, result.difference)
            ends = (result.difference, result.low, result.high, result.p, result.n)
            rows.append((each.b, before, without, *ends))
        return Table(header, rows)

    def refresh(self, shown: Shown) -> None:
        """Show the measure, or how it is asked for."""
        pairs = self._pairs()
        if not pairs:
            self.say(HOW)
            return
        self.sentence.setText(f"{shown.measure_words} with and without later near-duplicates")
        rows = []
        for each, without in pairs:
            result = each.result
            has_ends = result.low is not None and result.high is not None
            ends = f"{result.low:.3f} to {result.high:.3f}" if has_ends else result.note or MISSING
            rows.append(
                (
                    shown.labels[each.b],
                    score(_before(without, result.difference)),
                    score(without),
                    change(result.difference),
                    ends.replace("-", MINUS),
                    p_words(result.p),
                    str(result.n),
                )
            )
        self.grid.fill(TITLES, rows, TIPS)

    def _pairs(self) -> list[tuple[NamedComparison, float | None]]:
        """The comparison of each strategy, and its mean without duplicates."""
        shown = self.shown
        if shown is None:
            return []
        wanted = (shown.measure, shown.embedder, shown.pool)
        means = {
            name: result.measures[shown.measure].mean
            for name, result in zip(shown.names, shown.results, strict=True)
        }
        return [
            (each, means[each.b])
            for each in shown.evaluation.duplicate_effect
            if (each.measure, each.embedder, each.pool) == wanted
        ]


def _before(without: float | None, difference: float | None) -> float | None:
    return None if without is None or difference is None else without - difference
