# SPDX-License-Identifier: AGPL-3.0-or-later
"""K4 against its definition: a loop that takes the mean of the chunk's vectors each time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Document
from core.errors import ModelError
from core.strategies.adaptive import BAND, K4, banded_sums, cut_where_unlike, find_steps
from core.strategies.source import Source
from core.vectors.cosines import unit_rows

DEFAULTS = K4.check({}) | {"linkers": (), "headers": "off"}


class GivenVectors:
    """An embedder of one number a sentence: "w3 w3." has the third of the given vectors."""

    id, window, has_token_vectors = "given", None, False

    def __init__(self, vectors):
        self.vectors = np.asarray(vectors, np.float32)
        self.dimension = self.vectors.shape[1]

    def encode(self, texts, *_rest):
        return self.vectors[[int(text.split("x")[1].rstrip(".")) for text in texts]]


def prepare(words, vectors):
    """Sentences of the given numbers of words, on lines of their own."""
    text = "\n\n".join(" ".join([f"x{index}x"] * count) + "." for index, count in enumerate(words))
    source = Source(Document(text), splitter="blank", embedder=GivenVectors(vectors))
    return find_steps(source)


def plain_cuts(words, vectors, *, threshold, max_words, min_words, compare):
    """The first sentence after each cut, and the value where none was forced."""
    unit = unit_rows(np.asarray(vectors, np.float32))
    cuts, chunk = [], [0]
    for i in range(1, len(words)):
        total = sum(words[k] for k in chunk)
        last = unit[i - 1] @ unit[i]
        mean = unit[chunk].mean(axis=0)
        length = np.linalg.norm(mean)
        mean = mean @ unit[i] / length if length > 1e-9 else 0.0
        value = {"last": last, "mean": mean, "both": min(last, mean), "either": max(last, mean)}
        if total + words[i] > max_words:
            cuts.append((i, None))
        elif value[compare] < threshold and total >= min_words:
            cuts.append((i, value[compare]))
        else:
            chunk.append(i)
            continue
        chunk = [i]
    if cuts:
        before = cuts[-2][0] if len(cuts) > 1 else 0
        if sum(words[cuts[-1][0] :]) < min_words and sum(words[before:]) <= max_words:
            cuts.pop()
    return cuts


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 3 * BAND),
    compare=st.sampled_from(["last", "mean", "both", "either"]),
    threshold=st.floats(-1, 1),
    max_words=st.integers(1, 400),
    least=st.floats(0, 1),
)
def test_cuts_are_those_of_the_plain_loop(seed, n, compare, threshold, max_words, least):
    generator = np.random.default_rng(seed)
    words = generator.integers(1, 12, n).tolist()
    vectors = generator.normal(0.5, 1, size=(n, 6))
    rule = {
        "threshold": threshold,
        "max_words": max_words,
        "min_words": int(least * max_words),
        "compare": compare,
    }
    prepared = prepare(words, vectors)
    chunks = cut_where_unlike(prepared, **(DEFAULTS | rule))

    expected = plain_cuts(words, vectors, **rule)
    starts = prepared.sentences.spans[[0, *(cut for cut, _ in expected)], 0]
    assert chunks.spans[:, 0].tolist() == starts.tolist()
    for index, (_, value) in enumerate(expected):
        reason = chunks.end_reasons[index]
        assert reason.rule == ("words" if value is None else "similarity")
        assert value is None or reason.value == pytest.approx(value, abs=1e-5)


@given(seed=st.integers(0, 10_000), n=st.integers(0, 2 * BAND))
def test_banded_sums_are_sums_of_products_with_the_rows_before(seed, n):
    rows = np.random.default_rng(seed).normal(size=(n, 4))
    sums = banded_sums(rows)
    for index in range(n):
        for back in range(1, min(index, BAND) + 1):
            expected = rows[index - back : index].sum(axis=0) @ rows[index]
            assert sums[index, back - 1] == pytest.approx(expected, abs=1e-9)


def test_equality_with_the_threshold_continues():
    chunks = cut_where_unlike(
        prepare([5, 5], [[1, 0], [1, 0]]), **(DEFAULTS | {"threshold": 1.0, "min_words": 0})
    )
    assert len(chunks) == 1


def test_a_zero_vector_is_unlike_everything_and_divides_by_nothing():
    vectors = [[0, 0], [0, 0], [1, 0]]
    chunks = cut_where_unlike(
        prepare([5, 5, 5], vectors), **(DEFAULTS | {"threshold": 0.1, "min_words": 0})
    )
    assert len(chunks) == 3
    assert chunks.end_reasons[0].value == 0


def test_reasons_say_what_was_compared():
    vectors = [[1, 0], [1, 0], [0, 1]]
    chunks = cut_where_unlike(
        prepare([40, 40, 40], vectors), **(DEFAULTS | {"max_words": 100, "min_words": 10})
    )
    assert chunks.end_reasons[0].words == "forced: 120 words with the next sentence, above 100"
    chunks = cut_where_unlike(prepare([40, 40, 40], vectors), **(DEFAULTS | {"min_words": 40}))
    assert chunks.end_reasons[0].words == "cosine with the last sentence 0.000 is below 0.800"


def test_headers_from_a_language_model_are_refused_politely():
    with pytest.raises(ModelError, match="choose structure, noun_phrase or off"):
        cut_where_unlike(prepare([5], [[1]]), **(DEFAULTS | {"headers": "model"}))


def test_presets_keep_the_papers_headers_and_values():
    presets = [K4.check(preset.parameters) for preset in K4.presets]
    assert {preset["headers"] for preset in presets} == {"noun_phrase"}
    assert {preset["threshold"] for preset in presets} == {0.75, 0.8, 0.85}
    assert {preset["max_words"] for preset in presets} == {300, 500}


def test_an_empty_text_has_no_chunk():
    source = Source(Document(""), splitter="blank", embedder=GivenVectors([[1.0]]))
    assert len(cut_where_unlike(find_steps(source), **DEFAULTS)) == 0
