# SPDX-License-Identifier: AGPL-3.0-or-later
"""The last-resort size is a maximum: of each chunk counted by itself, in every unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Document
from core.strategies.recipe import make_recipe
from core.strategies.run import run
from core.strategies.source import Units
from core.units.graphemes import grapheme_table
from core.units.tokens import piece_counter
from tests.strategies import texts

UNITS = ("cl100k_base", "o200k_base", "gpt2", "wordpiece", "words", "characters")
AWKWARD = texts | st.text("🧪🧬 犬aé́\r\n\f", max_size=60)


def capped(text, code, most, unit, **more):
    recipe = make_recipe(code, {"cap.max": most, "cap.length": unit, **more})
    return run(recipe, Document(text), Units(), allow_many=True)


def clusters(text, start, end):
    inside = grapheme_table(text).inside
    return end - start - int(((inside > start) & (inside < end)).sum())


@pytest.mark.parametrize("unit", UNITS)
@given(text=AWKWARD, most=st.integers(1, 12), code=st.sampled_from(["PBC", "SBC", "RC", "PCC"]))
def test_no_chunk_is_above_the_last_resort_unless_it_is_one_visible_character(
    unit, text, most, code
):
    counter = piece_counter(unit)
    for start, end in capped(text, code, most, unit).spans.tolist():
        assert start < end
        assert counter.count(text[start:end]) <= most or clusters(text, start, end) == 1


@given(text=AWKWARD, most=st.integers(1, 12), unit=st.sampled_from(UNITS))
def test_the_parts_of_a_chunk_are_together_the_chunk(text, most, unit):
    whole = run(make_recipe("PBC", {"mode": "reference"}), Document(text), Units())
    parts = capped(text, "PBC", most, unit, mode="reference").spans

    edges = np.unique(whole.spans)
    assert np.isin(edges, parts).all()
    assert (parts[:, 1] - parts[:, 0]).sum() == (whole.spans[:, 1] - whole.spans[:, 0]).sum()
    assert (parts[1:, 0] >= parts[:-1, 1]).all()


@pytest.mark.parametrize(
    ("text", "most", "unit", "expected"),
    [
        ("ok 🧪🧬 ok", 2, "cl100k_base", [(0, 3), (3, 4), (4, 5), (5, 8)]),
        ("犬", 1, "cl100k_base", [(0, 1)]),
        ("ab e\u0301\u0301e\u0301\u0301 cd", 3, "characters", [(0, 3), (3, 6), (6, 9), (9, 12)]),
    ],
)
def test_visible_characters_stay_whole_and_none_is_left_empty(text, most, unit, expected):
    assert [tuple(span) for span in capped(text, "PBC", most, unit).spans.tolist()] == expected


def test_parts_of_white_space_only_are_left_out_and_counted():
    chunks = capped("\fA\f" * 3, "STM", 1, "cl100k_base", size=50)

    assert all(text.strip() for text in chunks.all_texts("\fA\f" * 3))
    assert any(
        "of white space or zero-width characters only left out" in notice.message
        for notice in chunks.notices
    )


def test_chunks_of_several_parts_are_left_whole_and_that_is_said():
    chunks = capped("Red apples fall. Blue boats sail. Red apples rot.", "K2", 2, "words", k=2)

    assert not chunks.is_contiguous
    assert any(
        notice.message == "cap.max left these chunks whole: 1 of them are not one span"
        for notice in chunks.notices
    )
