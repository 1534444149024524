# SPDX-License-Identifier: AGPL-3.0-or-later
"""Fragments: the stretches of text that a page draws in one go, with their frame and style.

A fragment is a maximal stretch of a line of the file without a wide gap. Fragments are all that
reading order, tables and blocks look at; glyphs are touched here and, once more, when the text
is put together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.document.raw import BOLD, SUPERSCRIPT, RawPage, Runs

SPACE = 32
SOFT_HYPHEN = 0xAD
HYPHEN = 0x2D
# Spaces of other widths are layout, not text. U+3000 is a character of the text.
_OTHER_SPACES = np.array([9, 10, 13, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F], np.int32)
# A gap as wide as this, in ems, ends a fragment. MuPDF itself splits at 0.8 em.
_WIDE_GAP = 1.2
_STICKS_OUT = 1.5  # points
_MUCH_SMALLER = 0.78  # small capitals have 0.8 of the size
_MARK_LENGTH = 4  # characters: a note's mark is shorter
_ALL_BOLD = 0.97  # of the glyphs of a fragment, so that it counts as bold
_RAISED = np.array([0x2070, 0xB9, 0xB2, 0xB3, *range(0x2074, 0x207A)], np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Fragments:
    """The n fragments of a page in file order, struct of arrays.

    Each has a frame: u runs along its text, v across it (down, for upright text), both in points
    from the page's origin. `angle` is the whole number of degrees of the direction; fragments of
    one angle share a frame.
    """

    codes: NDArray[np.int32]  # (g,) cleaned code points of the page's glyphs
    low: NDArray[np.float32]  # (g,) u at which a glyph begins
    high: NDArray[np.float32]  # (g,) u at which it ends
    first: NDArray[np.int64]  # (n,) glyph
    last: NDArray[np.int64]  # (n,) glyph after the last
    angle: NDArray[np.int32]
    dx: NDArray[np.float32]
    dy: NDArray[np.float32]
    u0: NDArray[np.float32]
    u1: NDArray[np.float32]
    v: NDArray[np.float32]  # baseline
    size: NDArray[np.float32]
    ascent: NDArray[np.float32]
    descent: NDArray[np.float32]
    flags: NDArray[np.int32]
    run: NDArray[np.int32]  # the run that most of its glyphs belong to
    block: NDArray[np.int32]  # of the PDF library
    text: tuple[str, ...]
    odd: NDArray[np.int64]  # (k, 4): stretches of another height: glyphs, run, fragment

    def __len__(self) -> int:
        return len(self.first)


_PER_FRAGMENT = (
    "angle", "dx", "dy", "v", "size", "ascent", "descent", "flags", "run", "block"
)  # fmt: skip

_FRAGMENTS: "WeakKeyDictionary[RawPage, Fragments]" = WeakKeyDictionary()


def find_fragments(page: RawPage) -> Fragments:
    """Cut the glyphs of `page` into fragments; those that hold only spaces are left out.

    The result is kept as long as the page, which is asked again with each document made of it.
    """
    found = _FRAGMENTS.get(page)
    if found is None:
        found = _FRAGMENTS[page] = _make_fragments(page)
    return found


def _make_fragments(page: RawPage) -> Fragments:
    runs = page.runs
    placed = _clean(page)
    codes, low, high, run = placed.codes, placed.low, placed.high, placed.run
    inked = np.flatnonzero(codes != SPACE)
    if not len(inked):
        return _no_fragments()
    inked_run = run[inked]
    breaks = _breaks(placed.line[inked], low[inked], high[inked], runs.size[inked_run])
    begins = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    ends = np.append(begins[1:], len(inked))
    first, last = inked[begins], inked[ends - 1] + 1
    pieces, owner = _pieces(inked_run, begins)
    main = _main_runs(inked_run, pieces, owner)
    dx, dy = runs.dx[main], runs.dy[main]
    codes = _raise_digits(codes, runs.flags, run)
    bold = np.add.reduceat((runs.flags[inked_run] & BOLD) != 0, begins, dtype=np.int64)
    all_bold = bold >= _ALL_BOLD * (ends - begins)
    text = _decode(codes)
    return Fragments(
        codes=codes,
        low=low,
        high=high,
        first=first,
        last=last,
        angle=np.rint(np.degrees(np.arctan2(dy, dx))).astype(np.int32) % 360,
        dx=dx,
        dy=dy,
        u0=np.minimum.reduceat(low[inked], begins),
        u1=np.maximum.reduceat(high[inked], begins),
        v=runs.y[main] * dx - runs.x[main] * dy,
        size=runs.size[main],
        ascent=runs.ascent[main],
        descent=runs.descent[main],
        flags=np.where(all_bold, runs.flags[main] | BOLD, runs.flags[main] & ~BOLD),
        run=main,
        block=runs.block[main],
        text=tuple([text[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]),
        odd=_odd_pieces(page, inked, inked_run, pieces, main=main[owner], owner=owner),
    )


def _raise_digits(
    codes: NDArray[np.int32], flags: NDArray[np.int32], run: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Write raised digits as superscripts: a note's mark is no digit of the word before it."""
    superscript = (flags & SUPERSCRIPT) != 0
    if not superscript.any():
        return codes
    raised = superscript[run] & (codes >= 0x30) & (codes <= 0x39)
    result = codes.copy()
    result[raised] = _RAISED[codes[raised] - 0x30]
    return result


