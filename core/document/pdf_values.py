# SPDX-License-Identifier: AGPL-3.0-or-later
"""Values that the PDF process sends besides pages of text. All of them are plain data.

Boxes and sizes are points in the display frame: origin at the top left of the page as shown,
rotation applied, y down. Pages count from 0.
"""

from dataclasses import dataclass
from typing import Literal

from core.document.model import Notice, OutlineItem

Box = tuple[float, float, float, float]  # x0, y0, x1, y1
Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]  # along the text: start top, end top, end, start bottom


@dataclass(frozen=True, slots=True)
class PageSize:
    """Size of one page as shown, and its printed label. `error` says why it cannot be read."""

    width: float  # points
    height: float  # points
    rotation: int = 0  # degrees clockwise
    label: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class PageMarks:
    """What is drawn on one page: tints with their parity (0 or 1), cuts with their words."""

    page: int
    fills: tuple[tuple[Quad, int], ...]
    cuts: tuple[tuple[Quad, str], ...]


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form. `shown` is False when the page does not draw the value."""

    page: int
    name: str
    kind: str  # Text, CheckBox, ComboBox, ListBox, RadioButton, Button, Signature
    value: str
    box: Box
    shown: bool


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation of the file, which is part of the page's picture."""

    kind: str  # Highlight, Ink, Stamp, FreeText, …
    box: Box
    contents: str


@dataclass(frozen=True, slots=True)
class Link:
    """An active area of a page: to a page of this document, or to an address outside."""

    box: Box
    page: int | None  # None: it leads outside, or nowhere
    y: float = 0.0  # points from the top of the target page
    uri: str = ""  # of a link outside; never followed without a click
    name: str = ""  # of a named destination


@dataclass(frozen=True, slots=True)
class PageImage:
    """A rendered page or tile: rows of `stride` bytes from the top, three bytes a pixel.

    `scale` is what was drawn: lower than asked where the picture had too many pixels.
    """

    width: int  # pixels
    height: int  # pixels
    stride: int  # bytes
    data: bytes
    scale: float  # pixels a point
    format: Literal["RGB888"] = "RGB888"


@dataclass(frozen=True, slots=True)
class PdfInfo:
    """What is known of a PDF when it is opened, before any page is read."""

    name: str
    source_sha256: str
    pages: tuple[PageSize, ...]
    metadata: dict[str, str]
    outline: tuple[OutlineItem, ...]
    attachments: tuple[str, ...]
    needs_password: bool
    may_copy: bool
    may_print: bool
    repaired: bool
    warnings: tuple[str, ...]
    tagged: bool
    language: str  # as the file says, such as "EN-US"; "" when it does not
    notices: tuple[Notice, ...] = ()

    @property
    def page_count(self) -> int:
        """How many pages the file says it has."""
        return len(self.pages)
