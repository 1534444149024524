# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is made for the scores of a text, once, whatever is found out about it meanwhile."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from core.document.model import Block
from core.strategies.recipe import parse_recipe
from core.vectors.toy import ToyEmbedder
from gui.controllers import scoring
from gui.state import OpenDocument
from tests.gui.lab import paragraphs


def test_the_layout_does_not_restart_what_the_characters_alone_decide(lab):
    release = threading.Event()
    lab.jobs.request("stop", "model", lambda token: release.wait(20), lambda _: None)
    try:
        lab.pipeline.set_embedder(ToyEmbedder(has_token_vectors=True))
        text = replace(paragraphs(), text=paragraphs().text + "\n\nEnde.")
        asked = []
        lab.jobs.started.connect(lambda slot, title: asked.append(title))
        lab.state.add_document(OpenDocument("e", Path("e.txt"), "e", document=text))
        assert sorted(asked) == ["References of e", "Vectors of e"]
        heading = Block(0, 10, "heading", 1, 0)
        lab.state.put_text("e", replace(text, blocks=(heading, *text.blocks[1:])), 1)
        assert sorted(asked) == ["References of e", "Vectors of e"]
        footer = Block(0, 10, "footer", 0, 0)
        lab.state.put_text("e", replace(text, blocks=(footer, *text.blocks[1:])), 1)
        assert sorted(asked) == ["References of e", "References of e", "Vectors of e"]
        lab.state.put_text("e", replace(text, text=text.text + " Neu."), 1)
        assert sorted(asked)[-2:] == ["Vectors of e", "Vectors of e"]
    finally:
        release.set()


def test_references_wait_for_a_model_that_is_being_loaded(lab):
    text = replace(paragraphs(), text=paragraphs().text + "\n\nEnde.")
    lab.scoring.waits_for_model = True
    lab.state.add_document(OpenDocument("e", Path("e.txt"), "e", document=text))
    assert not lab.jobs.is_asked("pairs e")
    lab.scoring.waits_for_model = False
    lab.scoring.start()
    lab.wait(lambda: lab.pipeline.has_pairs(text))


def test_scores_get_the_vectors_that_came_while_another_document_was_shown(lab):
    (slot,) = lab.show("FC:size=8,overlap=0")
    lab.wait(lambda: lab.is_scored(slot))
    shown, text = lab.opened, lab.opened.document
    assert shown.result(slot).scores.values["DCC"] is None
    lab.state.add_document(OpenDocument("e", Path("e.txt"), "e", document=replace(text, text="E.")))
    lab.pipeline.set_embedder(ToyEmbedder())
    lab.pipeline.sentence_vectors(text)
    lab.state.set_current("d")
    lab.wait(lambda: shown.result(slot).scores.values["DCC"] is not None)


@pytest.mark.parametrize(("seconds", "sizes"), [(0.0, [9, 11]), (1e9, [11])])
def test_scores_of_older_chunks_are_shown_while_a_drag_is_faster(lab, monkeypatch, seconds, sizes):
    monkeypatch.setattr(scoring, "LIVE_SECONDS", seconds)
    (slot,) = lab.show("FC:size=8,overlap=0")
    # from here on a move of the slider cuts at once
    lab.wait(lambda: lab.chunking.speed("d", "FC").was_prepared and not lab.jobs.is_busy())
    begun, release, make = threading.Event(), threading.Event(), lab.pipeline.follow_scores

    def slow(*args, **more):
        begun.set()
        assert release.wait(60)
        return make(*args, **more)

    monkeypatch.setattr(lab.pipeline, "follow_scores", slow)
    told, counts = [], {}
    lab.state.scores_changed.connect(
        lambda *_: told.append(len(lab.opened.result(slot).scores.units))
    )
    for size in (9, 10, 11):
        lab.state.set_recipe(slot, parse_recipe(f"FC:size={size},overlap=0"))
        counts[size] = len(lab.opened.result(slot).chunks)
        lab.wait(begun.is_set)
    assert len(set(counts.values())) == 3
    release.set()
    lab.wait(lambda: not lab.jobs.is_busy("scores "))
    assert told == [counts[size] for size in sizes]
