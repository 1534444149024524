# SPDX-License-Identifier: AGPL-3.0-or-later
"""Bad input ends with status 1 and one line: what, which value, which bound, what to do."""

import json
import os
import random

import pytest

from core.cli import run_command


@pytest.fixture
def folder(tmp_path):
    """Files that are wrong in all kinds of ways."""
    noise = random.Random(1).randbytes(3000)
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "only bom.txt").write_bytes(b"\xef\xbb\xbf")
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "noise.pdf").write_bytes(noise)
    (tmp_path / "noise.txt").write_bytes(noise + b"\0\0")
    (tmp_path / "word.docx").write_bytes(b"PK\3\4" + noise)
    (tmp_path / "folder.txt").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("missing.pdf", "does not exist"),
        ("missing.txt", "does not exist"),
        ("folder.txt", "is not a file"),
        ("empty.txt", "is empty"),
        ("empty.pdf", "is empty"),
        ("noise.pdf", "not a PDF"),
        ("noise.txt", "not text"),
        ("word.docx", "not a PDF"),
    ],
)
@pytest.mark.parametrize(
    "command", [["text"], ["chunk", "--strategy", "RC"]], ids=["text", "chunk"]
)
def test_a_file_that_cannot_be_used_is_refused(run, folder, command, name, says):
    assert says in run(command[0], folder / name, *command[1:], "--json").refusal


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("size=0", "at least 1"),
        ("size=-5", "at least 1"),
        ("size=99999999999", "at most 20000"),
        ("size=nan", "whole number"),
        ("size=inf", "whole number"),
        ("size=1e400", "whole number"),
        ("size=20.5", "whole number"),
        ("size=many", "whole number"),
        ("size=", "whole number"),
        ("size", "NAME=VALUE"),
        ("=5", "NAME=VALUE"),
        ("sise=30", "did you mean 'size'?"),
        ("overlap=50", "at most 49 (size - 1)"),
        ("overlap=-1", "at least 0"),
        ("tial.rule=keep", "did you mean 'tail.rule'?"),
        ("tail.rule=sometimes", "keep, merge, drop"),
        ("snap=graphem", "did you mean 'grapheme'?"),
        ("reg.min=2000", "at most 1100 (reg.max)"),
        ("tokenizer=cl101k", "did you mean 'cl100k"),
    ],
)
def test_a_value_that_is_not_allowed_names_its_bound(run, prose, setting, says):
    assert says in run("chunk", prose, "--strategy", "FC", "--set", setting).refusal


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("SETC", "did you mean"),
        ("", "main.py strategies"),
        ("FC:", "NAME=VALUE"),
        ("FC:size", "NAME=VALUE"),
        ("FC:sise=3", "did you mean 'size'?"),
        (":size=3", "main.py strategies"),
        ("RGX:pattern=(", "pattern"),
    ],
)
def test_a_word_that_is_no_strategy_is_refused(run, prose, word, says):
    assert says in run("chunk", prose, "--strategy", word).refusal


@pytest.mark.parametrize(
    ("content", "says"),
    [("size = = 3", "not TOML"), ("[tail]\nrule = 3\n", "tail.rule"), ("sise = 3", "size")],
)
def test_a_file_of_parameters_that_is_wrong_is_refused(run, prose, tmp_path, content, says):
    path = tmp_path / "given.toml"
    path.write_text(content)

    assert says in run("chunk", prose, "--strategy", "FC", "--parameters", path).refusal


def test_a_file_of_parameters_that_is_not_there_is_refused(run, prose, tmp_path):
    for path in (tmp_path / "no.toml", tmp_path):
        refusal = run("chunk", prose, "--strategy", "FC", "--parameters", path).refusal
        assert str(path) in refusal


@pytest.mark.parametrize(
    "pages", ["0", "2-1", "x", "1-", "-3", "1,,2", "99", "1-999999999999", "nan"]
)
def test_pages_that_are_not_there_are_refused(run, sample, pages):
    assert "page" in run("text", sample, f"--pages={pages}").refusal


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"a": [1,', "not JSON at line 1"),
        ("5", "not a list of chunks"),
        ("[[0, 99999]]", "must lie in [0,"),
        ("[[-3, 5]]", "must lie in [0,"),
        ("[[9, 5]]", "must lie in [0,"),
        ("[[NaN, 5]]", "item 0"),
        ("[null]", "item 0"),
    ],
)
def test_chunks_that_make_no_sense_are_refused(run, prose, tmp_path, content, says):
    path = tmp_path / "chunks.json"
    path.write_text(content)

    assert says in run("score", prose, "--chunks", path, "--embedder", "toy").refusal


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--weights", "RC=much"], "RC=1,ICC=0"),
        (["--weights", "XX=1"], "RC, ICC, DCC, BI, SC"),
        (["--weights", "RC=-1"], "at least 0"),
        (["--weights", "RC=nan"], "at least 0"),
        (["--set", "sc_min=9999"], "at most 1100 (sc_max)"),
        (["--embedder", "minilmm"], "did you mean 'minilm'?"),
    ],
)
def test_options_of_scores_name_their_bounds(run, prose, flags, says):
    assert says in run("score", prose, "--strategy", "SBC", *flags).refusal


