# SPDX-License-Identifier: AGPL-3.0-or-later
"""Painters of overlays: functions of painter, geometry and style. They read nothing else.

Points of the page go through `transform` to the canvas, so that widths and hatches stay in dip
at every zoom and rotation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
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
FLAG_REACH = 60.0  # dip beyond the page, in its margin
MARGIN = 6.0  # width of the strip of heat at the page's right edge
BADGE = 18.0
CLIP_MARGIN = 8.0  # how far a shape's strokes and badges reach beyond its points, dip
END_DASH = (2.0, 3.0)  # of the end of a chunk after which text is in no chunk
STRAIGHT = 1e-3  # dip
_HALO = QColor(255, 255, 255, 210)


@dataclass(frozen=True, slots=True)
class Label:
    """A tab or badge that was painted: its place on the canvas and what it stands for."""

    box: QRectF
    kind: str  # "cut", "hit", "gold"
    index: int


def seen(painter: QPainter, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which shapes, float64 (k, n, 2) on the canvas, are at the height of the clip: bool (k,)."""
    if not painter.hasClipping():
        return np.ones(len(points), dtype=np.bool_)
    clip = painter.clipBoundingRect()
    low, high = points.min(axis=1), points.max(axis=1)
    return (high[:, 1] >= clip.top() - CLIP_MARGIN) & (low[:, 1] <= clip.bottom() + CLIP_MARGIN)


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


def widened(shapes: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """Quads on the canvas, float64 (k, 4, 2), that reach `reach` dip further along the text."""
    along = shapes[:, 1] - shapes[:, 0]
    step = reach * along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-6)
    return np.stack(
        [shapes[:, 0] - step, shapes[:, 1] + step, shapes[:, 2] + step, shapes[:, 3] - step],
        axis=1,
    )


def paint_fills(
    painter: QPainter,
    pieces: Pieces,
    transform: QTransform,
    colours: Sequence[QColor],
    which: NDArray[np.int64],
) -> None:
    """Tint the pieces; `which`, int64 (k,), points into `colours`."""
    shapes = mapped(pieces.quads, transform)
    are_seen = seen(painter, shapes) if len(shapes) else np.empty(0, dtype=np.bool_)
    for index in np.unique(which[are_seen]).tolist():
        # One path a colour: where two lines touch, a translucent tint must not count twice.
        painter.fillPath(path_of(shapes[are_seen & (which == index)]), colours[index])


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
    if not len(pieces):
        return
    shapes = mapped(pieces.quads, transform)
    shapes = shapes[seen(painter, shapes)]
    painter.setPen(QPen(colour, 1))
    lines: list[QLineF] = []
    boxes = np.concatenate([shapes.min(axis=1), shapes.max(axis=1)], axis=1)
    for box in boxes.tolist():
        lines += [QLineF(*ends) for ends in hatch_lines(box, pitch, falling=falling)]
    painter.drawLines(lines)


def hatch_lines(
    box: Sequence[float], pitch: float, *, falling: bool
) -> list[tuple[float, float, float, float]]:
    """Ends (x0, y0, x1, y1) of the lines of a hatch inside a box (left, top, right, bottom).

    The lines lie on one grid for all boxes, so that the hatch goes on from line to line.
    """
    left, top, right, bottom = box
    # A rising line has x + y = c, a falling one x − y = c, with c a multiple of the step.
    least, most = (left - bottom, right - top) if falling else (left + top, right + bottom)
    step = pitch * 2**0.5
    c = np.arange(np.ceil(least / step), np.floor(most / step) + 1) * step
    if falling:
        x0, x1 = np.maximum(left, top + c), np.minimum(right, bottom + c)
        ends = np.stack([x0, x0 - c, x1, x1 - c], axis=1)
    else:
        x0, x1 = np.maximum(left, c - bottom), np.minimum(right, c - top)
        ends = np.stack([x0, c - x0, x1, c - x1], axis=1)
    made: list[tuple[float, float, float, float]] = ends[x1 > x0].tolist()
    return made


