# SPDX-License-Identifier: AGPL-3.0-or-later
"""RGX: cuts at the user's pattern, joins tiny pieces, and survives patterns that never end."""

import re
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ParameterError
from core.strategies import pattern
from tests.core.strategies.test_recursive import chunks, spans
from tests.strategies import texts

PATTERNS = (
    r"\n{2,}",
    r"(?<=[.!?])\s+(?=[A-Z])",
    r"(\w)\1",
    r"\b",
    r"^#+ .*$",
    r"(?m)^",
    r"(?P<mark>[;,])\s*",
    r"x*",
)


def plain(text: str, expression: str, attach: str, least: int) -> list[tuple[int, int]]:
    side = 0 if attach == "start" else 1
    edges = sorted({0, len(text), *(m.span()[side] for m in re.finditer(expression, text))})
    pieces = [(a, b) for a, b in pairwise(edges) if a < b]
    at = 0
    while at < len(pieces):
        a, b = pieces[at]
        if attach == "start" and b - a < least and at + 1 < len(pieces):
            pieces[at : at + 2] = [(a, pieces[at + 1][1])]
        elif attach == "end" and b - a < least and at > 0:
            pieces[at - 1 : at + 1] = [(pieces[at - 1][0], b)]
        else:
            at += 1
    return pieces


@settings(max_examples=15)  # each starts a process
@given(
    text=texts,
    expression=st.sampled_from(PATTERNS),
    attach=st.sampled_from(["start", "end"]),
    least=st.integers(0, 15),
)
def test_rgx_equals_the_plain_definition(text, expression, attach, least):
    got = spans("RGX", text, pattern=expression, attach=attach, min_chars=least)

    assert got == plain(text, expression, attach, least)


@given(places=st.sets(st.integers(1, 99), max_size=30).map(sorted), least=st.integers(0, 15))
def test_joining_tiny_pieces_equals_the_plain_definition(places, least):
    marks = "".join("|" if at in places else "." for at in range(100))
    cuts = np.array(places, np.int64)

    before = cuts[pattern._kept_before(cuts, least)]
    behind = cuts[pattern._kept_behind(cuts, 100, least)]

    assert pieces(before) == plain(marks, r"\|", "start", least)
    assert pieces(behind) == plain(marks, r".(?=\|)", "end", least)


def pieces(cuts) -> list[tuple[int, int]]:
    return list(pairwise([0, *cuts.tolist(), 100]))


def test_a_pattern_that_backtracks_without_end_is_stopped_with_its_place():
    text = "short; short; " + "a" * 50 + "!"
    began = time.monotonic()

    with pytest.raises(ParameterError, match="needs too long on this text") as error:
        pattern.search(r"(a+)+$|;", text, seconds=0.3)

    assert time.monotonic() - began < 20
    assert "backtrack without end at character" in str(error.value)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        pytest.param("a(b", "at position 1: missing ), unterminated subpattern", id="bracket"),
        pytest.param("*", "at position 0: nothing to repeat", id="nothing to repeat"),
        pytest.param("[z-a]", "at position 1: bad character range z-a", id="range"),
    ],
)
def test_a_bad_pattern_is_refused_with_the_position_and_the_compilers_words(expression, words):
    with pytest.raises(ParameterError) as error:
        chunks("RGX", "text", pattern=expression)

    assert words in str(error.value)


def test_a_pattern_that_matches_too_often_is_refused(monkeypatch):
    monkeypatch.setattr(pattern, "MOST_MATCHES", 3)

    with pytest.raises(ParameterError, match="matches more than 3 times"):
        pattern.search("a", "aaaa")


def test_the_reason_shows_what_matched_and_the_pattern():
    found = chunks("RGX", "First part {1}; second part", pattern=r"\s*\{\d\};?")

    reason = found.end_reasons[0]
    assert reason.words == r"cut before ' {1};', which matches \s*\{\d\};?"
    assert found.end_reasons[1] is None
    assert found.start_reasons[1] == reason


def test_a_zero_byte_and_marks_beyond_the_basic_plane_keep_offsets_true():
    text = "a\x00b \U0001f44d\U0001f3fd--next part of it"

    assert spans("RGX", text, pattern="--", min_chars=0) == [(0, 6), (6, len(text))]


def test_an_empty_text_has_no_chunks():
    assert spans("RGX", "") == []