def _decode(codes: NDArray[np.int32]) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", errors="replace")


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """Glyphs in the order of the text: code points, both sides (u), run, line of the file."""

    codes: NDArray[np.int32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    run: NDArray[np.int32]
    line: NDArray[np.int32]

    def taken(self, chosen: NDArray[np.int64]) -> "_Placed":
        """Return the glyphs at `chosen`, in that order."""
        return _Placed(
            self.codes[chosen], self.low[chosen], self.high[chosen], self.run[chosen],
            self.line[chosen],
        )  # fmt: skip


def _clean(page: RawPage) -> _Placed:
    """Return the glyphs with spaces made one kind and single, and woven lines sorted."""
    glyphs, runs = page.glyphs, page.runs
    codes = glyphs.codes
    other = (codes < SPACE) | ((codes >= 0xA0) & np.isin(codes, _OTHER_SPACES))
    if other.any():
        codes = np.where(other, np.int32(SPACE), codes)
    base = (runs.x * runs.dx + runs.y * runs.dy)[glyphs.run]
    low = np.minimum(glyphs.start, glyphs.end) + base
    high = np.maximum(glyphs.start, glyphs.end) + base
    placed = _Placed(codes, low, high, glyphs.run, runs.line[glyphs.run])
    if page.counts.get("double"):
        placed = _sort_woven(page, placed)
    space = placed.codes == SPACE
    doubled = space[1:] & space[:-1]
    if doubled.any():
        placed = placed.taken(np.flatnonzero(np.concatenate(([True], ~doubled))))
    return placed


def _sort_woven(page: RawPage, placed: _Placed) -> _Placed:
    """Sort the glyphs of lines that lie in one another's gaps, as after removing double glyphs."""
    starts = np.flatnonzero(np.diff(placed.line, prepend=-1))
    if len(starts) < 2:
        return placed
    runs = page.runs
    u0 = np.minimum.reduceat(placed.low, starts)
    u1 = np.maximum.reduceat(placed.high, starts)
    first = placed.run[starts]
    v = runs.y[first] * runs.dx[first] - runs.x[first] * runs.dy[first]
    pairs = np.concatenate(
        [_woven_pairs(runs, first, u0, u1, v, shift=shift) for shift in (0.0, 1.0)]
    )
    turned_back = _turned_back(placed)
    if not len(pairs) and not len(turned_back):
        return placed
    leader = np.arange(len(starts))
    for a, b in pairs.tolist():
        leader[leader == leader[b]] = leader[a]
    glyph_line = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(placed.codes))))
    chosen = np.union1d(leader[leader != np.arange(len(starts))], leader[glyph_line[turned_back]])
    return _woven(placed, leader[glyph_line], glyph_line, chosen)


