# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strategies × gold passages: whole, cut, in the tail or lost, and at which rank it was found."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTableView,
    QWidget,
)

from core.search.evaluation import GoldFate, QuestionRecord, StrategyResult
from gui.panels.evaluation.fates import Mark, gold_rows, mark_of
from gui.panels.evaluation.shown import Shown, range_words, score, share
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import ROW_HEIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
QUOTE = 60
HEADER_WIDTH, CELL_WIDTH, WIDEST_CELL = 400, 76, 220
LEGEND = (
    "● whole, with its rank   ○ whole, not retrieved   ◍ saved by overlap   ◐ cut, all retrieved   "
    "◔ cut, some   ✕ cut, none   ▽ past the model's window   ? lost"
)
FILTERS: tuple[tuple[str, Callable[[list[Mark]], bool]], ...] = (
    ("All passages", lambda marks: True),
    ("Missed by some, not by all", lambda m: 0 < sum(each.is_missed for each in m) < len(m)),
    ("Missed by all", lambda marks: all(each.is_missed for each in marks)),
    ("Cut by some, not by all", lambda m: 0 < sum(each.text[0] in "◐◔✕" for each in m) < len(m)),
    ("Saved by overlap", lambda marks: any(each.text[0] == "◍" for each in marks)),
    ("Past the model's window", lambda marks: any(each.text[0] == "▽" for each in marks)),
    ("Lost", lambda marks: any(each.text[0] == "?" for each in marks)),
)
# What stands above the passages: title and measure.
SUMMARY = (
    ("Share of passages whole", "survival"),
    ("Questions with all passages whole in the top", "all_whole_at_k"),
    ("Hit", "hit"),
    ("MRR", "mrr"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One gold passage with the mark of each strategy."""

    question: QuestionRecord
    number: int
    marks: list[Mark]

    @property
    def gold(self) -> GoldFate:
        """Where it is."""
        return self.question.gold[self.number]

    @property
    def missed(self) -> int:
        """How many strategies miss it."""
        return sum(mark.is_missed for mark in self.marks)


class MatrixModel(QAbstractTableModel):
    """Summary rows, then one row a passage; one column a strategy, the best first."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.labels: list[str] = []
        self.results: list[StrategyResult] = []
        self.rows: list[Row] = []
        self._quotes: list[str] = []

    def show(
        self, results: list[StrategyResult], labels: list[str], rows: list[Row], quotes: list[str]
    ) -> None:
        """Show other passages."""
        self.beginResetModel()
        self.results, self.labels, self.rows, self._quotes = results, labels, rows, quotes
        self.endResetModel()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Summaries and passages."""
        return 0 if parent.isValid() or not self.results else len(SUMMARY) + len(self.rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """One a strategy."""
        return 0 if parent.isValid() else len(self.results)

    def passage(self, row: int) -> Row | None:
        """The passage of a row."""
        place = row - len(SUMMARY)
        return self.rows[place] if 0 <= place < len(self.rows) else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Strategies above, passages at the left."""
        is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Vertical:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        if not is_text:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self.labels[section]
        if section < len(SUMMARY):
            return SUMMARY[section][0]
        return self._quotes[section - len(SUMMARY)]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """One cell."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignCenter)
        passage = self.passage(index.row())
        if passage is None:
            return self._summary(index, role)
        mark = passage.marks[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return mark.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self.labels[index.column()]}: {mark.words}\n{passage.question.id}"
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(getattr(self.theme, mark.tone))
        return None

    def _summary(self, index: Index, role: int) -> object:
        name = SUMMARY[index.row()][1]
        interval = self.results[index.column()].measures[name]
        if role == Qt.ItemDataRole.DisplayRole:
            return score(interval.mean) if name == "mrr" else share(interval.mean)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{score(interval.mean)}, 95 % interval {range_words(interval)}"
        return None


class GoldMatrix(EvaluationView):
    """The matrix, with filters; a click goes to the passage on its page."""

    title = "Gold matrix"
    uses_measure = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.quote_of: Callable[[str, int, int], str] = _no_quote
        self._every: list[Row] = []
        self.model = MatrixModel(theme)
        self.grid = _grid(self.model)
        self.filter = QComboBox()
        self.filter.setAccessibleName("Passages shown")
        for name, _ in FILTERS:
            self.filter.addItem(name)
        self.filter.currentIndexChanged.connect(self._show_rows)
        self._note = QLabel(LEGEND)
        self._note.setObjectName("muted")
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        why = QPushButton("Why not found")
        why.setToolTip("Explain the chosen cell")
        why.clicked.connect(self._on_why)
        row = QHBoxLayout()
        row.addWidget(self.filter)
        row.addWidget(why)
        row.addWidget(self._note, 1)
        self.column.addLayout(row)
        self.column.addWidget(self.grid, 1)
        self.grid.clicked.connect(self._on_cell)
        self.grid.doubleClicked.connect(self._on_why)
        self.grid.verticalHeader().sectionClicked.connect(self._on_passage)

    def recolour(self) -> None:
        """Use the theme's colours in cells."""
        self.model.theme = self.theme

    def table(self) -> Table:
        """The marks, one row a passage."""
        header = ["question", "document", "start", "end", "grade", *self.model.labels]
        rows: list[list[str | int | float | None]] = []
        for row in self.model.rows:
            gold = row.gold
            place = (row.question.id, gold.document, gold.start, gold.end, gold.grade)
            rows.append([*place, *(mark.text for mark in row.marks)])
        return Table(header, rows)

    def refresh(self, shown: Shown) -> None:
        """Show all passages of the part."""
        results = sorted(shown.results, key=lambda each: -(each.measures["survival"].mean or 0.0))
        by_name = dict(zip(map(id, shown.results), shown.names, strict=True))
        self._names = [by_name[id(each)] for each in results]
        self._labels = [shown.labels[name] for name in self._names]
        self._results = results
        columns = [gold_rows(result) for result in results]
        self._every = [
            Row(
                column[0][0],
                column[0][1],
                [mark_of(question.gold[row], question, shown.k) for question, row in column],
            )
            for column in zip(*columns, strict=True)
        ]
        self._show_rows()

    def _show_rows(self, *_: object) -> None:
        wanted = FILTERS[self.filter.currentIndex()][1]
        rows = [row for row in self._every if wanted(row.marks)]
        quotes = [self._quote(row) for row in rows]
        if self._every:
            self.model.show(self._results, self._labels, rows, quotes)
            for column in range(self.model.columnCount()):
                width = self.grid.horizontalHeader().sectionSizeHint(column)
                self.grid.setColumnWidth(column, min(max(CELL_WIDTH, width), WIDEST_CELL))

    def _quote(self, row: Row) -> str:
        gold = row.gold
        quote = " ".join(self.quote_of(gold.document, gold.start, gold.end).split())[:QUOTE]
        part = f" [{gold.group}]" if gold.group else ""
        return f"{row.question.id} ★{gold.grade}{part}  {quote}"

    def _on_cell(self, index: QModelIndex) -> None:
        self._on_passage(index.row())

    def _on_passage(self, row: int) -> None:
        passage = self.model.passage(row)
        if passage is not None:
            gold = passage.gold
            self.passage_asked.emit(gold.document, gold.start, gold.end)

    def _on_why(self, *_: object) -> None:
        index = self.grid.currentIndex()
        passage = self.model.passage(index.row()) if index.isValid() else None
        if passage is not None:
            name = self._names[index.column()]
            self.why_asked.emit(name, passage.question.id, passage.number)


def _no_quote(document: str, start: int, end: int) -> str:
    return f"{document} {start}–{end}"


def _grid(model: MatrixModel) -> QTableView:
    grid = QTableView()
    grid.setObjectName("goldMatrix")
    grid.setAccessibleName("Gold matrix")
    grid.setModel(model)
    grid.setFrameShape(QTableView.Shape.NoFrame)
    grid.setWordWrap(False)
    side = grid.verticalHeader()
    side.setDefaultSectionSize(ROW_HEIGHT)
    side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    side.setFixedWidth(HEADER_WIDTH)
    return grid
