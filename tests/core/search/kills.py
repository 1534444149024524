# SPDX-License-Identifier: AGPL-3.0-or-later
"""A process that writes one chunking after the other into an index, to be killed at any moment."""

import sys
from pathlib import Path

import numpy as np

from core.search.index import ChunkIndex, Space
from core.search.place import Place
from core.search.rows import Rows
from tests.core.search.pools import rows_at

SPACE = Space("toy", "late")
STATES = 12


def state(number: int) -> Rows:
    """One of the chunkings that are written; some differ little from the last, some wholly."""
    moved = number % STATES
    if moved % 4 == 3:
        return rows_at(range(moved, 4000, 25), length=25)
    return rows_at([*range(0, 3000, 20), *range(3000 + moved, 3900, 20)])


def write_for_ever(folder: Path) -> None:
    """Update without end, and say when the first state is there."""
    index = ChunkIndex(Place(str(folder), folder), SPACE)
    number = int(np.random.default_rng().integers(STATES))
    while True:
        index.update(state(number))
        print("written", flush=True)
        number += 1


if __name__ == "__main__":
    write_for_ever(Path(sys.argv[1]))
