# SPDX-License-Identifier: AGPL-3.0-or-later
"""The rules by which characters become glyphs, on small PDFs that are made here."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.document.client import PdfClient
from core.document.page_notices import collect_notices
from core.document.raw import BOLD, INVISIBLE, ITALIC, MONO, SUPERSCRIPT, RawPage
from tests.core.document.made_pdfs import make_pdf, page_lines, page_text, word_box

Reader = Callable[[str], list[RawPage]]


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Reader]:
    """Make a PDF of PyMuPDF statements and read all its pages."""
    clients = []

    def pages(body: str, save: str = "") -> list[RawPage]:
        client = PdfClient(make_pdf(tmp_path / "made.pdf", body, save))
        clients.append(client)
        return list(client.raw_pages(range(client.open().page_count)))

    yield pages
    for client in clients:
        client.close()


PAGE = "page = document.new_page(width=300, height=200)\n"


def test_a_word_is_as_wide_as_its_letters(read):
    (page,) = read(PAGE + "page.insert_text((50, 100), 'Alpha beta', fontsize=12)\n")
    assert page_text(page) == "Alpha beta"
    assert word_box(page, "beta") == (84, 87, 107, 104)


@pytest.mark.parametrize(
    ("rotation", "box"),
    [(0, (50, 87, 80, 104)), (90, (96, 50, 113, 80)), (180, (220, 96, 250, 113))],
)
def test_boxes_follow_the_rotation_of_the_page(read, rotation, box):
    body = PAGE + "page.insert_text((50, 100), 'Alpha', fontsize=12)\n"  # 2.557 em wide
    (page,) = read(body + f"page.set_rotation({rotation})\n")
    found = word_box(page, "Alpha")
    assert np.allclose(found, box, atol=1)
    assert page.rotation == rotation


def test_a_crop_moves_the_origin_and_hides_what_is_outside(read):
    (page,) = read(
        PAGE
        + "page.insert_text((60, 100), 'seen', fontsize=12)\n"
        + "page.insert_text((260, 190), 'hidden', fontsize=12)\n"
        + "page.set_cropbox(pymupdf.Rect(50, 50, 200, 150))\n"
    )
    assert (page.width, page.height) == (150, 100)
    assert page_text(page).strip() == "seen"
    assert word_box(page, "seen")[0] == 10
    assert page.counts["outside"] == len("hidden")


def test_a_space_that_is_drawn_by_itself_stays(read):
    (page,) = read(
        PAGE
        + "x = 50\n"
        + "for text, size in (('one', 12), (' ', 3), ('two', 12)):\n"  # 0.8 pt: no gap to see
        + "    page.insert_text((x, 100), text, fontsize=size)\n"
        + "    x += pymupdf.get_text_length(text, fontsize=size)\n"
    )
    assert page_text(page) == "one two"


def test_text_that_is_drawn_twice_counts_once(read):
    (page,) = read(
        PAGE
        + "page.insert_text((50, 100), 'all well', fontsize=12)\n"
        + "page.insert_text((51, 100.6), 'all well', fontsize=12)\n"
    )
    assert page_text(page).strip() == "all well"
    assert page.counts["double"] == len("allwell")


def test_double_letters_stay(read):
    (page,) = read(PAGE + "page.insert_text((50, 100), 'Illinois will fill', fontsize=5)\n")
    assert page_text(page) == "Illinois will fill"


def test_words_at_the_same_place_in_another_size_stay(read):
    (page,) = read(
        PAGE
        + "page.insert_text((50, 100), 'A', fontsize=60)\n"
        + "page.insert_text((52, 100), 'A', fontsize=10)\n"
    )
    assert sorted(page_text(page).replace(" ", "")) == ["A", "A"]


def test_font_and_size_make_runs_with_their_style(read):
    (page,) = read(
        PAGE
        + "page.insert_text((20, 50), 'plain', fontname='helv')\n"
        + "page.insert_text((20, 80), 'bold', fontname='hebo')\n"
        + "page.insert_text((20, 110), 'italic', fontname='tiit')\n"
        + "page.insert_text((20, 140), 'mono', fontname='cour')\n"
    )
    styles = dict(zip(page_lines(page), page.runs.flags.tolist(), strict=True))
    assert styles == {"plain": 0, "bold": BOLD, "italic": ITALIC, "mono": MONO}


def test_a_small_raised_mark_is_a_superscript(read):
    (page,) = read(
        PAGE
        + "page.insert_text((50, 100), 'word', fontsize=12)\n"
        + "page.insert_text((76, 97), '5', fontsize=6)\n"
    )
    flags = page.runs.flags[page.glyphs.run]
    assert flags[page_text(page).index("5")] & SUPERSCRIPT
    assert not flags[0] & SUPERSCRIPT


def test_invisible_text_is_used_and_said_to_be_from_ocr(read):
    pages = read(PAGE + "page.insert_text((50, 100), 'scanned', render_mode=3)\n")
    assert page_text(pages[0]) == "scanned"
    assert (pages[0].runs.flags & INVISIBLE).all()
    assert [notice.kind for notice in collect_notices(pages)] == ["ocr"]


def test_the_text_of_annotations_is_left_out_and_counted(read):
    pages = read(
        PAGE
        + "page.insert_text((50, 100), 'body')\n"
        + "page.add_freetext_annot(pymupdf.Rect(50, 20, 250, 60), 'remark')\n"
    )
    assert page_text(pages[0]).strip() == "body"
    assert pages[0].counts["annotation"] == len("remark")


def test_the_value_that_a_form_field_draws_is_text(read):
    (page,) = read(
        PAGE
        + "widget = pymupdf.Widget()\n"
        + "widget.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT\n"
        + "widget.field_name, widget.field_value = 'name', 'Value'\n"
        + "widget.rect = pymupdf.Rect(50, 50, 200, 70)\n"
        + "page.add_widget(widget)\n"
    )
    assert page_text(page).strip() == "Value"


def test_slanted_text_has_its_direction_and_width(read):
    (page,) = read(
        PAGE
        + "turn = pymupdf.Matrix(30)\n"
        + "page.insert_text((50, 100), 'slanted', morph=(pymupdf.Point(50, 100), turn))\n"
    )
    dx, dy = float(page.runs.dx[0]), float(page.runs.dy[0])
    assert abs(dx) == pytest.approx(np.cos(np.pi / 6), abs=1e-3)
    assert abs(dy) == pytest.approx(0.5, abs=1e-3)
    assert float(page.glyphs.end[-1]) == pytest.approx(35.5, abs=1)


def test_a_page_of_pictures_only_is_told(read):
    pages = read(
        PAGE
        + "pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 30, 20))\n"
        + "page.insert_image(page.rect, pixmap=pixels)\n"
        + "document.new_page()\n"
    )
    assert [notice.message for notice in collect_notices(pages)] == [
        "No text on 1 of 2 pages (images only). Chunks need text; use OCR before."
    ]
    assert np.allclose(pages[0].images, [[0, 0, 300, 200]], atol=1)


def test_rules_are_drawings_in_the_display_frame(read):
    (page,) = read(PAGE + "page.draw_line((50, 80), (250, 80))\n" + "page.set_rotation(90)\n")
    assert np.allclose(page.drawings, [[120, 50, 120, 250]], atol=1)


def test_the_order_of_tags_and_file_is_that_of_the_file(read):
    (page,) = read(
        PAGE + "page.insert_text((50, 150), 'second')\n" + "page.insert_text((50, 50), 'first')\n"
    )
    assert page_text(page) == "secondfirst"
