# SPDX-License-Identifier: AGPL-3.0-or-later
"""Facts of real PDFs: words of the document text, and where their boxes are (`traps.md`)."""

import numpy as np
import pytest

from core.arrays import as_spans
from core.document.geometry import span_boxes
from core.document.model import Block, Document
from tests.core.document.corpus_documents import Box, are_near, corpus_document, words_on

pytestmark = pytest.mark.corpus

NAACL = "paper_twocol_naacl06_8p.pdf"
DIESEL = "manual_diesel_rules_twocol_23p.pdf"
TRACEMONKEY = "paper_twocol_tracemonkey_annotated_14p.pdf"
WHO = "guideline_who_hcv_155p.pdf"
QWEN = "paper_techreport_qwen2_26p.pdf"
FEDERAL = "legal_federalregister_threecol_15p.pdf"
BOOK = "long_freeculture_352p.pdf"
MIXED = "damaged_repaired_mixedpages_8p.pdf"
SOFT = "softhyphen_philosophy_5p.pdf"


@pytest.mark.parametrize(
    ("name", "page", "word", "boxes"),
    [
        pytest.param(NAACL, 0, "discovers", [(261, 371, 277, 382), (94, 384, 122, 396)], id="1 a"),
        pytest.param(DIESEL, 0, "compression", [(225, 400, 261, 409), (31, 411, 47, 420)], id="1b"),
        pytest.param(BOOK, 30, "capture.", [(330, 312, 348, 323), (54, 326, 74, 337)], id="1 c"),
        pytest.param(
            TRACEMONKEY, 4, "type-unstable", [(538, 333, 556, 341), (317, 343, 347, 351)], id="2 a"
        ),
        pytest.param(
            WHO, 19, "treatment-experienced", [(263, 640, 297, 650), (50, 649, 90, 659)], id="2 b"
        ),
        pytest.param(SOFT, 0, "impossibility", [(344, 226, 391, 236), (78, 239, 89, 249)], id="3a"),
        pytest.param(SOFT, 0, "Edizioni", [(371, 75, 389, 85), (78, 89, 99, 99)], id="3 b"),
        pytest.param(SOFT, 0, "pseudo-Avicenne", [(194, 52, 263, 62)], id="3 c"),
        pytest.param(NAACL, 0, "Abstract", [(163, 235, 208, 248)], id="6 a"),
        pytest.param(NAACL, 0, "automatically.", [(313, 249, 375, 261)], id="6 b"),
        pytest.param(
            "magazine_de_order_1p.pdf",
            0,
            "Astrophysik",
            [(355, 322, 369, 330), (245, 333, 285, 342)],
            id="7",
        ),
        pytest.param("rotated90_table_nics_1p.pdf", 0, "Alabama", [(526, 43, 532, 66)], id="8 a"),
        pytest.param("rotated90_table_nics_1p.pdf", 0, "Wyoming", [(137, 43, 143, 67)], id="8 b"),
        pytest.param(
            "rotated180_table_uprighttext_1p.pdf", 0, "Table", [(516, 84, 526, 103)], id="9 a"
        ),
        pytest.param(
            "rotated180_table_uprighttext_1p.pdf", 0, "Middle", [(366, 89, 376, 113)], id="9 b"
        ),
        pytest.param(
            "rotated270_crop_letter_1p.pdf", 0, "HERAUSGEBER:", [(66, 70, 123, 79)], id="10 a"
        ),
        pytest.param("rotated270_crop_letter_1p.pdf", 0, "GMBl", [(281, 49, 304, 59)], id="10 b"),
        pytest.param("ocr_rotated270_1p.pdf", 0, "Helvetica", [(37, 34, 113, 60)], id="10 c"),
        pytest.param(BOOK, 30, "inception", [(113, 283, 168, 293)], id="11"),
        pytest.param("crop_mboxorigin_voters_5p.pdf", 0, "Alcona", [(15, 255, 42, 267)], id="12 a"),
        pytest.param("form_160f_filled_js_1p.pdf", 0, "Certificat", [(64, 48, 133, 70)], id="12 b"),
        pytest.param(
            "crop_mboxorigin_voters_5p.pdf", 0, "Poll Book Totals", [(117, 164, 133, 251)], id="13a"
        ),
        pytest.param(WHO, 24, "SEROLOGICAL", [(66, 108, 75, 156)], id="13 b"),
        pytest.param(
            "cjk_zh_horizontal_22p.pdf",
            2,
            "归属于上市公司股东的扣除非经常性损益的净利润（元）",
            [(58, 270, 211, 279), (58, 286, 130, 295)],
            id="15",
        ),
        pytest.param(
            "cjk_ja_vertical_1p.pdf", 0, "わたくしといふ", [(661, 65, 671, 132)], id="16"
        ),
        pytest.param("type3_essay_1p.pdf", 0, "signifier", [(443, 464, 477, 476)], id="33"),
        pytest.param("large_welllog_1p.pdf", 0, "Quaternary", [(48, 232, 104, 248)], id="34"),
    ],
)  # fmt: skip
def test_a_word_of_the_text_lies_where_the_page_shows_it(
    shared, name: str, page: int, word: str, boxes: list[Box]
):
    document = corpus_document(shared, name)

    assert any(are_near(pieces, boxes) for pieces in words_on(document, page, word))


