# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rules of cleaning, on characters that are made here: no PDF is needed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.pdf_cleaning import Page, clean
from core.document.symbol_fonts import symbol_table

ADVANCE = 6.0  # points of each character
SIZE = 10.0


def page_of(text: str, *, font: str = "Times", type3: bool = False, widths=None, lines=None):
    """Characters side by side on one line, or on the lines that are given."""
    count = len(text)
    wide = np.full(count, ADVANCE) if widths is None else np.array(widths, float)
    start = np.concatenate([[0.0], np.cumsum(wide)[:-1]]) if count else np.empty(0)
    line = np.zeros(count, np.int32) if lines is None else np.array(lines, np.int32)
    return Page(
        code=np.array([ord(letter) for letter in text], np.int32),
        x=start.astype(np.float32),
        y=(line * 20.0).astype(np.float32),
        start=start.astype(np.float32),
        end=(start + wide).astype(np.float32),
        size=np.full(count, SIZE, np.float32),
        font=np.zeros(count, np.int32),
        line=line,
        synthetic=np.zeros(count, np.bool_),
        guessed=np.zeros(count, np.bool_),
        font_names=(font,),
        type3=(type3,),
        keep=np.ones(count, np.bool_),
        moved=np.zeros(count, np.bool_),
    )


def cleaned(text: str, **options) -> str:
    page = page_of(text, **options)
    clean(page)
    return "".join(
        page.replaced.get(index, chr(page.code[index]))
        for index in np.flatnonzero(page.keep).tolist()
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain text", "plain text", id="nothing to do"),
        pytest.param("conﬂict oﬃce", "conflict office", id="ligatures"),
        pytest.param("ﬅﬆ", "stst", id="long s and t"),
        pytest.param("a\tb\u2028c", "a b c", id="other spaces"),
        pytest.param("a\u200bb\ufeffc", "abc", id="format characters"),
        pytest.param("می\u200cخواهم", "می\u200cخواهم", id="joiners are spelling"),
        pytest.param("a\x07b", "a b", id="a wide bell alone is a space"),
        pytest.param("• \x07Lab", "• Lab", id="a bell beside a space goes"),
        pytest.param("a\ufffdb", "a\ufffdb", id="one unknown character stays"),
        pytest.param("a" + "\ufffd" * 9 + "b", "a b", id="a row of them is a gap"),
        pytest.param("pseudo\xadAvicenne", "pseudo-Avicenne", id="soft hyphen inside a line"),
        pytest.param("impossibil\xad", "impossibil\xad", id="soft hyphen at the end"),
        pytest.param("impossibil\xad ", "impossibil\xad ", id="soft hyphen before a space"),
        pytest.param("ﻻ", "لا", id="Arabic presentation form"),
        pytest.param("x\U0001d456y", "x\U0001d456y", id="above the basic plane"),
        pytest.param("a\ue001b", "a\ue001b", id="unknown private use stays"),
        pytest.param("", "", id="nothing at all"),
    ],
)
def test_what_becomes_of_characters(text, expected):
    assert cleaned(text) == expected


def test_a_soft_hyphen_at_the_end_of_each_line_stays():
    assert cleaned("a\xadb\xadc", lines=[0, 0, 1, 1, 2]) == "a\xadb\xadc"


def test_tex_codes_of_type3_fonts_are_ligatures_beside_letters():
    assert cleaned("signi\x1cer su\x1ece \x10so\x11", type3=True) == "signifier suffice “so”"


def test_tex_codes_of_other_fonts_are_control_characters():
    assert "fi" not in cleaned("signi\x1cer", type3=False)


def test_a_font_whose_codes_are_32_too_low_is_mended():
    shifted = "".join(chr(ord(letter) - 32) for letter in "Wissen aus erster Hand")
    assert cleaned(shifted) == "Wissen aus erster Hand"


def test_a_font_with_many_control_characters_is_left_out():
    page = page_of("x\x03\x10y\x01\x02z\x05" * 5)
    clean(page)
    assert not page.keep.any()
    assert page.counts["unreadable"] == 40


def test_characters_of_symbol_fonts_get_their_meaning():
    assert cleaned("\uf0b7\uf061", font="ABCDEF+Symbol") == "•α"
    assert cleaned("\uf0a7\uf0fc", font="Wingdings") == "▪✓"
    assert cleaned("\uf0b7", font="Times") == "\uf0b7"


def test_every_code_of_a_symbol_font_has_one_character():
    for name in ("Symbol", "SymbolMT", "Wingdings-Regular"):
        assert all(len(text) == 1 for text in symbol_table(name).values())
    assert symbol_table("Symbol")[ord("S")] == "Σ"
    assert symbol_table("Symbol")[0xD6] == "√"
    assert symbol_table("Symbol")[0xE5] == "∑"


def test_the_parts_of_a_glyph_without_width_share_it():
    page = page_of("affix", widths=[6, 6, 0, 0, 6])
    clean(page)
    assert page.keep.all()
    assert np.allclose(page.end - page.start, [6, 2, 2, 2, 6])


def test_combining_marks_need_no_width():
    assert cleaned("e\u0301a", widths=[6, 0, 6]) == "e\u0301a"


def test_many_characters_without_width_are_another_layer_and_go():
    page = page_of("abcdefgh", widths=[6, 0, 0, 0, 0, 6, 0, 0])
    clean(page)
    assert page.counts["zero_width"] == 6


def test_lam_stands_before_alef():
    page = page_of("اإلن", widths=[6, 0, 6, 6])
    page.start[1] = page.end[1] = page.end[2]
    clean(page)
    assert "".join(map(chr, page.code)) == "الإن"
    assert (page.end - page.start)[1:3].tolist() == [3.0, 3.0]
    assert page.start[1] == page.end[2]  # lam is at the right


def test_the_copy_in_the_longer_line_stays():
    page = page_of("KKing", widths=[0.5, 6, 6, 6, 6], lines=[0, 1, 1, 1, 1])
    page.y[:] = 0
    clean(page)
    assert page.keep.tolist() == [False, True, True, True, True]


@given(st.text(st.characters(blacklist_categories=("Cs",)), max_size=60))
def test_no_text_breaks_the_rules_and_no_control_character_stays(text):
    result = cleaned(text)
    assert not any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 for letter in result)


@given(st.text("abc déf", max_size=40))
def test_ordinary_text_is_never_changed(text):
    assert cleaned(text) == text
