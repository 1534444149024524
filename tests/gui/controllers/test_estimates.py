# SPDX-License-Identifier: AGPL-3.0-or-later
"""Scores that follow the chunks with a model that gives no vectors of word pieces."""

import threading

import pytest

from core.strategies.recipe import parse_recipe
from core.strategies.variants import Variant
from core.vectors.toy import ToyEmbedder
from gui.controllers.comparing import Comparing
from gui.controllers.scoring import REST_MILLISECONDS
from tests.gui.lab import Lab


@pytest.fixture
def toy(lab: Lab) -> Lab:
    """The toy embedder, its estimates ready, exact vectors not asked for."""
    lab.scoring.computes_exactly = False
    lab.pipeline.set_embedder(ToyEmbedder())
    with lab.qtbot.waitSignal(lab.scoring.vectors_ready, timeout=60_000):
        lab.scoring.start()
    return lab


def state(lab: Lab, slot: int, code: str) -> str | None:
    scores = lab.opened.result(slot).scores
    return None if scores is None else scores[code].state


def test_scores_are_estimated_at_once_and_exact_when_things_rest(toy: Lab) -> None:
    slot = toy.show("FC:size=100,overlap=0")[0]
    toy.wait(lambda: state(toy, slot, "ICC") == "late")
    estimated = toy.opened.result(slot).scores
    assert estimated["ICC"].value is not None and estimated["DCC"].value is not None
    toy.scoring.computes_exactly = True
    toy.scoring.score_all()
    toy.wait(lambda: state(toy, slot, "ICC") == state(toy, slot, "DCC") == "exact")


def test_rows_of_a_comparison_are_estimated_alike(toy: Lab) -> None:
    comparing = Comparing(toy.state, toy.jobs, toy.pipeline, toy.scoring, toy.parent)
    toy.wait(lambda: not toy.jobs.is_busy("pairs"))
    words = ("FC:size=100,overlap=0", "SGC:sentences=4,overlap=0")
    with toy.qtbot.waitSignal(comparing.finished, timeout=60_000):
        comparing.start([Variant(word, parse_recipe(word)) for word in words], [toy.opened])
    rows = comparing.comparisons["d"].rows
    assert [row.candidate.scores["ICC"].state for row in rows] == ["late", "late"]
    with toy.qtbot.waitSignal(comparing.finished, timeout=60_000):
        comparing.score_exactly("d")
    assert [row.candidate.scores["ICC"].state for row in rows] == ["exact", "exact"]


def test_exact_vectors_give_way_to_what_is_asked_for(toy: Lab) -> None:
    slot = toy.show("FC:size=100,overlap=0")[0]
    of_model, of_spacy = threading.Event(), threading.Event()
    toy.jobs.request("gate 1", "model", lambda _: of_model.wait(60), lambda _: None)
    toy.scoring.computes_exactly = True
    toy.scoring.score_all()
    toy.wait(lambda: toy.jobs.is_busy("exact "))

    toy.jobs.request("gate 2", "apart", lambda _: of_spacy.wait(60), lambda _: None)
    toy.state.set_recipe(slot, parse_recipe("K2:k=3"))  # of those that need the engine
    assert toy.jobs.is_busy("chunks ")
    assert not toy.jobs.is_busy("exact ")
    toy.qtbot.wait(3 * REST_MILLISECONDS)
    assert not toy.jobs.is_busy("exact ")

    of_spacy.set()
    of_model.set()
    toy.wait(lambda: state(toy, slot, "ICC") == "exact")


def test_a_strategy_that_is_removed_asks_for_no_exact_vectors(toy: Lab) -> None:
    slot = toy.show("FC:size=100,overlap=0")[0]
    gate = threading.Event()
    toy.jobs.request("gate", "model", lambda _: gate.wait(60), lambda _: None)
    toy.scoring.computes_exactly = True
    toy.scoring.score_all()
    toy.wait(lambda: toy.jobs.is_busy("exact "))
    toy.state.remove_slot(slot)
    assert not toy.jobs.is_busy("exact ")
    gate.set()
