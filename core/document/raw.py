# SPDX-License-Identifier: AGPL-3.0-or-later
"""A page as the PDF process hands it over: its glyphs, cleaned, and what else is drawn.

Everything is in the display frame: points, origin at the top left of the page as shown, y down.
The layers above (lines, reading order, blocks, text) need no PDF library.

`RawPage.counts` is by the kinds of `core.document.page_notices`; `collect_notices(pages)` there
makes of them the notices of the document (OCR text, unknown characters, no text layer, …), and
passes on `RawPage.notices`, which hold only what is true of the page alone.
`start` and `end` of glyphs count from the origin (x, y) of their own run.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.document.model import Notice


@dataclass(frozen=True, slots=True, eq=False)
class Glyphs:
    """The n characters of a page in file order, struct of arrays.

    One entry is one code point of cleaned text: ligatures are expanded and share their glyph's
    width, glyphs drawn twice count once, control characters are gone. A space that the PDF
    library inferred is an entry like others.
    """

    codes: NDArray[np.int32]  # code points
    x: NDArray[np.float32]  # origin on the baseline, points
    y: NDArray[np.float32]
    start: NDArray[np.float32]  # along the run's direction, points from the run's origin
    end: NDArray[np.float32]
    run: NDArray[np.int32]  # index into the runs

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The m runs: neighbouring glyphs of one line of the file in one font and size."""

    line: NDArray[np.int32]  # line of the PDF library, in file order
    block: NDArray[np.int32]  # block of the PDF library
    x: NDArray[np.float32]  # origin of the run's line on the baseline
    y: NDArray[np.float32]
    dx: NDArray[np.float32]  # unit direction of the text
    dy: NDArray[np.float32]
    size: NDArray[np.float32]  # points
    ascent: NDArray[np.float32]  # points, at least 0
    descent: NDArray[np.float32]  # points, at least 0
    flags: NDArray[np.int32]  # BOLD, ITALIC, MONO, SUPERSCRIPT, INVISIBLE, VERTICAL
    font: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()  # role of the structure tree, "" without tags


BOLD, ITALIC, MONO, SUPERSCRIPT, INVISIBLE, VERTICAL = (1 << bit for bit in range(6))


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """A region that the layout model found: its class name, box (points), confidence."""

    kind: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table that was found on the page: its box, and the boxes of its cells row by row."""

    box: tuple[float, float, float, float]
    rows: tuple[tuple[tuple[float, float, float, float] | None, ...], ...]
    header_rows: int = 0


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class RawPage:
    """One page of a PDF, before lines, order and blocks are found."""

    index: int
    width: float
    height: float
    rotation: int
    label: str
    glyphs: Glyphs
    runs: Runs
    images: NDArray[np.float32]  # (k, 4) boxes of pictures
    drawings: NDArray[np.float32]  # (k, 4) boxes of vector graphics, for rules and frames
    layout: tuple[LayoutBox, ...] | None = None  # None: the model has not run
    tables: tuple[RawTable, ...] | None = None  # None: not looked for
    notices: tuple[Notice, ...] = ()
    error: str = ""  # not empty: the page could not be read, and why
    counts: dict[str, int] = field(default_factory=dict)  # of what was cleaned, by kind


def no_glyphs() -> tuple[Glyphs, Runs]:
    """The glyphs and runs of a page without text."""
    whole, real = np.empty(0, np.int32), np.empty(0, np.float32)
    runs = Runs(whole, whole, real, real, real, real, real, real, real, whole)
    return Glyphs(whole, real, real, real, real, whole), runs


def unreadable_page(index: int, width: float, height: float, error: str) -> RawPage:
    """A page that could not be read: its place is kept, its text is empty."""
    glyphs, runs = no_glyphs()
    boxes = np.empty((0, 4), np.float32)
    return RawPage(index, width, height, 0, "", glyphs, runs, boxes, boxes, error=error)
