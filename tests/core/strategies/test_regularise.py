# SPDX-License-Identifier: AGPL-3.0-or-later
"""REG against the plain definition, its reasons and its words."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Document
from core.strategies.chunks import Chunks, one_span_chunks
from core.strategies.regularise import GAP, Limits, regularisation, regularise
from core.strategies.source import Source
from core.units.tokens import piece_counter
from tests.core.strategies.plain_split_merge import plain_regularise
from tests.core.strategies.test_recursive import chunks
from tests.strategies import prose


def one_span(*pairs: tuple[int, int]) -> Chunks:
    return one_span_chunks(np.array(pairs, np.int64).reshape(-1, 2))


def source(text: str) -> Source:
    return Source(Document(text))


@st.composite
def texts_with_chunks(draw):
    text = draw(prose | st.text("🧪🧬 犬a\n", max_size=30))  # a character may have several tokens
    edge = st.integers(0, len(text))
    kind = draw(st.sampled_from(["tiling", "gaps", "any"]))
    if kind == "tiling":
        edges = sorted({0, len(text), *draw(st.lists(edge, max_size=12))})
        pairs = list(itertools.pairwise(edges))
    else:
        pairs = draw(st.lists(st.tuples(edge, edge).map(sorted), max_size=10))
        pairs = sorted(pairs) if kind == "gaps" else pairs
    return text, [tuple(pair) for pair in pairs if pair[0] < pair[1]]


@st.composite
def limits(draw):
    largest = draw(st.integers(1, 30))
    return {
        "largest": largest,
        "least": draw(st.integers(0, largest)),
        "merged_max": draw(st.integers(largest, largest + 10)),
        "toward": draw(st.sampled_from(["next", "previous"])),
    }


@pytest.mark.parametrize("length", ["o200k_base", "words", "characters"])
@given(text_and_pairs=texts_with_chunks(), limit=limits())
def test_reg_equals_the_plain_definition(text_and_pairs, limit, length):
    text, pairs = text_and_pairs

    got = regularisation(one_span(*pairs), source(text), Limits(**limit, length=length)).chunks

    expected = plain_regularise(text, pairs, piece_counter(length).count, **limit)
    assert [tuple(span) for span in got.spans.tolist()] == expected


@given(text_and_pairs=texts_with_chunks(), limit=limits())
def test_the_chunks_cover_the_whole_text(text_and_pairs, limit):
    text, pairs = text_and_pairs
    got = regularisation(one_span(*pairs), source(text), Limits(**limit)).chunks

    covered = np.zeros(len(text), bool)
    for a, b in got.spans.tolist():
        covered[a:b] = True
    assert covered.all() or not pairs


@given(text_and_pairs=texts_with_chunks(), limit=limits())
def test_every_boundary_has_a_reason_or_was_an_end_before(text_and_pairs, limit):
    text, pairs = text_and_pairs
    chunking = one_span(*pairs)
    got = regularisation(chunking, source(text), Limits(**limit)).chunks

    ends = {b for _, b in pairs} | {len(text)}
    for index, end in enumerate(got.ends.tolist()):
        assert end in ends or got.end_reasons[index].step == "reg"


WORDS = "one two three four five six seven eight nine ten"


def changed(pairs, **limit):
    found = regularisation(one_span(*pairs), source(WORDS), Limits(length="words", **limit))
    return found, [found.changes.words(index) for index in range(len(found.changes))]


def test_a_split_says_how_much_was_too_much():
    found, words = changed([(0, len(WORDS))], largest=6, least=0, merged_max=6)

    assert words == ["split: 10 words > 6"]
    reason = found.chunks.end_reasons[0]
    assert (reason.rule, reason.value, reason.threshold, reason.step) == ("oversize", 10, 6, "reg")
    assert reason.words.startswith("split: 10 words > 6; with the next piece 7 words > 6")


def test_a_joining_says_with_whom_and_what_it_comes_to():
    found, words = changed([(0, 7), (7, 13), (13, 48)], largest=9, least=3, merged_max=9)

    assert words[0] == "joined with the next: 2 words < 3, together 3 ≤ 9"
    assert found.chunks.spans.tolist() == [[0, 13], [13, 48]]


def test_a_joining_with_the_one_before_says_so():
    _, words = changed([(0, 39), (39, 48)], largest=9, least=3, merged_max=99, toward="previous")

    assert words == ["joined with the one before: 2 words < 3, together 10 ≤ 99"]


def test_a_chunk_that_has_no_room_beside_it_is_left_small():
    pairs = [(0, 18), (18, 23), (23, 44), (44, 48)]
    found, words = changed(pairs, largest=4, least=2, merged_max=4)

    assert words == ["left small: both neighbours would exceed 4"] * 2
    assert found.changes.offsets.tolist() == [18, 44]
    assert len(found.chunks) == 4


def test_a_closed_gap_names_its_characters():
    found, words = changed([(0, 7), (9, 48)], largest=99, least=0, merged_max=99)

    assert words == ["gap of 2 characters closed"]
    assert found.changes.kinds.tolist() == [GAP]
    assert found.chunks.spans.tolist() == [[0, 7], [7, 48]]
    assert found.chunks.start_reasons[1].words == "gap of 2 characters closed"


def test_a_kept_boundary_keeps_the_reason_of_the_strategy():
    text = "one two three\n\nfour five six\n\nseven eight nine"
    before = chunks("RC", text, size=16, overlap=0)
    after = regularise(before, source(text), max=50, min=1, merged_max=50, length="words")

    assert after.end_reasons[0] == before.end_reasons[0]
    assert after.end_reasons[0].step == "strategy"


def test_chunks_of_several_spans_are_skipped_and_that_is_said():
    spans = np.array([[0, 3], [8, 13], [4, 7]], np.int64)
    base = one_span(*spans.tolist())
    scattered = Chunks(
        spans,
        np.array([0, 2, 3]),
        *(each.take(np.arange(2)) for each in (base.start_reasons, base.end_reasons)),
        base.levels[:2],
        *(base.parents[:2] for _ in range(3)),
    )

    after = regularise(scattered, source(WORDS))

    assert after.spans.tolist() == spans.tolist()
    assert "skipped" in after.notices[-1].message
    assert "1 of them are not one span" in after.notices[-1].message


def test_the_notice_counts_the_changes_of_each_kind():
    found, _ = changed([(0, 7), (9, 48)], largest=6, least=3, merged_max=9)

    message = found.chunks.notices[-1].message
    assert message == "regularised: 1 split, 1 joined with the next, 1 gap closed"


def test_no_chunks_stay_no_chunks():
    assert len(regularise(one_span(), source("some text"))) == 0
    assert len(regularise(one_span(), source(""))) == 0