def paint_outline(
    painter: QPainter, pieces: Pieces, transform: QTransform, colour: QColor, width: float
) -> None:
    """Draw the outline of the pieces' union, with a light halo outside."""
    if not len(pieces):
        return
    shapes = mapped(pieces.quads, transform)
    # Outside the words, so that neither line nor halo hides a letter.
    path = path_of(widened(shapes[seen(painter, shapes)], width)).simplified()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_HALO, width + 2))
    painter.drawPath(path)
    painter.setPen(QPen(colour, width))
    painter.drawPath(path)


def paint_dots(painter: QPainter, pieces: Pieces, transform: QTransform, colour: QColor) -> None:
    """Draw a dotted line around each piece."""
    shapes = mapped(pieces.quads, transform)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
    painter.drawPath(path_of(shapes[seen(painter, shapes)]))


def paint_boxes(
    painter: QPainter,
    boxes: Sequence[tuple[str, tuple[float, float, float, float]]],
    transform: QTransform,
    *,
    ink: QColor,
    font: QFont,
) -> None:
    """Draw boxes (x0, y0, x1, y1, points) with a word over the left top corner of each."""
    painter.setFont(font)
    paper = QColor(255, 255, 255, 200)
    for word, (x0, y0, x1, y1) in boxes:
        box = transform.mapRect(QRectF(x0, y0, x1 - x0, y1 - y0)).adjusted(-2, -2, 2, 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 1))
        painter.drawRect(box)
        width = QFontMetricsF(font).horizontalAdvance(word) + 6
        flag = QRectF(box.left() - width, box.top(), width, TAB_HEIGHT)
        painter.fillRect(flag, paper)
        painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, word.replace("_", " "))


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
    if not len(cuts):
        return
    paths = mapped(cuts.paths, transform)
    are_seen = seen(painter, paths)
    is_strong = (cuts.chunks == strong) & ~cuts.is_end
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for rows, pen in (
        (~is_strong & ~cuts.is_end, _cut_pen(colour, width, dash)),
        (is_strong, _cut_pen(colour, width + 1, dash)),
        (cuts.is_end, _cut_pen(colour, width, END_DASH)),
    ):
        painter.setPen(pen)
        _draw_paths(painter, paths[rows & are_seen], pen.widthF())


def _cut_pen(colour: QColor, width: float, dash: Sequence[float]) -> QPen:
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dash:
        pen.setDashPattern(list(dash))
    return pen


def _draw_paths(painter: QPainter, paths: NDArray[np.float64], width: float) -> None:
    """Draw paths, float64 (k, 4, 2), as single lines: a tenth of the time of polylines."""
    is_straight = np.abs(paths[:, 0] - paths[:, 3]).min(axis=1) < STRAIGHT
    stepped = paths[~is_straight].copy()
    # The step reaches over the lines that it joins, so that its corners are closed.
    step = stepped[:, 2] - stepped[:, 1]
    reach = step / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-9) * width / 2
    rises = np.stack([stepped[:, 1] - reach, stepped[:, 2] + reach], axis=1)
    lines = np.concatenate(
        [paths[is_straight][:, [0, 3]], stepped[:, [0, 1]], rises, stepped[:, [2, 3]]]
    )
    painter.drawLines([QLineF(*ends) for ends in lines.reshape(-1, 4).tolist()])


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
    clip = painter.clipBoundingRect().adjusted(-2, -2, 2, 2)
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
        if not painter.hasClipping() or clip.intersects(box):
            is_strong = chunk == strong
            painter.setPen(QPen(ink, 1))
            painter.setBrush(ink if is_strong else paper)
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(paper if is_strong else ink)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        tabs.append(Label(box, "cut", chunk))
        taken = y + TAB_HEIGHT / 2
    return tabs


