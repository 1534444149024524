# SPDX-License-Identifier: AGPL-3.0-or-later
"""Choosing a chunking: ranks, ties, warnings, uncertainty, several documents."""

from dataclasses import replace

import numpy as np
import pytest

from core.arrays import as_spans
from core.scores.inputs import ScoreInputs
from core.scores.options import ScoreOptions, score_options
from core.scores.results import Measure, Scores
from core.scores.score import score
from core.scores.selection import (
    LATE_FOR_ALL,
    Candidate,
    bootstrap,
    codes_of_mixed_kinds,
    select,
    select_over_documents,
    tallies,
)
from core.strategies.chunks import Chunks, one_span_chunks
from tests.core.scores.documents import document, word_supply


def tiles(length: int, size: int) -> Chunks:
    edges = np.append(np.arange(0, length, size), length)
    return one_span_chunks(np.column_stack((edges[:-1], edges[1:])))


def candidate(name: str, *, n: int = 2, mode: str = "default", **values: float | None) -> Candidate:
    """A candidate with the given scores; those that are not given are not measurable."""
    options = replace(ScoreOptions(), mode=mode)
    measures = {
        code: Measure(code, values.get(code), 1, np.full(n, np.nan))
        for code in ("RC", "ICC", "DCC", "BI", "SC")
    }
    none = np.zeros(0, np.int64)
    units = np.arange(n) + 10
    scores = Scores(options, "toy", "", measures, none, none, np.zeros(n, np.bool_), units)
    chunks = one_span_chunks(as_spans([(sum(map(ord, name)), 9_999 + i) for i in range(n)]))
    return Candidate(name, name, {}, chunks, scores)


def test_the_greatest_mean_wins_and_the_margin_is_to_the_second():
    chosen = select([candidate("A", RC=0.5, SC=0.7), candidate("B", RC=0.9, SC=0.9)])

    assert chosen.winner == "B"
    assert chosen.margin == pytest.approx(0.3)
    assert [each.rank for each in chosen.standings] == [1, 2]


def test_a_tie_goes_to_more_scores_then_fewer_chunks_then_the_earlier():
    few = candidate("few", n=2, RC=0.8)
    many = candidate("many", n=3, RC=0.8)
    more = candidate("more", n=9, RC=0.8, SC=0.8 + 1e-7)
    last = candidate("last", n=2, RC=0.8)

    chosen = select([many, few, more, last])

    assert [each.names[0] for each in chosen.standings] == ["more", "few", "last", "many"]
    assert set(chosen.ties) == {"more", "few", "many", "last"}
    assert {each.rank for each in chosen.standings} == {1}


def test_reference_mode_gives_an_exact_tie_to_the_name_that_sorts_first():
    chosen = select(
        [candidate("b", mode="reference", RC=0.8), candidate("a", mode="reference", RC=0.8)]
    )

    assert chosen.winner == "a"


def test_a_failed_candidate_is_listed_and_cannot_win():
    failed = Candidate("F", "F", error="out of memory")

    chosen = select([failed, candidate("A", RC=0.1)])

    assert chosen.winner == "A"
    assert chosen.standings[-1].candidate is failed
    assert chosen.standings[-1].rank == 0
    assert "failed: F: out of memory" in chosen.warnings


def test_without_a_value_there_is_no_winner_but_a_reason():
    chosen = select([candidate("A"), candidate("B")])

    assert chosen.winner is None
    assert "no score with weight" in chosen.reason


def test_another_winner_by_the_common_scores_is_told():
    chosen = select([candidate("A", RC=0.9), candidate("B", RC=0.95, SC=0.1)])

    assert chosen.winner == "A"
    assert chosen.common_winner == "B"
    assert any(each.startswith("common") for each in chosen.warnings)


def test_a_close_win_is_told():
    chosen = select([candidate("A", RC=0.9), candidate("B", RC=0.896)])

    assert any(each.startswith("close") for each in chosen.warnings)


def test_equal_chunks_are_one_candidate_with_several_names():
    first = candidate("A", RC=0.9)

    chosen = select([first, replace(first, name="also A"), candidate("B", RC=0.1)])

    assert len(chosen.standings) == 2
    assert chosen.standings[0].names == ("A", "also A")
    assert chosen.standing("also A").rank == 1


def test_weights_change_the_choice_without_new_scores():
    candidates = [candidate("A", RC=0.9, SC=0.1), candidate("B", RC=0.2, SC=0.7)]

    assert select(candidates).winner == "A"
    assert select(candidates, {"RC": 0, "SC": 1}).winner == "B"


INPUTS = document(60, seed=2)
SUPPLY = word_supply(INPUTS.text, "late")
OPTIONS = score_options({"sc_min": 10, "sc_max": 60, "dcc_window": 120, "unit": "words"})


