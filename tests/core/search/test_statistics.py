# SPDX-License-Identifier: AGPL-3.0-or-later
"""Own vectorised statistics against scipy and their definitions."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from core.search.statistics import (
    RESAMPLES,
    Draws,
    DrawsFor,
    analysis_of_variance,
    bootstrap_ends,
    chosen_and_tested,
    cohen_dz,
    compare_columns,
    eta_squared,
    f1_of_means_interval,
    indistinguishable,
    intervals,
    needed_questions,
    passage_groups,
    size_note,
    weighted_kappa,
)


def values(n, seed=1):
    return np.random.default_rng(seed).choice([0.0, 0.25, 0.5, 1.0], n)


@pytest.mark.parametrize("n", [8, 40, 150])
@pytest.mark.parametrize("method", ["BCa", "percentile"])
def test_intervals_equal_those_of_scipy_for_the_same_draws(n, method):
    column = values(n)
    found = bootstrap_ends(column, Draws(n).means(column[:, None])[0], bca=method == "BCa")

    expected = stats.bootstrap(
        (column,),
        np.mean,
        n_resamples=RESAMPLES,
        method=method,
        rng=np.random.default_rng(12345),
    ).confidence_interval

    assert found == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_permutation_test_goes_through_all_changes_of_sign():
    a, b = values(9, 2), values(9, 3)
    d = a - b
    sums = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True)))
        for signs in product((1, -1), repeat=9)
    ]

    (found,) = compare_columns(np.column_stack([a, b]), [(0, 1)], DrawsFor())

    assert found.p == np.mean([each >= abs(d.sum()) - 1e-9 for each in sums])


def test_a_permutation_test_by_draws_is_near_that_of_scipy():
    a, b = values(60, 4), values(60, 5) * 0.8

    (found,) = compare_columns(np.column_stack([a, b]), [(0, 1)], DrawsFor())

    expected = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=9_999,
        vectorized=True,
        rng=np.random.default_rng(1),
    ).pvalue
    assert found.p == pytest.approx(expected, abs=0.02)


def test_equal_columns_differ_by_nothing():
    column = values(30)

    (found,) = compare_columns(np.column_stack([column, column]), [(0, 1)], DrawsFor())

    assert (found.difference, found.low, found.high, found.p, found.d) == (0, 0, 0, 1, None)


def test_questions_without_a_value_are_left_out_pair_by_pair():
    a, b, c = values(20, 1), values(20, 2), values(20, 3)
    a[3], b[5] = np.nan, np.nan

    found = compare_columns(np.column_stack([a, b, c]), [(0, 1), (0, 2), (1, 2)], DrawsFor())

    assert [each.n for each in found] == [18, 19, 19]
    assert found[0].difference == pytest.approx(np.nanmean(a - b))


def test_the_same_seed_gives_the_same_numbers():
    columns = np.random.default_rng(1).random((50, 2))

    assert intervals(columns, DrawsFor(seed=7)) == intervals(columns, DrawsFor(seed=7))
    assert intervals(columns, DrawsFor(seed=7)) != intervals(columns, DrawsFor(seed=8))


def test_below_five_questions_there_are_only_values():
    (found,) = intervals(values(4)[:, None], DrawsFor())

    assert found.low is None and found.mean is not None
    assert found.note == "too few questions for statistics"


def test_a_measure_without_values_says_so():
    (found,) = intervals(np.full((6, 1), np.nan), DrawsFor())

    assert (found.mean, found.n, found.note) == (None, 0, "no question has a value")


@pytest.mark.parametrize(("hits", "low", "high"), [(1.0, 0.8316, 1.0), (0.0, 0.0, 0.1684)])
def test_all_hits_or_none_have_the_exact_interval(hits, low, high):
    (found,) = intervals(np.full((20, 1), hits), DrawsFor())

    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_few_questions_are_said_to_be_few():
    assert "smallest possible p is 0.062" in size_note(5)
    assert "large differences" in size_note(30)
    assert size_note(50) == ""


def test_questions_on_the_same_passage_are_resampled_together():
    column = np.repeat(np.random.default_rng(3).random(20), 10)
    groups = np.repeat(np.arange(20), 10)

    (alone,) = intervals(column[:, None], DrawsFor())
    (together,) = intervals(column[:, None], DrawsFor(groups=groups))

    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert together.mean == alone.mean


def test_passages_are_grouped_only_where_many_questions_share_one():
    assert passage_groups([(0, 1)], 100) is None
    found = passage_groups([(0, 1), (1, 2), (5, 6)], 10)
    assert found[0] == found[1] == found[2] != found[5] == found[6]


def test_needed_questions_for_a_difference():
    differences = np.array([0.4, -0.4] * 50)

    assert needed_questions(differences) == pytest.approx(2.8**2 * 0.16 / 0.0025, rel=0.02)


def test_strategies_that_cannot_be_told_apart_stand_in_one_group():
    differs = np.zeros((4, 4), bool)
    for a, b in [(0, 2), (0, 3), (1, 3)]:
        differs[a, b] = differs[b, a] = True

    groups = indistinguishable(list("abcd"), np.array([0.9, 0.8, 0.7, 0.6]), differs)

    assert groups == [["a", "b"], ["b", "c"], ["c", "d"]]


def test_eta_squared_of_published_groups():
    assert eta_squared([np.array([1.0, 1.0]), np.array([3.0, 3.0])]) == 1.0


def test_analysis_of_variance_has_no_number_that_json_lacks():
    found = analysis_of_variance([np.array([1.0] * 6), np.array([0.0] * 6), np.array([1.0] * 6)])

    assert found["f"] is None or np.isfinite(found["f"])


def test_the_winner_is_chosen_on_one_half_and_reported_on_the_other():
    columns = np.column_stack([np.zeros(40), np.ones(40)])

    best, tested = chosen_and_tested(columns)

    assert best == 1
    assert len(tested) == 20 and len(set(tested.tolist())) == 20


def test_agreement_of_raters():
    assert weighted_kappa([0, 1, 2, 2], [0, 1, 2, 2]) == 1.0
    assert weighted_kappa([0, 0, 2, 2], [2, 2, 0, 0]) == -1.0


def test_effect_of_constant_differences_is_not_defined():
    assert np.isnan(cohen_dz(np.full(5, 0.3)))


def test_interval_of_f1_of_means_holds_it():
    precision, recall = values(60, 1), values(60, 2)

    low, high = f1_of_means_interval(precision, recall, Draws(60))

    p, r = precision.mean(), recall.mean()
    assert low < 2 * p * r / (p + r) < high
