# SPDX-License-Identifier: AGPL-3.0-or-later
"""RC, RTF and PCC give the expected chunks of the published runs."""

import json

import pytest

from core.document.model import Document
from core.strategies.registry import find
from core.strategies.source import Options, Source
from tests.conftest import shared_path

CODES = ("RC", "RTF", "PCC")


def records():
    folder = shared_path()
    if folder is None:
        return []
    expected = json.loads((folder / "oracle" / "strategies_a.json").read_text("utf-8"))
    text = expected["texts"]["a"]["text"]
    return [
        pytest.param(text, record, id=f"{record['strategy']} {record['params']}")
        for record in expected["results"]
        if record["strategy"] in CODES
    ]


def cut(text, record):
    found = find(record["strategy"])
    slow, fast = found.split(found.declaration.check(record["params"]))
    tokenizer = record.get("tokenizer", found.declaration.tokenizer) or "cl100k_base"
    source = Source(Document(text), Options(mode="reference"), tokenizer=tokenizer)
    return found.cut(found.prepare(source, **slow), **fast)


@pytest.mark.parametrize(("text", "record"), records())
def test_the_chunks_are_those_of_the_published_run(text, record):
    chunks = cut(text, record)

    assert len(chunks) == record["n"]
    if any(span is None for span in record["spans"] or [None]):
        texts = record["texts"]
        expected = texts if isinstance(texts, list) else list(texts.values())
        assert chunks.all_texts(text) == expected
    else:
        assert chunks.spans.tolist() == record["spans"]


@pytest.mark.parametrize(
    ("text", "record"), [each for each in records() if "level" in each.values[1]]
)
def test_parents_and_children_are_those_of_the_published_run(text, record):
    chunks = cut(text, record)

    assert [("parent", "child")[level - 1] for level in chunks.levels.tolist()] == record["level"]
    parents = [None if parent < 0 else parent for parent in chunks.parents.tolist()]
    assert parents == record["parent_index"]
