# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is written is there whole or not at all, whoever writes it; nothing is left beside it."""

import stat

import pytest

from core.document import cache
from core.errors import ChunkscopeError
from core.search.query_sets import write_whole
from core.whole_file import write_text
from gui.workspace import write as write_workspace

WRITERS = {
    "text": lambda path: write_text(path, "new"),
    "questions": lambda path: write_whole(path, "new"),
    "workspace": lambda path: write_workspace(path, b"new"),
}


def fail_to_sync(number: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_keeps_the_old_file_and_leaves_no_other(tmp_path, monkeypatch, write):
    path = tmp_path / "kept.json"
    path.write_text("old")
    monkeypatch.setattr("os.fsync", fail_to_sync)

    with pytest.raises(ChunkscopeError, match="No space left on device"):
        write(path)

    assert [each.name for each in tmp_path.iterdir()] == ["kept.json"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_what_others_might_read_they_may_read_still(tmp_path, write):
    beside, path = tmp_path / "beside", tmp_path / "written.json"
    beside.touch()
    write(path)

    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(beside.stat().st_mode)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_the_longest_name_can_be_written(tmp_path, write):
    path = tmp_path / ("n" * 250 + ".json")
    write(path)

    assert path.read_text() == "new"


def test_a_full_disk_leaves_no_part_of_an_entry_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr("os.fsync", fail_to_sync)
    cache.save("entry", [1, 2, 3])

    assert list(tmp_path.iterdir()) == []


def test_two_windows_that_save_at_once_do_not_take_each_others_file(tmp_path, monkeypatch):
    path = tmp_path / "workspace.json"
    inside = []

    def save_meanwhile(number: int) -> None:
        if not inside:
            inside.append(number)
            write_workspace(path, b"of the other")

    monkeypatch.setattr("os.fsync", save_meanwhile)
    write_workspace(path, b"of the one")

    assert path.read_bytes() == b"of the one"
