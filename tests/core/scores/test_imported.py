# SPDX-License-Identifier: AGPL-3.0-or-later
"""IMPORT: chunks of another tool as one more strategy."""

import json
from pathlib import Path

import pytest

from core.document.model import Document
from core.errors import DocumentError
from core.pipeline import Pipeline
from core.scores.imported import imported_recipe
from core.strategies.recipe import parse_recipe
from core.strategies.registry import strategies

TEXT = "One two three. Four five six. Seven eight nine. Ten eleven."


@pytest.fixture
def chunk_file(tmp_path: Path) -> Path:
    path = tmp_path / "their, chunks=1.json"
    texts = ["One two three.", "Four five  six.", "Sevn eight nine.", "nothing of this kind at all"]
    path.write_text(json.dumps(texts))
    return path


def test_chunks_are_placed_with_the_way_they_were_found(chunk_file: Path) -> None:
    chunks = Pipeline().chunk(imported_recipe(chunk_file), Document(TEXT))
    assert chunks.spans[:2].tolist() == [[0, 14], [15, 29]]
    assert chunks.starts[2] == 30
    rules = [chunks.start_reasons[index].rule for index in range(3)]  # type: ignore[union-attr]
    assert rules == ["exact", "white space", "fuzzy"]


def test_what_is_missing_is_told(chunk_file: Path) -> None:
    chunks = Pipeline().chunk(imported_recipe(chunk_file), Document(TEXT))
    told = " ".join(each.message for each in chunks.notices if each.kind == "imported")
    assert "chunk 4 is not in this text" in told


def test_a_greater_confidence_leaves_the_doubtful_out(chunk_file: Path) -> None:
    recipe = imported_recipe(chunk_file).with_settings({"confidence": 0.96})
    chunks = Pipeline().chunk(recipe, Document(TEXT))
    rules = [chunks.start_reasons[index].rule for index in range(len(chunks))]  # type: ignore[union-attr]
    assert "fuzzy" not in rules
    assert "exact" in rules


def test_the_word_holds_any_path(chunk_file: Path) -> None:
    recipe = imported_recipe(chunk_file)
    assert parse_recipe(recipe.word) == recipe


def test_it_is_not_offered_among_the_strategies() -> None:
    assert "IMPORT" not in strategies()


def test_a_file_that_is_no_json_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text("[1,")
    with pytest.raises(DocumentError, match=r"broken\.json is not JSON"):
        Pipeline().chunk(imported_recipe(path), Document(TEXT))