def paint_flags(
    painter: QPainter,
    lines: CutLines,
    transform: QTransform,
    page_box: QRectF,
    text: str,
    *,
    ink: QColor,
    paper: QColor,
    font: QFont,
    beside: Sequence[Label] = (),
) -> None:
    """Write a word at the right edge of a page where each of some lines is, if there is room.

    `beside`: the tabs that are there already; the word goes below one in its way.
    """
    painter.setFont(font)
    width = QFontMetricsF(font).horizontalAdvance(text) + 10
    taken = -1e9
    for y in np.sort(mapped(lines.paths[:, 3], transform)[:, 1]).tolist():
        if y - TAB_HEIGHT / 2 < taken + TAB_GAP:
            continue
        top = min(y - TAB_HEIGHT / 2, page_box.bottom() - TAB_HEIGHT)
        box = QRectF(page_box.right() + FLAG_REACH - width, top, width, TAB_HEIGHT)
        for label in beside:
            if label.box.intersects(box):
                box.moveTop(label.box.bottom() + TAB_GAP)
        painter.setPen(QPen(ink, 1, Qt.PenStyle.DashLine))
        painter.setBrush(paper)
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(ink)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        taken = box.bottom()


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
    if len(cuts):
        paths = mapped(cuts.paths, transform)
        heights = paths[seen(painter, paths), 3, 1].tolist()
        painter.setPen(QPen(colour, 2))
        left, right = lane.left() + 1, lane.right() - 1
        painter.drawLines([QLineF(left, y, right, y) for y in heights])


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
    sides = mapped(pieces.quads[:, [0, 3]], transform).reshape(-1, 4).tolist()
    painter.drawLines([QLineF(*ends) for ends in sides])


def paint_margin(
    painter: QPainter,
    pieces: Pieces,
    transform: QTransform,
    box: QRectF,
    colours: Mapping[int, QColor],
) -> None:
    """Fill a narrow strip at the right of the page beside the pieces of each owner."""
    if not len(pieces):
        return
    heights = mapped(pieces.quads, transform)[..., 1]
    for owner, colour in colours.items():
        own = heights[pieces.owners == owner]
        top, foot = float(own.min()), float(own.max())
        painter.fillRect(QRectF(box.right() - MARGIN, top, MARGIN, foot - top), colour)


def paint_arcs(
    painter: QPainter,
    entities: Pieces,
    pronouns: Pieces,
    transform: QTransform,
    box: QRectF,
    *,
    are_lost: NDArray[np.bool_],
    colours: tuple[QColor, QColor],
) -> None:
    """Draw an arc for each reference; one whose other end is on another page leaves the page.

    Pieces with the same owner are the two ends of one reference; `colours` are those of kept and
    of lost ones.
    """
    places = [_middles(pieces, transform) for pieces in (entities, pronouns)]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for owner in sorted(places[0].keys() | places[1].keys()):
        is_lost = bool(are_lost[owner])
        painter.setPen(QPen(colours[is_lost], 1.6 if is_lost else 1.0))
        first, second = places[0].get(owner), places[1].get(owner)
        if first is None and second is not None:
            first = QPointF(second.x(), box.top())
        if second is None and first is not None:
            second = QPointF(first.x(), box.bottom())
        if first is None or second is None:
            continue
        bend = max(10.0, min(60.0, abs(second.y() - first.y()) / 2))
        path = QPainterPath(first)
        if abs(second.y() - first.y()) < bend:  # on one line: over the text
            path.cubicTo(first - QPointF(0, bend), second - QPointF(0, bend), second)
        else:
            path.cubicTo(first - QPointF(bend, 0), second - QPointF(bend, 0), second)
        painter.drawPath(path)
        painter.drawEllipse(second, 2.0, 2.0)


def _middles(pieces: Pieces, transform: QTransform) -> dict[int, QPointF]:
    """The middle of the upper edge of the first piece of each owner."""
    found: dict[int, QPointF] = {}
    edges = mapped(pieces.quads[:, :2], transform).mean(axis=1) if len(pieces) else np.empty((0, 2))
    for owner, (x, y) in zip(pieces.owners.tolist(), edges.tolist(), strict=True):
        found.setdefault(owner, QPointF(x, y))
    return found


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


def path_of(shapes: NDArray[np.float64]) -> QPainterPath:
    """One path of quads on the canvas, float64 (k, 4, 2); where they overlap it is filled once."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    low, high = shapes.min(axis=1), shapes.max(axis=1)
    # Upright quads, nearly all, are rectangles: one call each instead of seven.
    is_upright = (
        (np.abs(shapes - low[:, None]) < STRAIGHT) | (np.abs(shapes - high[:, None]) < STRAIGHT)
    ).all(axis=(1, 2))
    for left, top, width, height in np.concatenate([low, high - low], axis=1)[is_upright].tolist():
        path.addRect(left, top, width, height)
    for quad in shapes[~is_upright].tolist():
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in quad]))
        path.closeSubpath()
    return path
