# SPDX-License-Identifier: AGPL-3.0-or-later
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.vectors.toy import ToyEmbedder


def test_the_check_values_of_the_definition():
    (vector,) = ToyEmbedder().encode_exactly(["The cat"])
    assert np.flatnonzero(vector).tolist() == [38, 40]
    assert vector[[38, 40]] == pytest.approx([-(0.5**0.5), 0.5**0.5], abs=1e-12)


@pytest.mark.parametrize("text", ["", "...", "___"])
def test_a_text_without_a_word_has_a_zero_vector(text):
    assert not ToyEmbedder().encode([text]).any()


def test_no_texts_give_no_vectors():
    assert ToyEmbedder().encode([]).shape == (0, 64)


@given(st.text())
def test_case_and_underscores_do_not_count(text):
    plain, other = ToyEmbedder().encode([text.lower(), text.lower().replace(" ", "_")])
    assert np.array_equal(plain, other)


@given(st.text())
def test_every_vector_is_unit_or_zero(text):
    norm = np.linalg.norm(ToyEmbedder().encode_exactly([text])[0])
    assert norm == 0 or norm == pytest.approx(1)
