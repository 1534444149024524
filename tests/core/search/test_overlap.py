# SPDX-License-Identifier: AGPL-3.0-or-later
"""Passages that only an overlap keeps whole."""

import numpy as np
import pytest

from core.arrays import as_spans
from core.search.overlap import is_saved_by_overlap
from core.search.pool import pool_of


@pytest.mark.parametrize(
    ("chunks", "passage", "saved"),
    [
        pytest.param([(0, 100), (100, 200)], (10, 90), False, id="no overlap"),
        pytest.param([(0, 110), (90, 200)], (10, 80), False, id="in what only one chunk holds"),
        pytest.param([(0, 110), (90, 200)], (92, 108), False, id="in what both hold"),
        pytest.param([(0, 110), (90, 200)], (80, 105), False, id="before the next but for its end"),
        pytest.param([(0, 100), (50, 150), (100, 200)], (80, 120), True, id="over a cut"),
        pytest.param([(0, 100), (50, 150), (100, 200)], (60, 90), False, id="between two cuts"),
        pytest.param([(0, 200), (0, 100), (100, 200)], (80, 120), False, id="whole in a parent"),
    ],
)
def test_a_passage_is_saved_if_no_chunk_holds_it_without_its_neighbours(chunks, passage, saved):
    pool, (start, end) = pool_of(as_spans(chunks)), passage
    holders = np.array([k for k, (a, b) in enumerate(chunks) if a <= start and end <= b], np.int64)
    assert is_saved_by_overlap(pool, start, end, holders, least=0.99) is saved


def test_a_passage_that_is_cut_is_not_saved():
    pool = pool_of(as_spans([(0, 100), (90, 200)]))
    assert not is_saved_by_overlap(pool, 50, 150, np.empty(0, np.int64), least=0.99)
