# SPDX-License-Identifier: AGPL-3.0-or-later
"""Outline, labels, links, forms and attachments of PDFs that are made here."""

import pytest

from core.document.client import PdfClient
from tests.core.document.made_pdfs import make_pdf

PAGES = "for number in range(4): document.new_page(width=300, height=400)\n"


@pytest.fixture
def opened(tmp_path):
    """Make a PDF and return the client that has opened it."""
    clients = []

    def open_pdf(body: str) -> PdfClient:
        client = PdfClient(make_pdf(tmp_path / "made.pdf", PAGES + body))
        clients.append(client)
        client.open()
        return client

    yield open_pdf
    for client in clients:
        client.close()


def test_the_outline_names_levels_pages_and_heights(opened):
    client = opened(
        "document.set_toc([[1, 'One', 1, 100], [2, 'Two\\nlines', 3, 250], [1, 'Away', -1]])\n"
    )
    found = [(item.title, item.level, item.page) for item in client.info.outline]
    assert found == [("One", 1, 0), ("Two lines", 2, 2), ("Away", 1, None)]
    assert client.info.outline[1].y == pytest.approx(250, abs=40)


def test_a_file_without_outline_has_none(opened):
    assert opened("").info.outline == ()


def test_labels_are_those_that_are_printed(opened):
    client = opened(
        "document.set_page_labels([{'startpage': 0, 'style': 'r'},"
        " {'startpage': 2, 'prefix': 'A-', 'style': 'D', 'firstpagenum': 7}])\n"
    )
    assert [page.label for page in client.info.pages] == ["i", "ii", "A-7", "A-8"]


def test_links_lead_to_pages_and_addresses(opened):
    client = opened(
        "page = document[0]\n"
        "page.insert_link({'kind': pymupdf.LINK_GOTO, 'from': pymupdf.Rect(10, 20, 60, 40),"
        " 'page': 2, 'to': pymupdf.Point(0, 120)})\n"
        "page.insert_link({'kind': pymupdf.LINK_URI, 'from': pymupdf.Rect(10, 60, 60, 80),"
        " 'uri': 'https://example.org/a'})\n"
    )
    inside, outside = client.links(0)
    assert (inside.box, inside.page) == ((10, 20, 60, 40), 2)
    assert inside.y == pytest.approx(120, abs=1)
    assert (outside.page, outside.uri) == (None, "https://example.org/a")


@pytest.mark.parametrize(
    ("rotation", "box"),
    [(90, (360, 10, 380, 60)), (180, (240, 360, 290, 380)), (270, (20, 240, 40, 290))],
)
def test_links_and_annotations_of_a_turned_page_are_where_they_are_shown(opened, rotation, box):
    client = opened(
        "page = document[0]\n"
        "page.insert_link({'kind': pymupdf.LINK_URI, 'from': pymupdf.Rect(10, 20, 60, 40),"
        " 'uri': 'https://example.org/a'})\n"
        "page.add_rect_annot(pymupdf.Rect(10, 20, 60, 40))\n"
        f"page.set_rotation({rotation})\n"
    )
    assert client.links(0)[0].box == pytest.approx(box, abs=0.5)
    assert client.annotations(0)[0].box == pytest.approx(box, abs=2)


def test_an_outline_entry_of_a_turned_page_leads_to_the_height_that_is_shown(opened):
    client = opened(
        "document[1].set_rotation(90)\n"
        "document.set_toc([[1, 'Turned', 2, 100]])\n"  # at (72, 100) of the unturned page
    )
    assert client.info.outline[0].y == pytest.approx(72, abs=1)


def test_attachments_are_named_and_told(opened):
    info = opened("document.embfile_add('key', b'data', filename='table.csv')\n").info
    assert info.attachments == ("table.csv",)
    assert info.notices[0].message == "1 attached file: table.csv"


def test_metadata_and_language_are_read(opened):
    client = opened(
        "document.set_metadata({'title': 'A title'})\n"
        "document.xref_set_key(document.pdf_catalog(), 'Lang', '(de-DE)')\n"
    )
    assert client.info.metadata["title"] == "A title"
    assert client.info.language == "de-DE"
    assert not client.info.tagged


def test_annotations_are_plain_values(opened):
    client = opened(
        "page = document[1]\n"  # held: an annotation without its page crashes
        "annotation = page.add_highlight_annot(pymupdf.Rect(10, 20, 60, 40))\n"
        "annotation.set_info(content='why')\n"
        "annotation.update()\n"
    )
    (found,) = client.annotations(1)
    assert (found.kind, found.contents) == ("Highlight", "why")
    assert client.annotations(0) == ()


def test_a_field_tells_whether_its_value_is_drawn(opened):
    client = opened(
        "for name, value, hidden in (('seen', 'Here', False), ('hidden', 'Nowhere', True)):\n"
        "    widget = pymupdf.Widget()\n"
        "    widget.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT\n"
        "    widget.field_name, widget.field_value = name, value\n"
        "    widget.rect = pymupdf.Rect(50, 50 + 100 * hidden, 200, 70 + 100 * hidden)\n"
        "    widget.field_display = int(hidden)\n"
        "    document[0].add_widget(widget)\n"
    )
    found = {field.name: (field.value, field.shown) for field in client.form_fields(0)}
    assert found == {"seen": ("Here", True), "hidden": ("Nowhere", False)}
