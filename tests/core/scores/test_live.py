# SPDX-License-Identifier: AGPL-3.0-or-later
"""The live scores against the full computation, after random edits of four kinds of chunkings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrays import Spans, as_spans
from core.errors import Cancelled
from core.scores.inputs import ScoreInputs
from core.scores.live import LiveScores
from core.scores.options import score_options
from core.scores.results import Scores
from core.scores.score import score
from core.scores.vector_supply import VectorSupply
from core.strategies.chunks import one_span_chunks
from core.vectors.toy import ToyEmbedder
from tests.core.scores.documents import document, several_spans, word_supply

OPTIONS = score_options({"sc_min": 10, "sc_max": 60, "dcc_window": 120, "unit": "words"})
INPUTS = document(60)
N = len(INPUTS.text)
SUPPLIES = {
    "exact": VectorSupply(INPUTS.text, ToyEmbedder(), "exact"),
    "late": word_supply(INPUTS.text, "late"),
    "exact or pooled": word_supply(INPUTS.text, "exact"),
}


def plain(random: np.random.Generator) -> Spans:
    cuts = np.unique(random.integers(1, N, 25))
    return np.column_stack((np.append(0, cuts), np.append(cuts, N)))


def overlapped(random: np.random.Generator) -> Spans:
    spans = plain(random)
    spans[1:, 0] = np.maximum(0, spans[1:, 0] - random.integers(0, 90, len(spans) - 1))
    return spans


def gapped(random: np.random.Generator) -> Spans:
    spans = plain(random)
    spans[:, 1] = np.maximum(spans[:, 0], spans[:, 1] - random.integers(0, 60, len(spans)))
    return spans


def nested(random: np.random.Generator) -> Spans:
    parents = plain(random)[:12]
    children = [
        (a + (b - a) * k // 3, a + (b - a) * (k + 1) // 3)
        for a, b in parents.tolist()
        for k in range(3)
    ]
    return np.concatenate((parents, as_spans(children)))


KINDS = {each.__name__: each for each in (plain, overlapped, gapped, nested)}


def edited(spans: Spans, random: np.random.Generator) -> Spans:
    """One edit as the window makes them: move a cut, split, merge, move an edge, remove."""
    spans = spans.copy()
    index = int(random.integers(len(spans)))
    start, end = spans[index].tolist()
    match random.choice(
        ["move", "split", "merge", "edge", "remove"], p=[0.5, 0.2, 0.15, 0.1, 0.05]
    ):
        case "move" if index:
            cut = int(random.integers(0, N + 1))
            spans[index - 1, 1] = max(spans[index - 1, 0], cut)
            spans[index, 0] = min(end, cut)
        case "split" if end - start > 2:
            cut = int(random.integers(start + 1, end))
            spans = np.insert(spans, index, (start, cut), axis=0)
            spans[index + 1, 0] = cut
        case "merge" if index:
            spans[index - 1] = (min(spans[index - 1, 0], start), max(spans[index - 1, 1], end))
            spans = np.delete(spans, index, axis=0)
        case "edge":
            spans[index, 1] = int(random.integers(start, N + 1))
        case "remove" if len(spans) > 3:
            spans = np.delete(spans, index, axis=0)
    return spans


def assert_same(live: Scores, full: Scores) -> None:
    for code, measure in full.measures.items():
        found = live[code]
        assert (found.value is None) == (measure.value is None), code
        assert found.value == pytest.approx(measure.value, abs=1e-9), code
        assert found.raw == pytest.approx(measure.raw, abs=1e-9), code
        assert (found.measured, found.state) == (measure.measured, measure.state), code
        np.testing.assert_allclose(found.per_chunk, measure.per_chunk, atol=1e-9, err_msg=code)
    for name in ("pairs_lost", "blocks_broken", "chunks_bad_size", "units"):
        np.testing.assert_array_equal(getattr(live, name), getattr(full, name))
    assert live.mean == pytest.approx(full.mean, abs=1e-9)


@pytest.mark.parametrize("supply", SUPPLIES)
@pytest.mark.parametrize("kind", KINDS)
def test_live_scores_equal_the_full_computation_after_every_edit(kind: str, supply: str):
    edits = 250 if supply != "exact or pooled" else 40
    random = np.random.default_rng(7)
    spans = KINDS[kind](random)
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLIES[supply])
    live.update(one_span_chunks(spans))

    for _ in range(edits):
        spans = edited(spans, random)
        chunks = one_span_chunks(spans)

        found = live.update(chunks)

        assert_same(found, score(INPUTS, chunks, OPTIONS, supply=SUPPLIES[supply]))


@given(
    seeds=st.tuples(st.integers(0, 2**32), st.integers(0, 2**32)), kind=st.sampled_from(list(KINDS))
)
@settings(max_examples=30)
def test_live_scores_follow_any_other_chunking(seeds: tuple[int, int], kind: str):
    first, second = (KINDS[kind](np.random.default_rng(seed)) for seed in seeds)
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLIES["late"])
    live.update(one_span_chunks(first))

    found = live.update(one_span_chunks(second))

    expected = score(INPUTS, one_span_chunks(second), OPTIONS, supply=SUPPLIES["late"])
    assert_same(found, expected)


def test_live_scores_follow_chunks_of_several_spans():
    random = np.random.default_rng(3)
    lists = [[(int(a), int(b))] for a, b in plain(random)]
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLIES["late"])

    for _ in range(60):
        index = int(random.integers(2, len(lists)))
        lists[index - 2] = (
            lists[index - 2] + lists.pop(index) if len(lists) > 6 else lists[index - 2]
        )
        chunks = several_spans(lists)

        assert_same(live.update(chunks), score(INPUTS, chunks, OPTIONS, supply=SUPPLIES["late"]))


def test_a_moved_boundary_touches_only_its_surroundings():
    spans = plain(np.random.default_rng(1))
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLIES["late"])
    live.update(one_span_chunks(spans))
    everything = live.compared
    spans[-2, 1] = spans[-1, 0] = spans[-1, 0] + 3

    live.update(one_span_chunks(spans))

    assert 0 < live.compared < everything / 3


def test_the_same_chunks_touch_nothing():
    chunks = one_span_chunks(plain(np.random.default_rng(1)))
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLIES["late"])
    live.update(chunks)

    live.update(chunks)

    assert live.compared == 0


def test_without_chunks_nothing_is_measurable_and_the_next_edit_works():
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLIES["late"])

    empty = live.update(one_span_chunks(as_spans([])))
    whole = live.update(one_span_chunks(as_spans([(0, N)])))

    assert all(value is None for value in empty.values.values())
    assert whole["RC"].value == 1.0


def test_inputs_without_pairs_or_blocks_are_followed_too():
    bare = ScoreInputs(INPUTS.text, sentences=INPUTS.sentences)
    live = LiveScores(bare, OPTIONS, supply=SUPPLIES["late"])

    found = live.update(one_span_chunks(plain(np.random.default_rng(2))))

    assert found["RC"].value is None
    assert found["BI"].value is None
    assert found["ICC"].value is not None


class StopsAt:
    """A cancel token that cancels at its n-th question."""

    def __init__(self, n: int) -> None:
        self._left = n

    def check(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise Cancelled


@pytest.mark.parametrize("kind", SUPPLIES)
def test_an_update_that_was_stopped_anywhere_leaves_the_next_one_right(kind: str) -> None:
    random = np.random.default_rng(4)
    live = LiveScores(INPUTS, OPTIONS, supply=SUPPLIES[kind])
    spans = plain(random)
    live.update(one_span_chunks(spans))
    stopped = 0
    for place in range(1, 12):
        spans = edited(spans, random)
        try:
            live.update(one_span_chunks(spans), cancel=StopsAt(place))
        except Cancelled:
            stopped += 1
        spans = edited(spans, random)
        chunks = one_span_chunks(spans)
        expected = score(INPUTS, chunks, OPTIONS, supply=SUPPLIES[kind])
        assert_same(live.update(chunks), expected)
    assert stopped >= 4
