# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a chunking looks like on one page: boxes, cut lines, hatches, in points of the page.

Made from offsets with numpy, once per chunking and page, for the pages in view. Knows no painter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Offsets, Spans, as_spans
from core.document.geometry import index_geometry, span_boxes
from core.document.model import CharGeometry, Document
from core.strategies.chunks import LEVELS, Chunks

Quads = NDArray[np.float32]  # (k, 4, 2)
Box = tuple[float, float, float, float]
_FIRST = np.zeros(1, np.int64)
_PARENT = LEVELS.index("parent")
# of each code point up to U+3001 whether it is blank: none above it is
_BLANK = np.array([chr(code).isspace() for code in range(0x3002)])


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """k quads on one page, float32 (k, 4, 2) points, and what each belongs to, int64 (k,)."""

    quads: Quads
    owners: Indices

    def __len__(self) -> int:
        return len(self.owners)


NO_PIECES = Pieces(np.empty((0, 4, 2), np.float32), np.empty(0, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class CutLines:
    """k cuts on one page.

    paths: float32 (k, 4, 2), points: along the foot of the line before the cut, up at the cut,
        along the head of the line after it. At a line's start it is one straight line.
    chunks: int64 (k,): the chunk that begins (or, of an end without a successor, that ended).
    is_end: bool (k,): the end of a chunk after which text is in no chunk.
    """

    paths: Quads
    chunks: Indices
    is_end: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.chunks)


NO_CUTS = CutLines(np.empty((0, 4, 2), np.float32), np.empty(0, np.int64), np.empty(0, np.bool_))


@dataclass(frozen=True, slots=True, eq=False)
class PageOverlay:
    """What one strategy draws on one page."""

    fills: Pieces
    parents: Pieces
    overlaps: Pieces
    tails: Pieces
    cuts: CutLines
    tail_lines: CutLines  # where the embedder stops reading


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """What is worked out once for the text of a geometry."""

    following: Offsets
    extents: NDArray[np.float32]
    is_leftward: NDArray[np.bool_]


_READINGS: "WeakKeyDictionary[CharGeometry, _Reading]" = WeakKeyDictionary()


def prepare_overlays(document: Document) -> None:
    """Work out now, in whatever thread, what the first overlay of a document needs.

    For a text of 10 MB it takes seconds, which painting must not.
    """
    if document.geometry is not None:
        index_geometry(document.geometry)
        _reading_of(document, document.geometry)


def _reading_of(document: Document, geometry: CharGeometry) -> _Reading:
    reading = _READINGS.get(geometry)
    if reading is None:
        following = next_glyph(geometry, document.text)
        reading = _Reading(following, line_extents(geometry), lines_leftward(geometry))
        _READINGS[geometry] = reading
    return reading


class OverlayMaker:
    """Finds overlays of one document. Holds what depends on the text alone."""

    def __init__(self, document: Document) -> None:
        geometry = document.geometry
        assert geometry is not None, "a document on pages has geometry"
        self.document = document
        self._geometry = geometry
        reading = _reading_of(document, geometry)
        self._next, self._extents = reading.following, reading.extents
        self._is_leftward = reading.is_leftward

    def overlay(self, chunks: Chunks, page: int, tails: Mapping[int, int] | None) -> PageOverlay:
        """What `chunks` look like on `page`; `tails` gives the first unread offset of a chunk."""
        spans, owners = self._on_page(chunks, page)
        is_parent = chunks.levels[owners] == _PARENT
        return PageOverlay(
            fills=self.pieces(spans[~is_parent], owners[~is_parent], page),
            parents=self.pieces(spans[is_parent], owners[is_parent], page),
            overlaps=self.pieces(*_overlaps(spans[~is_parent]), page),
            tails=self._tails(chunks, owners, page, tails),
            cuts=self.cuts(chunks, page),
            tail_lines=self._tail_lines(page, tails),
        )

    def pieces(self, spans: Spans, owners: Indices, page: int) -> Pieces:
        """The quads of spans on one page, one a line; `owners` int64 (n,) name the spans."""
        if not len(spans):
            return NO_PIECES
        low, high = self._page_span(page)
        clipped = np.clip(spans, low, high)
        found = span_boxes(self._geometry, clipped)
        here = found.page == page
        size = self.document.pages[page]
        # Boxes of tiny letters are made larger, and those at an edge would leave the page.
        quads = np.clip(found.quads[here], 0, np.array([size.width, size.height], np.float32))
        return Pieces(quads, owners[found.owner[here]])

    def cuts(self, chunks: Chunks, page: int) -> CutLines:
        """The cut lines of `chunks` on one page: starts, and ends before a gap."""
        if not len(chunks.spans):
            return NO_CUTS
        starts, ends = chunks.spans[:, 0], chunks.spans[:, 1]
        begins = self._next[starts]
        keeps = (begins < np.maximum(ends, starts + 1)) & (begins > self._next[0])
        offsets, owners = begins[keeps], chunks.owners[keeps]
        gaps = self._gap_ends(chunks)
        offsets = np.concatenate([offsets, self._next[ends[gaps]]])
        owners = np.concatenate([owners, chunks.owners[gaps]])
        is_end = np.arange(len(offsets)) >= int(keeps.sum())
        here = self._are_on(offsets, page)
        offsets, owners, is_end = offsets[here], owners[here], is_end[here]
        _, unique = np.unique(offsets, return_index=True)
        return CutLines(self._paths(offsets[unique]), owners[unique], is_end[unique])

    def span_overlay(self, spans: Spans, page: int) -> Pieces:
        """The quads of any spans on one page; owners are their indices."""
        low, high = self._page_span(page)
        meets = np.flatnonzero((spans[:, 1] > low) & (spans[:, 0] < high))
        return self.pieces(spans[meets], meets, page)

    def outside(self, chunks: Chunks, page: int) -> Spans:
        """The text of a page that is in no chunk: int64 (k, 2), in order, without blank parts."""
        low, high = self._page_span(page)
        spans, _ = self._on_page(chunks, page)
        spans = spans[np.argsort(spans[:, 0], kind="stable")]
        reach = np.maximum.accumulate(np.concatenate([[low], spans[:, 1]]))
        begins, ends = reach, np.concatenate([spans[:, 0], [high]])
        inked = self._next[np.minimum(begins, high)] < ends
        return as_spans(np.stack([begins, ends], axis=1)[(ends > begins) & inked])

    def blocks(self, page: int) -> list[tuple[str, Box]]:
        """Kind and box (x0, y0, x1, y1, points) of the blocks on a page."""
        low, high = self._page_span(page)
        found: list[tuple[str, Box]] = []
        for block in self.document.blocks:
            if block.boxes:
                found += [(block.kind, box[1:]) for box in block.boxes if box[0] == page]
            elif block.start < high and block.end > low:
                pieces = self.pieces(as_spans([(block.start, block.end)]), _FIRST, page)
                if len(pieces):
                    corners = pieces.quads.reshape(-1, 2)
                    found.append((block.kind, (*corners.min(0).tolist(), *corners.max(0).tolist())))
        return found

    def cut_path(self, offset: int) -> tuple[int, Quads] | None:
        """Page and path, float32 (4, 2), of a cut before the character at `offset`."""
        if offset >= len(self.document.text):
            return None
        shown = int(self._next[offset])
        if shown >= len(self.document.text):
            return None
        page = int(self._geometry.lines.page[self._geometry.line[shown]])
        return page, self._paths(np.array([shown]))[0]

    def _page_span(self, page: int) -> tuple[int, int]:
        pages = self.document.pages
        return (pages[page].start, pages[page].end) if page < len(pages) else (0, 0)

    def _on_page(self, chunks: Chunks, page: int) -> tuple[Spans, Indices]:
        low, high = self._page_span(page)
        rows = np.flatnonzero((chunks.spans[:, 1] > low) & (chunks.spans[:, 0] < high))
        return chunks.spans[rows], chunks.owners[rows]

    def _tails(
        self, chunks: Chunks, owners: Indices, page: int, tails: Mapping[int, int] | None
    ) -> Pieces:
        if not tails:
            return NO_PIECES
        cut = [chunk for chunk in np.unique(owners).tolist() if chunk in tails]
        spans = as_spans([(tails[chunk], chunks.ends[chunk]) for chunk in cut])
        return self.pieces(spans, np.array(cut, dtype=np.int64), page)

    def _tail_lines(self, page: int, tails: Mapping[int, int] | None) -> CutLines:
        """Where the embedder stops reading a chunk, on one page; `chunks` are these chunks."""
        if not tails:
            return NO_CUTS
        chunks = np.fromiter(tails.keys(), np.int64, len(tails))
        offsets = self._next[np.fromiter(tails.values(), np.int64, len(tails))]
        here = self._are_on(offsets, page)
        none = np.zeros(int(here.sum()), np.bool_)
        return CutLines(self._paths(offsets[here]), chunks[here], none)

    def _gap_ends(self, chunks: Chunks) -> Indices:
        """Spans after whose end glyphs follow that are in no chunk."""
        ends = chunks.spans[:, 1]
        order = np.argsort(chunks.spans[:, 0], kind="stable")
        starts, reach = chunks.spans[order, 0], np.maximum.accumulate(chunks.spans[order, 1])
        shown = self._next[np.minimum(ends, len(self._next) - 1)]
        before = np.searchsorted(starts, shown, side="right") - 1
        is_covered = (before >= 0) & (reach[np.maximum(before, 0)] > shown)
        return np.flatnonzero(~is_covered & (shown < len(self.document.text)))

    def _are_on(self, offsets: Offsets, page: int) -> NDArray[np.bool_]:
        inside = offsets < len(self._geometry.line)
        lines = self._geometry.line[np.where(inside, offsets, 0)]
        known = inside & (lines >= 0)
        pages = self._geometry.lines.page
        return known & (pages[np.where(known, lines, 0)] == page) if len(pages) else known

    def _paths(self, offsets: Offsets) -> Quads:
        """float32 (k, 4, 2): paths of cuts before glyphs at `offsets`."""
        geometry, lines = self._geometry, self._geometry.lines
        line = geometry.line[offsets]
        start, end = geometry.start[offsets], geometry.end[offsets]
        is_leftward, extents = self._is_leftward[line], self._extents[line]
        at = np.where(is_leftward, np.maximum(start, end), np.minimum(start, end))
        first = np.where(is_leftward, extents[:, 1], extents[:, 0])
        last = np.where(is_leftward, extents[:, 0], extents[:, 1])
        at = np.where(np.abs(at - first) <= 0.5, first, at)
        top, foot = -lines.ascent[line], lines.descent[line]
        along = np.stack([first, at, at, last], axis=1)
        across = np.stack([foot, foot, top, top], axis=1)
        starts_line = at == first
        across[starts_line, :2] = top[starts_line, None]
        dx, dy = lines.dx[line][:, None], lines.dy[line][:, None]
        x = lines.x[line][:, None] + along * dx - across * dy
        y = lines.y[line][:, None] + along * dy + across * dx
        return np.stack([x, y], axis=2).astype(np.float32)


def next_glyph(geometry: CharGeometry, text: str) -> Offsets:
    """int64 (N + 1,): for each offset the first one at or after it that shows ink, else N."""
    n = len(geometry.line)
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    is_blank = _BLANK[np.minimum(codes, len(_BLANK) - 1)]
    places = np.where((geometry.line >= 0) & ~is_blank, np.arange(n), n)
    following = np.minimum.accumulate(places[::-1])[::-1] if n else places
    return np.concatenate([following, [n]]).astype(np.int64)


def line_extents(geometry: CharGeometry) -> NDArray[np.float32]:
    """float32 (lines, 2): where each line's text begins and ends along its direction, points."""
    n = len(geometry.lines)
    extents = np.stack([np.full(n, np.inf, np.float32), np.full(n, -np.inf, np.float32)], axis=1)
    known = geometry.line >= 0
    line = geometry.line[known]
    start, end = geometry.start[known], geometry.end[known]
    np.minimum.at(extents[:, 0], line, np.minimum(start, end))
    np.maximum.at(extents[:, 1], line, np.maximum(start, end))
    return extents


def lines_leftward(geometry: CharGeometry) -> NDArray[np.bool_]:
    """(lines,): whether reading goes against the line's direction, as in Arabic and Hebrew."""
    known = np.flatnonzero(geometry.line >= 0)
    line = geometry.line[known]
    middle = (geometry.start[known] + geometry.end[known]) / 2
    first, last = np.zeros((2, len(geometry.lines)), np.float32)
    last[line] = middle  # of an index that is there twice, the latter value stays
    first[line[::-1]] = middle[::-1]
    leftward: NDArray[np.bool_] = first > last
    return leftward


def _overlaps(spans: Spans) -> tuple[Spans, Indices]:
    """Text that is in more than one span: int64 (k, 2), disjoint; and their indices."""
    if len(spans) < 2:
        return as_spans([]), np.empty(0, np.int64)
    edges = np.concatenate([spans[:, 0], spans[:, 1]])
    change = np.concatenate([np.ones(len(spans), np.int64), -np.ones(len(spans), np.int64)])
    order = np.argsort(edges, kind="stable")
    edges, depth = edges[order], np.cumsum(change[order])
    is_double = (depth[:-1] >= 2) & (edges[1:] > edges[:-1])
    doubled = np.stack([edges[:-1][is_double], edges[1:][is_double]], axis=1)
    return doubled, np.arange(len(doubled))
