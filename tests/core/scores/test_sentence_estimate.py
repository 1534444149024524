# SPDX-License-Identifier: AGPL-3.0-or-later
"""The estimate of vectors of spans, for models that give no vectors of word pieces."""

import numpy as np
import pytest

from core.arrays import as_spans
from core.scores.options import score_options
from core.scores.score import score
from core.scores.sentence_estimate import sentence_vectors
from core.scores.vector_supply import VectorSupply
from core.strategies.chunks import one_span_chunks
from core.vectors.toy import ToyEmbedder
from tests.core.scores.documents import document

TEXT = "The boat waits. The tide turns at noon and at night. Nobody looks."
SENTENCES = as_spans([(0, 15), (16, 53), (54, 66)])


def vector(*spans: tuple[int, int]) -> np.ndarray:
    estimate = sentence_vectors(TEXT, SENTENCES, ToyEmbedder())
    return estimate.span_vectors(as_spans(list(spans)))


def test_a_sentence_has_its_own_vector():
    expected = ToyEmbedder().encode([TEXT[a:b] for a, b in SENTENCES.tolist()])
    np.testing.assert_allclose(vector(*map(tuple, SENTENCES.tolist())), expected, atol=1e-6)


def test_a_span_has_the_mean_of_its_sentences_weighted_by_their_length():
    first, second = ToyEmbedder().encode([TEXT[0:15], TEXT[16:53]]).astype(float)
    expected = 3 * first + 8 * second
    np.testing.assert_allclose(vector((0, 53))[0], expected / np.linalg.norm(expected), atol=1e-6)


def test_a_part_of_a_sentence_has_the_vector_of_the_sentence():
    np.testing.assert_allclose(vector((25, 40)), vector((16, 53)), atol=1e-6)


@pytest.mark.parametrize("text", ["", " \n\n "], ids=["empty", "blank"])
def test_a_text_without_a_word_has_no_vectors(text: str):
    assert len(sentence_vectors(text, as_spans([]), ToyEmbedder())) == 0


def test_scores_from_it_will_be_replaced():
    inputs = document(40, seed=1)
    estimate = sentence_vectors(inputs.text, inputs.sentences, ToyEmbedder())
    supply = VectorSupply(inputs.text, ToyEmbedder(), "late", lambda: estimate, estimates=True)
    edges = np.append(np.arange(0, len(inputs.text), 300), len(inputs.text))
    chunks = one_span_chunks(np.column_stack((edges[:-1], edges[1:])))
    found = score(inputs, chunks, score_options({"dcc_window": 200}), supply=supply)
    assert [found[code].state for code in ("ICC", "DCC")] == ["late", "late"]
    assert 0 < found["ICC"].value < 1
