# SPDX-License-Identifier: AGPL-3.0-or-later
"""The five scores against expected values: reference mode and default mode."""

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from core.arrays import as_spans
from core.scores.inputs import ScoreInputs
from core.scores.options import score_options
from core.scores.pairs import as_pairs
from core.scores.results import Scores
from core.scores.score import score
from core.scores.vector_supply import VectorSupply
from core.strategies.chunks import one_span_chunks
from core.vectors.embedder import Embedder
from core.vectors.models import load_embedder
from core.vectors.toy import ToyEmbedder
from tests.conftest import ROOT, shared_path

EXACTLY = 1e-8  # the file has 9 decimals
MODEL = 1e-4  # all-MiniLM-L6-v2, by the file's own statement
COMMITTED = ROOT / "tests" / "oracle" / "metrics_small.json"


@lru_cache
def oracle() -> dict[str, Any]:
    """The whole file where there is one, else the committed part."""
    shared = shared_path()
    whole = shared / "oracle" / "metrics_dev.json" if shared else COMMITTED
    values = json.loads((whole if whole.is_file() else COMMITTED).read_text("utf-8"))
    for case in values["cases"]:
        document = values["documents"][case["name"].split("/")[0]]
        for name in ("text", "blocks", "pairs"):  # the committed part has them once
            case.setdefault(name, document[name])
    return values


def case_named(name: str) -> dict[str, Any]:
    return next(case for case in oracle()["cases"] if case["name"] == name)


def scores_of(case: dict[str, Any], options: dict[str, Any], mode: str) -> Scores:
    inputs = ScoreInputs(
        case["text"],
        as_spans(case["blocks"]),
        as_spans(case.get("boilerplate", [])),
        as_spans(case.get("sentences", [])),
        as_pairs(case["pairs"]),
    )
    model: Embedder = ToyEmbedder() if case["embedder"] == "toy" else load_embedder("minilm")
    supply = VectorSupply(case["text"], model, "exact", truncates=mode == "reference")
    chunks = one_span_chunks(as_spans(case["chunks"]))
    return score(inputs, chunks, score_options(options, mode=mode), supply=supply)


def assert_equal_scores(found: Scores, expected: dict[str, float | None], tolerance: float) -> None:
    values = found.values | {"mean": found.mean}
    for code, value in expected.items():
        if value is None:
            assert values[code] is None, f"{code} must not be measurable"
        else:
            allowed = tolerance if code in ("ICC", "DCC") else EXACTLY
            assert values[code] == pytest.approx(value, abs=allowed), code


def with_variants(case: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, float | None]]]:
    pairs = [(case["options"], case["expected"])]
    for variant in case["variants"]:
        pairs.append((case["options"] | variant["options"], variant["expected"]))
    return pairs


@pytest.mark.parametrize("name", [case["name"] for case in oracle()["cases"]])
def test_reference_mode_gives_the_expected_scores_in_all_variants(name: str):
    case = case_named(name)
    tolerance = EXACTLY if case["embedder"] == "toy" else MODEL

    for options, expected in with_variants(case):
        found = scores_of(case, options, "reference")

        assert_equal_scores(found, expected, tolerance)


@pytest.mark.parametrize("name", [case["name"] for case in oracle()["default_cases"]])
def test_default_mode_gives_the_expected_scores_in_all_variants(name: str):
    default = next(case for case in oracle()["default_cases"] if case["name"] == name)
    case = merged(default)

    for options, expected in with_variants(case):
        found = scores_of(case, options, "default")

        assert_equal_scores(found, expected, EXACTLY)


@pytest.mark.parametrize("name", [case["name"] for case in oracle()["default_cases"]])
def test_default_mode_names_the_expected_objects(name: str):
    default = next(case for case in oracle()["default_cases"] if case["name"] == name)

    found = scores_of(merged(default), default["options"], "default")

    assert found.pairs_lost.tolist() == default["pairs_lost"]
    assert found.blocks_broken.tolist() == default["blocks_broken"]
    assert found.chunks_bad_size.tolist() == default["chunks_bad_size"]
    expected = np.array(default["icc_per_chunk"], np.float64)
    np.testing.assert_allclose(
        np.array(found.icc_per_chunk, np.float64), expected, atol=EXACTLY, equal_nan=True
    )


@pytest.mark.parametrize("name", [case["name"] for case in oracle()["cases"]])
def test_default_mode_counts_overlap_as_expected_with_all_blocks(name: str):
    case = case_named(name)

    found = scores_of(case | {"embedder": "toy"}, case["options"], "default")

    assert_equal_scores(found, case["expected_overlap_aware"], EXACTLY)


@pytest.mark.parametrize("name", [case["name"] for case in oracle()["cases"]])
def test_chunks_have_the_expected_units(name: str):
    case = case_named(name) | {"embedder": "toy"}

    tokens = scores_of(case, {"unit": "o200k"}, "default").units
    words = scores_of(case, {"unit": "words"}, "default").units

    assert tokens.tolist() == case["chunk_tokens"]
    assert words.tolist() == case["chunk_words"]


def merged(default: dict[str, Any]) -> dict[str, Any]:
    document = oracle()["documents"][default["document"]]
    case = case_named(default["case"])
    extra = {name: document[name] for name in ("sentences", "boilerplate")}
    return case | extra | {k: default[k] for k in ("options", "expected", "variants")}
