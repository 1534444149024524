# SPDX-License-Identifier: AGPL-3.0-or-later
"""The lines of all pages as geometry, and the place of every glyph on its line."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.document.lines import Fragments
from core.document.model import Lines
from core.document.page_layout import PageLayout
from core.document.writer import GlyphTable

_SAME_HEIGHT = 1.5  # points: fragments of one line that differ by less share their boxes


@dataclass(frozen=True, slots=True, eq=False)
class PageGlyphs:
    """The g glyphs of a page on its m lines.

    `line` is −1 outside of fragments; `place` is start and end along the line; `frame` has of
    each line x, y, dx, dy, ascent and descent, points.
    """

    codes: NDArray[np.int32]  # (g,)
    line: NDArray[np.int32]  # (g,)
    place: NDArray[np.float32]  # (2, g)
    frame: NDArray[np.float32]  # (m, 6)


def place_glyphs(layout: PageLayout) -> PageGlyphs:
    """Number the lines of a page, and find the place of each glyph."""
    line, frame = _page_lines(layout)
    place = _places(layout.fragments, line, frame)
    return PageGlyphs(layout.fragments.codes, line.astype(np.int32), place, frame)


def make_glyph_table(
    pages: Sequence[PageGlyphs], indices: Sequence[int]
) -> tuple[GlyphTable, Lines, list[int]]:
    """Lay the glyphs of all pages, which have these indices, end to end.

    Returns:
        The glyphs, each with its line and its place on it; the lines; and for each page the
        number of its first glyph.
    """
    bases: list[int] = []
    numbered = [np.empty(0, np.int32)]
    glyph_count = line_count = 0
    for page in pages:
        bases.append(glyph_count)
        glyph_count += len(page.codes)
        numbered.append(np.where(page.line >= 0, page.line + np.int32(line_count), np.int32(-1)))
        line_count += len(page.frame)
    whole, real = np.empty(0, np.int32), np.empty((2, 0), np.float32)
    place = np.concatenate([real, *(page.place for page in pages)], axis=1)
    codes = np.concatenate([whole, *(page.codes for page in pages)])
    glyphs = GlyphTable(codes, np.concatenate(numbered), place[0], place[1])
    frames = np.concatenate([np.empty((0, 6), np.float32), *(page.frame for page in pages)])
    of_page = np.repeat(np.array(indices, np.int32), [len(page.frame) for page in pages])
    return glyphs, Lines(of_page, *np.ascontiguousarray(frames.T)), bases


def _page_lines(layout: PageLayout) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Number the lines of a page.

    Returns:
        The line of each glyph, int64 (g,), −1 outside of fragments; and of each line x, y, dx,
        dy, ascent and descent, float32 (m, 6).
    """
    f = layout.fragments
    if not len(f):
        return np.full(len(f.codes), -1), np.empty((0, 6), np.float32)
    owner = np.arange(len(f))
    texts = [line for part in layout.parts for line in part.lines]
    for text_line in (*texts, *(line for line, _ in layout.running)):
        if len(text_line.fragments) > 1:
            _share_line(f, text_line.fragments, owner)
    leaders, numbered = np.unique(owner, return_inverse=True)
    frame = _frames(f.u0[leaders], f.v[leaders], f.dx[leaders], f.dy[leaders])
    frame = np.concatenate(
        (frame, np.stack((f.ascent[leaders], f.descent[leaders]), axis=1)), axis=1
    )
    line = _spread(f, numbered)
    return _with_odd(layout, line, frame)


def _frames(
    u: NDArray[np.float32],
    v: NDArray[np.float32],
    dx: NDArray[np.float32],
    dy: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return origin and direction of lines that begin at u on the baseline v, (m, 4)."""
    return np.stack((u * dx - v * dy, u * dy + v * dx, dx, dy), axis=1).astype(np.float32)


def _share_line(fragments: Fragments, members: Sequence[int], owner: NDArray[np.int64]) -> None:
    """Give the fragments of one line that have its height and baseline one geometric line."""
    leader = max(members, key=lambda i: len(fragments.text[i]))
    chosen = np.array(members)
    top, bottom = fragments.v - fragments.ascent, fragments.v + fragments.descent
    near = (top[chosen] > top[leader] - _SAME_HEIGHT) & (
        bottom[chosen] < bottom[leader] + _SAME_HEIGHT
    )
    owner[chosen[near]] = leader


def _spread(fragments: Fragments, line: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the line of each glyph from that of each fragment; −1 outside of fragments."""
    numbers = np.arange(1, len(fragments) + 1)
    edges = np.zeros(len(fragments.codes) + 1, np.int64)
    edges[fragments.first] += numbers
    edges[fragments.last] -= numbers
    fragment = np.cumsum(edges[:-1]) - 1
    spread: NDArray[np.int64] = np.where(fragment >= 0, line[fragment], -1)
    return spread


def _with_odd(
    layout: PageLayout, line: NDArray[np.int64], frame: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Give the stretches of another height lines of their own."""
    fragments, runs = layout.fragments, layout.page.runs
    if not len(fragments.odd):
        return line, frame
    own, fragment = fragments.odd[:, 2], fragments.odd[:, 3]
    dx, dy = runs.dx[own], runs.dy[own]
    origins = _frames(fragments.u0[fragment], runs.y[own] * dx - runs.x[own] * dy, dx, dy)
    heights = np.stack((runs.ascent[own], runs.descent[own]), axis=1)
    for number, (begin, end, _, _) in enumerate(fragments.odd.tolist()):
        line[begin:end] = len(frame) + number
    return line, np.concatenate((frame, np.concatenate((origins, heights), axis=1)))


def _places(
    fragments: Fragments, line: NDArray[np.int64], frame: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return start and end of each glyph along its line, float32 (2, g)."""
    if not len(frame):
        return np.zeros((2, len(line)), np.float32)
    origin = frame[:, 0] * frame[:, 2] + frame[:, 1] * frame[:, 3]
    base = np.where(line >= 0, origin[line], 0.0)
    return np.stack((fragments.low - base, fragments.high - base)).astype(np.float32)
