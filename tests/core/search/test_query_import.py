# SPDX-License-Identifier: AGPL-3.0-or-later
"""Query sets of other forms, in and out."""

import json

import pytest

from core.errors import SearchError
from core.search.query_import import export_queries, import_queries
from core.search.query_sets import GoldSpan

REFERENCES = json.dumps([{"content": "the dose, in mg", "start_index": 4, "end_index": 19}])


def written(tmp_path, name, text):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_public_benchmark_s_csv(tmp_path):
    quoted = REFERENCES.replace('"', '""')
    path = written(
        tmp_path, "q.csv", f'question,references,corpus_id\n"What, then?","{quoted}",guide\n'
    )

    (query,) = import_queries(path).queries

    assert query.question == "What, then?"
    assert query.gold == (GoldSpan("guide", 4, 19, "the dose, in mg"),)


def test_jsonl_of_our_fields(tmp_path):
    gold = [{"doc": "d", "start": 0, "end": 3, "text": "one"}]
    path = written(tmp_path, "q.jsonl", json.dumps({"question": "A?", "gold": gold}) + "\n")

    (query,) = import_queries(path).queries

    assert (query.id, query.gold[0].text) == ("q-001", "one")


def test_a_beir_folder(tmp_path):
    written(
        tmp_path, "set/queries.jsonl", '{"_id": "7", "text": "A?"}\n{"_id": "8", "text": "B?"}\n'
    )
    written(tmp_path, "set/corpus.jsonl", '{"_id": "d1", "text": "whole passage"}\n')
    written(tmp_path, "set/qrels/test.tsv", "query-id\tcorpus-id\tscore\n7\td1\t1\n")

    (query,) = import_queries(tmp_path / "set").queries

    assert query.id == "7"
    assert query.gold == (GoldSpan("d1", 0, 13, "whole passage", 2),)


def test_trec_topics_with_judgements(tmp_path):
    topics = "<top>\n<num> Number: 301\n<title> crime  abroad\n<desc> More\n</top>\n"
    path = written(tmp_path, "topics.txt", topics)
    judged = written(tmp_path, "qrels.txt", "301 0 FT-1 1\n301 0 FT-2 0\n")

    (query,) = import_queries(path, judged=judged).queries

    assert (query.id, query.question) == ("301", "crime abroad")
    assert query.extra == {"relevant_documents": {"FT-1": 1}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("One?\nTwo?\n", [("q-001", "One?"), ("q-002", "Two?")], id="lines"),
        pytest.param("a\tOne?\nb\tTwo?\n", [("a", "One?"), ("b", "Two?")], id="numbered"),
    ],
)
def test_plain_lines(tmp_path, text, expected):
    found = import_queries(written(tmp_path, "q.txt", text)).queries

    assert [(query.id, query.question) for query in found] == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("README.md", "# A project\n\nIt does things.\n", id="prose"),
        pytest.param("setup.py", "import os\n", id="code"),
        pytest.param("q.txt", " \n", id="no line"),
    ],
)
def test_what_holds_no_questions_is_refused_with_the_forms_that_are_read(tmp_path, name, text):
    with pytest.raises(SearchError, match=rf"{name}' is not a query set: .*\.jsonl.*TREC.*BEIR"):
        import_queries(written(tmp_path, name, text))


def test_numbered_questions_may_have_any_ending(tmp_path):
    (query,) = import_queries(written(tmp_path, "topics.dl20", "a\tOne?\n")).queries

    assert (query.id, query.question) == ("a", "One?")


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv"])
def test_an_exported_set_comes_back(tmp_path, ending):
    gold = [{"doc": "d", "start": 0, "end": 3, "text": "one"}]
    path = written(tmp_path, "in.jsonl", json.dumps({"question": "A, or B?", "gold": gold}) + "\n")
    query_set = import_queries(path)

    export_queries(query_set, tmp_path / f"out{ending}")

    (query,) = import_queries(tmp_path / f"out{ending}").queries
    assert (query.question, query.gold) == ("A, or B?", query_set.queries[0].gold)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("q.csv", "a,b\n1,2\n", id="no column question"),
        pytest.param("q.csv", "question,references\nA?,{}x\n", id="broken references"),
        pytest.param("q.jsonl", "{\n", id="broken line"),
        pytest.param("q.txt", "<top><num> 1 </top>", id="topic without title"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path, name, text):
    with pytest.raises(SearchError, match=name):
        import_queries(written(tmp_path, name, text))


def test_an_unknown_ending_is_refused(tmp_path):
    path = written(tmp_path, "in.txt", "A?\n")

    with pytest.raises(SearchError, match=r"\.xlsx"):
        export_queries(import_queries(path), tmp_path / "out.xlsx")


@pytest.mark.parametrize("name", ["q.JSON", "q.JSONL", "q.Csv"])
def test_the_ending_may_be_written_in_capitals(tmp_path, name):
    lines = written(tmp_path, "lines.txt", "What is counted?\n")
    export_queries(import_queries(lines), tmp_path / name)

    (query,) = import_queries(tmp_path / name).queries

    assert query.question == "What is counted?"


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl", "q.txt", "q.json"])
def test_a_file_without_a_question_is_refused(tmp_path, name):
    whole = json.dumps({"format": "chunkscope-queries", "version": 1, "questions": []})
    path = written(tmp_path, name, whole if name.endswith("json") else "")

    with pytest.raises(SearchError, match=r"q\.\w+"):
        import_queries(path)
