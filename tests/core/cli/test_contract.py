# SPDX-License-Identifier: AGPL-3.0-or-later
"""What holds for all commands: one JSON document, exit statuses, names, parameters."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli import COMMANDS
from core.strategies.registry import strategies
from core.strategies.waiting import WAITING
from main import COMMANDS as COMMANDS_OF_MAIN
from tests.core.cli.conftest import PROSE


def spans(answer):
    return [chunk["spans"] for chunk in answer["chunks"]]


def test_main_knows_the_commands_that_there_are():
    assert tuple(COMMANDS) == COMMANDS_OF_MAIN


def test_json_is_one_document_with_what_the_contract_names(run, prose):
    answer = run("chunk", prose, "--strategy", "FC:size=20", "--json").json

    assert answer["document"]["file"] == str(prose)
    assert answer["document"]["characters"] == len(PROSE)
    assert set(answer["document"]) == {
        "file", "sha256", "source_sha256", "pages", "characters", "form", "layout",
    }  # fmt: skip
    chunk = answer["chunks"][1]
    assert {
        "index", "spans", "pages", "tokens", "level", "parent", "header", "locked",
        "start_reason", "end_reason",
    } <= set(chunk)  # fmt: skip
    assert "text" not in chunk
    assert "boxes" not in chunk
    assert set(chunk["start_reason"]) == {"rule", "value", "threshold", "margin", "step", "words"}
    assert answer["chunks"][0]["start_reason"] is None
    assert answer["chunks"][-1]["end_reason"] is None


def test_text_and_boxes_come_when_they_are_asked_for(run, sample):
    flags = ["--strategy", "PBC", "--pages", "2", "--text", "--boxes", "--json"]
    answer = run("chunk", sample, *flags).json
    text = run("text", sample, "--pages", "2", "--json").json["text"]

    for chunk in answer["chunks"]:
        assert chunk["text"] == " ".join(text[a:b] for a, b in chunk["spans"])
        assert all(set(box) == {"page", "box"} for box in chunk["boxes"])
        assert {box["page"] for box in chunk["boxes"]} == {1}


def test_the_text_of_a_pdf_comes_with_pages_and_blocks(run, sample):
    answer = run("text", sample, "--json").json

    assert len(answer["pages"]) == answer["document"]["pages"] == 12
    assert set(answer["pages"][0]) >= {"span", "width", "height", "rotation"}
    assert answer["pages"][-1]["span"][1] == len(answer["text"])
    for block in answer["blocks"]:
        low, high = block["span"]
        assert 0 <= low < high <= len(answer["text"])
        assert block["source"] in {"tags", "fonts", "model", "user"}
        width, height = (answer["pages"][block["page"]][side] for side in ("width", "height"))
        for x0, y0, x1, y1 in block["boxes"]:
            assert 0 <= x0 < x1 <= width + 1
            assert 0 <= y0 < y1 <= height + 1


@pytest.mark.parametrize("ending", [".txt", ".md"])
def test_a_text_file_is_never_changed(run, tmp_path, ending):
    text = "# One\r\n\r\nTwo\rThree \u2028 \ufeffü\n\n\n"
    path = tmp_path / f"a{ending}"
    path.write_bytes(text.encode())

    assert run("text", path, "--json").json["text"] == text


def test_a_text_in_another_encoding_is_read_with_a_notice(run, tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("Schöne Grüße aus Köln an alle Menschen in Görlitz. ".encode("latin-1") * 5)

    answer = run("text", path, "--json").json

    assert "Grüße aus Köln" in answer["text"]
    assert any("encoding" in notice["kind"] or "decoded" in notice["message"].lower()
               or "utf" in notice["message"].lower() for notice in answer["notices"])  # fmt: skip


def test_every_declaration_is_listed_as_the_contract_says(run):
    listed = run("strategies", "--json").json

    assert [each["strategy"] for each in listed] == [*strategies(), *WAITING]
    for each in listed:
        assert {"strategy", "name", "family", "class", "source", "help", "same_as", "presets",
                "parameters"} <= set(each)  # fmt: skip
        assert each["class"] in {"instant", "layout", "embedding", "model"}
        for parameter in each["parameters"]:
            assert {"name", "type", "default", "minimum", "maximum", "choices", "unit", "slow",
                    "help"} == set(parameter)  # fmt: skip
            assert parameter["type"] in {
                "integer", "number", "choice", "boolean", "words", "pattern",
            }  # fmt: skip


def test_the_shared_options_are_listed_too(run):
    names = {each["name"] for each in run("strategies", "--shared", "--json").json}

    assert {"tail.rule", "snap", "paragraphs.rule", "reg.max", "reg.toward"} <= names


@pytest.mark.parametrize(
    ("written", "full"), [("cl100k", "cl100k_base"), ("o200k", "o200k_base"), ("gpt2", "gpt2")]
)
def test_tokenizers_are_printed_by_their_full_names(run, prose, written, full):
    answer = run("chunk", prose, "--strategy", "FC", "--tokenizer", written, "--json").json

    assert answer["tokenizer"] == full


@pytest.mark.slow
@pytest.mark.parametrize("name", ["minilm", "all-MiniLM-L6-v2"])
def test_embedders_are_printed_by_their_full_names(run, prose, name):
    answer = run("score", prose, "--strategy", "SBC", "--embedder", name, "--json").json

    assert answer["embedder"] == "sentence-transformers/all-MiniLM-L6-v2"


def test_one_word_and_set_and_a_file_of_parameters_say_the_same(run, prose, tmp_path):
    table = tmp_path / "given.toml"
    table.write_text('size = 25\noverlap = 5\n[tail]\nrule = "merge"\n')
    word = "FC:size=25,overlap=5,tail.rule=merge"
    flags = ["--set", "size=25", "--set", "overlap=5", "--set", "tail.rule=merge"]

    by_word = run("chunk", prose, "--strategy", word, "--json").json
    by_flags = run("chunk", prose, "--strategy", "FC", *flags, "--json").json
    by_file = run("chunk", prose, "--strategy", "FC", "--parameters", table, "--json").json

    assert by_word == by_flags == by_file
    assert by_word["parameters"] == {"size": 25, "overlap": 5, "tail.rule": "merge"}


def test_set_wins_over_the_file_of_parameters(run, prose, tmp_path):
    table = tmp_path / "given.toml"
    table.write_text("size = 25\n")

    flags = ["--parameters", table, "--set", "size=30", "--json"]

    assert run("chunk", prose, "--strategy", "FC", *flags).json["parameters"]["size"] == 30


@pytest.mark.parametrize(
    "setting",
    ["tail.rule=drop", "snap=word", "paragraphs.rule=layout", "reg.max=500", "reg.toward=previous"],
)
def test_shared_options_are_parameters_too(run, prose, setting):
    name, _, value = setting.partition("=")

    given = run("chunk", prose, "--strategy", "PBC", "--set", setting, "--json").json["parameters"]

    assert str(given[name]) == value


def test_stages_of_a_hybrid_are_set_by_their_prefixes(run, prose):
    settings = ["primary=SGC", "primary.sentences=2", "primary.overlap=0", "gate=0",
                "secondary=FCC", "secondary.size=30", "secondary.overlap=0"]  # fmt: skip
    flags = [part for each in settings for part in ("--set", each)]

    answer = run("chunk", prose, "--strategy", "HYB", *flags, "--json").json

    assert max(b - a for chunk in answer["chunks"] for a, b in chunk["spans"]) <= 30
    assert {chunk["primary"] for chunk in answer["chunks"]} == {0, 1, 2, 3}


def test_regularisation_is_switched_on_by_a_flag(run, prose):
    plain = run("chunk", prose, "--strategy", "SBC", "--json").json
    joined = run("chunk", prose, "--strategy", "SBC", "--reg", "on", "--json").json

    assert len(plain["chunks"]) == 7
    assert len(joined["chunks"]) == 1
    assert joined["parameters"]["reg"] is True


def test_reference_mode_is_said_in_the_answer(run, prose):
    answer = run("chunk", prose, "--strategy", "FC", "--mode", "reference", "--json").json

    assert answer["mode"] == "reference"


def test_the_form_of_the_text_and_its_boilerplate_can_be_chosen(run, sample):
    plain = run("text", sample, "--json").json
    marked = run("text", sample, "--form", "markdown", "--json").json
    whole = run("text", sample, "--boilerplate", "keep", "--json").json

    assert marked["document"]["form"] == "markdown"
    assert "\n# " in f"\n{marked['text']}"
    assert len(whole["text"]) > len(plain["text"])


def test_only_the_pages_that_are_asked_for_have_text(run, sample):
    answer = run("text", sample, "--pages", "2-3,5", "--json").json

    filled = [n for n, page in enumerate(answer["pages"]) if page["span"][0] < page["span"][1]]
    assert filled == [1, 2, 4]


def test_a_page_has_the_same_text_whichever_pages_are_asked_for(run, sample):
    whole = run("text", sample, "--json").json
    a, b = whole["pages"][0]["span"]

    alone = run("text", sample, "--pages", "1", "--json").json

    assert alone["text"] == whole["text"][a:b].rstrip()
    kinds = [block["kind"] for block in whole["blocks"] if block["span"][1] <= b]
    assert [block["kind"] for block in alone["blocks"]] == kinds


def test_form_feeds_divide_the_pages_of_a_text_file(run, tmp_path):
    path = tmp_path / "pages.txt"
    path.write_bytes(b"First page.\fSecond page.\fThird.")

    assert run("text", path, "--pages", "2", "--json").json["text"] == "Second page.\f"
    assert "pages 1 to 3" in run("text", path, "--pages", "4").refusal


def test_without_json_a_table_for_people_is_printed(run, prose):
    ran = run("chunk", prose, "--strategy", "SBC")

    assert ran.status == 0
    assert "The committee met in March." in ran.out
    assert "7 chunks by SBC" in ran.out


def test_no_cache_leaves_nothing_on_the_disk(run, sample, tmp_path, monkeypatch):
    for name in ("CACHE", "DATA"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"CHUNKSCOPE_{name}_DIR", str(tmp_path / name))
    flags = ["--strategy", "PAGE", "--pages", "1-2", "--no-cache", "--json"]

    searched = run("search", sample, *flags, "--query", "warfarin", "--retrieval", "text")
    chunked = run("chunk", sample, *flags)

    assert searched.status == chunked.status == 0
    left = [path for name in ("CACHE", "DATA") for path in (tmp_path / name).rglob("*")]
    assert [path for path in left if path.is_file()] == []


def test_a_query_is_needed_to_search(run, prose):
    assert run("search", prose, "--strategy", "SBC").status == 1
    assert "query is empty" in run("search", prose, "--strategy", "SBC", "--query", " ").refusal


def test_search_gives_hits_as_the_contract_says(run, prose):
    flags = ["--strategy", "SBC", "--query", "report printed", "--retrieval", "text", "-k", 2]

    answer = run("search", prose, *flags, "--json").json

    hit = answer["hits"][0]
    assert set(hit) == {"rank", "score", "document", "chunk", "spans", "pages", "text", "gain"}
    assert hit["rank"] == 1
    assert "report was printed" in hit["text"]
    assert answer["rows"] == 7
    assert answer["retrieval"] == "text"
    assert {"vectors", "embedder", "milliseconds"} <= set(answer)


def test_the_version_is_said(run):
    ran = run("--version")

    assert ran.status == 0
    assert ran.out.startswith("Chunkscope ")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["nonsense"], id="no such command"),
        pytest.param([], id="no command"),
        pytest.param(["chunk", "a.txt"], id="no strategy"),
        pytest.param(["chunk", "a.txt", "--strategy", "FC", "--reg", "maybe"], id="not a choice"),
        pytest.param(["score"], id="nothing to score"),
        pytest.param(["score", "a.txt"], id="no chunks to score"),
        pytest.param(["evaluate", "a.txt", "--queries", "q.json"], id="nothing to evaluate"),
    ],
)
def test_wrong_usage_ends_with_status_2(run, arguments):
    ran = run(*arguments)

    assert ran.status == 2
    assert ran.out == ""
    assert ran.error


# --- the real program ----------------------------------------------------------------------------


def environment(**more):
    without_display = {
        k: v for k, v in os.environ.items() if k not in {"DISPLAY", "QT_QPA_PLATFORM"}
    }
    return without_display | more


def program(root, *arguments, **more):
    return subprocess.run(
        [sys.executable, "main.py", *map(str, arguments)],
        cwd=root, env=environment(**more), capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_the_program_prints_only_json_and_needs_no_display(root, prose):
    ran = program(root, "chunk", prose, "--strategy", "RC:size=100,overlap=0", "--json")

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    answer = json.loads(ran.stdout)
    assert answer["document"]["file"] == str(prose)
    assert ran.stdout.count("\n") == 1


@pytest.mark.slow
def test_the_program_says_in_one_line_what_is_wrong(root, prose):
    ran = program(root, "chunk", prose, "--strategy", "FC", "--set", "overlap=60")

    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr.count("\n") == 1
    assert "overlap is 60 tokens, but must be" in ran.stderr
    assert "size - 1" in ran.stderr


@pytest.mark.slow
def test_letters_are_printed_where_the_terminal_knows_only_ascii(root, prose):
    ran = program(root, "chunk", prose, "--strategy", "SBC", "--json", PYTHONIOENCODING="ascii")

    assert json.loads(ran.stdout)["document"]["file"] == str(prose)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="names there are Unicode")
def test_a_name_that_is_not_utf_8_is_no_obstacle(root, tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_bytes(PROSE.encode())
    ran = subprocess.run(
        [sys.executable, "main.py", "text", path, "--json"],
        cwd=root, env=environment(), capture_output=True, timeout=120, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["text"] == PROSE
