# SPDX-License-Identifier: AGPL-3.0-or-later
"""The strip under a slider: how many chunks there would be over the parameter's whole range."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QSlider, QStyle, QToolTip, QWidget

from gui.controllers.ghosting import Curve
from gui.scale import Scale
from gui.theme import Theme

HEIGHT = 28
TICKS = 6  # height of the marks where something changes


class GhostStrip(QWidget):
    """Drawn below a slider, in step with its handle.

    Signals:
        value_asked: a value that was clicked or dragged to.
    """

    value_asked = Signal(float)

    def __init__(self, theme: Theme, slider: QSlider, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ghostStrip")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._slider = slider
        self._curve: Curve | None = None
        self._scale: Scale | None = None
        self._value = 0.0
        self._drawn: tuple[object, QPixmap] | None = None
        self._handle: int | None = None  # its length; asking the style sheet takes 0.3 ms
        self._changes: list[float] = []
        self._exact: set[float] = set()

    def sizeHint(self) -> QSize:
        """As wide as the slider."""
        return QSize(120, HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self._handle = None
        self.update()

    def show_value(self, scale: Scale, value: float) -> None:
        """The value in force."""
        self._scale, self._value = scale, value
        self.update()

    def show_curve(self, curve: Curve | None) -> None:
        """What has been counted so far; None: nothing yet."""
        self._curve = curve
        self._changes = curve.changes() if curve is not None else []
        self._exact = curve.exact_changes() if curve is not None else set()
        words = self.words(self._value)
        self.setAccessibleName(words)
        self.update()

    @property
    def changes(self) -> list[float]:
        """Values where something changes, ascending."""
        return self._changes

    def neighbour(self, step: int) -> float | None:
        """The next change point above the value (step 1) or below it (−1)."""
        if step > 0:
            return next((each for each in self._changes if each > self._value + 1e-9), None)
        if self._curve is None:
            return None
        # below: the last value before the plateau on which we stand
        plateau = self._curve.plateau(self._value)
        known = [value for value, _ in self._curve.known()]
        if plateau is None:
            return None
        return next((each for each in reversed(known) if each < plateau[0] - 1e-9), None)

    def words(self, value: float) -> str:
        """For example "at 0.62: 61 chunks, the same from 0.58 to 0.64"."""
        if self._curve is None or not self._curve.counts:
            if self._curve is not None and self._curve.is_estimate:
                return "Estimated once the document's vectors are at hand"
            return "Counting chunks over the whole range…"
        nearest = self._curve.nearest(value)
        count = self._curve.counts[nearest]
        if count < 0:
            return f"at {nearest:g}: not allowed"
        about = "≈ " if self._curve.is_estimate else ""
        said = f"at {nearest:g}: {about}{count:,} {'chunk' if count == 1 else 'chunks'}"
        plateau = self._curve.plateau(nearest)
        if plateau is not None and plateau[1] > plateau[0]:
            said += f", the same from {plateau[0]:g} to {plateau[1]:g}"
        return said if self._curve.is_exact else f"{said} (sampled)"

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the curve, the marks, and where we are."""
        del event
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        theme, scale = self._theme, self._scale
        box = self._box()
        if scale is None or self._curve is None or not self._curve.counts:
            return
        painter.setPen(QPen(theme.border, 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        self._paint_plateau(painter, box, scale)
        painter.drawPixmap(0, 0, self._drawn_curve(self._curve, box, scale))
        x = float(self._xs([self._value], scale, box)[0])
        painter.setPen(QPen(theme.accent, 1.5))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))

    def _drawn_curve(self, curve: Curve, box: QRectF, scale: Scale) -> QPixmap:
        """The curve and its marks: drawn once, since a tick of the slider changes neither.

        A tick of another slider may move the ends of the range; the curve is counted anew then,
        and the old one stays as it is until the first counts arrive.
        """
        key = (self.width(), self.height(), len(curve.counts), self._theme.is_dark)
        if self._drawn is None or self._drawn[0] != (key, curve):
            ratio = self.devicePixelRatioF()
            pixmap = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            try:
                allowed = [each for each in curve.known() if each[1] >= 0]
                if allowed:
                    self._paint_counts(painter, box, scale, allowed)
                self._paint_marks(painter, box, scale)
            finally:
                painter.end()
            self._drawn = ((key, curve), pixmap)
        return self._drawn[1]

    def _paint_marks(self, painter: QPainter, box: QRectF, scale: Scale) -> None:
        """A full mark at a value that was found exactly, a short one where only samples differ."""
        painter.setPen(QPen(self._theme.muted, 1))
        xs = self._xs(self._changes, scale, box)
        _, shown = np.unique(xs // 2, return_index=True)  # a mark every other pixel at most
        for x, k in zip(xs[shown].tolist(), shown.tolist(), strict=True):
            height = TICKS if self._changes[k] in self._exact else TICKS / 2
            painter.drawLine(QPointF(x, box.bottom()), QPointF(x, box.bottom() - height))

    def _paint_plateau(self, painter: QPainter, box: QRectF, scale: Scale) -> None:
        plateau = self._curve.plateau(self._value) if self._curve is not None else None
        if plateau is None or plateau[1] <= plateau[0]:
            return
        left, right = self._xs(plateau, scale, box).tolist()
        shade = QColor(self._theme.accent)
        shade.setAlphaF(0.14)
        painter.fillRect(QRectF(left, box.top(), right - left, box.height()), shade)

    def _paint_counts(
        self, painter: QPainter, box: QRectF, scale: Scale, known: list[tuple[float, int]]
    ) -> None:
        values, counts = np.array(known, dtype=np.float64).T
        xs = self._xs(values, scale, box)
        ys = box.bottom() - TICKS - (box.height() - TICKS - 2) * counts / max(counts.max(), 1)
        _, shown = np.unique(xs // 0.5, return_index=True)  # more would not be seen
        points = [QPointF(xs[0], box.bottom())]
        for x, y in zip(xs[shown].tolist(), ys[shown].tolist(), strict=True):
            points += [QPointF(x, points[-1].y()), QPointF(x, y)]
        points.append(QPointF(points[-1].x(), box.bottom()))
        fill = QColor(self._theme.strategies[0])
        fill.setAlphaF(0.25)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF(points))
        pen = QPen(self._theme.strategies[0], 1.2)
        if self._curve is not None and not self._curve.is_exact:
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points[2:-1]))

    def _box(self) -> QRectF:
        """Where values lie: as far from the edges as the slider's handle stays."""
        if self._handle is None:
            length, slider = QStyle.PixelMetric.PM_SliderLength, self._slider
            self._handle = slider.style().pixelMetric(length, None, slider)
        return QRectF(self.rect()).adjusted(self._handle / 2, 1, -self._handle / 2, -2)

    @staticmethod
    def _xs(values: Sequence[float], scale: Scale, box: QRectF) -> NDArray[np.float64]:
        places = scale.positions(np.array(values, dtype=np.float64))
        return box.left() + box.width() * np.clip(places, 0.0, 1.0)

    # pointer

    def _value_at(self, x: float) -> float | None:
        box = self._box()
        if self._scale is None or box.width() <= 0:
            return None
        return self._scale.value(min(1.0, max(0.0, (x - box.left()) / box.width())))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say how many chunks there would be; with the button down, go there."""
        value = self._value_at(event.position().x())
        if value is None:
            return
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.value_asked.emit(value)
        QToolTip.showText(event.globalPosition().toPoint(), self.words(value), self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the value under the pointer."""
        value = self._value_at(event.position().x())
        if value is not None and event.button() == Qt.MouseButton.LeftButton:
            self.value_asked.emit(value)
