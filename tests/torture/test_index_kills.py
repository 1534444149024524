# SPDX-License-Identifier: AGPL-3.0-or-later
"""Two hundred kills of a process that writes into an index."""

import random

import pytest

from core.search.index import ChunkIndex, chunking_key
from core.search.place import Place
from tests.core.search.kills import SPACE, STATES, state
from tests.core.search.test_index_kills import assert_one_state, kill_a_writer

KILLS = 200


@pytest.mark.timeout(3600)
def test_two_hundred_kills_leave_one_chunking_each(tmp_path):
    states = [state(number) for number in range(STATES)]
    known = {chunking_key(rows.keys): rows for rows in states}
    chance = random.Random(2)

    for _ in range(KILLS):
        kill_a_writer(tmp_path, chance.expovariate(5))

        assert_one_state(tmp_path, known)

    written = ChunkIndex(Place(str(tmp_path), tmp_path), SPACE).update(states[3])
    assert written.notices == ()
