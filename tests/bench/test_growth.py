# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is measured at a million tokens stands on units that are repeated, not found anew."""

import re

import numpy as np
import pytest

from bench import growth
from core.document.model import Document
from core.strategies.source import Units
from core.units.sentences import split_sentences

BASE = "One apple falls. Two pears fall. "


def words_of(text):
    return np.array([found.span() for found in re.finditer(r"\w+|[.]", text)])


@pytest.mark.parametrize("characters", [20, len(BASE), 3 * len(BASE), 3 * len(BASE) + 9])
def test_the_units_of_a_repeated_text_are_those_of_what_it_repeats(characters, monkeypatch):
    monkeypatch.setattr(growth, "repeated", lambda: BASE)
    document, units = Document((BASE * 4)[:characters]), Units()

    growth.keep_parsed(units, document, split_sentences(Document(BASE), "punkt"), words_of(BASE))

    kept = units.get("spacy sentences", lambda: None)
    assert np.array_equal(kept, split_sentences(document, "punkt"))
    assert np.array_equal(units.get("spacy tokens", lambda: None), words_of(document.text))
