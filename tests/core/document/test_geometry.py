# SPDX-License-Identifier: AGPL-3.0-or-later
"""Offsets to boxes and back: the fast form against the plain one, at every direction."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.document.geometry import boxes_of, offset_at, span_boxes
from core.document.model import CharGeometry, Document, Lines, Page

ANGLES = (0, 33, 90, 180, 270)


def make_document(angles: list[int], owners: list[int], *, backwards: bool = False) -> Document:
    """Lines 40 points apart on page 0; owner −1 is a character without a glyph."""
    radians = np.radians(np.array(angles, float))
    count = len(angles)
    lines = Lines(
        np.zeros(count, np.int32),
        np.full(count, 500, np.float32),
        (300 + 40 * np.arange(count)).astype(np.float32),
        np.cos(radians).astype(np.float32),
        np.sin(radians).astype(np.float32),
        np.full(count, 8, np.float32),
        np.full(count, 2, np.float32),
    )
    line = np.array(owners, np.int32)
    place = np.zeros(len(owners), np.float32)
    for number in range(count):
        members = np.flatnonzero(line == number)
        place[members] = 5.0 * np.arange(len(members))
    start, end = (place + 5, place) if backwards else (place, place + 5)
    geometry = CharGeometry(line, start.astype(np.float32), end.astype(np.float32), lines)
    pages = (Page(0, 1000, 1000, 0, 0, len(owners)),)
    return Document(text="x" * len(owners), pages=pages, geometry=geometry)


def plain_boxes(document: Document, start: int, end: int) -> dict[int, tuple[float, ...]]:
    """The definition: for each line, the hull of the corners of its characters."""
    g = document.geometry
    assert g is not None
    found: dict[int, list[tuple[float, float]]] = {}
    for i in range(start, end):
        line = int(g.line[i])
        if line < 0:
            continue
        dx, dy = float(g.lines.dx[line]), float(g.lines.dy[line])
        for u in (float(g.start[i]), float(g.end[i])):
            for v in (-float(g.lines.ascent[line]), float(g.lines.descent[line])):
                x = float(g.lines.x[line]) + u * dx - v * dy
                y = float(g.lines.y[line]) + u * dy + v * dx
                found.setdefault(line, []).append((x, y))
    return {
        line: (
            min(x for x, _ in corners),
            min(y for _, y in corners),
            max(x for x, _ in corners),
            max(y for _, y in corners),
        )
        for line, corners in found.items()
    }


documents = st.builds(
    make_document,
    st.lists(st.sampled_from(ANGLES), min_size=4, max_size=4),
    st.lists(st.integers(-1, 3), min_size=1, max_size=40),
    backwards=st.booleans(),
)


@given(document=documents, data=st.data())
def test_boxes_equal_the_hull_of_the_characters_on_each_line(document, data):
    length = len(document.text)
    offsets = st.tuples(st.integers(0, length), st.integers(0, length)).map(sorted)
    spans = data.draw(st.lists(offsets, min_size=1, max_size=5))

    pieces = span_boxes(document.geometry, as_spans(spans))

    for owner, (start, end) in enumerate(spans):
        expected = plain_boxes(document, start, end)
        mine = pieces.owner == owner
        assert set(pieces.line[mine].tolist()) == set(expected)
        assert mine.sum() == len(expected)
        for line, box in zip(pieces.line[mine].tolist(), pieces.boxes[mine], strict=True):
            assert box == pytest.approx(expected[line], abs=1e-2)


@given(document=documents)
def test_the_middle_of_each_box_leads_back_to_its_character(document):
    g = document.geometry
    lines = [int(line) for line in g.line]
    for offset, line in enumerate(lines):
        if line < 0:
            assert len(span_boxes(g, as_spans([(offset, offset + 1)]))) == 0
            continue
        quad = span_boxes(g, as_spans([(offset, offset + 1)])).quads[0]
        x, y = quad.mean(axis=0)
        found = offset_at(document, 0, float(x), float(y))
        overlapping = {float(g.start[offset]), float(g.end[offset])}
        assert found is not None
        assert found == offset or (
            lines[found] != line or {float(g.start[found]), float(g.end[found])} == overlapping
        )


def test_a_quad_begins_at_the_top_of_its_start():
    document = make_document([90], [0, 0, 0])

    quad = span_boxes(document.geometry, as_spans([(0, 3)])).quads[0]

    expected = np.array([(508, 300), (508, 315), (498, 315), (498, 300)])
    assert quad == pytest.approx(expected, abs=1e-3)


def test_a_character_without_a_glyph_does_not_part_its_line():
    document = make_document([0], [0, -1, 0])

    assert len(span_boxes(document.geometry, as_spans([(0, 3)]))) == 1


def test_boxes_for_people_are_rounded():
    document = make_document([33], [0])

    (piece,) = boxes_of(document, 0, 1)

    assert piece["page"] == 0
    assert piece["box"] == [round(side, 2) for side in piece["box"]]


def test_text_without_geometry_has_no_boxes():
    assert boxes_of(Document("abc"), 0, 3) == []
    assert offset_at(Document("abc"), 0, 1.0, 1.0) is None


def test_a_far_point_finds_nothing_when_a_limit_is_set():
    document = make_document([0], [0])

    assert offset_at(document, 0, 500.0, 400.0, within=50) is None
    assert offset_at(document, 0, 500.0, 330.0, within=50) == 0
    assert offset_at(document, 7, 500.0, 300.0) is None
    assert math.isfinite(document.geometry.lines.x[0])
