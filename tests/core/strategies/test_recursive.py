# SPDX-License-Identifier: AGPL-3.0-or-later
"""RC, RTF and K1 against the plain recursive definition, and what they say of their cuts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Document
from core.errors import ParameterError
from core.strategies import greedy_merge, nested_pieces
from core.strategies.recipe import make_recipe
from core.strategies.registry import find
from core.strategies.source import Source
from core.units.tokens import piece_counter
from tests.core.strategies.plain_recursive import plain_recursive
from tests.strategies import texts

DEFAULT = ("\n\n", "\n", " ", "")
SEPARATOR_LISTS = (
    DEFAULT,
    ("\n", "\n\n", " "),
    ("\n\n\n", "\n\n", "\n", ""),
    (". ", "a", "aa"),
    ("{", "", " "),
)
CLINICAL = (r"\n\n", r"(?<=[.!?])\s+", r"(?<=[,;:])\s+", r"\s+", "")


def chunks(code: str, text: str, *, tokenizer: str = "cl100k_base", **parameters):
    found = find(code)
    # an overlap of the whole size is for reference mode, which other tests ask for in words
    whole = parameters.get("size", 0) and parameters.get("size") == parameters.get("overlap")
    legal = {"overlap": parameters["size"] - 1} if whole else {}
    checked = {**found.declaration.check({**parameters, **legal}), **parameters}
    slow, fast = found.split(checked)
    source = Source(Document(text), tokenizer=tokenizer)
    return found.cut(found.prepare(source, **slow), **fast)


def spans(code: str, text: str, **parameters) -> list[tuple[int, int]]:
    return [tuple(span) for span in chunks(code, text, **parameters).spans.tolist()]


@st.composite
def sizes(draw, greatest: int = 40):
    size = draw(st.integers(1, greatest))
    return {"size": size, "overlap": draw(st.integers(0, size))}


@given(text=texts, size=sizes(), separators=st.sampled_from(SEPARATOR_LISTS))
def test_rc_equals_the_recursive_definition_in_characters(text, size, separators):
    got = spans("RC", text, separators=separators, **size)

    assert got == plain_recursive(text, separators, **size)


@given(text=texts, size=sizes(), few=st.sampled_from([1, 2, 1_000]))
def test_runs_merge_side_by_side_as_they_do_one_by_one(text, size, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy_merge, "FEW", few)
        for unit in ("characters", "words"):
            got = spans("RC", text, length_unit=unit, **size)

            length = piece_counter(unit).count
            assert got == plain_recursive(text, DEFAULT, length=length, **size)


@pytest.mark.parametrize("unit", ["words", "cl100k_base", "gpt2", "wordpiece"])
@given(text=texts, size=sizes(12), separators=st.sampled_from(SEPARATOR_LISTS))
def test_rc_equals_the_recursive_definition_in_every_length_unit(text, size, separators, unit):
    got = spans("RC", text, separators=separators, length_unit=unit, **size)

    length = piece_counter(unit).count
    assert got == plain_recursive(text, separators, length=length, **size)


@pytest.mark.parametrize("unit", ["cl100k_base", "o200k_base"])
@given(text=texts, size=sizes(12), separators=st.sampled_from(SEPARATOR_LISTS))
def test_counts_from_the_tokens_of_the_parent_are_those_of_each_piece(text, size, separators, unit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nested_pieces, "SHORT", 1_000_000)
        patch.setattr(nested_pieces, "MANY", 1)
        patch.setattr(nested_pieces, "TOGETHER", 0)
        repeated = f"{text}\n\n{text}"
        got = spans("RC", repeated, separators=separators, length_unit=unit, **size)

    length = piece_counter(unit).count
    assert got == plain_recursive(repeated, separators, length=length, **size)


def test_pieces_that_were_never_counted_do_not_disturb_the_others():
    short, long = "a b c\n\n", "one two three four five six seven eight nine ten\n\n"
    text = (short * 30 + long) * 60
    size = {"size": 4, "overlap": 2}

    got = spans("RC", text, length_unit="words", **size)

    assert got == plain_recursive(text, DEFAULT, length=piece_counter("words").count, **size)


@given(text=texts, size=sizes(12))
def test_rtf_is_rc_with_each_piece_encoded_by_itself(text, size):
    got = spans("RTF", text, tokenizer="gpt2", **size)

    assert got == plain_recursive(text, DEFAULT, length=piece_counter("gpt2").count, **size)


@given(text=texts, size=sizes())
def test_clinical_separators_are_the_same_algorithm_with_regular_expressions(text, size):
    got = spans("K1", text, separators="clinical", **size)

    assert got == plain_recursive(text, CLINICAL, is_pattern=True, **size)


@given(text=texts, size=sizes(), again=sizes())
def test_pieces_that_were_counted_before_give_the_same_chunks(text, size, again):
    found = find("RC")
    source = Source(Document(text))
    warm = found.prepare(source, separators="default", length_unit="cl100k_base")
    found.cut(warm, **again)

    got = [tuple(span) for span in found.cut(warm, **size).spans.tolist()]

    assert got == spans("RC", text, length_unit="cl100k_base", **size)


@given(text=texts, size=st.integers(1, 40))
def test_without_overlap_each_solid_character_is_in_exactly_one_chunk(text, size):
    got = spans("RC", text, size=size, overlap=0)

    kept = "".join(text[a:b] for a, b in got)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(a < b <= c for (a, b), (c, _) in pairwise(got))


def test_the_reason_names_the_separator_and_the_lengths_that_were_compared():
    found = chunks("RC", "one two\n\nthree four\n\nfive", size=20, overlap=0)

    reason = found.end_reasons[0]
    assert (reason.value, reason.threshold, reason.margin) == (25.0, 20.0, 5.0)
    assert "before '\\n\\n'" in reason.words
    assert found.end_reasons[len(found) - 1] is None
    assert found.start_reasons[0] is None


def test_a_start_inside_the_chunk_before_is_explained_by_the_overlap():
    found = chunks("RC", "aa bb cc dd ee", size=8, overlap=3)

    assert found.spans.tolist() == [[0, 8], [6, 11], [9, 14]]
    reason = found.start_reasons[1]
    assert (reason.rule, reason.value, reason.threshold) == ("overlap", 3.0, 3.0)


@pytest.mark.parametrize(
    ("separators", "words"),
    [
        pytest.param("defualt", "did you mean 'default'?", id="a misspelt name"),
        pytest.param("[1, 2]", "JSON list of strings", id="not strings"),
        pytest.param((), "at least one", id="an empty list"),
    ],
)
def test_a_list_of_separators_that_cannot_be_used_is_refused(separators, words):
    with pytest.raises(ParameterError, match="separators") as error:
        chunks("RC", "a b", separators=separators)

    assert words in str(error.value)


def test_an_own_list_of_separators_may_be_json_text():
    assert spans("RC", "a;b;c", size=2, overlap=0, separators='[";"]') == [(0, 1), (1, 3), (3, 5)]


def test_an_overlap_of_the_size_is_refused_with_the_bound():
    with pytest.raises(ParameterError, match=r"overlap is 5.*at most 4 \(size - 1\)"):
        make_recipe("RC", {"size": 5, "overlap": 5})
