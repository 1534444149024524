# SPDX-License-Identifier: AGPL-3.0-or-later
"""Properties of the five scores, what is not measurable, and chunks of several spans."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import Spans, as_spans
from core.errors import DocumentError
from core.scores.inputs import ScoreInputs
from core.scores.options import ScoreOptions, score_options
from core.scores.pairs import as_pairs
from core.scores.results import Scores
from core.scores.score import score
from core.scores.vector_supply import VectorSupply
from core.strategies.chunks import Chunks, one_span_chunks
from core.vectors.toy import ToyEmbedder
from tests.core.scores.documents import document, several_spans, word_supply
from tests.hostile import HOSTILE_TEXTS
from tests.strategies import texts_with_spans

INPUTS = document(30, seed=9)
TEXT = INPUTS.text
N = len(TEXT)
CODES = ("RC", "ICC", "DCC", "BI", "SC")
OPTIONS = score_options({"sc_min": 10, "sc_max": 60, "dcc_window": 120, "unit": "words"})
REFERENCE = score_options({"unit": "words", "dcc_window": 120}, mode="reference")

cut_lists = st.lists(st.integers(1, N - 1), max_size=15, unique=True).map(sorted)
any_spans = st.lists(st.tuples(st.integers(0, N), st.integers(0, N)).map(sorted), max_size=12).map(
    as_spans
)


def tiles(cuts: list[int], length: int = N) -> Spans:
    edges = [0, *cuts, length]
    return as_spans(list(itertools.pairwise(edges)))


def toy(inputs: ScoreInputs, spans: Spans, options: ScoreOptions = OPTIONS) -> Scores:
    supply = VectorSupply(inputs.text, ToyEmbedder(), "exact")
    return score(inputs, one_span_chunks(spans), options, supply=supply)


@given(cuts=cut_lists)
def test_both_modes_agree_on_rc_when_the_chunks_tile_the_text(cuts: list[int]):
    distinct = ScoreInputs(TEXT, pairs=INPUTS.pairs[INPUTS.distinct_pairs])

    default, reference = toy(distinct, tiles(cuts)), toy(distinct, tiles(cuts), REFERENCE)

    assert default["RC"].value == reference["RC"].value


@pytest.mark.parametrize("options", [OPTIONS, REFERENCE], ids=["default", "reference"])
def test_the_whole_text_as_one_chunk_keeps_all_pairs_and_blocks(options: ScoreOptions):
    scores = toy(INPUTS, as_spans([(0, N)]), options)

    assert (scores["RC"].value, scores["BI"].value, scores["DCC"].value) == (1.0, 1.0, None)


@given(spans=any_spans, more=st.tuples(st.integers(0, N), st.integers(0, N)).map(sorted))
def test_one_more_chunk_never_lowers_rc_or_bi(spans: Spans, more: list[int]):
    before = toy(INPUTS, spans)
    after = toy(INPUTS, np.concatenate((spans, as_spans([more]))))

    for code in ("RC", "BI"):
        assert (after[code].value or 0.0) >= (before[code].value or 0.0)


@given(cuts=cut_lists, cut=st.integers(1, N - 1))
def test_a_split_never_raises_rc_or_bi(cuts: list[int], cut: int):
    before = toy(INPUTS, tiles(cuts))
    after = toy(INPUTS, tiles(sorted({*cuts, cut})))

    for code in ("RC", "BI"):
        assert after[code].value <= before[code].value


@given(cuts=cut_lists, seed=st.integers(0, 100))
def test_the_order_of_chunks_changes_no_score(cuts: list[int], seed: int):
    spans = tiles(cuts)
    shuffled = np.random.default_rng(seed).permutation(spans)

    first, second = toy(INPUTS, spans), toy(INPUTS, shuffled)

    for code in CODES:
        assert second[code].value == pytest.approx(first[code].value, abs=1e-9)


@given(case=texts_with_spans(), mode=st.sampled_from(["default", "reference"]))
def test_all_scores_are_in_range_or_not_measurable_with_a_reason(case, mode: str):
    text, spans = case
    inputs = ScoreInputs(text, blocks=spans[::2], sentences=spans[1::2])

    scores = toy(inputs, spans, score_options({"dcc_window": 20}, mode=mode))

    for code in CODES:
        value = scores[code].value
        assert value is None or 0.0 <= value <= 1.0
        assert (value is None) == bool(scores[code].reason)
        assert len(scores[code].per_chunk) == len(spans)


@given(cuts=cut_lists)
def test_in_reference_mode_one_window_of_blocks_has_the_cohesion_of_the_whole(
    cuts: list[int],
):
    if not cuts:
        return
    blocks = tiles(cuts)
    inputs = ScoreInputs(TEXT, blocks=blocks)
    wide = score_options({"dcc_window": 100_000}, mode="reference")

    by_windows = toy(inputs, blocks, wide)["DCC"]
    whole = toy(inputs, as_spans([(0, N)]), wide)["ICC"]

    assert by_windows.raw == pytest.approx(whole.raw, abs=1e-9)


def test_no_chunks_are_not_measurable_but_for_rc_in_reference_mode():
    default, reference = toy(INPUTS, as_spans([])), toy(INPUTS, as_spans([]), REFERENCE)

    assert all(default[code].value is None for code in CODES)
    assert reference["RC"].value == 1.0
    assert all(reference[code].value is None for code in CODES[1:])


def test_reference_mode_refuses_chunks_of_several_spans_with_the_reason():
    chunks = several_spans([[(0, 10), (20, 30)], [(10, 20)]])

    scores = score(INPUTS, chunks, REFERENCE)

    assert all(scores[code].value is None for code in CODES)
    assert "one span" in scores["RC"].reason


def test_without_a_model_icc_and_dcc_say_why():
    scores = score(INPUTS, one_span_chunks(tiles([100])), OPTIONS, why_no_vectors="no model yet")

    assert (scores["ICC"].value, scores["ICC"].reason) == (None, "no model yet")
    assert scores["RC"].value is not None


def test_a_pair_is_kept_by_a_chunk_that_holds_each_mention_in_a_span_of_its_own():
    inputs = ScoreInputs("The Board met in May. Nothing else. It agreed.", pairs=PAIR)

    apart = score(inputs, several_spans([[(0, 21)], [(21, 46)]]))
    together = score(inputs, several_spans([[(0, 21), (36, 46)], [(21, 36)]]))

    assert (apart["RC"].value, together["RC"].value) == (0.0, 1.0)


PAIR = as_pairs([[[0, 9], [36, 38]]])


def test_a_short_document_in_one_chunk_complies():
    inputs = ScoreInputs("Five words stand in here.")

    assert toy(inputs, as_spans([(0, 25)]), ScoreOptions())["SC"].value == 1.0
    assert toy(inputs, as_spans([(0, 9), (9, 25)]), ScoreOptions())["SC"].value == 0.0


def test_boilerplate_counts_neither_as_block_nor_as_sentence():
    text = "Page head 1. Real text here. More real text. Page foot 1."
    blocks = as_spans([(0, 13), (13, 45), (45, 57)])
    sentences = as_spans([(0, 12), (13, 28), (29, 44), (45, 57)])
    inputs = ScoreInputs(text, blocks, blocks[[0, 2]], sentences)

    scores = toy(inputs, as_spans([(0, 57)]))

    assert scores["BI"].measured == 1
    assert scores.cohesion.parts.sources.tolist() == [1, 2]


def test_a_chunk_outside_of_the_text_is_refused():
    with pytest.raises(DocumentError, match=r"\[0, 99999\)"):
        score(INPUTS, one_span_chunks(as_spans([(0, 99_999)])))


def test_late_vectors_are_approximate_until_no_exact_one_can_be_better():
    short, long = one_span_chunks(tiles(list(range(60, N, 60)))), one_span_chunks(tiles([N // 2]))
    supply = word_supply(TEXT, "late")
    wide = score_options({"dcc_window": 500, "unit": "words"})

    assert score(INPUTS, short, OPTIONS, supply=supply)["ICC"].state == "late"
    assert score(INPUTS, long, wide, supply=supply)["ICC"].state == "pooled"
    assert score(INPUTS, short, wide, supply=supply)["DCC"].state == "pooled"


def test_exact_scores_pool_only_what_the_model_cannot_read():
    short, long = one_span_chunks(tiles(list(range(60, N, 60)))), one_span_chunks(tiles([N // 2]))
    exact, late = word_supply(TEXT, "exact"), word_supply(TEXT, "late")

    found = score(INPUTS, long, OPTIONS, supply=exact)["ICC"]

    assert (found.state, found.pooled_texts) == ("pooled", 2)
    assert found.value == pytest.approx(score(INPUTS, long, OPTIONS, supply=late)["ICC"].value)
    assert score(INPUTS, short, OPTIONS, supply=exact)["ICC"].state == "exact"


def test_reference_mode_encodes_whatever_is_asked_for_and_tells_what_was_cut():
    supply = word_supply(TEXT, "late")

    scores = score(INPUTS, one_span_chunks(tiles([N // 2])), REFERENCE, supply=supply)

    assert scores["ICC"].state == "exact"
    assert any("cut off" in notice for notice in scores.notices)


@pytest.mark.parametrize("name", [n for n in HOSTILE_TEXTS if len(HOSTILE_TEXTS[n]) < 200_000])
@pytest.mark.parametrize("mode", ["default", "reference"])
def test_hostile_texts_are_scored_or_not_measurable(name: str, mode: str):
    text = HOSTILE_TEXTS[name]
    size = max(1, len(text) // 5)
    spans = as_spans([(a, min(len(text), a + size)) for a in range(0, len(text), size)])
    inputs = ScoreInputs(text, blocks=spans, sentences=spans)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        pytest.skip("such a text is refused when it is opened")

    scores = toy(inputs, spans, score_options({}, mode=mode))

    assert all(v is None or 0 <= v <= 1 for v in scores.values.values())


def test_values_per_chunk_are_plain_numbers_or_none():
    rows = toy(INPUTS, tiles([100, 103])).per_chunk()

    assert [row["index"] for row in rows] == [0, 1, 2]
    assert rows[1]["ICC"] is None
    assert rows[1]["SC"] == 0.0


def test_late_vectors_of_chunks_of_several_spans_are_those_of_their_tokens():
    halves = [[(0, 300), (600, N)], [(300, 600)]]
    chunks: Chunks = several_spans(halves)

    scores = score(INPUTS, chunks, OPTIONS, supply=word_supply(TEXT, "late"))

    assert scores["ICC"].measured == 2
    assert scores["DCC"].measured == 2