@pytest.mark.parametrize("k", [0, -4])
def test_k_below_one_is_refused(run, prose, k):
    refusal = run("search", prose, "--strategy", "SBC", "--query", "who?", "-k", k).refusal

    assert f"k is {k}, but must be at least 1" in refusal


@pytest.mark.parametrize(
    ("over", "says"),
    [
        ("size=10:20:0", "1 to 10,000"),
        ("size=a", "NAME=FROM:TO:STEPS"),
        ("sise=10:20:2", "did you mean 'size'?"),
        ("size=nan:20:2", "finite"),
        ("size=10:inf:2", "finite"),
        ("size=0:20:3", "at least 1"),
    ],
)
def test_a_range_that_cannot_be_swept_is_refused(run, prose, over, says):
    flags = ["--over", over, "--embedder", "toy"]

    assert says in run("sweep", prose, "--strategy", "FC", *flags).refusal


def test_a_case_that_lacks_its_text_is_refused(run, tmp_path):
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"chunks": [[0, 3]]}))

    assert "is not a case" in run("score", "--case", path).refusal


def test_a_folder_that_is_not_there_cannot_be_worked_through(run, tmp_path):
    out = tmp_path / "out"

    refusal = run("batch", tmp_path / "no", "--strategies", "FC", "--out", out).refusal

    assert "is not a folder" in refusal
    assert not out.exists()


def test_a_parameter_of_one_strategy_is_refused_beside_a_list_of_them(run, prose):
    flags = ["--strategies", "FC", "SBC", "--set", "size=3", "--embedder", "toy"]

    assert "FC:size=3" in run("select", prose, *flags).refusal


@pytest.mark.corpus
def test_a_locked_pdf_needs_its_password(run, shared, monkeypatch):
    path = shared / "corpus" / "enc_user_health_1p.pdf"

    assert "locked" in run("text", path).refusal
    assert "wrong" in run("text", path, "--password", "no").refusal
    assert run("text", path, "--password", "userpass", "--json").json["text"]
    monkeypatch.setenv("CHUNKSCOPE_PASSWORD", "userpass")
    assert run("text", path, "--json").json["text"]


@pytest.mark.corpus
@pytest.mark.parametrize("strategy", ["RC", "PAGE", "S1", "STM"])
def test_a_pdf_without_text_has_no_chunks_and_says_why(run, shared, strategy):
    path = shared / "corpus" / "scan_imageonly_2p.pdf"

    answer = run("chunk", path, "--strategy", strategy, "--json").json

    assert answer["chunks"] == []
    assert any("OCR" in notice["message"] for notice in answer["notices"])


def test_a_name_that_is_not_utf8_is_no_hindrance(run, tmp_path, sample):
    text, pdf = (tmp_path / os.fsdecode(b"caf\xe9" + end) for end in (b".txt", b".pdf"))
    text.write_text("The committee met. It was late.")
    pdf.write_bytes(sample.read_bytes())
    assert run("text", pdf, "--pages", "1", "--json").json["text"]
    found = run(
        *("search", text, "--query", "committee", "--strategy", "FC", "--retrieval", "text"),
        "--no-cache",
        "--json",
    ).json
    assert found["hits"][0]["document"] == r"caf\xe9.txt"


def test_json_that_is_nested_without_end_is_refused(run, prose, tmp_path):
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    chunks = run("score", prose, "--chunks", deep, "--json").refusal
    assert "too deep" in chunks or "not JSON" in chunks
    asked = ("--queries", deep, "--strategies", "FC", "--retrieval", "text")
    assert "not JSON" in run("evaluate", prose, *asked).refusal


