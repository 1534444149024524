# SPDX-License-Identifier: AGPL-3.0-or-later
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.vectors.cache import VectorCache
from core.vectors.models import load_embedder
from core.vectors.toy import ToyEmbedder
from core.vectors.windows import part_edges, readable_pieces, weighted_means, window_vectors

SENTENCE = "The level is taken after two days in every patient. "


@pytest.fixture(scope="module")
def narrow():
    """MiniLM that reads 30 word pieces of a text."""
    return load_embedder("minilm", window=32, cache=VectorCache())


def test_a_text_that_fits_has_its_ordinary_vector(narrow):
    texts = [SENTENCE, "word"]
    assert np.array_equal(window_vectors(texts, narrow), narrow.encode(texts))


def test_a_long_text_is_the_weighted_mean_of_parts_that_end_with_sentences(narrow):
    text = (SENTENCE * 5).strip()  # 11 word pieces each: two fit
    parts = [(SENTENCE * 2).strip(), (SENTENCE * 2).strip(), SENTENCE.strip()]
    assert len(narrow.pieces(SENTENCE)) == 11
    expected = np.array([22, 22, 11]) @ narrow.encode(parts).astype(np.float64)

    (found,) = window_vectors([text], narrow)
    assert found == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)


def test_the_end_of_a_long_text_counts(narrow):
    long = SENTENCE * 8
    changed = long + "A fox barks at the moon."
    ordinary, pooled = narrow.encode([long, changed]), window_vectors([long, changed], narrow)
    assert np.abs(ordinary[0] - ordinary[1]).max() < 1e-6
    assert np.abs(pooled[0] - pooled[1]).max() > 1e-3


def test_repeated_and_no_texts(narrow):
    vectors = window_vectors([SENTENCE * 5, "a", SENTENCE * 5], narrow)
    assert np.array_equal(vectors[0], vectors[2])
    assert window_vectors([], narrow).shape == (0, 384)


def test_a_model_without_a_limit_reads_all_at_once():
    assert readable_pieces(ToyEmbedder()) is None
    text = SENTENCE * 100
    assert np.array_equal(window_vectors([text], ToyEmbedder()), ToyEmbedder().encode([text]))


@given(
    words=st.lists(st.integers(1, 4), min_size=1, max_size=60),
    ends=st.sets(st.integers(0, 60)),
    limit=st.integers(1, 12),
)
def test_parts_tile_the_pieces_and_keep_to_the_limit(words, ends, limit):
    """Words of one to four pieces of two characters, with a space between words."""
    pieces, sentence_starts, position = [], [0], 0
    for index, count in enumerate(words):
        if index in ends:
            sentence_starts.append(position)
        pieces += [(position + 2 * k, position + 2 * k + 2) for k in range(count)]
        position += 2 * count + 1
    sentences = as_spans([(start, start + 1) for start in sorted(set(sentence_starts))])

    edges = part_edges(as_spans(pieces), sentences, limit)
    assert edges[0] == 0 and edges[-1] == len(pieces)
    assert ((np.diff(edges) >= 1) & (np.diff(edges) <= limit)).all()


def test_a_part_ends_with_a_sentence_or_else_with_a_word():
    pieces = as_spans([(k, k + 1) for k in (0, 2, 4, 5, 6, 7, 8, 9)])
    at_two = as_spans([(0, 1), (2, 3)])
    assert part_edges(pieces, at_two, 4).tolist() == [0, 1, 2, 6, 8]
    assert part_edges(pieces, as_spans([(0, 10)]), 3).tolist() == [0, 2, 5, 8]


def test_a_mean_of_opposite_vectors_is_zero():
    vectors = np.array([[1, 0], [-1, 0], [0, 1]], np.float32)
    found = weighted_means(vectors, np.array([2, 2, 1]), np.array([0, 2, 3]))
    assert found.tolist() == [[0, 0], [0, 1]]
