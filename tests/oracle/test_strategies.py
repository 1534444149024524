# SPDX-License-Identifier: AGPL-3.0-or-later
"""Every strategy gives the recorded chunks of the published code, through the runner.

A part of the records is in `data/` and always runs; all of them are in the shared test data.
"""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from core.document.model import Document
from core.strategies.registry import find
from core.strategies.run import make_recipe, run
from core.strategies.source import Units
from core.units.paragraphs import strict_paragraphs
from core.units.sentences import split_sentences
from core.units.tokens import token_table
from core.units.words import word_counts
from core.vectors.models import load_embedder
from tests.conftest import shared_path

SMALL = Path(__file__).parent / "data" / "strategies_small.json"
COSINE_TOLERANCE = 1e-4


def files():
    folder = shared_path()
    return [SMALL] if folder is None else [SMALL, folder / "oracle" / "strategies_a.json"]


@lru_cache(maxsize=2)
def expected(path):
    return json.loads(path.read_text("utf-8"))


@lru_cache(maxsize=2)
def opened(path):
    """The text of a file of records, and the units that all its records share."""
    return Document(expected(path)["texts"]["a"]["text"]), Units()


def records(kind=lambda record: True):
    return [
        pytest.param(path, record, id=f"{path.stem} {record['strategy']} {record['params']}")
        for path in files()
        for record in expected(path)["results"]
        if kind(record)
    ]


def settings_of(record):
    """The settings of a record, in reference mode."""
    settings = {**record["params"], "mode": "reference"}
    if "tokenizer" in record:
        settings["tokenizer"] = record["tokenizer"]
    if "sentences" in record and record["strategy"] != "SGC":  # there it is a number
        settings["sentences"] = record["sentences"]
    if "primary" in record:
        primary = record["primary"]["params"]
        settings |= {f"primary.{name}": value for name, value in primary.items()}
    return settings


@lru_cache(maxsize=1)
def minilm():
    return load_embedder("minilm")


def chunks_of(path, record):
    document, units = opened(path)
    recipe = make_recipe(record["strategy"], settings_of(record))
    needs_model = find(record["strategy"]).declaration.strategy_class == "embedding"
    return run(recipe, document, units, embedder=minilm() if needs_model else None)


def test_the_text_of_the_small_file_is_whole():
    text = expected(SMALL)["texts"]["a"]

    assert hashlib.sha256(text["text"].encode()).hexdigest() == text["text_sha256"]


@pytest.mark.parametrize(("path", "record"), records())
def test_the_chunks_are_those_of_the_published_run(path, record):
    document, _ = opened(path)

    chunks = chunks_of(path, record)

    assert len(chunks) == record["n"]
    if record["spans"] is None:
        assert chunks.all_texts(document.text) == record["texts"]
        return
    spans = [row[0] if row else None for row in chunks.rows()]
    assert spans == record["spans"]
    assert chunks.texts == {int(k): text for k, text in record.get("texts", {}).items()}


@pytest.mark.parametrize(("path", "record"), records(lambda record: "primary_index" in record))
def test_a_hybrids_chunks_name_the_primary_chunk_they_come_from(path, record):
    assert chunks_of(path, record).primaries.tolist() == record["primary_index"]


@pytest.mark.parametrize(("path", "record"), records(lambda record: "labels" in record))
def test_the_topics_are_the_same_partition(path, record):
    labels = chunks_of(path, record).labels.tolist()

    pairs = set(zip(labels, record["labels"], strict=True))
    assert len(pairs) == len(set(labels)) == len(set(record["labels"]))


@pytest.fixture
def auxiliary():
    folder = shared_path()
    if folder is None:
        pytest.skip("no shared test data: set CHUNKSCOPE_SHARED to its folder")
    path = folder / "oracle" / "strategies_a.json"
    return opened(path)[0], expected(path)["auxiliary"]


def test_punkt_gives_the_recorded_sentences(auxiliary):
    document, values = auxiliary

    assert split_sentences(document, "punkt").tolist() == values["sentence_spans_punkt"]


def test_units_are_as_many_as_recorded():
    document, values = opened(SMALL)[0], expected(SMALL)["auxiliary"]

    assert len(token_table(document.text, "cl100k")) == values["cl100k_tokens"]
    assert len(token_table(document.text, "gpt2")) == values["gpt2_tokens"]
    assert len(strict_paragraphs(document)) == values["paragraphs"]
    assert len(split_sentences(document, "regex")) == values["regex_sentence_count"]


def test_words_of_the_sentences_are_as_many_as_recorded(auxiliary):
    document, values = auxiliary
    counted = word_counts(document.text, split_sentences(document, "punkt"))

    assert np.stack(counted, axis=1).tolist() == values["sentence_words_total_unique"]


def test_cosines_of_neighbours_are_those_recorded(auxiliary):
    document, values = auxiliary
    spans = split_sentences(document, "punkt").tolist()

    vectors = minilm().encode([document.text[a:b].replace("\n", " ") for a, b in spans])

    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = np.einsum("ij,ij->i", unit[:-1], unit[1:])
    assert np.abs(cosines - np.array(values["adjacent_cosine"])).max() < COSINE_TOLERANCE
    first = np.array(values["sentence_embedding_first_dims"])
    assert np.abs(vectors[: len(first), : first.shape[1]] - first).max() < COSINE_TOLERANCE