@pytest.mark.parametrize("page", range(8))
def test_the_same_words_turned_and_mirrored_have_their_own_boxes(shared, page: int):
    boxes = [
        (72, 179, 105, 192), (507, 179, 540, 192), (507, 600, 540, 613), (72, 600, 105, 613),
        (600, 72, 613, 105), (600, 507, 613, 540), (179, 507, 192, 540), (179, 72, 192, 105),
    ]  # fmt: skip

    first = words_on(corpus_document(shared, MIXED), page, "Murphy")[0]

    assert are_near(first, [boxes[page]])


def test_a_slanted_word_has_a_quadrilateral_along_its_line(shared):
    document = corpus_document(shared, "nonhoriz_327deg_1p.pdf")

    quad = words_on(document, 0, "PyMuPDF")[0].quads[0]

    assert np.abs(quad - np.array([(261, 283), (338, 333), (324, 355), (247, 305)])).max() < 1.5


@pytest.mark.parametrize("name", [SOFT, DIESEL, NAACL])
def test_no_soft_hyphen_or_control_character_is_left(shared, name: str):
    text = corpus_document(shared, name).text

    assert "\u00ad" not in text
    assert not [c for c in text if ord(c) < 32 and c not in "\n\t"]


@pytest.mark.parametrize(
    ("name", "page", "before", "after"),
    [
        pytest.param(NAACL, 0, "to extend the boundary of", " Information Extraction", id="column"),
        pytest.param(NAACL, 0, "manually or semi", "automatically. There", id="over two columns"),
    ],
)
def test_text_reads_on(shared, name: str, page: int, before: str, after: str):
    text = corpus_document(shared, name).text

    assert before + after in text


def test_the_title_comes_first_although_the_file_has_it_late(shared):
    document = corpus_document(shared, "magazine_de_order_1p.pdf")

    assert document.text.index("Schöne") < 100


def test_columns_are_read_one_after_the_other(shared):
    document = corpus_document(shared, FEDERAL)
    page = document.pages[1]

    body = document.text.index("Hatta International Airport", page.start)
    note = next(b for b in document.blocks if b.kind == "footnote" and b.page == 1)

    assert page.start <= body < note.start < page.end
    assert "alert,5" not in document.text


def test_the_stamp_in_the_margin_is_left_out_or_marked(shared):
    kept = corpus_document(shared, FEDERAL, keep=True)
    stamps = [b for b in kept.blocks if "jbell on DSKJLSW7X2PROD" in kept.text[b.start : b.end]]

    assert "jbell" not in corpus_document(shared, FEDERAL).text
    assert {block.kind for block in stamps} == {"footer"}
    assert len(stamps) == 15


def test_blank_pages_have_empty_spans(shared):
    document = corpus_document(shared, "blank_4of6_pages.pdf")

    spans = [(page.start, page.end) for page in document.pages]

    assert [end - start for start, end in spans] == [0, 0, 6, 0, 0, 4]
    assert document.text == "TEST\n\nTEST"
    assert [page.state for page in document.pages] == [
        "empty", "empty", "ready", "empty", "empty", "ready"
    ]  # fmt: skip


def table_with(document: Document, text: str) -> Block:
    return next(
        b for b in document.blocks if b.kind == "table" and text in document.text[b.start : b.end]
    )


def row_texts(document: Document, table: Block) -> list[str]:
    return [document.text[start:end] for start, end in table.rows]


def test_a_table_keeps_its_rows_together(shared):
    document = corpus_document(shared, "table_warn_16p.pdf")
    table = table_with(document, "Maxim")
    rows = row_texts(document, table)

    cells = next(row for row in rows if "Maxim" in row).split("\t")

    assert cells[:4] == ["06/22/2015", "03/25/2016", "07/01/2015", "Maxim Integrated Product"]
    assert rows[0].split("\t")[0] == "Notice Date"
    assert table.header_rows == 1


def test_a_table_that_goes_on_is_one_block_over_all_pages(shared):
    document = corpus_document(shared, "table_warn_16p.pdf")

    table = table_with(document, "Maxim")

    assert {int(box[0]) for box in table.boxes} >= set(range(14))
    assert len(table.rows) > 500