def test_a_closed_standard_output_is_no_fault_of_the_program(monkeypatch, prose):
    monkeypatch.setattr("sys.stdout", None)
    assert run_command(["chunk", str(prose), "--strategy", "RC", "--no-cache"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["score", "--chunks", "BAD"], id="score, chunks"),
        pytest.param(["score", "--strategy", "FC", "--pairs", "BAD"], id="score, pairs"),
        pytest.param(["score", "--strategy", "FC", "--blocks", "BAD"], id="score, blocks"),
        pytest.param(["score", "--strategy", "FC", "--sentences-from", "BAD"], id="sentences"),
        pytest.param(["evaluate", "--queries", "SET", "--chunks", "a=BAD"], id="evaluate, chunks"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_before_the_model_is_loaded(
    run, prose, tmp_path, words
):
    bad, questions = tmp_path / "bad.json", tmp_path / "set.jsonl"
    bad.write_text("{", "utf-8")
    questions.write_text('{"question": "Who met in March?"}\n', "utf-8")
    places = {"BAD": str(bad), "a=BAD": f"a={bad}", "SET": str(questions)}
    given = [places.get(word, word) for word in words]

    # A model that is known and not here: whoever loads it is told so.
    flag = "--embedders" if words[0] == "evaluate" else "--embedder"
    refusal = run(given[0], prose, *given[1:], flag, "bge-m3").refusal

    assert "bad.json is not JSON" in refusal


@pytest.mark.parametrize("command", ["search", "evaluate"])
def test_a_missing_document_is_refused_before_the_model_is_loaded(run, tmp_path, command):
    questions = tmp_path / "set.jsonl"
    questions.write_text('{"question": "Who met in March?"}\n', "utf-8")
    more = {
        "search": ["--strategy", "FC", "--query", "who?", "--embedder", "bge-m3"],
        "evaluate": ["--queries", questions, "--strategies", "FC", "--embedders", "bge-m3"],
    }
    assert "does not exist" in run(command, tmp_path / "gone.txt", *more[command]).refusal


TOO_LARGE = "9" * 30
TOO_LONG = "9" * 5000
CASE = {"text": "One sentence. Another one.", "chunks": [[0, 13], [14, 26]], "embedder": "toy"}


@pytest.mark.parametrize("offset", [TOO_LARGE, TOO_LONG, "1e400", "1e308", "-1", "0.5", '"5"'])
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--chunks", "[[0, {}]]"], id="chunks"),
        pytest.param(["--chunks", '[{{"spans": [[0, {}]]}}]'], id="spans of chunks"),
        pytest.param(["--strategy", "FC", "--pairs", "[[[0, 3], [5, {}]]]"], id="pairs"),
        pytest.param(["--strategy", "FC", "--blocks", "[[0, {}]]"], id="blocks"),
        pytest.param(["--strategy", "FC", "--sentences-from", "[[0, {}]]"], id="sentences"),
    ],
)
def test_an_offset_that_no_text_has_is_refused(run, prose, tmp_path, words, offset):
    path = tmp_path / "given.json"
    path.write_text(words[-1].format(offset))

    assert run("score", prose, *words[:-1], path, "--embedder", "toy").refusal


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        ("chunks", [[0, 10**30]], "must lie in [0, 26)"),
        ("options", None, "must be an object"),
        ("options", [["sc_min", 5]], "must be an object"),
        ("weights", "RC=1", "must be an object"),
        ("weights", {"RC": None}, "the weight of RC is None"),
        ("weights", {"RC": 10**400}, "at most 1000000"),
        ("boilerplate", 5, "list of [start, end]"),
        ("boilerplate", [0], "names block 0, but there are 0"),
        ("boilerplate", [-1], "names block -1"),
    ],
)
def test_a_part_of_a_case_that_makes_no_sense_is_refused(run, tmp_path, part, value, says):
    path = tmp_path / "case.json"
    path.write_text(json.dumps({**CASE, part: value}))

    assert says in run("score", "--case", path).refusal


@pytest.mark.parametrize("parent", [-(10**30), 10**30, True])
def test_a_parent_that_no_chunk_is_counts_as_none(run, prose, tmp_path, parent):
    path = tmp_path / "chunks.json"
    path.write_text(json.dumps([{"spans": [[0, 20]], "parent": parent}]))

    assert run("score", prose, "--chunks", path, "--embedder", "toy", "--json").json["scores"]


def test_a_byte_order_mark_before_json_and_toml_is_no_fault(run, prose, tmp_path):
    chunks, settings = tmp_path / "chunks.json", tmp_path / "set.toml"
    chunks.write_text("[[0, 20]]", "utf-8-sig")
    settings.write_text("size = 20", "utf-8-sig")

    assert run("score", prose, "--chunks", chunks, "--embedder", "toy", "--json").json
    assert run("chunk", prose, "--strategy", "FC", "--parameters", settings, "--json").json


@pytest.mark.parametrize("content", [f"size = {TOO_LONG}", "size = " + "[" * 100_000])
def test_parameters_that_cannot_be_read_are_refused(run, prose, tmp_path, content):
    path = tmp_path / "given.toml"
    path.write_text(content)

    assert str(path) in run("chunk", prose, "--strategy", "FC", "--parameters", path).refusal


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--seed", -1], "seed is -1, but must be at least 0"),
        (["--seed", TOO_LARGE], "at most"),
        (["-k", TOO_LARGE], "at most 1000000"),
        (["-k", 0], "at least 1"),
    ],
)
def test_numbers_of_an_evaluation_are_refused_at_once(run, prose, tmp_path, flags, says):
    questions = tmp_path / "set.jsonl"
    questions.write_text('{"question": "Who met in March?"}\n', "utf-8")
    words = ("--queries", questions, "--retrieval", "text", *flags)

    assert says in run("evaluate", prose, "--strategies", "FC", *words).refusal
    sweep = ("--strategy", "FC", "--over", "size=20:30:2")
    assert says in run("sweep", prose, *sweep, *words).refusal
