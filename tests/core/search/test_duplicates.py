# SPDX-License-Identifier: AGPL-3.0-or-later
"""Near-duplicates among chunks and documents."""

import numpy as np
import pytest

from core.document.model import Document
from core.search import duplicates
from core.search.duplicates import (
    common_passages,
    copied_spans,
    document_pairs,
    duplicate_groups,
    duplicate_pairs,
    minhash,
    repeats,
    shingles,
    similarity,
)

WORDS = [f"word{i}" for i in range(400)]


def words(first, last):
    return " ".join(WORDS[first:last])


def pairs_of(texts, documents=None, spans=None):
    n = len(texts)
    places = np.array([[i * 1000, i * 1000 + 500] for i in range(n)]) if spans is None else spans
    return duplicate_pairs(
        texts, np.zeros(n, np.int64) if documents is None else documents, np.asarray(places)
    )


def test_shares_of_shingles_are_those_of_the_definition():
    one, other = shingles(words(0, 24)), shingles(words(10, 34))

    assert len(one) == 20
    assert similarity(one, other) == (10 / 30, 10 / 20)


def test_a_short_text_is_one_shingle():
    assert similarity(shingles("Two Words"), shingles("two words")) == (1.0, 1.0)
    assert similarity(shingles(""), shingles("")) == (0.0, 0.0)


def test_a_text_that_differs_in_one_word_of_many_is_a_near_duplicate():
    changed = words(0, 99) + " other"

    (pair,) = pairs_of([words(0, 100), words(200, 300), changed])

    assert (pair.first, pair.second, pair.kind, pair.overlaps) == (0, 2, "near-duplicate", False)
    assert pair.jaccard == pytest.approx(95 / 97)


def test_a_text_inside_a_longer_one_is_contained():
    (pair,) = pairs_of([words(0, 100), words(20, 60)])

    assert pair.kind == "contained" and pair.contained == 1.0


def test_chunks_that_overlap_in_position_are_told_apart():
    texts = [words(0, 100), words(5, 105)]

    (near,) = pairs_of(texts, spans=[[0, 900], [40, 940]])
    (far,) = pairs_of(texts, np.array([0, 1]), [[0, 900], [40, 940]])

    assert near.overlaps and not far.overlaps


def test_groups_are_connected_chunks_with_the_first_as_representative():
    found = pairs_of([words(0, 100), words(200, 300), words(0, 99), words(1, 100)])

    assert duplicate_groups(found) == [[0, 2, 3]]


def test_minhash_finds_what_exact_shingles_find(monkeypatch):
    texts = [words(i * 3, i * 3 + 60) for i in range(100)] + [words(0, 59)]
    exact = pairs_of(texts)

    monkeypatch.setattr(duplicates, "EXACT_UP_TO", 10)

    assert pairs_of(texts) == exact
    assert minhash([shingles(texts[0])]).tolist() == minhash([shingles(texts[0])]).tolist()


def test_a_ranked_chunk_that_repeats_a_higher_one_is_named():
    assert repeats(np.array([4, 1, 7]), frozenset({(1, 4)})) == [False, True, False]


def test_documents_of_which_one_is_in_the_other():
    here = {
        "short": Document(words(100, 200)),
        "long": Document(words(0, 300)),
        "other": Document("Quite another text. " * 20),
    }

    (pair,) = document_pairs(here)

    assert (pair.part, pair.whole, pair.share) == ("short", "long", 1.0)
    start, end, other_start, other_end = pair.passages[0]
    assert here["short"].text[start:end] == here["long"].text[other_start:other_end]
    assert end - start == len(here["short"].text)


def test_the_same_text_twice_is_said():
    (pair,) = document_pairs({"a": Document("same text"), "b": Document("same text")})

    assert pair.same_text and pair.share == 1.0


def test_common_passages_have_at_least_fifty_words():
    assert common_passages(words(0, 49), words(0, 49)) == []
    assert len(common_passages(words(0, 50), words(0, 50))) == 1


def test_a_passage_is_found_in_other_documents():
    quote = words(10, 30)
    here = {
        "home": Document(words(0, 50)),
        "copy": Document("Before. " + quote),
        "shouted": Document("Before. " + quote.upper().replace(" ", "\n")),
        "none": Document("Nothing of it."),
    }

    found = copied_spans(quote, "home", here)

    assert [(name, here[name].text[a:b].lower().replace("\n", " ")) for name, a, b in found] == [
        ("copy", quote),
        ("shouted", quote),
    ]
    assert copied_spans("too short", "home", here) == []
