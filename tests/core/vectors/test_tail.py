# SPDX-License-Identifier: AGPL-3.0-or-later
import numpy as np
import pytest

from core.arrays import as_spans
from core.vectors.cache import VectorCache
from core.vectors.models import load_embedder
from core.vectors.tail import tails_of_spans, tails_of_texts
from core.vectors.toy import ToyEmbedder

TEXT = "word " * 400


def test_the_tail_begins_with_the_first_word_that_does_not_fit(minilm):
    tails = tails_of_texts([TEXT, "word"], minilm, header_lengths=[0, 0])
    assert tails.tokens.tolist() == [402, 3]
    assert tails.tail_tokens.tolist() == [146, 0]
    assert tails.shares == pytest.approx([146 / 402, 0])
    assert tails.cuts.tolist() == [254 * len("word "), -1]


def test_the_header_is_read_first(minilm):
    tails = tails_of_texts(["Title\n" + TEXT], minilm, header_lengths=[len("Title\n")])
    assert tails.tokens.tolist() == [403]
    assert tails.cuts.tolist() == [253 * len("word ")]


def test_spans_of_a_document_have_the_tails_of_their_texts(minilm):
    spans = as_spans([(0, len(TEXT)), (5, 30), (100, 1_500), (7, 7)])
    by_text = tails_of_texts([TEXT[a:b] for a, b in spans], minilm, header_lengths=[0] * 4)
    by_span = tails_of_spans(spans, minilm.pieces(TEXT), minilm)
    assert by_span.tokens.tolist() == by_text.tokens.tolist()
    inside = by_text.cuts >= 0
    assert (by_span.cuts[inside] - spans[inside, 0]).tolist() == by_text.cuts[inside].tolist()
    assert (by_span.cuts[~inside] == -1).all()


def test_a_longer_window_leaves_a_shorter_tail(minilm):
    wide = load_embedder("minilm", window=512, cache=VectorCache())
    assert tails_of_texts([TEXT], wide, header_lengths=[0]).tail_tokens.tolist() == [0]


def test_without_a_limit_there_is_no_tail():
    tails = tails_of_texts([TEXT], ToyEmbedder(), header_lengths=[0])
    assert tails.tail_tokens.tolist() == [0]
    assert np.array_equal(tails.cuts, [-1])
