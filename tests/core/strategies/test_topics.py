# SPDX-License-Identifier: AGPL-3.0-or-later
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.cancel import NEVER
from core.document.model import Document
from core.errors import ParameterError
from core.strategies import topics as module
from core.strategies.groups import SENTENCE_GLUE, join_units
from core.strategies.source import Source
from core.strategies.topics import (
    Topics,
    condensed_distances,
    cut_between_topics,
    find_topics,
    merge_tree,
    topic_numbers,
)
from core.vectors.toy import ToyEmbedder

LINKAGES = ["average", "complete", "single"]
seeds = st.integers(0, 10_000)


def random_vectors(seed, n):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(n, 5)).astype(np.float32)


def prepared(vectors):
    n = len(vectors)
    spans = as_spans([(3 * k, 3 * k + 2) for k in range(n)])
    return Topics(join_units(" ".join(["S."] * n), spans, SENTENCE_GLUE), vectors, NEVER)


def plain_topics(vectors, distance, linkage):
    """Merge the two nearest topics while they are nearer than `distance`."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    apart = 1 - unit @ unit.T
    measure = {"average": np.mean, "complete": np.max, "single": np.min}[linkage]
    clusters = [[k] for k in range(len(vectors))]
    while len(clusters) > 1:
        height, i, j = min(
            (measure(apart[np.ix_(a, b)]), i, j)
            for i, a in enumerate(clusters)
            for j, b in enumerate(clusters)
            if i < j
        )
        if height >= distance:
            break
        clusters[i] += clusters.pop(j)
    return [next(c for c in clusters if k in c)[0] for k in range(len(vectors))]


def same(numbers):
    """Which pairs have one number: the partition, whatever the numbers are."""
    return [[a == b for b in numbers] for a in numbers]


@given(seed=seeds, n=st.integers(2, 12), distance=st.floats(0, 2))
@pytest.mark.parametrize("linkage", LINKAGES)
def test_topics_are_those_of_plain_clustering(linkage, seed, n, distance):
    vectors = random_vectors(seed, n)
    numbers = topic_numbers(merge_tree(vectors, linkage, NEVER), distance).tolist()
    topics = plain_topics(vectors.astype(np.float64), distance, linkage)
    assert same(numbers) == same(topics)


@given(seed=seeds, n=st.integers(2, 12), distance=st.floats(0, 2))
@pytest.mark.parametrize("linkage", LINKAGES)
def test_a_cut_lies_where_neighbours_have_different_topics(linkage, seed, n, distance):
    found = prepared(random_vectors(seed, n))
    chunks = cut_between_topics(found, distance=distance, linkage=linkage)
    numbers = topic_numbers(found.tree(linkage), distance)
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist()]
    assert (chunks.spans[:, 0] // 3).tolist() == starts
    assert chunks.labels.tolist() == numbers[starts].tolist()


def test_a_merge_at_the_distance_is_not_performed():
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    found = prepared(vectors)
    height = float(found.tree("average").merges[0, 2])
    assert len(cut_between_topics(found, distance=height, linkage="average")) == 2
    assert len(cut_between_topics(found, distance=height + 1e-9, linkage="average")) == 1


def test_a_topic_that_comes_back_keeps_its_number():
    chunks = cut_between_topics(
        prepared(np.array([[1, 0], [0, 1], [1, 0]], np.float32)), distance=0.5, linkage="average"
    )
    assert chunks.labels.tolist() == [0, 1, 0]


def test_the_margin_is_that_of_the_nearest_merge():
    found = prepared(np.array([[1, 0], [0, 1], [1, 0]], np.float32))
    assert found.tree("average").margin(0.75) == pytest.approx(0.25)


def test_a_reason_names_the_height_at_which_both_sides_would_join():
    chunks = cut_between_topics(
        prepared(np.array([[1, 0], [0, 1]], np.float32)), distance=0.4, linkage="average"
    )
    reason = chunks.end_reasons[0]
    assert (reason.value, reason.threshold) == pytest.approx((1.0, 0.4))


@given(seed=seeds, n=st.integers(2, 40))
def test_condensed_distances_are_in_the_order_of_scipy(seed, n):
    from scipy.spatial.distance import pdist

    vectors = random_vectors(seed, n)
    expected = pdist(vectors.astype(np.float64), "cosine")
    assert condensed_distances(vectors, NEVER) == pytest.approx(expected, abs=1e-12)


def test_a_zero_vector_is_at_distance_one_of_all_others():
    vectors = np.array([[0, 0], [1, 0], [0, 0]], np.float32)
    assert condensed_distances(vectors, NEVER).tolist() == [1, 1, 1]


def source(text):
    return Source(Document(text), embedder=ToyEmbedder())


def test_too_many_sentences_are_refused_with_both_numbers(monkeypatch):
    monkeypatch.setattr(module, "MOST_SENTENCES", 5)
    with pytest.raises(ParameterError, match="6 sentences, but at most 5 are possible"):
        find_topics(source("A cat. " * 6))


@pytest.mark.parametrize(("text", "spans"), [("", []), (" \n ", [[0, 3]]), (" One. ", [[0, 6]])])
def test_fewer_than_two_sentences_are_the_whole_text(text, spans):
    chunks = cut_between_topics(find_topics(source(text)), distance=0.4, linkage="average")
    assert chunks.spans.tolist() == spans
