# SPDX-License-Identifier: AGPL-3.0-or-later
"""Text files as pages: every character has its own box, and the ink lies in it."""

import numpy as np
import pytest
from hypothesis import given
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from core.document.geometry import offset_at
from core.document.model import Document
from gui.pages.text_pages import COLUMNS, cell_widths, paint_text_page, typeset
from tests.hostile import HOSTILE_TEXTS
from tests.strategies import texts


@pytest.mark.parametrize("name", [n for n, t in HOSTILE_TEXTS.items() if len(t) < 20_000])
def test_pages_hold_all_of_a_hostile_text(name):
    text = HOSTILE_TEXTS[name]
    shown = typeset(Document(text))
    assert shown.text == text
    assert shown.pages[0].start == 0
    assert shown.pages[-1].end == len(text)
    ends = [page.end for page in shown.pages[:-1]]
    assert ends == [page.start for page in shown.pages[1:]]


@given(text=texts)
def test_no_line_is_wider_than_the_page(text):
    shown = typeset(Document(text))
    geometry, widths = shown.geometry, cell_widths(text)
    for line in np.unique(geometry.line[geometry.line >= 0]).tolist():
        assert widths[geometry.line == line].sum() <= COLUMNS + 4  # a tab may stand at the end


@given(text=texts)
def test_cells_of_a_text_are_those_of_its_characters_one_by_one(text):
    assert cell_widths(text).tolist() == [int(cell_widths(each)[0]) for each in text]


def test_a_point_on_a_character_finds_it():
    shown = typeset(Document("alpha beta\n\ngamma delta\n"))
    geometry = shown.geometry
    for offset, character in enumerate(shown.text):
        if character.isspace():
            continue
        line = geometry.line[offset]
        x = geometry.lines.x[line] + (geometry.start[offset] + geometry.end[offset]) / 2
        y = geometry.lines.y[line] - 3
        assert offset_at(shown, 0, float(x), float(y)) == offset


def test_the_ink_of_a_character_lies_in_its_box(qapp):
    shown = typeset(Document("   W   \n"))
    image = paint_text_page(shown, 0, 4.0, QRectF(0, 0, 595, 842))
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)  # kept: the array is a view
    data = np.frombuffer(grey.constBits(), np.uint8)
    dark = data.reshape(image.height(), -1)[:, : image.width()] < 128
    rows, columns = np.nonzero(dark)
    line = shown.geometry.line[3]
    left = (shown.geometry.lines.x[line] + shown.geometry.start[3]) * 4
    right = (shown.geometry.lines.x[line] + shown.geometry.end[3]) * 4
    assert left - 4 <= columns.min() and columns.max() <= right + 4
    baseline = shown.geometry.lines.y[line] * 4
    assert baseline - 40 <= rows.min() and rows.max() <= baseline + 4
