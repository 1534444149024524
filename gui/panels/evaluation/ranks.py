# SPDX-License-Identifier: AGPL-3.0-or-later
"""Ranks of A against B: of one question's chunks, or of the first answer to every question."""

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSplitter, QWidget

from core.search.evaluation import QuestionRecord, RankedChunk
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.leaderboard import comparison_of
from gui.panels.evaluation.plotting import Plot, words_at
from gui.panels.evaluation.shown import MINUS, MISSING, Shown, change, p_words
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

SAME = 0.5  # of the smaller chunk
FULL = 2  # the gain of a chunk that answers
ALL = "All questions: first answer"
TITLES = ("Question", "Rank in A", "Rank in B", "Change", "Text")


class Ranks(EvaluationView):
    """Two rank axes with a line a passage, and a table of the questions."""

    title = "Ranks of A and B"
    uses_measure = True

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.a, self.b = _combo("Strategy A"), _combo("Strategy B")
        self.question_of: dict[str, str] = {}  # the words of each question by its id
        self._summary = QLabel()
        self._summary.setObjectName("muted")
        self._plot = Plot(theme)
        self.grid = Grid("Ranks by question")
        self.grid.currentCellChanged.connect(self._draw)
        row = QHBoxLayout()
        for widget in (QLabel("A"), self.a, QLabel("B"), self.b):
            row.addWidget(widget)
        row.addWidget(self._summary, 1)
        split = QSplitter()
        split.addWidget(self._plot)
        split.addWidget(self.grid)
        split.setSizes([420, 560])
        self.column.addLayout(row)
        self.column.addWidget(split, 1)
        for combo in (self.a, self.b):
            combo.currentIndexChanged.connect(self._fill)

    def recolour(self) -> None:
        """Colour the axes."""
        self._plot.recolour(self.theme)

    def plot(self) -> pg.GraphicsWidget:
        """The lines."""
        return self._plot.plotItem

    def table(self) -> Table:
        """Rank of the first answer to each question with A and B."""
        rows = [(q.id, rank_of_answer(q), rank_of_answer(r)) for q, r in self._pairs()]
        return Table(("question", "rank_a", "rank_b"), rows)

    def refresh(self, shown: Shown) -> None:
        """Offer the strategies."""
        if len(shown.results) < 2:
            self.say("Evaluate two strategies or more to compare their ranks.")
            return
        for combo, default in ((self.a, 0), (self.b, 1)):
            before = combo.currentData()
            combo.blockSignals(True)
            combo.clear()
            for name in shown.names:
                combo.addItem(shown.labels[name], name)
            place = combo.findData(before)
            combo.setCurrentIndex(place if place >= 0 else default)
            combo.blockSignals(False)
        self._fill()

    def _pairs(self) -> list[tuple[QuestionRecord, QuestionRecord]]:
        shown, a, b = self.shown, self.a.currentIndex(), self.b.currentIndex()
        if shown is None or min(a, b) < 0:
            return []
        one, other = shown.results[a].record, shown.results[b].record
        every = list(zip(one.questions, other.questions, strict=True))
        return sorted(every, key=lambda pair: -abs(_moved(*pair)))

    def _fill(self, *_: object) -> None:
        shown = self.shown
        if shown is None:
            return
        rows: list[tuple[str, ...]] = [(ALL, "", "", "", "")]
        for one, other in self._pairs():
            ranks = [rank_of_answer(one), rank_of_answer(other)]
            written = [_rank_words(rank, one) for rank in ranks]
            moved = _moved(one, other)
            words = MISSING if ranks == [None, None] else f"{moved:+d}".replace("-", "−")
            text = self.question_of.get(one.id, "")
            rows.append((one.id, *written, "±0" if words == "+0" else words, text))
        self.grid.fill(TITLES, rows, ("", "of the first chunk that answers fully"))
        self.grid.setCurrentCell(0, 0)
        self._summary.setText(self._compared(shown))
        self._draw()

    def _compared(self, shown: Shown) -> str:
        found = comparison_of(shown, str(self.a.currentData()), str(self.b.currentData()))
        if found is None or found[0].result.difference is None:
            return ""
        result, sign = found[0].result, found[1]
        low, high = sorted(sign * (each or 0.0) for each in (result.low, result.high))
        return (
            f"{shown.measure_words}: A − B {change(sign * (result.difference or 0.0))}, "
            f"95 % interval {low:.2f} to {high:.2f}, p {p_words(result.p_adjusted)}".replace(
                "-", MINUS
            )
        )

    def _draw(self, *_: object) -> None:
        self._plot.clear()
        row, pairs = self.grid.currentRow(), self._pairs()
        if self.shown is None or not pairs:
            return
        if row <= 0:
            lines = [
                (rank_of_answer(one), rank_of_answer(other), True, one.id) for one, other in pairs
            ]
            depth = max(len(one.top) for one, _ in pairs)
        else:
            lines = connected(pairs[row - 1][0].top, pairs[row - 1][1].top)
            depth = max(len(each.top) for each in pairs[row - 1])
        self._draw_lines(lines, max(1, depth), self.shown.k)

    def _draw_lines(
        self, lines: Sequence[tuple[int | None, int | None, bool, str]], depth: int, k: int
    ) -> None:
        theme, plot, rail = self.theme, self._plot, depth + 1
        for a, b, is_gold, label in lines:
            colour = theme.accent if is_gold else theme.muted
            pen = pg.mkPen(colour, width=3 if is_gold else 1)
            if a is None or b is None:
                pen.setStyle(Qt.PenStyle.DashLine)
            left, right = a or rail, b or rail
            item = pg.PlotDataItem([0, 1], [left, right], pen=pen, symbol="o", symbolSize=6)
            item.setSymbolBrush(colour)
            item.setSymbolPen(None)
            plot.addItem(item)
            if is_gold and len(lines) <= 2 * depth:
                words_at(plot.plotItem, f"★ {label}", 1.02, right, theme.text, anchor=(0, 0.5))
        limit = pg.InfiniteLine(k + 0.5, angle=0, pen=pg.mkPen(theme.border, width=1))
        plot.addItem(limit)
        ticks = [(rank, str(rank)) for rank in range(1, depth + 1)] + [(rail, f">{depth}")]
        plot.getAxis("left").setTicks([ticks])
        plot.getAxis("bottom").setTicks([[(0, "A"), (1, "B")]])
        plot.setXRange(-0.05, 1.35, padding=0)
        plot.setYRange(0.5, rail + 0.5, padding=0)
        plot.invertY(True)


