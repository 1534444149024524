# SPDX-License-Identifier: AGPL-3.0-or-later
"""Lines of a paragraph: words, division, and the breaks with the least total badness.

Source of the method: Knuth and Plass 1981, Software: Practice and Experience 11,
section "The line-breaking problem"; here without tolerance classes and flagged penalties.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pymupdf
from markup import Run

FACES = {
    "serif": ("tiro", "tibo", "tiit", "tibi"),
    "sans": ("helv", "hebo", "heit", "hebi"),
}
_SHRINK, _STRETCH, _OVERFULL = 0.28, 0.55, 1e9
_HYPHEN_COST = {True: 60.0, False: 4000.0}  # in justified and in ragged text
_SMALL, _RAISE, _LOWER = 0.68, 0.36, -0.14  # script size and shifts, in font sizes


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is set; sizes in points, colour as red, green, blue from 0 to 1."""

    family: str = "serif"
    size: float = 10.0
    leading: float = 13.0
    colour: tuple[float, float, float] = (0.1, 0.1, 0.12)
    bold: bool = False
    italic: bool = False
    align: str = "justify"  # justify, left, right, centre
    ligatures: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one font, at one height."""

    text: str
    font: str
    size: float
    rise: float
    colour: tuple[float, float, float]

    @property
    def width(self) -> float:
        """Advance of the text in points."""
        return _width(self.font, self.text) * self.size


@dataclass(frozen=True, slots=True)
class Box:
    """An unbreakable part of a word, and what may follow it: space, hyphen, break or end."""

    pieces: tuple[Piece, ...]
    width: float
    after: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Pieces with their x offsets, and the footnotes whose marks stand in the line."""

    pieces: tuple[tuple[float, Piece], ...]
    notes: tuple[str, ...]


@cache
def font(name: str) -> pymupdf.Font:
    """One of the base fonts that MuPDF carries."""
    return pymupdf.Font(name)


@cache
def _width(name: str, text: str) -> float:
    """Advance of a text set at size 1."""
    return font(name).text_length(text, 1.0)


class Setter:
    """Makes lines of runs: knows the divided words and the numbers of footnotes."""

    def __init__(
        self, divided: dict[str, tuple[str, ...]], note_mark: Callable[[str], str]
    ) -> None:
        self._divided = divided
        self._note_mark = note_mark

    def lines(self, runs: list[Run], style: Style, width: float) -> list[Line]:
        """The lines of a paragraph `width` points wide."""
        boxes = self._boxes(runs, style)
        if not boxes:
            return []
        space = font(FACES[style.family][0]).text_length(" ", style.size)
        breaks = _best_breaks(boxes, width, space=space, justify=style.align == "justify")
        hyphen = Piece("-", _face(style, Run("")), style.size, 0.0, style.colour)
        lines = []
        for start, end in zip([0, *breaks[:-1]], breaks, strict=True):
            lines.append(
                _set_line(boxes[start:end], style, width, space=space, hyphen=hyphen)
                if end > start
                else Line((), ())
            )
        return lines

    def _boxes(self, runs: list[Run], style: Style) -> list[Box]:
        boxes: list[Box] = []
        open_pieces: list[Piece] = []
        notes: list[str] = []

        def close(after: str) -> None:
            if open_pieces:
                width = sum(piece.width for piece in open_pieces)
                boxes.append(Box(tuple(open_pieces), width, after, tuple(notes)))
                open_pieces.clear()
                notes.clear()
            elif boxes and after == "space":
                boxes[-1] = Box(boxes[-1].pieces, boxes[-1].width, after, boxes[-1].notes)

        for run in runs:
            if run.note:
                open_pieces.append(_piece(self._note_mark(run.note), run, style))
                notes.append(run.note)
                continue
            for part in re.findall(r" +|[^ ]+", _tie(run.text)):
                if part.startswith(" "):
                    close("space")
                    continue
                for fragment, after in self._fragments(part):
                    open_pieces.append(_piece(fragment, run, style))
                    if after:
                        close(after)
        close("end")
        return boxes

    def _fragments(self, word: str) -> list[tuple[str, str]]:
        """Parts of a word with what follows each: hyphen, break, or nothing."""
        result: list[tuple[str, str]] = []
        for token in re.findall(r"[^\W\d_]+|[\W\d_]+", word):
            if token in self._divided:
                syllables = self._divided[token]
                result += [(syllable, "hyphen") for syllable in syllables[:-1]]
                result.append((syllables[-1], ""))
            elif token in ("-", "–") and result and len(result[-1][0]) > 1:
                result.append((token, "break"))
            else:
                result.append((token, ""))
        return result


