# SPDX-License-Identifier: AGPL-3.0-or-later
"""The command line gives the expected values, in the words of the contract."""

import json

import pytest

from tests.conftest import shared_path

EXACTLY, MODEL = 1e-8, 1e-4


def oracle(name):
    folder = shared_path()
    path = folder and folder / "oracle" / name
    return json.loads(path.read_text("utf-8")) if path and path.is_file() else None


STRATEGIES = oracle("strategies_a.json") or {"results": []}
METRICS = oracle("metrics_dev.json") or {"cases": [], "default_cases": []}


@pytest.fixture(scope="module")
def text_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("oracle") / "text a.txt"
    path.write_bytes(STRATEGIES["texts"]["a"]["text"].encode())
    return path


def flags_of(record):
    settings = dict(record["params"])
    for stage in ("primary",):
        given = record.get(stage)
        if isinstance(given, dict):
            settings |= {f"{stage}.{name}": value for name, value in given["params"].items()}
    flags = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    for name in ("tokenizer", "sentences"):
        if name in record:
            flags += [f"--{name}", record[name]]
    return flags


@pytest.mark.slow
@pytest.mark.parametrize(
    "record", [pytest.param(r, id=f"{r['strategy']} {r['params']}") for r in STRATEGIES["results"]]
)
def test_chunks_are_those_of_the_published_run(run, text_file, record):
    flags = ["--strategy", record["strategy"], "--mode", "reference", *flags_of(record)]

    chunks = run("chunk", text_file, *flags, "--text", "--json").json["chunks"]

    assert len(chunks) == record["n"]
    if record["spans"] is None:
        assert [chunk["text"] for chunk in chunks] == record["texts"]
    else:
        assert [c["spans"] and c["spans"][0] for c in chunks] == record["spans"]
        for index, text in record.get("texts", {}).items():
            assert chunks[int(index)]["text"] == text
    for name, key in (("primary_index", "primary"), ("level", "level"), ("parent_index", "parent")):
        if name in record:
            assert [chunk[key] for chunk in chunks] == record[name]


def assert_scores(answer, expected, tolerance):
    for code, value in expected.items():
        found = answer["scores"][code]
        if value is None:
            assert found is None, code
        else:
            allowed = tolerance if code in {"ICC", "DCC"} else EXACTLY
            assert found == pytest.approx(value, abs=allowed), code


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in METRICS["cases"]])
def test_a_case_is_scored_in_reference_mode(run, tmp_path, case):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case))

    answer = run("score", "--case", path, "--json").json

    assert answer["mode"] == "reference"
    assert_scores(answer, case["expected"], EXACTLY if case["embedder"] == "toy" else MODEL)


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in METRICS["default_cases"]])
def test_a_default_case_is_scored_in_default_mode_with_its_objects(run, tmp_path, case):
    base = next(each for each in METRICS["cases"] if each["name"] == case["case"])
    document = METRICS["documents"][case["document"]]
    fields = {name: base[name] for name in ("text", "blocks", "pairs", "chunks", "embedder")}
    fields |= {name: document[name] for name in ("sentences", "boilerplate")}
    path = tmp_path / "case.json"
    path.write_text(json.dumps(fields | case))

    answer = run("score", "--case", path, "--json").json

    assert answer["mode"] == "default"
    assert_scores(answer, case["expected"], EXACTLY)
    for name in ("pairs_lost", "blocks_broken", "chunks_bad_size"):
        assert answer[name] == case[name]
    assert answer["icc_per_chunk"] == pytest.approx(case["icc_per_chunk"], abs=EXACTLY)


@pytest.mark.slow
def test_the_mode_of_a_case_can_be_chosen(run, tmp_path):
    if not METRICS["cases"]:
        pytest.skip("no shared test data: set CHUNKSCOPE_SHARED to its folder")
    path = tmp_path / "case.json"
    path.write_text(json.dumps(METRICS["cases"][0]))

    for mode in ("default", "reference"):
        assert run("score", "--case", path, "--mode", mode, "--json").json["mode"] == mode
