# SPDX-License-Identifier: AGPL-3.0-or-later
"""An index whose writer is killed at any moment opens, and holds one chunking."""

import random
import subprocess
import sys
import time

import numpy as np
import pytest

from core.search.index import ChunkIndex, chunking_key
from core.search.place import Place, corpus_place
from core.search.serve import Question, Where, exact_hits, update_and_search
from tests.conftest import ROOT
from tests.core.search.kills import SPACE, STATES, state
from tests.core.search.pools import rows_at

KILLS = 4  # two hundred in tests/torture


def kill_a_writer(folder, wait):
    """Start a writer, let it write at least once, and kill it `wait` seconds later."""
    command = [sys.executable, "-m", "tests.core.search.kills", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"written\n"
        end = time.monotonic() + wait
        while time.monotonic() < end:
            writer.stdout.readline()
        writer.kill()


def assert_one_state(folder, known):
    index = ChunkIndex(Place(str(folder), folder), SPACE)
    assert index.open()
    assert index.chunking_key in known
    rows = known[index.chunking_key]
    query = rows.vectors[0]
    found = index.nearest(query, len(rows))
    assert sorted(found.keys.tolist()) == sorted(rows.keys.tolist())
    best = {key: rows.vectors[i] @ query for i, key in enumerate(rows.keys.tolist())}
    assert found.scores == pytest.approx([best[key] for key in found.keys.tolist()], abs=1e-5)


@pytest.mark.slow
def test_a_killed_writer_leaves_one_chunking_and_never_two(tmp_path):
    states = [state(number) for number in range(STATES)]
    known = {chunking_key(rows.keys): rows for rows in states}
    chance = random.Random(1)

    for _ in range(KILLS):
        kill_a_writer(tmp_path, chance.uniform(0, 0.3))

        assert_one_state(tmp_path, known)

    again = ChunkIndex(Place(str(tmp_path), tmp_path), SPACE)
    assert again.update(states[0]).notices == ()
    assert len(again.nearest(np.asarray(states[0].vectors[0]), 5)) == 5


@pytest.mark.slow
def test_two_windows_that_write_the_same_table_each_find_their_own_chunks(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))
    where = Where("shared", SPACE)
    folder = corpus_place("shared").folder
    command = [sys.executable, "-m", "tests.core.search.kills", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout.readline() == b"written\n"
            for number in range(30):
                rows = rows_at(range(number % 3, 2000, 20), name="mine")
                question = Question("", rows.vectors[number], 5)

                found = update_and_search(where, rows, question)

                expected = exact_hits(rows, question)
                assert [hit.start for hit in found.hits] == [hit.start for hit in expected]
                assert found.notices == ()
        finally:
            other.kill()
