# SPDX-License-Identifier: AGPL-3.0-or-later
"""Retrieval measures and statistics against the test vectors of the evaluation text."""

import json
from functools import lru_cache

import numpy as np
import pytest

from core.arrays import as_spans
from core.document.model import Document
from core.search.gold import place_gold
from core.search.hits import Ranking, fused
from core.search.measures import character_measures, pooled_ndcg, precision_omega
from core.search.pool import axis_of, gold_of, gold_on_axis, pool_of
from core.search.query_sets import parse_query_set
from core.search.relevance import Thresholds, least_pieces, relevance
from core.search.statistics import (
    Draws,
    DrawsFor,
    analysis_of_variance,
    bootstrap_ends,
    cohen_d,
    cohen_dz,
    compare_columns,
    holm,
)
from core.units.tokens import token_table
from tests.conftest import shared_path

A = np.array([1, 1, 0, 1, 0.5, 1, 0, 1, 1, 0.25])
B = np.array([1, 0, 0, 0.5, 0.5, 1, 0, 0, 1, 0])
C = np.array([0.5, 0, 0, 0.5, 0.5, 1, 0, 0, 0.5, 0])
GOLD = gold_of(as_spans([(100, 200)]))
IN_ORDER = {2: np.arange(2), 3: np.arange(3)}


def pool_at(*spans):
    return pool_of(as_spans(spans))


def test_ndcg_has_an_ideal_of_all_strategies():
    gains = {"A": [2, 0, 1, 0, 0], "B": [0, 2, 2, 1, 0], "C": [1, 0, 0, 0, 0]}

    found = pooled_ndcg({name: np.array(each) for name, each in gains.items()}, 5)

    assert [round(found[name], 4) for name in "ABC"] == [0.4922, 0.5301, 0.1969]


@pytest.mark.parametrize(
    ("retrieved", "recall", "precision", "iou"),
    [
        pytest.param([(0, 150), (120, 260)], 1.0, 100 / 290, 100 / 290, id="overlap is paid twice"),
        pytest.param([(0, 150), (500, 600)], 0.5, 50 / 250, 50 / 300, id="half of the gold"),
    ],
)
def test_character_measures(retrieved, recall, precision, iou):
    found = character_measures(pool_at(*retrieved), GOLD, np.arange(len(retrieved)))

    assert (found["recall"], found["precision"], found["iou"]) == pytest.approx(
        (recall, precision, iou)
    )


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param([(0, 150), (150, 300), (300, 400)], 100 / 300, id="cut gold"),
        pytest.param([(0, 100), (100, 200), (200, 300)], 1.0, id="neighbours only touch"),
    ],
)
def test_precision_omega(chunks, expected):
    assert precision_omega(pool_at(*chunks), GOLD) == pytest.approx(expected)


def test_survival_of_a_cut_passage():
    pool = pool_at((0, 150), (150, 300))

    found = relevance(pool, GOLD, Thresholds())

    assert not found.whole[0]
    assert found.best[0] == 0.5
    assert least_pieces(pool, 100, 200) == 2


def test_discounted_coverage():
    found = character_measures(pool_at((120, 260), (0, 150)), GOLD, np.arange(2))

    assert found["dcov"] == pytest.approx(0.9262, abs=5e-5)


def test_effect_sizes():
    assert (A - B).mean() == pytest.approx(0.275)
    assert cohen_dz(A - B) == pytest.approx(0.6613, abs=5e-5)
    assert cohen_d(A, B) == pytest.approx(0.6102, abs=5e-5)


def test_the_permutation_test_of_few_questions_is_exact():
    (found,) = compare_columns(np.column_stack([A, B]), [(0, 1)], DrawsFor())

    assert found.p == 0.125


def test_bootstrap_intervals():
    differences = A - B
    means = Draws(10).means(differences[:, None])[0]

    assert bootstrap_ends(differences, means, bca=False) == pytest.approx((0.05, 0.55))
    assert bootstrap_ends(differences, means) == pytest.approx((0.075, 0.6), abs=0.0251)