def _turned_back(placed: _Placed) -> NDArray[np.int64]:
    """Return glyphs before which their line jumps back, which single glyphs never do."""
    back = placed.high[1:] < placed.low[:-1] - 0.5 * (placed.high[1:] - placed.low[1:])
    return np.flatnonzero(back & (placed.line[1:] == placed.line[:-1])) + 1


def _woven_pairs(
    runs: Runs,
    first: NDArray[np.int32],
    u0: NDArray[np.float32],
    u1: NDArray[np.float32],
    v: NDArray[np.float32],
    *,
    shift: float,
) -> NDArray[np.int64]:
    """Return pairs of lines on one baseline, the second beginning inside the first, (k, 2).

    `first` is the first run of each line. Baselines are compared in steps of 2 points; `shift`
    moves the steps.
    """
    dx, dy, size = runs.dx[first], runs.dy[first], runs.size[first]
    order = np.lexsort((u0, np.rint((v + shift) / 2), np.rint(16 * dx), dy > 0))
    before, after = order[:-1], order[1:]
    woven = np.abs(v[before] - v[after]) < 0.2 * size[after]
    woven &= u0[after] < u1[before] - 0.6 * size[after]
    woven &= np.abs(dx[before] - dx[after]) < 0.05
    return np.stack((before[woven], after[woven]), axis=1)


