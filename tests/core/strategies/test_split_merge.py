# SPDX-License-Identifier: AGPL-3.0-or-later
"""STM against the plain definition, what it promises, and what it says of its cuts."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Document
from core.errors import ParameterError
from core.strategies.piece_tree import word_starts
from core.strategies.recipe import make_recipe
from core.strategies.registry import find
from core.strategies.run import run
from core.strategies.separator_search import PAPER_SEPARATORS, published
from core.strategies.source import Source, Units
from core.strategies.split_merge import ghosts
from core.units.tokens import piece_counter
from tests.core.strategies.plain_split_merge import plain_split_merge
from tests.core.strategies.test_recursive import chunks, spans
from tests.strategies import prose, texts

STRUCTURE = st.lists(
    st.sampled_from(
        ["# A\n", "\n## B b\n", "1. one ", "\n 2) two\n", "\n- item\n", "\n\n", "\n", " \n ", ". ",
         ", ", "word ", "é— ", "longer-word ", "x", "  ", "\n#\n#\n", "(iv) ", "\n1.\n2. "]
    ),
    max_size=60,
).map("".join)  # fmt: skip
ANY_TEXT = st.one_of(STRUCTURE, texts)


@st.composite
def parameters(draw, greatest: int = 30):
    size = draw(st.integers(1, greatest))
    return {
        "size": size,
        "overlap": draw(st.integers(0, size - 1)),
        "merging": draw(st.sampled_from(["to_chunk_size", "small_only"])),
        "min_tokens": draw(st.integers(0, size + 5)),
        "separators": draw(st.sampled_from(["paper", "default"])),
        "attach": draw(st.sampled_from(["start", "end"])),
        "order": draw(st.sampled_from(["forward", "backward"])),
        "size_rule": draw(st.sampled_from(["chunk_size_plus_overlap", "chunk_size"])),
    }


@pytest.mark.parametrize("length", ["o200k_base", "cl100k_base", "gpt2", "words", "characters"])
@given(text=ANY_TEXT, given_=parameters())
def test_stm_equals_the_plain_definition(text, given_, length):
    expected = plain_split_merge(text, piece_counter(length).count, given_)

    assert spans("STM", text, length=length, **given_) == expected


@given(text=ANY_TEXT, given_=parameters())
def test_without_overlap_the_chunks_tile_the_text(text, given_):
    got = spans("STM", text, **{**given_, "overlap": 0})

    assert "".join(text[a:b] for a, b in got) == text


@given(text=ANY_TEXT, size=st.integers(4, 30))
def test_no_chunk_without_overlap_has_a_greater_sum_than_the_size(text, size):
    got = spans("STM", text, size=size, length="characters")

    assert all(b - a <= size for a, b in got)


@given(text=ANY_TEXT, first=parameters(), second=parameters())
def test_a_tree_that_was_used_before_gives_the_same_chunks(text, first, second):
    stm = find("STM")
    slow = {"separators": "paper", "attach": "start", "length": "o200k_base"}
    warm = stm.prepare(Source(Document(text)), **slow)
    stm.cut(warm, **stm.split(stm.declaration.check({**first, **slow}))[1])

    fast = stm.split(stm.declaration.check({**second, **slow}))[1]
    got = [tuple(span) for span in stm.cut(warm, **fast).spans.tolist()]

    assert got == spans("STM", text, **{**second, **slow})


@pytest.mark.parametrize("expression", [each for each in PAPER_SEPARATORS if each])
@given(text=ANY_TEXT, cut=st.tuples(st.integers(0, 200), st.integers(0, 200)))
def test_the_quick_form_of_a_separator_finds_what_the_published_form_finds(expression, text, cut):
    a, b = sorted(min(each, len(text)) for each in cut)

    got = list(published(expression).search(text, a, b))

    plain = re.finditer(expression, text[a:b])
    assert got == [(a + match.start(), a + match.end()) for match in plain]


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "gpt2", "wordpiece", "words"])
@given(text=ANY_TEXT, cut=st.tuples(st.integers(0, 200), st.integers(0, 200)))
def test_a_span_has_at_least_as_many_units_as_words_begin_in_it(name, text, cut):
    a, b = sorted(min(each, len(text)) for each in cut)
    starts = word_starts(text)

    assert ((starts >= a) & (starts < b)).sum() <= piece_counter(name).count(text[a:b])


def test_a_reason_names_level_pattern_matched_text_and_length():
    found = chunks("STM", "One two three.\n\nFour five six. Seven.", size=20, length="characters")

    assert found.spans.tolist() == [[0, 14], [14, 29], [29, 37]]
    reason = found.end_reasons[0]
    assert reason.value == 29.0
    assert reason.threshold == 20.0
    assert r"cut before '\n\n' (separator 9 of 14: \n{2,})" in reason.words
    assert found.end_reasons[2] is None


def test_a_cut_inside_a_word_says_that_no_separator_was_left():
    found = chunks("STM", "x" * 30, size=20, length="characters")

    assert "between two characters" in found.end_reasons[0].words


@pytest.mark.parametrize("order", ["forward", "backward"])
def test_overlap_is_explained_where_it_lies(order):
    text = "one two three four five six seven eight"
    found = chunks("STM", text, size=12, overlap=4, length="characters", order=order)

    side = found.start_reasons if order == "forward" else found.end_reasons
    rules = {side[i].rule for i in range(len(found)) if side[i]}
    assert "overlap" in rules


def test_small_only_says_why_two_chunks_stayed_apart():
    text = "One two three.\n\nFour five six seven eight."
    found = chunks("STM", text, size=30, merging="small_only", min_tokens=5, length="characters")

    assert "neither side is small" in found.end_reasons[0].words


@pytest.mark.parametrize(
    ("separators", "words"),
    [
        pytest.param(("(",), "missing ), unterminated subpattern at position 0", id="bad"),
        pytest.param("[]", "at least one separator", id="empty"),
        pytest.param("papr", "did you mean 'paper'", id="misspelt"),
    ],
)
def test_own_separators_that_cannot_be_used_are_refused(separators, words):
    with pytest.raises(ParameterError) as error:
        chunks("STM", "some text", separators=separators, size=1)

    assert words in str(error.value)


def test_an_own_separator_that_backtracks_without_end_is_stopped():
    text = "a" * 40 + "!"
    with pytest.raises(ParameterError, match="can backtrack without end"):
        chunks("STM", text, separators=(r"(a|a)+$",), size=1, length="characters")


@given(text=prose)
def test_short_names_of_length_units_are_taken(text):
    assert spans("STM", text, size=9, length="o200k") == spans("STM", text, size=9)


def prepared_and_cut(text: str, size: int):
    stm = find("STM")
    slow, fast = stm.split(stm.declaration.check({"size": size, "length": "characters"}))
    prepared = stm.prepare(Source(Document(text)), **slow)
    return prepared, stm.cut(prepared, **fast)


def test_a_boundary_that_merging_removed_is_there_as_a_ghost():
    text = "First one.\n\nSecond one.\n\nThird one is longer."
    prepared, chunks = prepared_and_cut(text, size=30)

    offsets, reasons = ghosts(prepared, chunks, size=30)

    assert chunks.starts.tolist() == [0, 23]
    assert offsets.tolist() == [10]
    assert (reasons[0].value, reasons[0].threshold) == (23, 30)
    assert reasons[0].words.startswith("merged: 23 characters <= 30; no cut before '\\n\\n'")


@given(text=ANY_TEXT, size=st.integers(1, 30))
def test_chunk_starts_and_ghosts_are_together_all_pieces(text, size):
    prepared, chunks = prepared_and_cut(text, size)

    offsets, reasons = ghosts(prepared, chunks, size=size)

    pieces = prepared.tree.split(np.array([[0, len(text)]]), size)
    assert sorted([*offsets.tolist(), *chunks.starts.tolist()]) == pieces.spans[:, 0].tolist()
    assert (reasons.values <= size).all()


def test_an_overlap_of_the_whole_chunk_is_refused_where_it_leaves_no_room():
    words = {"size": 5, "overlap": 5, "size_rule": "chunk_size", "mode": "reference"}
    with pytest.raises(ParameterError, match=r"overlap is 5, but must be at most 4"):
        run(make_recipe("STM", words), Document("some text"), Units())
