# SPDX-License-Identifier: AGPL-3.0-or-later
"""Why a gold passage was not found: cut, past the window, or outranked, by what."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.search.evaluation import GoldFate, QuestionRecord, StrategyResult
from gui.panels.evaluation.fates import WHOLE, holders, mark_of
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.shown import MISSING, Shown, share
from gui.panels.evaluation.view import EvaluationView, Table
from gui.theme import Theme

QUOTE = 90
_PLACE = Qt.ItemDataRole.UserRole
TITLES = ("Rank", "Score", "Document", "Holds of the passage", "Gain", "Text")


class NotFound(EvaluationView):
    """Missed passages of a strategy at the left, the reasons of one at the right."""

    title = "Why not found"
    uses_measure = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.quote_of: Callable[[str, int, int], str] = _no_quote
        self.strategy = QComboBox()
        self.strategy.setAccessibleName("Strategy")
        self.missed = QListWidget()
        self.missed.setAccessibleName("Missed passages")
        self.reasons = QLabel()
        self.reasons.setWordWrap(True)
        self.reasons.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.ahead = Grid("What was ranked")
        left, right = QWidget(), QWidget()
        for side, widgets in (
            (left, (self.strategy, self.missed)),
            (right, (self.reasons, self.ahead)),
        ):
            box = QVBoxLayout(side)
            box.setContentsMargins(0, 0, 0, 0)
            for widget in widgets:
                box.addWidget(widget)
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(right)
        split.setSizes([320, 700])
        self.column.addWidget(split)
        self.strategy.currentIndexChanged.connect(self._show_missed)
        self.missed.currentItemChanged.connect(self._on_item)
        self.ahead.cellDoubleClicked.connect(self._on_hit)
        self._asked: tuple[str, str, int] | None = None

    def ask(self, name: str, question: str, number: int) -> None:
        """Explain one passage of one strategy."""
        self._asked = (name, question, number)
        if self.shown is not None and self.isVisible():
            self._choose_asked()

    def table(self) -> Table:
        """All missed passages of the chosen strategy with their reasons."""
        header = ("question", "document", "start", "end", "reason")
        shown, result = self.shown, self._result()
        if shown is None or result is None:
            return Table(header, ())
        rows = [
            (
                q.id,
                gold.document,
                gold.start,
                gold.end,
                " ".join(reasons_of(gold, q, result, shown)),
            )
            for q, gold in missed_of(result, shown)
        ]
        return Table(header, rows)

    def refresh(self, shown: Shown) -> None:
        """List the strategies and what they miss."""
        before = self.strategy.currentData()
        self.strategy.blockSignals(True)
        self.strategy.clear()
        for name in shown.names:
            self.strategy.addItem(shown.labels[name], name)
        self.strategy.setCurrentIndex(max(0, self.strategy.findData(before)))
        self.strategy.blockSignals(False)
        self._show_missed()
        self._choose_asked()

    def _choose_asked(self) -> None:
        if self._asked is None:
            return
        name, question, number = self._asked
        place = self.strategy.findData(name)
        if place < 0:
            return
        self._asked = None
        self.strategy.setCurrentIndex(place)
        for row in range(self.missed.count()):
            if self.missed.item(row).data(_PLACE) == (question, number):
                self.missed.setCurrentRow(row)
                return
        self.reasons.setText("This passage was found.")

    def _result(self) -> StrategyResult | None:
        place = self.strategy.currentIndex()
        return self.shown.results[place] if self.shown is not None and place >= 0 else None

    def _show_missed(self, *_: object) -> None:
        self.missed.clear()
        self.ahead.setRowCount(0)
        self.reasons.clear()
        shown, result = self.shown, self._result()
        if shown is None or result is None:
            return
        for question, gold in missed_of(result, shown):
            mark = mark_of(gold, question, shown.k)
            quote = " ".join(self.quote_of(gold.document, gold.start, gold.end).split())[:QUOTE]
            item = QListWidgetItem(f"{mark.text}  {question.id}  {quote}")
            item.setData(_PLACE, (question.id, question.gold.index(gold)))
            self.missed.addItem(item)
        if self.missed.count():
            self.missed.setCurrentRow(0)
        else:
            self.reasons.setText(f"Every gold passage is whole in the top {shown.k}.")

    def _on_item(self, item: QListWidgetItem | None, before: object = None) -> None:
        del before
        shown, result = self.shown, self._result()
        if item is None or shown is None or result is None:
            return
        wanted, number = item.data(_PLACE)
        question = next(each for each in result.record.questions if each.id == wanted)
        gold = question.gold[number]
        self.reasons.setText("\n".join(reasons_of(gold, question, result, shown)))
        self._show_ahead(gold, question, shown)
        self.passage_asked.emit(gold.document, gold.start, gold.end)

    def _show_ahead(self, gold: GoldFate, question: QuestionRecord, shown: Shown) -> None:
        held = dict(holders(gold, question, len(question.top)))
        self._top = question.top
        rows = []
        for place, chunk in enumerate(question.top):
            rank = place + 1
            part = MISSING
            if rank in held:
                common = min(chunk.end, gold.end) - max(chunk.start, gold.start)
                part = share(common / max(1, gold.end - gold.start))
            gain = MISSING if chunk.gain is None else str(chunk.gain)
            quote = " ".join(self.quote_of(chunk.document, chunk.start, chunk.end).split())[:200]
            mark = str(rank) if rank <= shown.k else f"{rank} (>{shown.k})"
            rows.append((mark, f"{chunk.score:.3f}", chunk.document, part, gain, quote))
        self.ahead.fill(TITLES, rows)

    def _on_hit(self, row: int, column: int) -> None:
        del column
        chunk = self._top[row]
        self.passage_asked.emit(chunk.document, chunk.start, chunk.end)


def missed_of(result: StrategyResult, shown: Shown) -> list[tuple[QuestionRecord, GoldFate]]:
    """The gold passages that are not whole, and read, in the top k."""
    return [
        (question, gold)
        for question in result.record.questions
        for gold in question.gold
        if mark_of(gold, question, shown.k).is_missed
    ]


def reasons_of(
    gold: GoldFate, question: QuestionRecord, result: StrategyResult, shown: Shown
) -> list[str]:
    """Sentences: what keeps a passage from being found."""
    found, k = [], shown.k
    if gold.fate == "lost":
        found.append(f"{share(gold.missing)} of its text is in no chunk.")
    if gold.fate == "split":
        pieces = f"into {gold.pieces} pieces" if gold.pieces else "into pieces"
        found.append(f"Cut {pieces}: the best chunk holds {share(gold.best)} of it.")
        ranks = [rank for rank, _ in holders(gold, question, len(question.top))]
        words = ", ".join(map(str, ranks))
        listed = len(question.top)
        found.append(
            f"Pieces are at rank {words}." if ranks else f"No piece is in the first {listed}."
        )
    if gold.best - gold.seen > 1 - WHOLE:
        found.append(
            f"Truncated: of one chunk the model reads at most {share(gold.seen)} of it, "
            "so its vector says little about the rest."
        )
    if gold.fate == "not retrieved":
        rank = f"rank {gold.rank}" if gold.rank is not None else f"behind rank {len(question.top)}"
        ahead = question.top[: min(k, (gold.rank or k + 1) - 1)]
        good = sum((chunk.gain or 0) > 0 for chunk in ahead)
        found.append(
            f"Whole in a chunk, but at {rank}: outranked by {len(ahead)} chunks in the top"
        )
        found[-1] += f" {k}, {good} of which hold other gold of this question."
        if ahead and gold.rank is not None and gold.rank <= len(question.top):
            gap = ahead[-1].score - question.top[gold.rank - 1].score
            found.append(f"Its score is {gap:.3f} below that of rank {len(ahead)}.")
    rivals = [
        shown.labels[name]
        for name, other in zip(shown.names, shown.results, strict=True)
        if other is not result and _finds(other, question.id, question.gold.index(gold), k)
    ]
    if rivals:
        found.append(f"Found by {', '.join(rivals)}.")
    return found


def _joined(gold: GoldFate, question: QuestionRecord, result: StrategyResult, shown: Shown) -> str:
    return " ".join(reasons_of(gold, question, result, shown))


def _finds(result: StrategyResult, question: str, number: int, k: int) -> bool:
    for each in result.record.questions:
        if each.id == question and number < len(each.gold):
            return not mark_of(each.gold[number], each, k).is_missed
    return False


def _no_quote(document: str, start: int, end: int) -> str:
    return f"{document} {start}–{end}"