def _best_breaks(boxes: list[Box], width: float, *, space: float, justify: bool) -> list[int]:
    """Indexes after which lines end, by dynamic programming over all break points."""
    hyphen = space * 1.3
    count = len(boxes)
    cost = [0.0] + [float("inf")] * count
    origin = [0] * (count + 1)
    for start in range(count):
        if cost[start] == float("inf") or (start and not boxes[start - 1].after):
            continue
        natural, spaces = 0.0, 0
        for end in range(start + 1, count + 1):
            box = boxes[end - 1]
            natural += box.width
            total = natural + (hyphen if box.after == "hyphen" else 0.0)
            if total - spaces * space * _SHRINK > width and end > start + 1:
                break
            last = end == count
            bad = _badness(width - total, spaces * space, last=last, justify=justify)
            bad += _HYPHEN_COST[justify] if box.after == "hyphen" and not last else 0.0
            bad += 1000.0 if last and box.after == "end" and natural < 0.06 * width else 0.0
            if cost[start] + bad < cost[end]:
                cost[end], origin[end] = cost[start] + bad, start
            if box.after == "space":
                natural += space
                spaces += 1
    breaks = [count]
    while origin[breaks[0]]:
        breaks.insert(0, origin[breaks[0]])
    return breaks


def _badness(slack: float, spaces: float, *, last: bool, justify: bool) -> float:
    if slack < 0 and not spaces:
        return _OVERFULL
    if slack < 0:
        return 10.0 + 100.0 * (-slack / (spaces * _SHRINK)) ** 3
    if last:
        return 10.0
    if not justify:
        return 10.0 + slack**2 / 10.0
    return 10.0 + 100.0 * min(slack / (max(spaces, 1.0) * _STRETCH), 30.0) ** 3


def _set_line(boxes: list[Box], style: Style, width: float, *, space: float, hyphen: Piece) -> Line:
    divided = boxes[-1].after == "hyphen"
    gaps = sum(box.after == "space" for box in boxes[:-1])
    natural = sum(box.width for box in boxes) + gaps * space + (hyphen.width if divided else 0.0)
    slack = width - natural
    extra = 0.0
    if gaps and (slack < 0 or (style.align == "justify" and boxes[-1].after != "end")):
        extra = slack / gaps
    x = {"right": max(slack, 0.0), "centre": max(slack, 0.0) / 2}.get(style.align, 0.0)
    pieces: list[tuple[float, Piece]] = []
    for index, box in enumerate(boxes):
        for piece in box.pieces:
            if pieces and _continues(pieces[-1], x, piece):
                start, before = pieces.pop()
                pieces.append((start, _merge(before, piece)))
            else:
                pieces.append((x, piece))
            x = pieces[-1][0] + pieces[-1][1].width
        if box.after == "space" and index < len(boxes) - 1:
            at, before = pieces[-1]
            pieces[-1] = (at, _merge(before, Piece(" ", *_rest(before))))
            x += space + extra
    if divided:
        pieces.append((x, hyphen))
    return Line(tuple(pieces), tuple(note for box in boxes for note in box.notes))


def _continues(before: tuple[float, Piece], x: float, piece: Piece) -> bool:
    return _rest(before[1]) == _rest(piece) and abs(before[0] + before[1].width - x) < 0.01


def _rest(piece: Piece) -> tuple[str, float, float, tuple[float, float, float]]:
    return piece.font, piece.size, piece.rise, piece.colour


def _merge(first: Piece, second: Piece) -> Piece:
    return Piece(first.text + second.text, *_rest(first))


def _tie(text: str) -> str:
    """Put no-break spaces between a number and the sign or short unit after it."""
    return re.sub(r"(?<=\d) (?=(%|°|mg|kg|ml|IU|h|km|m|mm)(?![^\W\d_]))", "\u00a0", text)


def _face(style: Style, run: Run) -> str:
    return FACES[style.family][(style.bold or run.bold) + 2 * (style.italic or run.italic)]


def _piece(text: str, run: Run, style: Style) -> Piece:
    size = style.size * (_SMALL if run.script else 1.0)
    rise = style.size * (0.0 if not run.script else _RAISE if run.script > 0 else _LOWER)
    text = text.replace("\u00a0", " ")  # it has kept the words together, and is a space now
    if style.ligatures:
        text = text.replace("fi", "\ufb01").replace("fl", "\ufb02")
    return Piece(text, _face(style, run), size, rise, style.colour)
