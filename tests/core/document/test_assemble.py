# SPDX-License-Identifier: AGPL-3.0-or-later
"""From drawn pages to a document: text, order, blocks, and boxes on the ink."""

import re

import numpy as np
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.document.assemble import assemble
from core.document.geometry import span_boxes
from core.document.model import Document, OutlineItem, TextSettings
from core.document.raw import RawPage
from tests.core.document.raw_pages import all_of, drawn_pages, lines_at

LEFT = [
    "The first column holds a text that",
    "runs on over a few lines, and is as",
    "wide as a column of a paper is, so",
    "that nobody takes it for a table. It",
    "ends with a sentence that goes on in",
]  # fmt: skip
RIGHT = [
    "the second column, where the rest of",
    "the text stands. Here, too, lines are",
    "filled to the end, as prose does it,",
    "and the last line is a little shorter",
    "than all others.",
]  # fmt: skip


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_wrapped_lines_are_one_paragraph():
    document = assemble(drawn_pages(lines_at(50, 100, *LEFT)))

    assert document.text == " ".join(LEFT)


def test_a_blank_line_divides_paragraphs():
    pages = drawn_pages(all_of(lines_at(50, 100, *LEFT[:4]), lines_at(50, 170, *RIGHT[1:])))

    assert assemble(pages).text == " ".join(LEFT[:4]) + "\n\n" + " ".join(RIGHT[1:])


def test_columns_are_read_one_after_the_other_and_a_sentence_goes_on():
    both = all_of(lines_at(20, 100, *LEFT), lines_at(215, 100, *RIGHT))

    assert assemble(drawn_pages(both)).text == " ".join(LEFT + RIGHT)


def test_the_order_of_drawing_does_not_matter():
    title = lines_at(20, 60, "A title over both of the columns, in large letters", size=15)
    one = all_of(title, lines_at(20, 100, *LEFT), lines_at(215, 100, *RIGHT))
    other = all_of(lines_at(215, 100, *RIGHT), lines_at(20, 100, *LEFT), title)

    assert assemble(drawn_pages(one)).text == assemble(drawn_pages(other)).text
    assert kinds(assemble(drawn_pages(one)))[0][0] == "heading"


def test_a_broken_word_is_joined_and_has_a_box_on_each_line():
    document = assemble(drawn_pages(lines_at(50, 100, "This line ends in a dis-", "covery here.")))
    start = document.text.index("discovery")

    pieces = span_boxes(document.geometry, as_spans([(start, start + 9)]))

    assert len(pieces) == 2
    assert pieces.boxes[0, 0] > pieces.boxes[1, 0]
    assert pieces.boxes[1, 1] > pieces.boxes[0, 1]


def test_a_compound_known_from_elsewhere_keeps_its_hyphen():
    lines = ["A type-unstable loop is a loop that", "has more types, and it is called type-",
             "unstable for that reason."]  # fmt: skip

    assert "called type-unstable for" in assemble(drawn_pages(lines_at(50, 100, *lines))).text


def three_pages(*, numbers: bool = True) -> list[RawPage]:
    def page(number: int):
        head = lines_at(50, 30, f"Guideline on rest, edition {number}")
        foot = lines_at(195, 580, str(number + 1)) if numbers else lines_at(50, 580, "")
        ends = "." if number == 2 else " and"
        body = lines_at(50, 100, *LEFT[:3], f"page {number} ends here without a stop{ends}")
        return all_of(head, body, foot)

    return drawn_pages(*[page(number) for number in range(3)])


def test_running_lines_are_left_out_and_sentences_go_on_over_pages():
    document = assemble(three_pages())

    assert "Guideline" not in document.text
    assert not re.search(r"\n\n[123]", document.text)
    assert [page.start for page in document.pages][1:] == [
        match.start() for match in re.finditer("The first", document.text)
    ][1:]


def test_running_lines_come_back_as_their_own_kinds():
    document = assemble(three_pages(), TextSettings(boilerplate="keep"))

    found = kinds(document)

    assert found.count(("header", "Guideline on rest, edition 0")) == 1
    assert [text for kind, text in found if kind == "page_number"] == ["1", "2", "3"]


def test_while_pages_arrive_only_what_a_page_shows_is_used():
    pages = three_pages()

    provisional = assemble(pages[:2], final=False)

    assert not provisional.final
    assert provisional.text.count("Guideline") == 2
    assert [block.page for block in provisional.blocks] == [0, 0, 1, 1]


def test_pages_that_are_not_there_have_empty_spans():
    pages = three_pages()

    document = assemble([pages[2]], final=False)

    assert [(page.start, page.state) for page in document.pages] == [
        (0, "waiting"), (0, "waiting"), (0, "ready")
    ]  # fmt: skip
    assert document.page_of(0) == 2


ROWS = [("Drug", "Dose", "Hours"), ("Asp", "100", "8"), ("Ibu", "400", "6"), ("Par", "500", "4")]


