# SPDX-License-Identifier: AGPL-3.0-or-later
"""Options, weights and means."""

import pytest

from core.errors import ParameterError
from core.scores.mean import check_weights, corpus_means, document_mean
from core.scores.options import PARAMETERS, ScoreOptions, score_options


@pytest.mark.parametrize(
    ("values", "words"),
    [
        pytest.param({"sc_min": 200, "sc_max": 100}, "sc_min is 200", id="bounds crossed"),
        pytest.param({"bi_tolerance": -1}, "bi_tolerance is -1", id="negative tolerance"),
        pytest.param({"dcc_window": 0}, "dcc_window is 0", id="empty window"),
        pytest.param({"dcc_step": 0}, "dcc_step is 0", id="no step"),
        pytest.param({"unit": "letters"}, "unit is 'letters'", id="unknown unit"),
        pytest.param({"dcc_windw": 3}, "did you mean 'dcc_window'?", id="misspelt"),
    ],
)
def test_what_cannot_be_is_refused_by_name_value_and_bound(values: dict, words: str):
    with pytest.raises(ParameterError) as refused:
        score_options(values)

    assert words in str(refused.value)


def test_an_unknown_mode_is_refused_with_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'reference'"):
        score_options(mode="referense")


def test_the_full_name_of_the_tokenizer_is_the_unit_too():
    assert score_options({"unit": "o200k_base"}) == ScoreOptions()


def test_declared_defaults_are_those_of_the_options():
    assert ScoreOptions().parameters() == {each.name: each.default for each in PARAMETERS}


def test_the_mean_leaves_out_what_is_not_measurable_or_has_no_weight():
    values = {"RC": 0.5, "ICC": None, "DCC": 0.9, "BI": 1.0, "SC": 0.3}

    assert document_mean(values) == pytest.approx((0.5 + 0.9 + 1.0 + 0.3) / 4)
    assert document_mean(values, {"RC": 3, "DCC": 1, "BI": 0, "SC": 0}) == pytest.approx(0.6)
    assert document_mean({"RC": None, "SC": 0.5}, {"SC": 0}) is None


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        pytest.param({"RC": -1}, "weight of RC is -1", id="negative"),
        pytest.param({"RC": float("nan")}, "weight of RC is nan", id="no number"),
        pytest.param({"IC": 1}, "did you mean 'ICC'?", id="unknown"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights: dict, words: str):
    with pytest.raises(ParameterError) as refused:
        check_weights(weights)

    assert words in str(refused.value)


def test_over_documents_each_score_is_averaged_where_it_is_measurable():
    means = corpus_means([{"RC": 0.5, "BI": None}, {"RC": 0.7, "BI": 0.2}])

    assert means["RC"] == pytest.approx(0.6)
    assert means["BI"] == 0.2
    assert means["ICC"] is None
