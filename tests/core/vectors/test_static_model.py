# SPDX-License-Identifier: AGPL-3.0-or-later
import numpy as np
import pytest

from core.errors import ModelError
from core.vectors.cache import VectorCache
from core.vectors.late import late_vectors
from core.vectors.models import find_model, load_embedder, packaged_folder

WORDS = ["red", "blue", "green", "fox", "moon", "dose", "level", "two", "days", "renal"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A real model2vec model, with random vectors for the packaged model's word pieces."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(packaged_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(tokenizer.get_vocab_size(), 16)).astype(np.float16)
    path = tmp_path_factory.mktemp("static") / "tiny"
    StaticModel(vectors, tokenizer, normalize=True).save_pretrained(str(path))
    return path


@pytest.fixture(scope="module")
def tiny(folder):
    return load_embedder(str(folder), cache=VectorCache())


def test_a_model2vec_folder_is_known_as_one(folder, tiny):
    assert find_model(str(folder)).kind == "model2vec"
    assert (tiny.dimension, tiny.window, tiny.has_token_vectors) == (16, 512, False)


def test_vectors_are_unit_to_float32_or_zero(tiny):
    vectors = tiny.encode([*WORDS, ""])
    assert np.linalg.norm(vectors[:-1], axis=1) == pytest.approx(1, abs=1e-6)
    assert not vectors[-1].any()


def test_a_text_is_the_mean_of_its_tokens(tiny):
    red, fox = (tiny._model.embedding[tiny._tokenizer.token_to_id(w)] for w in ("red", "fox"))
    mean = red.astype(np.float64) + fox
    (found,) = tiny.encode(["red fox"])
    assert found == pytest.approx(mean / np.linalg.norm(mean), abs=2e-3)


def test_the_window_cuts_and_zero_means_no_limit(folder):
    text = "red " * 600 + "fox " * 600
    cut = load_embedder(str(folder), cache=VectorCache())
    free = load_embedder(str(folder), window=0, cache=VectorCache())
    assert free.window is None
    assert cut.encode([text]) == pytest.approx(cut.encode(["red"]), abs=2e-3)
    assert np.abs(free.encode([text]) - free.encode(["red"])).max() > 0.05


def test_a_window_too_small_is_refused(folder):
    with pytest.raises(ModelError, match="window is 3 tokens, but must be at least 16"):
        load_embedder(str(folder), window=3)


def test_late_pooling_is_refused(tiny):
    with pytest.raises(ModelError, match="late pooling has no meaning"):
        late_vectors("red fox", tiny)


def test_pieces_are_spans_of_the_text(tiny):
    assert tiny.pieces("red fox").tolist() == [[0, 3], [4, 7]]