def draw_table(page: pymupdf.Page) -> None:
    for row, cells in enumerate(ROWS):
        for column, cell in enumerate(cells):
            page.insert_text((60 + 100 * column, 110 + 16 * row), cell, fontsize=10)


def draw_grid(page: pymupdf.Page) -> None:
    for row in range(5):
        page.draw_line((50, 98 + 16 * row), (350, 98 + 16 * row))
    for column in range(4):
        page.draw_line((50 + 100 * column, 98), (50 + 100 * column, 162))


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(draw_table, id="by white space"),
        pytest.param(all_of(draw_table, draw_grid), id="by drawn lines"),
    ],
)
def test_a_table_is_one_block_with_rows(draw):
    document = assemble(drawn_pages(draw))

    (table,) = document.blocks

    assert table.kind == "table"
    assert [document.text[a:b] for a, b in table.rows] == [
        "Drug\tDose\tHours", "Asp\t100\t8", "Ibu\t400\t6", "Par\t500\t4"
    ]  # fmt: skip
    assert table.header_rows == 1


def test_markdown_has_marks_for_headings_items_and_tables():
    page = all_of(
        lines_at(50, 60, "1 Doses", size=16),
        draw_table,
        lines_at(50, 200, "• one item", "• another item"),
    )

    document = assemble(drawn_pages(page), TextSettings(form="markdown"))

    assert document.text == (
        "# 1 Doses\n\n| Drug | Dose | Hours |\n| --- | --- | --- |\n| Asp | 100 | 8 |\n"
        "| Ibu | 400 | 6 |\n| Par | 500 | 4 |\n\n- one item\n\n- another item"
    )


def test_the_outline_gives_levels():
    page = all_of(lines_at(50, 60, "Doses", size=16), lines_at(50, 100, *LEFT))
    outline = [OutlineItem("Doses", 3, 0)]

    document = assemble(drawn_pages(page), outline=outline)

    assert (document.blocks[0].kind, document.blocks[0].level) == ("heading", 3)


def test_a_note_comes_after_the_body():
    page = all_of(
        lines_at(20, 400, *LEFT),
        lines_at(20, 500, "1 A note in small letters at the foot.", size=7),
        lines_at(215, 400, *RIGHT),
    )

    found = kinds(assemble(drawn_pages(page)))

    assert found == [
        ("paragraph", " ".join(LEFT + RIGHT)),
        ("footnote", "1 A note in small letters at the foot."),
    ]


def test_turned_text_is_a_block_of_its_own():
    def draw(page: pymupdf.Page) -> None:
        lines_at(50, 100, *LEFT)(page)
        page.insert_text((30, 160), "stamp in the margin", fontsize=8, rotate=90)

    found = kinds(assemble(drawn_pages(draw)))

    assert [text for _, text in found] == [" ".join(LEFT), "stamp in the margin"]


def test_a_blank_page_has_no_text():
    document = assemble(drawn_pages(lines_at(50, 100, "One."), lambda page: None))

    assert [(page.start, page.end, page.state) for page in document.pages] == [
        (0, 4, "ready"), (4, 4, "empty")
    ]  # fmt: skip


def test_nothing_gives_an_empty_document():
    document = assemble([])

    assert (document.text, document.pages, document.blocks) == ("", (), ())


@given(lines=st.lists(st.text(alphabet="abcdefg -.", min_size=1, max_size=25), max_size=8))
def test_every_glyph_of_the_page_is_in_the_text_and_nothing_else(lines: list[str]):
    document = assemble(drawn_pages(lines_at(50, 100, *lines)), TextSettings(boilerplate="keep"))
    geometry = document.geometry
    assert geometry is not None

    drawn = "".join(c for c, line in zip(document.text, geometry.line, strict=True) if line >= 0)
    letters = re.sub(r"[^a-g.]", "", "".join(lines))

    assert re.sub(r"[^a-g.]", "", drawn) == letters
    assert re.sub(r"[^a-g.]", "", document.text) == letters


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_the_ink_of_each_word_lies_in_its_boxes(turn: int):
    words = ["inspect", "jumping", "glyphs", "by", "eye"]
    scale = 4
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=400, height=600)
        page.insert_text((60, 100), " ".join(words), fontsize=14)
        page.set_rotation(turn)
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace="gray")
        from core.document.pdf_glyphs import raw_page

        document = assemble([raw_page(page, label="", tagged=False)])
    ink = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.stride) < 128

    covered = np.zeros_like(ink)
    for match in re.finditer(r"\S+", document.text):
        (box,) = span_boxes(document.geometry, as_spans([match.span()])).boxes
        x0, y0, x1, y1 = np.rint(box * scale).astype(int)
        assert ink[y0:y1, x0:x1].any()
        covered[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2] = True

    assert document.text.split() == words
    assert not (ink & ~covered).any()
