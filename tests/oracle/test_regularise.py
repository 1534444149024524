# SPDX-License-Identifier: AGPL-3.0-or-later
"""REG gives the expected spans of all 80 regularisation cases."""

import json

import numpy as np
import pytest

from core.document.model import Document
from core.strategies.chunks import one_span_chunks
from core.strategies.regularise import regularise
from core.strategies.source import Source
from tests.conftest import shared_path


def cases():
    folder = shared_path()
    if folder is None:
        return []
    expected = json.loads((folder / "oracle" / "metrics_dev.json").read_text("utf-8"))
    texts = expected["documents"]
    return [
        pytest.param(texts[case["document"]]["text"], case, id=case["name"])
        for case in expected["regularisation_cases"]
    ]


@pytest.mark.parametrize(("text", "case"), cases())
def test_the_spans_are_those_of_the_released_program(text, case):
    given = case["params"]
    chunks = one_span_chunks(np.array(case["chunks"], np.int64).reshape(-1, 2))

    result = regularise(
        chunks,
        Source(Document(text)),
        max=given["oversize"],
        min=given["min_tokens"],
        merged_max=given["merge_max"],
        length=given["unit"],
        split=given["split"],
    )

    assert result.spans.tolist() == case["expected_spans"]
