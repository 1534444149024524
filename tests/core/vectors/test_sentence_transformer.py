# SPDX-License-Identifier: AGPL-3.0-or-later
import socket

import numpy as np
import pytest

from core.cancel import NEVER
from core.errors import Cancelled, ModelError
from core.vectors.cache import VectorCache
from core.vectors.models import load_embedder

SENTENCES = [
    "The dose is halved.",
    "Der Fuchs läuft.",
    "",
    "Take the level after two days. " * 9,
]
LONG = "The level is taken after two days in every patient. " * 60


@pytest.fixture(scope="module")
def bare():
    """The model as a user's own pipeline has it."""
    from sentence_transformers import SentenceTransformer

    from core.vectors.models import packaged_folder

    return SentenceTransformer(str(packaged_folder()), device="cpu", local_files_only=True)


def test_vectors_are_those_of_the_library(minilm, bare):
    texts = [*SENTENCES, LONG]
    assert np.abs(minilm.encode(texts) - bare.encode(texts)).max() < 1e-6


def test_a_repeated_text_is_encoded_once():
    embedder = load_embedder("minilm", cache=VectorCache())
    told = []
    vectors = embedder.encode(
        ["one", "two", "one", "one"], NEVER, lambda done, total, what: told.append(total)
    )
    assert set(told) == {2}
    assert np.array_equal(vectors[0], vectors[3])
    assert not np.array_equal(vectors[0], vectors[1])


def test_a_text_is_cut_at_the_window(minilm):
    pieces = minilm.pieces(LONG)
    read = LONG[: pieces[253, 1]]
    assert len(pieces) > 254
    assert np.abs(np.subtract(*minilm.encode([LONG, read]))).max() < 1e-6


def test_a_longer_window_reads_more():
    wide = load_embedder("minilm", window=512, cache=VectorCache())
    pieces = wide.pieces(LONG)
    assert wide.window == 512
    full, cut = wide.encode([LONG, LONG[: pieces[253, 1]]])
    assert np.abs(full - cut).max() > 1e-3


def test_windows_are_kept_apart_in_the_cache():
    cache = VectorCache()
    narrow = load_embedder("minilm", cache=cache).encode([LONG])
    wide = load_embedder("minilm", window=512, cache=cache).encode([LONG])
    assert not np.array_equal(narrow, wide)


@pytest.mark.parametrize("window", [15, 513])
def test_a_window_that_the_model_does_not_have_is_refused(window):
    with pytest.raises(ModelError, match=f"window is {window} .* at least 16 and at most 512"):
        load_embedder("minilm", window=window)


def test_pieces_cover_the_words_and_nothing_else(minilm):
    text = "Naïve fibrillation,  then\n\nrest 🦊."
    pieces = [text[a:b] for a, b in minilm.pieces(text).tolist()]
    assert "".join(pieces) == "".join(text.split())


def test_cancelling_keeps_what_was_done():
    cache = VectorCache()
    embedder = load_embedder("minilm", cache=cache)
    texts = [f"Sentence number {number}." for number in range(600)]

    class After:
        """Cancels at a given look."""

        looks = 0

        def check(self):
            self.looks += 1
            if self.looks > 12:
                raise Cancelled

    with pytest.raises(Cancelled):
        embedder.encode(texts, After())
    told = []
    embedder.encode(texts, NEVER, lambda done, total, what: told.append(total))
    assert told[0] < len(texts)


def test_nothing_touches_the_network(monkeypatch):
    from core.vectors import sentence_transformer

    def refuse(*_arguments, **_options):
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    sentence_transformer._load.cache_clear()
    assert load_embedder("minilm", cache=VectorCache()).encode(["word"]).shape == (1, 384)
