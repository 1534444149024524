# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is made of each page by itself, kept as long as the page, and made ahead while others come.

A document is assembled again and again while its pages arrive. What a page's text looks like
depends on the others only by its running lines; it is made anew when these change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from core.document.blocks import TextLine
from core.document.boilerplate import ALL, EdgePiece, find_boilerplate, find_edge_pieces
from core.document.line_geometry import PageGlyphs, place_glyphs
from core.document.lines import Fragments, find_fragments
from core.document.model import BlockKind
from core.document.page_layout import PageLayout, Part, lay_out, without_lines
from core.document.raw import RawPage

Running = tuple[tuple[tuple[int, ...], BlockKind], ...]  # the boilerplate lines of a page

_AHEAD = 2  # pages after one that tell, with those before it, which of its lines run
_NEIGHBOURS = 16  # pages before it


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPage:
    """A page in reading order, and the place of each of its glyphs."""

    layout: PageLayout
    glyphs: PageGlyphs


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """A prepared page without the page itself, by which it is kept: it would keep itself."""

    running: Running
    fragments: Fragments
    parts: tuple[Part, ...]
    marked: tuple[tuple[TextLine, BlockKind], ...]
    glyphs: PageGlyphs

    def of(self, page: RawPage) -> PreparedPage:
        layout = PageLayout(page, self.fragments, self.parts, self.marked)
        return PreparedPage(layout, self.glyphs)


_EDGES: "WeakKeyDictionary[RawPage, list[EdgePiece]]" = WeakKeyDictionary()
_KEPT: "WeakKeyDictionary[RawPage, _Kept]" = WeakKeyDictionary()


def prepare_pages(pages: Sequence[RawPage], *, repeated: bool) -> list[PreparedPage]:
    """Take the boilerplate out of all pages, and lay out what is left of each.

    `repeated`: all pages are there, so that what repeats on them is boilerplate too.
    """
    found = _boilerplate(pages, repeated=repeated)
    return [_prepared(page, running) for page, running in zip(pages, found, strict=True)]


def prepare_page(page: RawPage) -> None:
    """Do what a page needs by itself, before the others are there; the result is kept with it.

    Worth calling as pages arrive: the reading process works meanwhile.
    """
    _prepared(page, ())


class Preparation:
    """Prepares pages of a whole file as they arrive, each with the running lines of its neighbours.

    Where the whole file shows other running lines, `prepare_pages` does the page again. One page
    is prepared for each that arrives: the pipe from the reading process holds two or three pages,
    and it stands still while the pipe is full.
    """

    def __init__(self) -> None:
        self._pages: list[RawPage] = []
        self._done = 0

    def add(self, page: RawPage) -> None:
        """Take a page, the next in order, and prepare the one that now has its neighbours."""
        self._pages.append(page)
        self._prepare_to(len(self._pages) - _AHEAD)

    def finish(self) -> None:
        """Prepare the pages that still wait."""
        self._prepare_to(len(self._pages))

    def _prepare_to(self, end: int) -> None:
        if end <= self._done:
            return
        first = max(0, self._done - _NEIGHBOURS)
        asked = slice(self._done - first, end - first)
        found = _boilerplate(self._pages[first:], repeated=True, asked=asked)
        for page, running in zip(self._pages[self._done : end], found, strict=True):
            _prepared(page, running)
        self._done = end


def _boilerplate(pages: Sequence[RawPage], *, repeated: bool, asked: slice = ALL) -> list[Running]:
    """Return the boilerplate of each page that is asked for, as it shows among `pages`."""
    found = find_boilerplate([_edges(page) for page in pages], repeated=repeated, asked=asked)
    return [tuple([(piece.fragments, kind) for piece, kind in running]) for running in found]


def _edges(page: RawPage) -> list[EdgePiece]:
    found = _EDGES.get(page)
    if found is None:
        size = page.width, page.height
        found = _EDGES[page] = find_edge_pieces(page.index, find_fragments(page), size)
    return found


def _prepared(page: RawPage, running: Running) -> PreparedPage:
    """Return a page in order; it is kept until other lines of the page are boilerplate."""
    kept = _KEPT.get(page)
    if kept is None or kept.running != running:
        layout = _laid_out(page, kept, running)
        glyphs = place_glyphs(layout)
        kept = _Kept(running, layout.fragments, layout.parts, layout.running, glyphs)
        _KEPT[page] = kept
    return kept.of(page)


def _laid_out(page: RawPage, kept: _Kept | None, running: Running) -> PageLayout:
    """Lay a page out, from its layout without boilerplate if there is one."""
    if kept is not None and not kept.running:
        layout = without_lines(kept.of(page).layout, running)
        if layout is not None:
            return layout
    return lay_out(page, find_fragments(page), running)
