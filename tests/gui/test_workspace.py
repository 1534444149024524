# SPDX-License-Identifier: AGPL-3.0-or-later
"""A workspace as a file: what is written is read again, what is damaged is set aside."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui import workspace
from gui.workspace import OpenFile, ShownStrategy, ViewOf, Workspace, WorkspaceError
from gui.workspace_place import last_document, last_workspace, path_of

names = st.text(max_size=20)
views = st.builds(
    ViewOf, page=st.integers(0, 9), x=st.floats(-9, 9), y=st.floats(-9, 9), zoom=st.floats(0.25, 8)
)


@given(
    documents=st.lists(st.builds(OpenFile, path=names, view=views), max_size=3).map(tuple),
    strategies=st.lists(st.builds(ShownStrategy, recipe=names), max_size=3).map(tuple),
    query=names,
)
def test_what_is_written_is_read_again(tmp_path_factory, documents, strategies, query):
    made = Workspace(
        version=workspace.VERSION, documents=documents, strategies=strategies, query=query
    )
    path = tmp_path_factory.mktemp("w") / "a.json"
    workspace.write(path, workspace.encode(made))
    assert workspace.read(path) == made


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"version": "one"}',
        b'{"documents": []}',
        b'{"version": 1, "questions": {"a": ' + b"[" * 50_000,
    ],
    ids=[
        "empty",
        "cut off",
        "a list",
        "not text",
        "wrong type",
        "no version",
        "nested without end",
    ],
)
def test_a_damaged_file_is_refused_with_its_name(tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(WorkspaceError, match=r"mine\.json is not a workspace, or is damaged"):
        workspace.read(path)


def test_a_file_of_a_later_version_is_refused_with_both_versions(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"version": 999}')
    with pytest.raises(WorkspaceError, match="version 999, but this program reads versions up to"):
        workspace.read(path)


def test_a_damaged_file_is_set_aside_and_never_written_over(tmp_path):
    path = tmp_path / "workspace.json"
    kept = []
    for content in ("one", "two"):
        path.write_text(content)
        kept.append(workspace.set_aside(path))
    assert [each.read_text() for each in kept] == ["one", "two"]
    assert not path.exists()


def test_writing_leaves_the_old_file_when_it_fails(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(WorkspaceError, match="cannot be saved to"):
        workspace.write(folder, b"{}")  # a folder cannot be replaced by a file
    assert folder.is_dir()


def test_the_last_document_is_found_without_the_rest(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path))
    assert last_document() is None
    shown = tmp_path / "a.pdf"
    shown.touch()
    (tmp_path / "workspace.json").write_text(json.dumps({"current": str(shown)}))
    assert last_document() == shown
    shown.unlink()
    assert last_document() is None
    (tmp_path / "workspace.json").write_text("damaged")
    assert last_document() is None


def test_a_path_that_is_not_utf8_is_written_and_found_again(tmp_path, monkeypatch):
    file = tmp_path / os.fsdecode(b"caf\xe9.txt")
    file.write_text("text")
    made = Workspace(
        version=workspace.VERSION,
        documents=(OpenFile(path=str(file)),),
        current=str(file),
        query="half a pair \ud83d",
        tags={str(file): ("tag",)},
    )
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path))
    workspace.write(last_workspace(), workspace.encode(made))
    found = workspace.read(last_workspace())
    assert path_of(found.documents[0].path) == str(file)
    assert [path_of(each) for each in found.tags] == [str(file)]
    assert found.query == "half a pair ?"
    assert last_document() == file
