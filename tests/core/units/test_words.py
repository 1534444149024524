# SPDX-License-Identifier: AGPL-3.0-or-later
"""Words of sentences."""

import numpy as np

from core.units.words import word_counts


def test_marks_are_words_and_case_counts():
    text = 'The dose, the "dose". Not'

    total, unique = word_counts(text, np.array([[0, 21], [22, 25]]))

    # The | dose | , | the | `` | dose | '' | .
    assert total.tolist() == [8, 1]
    assert unique.tolist() == [7, 1]


def test_a_sentence_without_a_word_has_none():
    total, unique = word_counts("  ", np.array([[0, 2]]))

    assert (total.tolist(), unique.tolist()) == ([0], [0])
