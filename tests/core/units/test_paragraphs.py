# SPDX-License-Identifier: AGPL-3.0-or-later
"""Paragraphs by blank lines and by blocks."""

import pytest
from hypothesis import given

from core.document.model import Block, Document
from core.units.paragraphs import layout_paragraphs, strict_paragraphs
from tests.strategies import texts


def pieces(text):
    return [text[a:b] for a, b in strict_paragraphs(Document(text)).tolist()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("one\n\ntwo", ["one", "two"], id="a blank line separates"),
        pytest.param("one\n \ntwo", ["one\n \ntwo"], id="a line of a space does not"),
        pytest.param("one\r\n\r\ntwo", ["one\r\n\r\ntwo"], id="nor do carriage returns"),
        pytest.param("one\n\n\ntwo", ["one", "two"], id="the third newline is stripped"),
        pytest.param("\n\n one \n\n\n\n", ["one"], id="empty pieces are dropped"),
        pytest.param(" \n ", [], id="white space is no paragraph"),
    ],
)
def test_strict_paragraphs_are_those_of_the_definition(text, expected):
    assert pieces(text) == expected


@given(text=texts)
def test_strict_paragraphs_are_the_stripped_pieces_between_blank_lines(text):
    assert pieces(text) == [p.strip() for p in text.split("\n\n") if p.strip()]


def test_layout_paragraphs_are_the_blocks_of_text():
    text = "Title\nBody text.\n3"
    blocks = (
        Block(0, 6, "heading", 1, 0),
        Block(6, 16, "paragraph", 0, 0),
        Block(17, 18, "page_number", 0, 0),
    )

    assert layout_paragraphs(Document(text, blocks=blocks)).tolist() == [[0, 5], [6, 16]]


def test_layout_paragraphs_without_blocks_are_strict():
    assert layout_paragraphs(Document("a\n\nb")).tolist() == [[0, 1], [3, 4]]
