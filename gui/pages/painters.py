# SPDX-License-Identifier: AGPL-3.0-or-later
"""Painters of overlays: functions of painter, geometry and style. They read nothing else.

Points of the page go through `transform` to the canvas, so that widths and hatches stay in dip
at every zoom and rotation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QTransform,
)

from gui.pages.overlay import CutLines, Pieces, Quads

TAB_HEIGHT = 16.0
TAB_GAP = 2.0
BADGE = 18.0
_HALO = QColor(255, 255, 255, 210)


@dataclass(frozen=True, slots=True)
class Label:
    """A tab or badge that was painted: its place on the canvas and what it stands for."""

    box: QRectF
    kind: str  # "cut", "hit", "gold"
    index: int


def polygons(quads: Quads, transform: QTransform) -> list[QPolygonF]:
    """The quads on the canvas."""
    return [
        QPolygonF([QPointF(x, y) for x, y in quad]) for quad in mapped(quads, transform).tolist()
    ]


def mapped(points: NDArray[np.float32], transform: QTransform) -> NDArray[np.float64]:
    """float64, the shape of `points` (…, 2): the points on the canvas, dip."""
    x, y = points[..., 0].astype(np.float64), points[..., 1].astype(np.float64)
    t = transform
    return np.stack(
        [t.m11() * x + t.m21() * y + t.dx(), t.m12() * x + t.m22() * y + t.dy()], axis=-1
    )


def grown(quads: Quads, padding: float) -> Quads:
    """float32 (k, 4, 2): quads that reach `padding` further across the text (points)."""
    across = quads[:, 3] - quads[:, 0]
    length = np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-6)
    reach = np.minimum(padding, 0.12 * length) * across / length
    bigger = quads.copy()
    bigger[:, :2] -= reach[:, None]
    bigger[:, 2:] += reach[:, None]
    return bigger


def paint_fills(
    painter: QPainter,
    pieces: Pieces,
    transform: QTransform,
    colours: Sequence[QColor],
    which: NDArray[np.int64],
) -> None:
    """Tint the pieces; `which`, int64 (k,), points into `colours`."""
    shapes = polygons(pieces.quads, transform)
    for index in np.unique(which).tolist():
        # One path a colour: where two lines touch, a translucent tint must not count twice.
        path = _path([shapes[k] for k in np.flatnonzero(which == index).tolist()])
        painter.fillPath(path, colours[index])


def paint_hatch(
    painter: QPainter,
    pieces: Pieces,
    transform: QTransform,
    colour: QColor,
    *,
    pitch: float,
    falling: bool,
) -> None:
    """Hatch the pieces at 45° (`falling`: 135°) with lines `pitch` dip apart."""
    for shape in polygons(pieces.quads, transform):
        box = shape.boundingRect()
        painter.save()
        painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(colour, 1))
        height, step = box.height(), pitch * 2**0.5
        first = int((box.left() - height) // step) * step
        x = first
        while x < box.right() + height:
            if falling:
                painter.drawLine(QPointF(x, box.top()), QPointF(x + height, box.bottom()))
            else:
                painter.drawLine(QPointF(x, box.bottom()), QPointF(x + height, box.top()))
            x += step
        painter.restore()


def paint_outline(
    painter: QPainter, pieces: Pieces, transform: QTransform, colour: QColor, width: float
) -> None:
    """Draw the outline of the pieces' union, with a light halo outside."""
    if not len(pieces):
        return
    path = _path(polygons(pieces.quads, transform)).simplified()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_HALO, width + 2))
    painter.drawPath(path)
    painter.setPen(QPen(colour, width))
    painter.drawPath(path)


