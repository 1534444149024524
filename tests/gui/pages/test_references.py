# SPDX-License-Identifier: AGPL-3.0-or-later
"""Arcs of references and the margin of heat, as they are painted."""

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform

from gui.pages.overlay import Pieces
from gui.pages.painters import MARGIN, paint_arcs, paint_margin

KEPT, LOST = QColor("#0000ff"), QColor("#ff0000")
BOX = QRectF(0, 0, 200, 200)


def piece(owner: int, x: float, y: float) -> Pieces:
    quad = np.array([[[x, y], [x + 20, y], [x + 20, y + 10], [x, y + 10]]], np.float32)
    return Pieces(quad, np.array([owner]))


def joined(*pieces: Pieces) -> Pieces:
    return Pieces(
        np.concatenate([each.quads for each in pieces]),
        np.concatenate([each.owners for each in pieces]),
    )


def canvas() -> QImage:
    image = QImage(200, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    return image


def count(image: QImage, colour: QColor) -> int:
    """Pixels of a colour."""
    rows = range(image.height())
    return sum(image.pixelColor(x, y) == colour for y in rows for x in range(image.width()))


def painted_arcs(entities: Pieces, pronouns: Pieces, are_lost: list[bool]) -> QImage:
    image = canvas()
    painter = QPainter(image)
    paint_arcs(
        painter,
        entities,
        pronouns,
        QTransform(),
        BOX,
        are_lost=np.array(are_lost),
        colours=(KEPT, LOST),
    )
    painter.end()
    return image


def test_a_reference_that_is_cut_is_red_and_one_that_is_kept_is_not(qapp) -> None:
    entities = joined(piece(0, 20, 30), piece(1, 160, 30))
    pronouns = joined(piece(0, 20, 150), piece(1, 160, 150))
    image = painted_arcs(entities, pronouns, [False, True])
    left, right = image.copy(0, 0, 95, 200), image.copy(105, 0, 95, 200)
    assert count(left, KEPT) > 20
    assert count(left, LOST) == 0
    assert count(right, LOST) > 20
    assert count(right, KEPT) == 0


def test_an_end_on_the_page_before_leaves_the_page_at_its_top(qapp) -> None:
    none = Pieces(np.empty((0, 4, 2), np.float32), np.empty(0, np.int64))
    image = painted_arcs(none, piece(0, 60, 120), [True])
    assert count(image.copy(0, 0, 200, 60), LOST) > 5
    assert count(image.copy(0, 130, 200, 70), LOST) == 0


def test_the_margin_is_as_high_as_the_chunk(qapp) -> None:
    image = canvas()
    painter = QPainter(image)
    pieces = joined(piece(4, 20, 50), piece(4, 20, 80), piece(7, 20, 120))
    paint_margin(painter, pieces, QTransform(), BOX, {4: LOST, 7: KEPT})
    painter.end()
    assert count(image, LOST) == 40 * MARGIN
    assert count(image, KEPT) == 10 * MARGIN
