# SPDX-License-Identifier: AGPL-3.0-or-later
"""Pairs of strategies with intervals, tests and effect sizes; ANOVA, Tukey and their conditions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtWidgets import QLabel, QWidget

from core.search.evaluation import NamedComparison
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.shown import MISSING, Shown, change, p_words
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

TITLES = (
    "A",
    "B",
    "A − B",
    "95 % interval",
    "p",
    "p adjusted",
    "Cohen's d",
    "Effect",
    "Tukey p",
    "Questions",
    "Needed",
)
TIPS = (
    "",
    "",
    "Mean difference, paired by question",
    "Paired bootstrap",
    "Paired permutation test, two-sided",
    "Holm, over all pairs of this measure",
    "Mean over standard deviation of the paired differences",
    "0.2 small, 0.5 medium, 0.8 large: a convention",
    "Tukey's HSD, which treats the groups as independent",
    "",
    "Questions that show a difference of 0.05 with a power of 80 %",
)
EFFECTS = ((0.8, "large"), (0.5, "medium"), (0.2, "small"))
ETA_EFFECTS = ((0.14, "large"), (0.06, "medium"), (0.01, "small"))
UNEQUAL = 0.05


class Significance(EvaluationView):
    """The table, with the conditions of ANOVA in words above it."""

    title = "Tests and effects"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.conditions = QLabel()
        self.conditions.setWordWrap(True)
        self.conditions.setObjectName("muted")
        self.grid = Grid("Comparisons")
        self.column.addWidget(self.conditions)
        self.column.addWidget(self.grid, 1)

    def table(self) -> Table:
        """All comparisons of the measure."""
        header = (
            "a",
            "b",
            "measure",
            "difference",
            "low",
            "high",
            "p",
            "p_adjusted",
            "d",
            "tukey_p",
        )
        if self.shown is None:
            return Table(header, ())
        variance, rows = variance_of(self.shown), []
        for each in comparisons_of(self.shown):
            r = each.result
            own = (
                each.a,
                each.b,
                each.measure,
                r.difference,
                r.low,
                r.high,
                r.p,
                r.p_adjusted,
                r.d,
            )
            rows.append((*own, tukey(variance, each)))
        return Table(header, rows)

    def refresh(self, shown: Shown) -> None:
        """Fill the table."""
        every = comparisons_of(shown)
        if not every:
            self.say(
                f"{shown.measure_words} is not compared, or there is one strategy only: choose "
                "recall, precision, IoU, hit, MRR, P@1 or nDCG."
            )
            return
        variance = variance_of(shown)
        self.conditions.setText(anova_words(variance))
        rows = []
        for each in every:
            result = each.result
            has_ends = result.low is not None and result.high is not None
            ends = f"{result.low:.3f} to {result.high:.3f}" if has_ends else result.note or MISSING
            d = result.d
            rows.append(
                (
                    shown.labels[each.a],
                    shown.labels[each.b],
                    change(result.difference),
                    ends.replace("-", "−"),
                    p_words(result.p),
                    p_words(result.p_adjusted),
                    change(d),
                    effect(d, EFFECTS),
                    p_words(tukey(variance, each)),
                    str(result.n),
                    MISSING if not result.needed else str(result.needed),
                )
            )
        self.grid.fill(TITLES, rows, TIPS)


def comparisons_of(shown: Shown) -> list[NamedComparison]:
    """All pairs by the measure, in this part."""
    wanted = (shown.measure, shown.embedder, shown.pool)
    return [
        each
        for each in shown.evaluation.comparisons
        if (each.measure, each.embedder, each.pool) == wanted
    ]


def variance_of(shown: Shown) -> Mapping[str, Any] | None:
    """ANOVA, Tukey and Friedman of the measure, where they were computed."""
    wanted = (shown.measure, shown.embedder, shown.pool)
    for each in shown.evaluation.variance:
        if (each["measure"], each["embedder"], each["pool"]) == wanted:
            return each
    return None


def tukey(variance: Mapping[str, Any] | None, compared: NamedComparison) -> float | None:
    """Tukey's p of a pair."""
    if variance is None or variance.get("tukey_p") is None:
        return None
    names = list(variance["strategies"])
    value = variance["tukey_p"][names.index(compared.a)][names.index(compared.b)]
    return None if value is None or np.isnan(value) else float(value)


def effect(size: float | None, levels: tuple[tuple[float, str], ...]) -> str:
    """What an effect size is called."""
    if size is None or np.isnan(size):
        return MISSING
    return next((words for least, words in levels if abs(size) >= least), "negligible")


def anova_words(variance: Mapping[str, Any] | None) -> str:
    """ANOVA in one sentence, and what is wrong with it."""
    if variance is None:
        return (
            "Paired permutation tests are the main result. ANOVA and Tukey are computed for recall "
            "and nDCG from five questions on."
        )
    eta = variance.get("eta_squared")
    parts = [
        f"ANOVA: F {_number(variance.get('f'))}, p {p_words(variance.get('p'))}, "
        f"η² {_number(eta)} ({effect(eta, ETA_EFFECTS)})"
    ]
    if variance.get("friedman_p") is not None:
        parts.append(f"Friedman: p {p_words(variance['friedman_p'])}")
    levene = variance.get("levene_p")
    unequal = " (variances differ)" if levene is not None and levene < UNEQUAL else ""
    parts.append(f"Levene: p {p_words(levene)}{unequal}")
    parts.append(f"Shapiro–Wilk: p {p_words(variance.get('shapiro_p'))}")
    return (
        "  ·  ".join(parts)
        + ". The same questions are in all groups, so they are not independent and ANOVA and "
        "Tukey have less power than the paired test, which is the main result."
    )


def _number(value: float | None) -> str:
    return MISSING if value is None or np.isnan(value) else f"{value:.3g}"
