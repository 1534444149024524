# SPDX-License-Identifier: AGPL-3.0-or-later
"""K2 gives scikit-learn's clusters of real sentences, where starting texts are nearly tied."""

import json
from pathlib import Path

import pytest

from core.document.model import Document
from core.units.sentences import split_sentences
from tests.core.strategies.test_k_means import clusters, plain

SMALL = Path(__file__).parent / "metrics_small.json"


@pytest.mark.parametrize(
    ("k", "seed", "starts"), [(10, 9, 1), (20, 9, 1), (25, 0, 10), (30, 0, 10), (35, 3, 10)]
)
def test_near_ties_between_starting_texts_are_decided_as_by_scikit_learn(k, seed, starts):
    text = json.loads(SMALL.read_text("utf-8"))["documents"]["S2_handbook"]["text"]
    sentences = [text[a:b] for a, b in split_sentences(Document(text), "punkt").tolist()]

    assert clusters(sentences, k, seed=seed, starts=starts) == plain(
        sentences, k, seed=seed, starts=starts
    )
