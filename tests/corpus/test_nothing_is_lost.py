# SPDX-License-Identifier: AGPL-3.0-or-later
"""Against PyMuPDF's own text: every character that a page shows is there, and no other."""

from collections import Counter
from pathlib import Path

import pymupdf
import pytest

from core.document.pdf_glyphs import raw_page
from tests.conftest import shared_path
from tests.core.document.made_pdfs import page_text

# Files on which cleaning changes nothing: no ligature, double, control or unknown character.
PLAIN = (
    "blank_4of6_pages",
    "cjk_ja_vertical_1p",
    "cjk_zh_horizontal_22p",
    "crop_mboxorigin_voters_5p",
    "embedded_tagged_math_1p",
    "fakebold_sample_1p",
    "form_160f_filled_js_1p",
    "large_welllog_1p",
    "legal_federalregister_threecol_15p",
    "legal_gdpr_261p",
    "manual_diesel_rules_twocol_23p",
    "manual_nist_800-223_34p",
    "nonhoriz_327deg_1p",
    "ocr_invisible_backus_1p",
    "ocr_rotated270_1p",
    "outline_1372_beyond_1p",
    "paper_techreport_qwen2_26p",
    "rotated180_table_uprighttext_1p",
    "rotated270_crop_letter_1p",
    "rotated90_table_nics_1p",
    "rtl_arabic_1p",
    "rtl_hebrew_1p",
    "slides_ja_nlp2004_31p",
    "table_warn_16p",
)
FLAGS = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES


@pytest.mark.parametrize("name", PLAIN)
def test_the_characters_of_a_plain_page_are_those_of_the_library(name):
    folder = shared_path() or Path()
    if not (folder / "corpus").is_dir():
        pytest.skip("no shared test data")
    document = pymupdf.open(folder / "corpus" / f"{name}.pdf")
    for index in range(min(document.page_count, 20)):
        page = document[index]
        blocks = page.get_text("rawdict", flags=FLAGS)["blocks"]
        theirs = Counter(
            each["c"]
            for block in blocks
            for line in block.get("lines", ())
            for span in line["spans"]
            for each in span["chars"]
        )
        assert Counter(page_text(raw_page(page))) == theirs
