# SPDX-License-Identifier: AGPL-3.0-or-later
"""What each command answers: score, select, evaluate, sweep, batch, export."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from core.cli import evaluate, sweep
from tests.core.cli.conftest import PROSE

CODES = ["RC", "ICC", "DCC", "BI", "SC"]


def saved(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def queries(tmp_path):
    """Three questions about the prose, two with gold."""
    gold = [("What was discussed?", "It discussed the budget"), ("Who got copies?", "Copies went")]
    return saved(
        tmp_path / "q.json",
        {
            "format": "chunkscope-queries",
            "version": 1,
            "name": "trial",
            "offset_unit": "unicode_code_points",
            "documents": [{"doc": "ein Text ü 文.txt"}],
            "questions": [
                {
                    "id": f"q{number}",
                    "question": question,
                    "gold": [
                        {
                            "doc": "ein Text ü 文.txt",
                            "start": PROSE.index(text),
                            "end": PROSE.index(text) + len(text),
                            "text": text,
                            "grade": 2,
                        }
                    ],
                }
                for number, (question, text) in enumerate(gold)
            ]
            + [{"id": "q2", "question": "Why?", "gold": []}],
        },
    )


# --- score ---------------------------------------------------------------------------------------


def test_score_answers_as_the_contract_says(run, prose):
    answer = run("score", prose, "--strategy", "SBC", "--embedder", "toy", "--json").json

    assert list(answer["scores"]) == [*CODES, "mean"]
    assert list(answer["measured"]) == CODES
    assert set(answer["vectors"]) == {"ICC", "DCC"}
    assert answer["mode"] == "default"
    assert answer["embedder"] == "toy"
    assert [row["index"] for row in answer["per_chunk"]] == list(range(7))
    assert all(set(row) == {"index", *CODES} for row in answer["per_chunk"])
    for name in ("unit", "pairs_lost", "blocks_broken", "chunks_bad_size", "icc_per_chunk"):
        assert name in answer


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda c: [chunk["spans"][0] for chunk in c["chunks"]], id="spans"),
        pytest.param(lambda c: [{"spans": chunk["spans"]} for chunk in c["chunks"]], id="objects"),
        pytest.param(lambda c: c, id="output of chunk"),
        pytest.param(lambda c: [chunk["text"] for chunk in c["chunks"]], id="strings"),
        pytest.param(
            lambda c: [{"page_content": x["text"], "metadata": {}} for x in c["chunks"]],
            id="langchain",
        ),
    ],
)
def test_chunks_of_any_form_score_like_our_own(run, prose, tmp_path, form):
    own = run("chunk", prose, "--strategy", "SBC", "--text", "--json").json
    path = saved(tmp_path / "c.json", form(own))

    ours = run("score", prose, "--strategy", "SBC", "--embedder", "toy", "--json").json
    theirs = run("score", prose, "--chunks", path, "--embedder", "toy", "--json").json

    assert theirs["scores"] == ours["scores"]


def test_blocks_pairs_and_sentences_come_from_files(run, prose, tmp_path):
    middle = PROSE.index("A second")
    blocks = saved(tmp_path / "b.json", [[0, middle - 2], [middle, len(PROSE)]])
    pairs = saved(tmp_path / "p.json", [[[0, 13], [28, 30]], [[28, 30], [middle, middle + 1]]])
    sentences = saved(tmp_path / "s.json", [[0, 27], [28, 83]])
    chunks = saved(tmp_path / "c.json", [[0, middle], [middle, len(PROSE)]])
    flags = ["--blocks", blocks, "--pairs", pairs, "--sentences-from", sentences]

    answer = run(
        "score", prose, "--chunks", chunks, *flags, "--embedder", "toy", "--json"
    ).json  # fmt: skip

    assert answer["scores"]["RC"] == 0.5
    assert answer["pairs_lost"] == [1]
    assert answer["scores"]["BI"] == 1.0


def test_weights_change_the_mean_and_nothing_else(run, prose):
    flags = ["--strategy", "SBC", "--embedder", "toy", "--json"]

    plain = run("score", prose, *flags).json["scores"]
    weighed = run("score", prose, *flags, "--weights", "RC=0,ICC=0,DCC=0,BI=0,SC=2").json["scores"]

    assert weighed["mean"] == plain["SC"]
    assert {code: plain[code] for code in CODES} == {code: weighed[code] for code in CODES}


# --- select --------------------------------------------------------------------------------------


def test_select_names_the_winner_and_lists_what_failed(run, prose):
    names = ["SBC", "PBC", "FC:size=20"]

    answer = run("select", prose, "--strategies", *names, "--embedder", "toy", "--json").json

    found = answer["documents"][0]
    best = max(found["candidates"], key=lambda each: each["scores"]["mean"])
    assert found["winner"] == best["name"]
    assert best["rank"] == 1
    assert {each["name"] for each in found["candidates"]} == set(names)
    assert set(found) >= {"document", "margin", "ties", "common_winner", "warnings"}
    for each in found["candidates"]:
        assert {"strategy", "parameters", "scores", "measured", "chunks", "tokens"} <= set(each)
        assert set(each["tokens"]) == {"mean", "least", "greatest"}
    assert answer["best_single"]["scores"]["mean"] <= answer["adaptive"]["scores"]["mean"]


def test_equal_chunkings_are_one_candidate_with_several_names(run, prose):
    names = ["SBC", "LCSI"]

    answer = run("select", prose, "--strategies", *names, "--embedder", "toy", "--json").json

    assert [each["names"] for each in answer["documents"][0]["candidates"]] == [names]


def test_select_without_strategies_takes_those_of_the_paper(run, prose):
    answer = run("select", prose, "--embedder", "toy", "--json").json

    names = [name for each in answer["documents"][0]["candidates"] for name in each["names"]]
    assert sorted(names) == ["PAGE:reg=on", "STM:size=1100,reg=on", "STM:size=600,reg=on"]


# --- evaluate ------------------------------------------------------------------------------------


def test_evaluate_answers_as_the_contract_says(run, prose, queries):
    flags = ["--queries", queries, "--strategies", "SBC", "PBC", "--embedders", "toy"]

    answer = run("evaluate", prose, *flags, "-k", 2, "--intrinsic", "--no-cache", "--json").json

    assert answer["questions"]["used"] == 2
    assert [each["id"] for each in answer["questions"]["left_out"]] == ["q2"]
    assert answer["pool"]["characters"] == len(PROSE)
    assert [each["strategy"] for each in answer["results"]] == ["SBC", "PBC"]
    result = answer["results"][0]
    assert {"parameters", "embedder", "retrieval", "vectors", "chunks", "costs"} <= set(result)
    for name in ("recall", "precision", "iou", "precision_omega", "hit", "mrr", "p_at_1", "ndcg",
                 "survival", "whole_at_k"):  # fmt: skip
        assert set(result["measures"][name]) >= {"mean", "low", "high", "n"}
    assert result["intrinsic"]
    comparison = answer["comparisons"][0]
    assert {"a", "b", "measure", "difference", "low", "high", "p", "p_adjusted", "d"} <= set(
        comparison
    )
    assert len(answer["per_question"]) == 4
    assert {"groups", "warnings"} <= set(answer)


@pytest.mark.parametrize(
    ("name", "says"), [("nothere.json", "does not exist"), ("README.md", "is not a query set")]
)
@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--strategies", "SBC"],
        ["sweep", "--strategy", "FC", "--over", "size=20:40:2"],
    ],
    ids=["evaluate", "sweep"],
)
def test_questions_that_cannot_be_read_are_refused_before_the_work(
    run, prose, tmp_path, monkeypatch, command, name, says
):
    (tmp_path / "README.md").write_text("# A project\n\nIt does things.\n")
    for module, work in ((evaluate, "embedder_of"), (sweep, "model_of")):
        monkeypatch.setattr(module, work, lambda *_: pytest.fail("a model was loaded"))
    for module in (evaluate, sweep):
        monkeypatch.setattr(module, "read", lambda *_: pytest.fail("a document was read"))

    assert says in run(command[0], prose, *command[1:], "--queries", tmp_path / name).refusal


def test_chunks_of_another_tool_are_one_more_strategy(run, prose, queries, tmp_path):
    own = run("chunk", prose, "--strategy", "PBC", "--text", "--json").json
    theirs = saved(tmp_path / "theirs.json", [chunk["text"] for chunk in own["chunks"]])
    flags = ["--queries", queries, "--strategies", "PBC", "--chunks", f"theirs={theirs}"]

    answer = run(
        "evaluate", prose, *flags, "--embedders", "toy", "--no-cache", "--json"
    ).json  # fmt: skip

    ours, brought = answer["results"]
    assert brought["strategy"] == "theirs"
    assert brought["measures"] == ours["measures"]


def test_chunks_of_several_documents_are_told_apart_by_their_names(run, tmp_path, queries, prose):
    other = tmp_path / "other.txt"
    other.write_bytes(b"Something else entirely. It has two sentences.")
    folder = tmp_path / "theirs"
    folder.mkdir()
    saved(folder / f"{prose.stem}.json", [[0, len(PROSE)]])
    saved(folder / "other.json", [[0, 24], [25, 46]])
    flags = ["--queries", queries, "--chunks", f"theirs={folder}", "--embedders", "toy"]

    answer = run("evaluate", prose, other, *flags, "--no-cache", "--json").json

    assert answer["results"][0]["chunks"] == 3


def test_an_evaluation_is_kept_and_found_again(run, prose, queries, tmp_path):
    out = tmp_path / "out"
    flags = ["--queries", queries, "--strategies", "SBC", "--embedders", "toy", "--no-cache"]

    first = run("evaluate", prose, *flags, "--out", out, "--json").json
    records = {path: path.stat().st_mtime_ns for path in (out / "records").iterdir()}
    again = run("evaluate", prose, *flags, "--out", out, "--json").json

    assert again == first == json.loads((out / "evaluation.json").read_text("utf-8"))
    assert {path: path.stat().st_mtime_ns for path in (out / "records").iterdir()} == records
    assert (out / "evaluation.csv").read_text("utf-8").startswith("strategy,embedder,pool,k")


# --- sweep and batch -----------------------------------------------------------------------------


def test_a_sweep_has_a_point_for_each_combination(run, prose):
    over = ["--over", "size=10:30:3", "--over", "overlap=0:5:2"]

    answer = run("sweep", prose, "--strategy", "FC", *over, "--embedder", "toy", "--json").json

    points = [(p["parameters"]["size"], p["parameters"]["overlap"]) for p in answer["points"]]
    assert points == [(10, 0), (10, 5), (20, 0), (20, 5), (30, 0), (30, 5)]
    assert all(set(p) == {"parameters", "chunks", "scores", "measures"} for p in answer["points"])


def test_a_point_has_the_scores_of_score(run, prose):
    flags = ["--embedder", "toy", "--json"]

    point = run("sweep", prose, "--strategy", "FC", "--over", "size=20:20:1", *flags).json["points"]
    alone = run("score", prose, "--strategy", "FC:size=20", *flags).json

    assert point[0]["scores"] == alone["scores"]


def test_a_sweep_measures_questions(run, prose, queries):
    flags = ["--over", "sentences=1:3:2", "--queries", queries, "--embedder", "toy", "--no-cache"]

    answer = run("sweep", prose, "--strategy", "SGC:overlap=0", *flags, "--json").json

    assert [p["measures"]["recall"]["n"] for p in answer["points"]] == [2, 2]


def test_a_batch_lists_what_failed_and_goes_on(run, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a good one.txt").write_bytes(PROSE.encode())
    (folder / "broken.pdf").write_bytes(b"not a PDF")
    out = tmp_path / "out"
    flags = ["--strategies", "SBC", "PBC", "--out", out, "--embedder", "toy", "--json"]

    rows = run("batch", folder, *flags).json["documents"]

    assert [(row["file"], bool(row["error"])) for row in rows] == [
        ("a good one.txt", False),
        ("a good one.txt", False),
        ("broken.pdf", True),
        ("broken.pdf", True),
    ]
    assert json.loads((out / "summary.json").read_text("utf-8")) == rows


def test_a_batch_goes_on_where_it_was_and_makes_damaged_results_again(run, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_bytes(PROSE.encode())
    out = tmp_path / "out"
    flags = ["--strategies", "SBC", "PBC", "--out", out, "--embedder", "toy", "--json"]
    first = run("batch", folder, *flags).json
    kept, damaged = sorted(path for path in out.iterdir() if path.name != "summary.json")
    damaged.write_text('{"summary": ')
    written = kept.stat().st_mtime_ns

    again = run("batch", folder, *flags).json

    assert again == first
    assert kept.stat().st_mtime_ns == written
    assert json.loads(damaged.read_text("utf-8"))["summary"]["chunks"]


LONG_AND_SHORT = ("SGC:sentences=2,overlap=0", "FC:size=600,overlap=0")


@pytest.mark.slow
def test_a_batch_scores_long_and_short_chunks_by_one_kind_of_vectors(run, tmp_path):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_bytes(PROSE.encode() * 20)
    flags = ["--strategies", *LONG_AND_SHORT, "--out", out, "--embedder", "minilm", "--json"]

    run("batch", folder, *flags)

    results = [json.loads(path.read_text("utf-8")) for path in sorted(out.glob("a-*.json"))]
    assert len(results) == 2
    assert all(each["scoring"]["vectors"]["ICC"] in ("late", "pooled") for each in results)


@pytest.mark.slow
@pytest.mark.parametrize("vectors", ["auto", "exact"])
def test_select_compares_long_and_short_chunks_by_one_kind_of_vectors(run, tmp_path, vectors):
    path = tmp_path / "a.txt"
    path.write_bytes(PROSE.encode() * 20)
    flags = ["--strategies", *LONG_AND_SHORT, "--embedder", "minilm", "--vectors", vectors]

    warnings = run("select", path, *flags, "--json").json["documents"][0]["warnings"]

    assert any(each.startswith("late:") for each in warnings)
    assert not any(each.startswith(("mixed", "provisional")) for each in warnings)


def _heed_ctrl_c() -> None:
    """A program that a shell has put behind inherits that Ctrl+C is ignored, as do its tests."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_ends_with_130_and_leaves_nothing_half_written(root, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number:03}.txt").write_bytes(PROSE.encode() * (number + 1))
    out = tmp_path / "out"
    command = [sys.executable, "main.py", "batch", folder, "--strategies", "SBC", "--out", out]
    child = subprocess.Popen(
        [*map(str, command), "--embedder", "toy"],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=_heed_ctrl_c,  # noqa: PLW1509 - nothing else runs
    )  # fmt: skip
    deadline = time.monotonic() + 100
    while not (out.is_dir() and len(list(out.glob("*.json"))) > 2):
        assert child.poll() is None, child.communicate()[1]
        assert time.monotonic() < deadline
        os.sched_yield()

    os.killpg(child.pid, signal.SIGINT)
    _, error = child.communicate(timeout=60)

    assert child.returncode == 130
    assert "Traceback" not in error
    assert all(json.loads(path.read_text("utf-8")) for path in out.glob("*.json"))
    assert list(out.glob(".*")) == []
