# SPDX-License-Identifier: AGPL-3.0-or-later
"""What `main.py` makes of its first argument: a command, a file for the window, or a slip."""

import pytest

import gui.application
from main import main


@pytest.fixture
def opened(monkeypatch):
    """What the window would be opened on."""
    paths = []
    monkeypatch.setattr(gui.application, "run", lambda path: paths.append(path) or 0)
    return paths


@pytest.mark.parametrize(
    ("word", "says"),
    [
        pytest.param("frob", "no command 'frob' and no file of that name: 'main.py", id="word"),
        pytest.param("chunks", "(did you mean 'chunk'?)", id="mistyped command"),
        pytest.param("Evaluate", "(did you mean 'evaluate'?)", id="command in capitals"),
        pytest.param("nothere.pdf", "nothere.pdf does not exist", id="file"),
        pytest.param("no/such", "no/such does not exist", id="path"),
        pytest.param("two\nlines", "'two lines'", id="line break"),
        pytest.param("", " . is a folder", id="nothing"),
    ],
)
def test_what_is_neither_command_nor_file_is_refused_in_one_line(
    opened, capsys, tmp_path, monkeypatch, word, says
):
    monkeypatch.chdir(tmp_path)

    assert main([word]) == 1

    said = capsys.readouterr().err
    assert says in said
    assert said.startswith("chunkscope: ")
    assert said.count("\n") == 1
    assert opened == []


def test_a_folder_is_refused_and_batch_is_named(opened, capsys, tmp_path):
    assert main([str(tmp_path)]) == 1

    assert "main.py batch" in capsys.readouterr().err
    assert opened == []


def test_a_file_and_nothing_open_the_window(opened, prose_file):
    assert main([str(prose_file)]) == 0
    assert main([]) == 0

    assert opened == [prose_file, None]


@pytest.fixture
def prose_file(tmp_path):
    path = tmp_path / "chunk"
    path.write_text("A file may be called nearly like a command.", encoding="utf-8")
    return path
