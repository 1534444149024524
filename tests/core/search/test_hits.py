# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rankings, ties, exact search, BM25 and fusion against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.bm25 import index_texts
from core.search.hits import Ranking, best_rows, exact_rankings, fused, fusion_depth
from tests.core.search.pools import unit_vectors


def ranking(*rows: int) -> Ranking:
    return Ranking(np.array(rows, np.int64), -np.arange(len(rows), dtype=np.float64))


def test_equal_scores_are_listed_in_the_order_of_the_rows():
    assert best_rows(np.array([0.5, 0.9, 0.5, 0.9, 0.5]), 3).rows.tolist() == [1, 3, 0]


def test_scores_that_differ_by_rounding_of_float32_are_equal():
    scores = np.array([0.7, 0.7 + 1e-8, 0.7 - 1e-8])

    assert best_rows(scores, 3).rows.tolist() == [0, 1, 2]


@given(
    scores=st.lists(st.sampled_from([0.0, 0.25, 0.5, -1.0]), max_size=30),
    k=st.integers(1, 12),
)
def test_the_best_rows_are_the_head_of_the_stably_sorted_list(scores, k):
    expected = sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:k]

    assert best_rows(np.array(scores, np.float64), k).rows.tolist() == expected


def test_exact_search_equals_sorting_all_cosines():
    vectors, queries = unit_vectors(300, 1), unit_vectors(70, 2)

    found = exact_rankings(queries, vectors, 10)

    for query, hits in zip(queries, found, strict=True):
        cosines = vectors.astype(np.float64) @ query.astype(np.float64)
        assert hits.rows.tolist() == np.argsort(-cosines, kind="stable")[:10].tolist()


def test_a_query_without_a_vector_finds_nothing():
    assert len(exact_rankings(np.zeros((1, 16), np.float32), unit_vectors(5), 3)[0]) == 0


def test_fewer_rows_than_k_are_all_returned():
    assert len(exact_rankings(unit_vectors(1, 3), unit_vectors(2), 5)[0]) == 2


def test_fusion_gives_the_values_of_the_specification():
    # row 0 has ranks 1 and 3, row 9 only rank 2 of the second list
    found = fused([ranking(0), ranking(5, 9, 0)], 10)

    scores = dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
    assert scores[0] == pytest.approx(0.032266, abs=5e-7)
    assert scores[9] == pytest.approx(0.016129, abs=5e-7)


def test_fusion_lists_equal_scores_by_row():
    assert fused([ranking(7, 3), ranking(3, 7)], 2).rows.tolist() == [3, 7]


def test_lists_that_are_fused_are_at_least_fifty_deep():
    assert (fusion_depth(5), fusion_depth(10)) == (50, 100)


def test_bm25_equals_its_formula():
    texts = ["the cat sat", "the dog sat on the mat", "a bird"]

    scores = index_texts(texts).scores("the cat")

    average = (3 + 6 + 2) / 3
    idf_the, idf_cat = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    first = 1.2 * (0.25 + 0.75 * 3 / average)
    second = 1.2 * (0.25 + 0.75 * 6 / average)
    assert scores[0] == pytest.approx((idf_the + idf_cat) * 2.2 / (1 + first))
    assert scores[1] == pytest.approx(idf_the * 2 * 2.2 / (2 + second))
    assert scores[2] == -np.inf


def test_a_question_of_unknown_words_finds_nothing():
    assert len(index_texts(["one two"]).search("three", 5)) == 0


def test_bm25_of_no_texts_finds_nothing():
    assert len(index_texts([]).search("one", 5)) == 0
