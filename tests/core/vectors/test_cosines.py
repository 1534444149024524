# SPDX-License-Identifier: AGPL-3.0-or-later
import numpy as np
import pytest

from core.vectors.cosines import neighbour_cosines, unit_rows


def test_neighbours_are_compared_whatever_their_length():
    vectors = np.array([[2, 0], [1, 1], [0, 5]], np.float32)
    assert neighbour_cosines(vectors) == pytest.approx([0.5**0.5, 0.5**0.5])


def test_the_cosine_with_a_zero_vector_is_zero():
    assert neighbour_cosines(np.array([[1, 0], [0, 0]], np.float32)).tolist() == [0.0]


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_vectors_have_no_neighbours(n):
    assert len(neighbour_cosines(np.ones((n, 3), np.float32))) == 0


def test_a_zero_row_stays_zero():
    assert unit_rows(np.array([[0, 0], [3, 4]], np.float32)).tolist() == [
        [0, 0],
        pytest.approx([0.6, 0.8]),
    ]
