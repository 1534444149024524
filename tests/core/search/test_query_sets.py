# SPDX-License-Identifier: AGPL-3.0-or-later
"""Query set files: what is read, what is refused, what is written back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SearchError
from core.search.query_sets import (
    GoldSpan,
    Query,
    QuerySet,
    SetDocument,
    in_code_points,
    load_query_set,
    parse_query_set,
    queries_from_lines,
    query_set_json,
    save_query_set,
    unit_edges,
)

GOOD = {
    "format": "chunkscope-queries",
    "version": 1,
    "name": "mine",
    "documents": [{"doc": "guide", "file": "guide.pdf", "length": 40, "note": "kept"}],
    "questions": [
        {
            "id": "q1",
            "question": "How long?",
            "gold": [{"doc": "guide", "start": 2, "end": 9, "text": "7 chars", "group": "a"}],
            "tags": ["dose"],
            "source_row": 4,
        },
        {"id": "q2", "question": "And then?", "gold": [], "unanswerable": True},
    ],
    "licence": "CC0",
}


def parsed(**changes):
    return parse_query_set(json.dumps({**GOOD, **changes}).encode())


def with_question(**changes):
    return parsed(questions=[{**GOOD["questions"][0], **changes}])


def with_gold(**changes):
    return with_question(gold=[{**GOOD["questions"][0]["gold"][0], **changes}])


def test_a_set_is_read():
    found = parsed()

    assert found.name == "mine"
    assert found.queries[0].gold[0] == GoldSpan("guide", 2, 9, "7 chars", 2, None, "a")
    assert found.queries[1].unanswerable


def test_fields_that_are_not_known_are_written_back():
    written = query_set_json(parsed())

    assert written["licence"] == "CC0"
    assert written["documents"][0]["note"] == "kept"
    assert written["questions"][0]["source_row"] == 4


def test_a_saved_set_is_read_again_as_it_was(tmp_path):
    path = tmp_path / "mine.queries.json"
    save_query_set(parsed(), path)

    assert load_query_set(path) == parsed()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: parsed(format="beir"), "format 'beir'", id="another format"),
        pytest.param(lambda: parsed(version=2), "version 2", id="a newer version"),
        pytest.param(lambda: parsed(offset_unit="bytes"), "offset_unit", id="unknown unit"),
        pytest.param(
            lambda: parsed(questions=GOOD["questions"][:1] * 2),
            r"questions\[0\] and questions\[1\]",
            id="the same id twice",
        ),
        pytest.param(lambda: with_question(question="  "), "is empty", id="empty question"),
        pytest.param(lambda: with_question(unanswerable=True), "must be empty", id="both"),
        pytest.param(lambda: with_question(id=None), r"questions\[0\].id is missing", id="no id"),
        pytest.param(lambda: with_gold(start=9), r"\[9, 9\)", id="empty span"),
        pytest.param(lambda: with_gold(end=41), "<= 40", id="span behind the end"),
        pytest.param(lambda: with_gold(start="2"), "integer", id="text for a number"),
        pytest.param(lambda: with_gold(grade=3), "1 or 2", id="unknown grade"),
        pytest.param(lambda: with_gold(text=None), "text is missing", id="no quote"),
        pytest.param(lambda: with_gold(text=" \n"), "is blank", id="blank quote"),
        pytest.param(lambda: parsed(questions={}), "must be a list", id="no list"),
        pytest.param(lambda: parse_query_set(b"[1]"), "must be an object", id="no object"),
        pytest.param(lambda: parse_query_set(b"{"), "is not JSON", id="no JSON"),
        pytest.param(lambda: parse_query_set(b"\xff\xfe"), "is not JSON", id="not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(make, message):
    with pytest.raises(SearchError, match=message):
        make()


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(SearchError, match="cannot be read"):
        load_query_set(tmp_path / "none.json")


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path):
    with pytest.raises(SearchError, match="cannot be written"):
        save_query_set(parsed(), tmp_path / "none" / "a.json")


@given(text=st.text(st.sampled_from("aé漢😀\n"), max_size=30), data=st.data())
def test_offsets_of_other_units_are_converted(text, data):
    start = data.draw(st.integers(0, len(text)))
    head = text[:start]

    assert unit_edges(text, "utf16")[start] == len(head.encode("utf-16-le")) // 2
    assert unit_edges(text, "utf8_bytes")[start] == len(head.encode())


@pytest.mark.parametrize(("unit", "start", "end"), [("utf16", 3, 5), ("utf8_bytes", 5, 7)])
def test_a_set_in_another_unit_comes_back_in_code_points(unit, start, end):
    gold = GoldSpan("d", start, end, "bc")
    found = in_code_points(
        QuerySet("s", (Query("q", "?", (gold,)),), (SetDocument("d"),), unit), {"d": "a😀bc"}
    )

    assert (found.queries[0].gold[0].start, found.queries[0].gold[0].end) == (2, 4)
    assert found.offset_unit == "unicode_code_points"


def test_pasted_lines_become_questions():
    found = queries_from_lines(" One? \n\nTwo?\n")

    assert [(query.id, query.question) for query in found] == [("q-001", "One?"), ("q-002", "Two?")]