def paint_cuts(
    painter: QPainter,
    cuts: CutLines,
    transform: QTransform,
    colour: QColor,
    *,
    width: float,
    dash: Sequence[float] = (),
    strong: int = -1,
) -> None:
    """Draw the cut lines; the one of chunk `strong` is drawn wider."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for path, chunk, is_end in zip(
        mapped(cuts.paths, transform).tolist(),
        cuts.chunks.tolist(),
        cuts.is_end.tolist(),
        strict=True,
    ):
        pen = QPen(colour, width + 1 if chunk == strong and not is_end else width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if is_end:
            pen.setDashPattern([2, 3])
        elif dash:
            pen.setDashPattern(list(dash))
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in path]))


def paint_tabs(
    painter: QPainter,
    cuts: CutLines,
    transform: QTransform,
    page_box: QRectF,
    *,
    ink: QColor,
    paper: QColor,
    font: QFont,
    strong: int = -1,
) -> list[Label]:
    """Draw "12│13" in the right margin at each cut where there is room; return the tabs."""
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    taken = -1e9
    tabs: list[Label] = []
    places = mapped(cuts.paths[:, 3], transform)
    order = np.argsort(places[:, 1], kind="stable")
    for k in order.tolist():
        chunk, y = int(cuts.chunks[k]), float(places[k, 1])
        if cuts.is_end[k] or y - TAB_HEIGHT / 2 < taken + TAB_GAP:
            continue
        text = f"{chunk}│{chunk + 1}" if chunk else "1"
        box = QRectF(
            page_box.right() + 4,
            y - TAB_HEIGHT / 2,
            metrics.horizontalAdvance(text) + 10,
            TAB_HEIGHT,
        )
        is_strong = chunk == strong
        painter.setPen(QPen(ink, 1))
        painter.setBrush(ink if is_strong else paper)
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(paper if is_strong else ink)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        tabs.append(Label(box, "cut", chunk))
        taken = y + TAB_HEIGHT / 2
    return tabs


def paint_lane(
    painter: QPainter,
    cuts: CutLines,
    transform: QTransform,
    lane: QRectF,
    colour: QColor,
    *,
    is_strong: bool,
) -> None:
    """Draw one strategy's lane beside a page: a rail and a tick at each of its cuts."""
    rail = QColor(colour)
    rail.setAlphaF(0.9 if is_strong else 0.35)
    painter.setPen(QPen(rail, 1))
    middle = lane.center().x()
    painter.drawLine(QPointF(middle, lane.top()), QPointF(middle, lane.bottom()))
    painter.setPen(QPen(colour, 2))
    for x, y in mapped(cuts.paths[:, 3], transform).tolist():
        del x
        painter.drawLine(QPointF(lane.left() + 1, y), QPointF(lane.right() - 1, y))


def paint_badges(
    painter: QPainter,
    places: Mapping[int, tuple[float, float]],
    *,
    ink: QColor,
    paper: QColor,
    font: QFont,
    is_exact: bool,
) -> list[Label]:
    """Draw rank badges; `places` gives the centre of each rank's badge on the canvas."""
    painter.setFont(font)
    badges = []
    for rank, (x, y) in places.items():
        box = QRectF(x - BADGE / 2, y - BADGE / 2, BADGE, BADGE)
        pen = QPen(ink, 2 if rank <= 5 else 1)
        if not is_exact:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(QBrush(ink if rank == 1 else paper))
        painter.drawRect(box)
        painter.setPen(paper if rank == 1 else ink)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(rank))
        badges.append(Label(box, "hit", rank))
    return badges


def paint_bars(
    painter: QPainter, pieces: Pieces, transform: QTransform, colour: QColor, width: float
) -> None:
    """Draw a bar at the start of each piece, along the lines: the mark of a hit."""
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    for quad in mapped(pieces.quads, transform).tolist():
        painter.drawLine(QPointF(*quad[0]), QPointF(*quad[3]))


def paint_underlines(
    painter: QPainter, pieces: Pieces, transform: QTransform, colour: QColor
) -> None:
    """Draw a double underline below the pieces: the mark of a gold passage."""
    painter.setPen(QPen(colour, 1.2))
    for quad in mapped(pieces.quads, transform).tolist():
        (x0, y0), (x1, y1) = quad[3], quad[2]
        painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
        top = quad[0]
        height = max(1.0, ((x0 - top[0]) ** 2 + (y0 - top[1]) ** 2) ** 0.5)
        ux, uy = (x0 - top[0]) / height, (y0 - top[1]) / height
        painter.drawLine(
            QPointF(x0 + 2.5 * ux, y0 + 2.5 * uy), QPointF(x1 + 2.5 * ux, y1 + 2.5 * uy)
        )


def for_paper(colour: QColor) -> QColor:
    """The colour, darkened where it is too light to be seen as a line on a white page."""
    return colour.darker(150) if colour.lightnessF() > 0.6 else colour


def _path(shapes: Sequence[QPolygonF]) -> QPainterPath:
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    for shape in shapes:
        path.addPolygon(shape)
        path.closeSubpath()
    return path
