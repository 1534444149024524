# SPDX-License-Identifier: AGPL-3.0-or-later
"""Controllers around one open text, without a window and without a model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from core.document.model import Block, Document
from core.pipeline import Pipeline
from core.strategies.recipe import parse_recipe
from gui.controllers.chunking import Chunking
from gui.controllers.scoring import Scoring
from gui.jobs import Jobs
from gui.state import OpenDocument, State

SENTENCES = (
    "Der Rat trat am Montag zusammen und beschloss den Preis der Karte. ",
    "Das Mittel wird zwei Tage vor dem Eingriff abgesetzt. ",
    "Es wird wieder gegeben, sobald die Blutung steht. ",
    "Eine Dosis von vierzig Milligramm reicht den meisten. ",
)
PARAGRAPH = ("".join(SENTENCES) * 3).strip()
PARAGRAPHS = 8
TEXT = "\n\n".join([PARAGRAPH] * PARAGRAPHS)


def paragraphs() -> Document:
    """Eight paragraphs, each a block; German, so that nobody looks for references."""
    starts = [index * (len(PARAGRAPH) + 2) for index in range(PARAGRAPHS)]
    blocks = tuple(Block(a, a + len(PARAGRAPH), "paragraph", 0, 0) for a in starts)
    return Document(TEXT, name="text", blocks=blocks, language="de")


@dataclass
class Lab:
    """One open text, "d"."""

    qtbot: QtBot
    state: State
    jobs: Jobs
    pipeline: Pipeline
    chunking: Chunking
    scoring: Scoring
    parent: QObject

    @property
    def opened(self) -> OpenDocument:
        """The text."""
        return self.state.documents["d"]

    def wait(self, condition: Callable[[], bool]) -> None:
        """Let events pass until something is so."""
        self.qtbot.waitUntil(condition, timeout=60_000)

    def show(self, *words: str) -> list[int]:
        """Show strategies and wait until they are cut and scored."""
        slots = [self.state.add_slot(parse_recipe(word)) for word in words]
        self.wait(lambda: all(self.is_scored(slot) for slot in slots))
        return slots

    def is_scored(self, slot: int) -> bool:
        """True once the scores of a slot are those of its chunks."""
        result = self.opened.result(slot)
        if result.chunks is None or result.scores is None:
            return False
        return len(result.scores.units) == len(result.chunks)


@pytest.fixture
def lab(qtbot: QtBot) -> Iterator[Lab]:
    """A text that is open, and no strategy yet."""
    parent = QObject()
    state, jobs, pipeline = State(parent), Jobs(parent), Pipeline()
    chunking = Chunking(state, jobs, pipeline, parent)
    scoring = Scoring(state, jobs, pipeline, parent)
    state.add_document(OpenDocument("d", Path("text.txt"), "text", document=paragraphs()))
    state.text_changed.emit("d")
    yield Lab(qtbot, state, jobs, pipeline, chunking, scoring, parent)
    jobs.close()
