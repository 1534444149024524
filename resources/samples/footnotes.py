# SPDX-License-Identifier: AGPL-3.0-or-later
"""Footnotes: their numbers in order of their marks, their lines, their height."""

from __future__ import annotations

from collections.abc import Iterable

from markup import Run, Source, runs
from pages import Theme
from paragraphs import Line, Setter, Style

LEADING = 10.0
ABOVE = 16.0  # between the text and the first note, with the rule


class Footnotes:
    """The notes of one source."""

    def __init__(self, source: Source, theme: Theme, divided: dict[str, tuple[str, ...]]) -> None:
        marks = [
            run.note
            for block in source.blocks
            for text in (block.text, *(cell for row in block.rows for cell in row))
            for run in runs(text)
            if run.note
        ]
        self._numbers = {
            note: str(index) for index, note in enumerate(dict.fromkeys(marks), start=1)
        }
        setter = Setter(divided, self.mark)
        style = Style("serif", 8.0, LEADING, ligatures=theme.body.ligatures)
        self._lines = {
            note: setter.lines(
                [Run(number, script=1), Run(" "), *runs(source.footnotes[note])],
                style,
                theme.column_width(1),
            )
            for note, number in self._numbers.items()
        }

    def mark(self, note: str) -> str:
        """The number of a note."""
        return self._numbers[note]

    def lines(self, note: str) -> list[Line]:
        """The lines of a note, its number in front."""
        return self._lines[note]

    def height(self, notes: Iterable[str]) -> float:
        """Height of notes at the foot of a page, each of them once; 0 without notes."""
        count = sum(len(self._lines[note]) for note in dict.fromkeys(notes))
        return count * LEADING + ABOVE if count else 0.0
