# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks of other tools, placed in the text."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DocumentError
from core.scores.foreign_chunks import place_chunks
from tests.strategies import prose

TEXT = (
    "The Board met in May.  It decided on the budget.\n\n"
    "Each clinic keeps a log. The nurse signs it every day,\nand the doctor reads it.\n\n"
    "The Board met in May.  It decided on the budget.\n\nEnd of the report."
)
FIRST = "The Board met in May.  It decided on the budget."
SECOND = "Each clinic keeps a log. The nurse signs it every day,\nand the doctor reads it."
A, B, C = TEXT.index(FIRST), TEXT.index(SECOND), TEXT.rindex(FIRST)


def spans(data: Any) -> list[list[list[int]]]:
    return list(place_chunks(data, TEXT).chunks.rows())


LANGCHAIN = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "document", "Document"],
    "kwargs": {"page_content": SECOND, "metadata": {"start_index": B}, "type": "Document"},
}
LLAMA = {"__type__": "1", "__data__": {"text": SECOND, "start_char_idx": B, "metadata": {}}}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param([SECOND], id="strings"),
        pytest.param([[B, B + len(SECOND)]], id="offsets"),
        pytest.param([{"spans": [[B, B + len(SECOND)]]}], id="spans"),
        pytest.param({"chunks": [{"index": 0, "spans": [[B, B + len(SECOND)]]}]}, id="own output"),
        pytest.param([{"page_content": SECOND, "metadata": {}}], id="LangChain as dict"),
        pytest.param([LANGCHAIN], id="LangChain serialised"),
        pytest.param([{"text": SECOND, "start_char_idx": B, "end_char_idx": 1}], id="LlamaIndex"),
        pytest.param([{"node": {"text": SECOND}, "score": 0.5}], id="LlamaIndex with score"),
        pytest.param({"docstore/data": {"some id": LLAMA}}, id="LlamaIndex store"),
        pytest.param({"documents": [{"content": SECOND, "meta": {}}]}, id="Haystack"),
        pytest.param([{"spans": None, "text": SECOND}], id="own output without spans"),
    ],
)
def test_every_known_form_is_placed_exactly(data: Any):
    placed = place_chunks(data, TEXT)

    assert list(placed.chunks.rows()) == [[[B, B + len(SECOND)]]]
    assert placed.confidences.tolist() == [1.0]


def test_a_repeated_text_is_found_behind_the_chunk_before():
    assert spans([FIRST, SECOND, FIRST]) == [
        [[A, A + len(FIRST)]],
        [[B, B + len(SECOND)]],
        [[C, C + len(FIRST)]],
    ]


def test_equal_chunks_in_a_row_take_one_place_after_the_other():
    placed = place_chunks(["ab "] * 4, "ab ab ab ab ")

    assert placed.chunks.spans.tolist() == [[0, 3], [3, 6], [6, 9], [9, 12]]


def test_overlapping_chunks_keep_their_overlap():
    text = "one two three four five six seven"

    placed = place_chunks(["one two three", "two three four", "four five six seven"], text)

    assert placed.chunks.spans.tolist() == [[0, 13], [4, 18], [14, 33]]
    assert placed.doubled.tolist() == [[4, 13], [14, 18]]


def test_a_chunk_with_other_white_space_is_placed_to_the_character():
    changed = " ".join(SECOND.split())

    placed = place_chunks([changed], TEXT)

    assert placed.chunks.spans.tolist() == [[B, B + len(SECOND)]]
    assert placed.placings == ("white space",)
    assert 0.9 < placed.confidences[0] < 1.0


def test_a_changed_chunk_is_placed_nearly_with_its_likeness():
    changed = SECOND.replace("signs", "must sign").replace("doctor", "physician")

    placed = place_chunks([FIRST, changed], TEXT)

    assert placed.chunks.spans.tolist()[1] == [B, B + len(SECOND)]
    assert placed.placings[1] == "fuzzy"
    assert 0.7 < placed.confidences[1] < 1.0
    assert any("likest" in notice for notice in placed.notices)


def test_what_is_not_of_this_text_has_no_span_and_is_told():
    placed = place_chunks([FIRST, "Zwölf Boxkämpfer jagen Viktor quer über den Sylter Deich"], TEXT)

    assert placed.placings == ("exact", "missing")
    assert placed.confidences.tolist() == [1.0, 0.0]
    assert placed.chunks.spans_of(1).tolist() == []
    assert any("not in this text" in notice for notice in placed.notices)


def test_missing_text_is_reported_without_white_space():
    placed = place_chunks([FIRST, SECOND, FIRST], TEXT)

    assert [TEXT[a:b].strip() for a, b in placed.missing.tolist()] == ["End of the report."]


def test_wrong_offsets_of_the_tool_are_not_believed():
    placed = place_chunks([{"text": SECOND, "start_char_idx": 3, "end_char_idx": 9}], TEXT)

    assert placed.chunks.spans.tolist() == [[B, B + len(SECOND)]]


def test_levels_and_parents_of_our_own_output_are_kept():
    data = {
        "chunks": [
            {"spans": [[0, 20]], "level": "parent", "parent": None},
            {"spans": [[0, 9]], "level": "child", "parent": 0},
        ]
    }

    chunks = place_chunks(data, TEXT).chunks

    assert chunks.parents.tolist() == [-1, 0]
    assert chunks.levels.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        pytest.param("a text", "not a list", id="no list"),
        pytest.param([FIRST, 3], "item 1 is 3", id="a number"),
        pytest.param([[0, 10_000]], "[0, 10000)", id="past the end"),
        pytest.param([[5, 2]], "[5, 2)", id="reversed"),
        pytest.param([{"id": 1}], "item 0", id="no text"),
        pytest.param(None, "not a list", id="nothing"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(data: Any, word: str):
    with pytest.raises(DocumentError) as refused:
        place_chunks(data, TEXT)

    assert word in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_chunks_leave_everything_missing():
    placed = place_chunks([], TEXT)

    assert len(placed.chunks) == 0
    assert placed.missing.tolist() == [[0, len(TEXT)]]


@given(text=prose, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_strings_that_tile_a_text_are_placed_where_they_were_cut(text: str, cuts: list[int]):
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in pairwise(edges)]

    placed = place_chunks(pieces, text)

    slices = [text[a:b] for a, b in placed.chunks.spans.tolist()]
    assert slices == pieces
    assert set(placed.confidences.tolist()) <= {1.0}
