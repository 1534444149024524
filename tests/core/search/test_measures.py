# SPDX-License-Identifier: AGPL-3.0-or-later
"""Gains, measures and fates against their definitions, on small pools and by properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.search.measures import (
    MEASURE_NAMES,
    Results,
    character_measures,
    f1_of_means,
    gains_dcg,
    group_completeness,
    ndcg_bounds,
    passage_recall,
    pooled_ndcg,
    precision_omega,
    question_measures,
    rank_measures,
    strategy_measures,
)
from core.search.pool import Gold, Pool, gold_of, pool_of
from core.search.relevance import Thresholds, fates, least_pieces, relevance
from core.search.spans import merged, shared, total

DEFAULT = Thresholds()
spans_in_text = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda s: (s[0], s[0] + s[1])),
    min_size=1,
    max_size=8,
)


def characters(spans):
    return {place for start, end in spans for place in range(start, end)}


def gold_at(*spans, grades=None):
    return gold_of(as_spans(spans), grades)


@given(spans_in_text, spans_in_text)
def test_unions_and_intersections_count_characters(one, other):
    a, b = merged(as_spans(one)), merged(as_spans(other))

    assert total(a) == len(characters(one))
    assert shared(a, b) == len(characters(one) & characters(other))


@given(chunks=spans_in_text, gold=spans_in_text)
def test_character_measures_are_those_of_sets_of_characters(chunks, gold):
    found = character_measures(pool_of(as_spans(chunks)), gold_at(*gold), np.arange(len(chunks)))

    wanted, held = characters(gold), characters(chunks)
    paid = sum(end - start for start, end in chunks)
    assert found["recall"] == pytest.approx(len(wanted & held) / len(wanted))
    assert found["precision"] == pytest.approx(len(wanted & held) / paid)
    assert found["iou"] == pytest.approx(len(wanted & held) / (paid + len(wanted - held)))


@given(chunks=spans_in_text, gold=spans_in_text)
def test_discounted_coverage_lies_between_nothing_and_recall(chunks, gold):
    found = character_measures(pool_of(as_spans(chunks)), gold_at(*gold), np.arange(len(chunks)))

    assert 0 <= found["dcov"] <= found["recall"] + 1e-12


@given(chunks=spans_in_text, gold=spans_in_text)
def test_precision_omega_is_that_of_all_chunks_with_gold(chunks, gold):
    wanted = characters(gold)
    held = {c for chunk in chunks if characters([chunk]) & wanted for c in characters([chunk])}

    found = precision_omega(pool_of(as_spans(chunks)), gold_at(*gold))

    assert found == pytest.approx(len(wanted & held) / len(held | wanted))


@pytest.mark.parametrize(
    ("chunk", "grade", "gain"),
    [
        pytest.param((0, 100), 2, 2, id="whole"),
        pytest.param((0, 100), 1, 1, id="whole of an answer in part"),
        pytest.param((10, 26), 2, 1, id="more than half of it"),
        pytest.param((22, 26), 2, 1, id="small, but all gold"),
        pytest.param((26, 60), 2, 0, id="too little of both"),
        pytest.param((30, 60), 2, 0, id="touches it"),
    ],
)
def test_the_gain_of_a_chunk(chunk, grade, gain):
    gold = gold_at((20, 30), grades=[grade])

    found = relevance(pool_of(as_spans([chunk])), gold, DEFAULT)

    assert found.gains_of(np.array([0])).tolist() == [gain]


def test_with_whole_question_only_a_chunk_with_all_gold_has_gain_2():
    pool = pool_of(as_spans([(0, 20), (0, 50)]))
    gold = gold_at((5, 10), (30, 40))

    found = relevance(pool, gold, Thresholds(whole_question=True))

    assert found.gains_of(np.arange(2)).tolist() == [1, 2]
    assert relevance(pool, gold, DEFAULT).gains_of(np.arange(2)).tolist() == [2, 2]


def test_a_chunk_of_several_spans_holds_gold_in_all_of_them():
    pool = Pool(as_spans([(0, 10), (50, 60)]), np.array([0, 2]), np.array([60]))

    found = relevance(pool, gold_at((5, 10), (50, 55)), DEFAULT)

    assert found.whole.tolist() == [True, True]
    assert pool.lengths.tolist() == [20]


def test_missing_is_the_share_that_no_chunk_has():
    pool = pool_of(as_spans([(0, 12), (16, 30)]))

    found = relevance(pool, gold_at((10, 20)), DEFAULT)

    assert found.missing[0] == pytest.approx(0.4)
    assert fates(found, np.arange(2), DEFAULT) == ["lost"]
    assert least_pieces(pool, 10, 20) is None


def test_the_fate_of_gold_depends_on_what_was_retrieved():
    pool = pool_of(as_spans([(0, 50), (50, 100)]))
    found = relevance(pool, gold_at((10, 20), (45, 55)), DEFAULT)

    assert fates(found, np.array([0]), DEFAULT) == ["fine", "split"]
    assert fates(found, np.array([1]), DEFAULT) == ["not retrieved", "split"]


def test_seen_is_what_the_model_reads_in_the_best_chunk():
    pool = Pool(as_spans([(0, 40), (20, 60)]), np.arange(3), np.array([25, 60]))

    found = relevance(pool, gold_at((20, 30)), DEFAULT)

    assert found.seen.tolist() == [1.0]
    first = Pool(as_spans([(0, 40)]), np.arange(2), np.array([25]))
    assert relevance(first, gold_at((20, 30)), DEFAULT).seen.tolist() == [0.5]


@given(chunks=spans_in_text)
def test_the_least_number_of_pieces_is_the_least(chunks):
    pool = pool_of(as_spans(chunks))
    wanted = characters([(20, 40)])
    least = None
    for choice in range(1 << len(chunks)):
        some = [chunk for bit, chunk in enumerate(chunks) if choice >> bit & 1]
        if len(characters(some) & wanted) >= 0.99 * 20:
            least = min(len(some), least or 99)

    assert least_pieces(pool, 20, 40) == least


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        pytest.param([2, 0, 1], {"hit": 1, "mrr": 1, "p_at_1": 1, "p_at_k": 0.2}, id="first"),
        pytest.param(
            [1, 0, 2], {"hit": 1, "mrr": 1 / 3, "p_at_1": 0, "mrr_lenient": 1}, id="third"
        ),
        pytest.param([0, 0, 0], {"hit": 0, "mrr": 0, "hit_lenient": 0}, id="none"),
        pytest.param([], {"hit": 0, "mrr": 0, "p_at_k": 0}, id="nothing came back"),
        pytest.param([-1, 2, 0], {"mrr": 1, "judged": 2 / 3}, id="unjudged is skipped"),
    ],
)
def test_rank_measures(gains, expected):
    found = rank_measures(np.array(gains, np.int64), 5, 2)

    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_f1_of_a_question_and_of_means():
    found = rank_measures(np.array([2, 2, 0, 0, 0]), 5, 4)

    assert found["f1"] == pytest.approx(2 * 0.4 * 0.5 / 0.9)
    assert f1_of_means(np.array([0.5]), np.array([0.88])) == pytest.approx(0.6377, abs=5e-5)


def test_pieces_may_complete_each_other_in_passage_recall():
    pool = pool_of(as_spans([(0, 15), (15, 30)]))

    assert passage_recall(pool, gold_at((10, 20)), np.array([0, 1]), DEFAULT) == 1.0
    assert passage_recall(pool, gold_at((10, 20)), np.array([0]), DEFAULT) == 0.0


def test_a_passage_with_parts_is_complete_when_all_parts_are_whole():
    spans = as_spans([(0, 5), (20, 25), (40, 45), (60, 65)])
    gold = Gold(spans, spans, np.array([2, 2, 2, 1]), ("a", "a", "b", "b"), np.arange(4))

    assert group_completeness(gold, np.array([True, False, True, False])) == 0.5
    assert group_completeness(gold, np.array([True, True, True, False])) == 1.0
    assert np.isnan(group_completeness(gold_at((0, 5)), np.array([True])))


def test_gold_in_a_copy_counts_once_and_at_its_best_place():
    pool = pool_of(as_spans([(0, 50), (1000, 1050)]))
    gold = gold_at((10, 20)).with_copies([(0, 1010, 1020)])

    for retrieved in (0, 1):
        found = character_measures(pool, gold, np.array([retrieved]))
        assert found["recall"] == 1.0 and found["precision"] == pytest.approx(10 / 50)
    relevant = relevance(pool, gold, DEFAULT)
    assert relevant.gains_of(np.arange(2)).tolist() == [2, 2]
    assert len(relevant.whole) == 1


@given(st.lists(st.lists(st.integers(0, 2), max_size=6), min_size=1, max_size=4), st.integers(1, 6))
def test_ndcg_lies_between_0_and_1_and_more_gain_is_never_worse(lists, k):
    gains = {str(i): np.array(each, np.int64) for i, each in enumerate(lists)}

    found = pooled_ndcg(gains, k)

    for name, value in found.items():
        assert 0 <= value <= 1 + 1e-12
        for other, lower in found.items():
            if gains_dcg(gains[name], k) >= gains_dcg(gains[other], k):
                assert value >= lower - 1e-12


def test_ndcg_without_any_gain_is_0_or_left_out():
    gains = {"a": np.zeros(3, np.int64)}

    assert pooled_ndcg(gains, 3) == {"a": 0.0}
    assert np.isnan(pooled_ndcg(gains, 3, drop_empty=True)["a"])


def test_bounds_of_ndcg_hold_what_unjudged_results_may_be():
    gains = {"a": np.array([2, -1]), "b": np.array([1, 0])}

    low, high = ndcg_bounds(gains, 2)["a"]

    assert low < high == 1.0


def test_all_measures_are_there():
    pool, gold = pool_of(as_spans([(0, 50)])), gold_at((10, 20))
    relevant = relevance(pool, gold, DEFAULT)
    results = Results(np.array([0]), relevant.gains_of(np.array([0])), [False])

    found = question_measures(pool, gold, relevant, results, k=5, thresholds=DEFAULT)
    found |= strategy_measures(pool, gold, relevant)

    assert set(found) == set(MEASURE_NAMES) - {"ndcg"}


def test_a_pool_without_chunks_has_no_hits():
    pool, gold = pool_of(as_spans([])), gold_at((10, 20))
    relevant = relevance(pool, gold, DEFAULT)
    none = np.empty(0, np.int64)

    found = question_measures(pool, gold, relevant, Results(none, none), k=5, thresholds=DEFAULT)
    found |= strategy_measures(pool, gold, relevant)

    assert (found["recall"], found["hit"], found["survival"], found["precision_omega"]) == (0,) * 4
    assert relevant.missing.tolist() == [1.0]