def scored(size: int, inputs: ScoreInputs = INPUTS) -> Candidate:
    chunks = tiles(len(inputs.text), size)
    supply = word_supply(inputs.text, "late")
    return Candidate(f"FC {size}", "FC", {}, chunks, score(inputs, chunks, OPTIONS, supply=supply))


@pytest.mark.parametrize("size", [150, 400])
def test_the_tallies_of_all_chunks_give_the_scores_themselves(size: int):
    one = scored(size)

    above, below = tallies(INPUTS, one.chunks, one.scores).sum(axis=2).T

    for value, code in zip(above / below, ("RC", "ICC", "DCC", "BI", "SC"), strict=True):
        assert value == pytest.approx(one.scores[code].raw)


def test_the_interval_of_the_bootstrap_holds_the_mean_and_wins_add_up_to_one():
    chosen = select([scored(150), scored(400), scored(420)])

    found = bootstrap(INPUTS, chosen, draws=300)

    for standing in chosen.standings:
        low, high = found.intervals[standing.names[0]]
        assert low < standing.value < high
    assert sum(found.wins.values()) == pytest.approx(1)
    assert (
        found == bootstrap(INPUTS, chosen, draws=300)
        or found.wins == bootstrap(INPUTS, chosen, draws=300).wins
    )


def test_values_from_late_vectors_make_the_choice_provisional():
    supply = replace(SUPPLY, embedder=replace(SUPPLY.embedder, window=10_000))
    chunks = tiles(len(INPUTS.text), 300)
    one = Candidate("A", "A", {}, chunks, score(INPUTS, chunks, OPTIONS, supply=supply))

    assert any(each.startswith("provisional") for each in select([one]).warnings)


def test_late_vectors_of_all_are_final_where_some_chunk_is_longer_than_the_model_reads():
    late = word_supply(INPUTS.text, "late")
    candidates = []
    for size in (100, 900):
        chunks = tiles(len(INPUTS.text), size)
        scores = score(INPUTS, chunks, OPTIONS, supply=late)
        candidates.append(Candidate(f"FC {size}", "FC", {}, chunks, scores))

    warnings = select(candidates).warnings
    assert LATE_FOR_ALL in warnings
    assert not any(each.startswith(("provisional", "mixed")) for each in warnings)


def test_a_chunking_that_is_pooled_in_part_is_not_of_one_kind():
    chunks = tiles(len(INPUTS.text), 100)
    last = [chunks.spans[-9, 0], len(INPUTS.text)]
    joined = one_span_chunks(np.vstack((chunks.spans[:-9], last)))
    scores = score(INPUTS, joined, OPTIONS, supply=word_supply(INPUTS.text, "exact"))

    assert scores["ICC"].state == "pooled"
    assert codes_of_mixed_kinds([scores]) == ["ICC"]


def test_candidates_with_vectors_of_several_kinds_are_told():
    exact = word_supply(INPUTS.text, "exact")
    candidates = []
    for size in (100, 900):
        chunks = tiles(len(INPUTS.text), size)
        scores = score(INPUTS, chunks, OPTIONS, supply=exact)
        candidates.append(Candidate(f"FC {size}", "FC", {}, chunks, scores))

    assert any(each.startswith("mixed: ICC") for each in select(candidates).warnings)


def test_over_documents_adapt_is_no_candidate():
    def adapt(chosen: Candidate) -> Candidate:
        return replace(chosen, name="ADAPT", strategy="ADAPT")

    selections = []
    for a, b in ((0.9, 0.5), (0.1, 0.7)):
        both = [candidate("A", RC=a), candidate("B", RC=b)]
        selections.append(select([adapt(max(both, key=lambda c: c.scores["RC"].value)), *both]))
    alone = select([adapt(candidate("elsewhere", RC=1.0)), candidate("A", RC=0.4)])

    found = select_over_documents(selections)

    assert [each.winner for each in selections] == ["A", "B"]
    assert selections[0].standings[0].names == ("A", "ADAPT")
    assert {row.name for row in found.singles} == {"A", "B"}
    assert found.gain == pytest.approx((0.9 + 0.7) / 2 - (0.5 + 0.7) / 2)
    assert alone.winner == "ADAPT"
    assert select_over_documents([alone, alone]).adaptive.mean == pytest.approx(0.4)


def test_over_documents_the_adaptive_row_takes_the_winner_of_each():
    first = select([candidate("A", RC=0.9, SC=0.8), candidate("B", RC=0.5)])
    second = select([candidate("A", RC=0.1), candidate("B", RC=0.7, SC=None)])

    found = select_over_documents([first, second])

    assert found.adaptive.scores["RC"] == pytest.approx((0.9 + 0.7) / 2)
    assert found.adaptive.documents == {"RC": 2, "ICC": 0, "DCC": 0, "BI": 0, "SC": 1}
    assert found.adaptive.mean == pytest.approx((0.8 + 0.8) / 2)
    assert found.best_single.name == "A"
    assert found.gain == pytest.approx(0.8 - (0.5 + 0.8) / 2)
