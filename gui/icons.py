# SPDX-License-Identifier: AGPL-3.0-or-later
"""Small icons, drawn as lines in the theme's colours, so that no font needs to have them.

Each is a function of a painter on a square of 16 × 16 units.
"""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from gui.theme import Theme

UNITS = 16
SIZE = QSize(16, 16)
_RATIOS = (1, 2, 3)
Draw = Callable[[QPainter], None]


def _lines(*points: tuple[float, float]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points])


def _eye(painter: QPainter) -> None:
    lids = QPainterPath(QPointF(1, 8))
    lids.quadTo(QPointF(8, 0.5), QPointF(15, 8))
    lids.quadTo(QPointF(8, 15.5), QPointF(1, 8))
    painter.drawPath(lids)
    painter.drawEllipse(QPointF(8, 8), 2.2, 2.2)


def _closed_eye(painter: QPainter) -> None:
    lid = QPainterPath(QPointF(1, 6.5))
    lid.quadTo(QPointF(8, 14), QPointF(15, 6.5))
    painter.drawPath(lid)
    for x0, y0, x1, y1 in ((3, 9, 1.6, 11), (8, 10.4, 8, 13), (13, 9, 14.4, 11)):
        painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))


def _pin(painter: QPainter) -> None:
    painter.drawPolyline(_lines((5, 2), (11, 2)))
    painter.drawPolyline(_lines((6, 2), (6, 7), (4, 9.5), (12, 9.5), (10, 7), (10, 2)))
    painter.drawLine(QPointF(8, 9.5), QPointF(8, 14.5))


def _cross(painter: QPainter) -> None:
    painter.drawLine(QPointF(4, 4), QPointF(12, 12))
    painter.drawLine(QPointF(12, 4), QPointF(4, 12))


def _plus(painter: QPainter) -> None:
    painter.drawLine(QPointF(8, 3), QPointF(8, 13))
    painter.drawLine(QPointF(3, 8), QPointF(13, 8))


def _minus(painter: QPainter) -> None:
    painter.drawLine(QPointF(3, 8), QPointF(13, 8))


def _left(painter: QPainter) -> None:
    painter.drawPolyline(_lines((10, 3), (5, 8), (10, 13)))


def _right(painter: QPainter) -> None:
    painter.drawPolyline(_lines((6, 3), (11, 8), (6, 13)))


def _folder(painter: QPainter) -> None:
    painter.drawPolygon(
        _lines((1.5, 13), (1.5, 3.5), (6, 3.5), (7.5, 5.5), (14.5, 5.5), (14.5, 13))
    )


def _fit_width(painter: QPainter) -> None:
    painter.drawRect(QRectF(2, 2.5, 12, 11))
    painter.drawPolyline(_lines((6, 6), (4, 8), (6, 10)))
    painter.drawPolyline(_lines((10, 6), (12, 8), (10, 10)))
    painter.drawLine(QPointF(4, 8), QPointF(12, 8))


def _fit_page(painter: QPainter) -> None:
    painter.drawRect(QRectF(3.5, 1.5, 9, 13))
    for y in (5, 8, 11):
        painter.drawLine(QPointF(6, y), QPointF(10, y))


def _chunk(painter: QPainter) -> None:
    painter.drawRect(QRectF(3, 2, 10, 4))
    painter.drawRect(QRectF(3, 10, 10, 4))
    painter.drawLine(QPointF(1, 8), QPointF(15, 8))


def _text(painter: QPainter) -> None:
    painter.drawLine(QPointF(8, 2.5), QPointF(8, 13.5))
    painter.drawPolyline(_lines((5.5, 2), (8, 2.5), (10.5, 2)))
    painter.drawPolyline(_lines((5.5, 14), (8, 13.5), (10.5, 14)))


def _hand(painter: QPainter) -> None:
    for x0, y0, x1, y1 in ((8, 1.5, 8, 14.5), (1.5, 8, 14.5, 8)):
        painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
    painter.drawPolyline(_lines((6, 3.5), (8, 1.5), (10, 3.5)))
    painter.drawPolyline(_lines((6, 12.5), (8, 14.5), (10, 12.5)))
    painter.drawPolyline(_lines((3.5, 6), (1.5, 8), (3.5, 10)))
    painter.drawPolyline(_lines((12.5, 6), (14.5, 8), (12.5, 10)))


def _layers(painter: QPainter) -> None:
    painter.drawPolygon(_lines((8, 1.5), (15, 5.5), (8, 9.5), (1, 5.5)))
    painter.drawPolyline(_lines((1, 8.5), (8, 12.5), (15, 8.5)))


def _notice(painter: QPainter) -> None:
    painter.drawPolygon(_lines((8, 2), (15, 14), (1, 14)))
    painter.drawLine(QPointF(8, 6.5), QPointF(8, 10))
    painter.drawPoint(QPointF(8, 12))


ICONS: dict[str, Draw] = {
    "eye": _eye,
    "closed eye": _closed_eye,
    "pin": _pin,
    "cross": _cross,
    "plus": _plus,
    "minus": _minus,
    "left": _left,
    "right": _right,
    "folder": _folder,
    "fit width": _fit_width,
    "fit page": _fit_page,
    "chunk": _chunk,
    "text": _text,
    "hand": _hand,
    "layers": _layers,
    "notice": _notice,
}


def icon(name: str, theme: Theme, *, name_off: str = "") -> QIcon:
    """The icon in the theme's colours; `name_off`: what a switch shows while it is off."""
    made = QIcon()
    states = {QIcon.State.Off: name_off or name}
    if name_off:  # else Qt takes the one that is there
        states[QIcon.State.On] = name
    for mode, colour in ((QIcon.Mode.Normal, theme.text), (QIcon.Mode.Disabled, theme.border)):
        for state, drawn in states.items():
            faint = theme.muted if state == QIcon.State.Off and name_off else colour
            shade = colour if mode == QIcon.Mode.Disabled else faint
            for ratio in _RATIOS:
                made.addPixmap(pixmap(drawn, shade, ratio=ratio), mode, state)
    return made


def pixmap(name: str, colour: QColor, *, ratio: float = 1.0) -> QPixmap:
    """The icon in one colour; `ratio` is device pixels per dip."""
    made = QPixmap(SIZE * ratio)
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(colour, 1.4)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    ICONS[name](painter)
    painter.end()
    return made
