# SPDX-License-Identifier: AGPL-3.0-or-later
"""Counts from segments equal counts of the span encoded by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.strategies import span_counts
from core.strategies.span_counts import SpanCounter, cut_places
from core.units.tokens import TOKENIZERS, piece_counter
from tests.strategies import texts_with_spans

COUNTERS = {name: piece_counter(name) for name in TOKENIZERS}
# what tokenizers treat in ways of their own: contractions, digits, marks with newlines, spaces
TRICKY = st.lists(
    st.sampled_from(
        ["it's", "'S", " ", "  ", "\n", "\n\n", "\r\n", "\t", "12345", "a", "Ab", "é", ".", ").",
         "//", "/", "\u00a0", "\u2003", "\u0085", "中文", "e\u0301", "ſ", "#", "|", "x1y2", "\x1c",
         "\ufeff", "\u200b", "\u0301", "\U0001f44d", "¡", "—", "٣", "日"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=100)
@given(text=TRICKY, data=st.data())
def test_a_span_has_as_many_units_as_its_two_sides_at_a_cut_place(name, text, data):
    count = COUNTERS[name].count
    for place in cut_places(text, name).tolist():
        start = data.draw(st.integers(0, place))
        end = data.draw(st.integers(place, len(text)))

        whole = count(text[start:end])

        assert whole == count(text[start:place]) + count(text[place:end])


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("segment", [1, 8, 128])
@given(case=st.one_of(texts_with_spans(), TRICKY.map(lambda text: (text, None))))
def test_counts_from_segments_equal_counts_of_the_spans_by_themselves(case, segment, name):
    text, spans = case
    if spans is None:
        edges = range(0, len(text), 3)
        spans = np.array([(a, b) for a in edges for b in edges if a <= b], np.int64).reshape(-1, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(span_counts, "SEGMENT", segment)
        counter = SpanCounter(text, COUNTERS[name])

        expected = [COUNTERS[name].count(text[a:b]) for a, b in spans.tolist()]

        assert counter.counts(spans).tolist() == expected
        assert [counter.count(a, b) for a, b in spans.tolist()] == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "gpt2"])
def test_real_texts_count_the_same_from_segments(name, shared):
    text = (shared / "data" / "wikitexts.md").read_text("utf-8")
    generator = np.random.default_rng(3)
    spans = np.sort(generator.integers(0, len(text), (300, 2)), axis=1)
    spans[:, 1] = np.minimum(spans[:, 1], spans[:, 0] + 5_000)

    expected = [COUNTERS[name].count(text[a:b]) for a, b in spans.tolist()]

    assert SpanCounter(text, COUNTERS[name]).counts(spans).tolist() == expected