def rank_of_answer(question: QuestionRecord) -> int | None:
    """The rank, from 1, of the first chunk that answers fully; None: not in the list."""
    return next((rank + 1 for rank, chunk in enumerate(question.top) if chunk.gain == FULL), None)


def connected(
    one: Sequence[RankedChunk], other: Sequence[RankedChunk]
) -> list[tuple[int | None, int | None, bool, str]]:
    """Ranks of the same passage in two lists, whether it is gold, and where it is.

    Two chunks are the same passage where half of the smaller one is in the other; a chunk of the
    one list may meet several of the other.
    """
    found: list[tuple[int | None, int | None, bool, str]] = []
    met: set[int] = set()
    for rank, chunk in enumerate(one):
        partners = [place for place, each in enumerate(other) if _is_same(chunk, each)]
        met.update(partners)
        words = f"{chunk.document} {chunk.start}–{chunk.end}"
        gold = chunk.gain == FULL
        found += [
            (rank + 1, place + 1, gold or other[place].gain == FULL, words) for place in partners
        ]
        if not partners:
            found.append((rank + 1, None, gold, words))
    found += [
        (None, place + 1, each.gain == FULL, f"{each.document} {each.start}–{each.end}")
        for place, each in enumerate(other)
        if place not in met
    ]
    return found


def _is_same(one: RankedChunk, other: RankedChunk) -> bool:
    if one.document != other.document:
        return False
    common = min(one.end, other.end) - max(one.start, other.start)
    return common >= SAME * min(one.end - one.start, other.end - other.start) > 0


def _moved(one: QuestionRecord, other: QuestionRecord) -> int:
    """How many ranks earlier B finds the answer; one past the list counts as not found."""
    ranks = [rank_of_answer(one) or len(one.top) + 1, rank_of_answer(other) or len(other.top) + 1]
    return ranks[0] - ranks[1]


def _rank_words(rank: int | None, question: QuestionRecord) -> str:
    return f">{len(question.top)}" if rank is None or math.isnan(rank) else str(rank)


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(12)
    return combo
