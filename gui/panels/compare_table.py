# SPDX-License-Identifier: AGPL-3.0-or-later
"""The table of all that was compared: a model that grows a row at a time, and sorts numbers."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont, QStandardItem, QStandardItemModel

from core.scores.mean import CODES, document_mean
from core.scores.selection import Standing
from gui.controllers.comparing import Compared, Comparison
from gui.panels.side_by_side import measure_words
from gui.panels.tables import signed
from gui.theme import Theme

UNKNOWN = math.nan
UP, DOWN = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2  # what rows are sorted by
# Its words, and what it is sorted by upwards and downwards: the unknown comes last in both.
Cell = tuple[str, float | str, float | str]


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What is known of one row beside what was computed for it."""

    row: Compared
    mean: float = UNKNOWN
    standing: Standing | None = None
    is_tied: bool = False  # with the best
    interval: tuple[float, float] | None = None
    gain_of_reg: float = UNKNOWN

    @property
    def is_scored(self) -> bool:
        """False for a row that failed."""
        return self.row.candidate.scores is not None

    @property
    def rank(self) -> float:
        """From 1; unknown for one that cannot win."""
        return float(self.standing.rank) if self.standing and self.standing.rank else UNKNOWN

    @property
    def chunks(self) -> float:
        """How many there are."""
        scores = self.row.candidate.scores
        return UNKNOWN if scores is None else float(len(scores.units))

    def value(self, code: str) -> float:
        """One of the five scores."""
        scores = self.row.candidate.scores
        value = None if scores is None else scores[code].value
        return UNKNOWN if value is None else value


@dataclass(frozen=True, slots=True)
class Column:
    """A title, what it means, the number that it sorts by (or the words), and the words."""

    title: str
    tip: str
    number: Callable[[Fact], float] | None
    words: Callable[[Fact], str]


def _tokens(fact: Fact) -> float:
    scores = fact.row.candidate.scores
    return UNKNOWN if scores is None or not len(scores.units) else float(scores.units.mean())


def _milliseconds(fact: Fact) -> float:
    return fact.row.seconds * 1000 if fact.is_scored else UNKNOWN


def _whole(number: Callable[[Fact], float]) -> Callable[[Fact], str]:
    def words(fact: Fact) -> str:
        value = number(fact)
        return "" if math.isnan(value) else f"{value:,.0f}"

    return words


def _rank_words(fact: Fact) -> str:
    return "" if math.isnan(fact.rank) else f"{fact.rank:.0f}{'=' if fact.is_tied else ''}"


def _mean_words(fact: Fact) -> str:
    scores = fact.row.candidate.scores
    if scores is None or math.isnan(fact.mean):
        return "" if scores is None else "—"
    return f"{fact.mean:.3f}" if scores.is_final else f"≈ {fact.mean:.3f}"


def _interval_words(fact: Fact) -> str:
    return "" if fact.interval is None else f"{fact.interval[0]:.3f}–{fact.interval[1]:.3f}"


def _gain_words(fact: Fact) -> str:
    return "" if math.isnan(fact.gain_of_reg) else signed(fact.gain_of_reg, 3)


def _note_words(fact: Fact) -> str:
    if fact.row.candidate.error:
        return fact.row.candidate.error
    names = fact.standing.names if fact.standing is not None else ()
    others = [each for each in names if each != fact.row.candidate.name]
    return f"same chunks as {', '.join(others)}" if others else ""


def _score_column(code: str) -> Column:
    def number(fact: Fact) -> float:
        return fact.value(code)

    def words(fact: Fact) -> str:
        scores = fact.row.candidate.scores
        return "" if scores is None else measure_words(scores, code)

    return Column(code, "", number, words)


COLUMNS = (
    Column("Rank", "1= is a tie with the best; without a rank it cannot win",
           lambda f: f.rank, _rank_words),
    Column("Strategy", "", None, lambda f: f.row.candidate.name),
    Column("Chunks", "", lambda f: f.chunks, _whole(lambda f: f.chunks)),
    Column("Mean", "Weighted mean of the scores that are measurable",
           lambda f: f.mean, _mean_words),
    *(_score_column(code) for code in CODES),
    Column("95 %", "Where 95 of 100 draws of its chunks put the mean",
           lambda f: f.interval[0] if f.interval else UNKNOWN, _interval_words),
    Column("With REG", "Change of the mean when it is regularised",
           lambda f: f.gain_of_reg, _gain_words),
    Column("Tokens", "Mean size of its chunks", _tokens, _whole(_tokens)),
    Column("ms", "To cut and score", _milliseconds, _whole(_milliseconds)),
    Column("Note", "The same chunks as another, or why it failed", None, _note_words),
)  # fmt: skip
NAME, MEAN = 1, 3


