# SPDX-License-Identifier: AGPL-3.0-or-later
"""The comparison with other splitters: its text and its table; the splits need the network."""

from bench.peers import REQUIREMENTS, make_text, table


def test_the_text_is_the_files_repeated_to_the_length(tmp_path):
    (tmp_path / "a.md").write_text("one", "utf-8")
    (tmp_path / "b.md").write_text("zwölf", "utf-8")

    text = make_text([tmp_path / "a.md", tmp_path / "b.md"], 16)

    assert text == "one\n\nzwölf\n\none\n"


def test_the_table_puts_the_smallest_ratio_first():
    rows = [
        {"name": "encode", "median": 0.2, "least": 0.1, "ratio": 1.0, "chunks": None},
        {"name": "ours", "median": 0.05, "least": 0.04, "ratio": 0.25, "chunks": 1_234},
    ]
    result = {"bytes": 9, "tokens": 3, "size": 400, "runs": 5, "versions": {}, "tasks": rows}

    lines = table(result).splitlines()

    assert lines[-2].split() == ["ours", "0.050", "0.040", "0.25", "1,234"]
    assert lines[-1].split() == ["encode", "0.200", "0.100", "1.00"]


def test_no_peer_brings_torch():
    assert "\ntorch" not in REQUIREMENTS.read_text("utf-8")
