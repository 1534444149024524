# SPDX-License-Identifier: AGPL-3.0-or-later
"""SEBC, SBDC, SSTC and SVAC against their definitions, on cosines that are made up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.declaration import Declaration
from core.document.model import Document
from core.errors import ParameterError
from core.strategies import run as running
from core.strategies.groups import SENTENCE_GLUE, join_units
from core.strategies.registry import find
from core.strategies.semantic import (
    SEBC,
    Distances,
    Similarities,
    cut_at_distances,
    cut_at_falls,
    cut_at_gradients,
    cut_below_threshold,
    recent_means,
)
from core.strategies.source import Source, Units
from core.units.sentences import split_sentences
from core.vectors.cosines import neighbour_cosines
from core.vectors.late import late_vectors
from core.vectors.models import load_embedder
from core.vectors.toy import ToyEmbedder

cosine_lists = st.lists(st.floats(-1, 1), min_size=1, max_size=30)
RULES = ["percentile", "standard_deviation", "interquartile", "gradient"]


def sentences(count, gap=" "):
    """Sentences of two characters, joined by `gap`."""
    step = 2 + len(gap)
    spans = as_spans([(k * step, k * step + 2) for k in range(count)])
    return join_units(gap.join(["S."] * count), spans, SENTENCE_GLUE)


def distances(values):
    return Distances(sentences(len(values) + 1), np.array(values, float))


def similarities(values):
    return Similarities(sentences(len(values) + 1), np.array(values, float))


def cuts(chunks):
    """Number of the sentence before each cut."""
    return [end // 3 for end in chunks.ends.tolist()[:-1]]


def plain_threshold(values, d, rule, amount):
    if rule in ("percentile", "gradient"):
        return np.percentile(values, amount)
    if rule == "standard_deviation":
        return np.mean(d) + amount * np.std(d)
    low, high = np.percentile(d, 25), np.percentile(d, 75)
    return np.mean(d) + amount * (high - low)


def plain_gradient(d):
    last = len(d) - 1
    return [
        (d[min(i + 1, last)] - d[max(i - 1, 0)]) / (min(i + 1, last) - max(i - 1, 0))
        for i in range(len(d))
    ]


@given(values=cosine_lists, rule=st.sampled_from(RULES), amount=st.floats(0, 10))
def test_sebc_breaks_where_the_value_is_above_the_threshold(values, rule, amount):
    found = cuts(cut_at_distances(distances(values), rule=rule, amount=amount, min_chars=0))
    if rule == "gradient" and len(values) == 1:
        assert found == [0]
        return
    compared = plain_gradient(values) if rule == "gradient" else values
    threshold = plain_threshold(compared, values, rule, amount)
    clear = [i for i, value in enumerate(compared) if abs(value - threshold) > 1e-9]
    assert [i for i in clear if i in found] == [i for i in clear if compared[i] > threshold]


@given(values=cosine_lists, min_chars=st.integers(0, 40))
def test_a_break_that_would_close_a_short_chunk_is_skipped(values, min_chars):
    arguments = {"rule": "percentile", "amount": 50.0}
    every = cuts(cut_at_distances(distances(values), min_chars=0, **arguments))
    expected, start = [], 0
    for sentence in every:
        if len(" ".join(["S."] * (sentence + 1 - start))) >= min_chars:
            expected.append(sentence)
            start = sentence + 1
    assert cuts(cut_at_distances(distances(values), min_chars=min_chars, **arguments)) == expected


@given(values=cosine_lists, amount=st.floats(0, 100))
def test_sbdc_is_sebc_by_gradient(values, amount):
    one = cut_at_gradients(distances(values), amount=amount, min_chars=0)
    other = cut_at_distances(distances(values), rule="gradient", amount=amount, min_chars=0)
    assert one.spans.tolist() == other.spans.tolist()


def test_a_reason_carries_value_threshold_and_margin():
    chunks = cut_at_distances(
        distances([0.1, 0.9, 0.1]), rule="percentile", amount=50.0, min_chars=0
    )
    reason = chunks.end_reasons[0]
    assert (reason.value, reason.threshold, reason.margin) == pytest.approx((0.9, 0.1, 0.8))
    assert reason.words == "distance 0.900 is above 0.100"
    assert chunks.start_reasons[0] is None
    assert chunks.start_reasons[1] == reason


@pytest.mark.parametrize(
    ("rule", "default", "maximum"),
    [
        ("percentile", 95, 100),
        ("gradient", 95, 100),
        ("standard_deviation", 3, 10),
        ("interquartile", 1.5, 10),
    ],
)
def test_the_amount_has_a_default_and_a_bound_for_each_rule(rule, default, maximum):
    assert SEBC.check({"rule": rule})["amount"] == default
    assert SEBC.check({"rule": rule, "amount": maximum})["amount"] == maximum
    with pytest.raises(ParameterError, match=f"at most {maximum}.* reset it to {default}"):
        SEBC.check({"rule": rule, "amount": maximum + 1})


@given(values=cosine_lists, threshold=st.floats(-1, 1))
def test_sstc_keeps_sentences_together_from_the_threshold_up(values, threshold):
    found = cuts(cut_below_threshold(similarities(values), threshold=threshold))
    assert found == [i for i, cosine in enumerate(values) if not cosine >= threshold]


@given(values=cosine_lists, low=st.floats(-1, 1), high=st.floats(-1, 1))
def test_a_larger_threshold_never_removes_a_boundary(values, low, high):
    low, high = sorted((low, high))
    few = cut_below_threshold(similarities(values), threshold=low)
    many = cut_below_threshold(similarities(values), threshold=high)
    assert set(cuts(few)) <= set(cuts(many))


@given(values=cosine_lists, delta=st.floats(0, 2), window=st.integers(1, 10))
def test_svac_cuts_where_a_cosine_falls_below_the_recent_ones(values, delta, window):
    expected = []
    for i in range(1, len(values) + 1):
        recent = values[max(0, i - 1 - window) : i - 1]
        if recent and values[i - 1] < np.mean(recent) - delta:
            expected.append(i - 1)
    assert cuts(cut_at_falls(similarities(values), delta=delta, window=window)) == expected


def test_equal_cosines_have_one_mean_wherever_they_stand():
    means = recent_means(np.full(200, 0.1), 3)
    assert len(set(means[3:].tolist())) == 1


def test_sentences_further_apart_than_a_space_lose_white_space_at_the_ends():
    spans = as_spans([(0, 4), (6, 8), (10, 13)])
    joined = join_units("  A.\n\nB.  C. ", spans, SENTENCE_GLUE)
    chunks = cut_below_threshold(Similarities(joined, np.array([0.9, 0.1])), threshold=0.5)
    assert chunks.spans.tolist() == [[2, 8], [10, 13]]


def run(code, text, **values):
    found = find(code)
    declaration: Declaration = found.declaration
    slow, fast = found.split(declaration.check(values))
    splitter = declaration.sentences or "punkt"
    source = Source(Document(text), splitter=splitter, embedder=ToyEmbedder())
    return found.cut(found.prepare(source, **slow), **fast)


@pytest.mark.parametrize("code", ["SEBC", "SBDC", "SSTC", "SVAC"])
def test_an_empty_text_has_no_chunk(code):
    assert len(run(code, "")) == 0


@pytest.mark.parametrize(
    ("code", "expected"),
    [("SEBC", [[0, 3]]), ("SBDC", [[0, 3]]), ("SSTC", []), ("SVAC", [])],
)
def test_white_space_is_one_chunk_or_none(code, expected):
    assert run(code, " \n ").spans.tolist() == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [("SEBC", [[0, 5]]), ("SBDC", [[0, 5]]), ("SSTC", [[0, 3]]), ("SVAC", [[0, 5]])],
)
def test_one_sentence_is_one_chunk(code, expected):
    assert run(code, "One \n").spans.tolist() == expected


def test_two_sentences_are_two_chunks_by_gradient():
    chunks = run("SBDC", "The cat sat. The cat sat")
    assert chunks.spans.tolist() == [[0, 12], [13, 24]]
    assert chunks.end_reasons[0].rule == "two sentences"


def test_the_context_of_a_sentence_has_its_neighbours_in_it():
    """With a wide buffer all contexts are the whole text, so no distance is above another."""
    text = "Cats purr. Dogs bark. Fish swim. Birds sing"
    prepared = find("SEBC").prepare(
        Source(Document(text), splitter="regex", embedder=ToyEmbedder()), buffer=10
    )
    assert prepared.distances == pytest.approx(np.zeros(3), abs=1e-7)


@pytest.mark.slow
def test_an_estimate_compares_the_late_vectors_of_the_contexts():
    text = "A fox lives here. It hunts mice. A train leaves. The ticket is dear."
    embedder, units = load_embedder("minilm"), Units()
    recipe = running.parse_recipe("SEBC:buffer=1,amount=50,sentences=punkt")

    found = running.run(recipe, Document(text), units, embedder=embedder, estimate=True)

    sentences = split_sentences(Document(text), "punkt")
    contexts = np.stack([sentences[[0, 0, 1, 2], 0], sentences[[1, 2, 3, 3], 1]], axis=1)
    distances = 1 - neighbour_cosines(late_vectors(text, embedder).span_vectors(contexts))
    breaks = np.flatnonzero(distances > np.percentile(distances, 50)) + 1
    assert found.starts.tolist() == sentences[[0, *breaks], 0].tolist()
    assert len(found) == 2