class CompareModel(QStandardItemModel):
    """Rows are variants in the order in which they were computed.

    Of Qt's own items: asked in Python, each cell would wait for the lane that computes the rows.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, len(COLUMNS))
        self._theme = theme
        self._comparison: Comparison | None = None
        self._weights: Mapping[str, float] = {}
        self._facts: list[Fact] = []
        self._cells: list[list[Cell]] = []
        for place, column in enumerate(COLUMNS):
            title = QStandardItem(column.title)
            title.setToolTip(column.tip)
            self.setHorizontalHeaderItem(place, title)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self._clear()
        self.show_comparison(self._comparison, self._weights)

    def show_comparison(self, comparison: Comparison | None, weights: Mapping[str, float]) -> None:
        """Show another comparison, or the same one with other values."""
        is_other = comparison is not self._comparison or comparison is None
        self._comparison, self._weights = comparison, weights
        self._facts = [] if comparison is None else facts_of(comparison, weights)
        self.beginResetModel()
        blocker = QSignalBlocker(self)
        if is_other:
            self._clear()
        for row, fact in enumerate(self._facts):
            self._put(row, fact)
        blocker.unblock()
        self.endResetModel()

    def _clear(self) -> None:
        self.removeRows(0, self.rowCount())
        self._cells.clear()

    def _put(self, row: int, fact: Fact) -> None:
        """Fill a row, or those of its cells that are others now: to make all anew takes 100 ms."""
        cells = [_cell_of(column, fact) for column in COLUMNS]
        if row == len(self._cells):
            self.appendRow([self._item(column, fact) for column in COLUMNS])
            self._cells.append([("", 0.0, 0.0)] * len(COLUMNS))
        for column, (old, new) in enumerate(zip(self._cells[row], cells, strict=True)):
            if old != new:
                _write(self.item(row, column), new)
        self._cells[row] = cells

    def add_rows(self) -> None:
        """More rows were computed."""
        if self._comparison is None or len(self._comparison.rows) <= len(self._facts):
            return
        known = [repr(fact.gain_of_reg) for fact in self._facts]  # as words: nan is not equal
        self._facts = facts_of(self._comparison, self._weights)
        for row, fact in enumerate(self._facts):
            if row >= len(known) or known[row] != repr(fact.gain_of_reg):
                self._put(row, fact)

    def fact(self, row: int) -> Fact | None:
        """What stands in a row."""
        return self._facts[row] if 0 <= row < len(self._facts) else None

    def _item(self, column: Column, fact: Fact) -> QStandardItem:
        item, error = QStandardItem(), fact.row.candidate.error
        if column.number is None:
            item.setToolTip(error or fact.row.variant.recipe.word)
        else:
            item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if error:
            item.setForeground(self._theme.bad)
        return item


def _cell_of(column: Column, fact: Fact) -> Cell:
    words = column.words(fact)
    if column.number is None:
        return words, words, words
    number = column.number(fact)
    return (words, math.inf, -math.inf) if math.isnan(number) else (words, number, number)


def _write(item: QStandardItem, cell: Cell) -> None:
    words, up, down = cell
    item.setText(words)
    item.setData(up, UP)
    item.setData(down, DOWN)
    font = QFont()
    font.setItalic(words.startswith("≈"))
    item.setFont(font)


def facts_of(comparison: Comparison, weights: Mapping[str, float]) -> list[Fact]:
    """The facts of all rows, in their order."""
    selection, draws = comparison.selection, comparison.uncertainty
    standings = {} if selection is None else {n: s for s in selection.standings for n in s.names}
    ties = () if selection is None or len(selection.ties) < 2 else selection.ties
    means = {row.candidate.name: _mean(row, weights) for row in comparison.rows}
    facts = []
    for row in comparison.rows:
        name = row.candidate.name
        standing = standings.get(name)
        first = standing.names[0] if standing is not None else name
        facts.append(
            Fact(
                row,
                means[name],
                standing,
                first in ties,
                draws.intervals.get(first) if draws is not None else None,
                means.get(f"{name} + REG", UNKNOWN) - means[name],
            )
        )
    return facts


def _mean(row: Compared, weights: Mapping[str, float]) -> float:
    scores = row.candidate.scores
    mean = None if scores is None else document_mean(scores.values, weights)
    return UNKNOWN if mean is None else mean


class SortedRows(QSortFilterProxyModel):
    """The rows in the order of a column; what is not known comes last in both directions."""

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self.setSortRole(UP if order == Qt.SortOrder.AscendingOrder else DOWN)
        super().sort(column, order)
