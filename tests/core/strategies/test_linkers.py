# SPDX-License-Identifier: AGPL-3.0-or-later
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.document.model import Document
from core.strategies.linkers import Cut, earlier_starts, keep_with_step_before, step_words
from core.strategies.source import Source

LINKERS = {"unless", "until"}


def steps(sentences):
    """The steps of sentences joined by spaces, and the text."""
    text = " ".join(sentences)
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences])
    spans = as_spans(list(zip([0, *ends[:-1]], ends - 1, strict=True)))
    return step_words(Source(Document(text)), spans, [text[a:b] for a, b in spans]), text


def repaired(sentences, cuts, max_words=100):
    found, _ = steps(sentences)
    words = [len(sentence.split()) for sentence in sentences]
    kept = keep_with_step_before(
        [Cut(cut, 0, 0.5, 0.8) for cut in cuts], found, words, linkers=LINKERS, max_words=max_words
    )
    return [(cut.sentence, cut.detail) for cut in kept]


def earlier(sentences, cuts, overlap):
    found, text = steps(sentences)
    edges = np.array([0, *cuts, len(sentences)])
    return [
        (chunk, text[start : found.spans[edges[chunk], 0]], cut.value)
        for chunk, start, cut in earlier_starts(
            edges, found, linkers=LINKERS, repair_overlap=overlap
        )
    ]


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("Unless it is cold.", "unless"),
        ("- “Until then, wait.", "until"),
        ("...", ""),
        ("2.5 mg daily.", "2"),
        ("Within-day changes.", "within-day"),
        ("AFTER", "after"),
    ],
)
def test_the_first_word_is_in_lower_case_without_marks(sentence, word):
    assert steps([sentence])[0].first_words == [word]


def test_a_linked_sentence_moves_to_the_step_before():
    assert repaired(["Give it.", "Unless cold.", "Then rest."], [1]) == [(2, "unless")]


def test_several_linked_sentences_move_one_after_the_other():
    sentences = ["Give it.", "Unless cold.", "Until noon.", "Then rest."]
    assert repaired(sentences, [1]) == [(3, "until")]


def test_a_chunk_of_which_nothing_is_left_disappears():
    sentences = ["Give it.", "Unless cold.", "Then rest.", "Sleep."]
    assert repaired(sentences, [1, 2]) == [(2, "")]
    assert repaired(sentences[:2], [1]) == []


def test_a_sentence_that_does_not_fit_stays():
    assert repaired(["Give it.", "Unless cold.", "Then rest."], [1], max_words=3) == [(1, "")]


def test_a_cut_without_a_linker_keeps_its_reason():
    assert repaired(["Give it.", "Then rest.", "Unless cold."], [1]) == [(1, "")]


@given(data=st.data(), n=st.integers(2, 12))
def test_a_repair_only_moves_cuts_forward_and_never_passes_the_limit(data, n):
    linked = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    sentences = ["Unless so." if each else "Then so." for each in linked]
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1))))
    limit = data.draw(st.integers(2, 2 * n))
    kept = [sentence for sentence, _ in repaired(sentences, cuts, limit)]

    assert kept == sorted(set(kept))
    original, result = np.diff([0, *cuts, n]) * 2, np.diff([0, *kept, n]) * 2
    assert result.max(initial=0) <= max(limit, original.max())
    for before, sentence in pairwise([0, *kept]):
        if linked[sentence]:
            assert 2 * (sentence - before) + 2 > limit  # it did not fit


def test_what_does_not_fit_is_preceded_by_whole_sentences_within_the_overlap():
    sentences = ["Give one.", "Take two.", "Hold.", "Unless it is cold."]
    assert earlier(sentences, [3], 5) == [(1, "Take two. Hold. ", 5)]
    assert earlier(sentences, [3], 4) == [(1, "Hold. ", 2)]
    assert earlier(sentences, [3], 100) == [(1, "Give one. Take two. Hold. ", 8)]


def test_a_sentence_longer_than_the_overlap_is_repeated_from_a_word_start():
    sentences = ["Give three tablets with water.", "Unless it is cold."]
    assert earlier(sentences, [1], 3) == [(1, "with water. ", 3)]


@pytest.mark.parametrize("overlap", [0, 1])
def test_nothing_is_repeated_where_no_word_begins_within_the_overlap(overlap):
    assert earlier(["Give water.", "Unless it is cold."], [1], overlap) == []


def test_only_the_chunk_before_is_repeated():
    sentences = ["Give one.", "Hold.", "Unless it is cold."]
    assert earlier(sentences, [1, 2], 100) == [(2, "Hold. ", 2)]
