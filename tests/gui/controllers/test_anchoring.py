# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is selected stays at its place when the chunks change."""

import pytest

from core.document.model import Document
from core.pipeline import Pipeline
from core.strategies.recipe import parse_recipe
from gui.controllers.anchoring import anchored
from gui.state import Selection

TEXT = "abcdefghij" * 10
DOCUMENT = Document(TEXT)


def chunks(size):
    word = f"FCC:size={size},overlap=0"
    return Pipeline().chunk(parse_recipe(word), DOCUMENT)


@pytest.mark.parametrize(
    ("selection", "size", "kind", "ids"),
    [
        pytest.param(Selection("chunk", (3,), 0, 60, 80), 10, "chunk", (6,), id="finer"),
        pytest.param(Selection("chunk", (6,), 0, 60, 70), 50, "chunk", (1,), id="coarser"),
        pytest.param(Selection("cut", (3,), 0, 60, 61), 10, "cut", (6,), id="a cut that stays"),
        pytest.param(Selection("cut", (3,), 0, 60, 61), 50, "chunk", (1,), id="a cut that goes"),
        pytest.param(Selection("cut", (3,), 0, 60, 60), 20, "cut", (3,), id="without length"),
    ],
)
def test_a_selection_keeps_its_place(selection, size, kind, ids):
    found = anchored(selection, chunks(size))
    assert (found.kind, found.ids) == (kind, ids)
    assert (found.start, found.end) == (selection.start, selection.end)


def test_going_back_goes_back_to_the_old_selection():
    selected = Selection("chunk", (3,), 0, 60, 80, "table")
    there = anchored(selected, chunks(50))
    assert there.ids == (1,)
    assert anchored(there, chunks(20)).ids == selected.ids


def test_a_selection_outside_all_chunks_stays_as_it_is():
    selected = Selection("chunk", (3,), 0, 1_000, 1_010)
    assert anchored(selected, chunks(20)) is selected
