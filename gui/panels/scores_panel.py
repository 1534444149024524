# SPDX-License-Identifier: AGPL-3.0-or-later
"""Scores: five cards and the mean, and a table of the visible strategies side by side."""

import math
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from core.scores.results import PENDING, Measure, Scores
from gui.panels.score_settings import ScoreSettings
from gui.panels.side_by_side import SideBySide
from gui.panels.stable_scores import StableScores, comparable
from gui.panels.tables import signed
from gui.state import State
from gui.theme import Theme

CODES = ("RC", "ICC", "DCC", "BI", "SC")
MEANINGS = {
    "RC": "References completeness: share of references that stay in one chunk",
    "ICC": "Intrachunk cohesion: how alike a chunk and its sentences are",
    "DCC": "Document contextual coherence: how alike a chunk and the text around it are",
    "BI": "Block integrity: share of blocks that are not cut",
    "SC": "Size compliance: share of chunks within the size limits",
    "mean": "Weighted mean of the scores that are measurable",
}
BINS = 40
NO_HEAT = "No heat"
OF_BEFORE = "Scores of the chunks before, which stay on the pages"


class ScoreCard(QWidget):
    """One score: value, change, and a strip of its parts along the document.

    Signals:
        bin_clicked: first and last chunk of the bin.
        clicked: the score's code.
    """

    bin_clicked = Signal(int, int)
    clicked = Signal(str)

    def __init__(self, code: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"score {code}")
        self.setToolTip(MEANINGS[code])
        self.setMouseTracking(True)
        self._code = code
        self._theme = theme
        self._value: float | None = None
        self._state: str | None = None
        self._is_outdated = False
        self._note = ""
        self._change: float | None = None
        self._bins = np.empty(0)
        self._chunks = 0

    def sizeHint(self) -> QSize:
        """Cards never change size."""
        return QSize(140, 72)

    def minimumSizeHint(self) -> QSize:
        """As small as still legible."""
        return QSize(104, 72)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.update()

    def set_outdated(self, is_outdated: bool) -> None:
        """Say that the value is that of chunks which others will replace."""
        self._is_outdated = is_outdated
        self.update()

    def show_measure(self, measure: Measure | None, baseline: float | None) -> None:
        """Show one of the five scores."""
        if measure is None:
            self._show(None, None, "", None, np.empty(0))
            return
        note = measure.reason if measure.value is None else ""
        self._show(measure.value, measure.state, note, baseline, measure.clipped_per_chunk)

    def show_mean(
        self, value: float | None, state: str | None, note: str, baseline: float | None
    ) -> None:
        """Show the mean."""
        self._show(value, state, note, baseline, np.empty(0))

    def _show(
        self,
        value: float | None,
        state: str | None,
        note: str,
        baseline: float | None,
        per_chunk: np.ndarray,
    ) -> None:
        self._value, self._state, self._note = value, state, note
        self._change = None if value is None or baseline is None else value - baseline
        self._chunks = len(per_chunk)
        self._bins = binned(per_chunk, BINS)
        self.setToolTip(MEANINGS[self._code] + (f"\n{note}" if note else ""))
        self.setAccessibleName(f"{self._code} {self.words}")
        self.update()

    @property
    def words(self) -> str:
        """The value as it is shown."""
        if self._value is None:
            return "…" if self._note in PENDING else "—"
        if self._state == "late":
            return f"≈ {self._value:.2f}"
        return f"{self._value:.3f}" + (" p" if self._state == "pooled" else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        del event
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        theme, box = self._theme, QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.border, 1))
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(box, 4, 4)
        font = self.font()
        painter.setPen(theme.muted)
        painter.drawText(box.adjusted(8, 5, -8, 0), Qt.AlignmentFlag.AlignLeft, self._code)
        if self._change is not None and abs(self._change) >= 0.0005:
            painter.drawText(
                box.adjusted(8, 5, -8, 0), Qt.AlignmentFlag.AlignRight, signed(self._change, 3)
            )
        font.setPointSizeF(self.font().pointSizeF() * 1.5)
        font.setItalic(self._state == "late")
        painter.setFont(font)
        is_faint = self._is_outdated or self._state == "late"
        painter.setPen(theme.approximate if is_faint else theme.text)
        painter.drawText(box.adjusted(8, 19, -8, 0), Qt.AlignmentFlag.AlignLeft, self.words)
        self._paint_bins(painter, self._strip())

    def _strip(self) -> QRectF:
        return QRectF(8, self.height() - 22, self.width() - 16, 17)

    def _paint_bins(self, painter: QPainter, strip: QRectF) -> None:
        painter.setPen(QPen(self._theme.border, 1))
        painter.drawLine(strip.bottomLeft(), strip.bottomRight())
        if not len(self._bins):
            return
        width = strip.width() / len(self._bins)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.strategies[0])
        for place, value in enumerate(self._bins.tolist()):
            if not math.isnan(value):
                height = max(1.0, strip.height() * value)
                corner = QPointF(strip.left() + place * width, strip.bottom() - height)
                painter.drawRect(QRectF(corner.x(), corner.y(), max(1.0, width - 1), height))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on the strip selects its chunks, elsewhere asks for the blame."""
        strip = self._strip()
        if strip.contains(event.position()) and len(self._bins) and self._chunks:
            place = int((event.position().x() - strip.left()) / strip.width() * len(self._bins))
            low = place * self._chunks // len(self._bins)
            high = max(low, (place + 1) * self._chunks // len(self._bins) - 1)
            self.bin_clicked.emit(low, high)
        else:
            self.clicked.emit(self._code)


class ScoresPanel(QWidget):
    """The cards of the chosen strategy.

    Signals:
        chunks_asked: first and last chunk to select.
        blame_asked: a score's code.
        options_changed: the ScoreOptions.
    """

    chunks_asked = Signal(int, int)
    blame_asked = Signal(str)
    options_changed = Signal(object)

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scoresPanel")
        self._state = state
        self._baseline: Scores | None = None
        self._stable = StableScores()
        self.cards = {code: ScoreCard(code, theme) for code in (*CODES, "mean")}
        self._facts = QLabel()
        self._facts.setObjectName("muted")
        row = QHBoxLayout()
        row.setSpacing(6)
        for card in self.cards.values():
            row.addWidget(card, 1)
            card.bin_clicked.connect(self.chunks_asked)
            card.clicked.connect(self.blame_asked)
        self.heat = QComboBox()
        self.heat.setAccessibleName("Heat")
        self.heat.setToolTip("Colour chunks by what they lack of a score: pages, thumbnails, table")
        self.heat.addItem(NO_HEAT, "")
        for code in CODES:
            self.heat.addItem(f"Heat: {code}", code)
        self.heat.currentIndexChanged.connect(self._on_heat)
        self._open = QToolButton()
        self._open.setText("Weights and options…")
        self._open.setAutoRaise(True)
        self._open.clicked.connect(self.open_settings)
        below = QHBoxLayout()
        below.addWidget(self._facts, 1)
        below.addWidget(self.heat)
        below.addWidget(self._open)
        self.side = SideBySide(state, theme)
        self.side.slot_asked.connect(state.set_chosen)
        self._lower = QHBoxLayout()
        self._lower.addWidget(self.side, 5)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 6, 8, 6)
        self._column.addLayout(row)
        self._column.addLayout(below)
        self._column.addLayout(self._lower, 1)
        state.heat_changed.connect(self._show_heat)
        state.scores_changed.connect(self._on_scores)
        state.chunks_outdated.connect(self._on_scores)
        state.chosen_changed.connect(self._refresh)
        state.current_changed.connect(self._refresh)

    def add_plots(self, plots: QWidget) -> None:
        """Put the plots below the cards, beside the table of strategies."""
        self._lower.addWidget(plots, 5)

    @cached_property
    def settings(self) -> ScoreSettings:
        """Weights and options; made when they are opened first."""
        made = ScoreSettings(self)
        made.options_changed.connect(self.options_changed)
        return made

    def open_settings(self) -> None:
        """Show weights and options above their button."""
        corner = self._open.mapToGlobal(self._open.rect().topRight())
        self.settings.adjustSize()
        place = corner - self.settings.rect().bottomRight()
        self.settings.move(max(0, place.x()), max(0, place.y()))
        self.settings.show()

    def _on_heat(self, place: int) -> None:
        self._state.set_heat(self.heat.itemData(place))

    def _show_heat(self, code: str) -> None:
        self.heat.setCurrentIndex(self.heat.findData(code))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        for card in self.cards.values():
            card.set_theme(theme)
        self.side.set_theme(theme)

    def pin_baseline(self) -> None:
        """Show changes against the scores of now."""
        result = self._state.chosen_result
        self._baseline = result.scores if result is not None else None
        self._refresh()

    def _on_scores(self, document: str, slot: int) -> None:
        current = self._state.current
        if current is not None and current.id == document and slot == self._state.chosen:
            self._refresh()

    def _follow(self, scores: Scores | None) -> Scores | None:
        """What the scores were when things stood still last."""
        current, result = self._state.current, self._state.chosen_result
        if current is None or result is None or result.chunks is None or scores is None:
            return None
        self._stable.follow((current.id, self._state.chosen), result.chunks.key, scores)
        return self._stable.before

    def _refresh(self, *_: object) -> None:
        result = self._state.chosen_result
        scores = result.scores if result is not None else None
        old = comparable(self._baseline or self._follow(scores), scores)
        is_outdated = result is not None and result.is_outdated
        for card in self.cards.values():
            card.set_outdated(is_outdated)
        for code in CODES:
            measure = scores[code] if scores is not None else None
            self.cards[code].show_measure(measure, old[code])
        if scores is None:
            self.cards["mean"].show_mean(None, None, "", None)
            self._facts.clear()
            return
        missing = [code for code in CODES if scores[code].value is None]
        why = "still to come" if any(scores[c].is_pending for c in missing) else "not measurable"
        note = f"mean of {len(CODES) - len(missing)} ({', '.join(missing)} {why})"
        state = None if scores.is_final else "late"
        self.cards["mean"].show_mean(scores.mean, state, note if missing else "", old["mean"])
        self._facts.setText(OF_BEFORE if is_outdated else facts(scores))
        self._facts.setToolTip(facts(scores, is_long=True))


def facts(scores: Scores, *, is_long: bool = False) -> str:
    """One line below the cards, or a longer one: what was measured, with which model."""
    units = scores.units
    parts = [f"{len(units):,} chunk{'' if len(units) == 1 else 's'}"]
    if len(units):
        parts.append(f"median {int(np.median(units)):,} tokens")
    over = " over" if is_long else ":"
    if not scores["RC"].is_pending:
        parts.append(f"RC{over} {scores['RC'].measured:,} references")
    parts.append(f"BI{over} {scores['BI'].measured:,} blocks")
    if scores.embedder:
        parts.append(scores.embedder.split("/")[-1])
    pooled = scores["ICC"].pooled_texts + scores["DCC"].pooled_texts
    if pooled:
        why = " = pooled: longer than the model reads" if is_long else " = pooled"
        parts.append(f"{pooled:,} texts p{why}")
    return "  ·  ".join(parts)


def binned(values: np.ndarray, bins: int) -> np.ndarray:
    """Means of `values` in at most `bins` runs, nan where a run has none."""
    n = len(values)
    if not n:
        return np.empty(0)
    edges = np.linspace(0, n, min(bins, n) + 1).astype(int)[:-1]
    known = ~np.isnan(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), edges)
    counts = np.add.reduceat(known.astype(float), edges)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
