# SPDX-License-Identifier: AGPL-3.0-or-later
"""Offsets to boxes and back, for all spans at once.

A box belongs to one line: a span has as many boxes as it touches lines. Boxes are made from the
least and greatest place on the line of the characters that the span holds, so the order of the
characters along the line does not matter.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.arrays import Boxes, Indices, Quads, Spans, as_spans
from core.document.model import CharGeometry, Document


@dataclass(frozen=True, slots=True, eq=False)
class SpanBoxes:
    """The k pieces of spans, one for each span and line, in the order of the spans."""

    owner: NDArray[np.int64]  # (k,) row of the span
    page: NDArray[np.int32]  # (k,)
    line: NDArray[np.int32]  # (k,)
    boxes: Boxes  # (k, 4) upright, display frame, points
    quads: Quads  # (k, 4, 2) along the text: start top, end top, end bottom, start bottom

    def __len__(self) -> int:
        return len(self.owner)


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """What is worked out once for a geometry. Runs are stretches of drawn characters of a line."""

    drawn: Indices  # (d,) offsets of the characters with a line
    before: NDArray[np.int32]  # (N + 1,) how many of these are before each offset
    run_of: NDArray[np.int32]  # (d,) the run of each
    low: NDArray[np.float32]  # (d + 1,) the lesser place along the line; one more at the end
    high: NDArray[np.float32]
    run_start: Indices  # (r,) first of the drawn characters
    run_line: NDArray[np.int32]
    run_low: NDArray[np.float32]
    run_high: NDArray[np.float32]
    page_first: Indices  # (pages + 1,) into `by_page`
    by_page: Indices  # (d,) drawn characters sorted by page


_INDEXES: "WeakKeyDictionary[CharGeometry, _Index]" = WeakKeyDictionary()


def index_geometry(geometry: CharGeometry) -> None:
    """Work out now what the first question about a geometry would: seconds for a huge text."""
    _index_of(geometry)


def span_boxes(geometry: CharGeometry | None, spans: Spans) -> SpanBoxes:
    """Return the boxes of all spans, one a line.

    Args:
        geometry: of the document; without it there are no boxes.
        spans: int64 (n, 2), half-open, code points; any order, may overlap. What lies outside of
            the text gives nothing.

    Returns:
        The pieces, ordered by span and, within a span, by the text. Characters that no glyph
        made give nothing.
    """
    spans = as_spans(spans)
    if geometry is None or not len(spans):
        return _no_boxes()
    index = _index_of(geometry)
    if not len(index.drawn):
        return _no_boxes()
    inside = np.clip(spans, 0, len(geometry.line))
    begin, end = index.before[inside[:, 0]], index.before[inside[:, 1]]
    holding = np.flatnonzero(end > begin)
    begin, end = begin[holding], end[holding]
    first = index.run_of[begin]
    counts = index.run_of[end - 1] + 1 - first
    owner = np.repeat(holding, counts)
    run = np.arange(int(counts.sum())) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    low, high = _extents(index, run, np.repeat(begin, counts), np.repeat(end, counts))
    owner, line, low, high = _one_a_line(owner, index.run_line[run], low, high)
    quads = _quads(geometry, line, low, high)
    boxes = np.concatenate((_corner(quads, np.minimum), _corner(quads, np.maximum)), axis=1)
    return SpanBoxes(owner, geometry.lines.page[line], line, boxes, quads)


def _corner(quads: Quads, choose: np.ufunc) -> NDArray[np.float32]:
    """Return the least or greatest x and y of each quad; quicker than a reduction of four."""
    corner: NDArray[np.float32] = choose(
        choose(quads[:, 0], quads[:, 1]), choose(quads[:, 2], quads[:, 3])
    )
    return corner


def boxes_of(document: Document, start: int, end: int) -> list[dict[str, object]]:
    """Return the boxes of one span for people and files: page from 0, box in points, 2 decimals."""
    pieces = span_boxes(document.geometry, as_spans([(start, end)]))
    return [
        {"page": page, "box": [round(side, 2) for side in box]}
        for page, box in zip(pieces.page.tolist(), pieces.boxes.tolist(), strict=True)
    ]


def offset_at(
    document: Document, page: int, x: float, y: float, *, within: float = np.inf
) -> int | None:
    """Return the offset of the character nearest to a point of a page.

    Args:
        document: any document.
        page: index of the page.
        x: points from the left of the page as shown.
        y: points from its top.
        within: how far away, in points, the nearest may be.

    Returns:
        The offset, or None when no character of the page is that near.
    """
    geometry = document.geometry
    if geometry is None or page < 0:
        return None
    index = _index_of(geometry)
    if page + 1 >= len(index.page_first):
        return None
    chosen = index.by_page[index.page_first[page] : index.page_first[page + 1]]
    if not len(chosen):
        return None
    lines = geometry.lines
    line = geometry.line[index.drawn[chosen]]
    dx, dy = lines.dx[line], lines.dy[line]
    right, down = x - lines.x[line], y - lines.y[line]
    along, across = right * dx + down * dy, down * dx - right * dy
    beside = np.maximum(0, np.maximum(index.low[chosen] - along, along - index.high[chosen]))
    outside = np.maximum(0, np.maximum(-lines.ascent[line] - across, across - lines.descent[line]))
    distance = np.hypot(beside, outside)
    nearest = int(np.argmin(distance))
    return int(index.drawn[chosen[nearest]]) if distance[nearest] <= within else None


def _index_of(geometry: CharGeometry) -> _Index:
    index = _INDEXES.get(geometry)
    if index is None:
        index = _INDEXES[geometry] = _make_index(geometry)
    return index


def _make_index(geometry: CharGeometry) -> _Index:
    none = np.zeros(1, np.int32)
    drawn = np.flatnonzero(geometry.line >= 0)
    line = geometry.line[drawn]
    start, end = geometry.start[drawn], geometry.end[drawn]
    low, high = np.minimum(start, end), np.maximum(start, end)
    new_run = np.diff(line, prepend=np.int32(-1)) != 0
    run_start = np.flatnonzero(new_run)
    page = geometry.lines.page[line] if len(line) else np.empty(0, np.int32)
    pages = int(page.max()) + 1 if len(page) else 0
    filled = len(drawn) > 0
    if (page[1:] >= page[:-1]).all():  # as nearly always; sorting takes half of the time
        by_page, sorted_page = np.arange(len(page)), page
    else:
        by_page, sorted_page = np.argsort(page, kind="stable"), np.sort(page)
    return _Index(
        drawn=drawn,
        before=np.concatenate((none, np.cumsum(geometry.line >= 0, dtype=np.int32))),
        run_of=np.cumsum(new_run, dtype=np.int32) - np.int32(1),
        low=np.append(low, np.float32(np.inf)),
        high=np.append(high, np.float32(-np.inf)),
        run_start=run_start,
        run_line=line[run_start],
        run_low=np.minimum.reduceat(low, run_start) if filled else low,
        run_high=np.maximum.reduceat(high, run_start) if filled else high,
        page_first=np.searchsorted(sorted_page, np.arange(pages + 1)),
        by_page=by_page,
    )


def _extents(
    index: _Index, run: Indices, begin: Indices, end: Indices
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the least and greatest place on the line of the part of each run in [begin, end)."""
    run_end = np.append(index.run_start[1:], len(index.drawn))
    first = np.maximum(begin, index.run_start[run])
    after = np.minimum(end, run_end[run])
    low, high = index.run_low[run], index.run_high[run]
    cut = np.flatnonzero((first > index.run_start[run]) | (after < run_end[run]))
    if len(cut):
        edges = np.stack((first[cut], after[cut]), axis=1).ravel()
        low[cut] = np.minimum.reduceat(index.low, edges)[::2]
        high[cut] = np.maximum.reduceat(index.high, edges)[::2]
    return low, high


