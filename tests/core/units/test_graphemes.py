# SPDX-License-Identifier: AGPL-3.0-or-later
"""Grapheme clusters: the quick table equals the library's search over the whole text."""

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from core.units.graphemes import grapheme_table
from tests.hostile import HOSTILE_TEXTS
from tests.strategies import texts

# what clusters are made of, beside each other in every order
JOINERS = (
    *("a", " ", "\r", "\n", "\u0301", "\u200d", "\ufe0f", "\u20e3", "1", "\U0001f3fd"),
    *("\U0001f44d", "\U0001f468", "\U0001f1e9", "\U0001f1ea", "\u1100", "\u1161", "\u11a8"),
    *("\uac00", "\uac01", "\u0915", "\u094d", "\u0937", "\u0600", "\u0e33", "\u200c", "\x01"),
)
joined = st.lists(st.sampled_from(JOINERS), max_size=30).map("".join)


def starts_by_search(text):
    return [match.start() for match in regex.finditer(r"\X", text)]


def assert_equals_the_search(text):
    table = grapheme_table(text)
    starts = starts_by_search(text)
    assert table.inside.tolist() == sorted(set(range(len(text))) - set(starts))
    offsets = np.arange(len(text) + 1)
    edges = np.array([*starts, len(text)])
    floors = edges[np.searchsorted(edges, offsets, side="right") - 1]
    assert table.floor(offsets).tolist() == floors.tolist()


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=list(HOSTILE_TEXTS))
def test_the_table_equals_the_search_on_hostile_texts(text):
    assert_equals_the_search(text)


@given(text=st.one_of(joined, texts))
def test_the_table_equals_the_search_on_any_text(text):
    assert_equals_the_search(text)


def test_an_offset_inside_a_family_moves_back_to_its_start():
    family = "a👩‍👩‍👧b"

    table = grapheme_table(family)

    assert table.floor(np.array([1, 2, 4, 6, 7])).tolist() == [1, 1, 1, 6, 7]
    assert table.is_edge(np.array([1, 2, 6])).tolist() == [True, False, True]


def test_a_line_end_of_two_characters_is_not_cut():
    assert grapheme_table("a\r\nb").floor(np.array([1, 2, 3])).tolist() == [1, 1, 3]
