# SPDX-License-Identifier: AGPL-3.0-or-later
"""Whole and broken blocks, and the envelope that they are looked up in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import Spans, as_spans
from core.scores.blocks import broken_in_reference, counted_blocks, inner_spans, intact_blocks
from core.scores.envelope import envelope_of, envelope_of_spans
from tests.core.scores.documents import several_spans

spans_lists = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=12)


@pytest.mark.parametrize(
    ("block", "inner"),
    [
        pytest.param([10, 110], [15, 105], id="long: the tolerance"),
        pytest.param([0, 20], [5, 15], id="four times the tolerance"),
        pytest.param([0, 19], [4, 15], id="shorter: a quarter"),
        pytest.param([7, 10], [7, 10], id="shorter than four: nothing"),
    ],
)
def test_the_tolerance_is_at_most_a_quarter_of_the_block(block: list[int], inner: list[int]):
    assert inner_spans(as_spans([block]), 5).tolist() == [inner]


@pytest.mark.parametrize(
    ("cut", "is_broken"),
    [
        pytest.param(15, False, id="at the tolerance"),
        pytest.param(16, True, id="one past it"),
        pytest.param(104, True, id="one before the other end"),
        pytest.param(105, False, id="at the other end"),
    ],
)
def test_a_cut_near_an_edge_breaks_in_neither_mode(cut: int, is_broken: bool):
    block, chunks = as_spans([[10, 110]]), as_spans([[0, cut], [cut, 200]])

    assert broken_in_reference(block, chunks, 5).tolist() == [is_broken]
    assert intact_blocks(block, envelope_of_spans(chunks), 5).tolist() == [not is_broken]


def test_empty_repeated_and_boilerplate_blocks_do_not_count():
    blocks = as_spans([[0, 5], [5, 5], [5, 9], [0, 5], [9, 12]])

    assert counted_blocks(blocks, as_spans([[9, 12]])).tolist() == [0, 2]


def test_the_envelope_drops_what_another_span_holds():
    envelope = envelope_of_spans(as_spans([[5, 20], [0, 10], [8, 20], [12, 15], [0, 4], [3, 3]]))

    assert envelope.starts.tolist() == [0, 5]
    assert envelope.ends.tolist() == [10, 20]
    assert envelope.owners.tolist() == [1, 0]


def test_spans_of_one_chunk_that_touch_are_one_in_the_envelope():
    envelope = envelope_of(several_spans([[(0, 5), (5, 9)], [(9, 12), (20, 30)]]))

    assert np.column_stack((envelope.starts, envelope.ends)).tolist() == [[0, 9], [9, 12], [20, 30]]
    assert envelope.owners.tolist() == [0, 1, 1]


@given(rows=spans_lists, wanted=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_the_envelope_holds_what_some_span_holds(
    rows: list[list[int]], wanted: list[tuple[int, int]]
):
    spans: Spans = as_spans(rows)
    envelope = envelope_of_spans(spans)
    asked = as_spans(wanted)

    held = envelope.holds(asked[:, 0], asked[:, 1])

    full = [(a, b) for a, b in spans.tolist() if b > a]
    assert held.tolist() == [any(a <= s and b >= e for a, b in full) for s, e in wanted]
    assert (np.diff(envelope.starts) > 0).all()
    assert (np.diff(envelope.ends) > 0).all()
