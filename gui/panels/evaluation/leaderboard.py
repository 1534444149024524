# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strategies by one measure with 95 % intervals; those that cannot be told apart as one group."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from core.search.evaluation import NamedComparison, StrategyResult
from core.search.statistics import DEFAULT_DIFFERENCE, LEAST_QUESTIONS
from gui.panels.evaluation.plotting import Plot, words_at
from gui.panels.evaluation.shown import MINUS, Shown, change, p_words, range_words, score
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

RANKED_FROM = 15  # questions; below, only dots are drawn
SIGNIFICANT = 0.05
ROOM = 0.28  # of the axis, at the right, for the numbers


class Leaderboard(EvaluationView):
    """A dot and an interval a strategy, best first, brackets around ties."""

    title = "Leaderboard"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._plot = Plot(theme)
        self.column.addWidget(self.sentence)
        self.column.addWidget(self._plot, 1)

    def recolour(self) -> None:
        """Colour the axes."""
        self._plot.recolour(self.theme)

    def plot(self) -> pg.GraphicsWidget:
        """The dots."""
        return self._plot.plotItem

    def table(self) -> Table:
        """Means with intervals."""
        shown = self.shown
        header = ("strategy", "group", "measure", "mean", "low", "high", "questions")
        if shown is None:
            return Table(header, ())
        groups = groups_of(shown)
        rows = []
        for name, result in ordered(shown):
            each = result.measures[shown.measure]
            place = group_of(name, groups)
            rows.append((name, place, shown.measure_words, each.mean, each.low, each.high, each.n))
        return Table(header, rows)

    def refresh(self, shown: Shown) -> None:
        """Draw the strategies."""
        self.sentence.setText(verdict(shown))
        plot, theme = self._plot, self.theme
        plot.clear()
        ranked, groups = ordered(shown), groups_of(shown)
        n = max((result.measures[shown.measure].n for _, result in ranked), default=0)
        ticks = []
        tops = [1e-6]
        for place, (name, result) in enumerate(ranked):
            each = result.measures[shown.measure]
            ticks.append(_title(shown.labels[name], name, groups, has_ranks=n >= RANKED_FROM))
            if each.mean is None:
                continue
            low, high = each.low, each.high
            if low is not None and high is not None:
                pen = pg.mkPen(theme.muted, width=2)
                plot.addItem(pg.PlotCurveItem([low, high], [place, place], pen=pen))
                tops.append(high)
            tops.append(each.mean)
            plot.addItem(
                pg.ScatterPlotItem(
                    [each.mean], [place], size=10, brush=theme.strategies[0], pen=None, tip=None
                )
            )
        top = max(tops)
        for place, (_, result) in enumerate(ranked):
            each = result.measures[shown.measure]
            words = f"{score(each.mean)}   {range_words(each)}"
            words_at(plot.plotItem, words, top * 1.04, place, theme.text, anchor=(0, 0.5))
        self._draw_groups([name for name, _ in ranked], groups, top * 1.02)
        plot.ticks("left", ticks)
        plot.setLabel("bottom", f"{shown.measure_words}, 95 % interval, {n} questions")
        plot.setXRange(0, top * (1 + ROOM), padding=0.01)
        plot.setYRange(-0.6, len(ranked) - 0.4, padding=0)
        plot.invertY(True)

    def _draw_groups(self, names: list[str], groups: list[tuple[str, ...]], x: float) -> None:
        for depth, group in enumerate(group for group in groups if len(group) > 1):
            places = [names.index(name) for name in group]
            left = x - 0.006 * (depth % 3) * x
            pen = pg.mkPen(self.theme.accent, width=2)
            line = pg.PlotCurveItem([left, left], [min(places) - 0.3, max(places) + 0.3], pen=pen)
            self._plot.addItem(line)


def ordered(shown: Shown) -> list[tuple[str, StrategyResult]]:
    """Full names and results, best first."""
    every = list(zip(shown.names, shown.results, strict=True))

    def key(each: tuple[str, StrategyResult]) -> float:
        mean = each[1].measures[shown.measure].mean
        return -mean if mean is not None else np.inf

    return sorted(every, key=key)


def groups_of(shown: Shown) -> list[tuple[str, ...]]:
    """Groups that cannot be told apart, best first; none for a measure that is not compared."""
    return next(
        (
            list(each.groups)
            for each in shown.evaluation.groups
            if (each.measure, each.embedder, each.pool)
            == (shown.measure, shown.embedder, shown.pool)
        ),
        [],
    )


def group_of(name: str, groups: list[tuple[str, ...]]) -> int | None:
    """From 1: the first group that a strategy is in."""
    return next((place + 1 for place, group in enumerate(groups) if name in group), None)


def comparison_of(shown: Shown, a: str, b: str) -> tuple[NamedComparison, int] | None:
    """The comparison of two strategies, and 1 or −1 where it is the other way round."""
    for each in shown.evaluation.comparisons:
        if (each.measure, each.embedder, each.pool) != (shown.measure, shown.embedder, shown.pool):
            continue
        if (each.a, each.b) == (a, b):
            return each, 1
        if (each.a, each.b) == (b, a):
            return each, -1
    return None


def verdict(shown: Shown) -> str:
    """One sentence: who finds more, or that nobody can say."""
    ranked = ordered(shown)
    if len(ranked) < 2:
        return "One strategy: evaluate a second one to compare them."
    first, second = ranked[0][0], ranked[1][0]
    labels, n = shown.labels, ranked[0][1].measures[shown.measure].n
    if n < LEAST_QUESTIONS:
        return f"{n} questions are too few for statistics: the values are shown without a verdict."
    found = comparison_of(shown, first, second)
    if found is None:
        return f"{shown.measure_words} is not tested: the intervals say what can be said."
    compared, sign = found[0].result, found[1]
    if compared.difference is None:
        return compared.note or "The two best cannot be compared."
    low, high = sorted(sign * (each or 0.0) for each in (compared.low, compared.high))
    difference = sign * compared.difference
    count = len(shown.names) * (len(shown.names) - 1) // 2
    adjusted = f", p {p_words(compared.p_adjusted)}" if compared.p_adjusted is not None else ""
    adjusted += f" adjusted for {count} comparisons" if adjusted and count > 1 else ""
    ends = f"{low:.2f} to {high:.2f}".replace("-", MINUS)
    interval = f"95 % interval {ends}, {n} questions{adjusted}"
    is_clear = (compared.p_adjusted or 1.0) < SIGNIFICANT and low * high > 0
    if is_clear and difference > 0:
        words = f"{change(difference)} {shown.measure_words} ({interval})"
        return f"{labels[first]} finds more than {labels[second]}: {words}."
    tied = next((group for group in groups_of(shown) if first in group and len(group) > 1), ())
    names = [labels[name] for name in tied or (first, second)]
    said = f"{', '.join(names)} are tied on {n} questions: "
    said += f"{change(difference)} between the two best ({interval})."
    if compared.needed:
        said += f" About {compared.needed} questions would show a change of {DEFAULT_DIFFERENCE}."
    return said


def _title(label: str, name: str, groups: list[tuple[str, ...]], *, has_ranks: bool) -> str:
    place = group_of(name, groups)
    if place is None or not has_ranks:
        return label
    tie = "=" if len(groups[place - 1]) > 1 else ""
    return f"{place}{tie}  {label}"
