# SPDX-License-Identifier: AGPL-3.0-or-later
"""Upright copies of pages, regions by the model, tables with their rows."""

import numpy as np
import pymupdf
import pytest

from core.document.client import PdfClient
from core.document.pdf_layout import upright_copy
from tests.core.document.made_pdfs import make_pdf

TABLE = """
page = document.new_page(width=500, height=400)
rows = [("Drug", "Dose", "Interval")]
rows += [(name, f"{dose} mg", f"{hours} h") for name, dose, hours in (
    ("Amoxicillin", 500, 8), ("Doxycycline", 100, 12), ("Azithromycin", 250, 24))]
for line in range(len(rows) + 1):
    page.draw_line((50, 100 + 30 * line), (410, 100 + 30 * line))
for column in range(4):
    page.draw_line((50 + 120 * column, 100), (50 + 120 * column, 220))
for y, row in enumerate(rows):
    for x, text in enumerate(row):
        page.insert_text((55 + 120 * x, 120 + 30 * y), text)
page.insert_text((50, 60), "Doses of the drugs of first choice in adults without renal failure")
"""


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (30, 40, 400, 380)])
@pytest.mark.parametrize("turned", [0, 90, 270])
def test_a_box_of_the_upright_copy_comes_back_to_the_page_as_shown(rotation, crop, turned):
    document = pymupdf.open()
    page = document.new_page(width=500, height=400)
    page.insert_text((200, 200), "upright words", rotate=turned)
    if crop:
        page.set_cropbox(pymupdf.Rect(crop))
    page.set_rotation(rotation)
    page = document[0]
    copy = upright_copy(document, page)
    (line,) = copy.page.get_text("dict")["blocks"][0]["lines"]
    assert np.allclose(line["dir"], (1, 0), atol=1e-4)
    shown = sorted(copy.shown(word[:4]) for word in copy.page.get_text("words"))
    matrix = page.rotation_matrix
    words = page.get_text("words")
    expected = sorted(tuple((pymupdf.Rect(word[:4]) * matrix).normalize()) for word in words)
    assert np.allclose(shown, expected, atol=0.1)
    assert page.rotation == rotation  # the page itself is untouched


@pytest.mark.slow
def test_a_table_has_its_rows_and_its_heading(tmp_path):
    path = make_pdf(tmp_path / "table.pdf", TABLE)
    with PdfClient(path, role="layout") as client:
        client.open()
        (table,) = client.tables(0)
    assert np.allclose(table.box, (50, 100, 410, 220), atol=2)
    assert [len(row) for row in table.rows] == [3, 3, 3, 3]
    assert table.header_rows == 1
    assert np.allclose(table.rows[2][1], (170, 160, 290, 190), atol=2)


@pytest.mark.slow
def test_rows_between_two_rules_are_split_where_their_cells_agree(tmp_path):
    body = TABLE.replace(
        "for line in range(len(rows) + 1):\n    page", "for line in (0, 1, 4):\n    page"
    )
    path = make_pdf(tmp_path / "table.pdf", body)
    with PdfClient(path, role="layout") as client:
        client.open()
        (table,) = client.tables(0)
    assert len(table.rows) == 4


@pytest.mark.slow
def test_the_model_finds_the_regions_of_a_page(tmp_path):
    path = make_pdf(tmp_path / "table.pdf", TABLE)
    with PdfClient(path, role="layout") as client:
        client.open()
        regions = client.layout(0)
    (table,) = [region for region in regions if region.kind == "table"]
    assert np.allclose((table.x0, table.y0), (57, 110), atol=15)
    assert np.allclose((table.x1, table.y1), (350, 212), atol=65)


@pytest.mark.slow
def test_a_page_without_rules_has_no_table(tmp_path):
    path = make_pdf(
        tmp_path / "prose.pdf",
        "page = document.new_page()\n"
        "text = 'One sentence follows another until the page is full of them. ' * 20\n"
        "page.insert_textbox(pymupdf.Rect(72, 72, 520, 700), text)\n",
    )
    with PdfClient(path, role="layout") as client:
        client.open()
        assert client.tables(0) == ()
