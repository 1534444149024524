# SPDX-License-Identifier: AGPL-3.0-or-later
"""The document model: a string, and what refers to it by offsets. Values only, no I/O."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.arrays import Spans, as_spans

BlockKind = Literal[
    "heading",
    "paragraph",
    "list_item",
    "table",
    "caption",
    "figure",
    "footnote",
    "header",
    "footer",
    "page_number",
    "formula",
]
BlockSource = Literal["tags", "fonts", "model", "user", "text"]
Form = Literal["plain", "markdown"]

BOILERPLATE: frozenset[str] = frozenset({"header", "footer", "page_number"})
PARAGRAPH_KINDS: frozenset[str] = frozenset(
    {"heading", "paragraph", "list_item", "table", "caption", "footnote", "formula"}
)


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it is shown: rotation applied, origin at the top left, y down.

    `start` and `end` are its span of the text. Pages tile the text: what stands between two
    pages belongs to the page before. A page without text has an empty span.
    """

    index: int
    width: float  # points
    height: float  # points
    rotation: int  # degrees clockwise that were applied
    start: int
    end: int
    label: str = ""
    state: Literal["ready", "waiting", "empty", "failed"] = "ready"


@dataclass(frozen=True, slots=True)
class Block:
    """A span of the text with a role on the page."""

    start: int
    end: int
    kind: BlockKind
    level: int  # 1 to 6 of a heading or a nested list item, 0 otherwise
    page: int  # where it begins
    boxes: tuple[tuple[int, float, float, float, float], ...] = ()  # page, x0, y0, x1, y1 (points)
    source: BlockSource = "fonts"
    confidence: float = 1.0
    rows: tuple[tuple[int, int], ...] = ()  # of a table: the spans of its rows, in order
    header_rows: int = 0  # of a table: how many of the rows are its heading


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know. `page` counts from 0; None means the whole document."""

    page: int | None
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """An entry of the outline; `page` is None when it leads nowhere in this document."""

    title: str
    level: int  # from 1
    page: int | None
    y: float = 0.0  # points from the top of the page as shown
    detected: bool = False  # made from headings, because the file has no outline


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The n lines of text on the pages, struct of arrays, display frame, points.

    A line has an origin on its baseline, a unit direction along the text, and an ascent and
    descent perpendicular to it (both at least 0). Columns make lines of their own.
    """

    page: NDArray[np.int32]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    dx: NDArray[np.float32]
    dy: NDArray[np.float32]
    ascent: NDArray[np.float32]
    descent: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.page)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class CharGeometry:
    """Where the N characters of the text are.

    line: int32 (N,), −1 where no glyph made the character. start, end: float32 (N,), points along
    the line's direction from its origin.
    """

    line: NDArray[np.int32]
    start: NDArray[np.float32]
    end: NDArray[np.float32]
    lines: Lines


def no_geometry(length: int) -> CharGeometry:
    """The geometry of a text of `length` characters that was never on a page."""
    none = np.empty(0, np.float32)
    lines = Lines(np.empty(0, np.int32), none, none, none, none, none, none)
    zeros = np.zeros(length, np.float32)
    return CharGeometry(np.full(length, -1, np.int32), zeros, zeros, lines)


@dataclass(frozen=True, slots=True)
class TextSettings:
    """What the text of a document depends on, besides the file."""

    form: Form = "plain"
    boilerplate: Literal["drop", "keep"] = "drop"
    layout: Literal["fast", "model"] = "fast"
    pages: tuple[int, ...] | None = None  # indices; None: all


@dataclass(frozen=True, eq=False)
class Document:
    """One string and everything that was found about it. Compared by `key`."""

    text: str
    name: str = ""
    source_sha256: str = ""
    pages: tuple[Page, ...] = ()
    geometry: CharGeometry | None = None
    blocks: tuple[Block, ...] = ()
    notices: tuple[Notice, ...] = ()
    outline: tuple[OutlineItem, ...] = ()
    settings: TextSettings = field(default_factory=TextSettings)
    language: str = "en"  # ISO 639-1, detected
    final: bool = True  # False while pages are still arriving

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the text in UTF-8, as in query sets (`spec/evaluation.md` 1)."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()

    @cached_property
    def key(self) -> str:
        """What caches know this document by: its text and its blocks."""
        blocks = repr([(b.start, b.end, b.kind, b.level, b.rows) for b in self.blocks])
        pages = repr([(page.start, page.end) for page in self.pages])
        return hashlib.sha256(f"{self.sha256}|{pages}|{blocks}".encode()).hexdigest()

    @cached_property
    def block_spans(self) -> Spans:
        """int64 (n, 2): the spans of the blocks, in their order."""
        return as_spans([(block.start, block.end) for block in self.blocks])

    @cached_property
    def page_starts(self) -> NDArray[np.int64]:
        """int64 (pages,): where each page begins in the text."""
        return np.array([page.start for page in self.pages], dtype=np.int64)

    def page_of(self, offset: int) -> int:
        """Index of the page that holds the character at `offset`; 0 without pages.

        An empty page holds no character: the last page that begins at or before counts.
        """
        if not self.pages:
            return 0
        return max(0, int(np.searchsorted(self.page_starts, offset, side="right")) - 1)
