# SPDX-License-Identifier: AGPL-3.0-or-later
"""In what order the parts of a document are asked for."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from core.document.model import TextSettings
from gui.controllers import opening as module
from gui.controllers.opening import Opening
from gui.jobs import Jobs
from gui.state import State

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "samples" / "guideline.pdf"


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def opening(jobs: Jobs) -> Iterator[Opening]:
    parent = QObject()
    made = Opening(State(parent), jobs, lambda: range(0, 2), parent)
    yield made
    made.close_readers()
    made.close_layouts()


def asked_layouts(jobs: Jobs) -> list[str]:
    asked: list[str] = []
    jobs.started.connect(lambda slot, _: asked.append(slot) if "layout" in slot else None)
    return asked


@pytest.mark.parametrize(("cores", "waits"), [(2, True), (64, False)])
def test_the_layout_model_waits_for_vectors_where_cores_are_few(
    qtbot: QtBot, jobs: Jobs, opening: Opening, monkeypatch: pytest.MonkeyPatch, cores, waits
) -> None:
    monkeypatch.setattr(module.os, "cpu_count", lambda: cores)
    is_making = [True]
    opening.layout_waits = lambda: is_making[0]
    asked = asked_layouts(jobs)
    with qtbot.waitSignal(opening.finished, timeout=60_000):
        document = opening.open(SAMPLE)
    qtbot.waitUntil(lambda: not jobs.is_busy("text "), timeout=60_000)
    assert (asked == []) is waits
    is_making[0] = False
    jobs.request("vectors x", "python", lambda token: None, lambda _: None)
    qtbot.waitUntil(lambda: asked != [], timeout=60_000)
    assert asked[0] == f"layout {document}"


def test_a_document_that_is_closed_meanwhile_is_not_laid_out(
    qtbot: QtBot, jobs: Jobs, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    is_making = [True]
    opening.layout_waits = lambda: is_making[0]
    asked = asked_layouts(jobs)
    with qtbot.waitSignal(opening.finished, timeout=60_000):
        document = opening.open(SAMPLE)
    opening.close(document)
    is_making[0] = False
    ended: list[str] = []
    jobs.ended.connect(ended.append)
    jobs.request("vectors x", "python", lambda token: None, lambda _: None)
    qtbot.waitUntil(lambda: "vectors x" in ended, timeout=60_000)
    qtbot.wait(1)  # the turn of the event loop in which it would go on
    assert asked == []


def test_layouts_that_come_while_the_text_is_made_anew_are_put_into_it(
    qtbot: QtBot, jobs: Jobs, opening: Opening
) -> None:
    opening.uses_layout_model = False
    with qtbot.waitSignal(opening.finished, timeout=60_000):
        document = opening.open(SAMPLE)
    session = opening._sessions[document]
    ended: list[str] = []
    jobs.ended.connect(ended.append)
    with qtbot.waitSignal(opening.finished, timeout=60_000):
        opening.set_settings(TextSettings(boilerplate="keep"))
        session.raw[0] = replace(session.raw[0])  # as if the model had found its blocks
        session.layout_pages.add(0)
    qtbot.waitUntil(lambda: f"text {document} blocks" in ended, timeout=60_000)
