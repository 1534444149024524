# SPDX-License-Identifier: AGPL-3.0-or-later
"""How lines of a paragraph are joined."""

import pytest

from core.document.hyphens import collect_words, join_lines

NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("before", "after", "words", "expected"),
    [
        pytest.param("it dis-", "covers", NONE, (1, ""), id="hyphen of the line end goes"),
        pytest.param("a type-", "unstable", {"type-unstable"}, (0, ""), id="compound stays"),
        pytest.param(
            "a type-", "unstable", {"type-unstable", "typeunstable"}, (1, ""), id="both known"
        ),
        pytest.param("impossibil\u00ad", "ity", NONE, (1, ""), id="soft hyphen goes"),
        pytest.param("Anglo-", "Saxon", NONE, (0, ""), id="capital after a hyphen"),
        pytest.param("CLASSIFI-", "CATION", NONE, (1, ""), id="capitals broken"),
        pytest.param("short-", "and long-term", NONE, (0, " "), id="part that comes later"),
        pytest.param("the year 2019-", "2020", NONE, (0, ""), id="numbers"),
        pytest.param("one", "two", NONE, (0, " "), id="words"),
        pytest.param("归属于上", "市公司", NONE, (0, ""), id="Han"),
        pytest.param("한국어", "문장", NONE, (0, " "), id="Hangul has spaces"),
        pytest.param("see https://a.org/", "b", NONE, (0, ""), id="address"),
        pytest.param("word—", "word", NONE, (0, ""), id="em dash without space"),
        pytest.param("word –", "word", NONE, (0, " "), id="dash with space"),
        pytest.param("", "x", NONE, (0, ""), id="nothing before"),
    ],
)
def test_lines_are_joined_as_the_page_means(before, after, words, expected):
    assert join_lines(before, after, frozenset(words)) == expected


def test_words_and_compounds_are_collected_in_lower_case():
    assert collect_words(["A Type-unstable loop", "is it?"]) == {
        "a", "type-unstable", "loop", "is", "it"
    }  # fmt: skip
