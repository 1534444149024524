# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which lines at the edges of pages are boilerplate."""

from collections.abc import Callable

import pymupdf
import pytest

from core.document.assemble import assemble
from core.document.boilerplate import is_page_number, mask
from core.document.model import Document
from tests.core.document.raw_pages import all_of, drawn_pages, lines_at

BODY = lines_at(50, 200, "Some text of the page, which is", "different from the edges.")
PAGES = 5


def document_of(edge: Callable[[int], Callable[[pymupdf.Page], object]]) -> Document:
    """Five pages with a body in the middle and what `edge` draws on each."""
    return assemble(drawn_pages(*[all_of(BODY, edge(number)) for number in range(PAGES)]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", True), ("- 12 -", True), ("xiv", True), ("Page 3 of 12", True), ("A-3", True),
        ("(4)", False), ("12 Scope", False), ("2019–2020", False), ("", False),
    ],
)  # fmt: skip
def test_page_numbers_have_their_forms(text: str, expected: bool):
    assert is_page_number(text) == expected


def test_masks_of_left_and_right_pages_are_equal():
    assert mask("Chapter IV 12") == mask("chapter vi 3")


def test_a_section_beside_a_title_that_all_pages_have_goes_with_it():
    sections = ["One", "Two", "Three", "Four", "Five"]

    document = document_of(
        lambda n: all_of(lines_at(50, 30, "Guideline on sleep"), lines_at(300, 30, sections[n]))
    )

    assert not [word for word in ("Guideline", *sections) if word in document.text]


def test_a_section_beside_a_number_that_counts_with_the_pages_goes_with_it():
    sections = ["One", "Two", "Three", "Four", "Five"]

    document = document_of(
        lambda n: all_of(lines_at(50, 30, sections[n]), lines_at(340, 30, str(n + 17)))
    )

    assert not [word for word in sections if word in document.text]
    assert "17" not in document.text


def test_left_and_right_pages_may_have_their_own_header():
    document = document_of(
        lambda n: lines_at(50, 30, "A book") if n % 2 else lines_at(300, 30, "A part of it")
    )

    assert "A book" in document.text  # on two pages only
    assert "A part" not in document.text  # on three


def test_a_note_whose_mark_stands_alone_is_no_page_number():
    def note(number: int) -> Callable[[pymupdf.Page], object]:
        texts = ["Alpha is here", "Beta is there", "Gamma is far", "Delta is near", "Eta is in"]
        return all_of(
            lines_at(50, 560, "1", size=5),
            lines_at(80, 562, f"{texts[number]}, and the line is wide enough."),
            lines_at(195, 590, str(number + 1)),
        )

    document = document_of(note)

    assert document.text.count("1 ") + document.text.count("¹ ") == PAGES
    assert "Alpha" in document.text


def test_the_first_row_of_a_table_at_the_edge_stays():
    cities = ["Rome", "Oslo", "Bern", "Kiel", "Lyon"]

    def rows(number: int) -> Callable[[pymupdf.Page], object]:
        return all_of(
            *[
                lines_at(x, 40, text, cities[(number + 1) % 5] if x == 150 else "Closed")
                for x, text in ((50, f"{number}/2015"), (150, cities[number]), (250, "Open"),
                                (330, "Closed"))
            ]
        )  # fmt: skip

    document = document_of(rows)

    assert [city in document.text for city in cities] == [True] * PAGES


def test_a_line_that_repeats_inside_the_body_stays():
    document = document_of(
        lambda n: all_of(lines_at(50, 40, f"Some words that only page {'abcde'[n]} has here"),
                         lines_at(50, 60, "Heading of a table"))
    )  # fmt: skip

    assert document.text.count("Heading of a table") == PAGES


def test_a_running_title_in_the_margin_beside_the_body_is_found():
    wide = "A line of the body that is as wide as all the others on this page are"
    document = assemble(
        drawn_pages(
            *[
                all_of(
                    lines_at(30, 40, *[f"{wide} {'abcde'[n]}{row}" for row in "vwxyz"], size=8),
                    lines_at(330, 52, "Shift work", size=8),
                )
                for n in range(PAGES)
            ]
        )
    )

    assert "Shift work" not in document.text
    assert document.text.count("A line of the body") == 5 * PAGES
