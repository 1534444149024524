# SPDX-License-Identifier: AGPL-3.0-or-later
import hashlib

import pytest

from core.errors import ModelError
from core.vectors.models import (
    MODELS,
    PACKAGED_MODEL,
    PACKAGED_SHA256,
    find_model,
    folder_revision,
    load_embedder,
    packaged_folder,
)


def test_the_packaged_model_is_the_one_that_the_expected_values_were_made_with():
    weights = (packaged_folder() / "model.safetensors").read_bytes()
    assert hashlib.sha256(weights).hexdigest() == PACKAGED_SHA256


@pytest.mark.parametrize("name", ["minilm", "MiniLM", "all-MiniLM-L6-v2", PACKAGED_MODEL])
def test_aliases_lead_to_the_full_name(name):
    assert find_model(name).id == PACKAGED_MODEL


def test_an_unknown_model_is_refused_with_the_nearest_name():
    with pytest.raises(ModelError, match="did you mean 'minilm'"):
        find_model("minlm")


def test_a_model_that_is_not_here_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"BAAI/bge-m3.* is not on this machine"):
        load_embedder("bge-m3")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="holds no model"):
        find_model(str(tmp_path))


def test_an_endpoint_is_named_by_address_and_model():
    entry = find_model("http://127.0.0.1:9/v1#tiny")
    assert (entry.kind, entry.dimension) == ("openai", None)


def test_names_and_aliases_are_unique():
    names = [word.lower() for entry in MODELS for word in (entry.id, *entry.aliases)]
    assert len(names) == len(set(names))


def test_the_five_models_of_the_paper_are_known():
    assert sum(entry.in_paper for entry in MODELS) == 5


def test_the_revision_follows_the_content_and_not_the_place(tmp_path):
    for name, weights in (("a", b"1"), ("b", b"1"), ("c", b"2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").write_bytes(weights)
    first, second, third = (folder_revision(tmp_path / name) for name in "abc")
    assert first == second != third