def test_analysis_of_variance():
    found = analysis_of_variance([A, B, C])

    assert (found["f"], found["p"]) == pytest.approx((2.1406, 0.1371), abs=5e-5)
    tukey = np.array(found["tukey_p"])
    assert (tukey[0, 1], tukey[0, 2], tukey[1, 2]) == pytest.approx(
        (0.3231, 0.1320, 0.8560), abs=5e-5
    )
    assert (found["friedman"], found["friedman_p"]) == pytest.approx((9.3333, 0.0094), abs=5e-5)


def test_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_reciprocal_rank_fusion():
    lists = [Ranking(np.array([0]), np.ones(1)), Ranking(np.array([5, 9, 0]), np.ones(3))]

    found = fused(lists, 5)

    scores = dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
    assert (round(scores[0], 6), round(scores[9], 6)) == (0.032266, 0.016129)


# --- on the three texts, no model needed ---------------------------------------------------------


@lru_cache
def corpus(name):
    folder = shared_path() / "data"
    text = (folder / f"{name}.md").read_bytes().decode()
    document = Document(text, f"{name}.md")
    queries = parse_query_set((folder / f"{name}.queries.json").read_bytes())
    return document, place_gold(queries, {name: document})


def fixed_tokens(text, size, overlap):
    """Chunks of `size` tokens, one every `size - overlap`, until one reaches the end."""
    table = token_table(text, "cl100k_base")
    edges = table.floors.tolist()
    starts = range(0, len(table), size - overlap)
    spans = []
    for start in starts:
        spans.append((edges[start], edges[min(start + size, len(table))]))
        if start + size >= len(table):
            break
    return as_spans(spans)


@pytest.mark.skipif(shared_path() is None, reason="no shared test data")
@pytest.mark.parametrize(
    ("name", "size", "overlap", "count", "second", "omega", "whole", "spans", "survival"),
    [
        ("state_of_the_union", 200, 0, 53, 956, 0.1682, 81, 95, 0.8629),
        ("state_of_the_union", 400, 0, 27, 1889, 0.0944, 89, 95, 0.9408),
        ("state_of_the_union", 400, 200, 52, 956, 0.0624, 95, 95, 1.0000),
        ("wikitexts", 200, 0, 134, 824, 0.2194, 210, 249, 0.8368),
        ("wikitexts", 400, 0, 67, 1826, 0.1276, 232, 249, 0.9271),
        ("wikitexts", 400, 200, 133, 824, 0.0855, 249, 249, 1.0000),
        ("chatlogs", 200, 0, 39, 952, 0.2493, 87, 108, 0.8083),
        ("chatlogs", 400, 0, 20, 1871, 0.1422, 95, 108, 0.8937),
        ("chatlogs", 400, 200, 38, 952, 0.1001, 108, 108, 1.0000),
    ],
)
def test_fixed_token_chunks_of_the_public_texts(
    name, size, overlap, count, second, omega, whole, spans, survival
):
    document, placed = corpus(name)
    axis = axis_of({name: document})
    gold = [gold_on_axis(each, {name: document}, axis) for each in placed]

    chunks = fixed_tokens(document.text, size, overlap)

    pool = pool_of(chunks)
    held = [relevance(pool, each, Thresholds()).whole for each in gold]
    assert (len(chunks), int(chunks[1, 0])) == (count, second)
    assert np.mean([precision_omega(pool, each) for each in gold]) == pytest.approx(omega, abs=5e-5)
    assert (sum(map(sum, held)), sum(map(len, held))) == (whole, spans)
    assert np.mean([each.mean() for each in held]) == pytest.approx(survival, abs=5e-5)


@pytest.mark.skipif(shared_path() is None, reason="no shared test data")
@pytest.mark.parametrize("name", ["state_of_the_union", "wikitexts", "chatlogs"])
def test_gold_of_the_public_texts_is_where_it_is_said_to_be(name):
    _, placed = corpus(name)

    assert {place.status for each in placed for place in each.placements} == {"exact"}
    raw = json.loads((shared_path() / "data" / f"{name}.queries.json").read_text("utf-8"))
    assert len(placed) == len(raw["questions"])
