# SPDX-License-Identifier: AGPL-3.0-or-later
"""Shares that add up, their reasons in words, and gains of edits."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import Spans, as_spans
from core.errors import ParameterError
from core.scores.blame import blame, blame_mean, find_cuts, lost_pairs, part_costs
from core.scores.gains import merge_gain, merged, split, split_gain
from core.scores.inputs import ScoreInputs
from core.scores.live import LiveScores
from core.scores.options import score_options
from core.scores.pairs import as_pairs
from core.scores.results import Scores
from core.scores.score import score
from core.strategies.chunks import Chunks, one_span_chunks
from tests.core.scores.documents import document, several_spans, word_supply

INPUTS = document(40, seed=4)
N = len(INPUTS.text)
OPTIONS = score_options({"sc_min": 10, "sc_max": 60, "dcc_window": 120, "unit": "words"})
SUPPLY = word_supply(INPUTS.text, "late")

any_spans = st.lists(
    st.tuples(st.integers(0, N), st.integers(0, 400)).map(lambda p: (p[0], min(N, sum(p)))),
    min_size=1,
    max_size=25,
).map(as_spans)


def scored(chunks: Chunks) -> Scores:
    return score(INPUTS, chunks, OPTIONS, supply=SUPPLY)


def tiles(*cuts: int) -> Chunks:
    edges = [0, *cuts, N]
    return one_span_chunks(as_spans(list(itertools.pairwise(edges))))


@given(spans=any_spans)
def test_shares_of_rc_bi_and_sc_add_up_to_the_loss_as_fractions(spans: Spans):
    chunks = one_span_chunks(spans)
    scores = scored(chunks)

    for code, lost in (
        ("RC", len(scores.pairs_lost)),
        ("BI", len(scores.blocks_broken)),
        ("SC", len(scores.chunks_bad_size)),
    ):
        shares = blame(INPUTS, chunks, scores, code)

        assert sum(item.cost for item in shares.items) == Fraction(lost, scores[code].measured)
        assert float(shares.loss) == pytest.approx(1 - scores[code].value)


@given(spans=any_spans)
def test_shares_of_icc_and_dcc_add_up_to_what_the_unclipped_score_lacks(spans: Spans):
    chunks = one_span_chunks(spans)
    scores = scored(chunks)

    for code in ("ICC", "DCC"):
        shares = blame(INPUTS, chunks, scores, code)

        if scores[code].raw is None:
            assert shares.items == ()
        else:
            total = sum(item.cost for item in shares.items)
            assert total == pytest.approx(1 - scores[code].raw)


@pytest.mark.parametrize("mode", ["default", "reference"])
def test_shares_of_the_mean_are_weighted_by_score(mode: str):
    chunks = tiles(*range(150, N, 150))
    options = score_options({"sc_min": 10, "sc_max": 30}, mode=mode, weights={"RC": 3, "BI": 0})
    scores = score(INPUTS, chunks, options, supply=SUPPLY)

    shares = blame_mean(INPUTS, chunks, scores)

    assert shares.loss == pytest.approx(1 - scores.mean)
    assert all(a.cost >= b.cost for a, b in zip(shares.items, shares.items[1:], strict=False))


def test_part_costs_add_up_to_the_cohesion_lost():
    scores = scored(tiles(*range(200, N, 200)))

    assert part_costs(scores).sum() == pytest.approx(1 - scores["ICC"].raw)


BOARD = "The Board met. It agreed. Then it left. A note was made of it at last."
PAIRS = as_pairs([[[0, 9], [15, 17]], [[0, 9], [31, 33]]])


def test_a_cut_says_which_mentions_it_separates():
    inputs = ScoreInputs(BOARD, pairs=PAIRS)
    chunks = one_span_chunks(as_spans([(0, 14), (14, len(BOARD))]))

    (item,) = blame(inputs, chunks, score(inputs, chunks), "RC").items

    assert item.words == "this cut separates 'The Board' from 'It', 2 pairs"
    assert (item.kind, item.place, item.chunks) == ("cut", (14, 14), (0, 1))
    assert (item.cost, item.objects) == (1, (0, 1))


def test_a_pair_that_two_cuts_lose_is_shared_between_them():
    inputs = ScoreInputs(BOARD, pairs=PAIRS)
    chunks = one_span_chunks(as_spans([(0, 14), (14, 26), (26, len(BOARD))]))

    shares = blame(inputs, chunks, score(inputs, chunks), "RC")

    assert [item.cost for item in shares.items] == [Fraction(3, 4), Fraction(1, 4)]


def test_a_pair_before_the_first_chunk_is_charged_to_the_edge():
    inputs = ScoreInputs(BOARD, pairs=PAIRS[:1])
    chunks = one_span_chunks(as_spans([(40, len(BOARD))]))

    (item,) = blame(inputs, chunks, score(inputs, chunks), "RC").items

    assert (item.kind, item.cost) == ("edge", 1)
    assert item.words == "no chunk holds 'The Board' and 'It'"


def test_a_gap_and_an_overlap_are_cuts_with_a_width():
    cuts = find_cuts(one_span_chunks(as_spans([(0, 10), (15, 30), (25, 40)])))

    assert cuts.places.tolist() == [[10, 15], [25, 30]]


def test_a_cut_names_the_kind_of_block_that_it_goes_through():
    inputs = ScoreInputs(BOARD, blocks=as_spans([(0, 40), (40, len(BOARD))]))
    chunks = one_span_chunks(as_spans([(0, 20), (20, len(BOARD))]))

    (item,) = blame(
        inputs, chunks, score(inputs, chunks), "BI", block_kinds=["list_item", "table"]
    ).items

    assert item.words == "this cut goes through a list item of 30 characters"


def test_a_bad_size_says_by_how_much():
    inputs = ScoreInputs("one two three four five six seven eight nine ten " * 3)
    chunks = one_span_chunks(as_spans([(0, 8), (8, len(inputs.text))]))
    options = score_options({"unit": "words", "sc_min": 5, "sc_max": 20})

    shares = blame(inputs, chunks, score(inputs, chunks, options), "SC")

    assert [item.words for item in shares.items] == [
        "short: 2 words, 3 below 5",
        "long: 28 words, 8 above 20",
    ]


def test_lost_pairs_of_chunks_of_several_spans_have_their_cuts():
    chunks = several_spans([[(0, 14), (26, 40)], [(14, 26), (40, len(BOARD))]])
    inputs = ScoreInputs(BOARD, pairs=PAIRS)

    (lost,) = lost_pairs(inputs, chunks, score(inputs, chunks))

    assert lost.index == 0
    assert lost.hull == (0, 17)
    assert lost.cuts == (0,)


def test_the_gain_of_a_merge_is_the_difference_of_two_full_scorings():
    chunks = tiles(*range(200, N, 200))
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLY)
    before, after = scored(chunks), scored(merged(chunks, 3, 4))

    gain = merge_gain(live, chunks, 3, 4)

    for code in before.measures:
        expected = after[code].value - before[code].value
        assert gain.changes[code] == pytest.approx(expected, abs=1e-9)
    assert gain.changes["mean"] == pytest.approx(after.mean - before.mean, abs=1e-9)


def test_the_best_split_is_at_a_sentence_and_no_other_gains_more():
    chunks = tiles(1200)
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLY)

    gain = split_gain(INPUTS, live, chunks, 0, code="ICC")

    assert gain is not None
    assert gain.place in INPUTS.sentences[:, 0]
    best = scored(split(chunks, 0, gain.place))["ICC"].value - scored(chunks)["ICC"].value
    assert gain.changes["ICC"] == pytest.approx(best, abs=1e-9)


def test_a_split_outside_of_the_chunk_is_refused():
    with pytest.raises(ParameterError, match="must lie inside the chunk"):
        split(tiles(100), 0, 100)


def test_what_is_not_measurable_has_no_blame():
    inputs = ScoreInputs(BOARD)
    chunks = one_span_chunks(as_spans([(0, 14), (14, len(BOARD))]))
    scores = score(inputs, chunks)

    assert all(blame(inputs, chunks, scores, code).items == () for code in ("RC", "ICC", "BI"))
    assert np.isnan(scores["ICC"].per_chunk).all()