def _woven(
    placed: _Placed,
    leader: NDArray[np.int64],
    own: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> _Placed:
    """Put the glyphs of each group of lines in order of place; spaces under glyphs go."""
    position = leader.astype(np.float64) * len(own) + np.arange(len(own))
    keep = np.ones(len(own), bool)
    line = placed.line.copy()
    for group in chosen.tolist():
        members = np.flatnonzero(leader == group)
        inked = members[placed.codes[members] != SPACE]
        spaces = members[placed.codes[members] == SPACE]
        if not len(inked) or _overlapping(placed, inked):
            position[members] = own[members] * float(len(own)) + members
            continue
        middle = (placed.low[spaces] + placed.high[spaces]) / 2
        hit = (middle[:, None] > placed.low[inked]) & (middle[:, None] < placed.high[inked])
        keep[spaces[hit.any(axis=1)]] = False
        ordered = members[np.argsort(placed.low[members], kind="stable")]
        position[ordered] = group * float(len(own)) + np.arange(len(ordered))
        line[members] = placed.line[members[0]]
    order = np.argsort(position, kind="stable")
    result = _Placed(placed.codes, placed.low, placed.high, placed.run, line)
    return result.taken(order[keep[order]])


def _overlapping(placed: _Placed, inked: NDArray[np.int64]) -> bool:
    """Say whether glyphs lie on one another, so that their lines are no parts of one."""
    order = inked[np.argsort(placed.low[inked], kind="stable")]
    over = placed.high[order][:-1] - placed.low[order][1:]
    width = placed.high[order] - placed.low[order]
    return bool((over > 0.5 * np.minimum(width[1:], width[:-1])).mean() > 0.1)


def _breaks(
    line: NDArray[np.int32],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    size: NDArray[np.float32],
) -> NDArray[np.bool_]:
    """Say after which of the inked glyphs a fragment ends, bool (n - 1,)."""
    gap = np.maximum(low[1:] - high[:-1], low[:-1] - high[1:])
    breaks: NDArray[np.bool_] = (line[1:] != line[:-1]) | (gap > _WIDE_GAP * size[1:])
    return breaks


def _pieces(
    run: NDArray[np.int32], begins: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where fragments or runs begin among the inked glyphs, and the fragment of each."""
    changes = np.ones(len(run), bool)
    changes[1:] = run[1:] != run[:-1]
    changes[begins] = True
    pieces = np.flatnonzero(changes)
    return pieces, np.searchsorted(begins, pieces, side="right") - 1


def _main_runs(
    run: NDArray[np.int32], pieces: NDArray[np.int64], owner: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return for each fragment the run of its longest piece."""
    counts = np.diff(np.append(pieces, len(run)))
    order = np.lexsort((-pieces, counts, owner))  # the longest last, the first of equals
    last = np.flatnonzero(np.diff(owner[order], append=-1))
    main: NDArray[np.int32] = run[pieces[order[last]]]
    return main


def _odd_pieces(
    page: RawPage,
    inked: NDArray[np.int64],
    run: NDArray[np.int32],
    pieces: NDArray[np.int64],
    *,
    main: NDArray[np.int32],
    owner: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the pieces that need boxes of another height than their fragment.

    They stick out of its height, or are words much smaller than it; raised and lowered marks
    are neither.
    """
    runs, own = page.runs, run[pieces]
    if (own == main).all():
        return np.empty((0, 4), np.int64)
    v = runs.y * runs.dx - runs.x * runs.dy
    above = (v - runs.ascent)[main] - (v - runs.ascent)[own]
    below = (v + runs.descent)[own] - (v + runs.descent)[main]
    length = np.diff(np.append(pieces, len(run)))
    small = (runs.size[own] < _MUCH_SMALLER * runs.size[main]) & (length >= _MARK_LENGTH)
    odd = np.flatnonzero((above > _STICKS_OUT) | (below > _STICKS_OUT) | small)
    ends = np.append(pieces[1:], len(run))[odd] - 1
    return np.stack((inked[pieces[odd]], inked[ends] + 1, own[odd], owner[odd]), axis=1)


def split_fragments(fragments: Fragments, cuts: Mapping[int, Sequence[int]]) -> Fragments:
    """Cut fragments at glyphs; first parts keep their numbers, the others come after all.

    Args:
        fragments: of a page.
        cuts: for some fragments, the glyphs (spaces) at which they are cut, ascending.
    """
    owners = np.array([index for index, places in cuts.items() for _ in places], np.int64)
    starts = np.array([place + 1 for places in cuts.values() for place in places], np.int64)
    ends = fragments.last.copy()
    stops = []
    for index, places in cuts.items():
        stops += [*places[1:], int(ends[index])]
        ends[index] = places[0]
    first = np.concatenate((fragments.first, starts))
    last = np.concatenate((ends, np.array(stops, np.int64)))
    taken = np.concatenate((np.arange(len(fragments)), owners))
    text = [*fragments.text]
    for index in cuts:
        text[index] = _decode(fragments.codes[first[index] : last[index]])
    text += [_decode(fragments.codes[a:b]) for a, b in zip(starts.tolist(), stops, strict=True)]
    changed = [*cuts, *range(len(fragments), len(taken))]
    u0, u1 = fragments.u0[taken], fragments.u1[taken]
    for index in changed:
        stretch = slice(int(first[index]), int(last[index]))
        u0[index], u1[index] = fragments.low[stretch].min(), fragments.high[stretch].max()
    return replace(
        fragments,
        first=first,
        last=last,
        u0=u0,
        u1=u1,
        text=tuple(text),
        **{name: getattr(fragments, name)[taken] for name in _PER_FRAGMENT},
    )


def _no_fragments() -> Fragments:
    real, whole = np.empty(0, np.float32), np.empty(0, np.int32)
    index = np.empty(0, np.int64)
    return Fragments(
        whole, real, real, index, index, whole, real, real, real, real, real, real, real, real,
        whole, whole, whole, (), np.empty((0, 4), np.int64),
    )  # fmt: skip
