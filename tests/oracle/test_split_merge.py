# SPDX-License-Identifier: AGPL-3.0-or-later
"""STM gives the expected spans of all 64 splitter cases, 48 parameter sets."""

import json

import pytest

from core.document.model import Document
from core.strategies.registry import find
from core.strategies.source import Source
from core.units.tokens import piece_counter
from tests.conftest import shared_path


def cases():
    folder = shared_path()
    if folder is None:
        return []
    expected = json.loads((folder / "oracle" / "metrics_dev.json").read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in expected["splitter_cases"]]


@pytest.mark.parametrize("case", cases())
def test_the_spans_are_those_of_the_released_program(case):
    found = find("STM")
    slow, fast = found.split(found.declaration.check(case["params"]))
    chunks = found.cut(found.prepare(Source(Document(case["text"])), **slow), **fast)

    assert chunks.spans.tolist() == case["expected_spans"]
    count = piece_counter(case["params"]["length"]).count
    assert [count(text) for text in chunks.all_texts(case["text"])] == case["lengths"]
