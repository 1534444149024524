# SPDX-License-Identifier: AGPL-3.0-or-later
"""Painters on an image: each colours its own place and no other."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QTransform

from gui.pages import painters
from gui.pages.overlay import CutLines, Pieces

BLACK, RED, WHITE = QColor("black"), QColor("red"), QColor("white")
HERE = QTransform()


def quad(left: float, top: float, right: float, bottom: float) -> list[list[float]]:
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def pieces(*boxes: tuple[float, float, float, float]) -> Pieces:
    quads = np.array([quad(*box) for box in boxes], np.float32).reshape(-1, 4, 2)
    return Pieces(quads, np.arange(len(boxes)))


def line_cut(left: float, right: float, y: float, chunk: int = 1) -> CutLines:
    path = [[left, y], [left, y], [left, y], [right, y]]
    return CutLines(np.array([path], np.float32), np.array([chunk]), np.array([False]))


@pytest.fixture
def paint(qapp):  # texts need fonts
    """Paint on 40 × 40 white pixels; return which are not white, bool (40, 40)."""

    def run(act) -> np.ndarray:
        image = QImage(40, 40, QImage.Format.Format_RGB32)
        image.fill(WHITE)
        painter = QPainter(image)
        act(painter)
        painter.end()
        data = np.frombuffer(image.constBits(), np.uint8).reshape(40, 40, 4)[..., :3]
        return (data != 255).any(axis=2)

    return run


def test_a_fill_colours_its_box(paint):
    marked = paint(
        lambda p: painters.paint_fills(p, pieces((5, 5, 15, 9)), HERE, [RED], np.array([0]))
    )
    expected = np.zeros((40, 40), bool)
    expected[5:9, 5:15] = True
    assert np.array_equal(marked, expected)


def test_boxes_of_one_colour_that_overlap_are_tinted_once():
    tint = QColor(0, 0, 0, 128)
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    image.fill(WHITE)
    painter = QPainter(image)
    both = pieces((2, 2, 18, 10), (2, 8, 18, 16))
    painters.paint_fills(painter, both, HERE, [tint], np.array([0, 0]))
    painter.end()
    assert image.pixelColor(10, 9) == image.pixelColor(10, 4)


def test_a_cut_line_colours_its_own_rows_and_no_other(paint):
    marked = paint(lambda p: painters.paint_cuts(p, line_cut(4, 36, 20), HERE, BLACK, width=2))
    assert set(np.flatnonzero(marked.any(axis=1)).tolist()) == {19, 20}
    assert set(np.flatnonzero(marked.any(axis=0)).tolist()) == set(range(4, 36))


def test_a_cut_inside_a_line_is_drawn_as_a_step(paint):
    path = np.array([[[4, 30], [20, 30], [20, 10], [36, 10]]], np.float32)
    cuts = CutLines(path, np.array([1]), np.array([False]))
    marked = paint(lambda p: painters.paint_cuts(p, cuts, HERE, BLACK, width=2))
    assert marked[30, 10] and marked[20, 20] and marked[10, 30]
    assert not marked[10, 10] and not marked[30, 30]


def test_the_cut_that_is_pointed_at_is_wider(paint):
    thin = paint(lambda p: painters.paint_cuts(p, line_cut(4, 36, 20), HERE, BLACK, width=2))
    wide = paint(
        lambda p: painters.paint_cuts(p, line_cut(4, 36, 20), HERE, BLACK, width=2, strong=1)
    )
    assert wide.sum() > thin.sum()


def test_a_dashed_cut_has_gaps(paint):
    marked = paint(
        lambda p: painters.paint_cuts(p, line_cut(0, 40, 20), HERE, BLACK, width=2, dash=(2, 2))
    )
    row = marked[20]
    assert row.any() and not row.all()


@pytest.mark.parametrize("falling", [False, True], ids=["rising", "falling"])
def test_a_hatch_stays_inside_its_box_and_goes_on_in_the_next(falling):
    one = painters.hatch_lines((0, 0, 40, 40), 6, falling=falling)
    upper = painters.hatch_lines((0, 0, 40, 20), 6, falling=falling)
    lower = painters.hatch_lines((0, 20, 40, 40), 6, falling=falling)
    for x0, y0, x1, y1 in one:
        assert 0 <= x0 < x1 <= 40
        assert abs(y1 - y0) == pytest.approx(x1 - x0)
    constants = {round(x0 - y0 if falling else x0 + y0, 6) for x0, y0, _, _ in one}
    for x0, y0, _, _ in upper + lower:
        assert round(x0 - y0 if falling else x0 + y0, 6) in constants


def test_tabs_that_would_overlap_are_left_out(paint):
    close = CutLines(
        np.array([[[0, y]] * 4 for y in (100, 104, 140)], np.float32),
        np.array([1, 2, 3]),
        np.zeros(3, bool),
    )
    made = []

    def act(painter: QPainter) -> None:
        made.extend(
            painters.paint_tabs(
                painter, close, HERE, QRectF(0, 0, 10, 200), ink=BLACK, paper=WHITE, font=QFont()
            )
        )

    paint(act)
    assert [tab.index for tab in made] == [1, 3]


def test_tabs_out_of_the_clip_are_still_found(paint):
    made = []

    def act(painter: QPainter) -> None:
        painter.setClipRect(QRectF(0, 0, 40, 2))
        made.extend(
            painters.paint_tabs(
                painter,
                line_cut(0, 30, 30),
                HERE,
                QRectF(0, 0, 10, 40),
                ink=BLACK,
                paper=WHITE,
                font=QFont(),
            )
        )

    marked = paint(act)
    assert len(made) == 1
    assert not marked.any()


def test_a_lane_has_a_tick_at_each_cut(paint):
    marked = paint(
        lambda p: painters.paint_lane(
            p, line_cut(20, 30, 12), HERE, QRectF(2, 0, 8, 40), BLACK, is_strong=True
        )
    )
    assert marked[12, 4] and not marked[20, 4]


def test_shapes_out_of_the_clip_are_not_drawn(paint):
    seen = {}

    def act(painter: QPainter) -> None:
        painter.setClipRect(QRectF(0, 0, 40, 10))
        quads = pieces((2, 2, 8, 6), (2, 30, 8, 36)).quads.astype(float)
        seen["rows"] = painters.seen(painter, quads).tolist()

    paint(act)
    assert seen["rows"] == [True, False]


def test_grown_boxes_reach_further_across_the_text_only():
    wide = painters.grown(pieces((10, 10, 60, 40)).quads, 2.0)
    assert wide[0].tolist() == [[10, 8], [60, 8], [60, 42], [10, 42]]


@pytest.mark.parametrize("name", ["#FFE08A", "#0072B2"])
def test_colours_on_paper_are_dark_enough_to_be_seen(name):
    assert painters.for_paper(QColor(name)).lightnessF() <= 0.6


def test_the_outline_lies_outside_the_words(paint):
    marked = paint(lambda p: painters.paint_outline(p, pieces((10, 10, 30, 20)), HERE, BLACK, 2))
    assert not marked[12:18, 11:29].any()
    assert marked[15, 8] and marked[15, 31]


def test_widened_boxes_reach_further_along_the_text_only():
    wide = painters.widened(pieces((10, 10, 60, 40)).quads.astype(float), 2.0)
    assert wide[0].tolist() == [[8, 10], [62, 10], [62, 40], [8, 40]]
