# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is measured at a million tokens stands on sentences that are repeated, not found anew."""

import numpy as np
import pytest

from bench import growth
from core.document.model import Document
from core.strategies.source import Units
from core.units.sentences import split_sentences

BASE = "One apple falls. Two pears fall. "


@pytest.mark.parametrize("characters", [20, len(BASE), 3 * len(BASE), 3 * len(BASE) + 9])
def test_the_sentences_of_a_repeated_text_are_those_of_what_it_repeats(characters, monkeypatch):
    monkeypatch.setattr(growth, "repeated", lambda: BASE)
    document, units = Document((BASE * 4)[:characters]), Units()

    growth.keep_sentences(units, document, split_sentences(Document(BASE), "punkt"))

    kept = units.get(("sentences", "spacy", False), lambda: None)
    assert np.array_equal(kept, split_sentences(document, "punkt"))
    assert ("sentences", "spacy", True) in units
