# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the user is told about pages: once, with numbers that count from 1."""

from dataclasses import replace

import numpy as np
import pytest

from core.document.page_notices import collect_notices, name_pages, page_notices
from core.document.raw import Glyphs, RawPage, no_glyphs

NO_BOXES = np.empty((0, 4), np.float32)
FULL = np.array([[0, 0, 100, 100]], np.float32)


def page(index: int, letters: int = 10, *, images=NO_BOXES, error: str = "", **counts) -> RawPage:
    glyphs, runs = no_glyphs()
    if letters:
        whole, real = np.zeros(letters, np.int32), np.zeros(letters, np.float32)
        glyphs = Glyphs(whole + 97, real, real, real, real, whole)
    return RawPage(
        index, 100, 100, 0, "", glyphs, runs, images, NO_BOXES, error=error, counts=dict(counts)
    )


def messages(*pages: RawPage) -> list[str]:
    return [notice.message for notice in collect_notices(pages)]


@pytest.mark.parametrize(
    ("indices", "words"),
    [
        ([0], "page 1"),
        ([0, 1, 2], "pages 1–3"),
        ([4, 0, 1], "pages 1–2, 5"),
        ([11, 11], "page 12"),
        (range(0, 20, 2), "pages 1, 3, 5, 7, 9, 11, …"),
    ],
)
def test_pages_are_named_as_a_person_does(indices, words):
    assert name_pages(indices) == words


def test_pages_with_text_and_nothing_odd_need_no_notice():
    assert messages(page(0), page(1, images=FULL), page(2, 0)) == []


def test_pictures_without_text_are_counted():
    assert messages(page(0, 0, images=FULL), page(1)) == [
        "No text on 1 of 2 pages (images only). Chunks need text; use OCR before."
    ]


def test_a_small_picture_on_a_blank_page_is_no_scan():
    assert messages(page(0), page(1, 0, images=FULL / 4)) == []


def test_a_document_without_any_text_is_told_though_it_has_no_picture():
    assert messages(page(0, 0), page(1, 0)) == [
        "No text on 2 of 2 pages. Chunks need text; use OCR before."
    ]


def test_only_empty_pages_of_a_damaged_file_are_suspicious():
    pages = [page(0, repaired=1), page(1, 0, repaired=1), page(2, 0, images=FULL, repaired=1)]
    assert "The file is damaged and was repaired; page 2 is empty" in messages(*pages)
    sound = [replace(each, counts={}) for each in pages[:2]]
    assert messages(*sound) == []


def test_counts_are_summed_over_the_document():
    assert messages(page(0, private=3), page(1), page(2, private=1_200)) == [
        "Private-use characters without a known meaning: 1,203 (pages 1, 3)"
    ]


def test_a_few_tiny_characters_are_not_worth_a_notice():
    assert messages(page(0, 1_000, tiny=9)) == []
    assert messages(page(0, 1_000, tiny=10)) == ["Characters smaller than 3 points: 10 (page 1)"]


def test_a_failed_page_says_why():
    assert messages(page(0), page(1, 0, error="took longer than 20 s")) == [
        "Page 2 cannot be read: took longer than 20 s"
    ]


def test_a_page_is_garbled_when_much_of_it_has_no_map():
    assert page_notices(3, 100, {"unreadable": 40}) == ()
    (notice,) = page_notices(3, 100, {"unreadable": 60})
    assert (notice.page, notice.kind) == (3, "garbled")
    assert notice.message == "Text of page 4 is not readable (no character map)"
