# SPDX-License-Identifier: AGPL-3.0-or-later
"""Finding gold again: each step, its order, and what is doubtful."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from core.document.model import Document
from core.search.gold import best_alignment, document_ids, place_gold, place_quote
from core.search.normal_text import normal_text, normalised
from core.search.query_sets import GoldSpan, Query, QuerySet, SetDocument

FILLER = "The weather was mild and the road was long. "
QUOTE = "Take two tablets of 500 mg each morning before the first meal."


def test_a_quote_in_its_place_is_exact():
    assert place_quote("abc def", "def", 4, 7)[:3] == (4, 7, "exact")


def test_a_quote_that_stands_once_elsewhere_has_moved():
    text = FILLER + QUOTE

    assert place_quote(text, QUOTE, 0, len(QUOTE))[:3] == (44, 44 + len(QUOTE), "moved")


def test_of_several_the_nearest_is_taken():
    text = f"{QUOTE} {FILLER * 4}{QUOTE}"
    last = text.rindex(QUOTE)

    assert place_quote(text, QUOTE, last - 5, last + 50)[:3] == (last, len(text), "moved")


def test_two_that_are_equally_near_are_ambiguous():
    assert place_quote("xx a xxx a xx", "a", 6, 7)[2] == "ambiguous"


def test_in_a_text_of_another_length_the_nearest_means_nothing():
    text = f"{QUOTE} {FILLER * 4}{QUOTE}"

    assert place_quote(text, QUOTE, 5, 60, old_length=len(text) * 2)[2] == "ambiguous"


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(QUOTE.replace(" ", "\n "), id="other white space"),
        pytest.param(QUOTE.replace("first", "ﬁrst"), id="ligature"),
        pytest.param(QUOTE.replace("morning", "mor-\nning"), id="hyphen at a line end"),
        pytest.param(QUOTE.replace("tablets", "tab\u00adlets"), id="soft hyphen"),
        pytest.param(QUOTE.upper(), id="capitals"),
    ],
)
def test_a_quote_that_looks_the_same_is_found_normalised(changed):
    text = FILLER + changed + " " + FILLER

    start, end, status, _ = place_quote(text, QUOTE, 3, 50)

    assert (status, text[start:end]) == ("normalised", changed)


def test_a_quote_with_few_errors_is_found_fuzzily():
    changed = QUOTE.replace("tablets", "tabletts").replace("meal", "mael")
    text = FILLER * 3 + changed + " " + FILLER * 3

    start, end, status, similarity = place_quote(text, QUOTE, 100, 162)

    assert status == "fuzzy"
    assert text[start:end].strip() == changed
    assert 0.9 <= similarity < 1


def test_a_fuzzy_quote_far_away_is_found_in_the_whole_document():
    changed = QUOTE.replace("two", "tvo")
    text = FILLER * 400 + changed + FILLER * 3

    start, _, status, _ = place_quote(text, QUOTE, 10, 72)

    assert (status, start) == ("fuzzy", 400 * len(FILLER))


def test_two_places_that_are_nearly_as_good_are_not_taken():
    one, other = QUOTE.replace("two", "tvo"), QUOTE.replace("each", "eech")

    assert place_quote(f"{FILLER}{one} {FILLER}{other}", QUOTE, 3, 60)[2] == "lost"


def test_short_quotes_are_never_matched_fuzzily():
    assert place_quote("take two tablats now", "two tablets", 1, 12)[2] == "lost"


def test_what_is_not_there_is_lost():
    assert place_quote(FILLER * 5, QUOTE, 3, 50)[:3] == (-1, -1, "lost")


@given(
    text=st.text("abc ", max_size=40),
    needle=st.text("abc ", min_size=1, max_size=12),
)
def test_the_best_alignment_is_as_near_as_the_nearest_part(text, needle):
    start, end, similarity = best_alignment(text, needle)
    least = min(
        Levenshtein.distance(text[a:b], needle)
        for a in range(len(text) + 1)
        for b in range(a, len(text) + 1)
    )

    part = text[start:end]
    assert 0 <= start <= end <= len(text)
    if text:
        assert Levenshtein.distance(part, needle) == least
        assert similarity == pytest.approx(1 - least / max(len(part), len(needle)))


@given(st.text(st.sampled_from("aB -\n\r\t\u00ad\u200b“”–ﬁß²e\u0301é한\u1161-x"), max_size=40))
def test_the_quick_and_the_mapped_normal_text_are_equal(text):
    mapped = normal_text(text)

    assert mapped.text == normalised(text)
    assert len(mapped.origins) == len(mapped.text) + 1
    assert (np.diff(mapped.origins) >= 0).all()


def test_a_span_of_the_normal_text_leads_to_the_original():
    text = "see “Ruck-\nsack”  now"
    mapped = normal_text(text)
    start = mapped.text.index("rucksack")

    low, high = mapped.span(start, start + 8)

    assert text[low:high] == "Ruck-\nsack"


def test_documents_are_known_by_text_then_file_then_name():
    here = {"1": Document("alpha", "a.pdf"), "2": Document("beta", "folder/b.md")}
    listed = [
        SetDocument("first", "old.pdf", sha256=Document("alpha").sha256),
        SetDocument("second", "b.md"),
        SetDocument("third", "c.md"),
    ]

    assert document_ids(listed, here, ["a"]) == {"first": "1", "second": "2", "a": "1"}


def query(*gold, **more):
    return Query("q", "How?", tuple(gold), **more)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        pytest.param(query(GoldSpan("d", 0, 3, "one")), "", id="used"),
        pytest.param(query(), "not annotated", id="no gold"),
        pytest.param(query(answer="yes"), "an answer, but no gold", id="answer only"),
        pytest.param(query(unanswerable=True), "unanswerable", id="unanswerable"),
        pytest.param(query(GoldSpan("e", 0, 3, "one")), "its document is not here", id="elsewhere"),
        pytest.param(
            query(GoldSpan("d", 0, 3, "one"), GoldSpan("d", 0, 3, "six")), "gold lost", id="lost"
        ),
    ],
)
def test_a_question_says_why_it_is_left_out(asked, reason):
    (placed,) = place_gold(QuerySet("s", (asked,)), {"d": Document("one two", "d")})

    assert placed.left_out == reason