def _one_a_line(
    owner: Indices,
    line: NDArray[np.int32],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
) -> tuple[Indices, NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Merge the pieces of one span on one line; the order of first pieces is kept."""
    if not len(owner):
        return owner, line, low, high
    key = owner * (int(line.max()) + 1) + line
    unique, place, group = np.unique(key, return_index=True, return_inverse=True)
    if len(unique) == len(key):
        return owner, line, low, high
    least = np.full(len(unique), np.inf, np.float32)
    greatest = np.full(len(unique), -np.inf, np.float32)
    np.minimum.at(least, group, low)
    np.maximum.at(greatest, group, high)
    order = np.argsort(place)
    place = place[order]
    return owner[place], line[place], least[order], greatest[order]


def _quads(
    geometry: CharGeometry,
    line: NDArray[np.int32],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
) -> Quads:
    """Return the corners of stretches of lines, float32 (k, 4, 2)."""
    lines = geometry.lines
    along = np.stack((lines.dx[line], lines.dy[line]), axis=1)
    down = np.stack((-lines.dy[line], lines.dx[line]), axis=1)
    origin = np.stack((lines.x[line], lines.y[line]), axis=1)
    start, end = origin + along * low[:, None], origin + along * high[:, None]
    above, below = down * lines.ascent[line][:, None], down * lines.descent[line][:, None]
    quads: Quads = np.stack((start - above, end - above, end + below, start + below), axis=1)
    return quads


def _no_boxes() -> SpanBoxes:
    whole = np.empty(0, np.int32)
    return SpanBoxes(
        np.empty(0, np.int64), whole, whole, np.empty((0, 4), np.float32),
        np.empty((0, 4, 2), np.float32),
    )  # fmt: skip
