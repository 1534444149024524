# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which strategies wait for which: none that spaCy prepares waits for vectors, or holds up cuts."""

import threading
from collections.abc import Iterator

import pytest

from core.strategies.recipe import parse_recipe
from tests.gui.lab import Lab


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    made = threading.Event()
    yield made
    made.set()


def is_shown(lab: Lab, slot: int, code: str) -> bool:
    result = lab.opened.result(slot)
    is_of_recipe = lab.state.slot(slot).recipe.code == code
    return is_of_recipe and result.chunks is not None and not lab.jobs.is_busy("chunks ")


@pytest.mark.parametrize("word", ["K2:k=3", "K1b:size=20,overlap=0", "SBC:sentences=spacy"])
def test_what_spacy_prepares_comes_while_vectors_are_made_and_scores_are_computed(
    lab: Lab, gate: threading.Event, word: str
) -> None:
    slot = lab.show("FC:size=100,overlap=0")[0]
    for lane in ("model", "python"):
        lab.jobs.request(f"gate {lane}", lane, lambda _: gate.wait(60), lambda _: None)
    recipe = parse_recipe(word)

    lab.state.set_recipe(slot, recipe)

    lab.wait(lambda: is_shown(lab, slot, recipe.code))


def test_cuts_come_while_spacy_reads(lab: Lab, gate: threading.Event) -> None:
    slot = lab.show("FC:size=100,overlap=0")[0]
    lab.jobs.request("gate apart", "apart", lambda _: gate.wait(60), lambda _: None)

    lab.state.set_recipe(slot, parse_recipe("RC:size=200"))

    lab.wait(lambda: is_shown(lab, slot, "RC"))
