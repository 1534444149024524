# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a page holds, the items that fill it, and the measures of a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pymupdf
from paragraphs import FACES, Line, Piece, Style

PAGE_WIDTH, PAGE_HEIGHT = 595.0, 842.0  # A4 (points)
Colour = tuple[float, float, float]
Draw = Callable[["Page", float, float], None]


@dataclass(frozen=True, slots=True)
class Theme:
    """Measures (points) and styles of one document."""

    accent: Colour
    tint: Colour
    body: Style
    narrow: Style  # body text in two columns
    left: float = 66.0
    right: float = 66.0
    top: float = 78.0
    bottom: float = 72.0
    gutter: float = 20.0
    paragraph_gap: float = 6.0
    chapter_on_new_page: bool = False
    numbering: str = "document"
    header: str = ""  # left running header; the right one is the current top heading
    footer: str = ""
    plain_pages: int = 0  # pages at the front without header and footer
    roman_pages: int = 0  # pages at the front with roman numbers

    def column_width(self, columns: int) -> float:
        """Width of the text in one of so many columns."""
        whole = PAGE_WIDTH - self.left - self.right
        return (whole - (columns - 1) * self.gutter) / columns

    def page_label(self, number: int) -> str:
        """The number that is printed on the page of this number from 1."""
        if number <= self.roman_pages:
            return ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii")[number - 1]
        return str(number - self.roman_pages)


@dataclass(slots=True)
class Page:
    """What is drawn on one page, in order; shapes below text.

    A shape is its points, the width of its line (0: it is filled) and its colour.
    """

    number: int
    pieces: list[tuple[float, float, Piece]] = field(default_factory=list)
    shapes: list[tuple[list[tuple[float, float]], float, Colour]] = field(default_factory=list)
    links: list[tuple[pymupdf.Rect, int]] = field(default_factory=list)
    headings: list[tuple[int, str, float]] = field(default_factory=list)
    chapter: str = ""

    def line(self, x: float, y: float, line: Line) -> None:
        """Set a line with its baseline at y."""
        self.pieces += [(x + dx, y - piece.rise, piece) for dx, piece in line.pieces]

    def text(self, x: float, y: float, text: str, style: Style, *, anchor: str = "left") -> None:
        """Set one unbroken text with its baseline at y."""
        face = FACES[style.family][style.bold + 2 * style.italic]
        piece = Piece(text, face, style.size, 0.0, style.colour)
        shift = {"left": 0.0, "centre": 0.5, "right": 1.0}[anchor] * piece.width
        self.pieces.append((x - shift, y, piece))

    def rule(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        width: float = 0.5,
        colour: Colour = (0.3, 0.3, 0.33),
    ) -> None:
        """Draw a straight line."""
        self.shapes.append(([(x0, y0), (x1, y1)], width, colour))

    def fill(self, x0: float, y0: float, x1: float, y1: float, colour: Colour) -> None:
        """Fill a rectangle."""
        self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], colour)

    def polygon(self, points: list[tuple[float, float]], colour: Colour) -> None:
        """Fill a polygon."""
        self.shapes.append((points, 0.0, colour))


@dataclass(frozen=True, slots=True)
class Item:
    """A rectangle that is never divided, `gap` below the item before it."""

    height: float
    draw: Draw
    gap: float = 0.0
    keep: bool = False  # no break after it
    notes: tuple[str, ...] = ()
    header: Item | None = None  # set again on top when a frame begins with this item
    floats: int = 0  # items of one float share a number above 0
    block: int = 0
    breaks: bool = False  # begins a page
    movable: bool = False  # running text, which may go before a float that does not fit


@dataclass(frozen=True, slots=True)
class Region:
    """Items for so many columns."""

    columns: int
    items: list[Item]