def test_the_nics_table_has_a_row_a_state(shared):
    document = corpus_document(shared, "rotated90_table_nics_1p.pdf")
    rows = row_texts(document, table_with(document, "Wyoming"))

    alabama = next(row for row in rows if row.startswith("Alabama"))

    assert alabama.split("\t")[1:4] == ["18,870", "23,022", "22,650"]
    assert sum(row.split("\t")[0] in {"Alabama", "Ohio", "Utah", "Wyoming"} for row in rows) == 4


@pytest.mark.parametrize(
    ("name", "page", "caption"),
    [
        pytest.param(
            QWEN, 16, "Figure 1: Performance of Qwen2 instruction-tuned models", id="qwen"
        ),
        pytest.param(NAACL, 1, "Table 1: Sample discovered relation.", id="naacl table"),
        pytest.param(NAACL, 1, "Figure 1: Obtaining basic patterns.", id="naacl figure"),
    ],
)
def test_a_caption_is_a_block_of_its_own(shared, name: str, page: int, caption: str):
    document = corpus_document(shared, name)

    block = next(b for b in document.blocks if document.text[b.start : b.end].startswith(caption))

    assert (block.kind, block.page) == ("caption", page)


def test_text_inside_a_figure_belongs_to_the_figure(shared):
    document = corpus_document(shared, QWEN)
    start = document.pages[16].start

    for label in ("Context Length (# Tokens)", "Placed Fact"):
        place = document.text.index(label, start)
        block = next(b for b in document.blocks if b.start <= place < b.end)
        assert block.kind == "figure"


def test_notes_are_footnotes_after_the_body(shared):
    document = corpus_document(shared, SOFT)
    page = document.pages[0]
    notes = [b for b in document.blocks if b.kind == "footnote" and b.page == 0]
    bodies = [b for b in document.blocks if b.kind == "paragraph" and b.page == 0]

    assert notes
    assert any(abs(note.boxes[0][2] - 565) < 2 for note in notes)
    assert bodies[0].start < notes[0].start < page.end


@pytest.mark.parametrize(
    ("name", "line"),
    [
        pytest.param("legal_gdpr_261p.pdf", "AV/NT/sr", id="gdpr"),
        pytest.param(DIESEL, "Bureau Veritas January", id="diesel"),
        pytest.param(BOOK, "<http://free-culture.org/get-it>", id="book footer"),
    ],
)
def test_running_lines_are_left_out(shared, name: str, line: str):
    assert corpus_document(shared, name).text.count(line) <= 1


def test_running_lines_come_back_as_marked_blocks(shared):
    kept = corpus_document(shared, "legal_gdpr_261p.pdf", keep=True)

    marked = [b for b in kept.blocks if "AV/NT/sr" in kept.text[b.start : b.end]]

    assert len(marked) == 261
    assert {block.kind for block in marked} == {"footer"}


@pytest.mark.parametrize("name", [NAACL, DIESEL, FEDERAL, SOFT, MIXED, "table_warn_16p.pdf"])
def test_pages_tile_the_text_and_hold_their_own_characters(shared, name: str):
    document = corpus_document(shared, name)
    geometry = document.geometry
    assert geometry is not None

    ends = [0, *(page.end for page in document.pages)]

    assert [page.start for page in document.pages] == ends[:-1]
    assert ends[-1] == len(document.text)
    drawn = np.flatnonzero(geometry.line >= 0)
    holding = np.searchsorted(document.page_starts, drawn, side="right") - 1
    assert (geometry.lines.page[geometry.line[drawn]] == holding).all()


@pytest.mark.parametrize("name", [NAACL, DIESEL, FEDERAL, WHO, "table_warn_16p.pdf"])
def test_blocks_are_in_order_and_hold_all_text(shared, name: str):
    document = corpus_document(shared, name)
    spans = document.block_spans

    assert (spans[1:, 0] >= spans[:-1, 1]).all()
    assert (spans[:, 1] > spans[:, 0]).all()
    outside = np.ones(len(document.text), bool)
    for start, end in spans.tolist():
        outside[start:end] = False
    assert not "".join(np.array(list(document.text))[outside]).strip()


def test_a_chunk_over_two_columns_has_boxes_in_both(shared):
    document = corpus_document(shared, NAACL)
    place = document.text.index("process: specify articles")

    pieces = span_boxes(document.geometry, as_spans([(place, place + 40)]))

    assert {bool(box[0] > 306) for box in pieces.boxes} == {True, False}
    assert (pieces.boxes[:, 2] - pieces.boxes[:, 0]).max() < 260
