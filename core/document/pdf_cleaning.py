# SPDX-License-Identifier: AGPL-3.0-or-later
"""Cleaning of the characters of a PDF: what is no text goes, what stands for text becomes it.

Every rule works on the arrays of one page and says how many characters it touched. Nothing here
knows a PDF library.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.document.symbol_fonts import symbol_table

Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

ALEFS, LAM = (0x622, 0x623, 0x625, 0x627), 0x644  # Arabic letters
SPACE, SOFT_HYPHEN, HYPHEN, REPLACEMENT = 0x20, 0xAD, 0x2D, 0xFFFD

# What a code point needs; 0: nothing.
PLAIN, CONTROL, SOFT, LIGATURE, UNKNOWN, PRIVATE, INVISIBLE, OTHER_SPACE = range(8)

# Codes of ligatures and quotation marks in TeX's Cork (T1) encoding, and of the ligatures in its
# old one (OT1); Type3 fonts made by dvips have these codes and no map (LaTeX `encguide`, tables).
TEX_CODES = {
    0x0B: "ff",
    0x0C: "fi",
    0x0D: "fl",
    0x0E: "ffi",
    0x0F: "ffl",
    0x10: "“",
    0x11: "”",
    0x12: "„",
    0x13: "«",
    0x14: "»",
    0x15: "–",
    0x16: "—",
    0x1B: "ff",
    0x1C: "fi",
    0x1D: "fl",
    0x1E: "ffi",
    0x1F: "ffl",
}
TEX_LIGATURES = frozenset(code for code, text in TEX_CODES.items() if text.startswith("f"))

UNREADABLE_SHARE = 0.05  # control characters among those of a font: above it, it has no map
UNREADABLE_LEAST = 4
SHIFT = 32  # what some fonts' codes are too low by
ZERO_WIDTH = 0.01  # points: narrower is not seen
ZERO_WIDTH_SHARE = 0.5  # of the page's characters: above it, the layer is not what is drawn
LIGATURE_PARTS = 3  # characters without width after one with width that may belong to it
DOUBLE_DISTANCE = 0.15  # em (corpus/traps 5): nearer is the same glyph drawn again
SAME_SIZE = 0.1  # relative difference of the sizes of a glyph and its double
MOST_NEIGHBOURS = 100  # equal glyphs at equal places along the axis that are compared
LEADER_LEAST = 3  # replacement characters in a row that fill a gap


@cache
def kinds() -> NDArray[np.uint8]:
    """uint8 (0x110000,): what each code point needs."""
    table = np.zeros(0x110000, np.uint8)
    table[:0x20] = CONTROL
    table[0x7F:0xA0] = CONTROL
    table[SOFT_HYPHEN] = SOFT
    table[0xFB00:0xFB07] = LIGATURE
    table[0xFB13:0xFB18] = LIGATURE
    table[0xFB50:0xFE00] = LIGATURE  # Arabic presentation forms A
    table[0xFE70:0xFEFD] = LIGATURE  # and B
    table[0xFDD0:0xFDF0] = INVISIBLE  # noncharacters
    table[0xD800:0xE000] = UNKNOWN
    table[REPLACEMENT] = UNKNOWN
    table[0xE000:0xF900] = PRIVATE
    table[0xF0000:] = PRIVATE
    for code in (0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029):
        table[code] = OTHER_SPACE
    # zero width space, marks of direction, word joiner and kin, byte order mark, Mongolian
    # separator. The joiners U+200C and U+200D are spelling in Persian, Indic scripts and emoji.
    for code in (0x200B, 0x200E, 0x200F, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF, 0x180E):
        table[code] = INVISIBLE
    for first, last in ((0x202A, 0x202E), (0x2066, 0x206F), (0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF)):
        table[first : last + 1] = INVISIBLE
    table[0x10FFFE:] = INVISIBLE
    return table


@dataclass(slots=True)
class Page:
    """The n characters of a page while they are cleaned. `replaced` holds longer texts by index.

    `start` and `end` are points along the line, `x` and `y` the origins in points.
    """

    code: Codes
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    start: NDArray[np.float32]
    end: NDArray[np.float32]
    size: NDArray[np.float32]
    font: NDArray[np.int32]
    line: NDArray[np.int32]
    synthetic: Mask  # spaces that the library inferred
    guessed: Mask  # characters without a map, for which the library took the glyph's number
    font_names: tuple[str, ...]
    type3: tuple[bool, ...]
    keep: Mask
    moved: Mask  # whose start was changed, because they share a glyph's width
    replaced: dict[int, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, kind: str, number: int) -> None:
        """Add to the count of what was cleaned."""
        if number:
            self.counts[kind] = self.counts.get(kind, 0) + int(number)

    def drop(self, which: NDArray[np.integer] | Mask, kind: str = "") -> None:
        """Leave characters out, by index, int64 (k,), or by mask, bool (n,)."""
        before = int(self.keep.sum())
        self.keep[which] = False
        if kind:
            self.count(kind, before - int(self.keep.sum()))


def clean(page: Page) -> None:
    """Apply every rule to a page, in the order in which they depend on one another."""
    kind = kinds()[page.code]
    if kind.any():
        for rule in (_tex_codes, _shifted_fonts, _unreadable_fonts):
            rule(page, kind)
        kind[~page.keep] = PLAIN
        rules: dict[int, Callable[[Page, NDArray[np.intp]], None]] = {
            CONTROL: _controls,
            OTHER_SPACE: _spaces,
            INVISIBLE: _invisible,
            PRIVATE: _private,
            UNKNOWN: _unknown,
        }
        for which, apply in rules.items():
            at = np.flatnonzero(kind == which)
            if len(at):
                apply(page, at)
    page.count("guessed", int((page.guessed & page.keep & (page.code > SPACE)).sum()))
    _lam_alef(page)
    _zero_width(page)
    _doubles(page)
    if kind.any():
        _soft_hyphens(page, np.flatnonzero((kind == SOFT) & page.keep))
        _ligatures(page, np.flatnonzero((kind == LIGATURE) & page.keep))


# --- fonts without a map -----------------------------------------------------------------------


def _tex_codes(page: Page, kind: NDArray[np.uint8]) -> None:
    """Turn TeX's codes in Type3 fonts into ligatures and quotation marks where they fit."""
    for font in _present(page.font[kind == CONTROL]):
        if not page.type3[font]:
            continue
        for at in np.flatnonzero((kind == CONTROL) & (page.font == font)):
            text = TEX_CODES.get(int(page.code[at]), "")
            if text and (int(page.code[at]) not in TEX_LIGATURES or _beside_letter(page, int(at))):
                page.replaced[int(at)] = text
                page.code[at] = ord(text[0])
                kind[at] = PLAIN
                page.count("tex", 1)


def _present(numbers: NDArray[np.int32]) -> list[int]:
    """Return the different numbers, ascending. `np.unique` would load a part of numpy first."""
    found: list[int] = np.flatnonzero(np.bincount(numbers)).tolist()
    return found


def _beside_letter(page: Page, at: int) -> bool:
    """Whether the character before or after `at`, on its line, is a letter."""
    return any(
        0 <= other < len(page.code)
        and page.line[other] == page.line[at]
        and chr(page.code[other]).isalpha()
        for other in (at - 1, at + 1)
    )


def _shifted_fonts(page: Page, kind: NDArray[np.uint8]) -> None:
    """Mend fonts whose codes are all 32 too low: NUL stands for the space, `7` for `W`."""
    for font in _present(page.font[(page.code == 0) & (kind == CONTROL)]):
        of_font = page.font == font
        codes = page.code[of_font]
        shifted = codes + SHIFT
        letters = ((shifted >= 0x61) & (shifted <= 0x7A)).mean()
        readable = ((codes == SPACE) | ((shifted >= SPACE) & (shifted <= 0x17F))).all()
        if readable and letters > 0.5 and len(codes) >= 8:  # most of a text is small letters
            page.code[of_font] = np.where(codes == SPACE, SPACE, shifted)
            kind[of_font] = kinds()[page.code[of_font]]
            page.count("shifted", int(of_font.sum()))


def _unreadable_fonts(page: Page, kind: NDArray[np.uint8]) -> None:
    """Leave out all characters of a font that gives many control characters.

    The rest of what such a font gives is arbitrary letters: the file has no map for it.
    """
    control = kind == CONTROL
    if int(control.sum()) < UNREADABLE_LEAST:
        return
    of_font = np.bincount(page.font, minlength=len(page.font_names))
    controls = np.bincount(page.font[control], minlength=len(page.font_names))
    unreadable = (controls >= UNREADABLE_LEAST) & (controls > UNREADABLE_SHARE * of_font)
    if unreadable.any():
        page.drop(unreadable[page.font], "unreadable")


# --- single characters -------------------------------------------------------------------------


def _controls(page: Page, at: NDArray[np.intp]) -> None:
    """Remove control characters; one that is as wide as a space and stands alone is a space."""
    width = page.end[at] - page.start[at]
    wide = width > 0.1 * page.size[at]
    before = np.where(at > 0, page.code[at - 1], SPACE)
    after = page.code[np.minimum(at + 1, len(page.code) - 1)]
    alone = (before != SPACE) & (after != SPACE) & (at + 1 < len(page.code))
    page.code[at[wide & alone]] = SPACE
    page.drop(at[~(wide & alone)])
    page.count("control", len(at))


def _spaces(page: Page, at: NDArray[np.intp]) -> None:
    page.code[at] = SPACE


def _invisible(page: Page, at: NDArray[np.intp]) -> None:
    page.drop(at, "invisible")


def _private(page: Page, at: NDArray[np.intp]) -> None:
    """Give the codes of known symbol fonts their characters; others stay and are counted."""
    unknown = 0
    for index in at:
        table = symbol_table(page.font_names[page.font[index]])
        text = table.get(int(page.code[index]) & 0xFF) if page.code[index] < 0xF100 else None
        if text and page.code[index] >= 0xF000:
            page.code[index] = ord(text)
        else:
            unknown += 1
    page.count("private", unknown)


def _unknown(page: Page, at: NDArray[np.intp]) -> None:
    """Make a row of replacement characters, which fills a gap, one space; keep single ones."""
    page.code[at] = REPLACEMENT
    breaks = (np.diff(at) != 1) | (np.diff(page.line[at]) != 0)
    rows = np.split(at, np.flatnonzero(breaks) + 1)
    for row in rows:
        if len(row) >= LEADER_LEAST:
            page.code[row[0]] = SPACE
            page.end[row[0]] = page.end[row].max()
            page.drop(row[1:])
            page.count("leader", len(row))
        else:
            page.count("unknown", len(row))


# --- width and place ---------------------------------------------------------------------------


@cache
def _combining(code: int) -> bool:
    """Whether a character needs no width of its own: a mark, or a joiner."""
    return unicodedata.category(chr(code)) in ("Mn", "Me", "Mc") or code in (0x200C, 0x200D)


def _lam_alef(page: Page) -> None:
    """Put lam before alef where one glyph stands for both: MuPDF gives alef first, without width.

    Each gets half of the glyph, lam the right one.
    """
    if not (page.code == LAM).any():
        return
    alef = np.flatnonzero(np.isin(page.code[:-1], ALEFS) & (page.code[1:] == LAM))
    narrow = page.end[alef] - page.start[alef] < ZERO_WIDTH
    touching = np.abs(page.start[alef] - page.end[alef + 1]) < 0.05 * page.size[alef]
    for first in alef[narrow & touching & (page.line[alef] == page.line[alef + 1])]:
        second = first + 1
        middle = (page.start[second] + page.end[second]) / 2
        page.code[first], page.code[second] = page.code[second], page.code[first]
        page.start[first], page.end[first] = middle, page.end[second]
        page.end[second] = middle
        page.moved[[first, second]] = True


def _zero_width(page: Page) -> None:
    """Drop characters without width, but for marks and the later parts of a ligature.

    A glyph that stands for several letters has its width on the first; they share it.
    """
    at = np.flatnonzero((page.end - page.start < ZERO_WIDTH) & page.keep)
    if not len(at):
        return
    marks = np.array([_combining(int(code)) for code in page.code[at]], np.bool_)
    at = at[~marks]
    if len(at) > ZERO_WIDTH_SHARE * int(page.keep.sum()):
        page.drop(at, "zero_width")
        return
    spaces = page.code[at] == SPACE
    for group in _groups(at[~spaces], page.line):
        first = int(group[0]) - 1
        if len(group) <= LIGATURE_PARTS and _is_whole(page, first, int(group[0])):
            _share(page, np.arange(first, int(group[-1]) + 1))
        else:
            page.drop(group, "zero_width")


def _groups(at: NDArray[np.intp], line: NDArray[np.int32]) -> list[NDArray[np.intp]]:
    """Split indices into runs of neighbours on one line."""
    if not len(at):
        return []
    breaks = (np.diff(at) != 1) | (np.diff(line[at]) != 0)
    return np.split(at, np.flatnonzero(breaks) + 1)


def _is_whole(page: Page, first: int, part: int) -> bool:
    """Whether `first` may be the glyph whose later letter is `part`: wide, and touching it."""
    if first < 0 or not page.keep[first] or page.line[first] != page.line[part]:
        return False
    width = page.end[first] - page.start[first]
    near = min(abs(page.start[part] - page.end[first]), abs(page.start[part] - page.start[first]))
    return bool(width >= ZERO_WIDTH and near <= 0.05 * page.size[part])


def _share(page: Page, indices: NDArray[np.intp]) -> None:
    """Share the width of the first of `indices` evenly among all of them."""
    start, end = page.start[indices[0]], page.end[indices[0]]
    edges = np.linspace(start, end, len(indices) + 1, dtype=np.float32)
    page.start[indices], page.end[indices] = edges[:-1], edges[1:]
    page.moved[indices[1:]] = True


def _doubles(page: Page) -> None:
    """Drop a glyph that repeats one at almost the same place, as bold or shadow is made.

    Glyphs are sorted by code and by their place along a slanted axis, so that those of a column
    or a row stand apart; then neighbours, and neighbours of neighbours, are compared until none
    is near along the axis.
    """
    ink = np.flatnonzero(page.keep & (page.code > SPACE) & ~page.moved)
    if len(ink) < 2:
        return
    x, y = page.x[ink].astype(np.float64), page.y[ink].astype(np.float64)
    size = page.size[ink].astype(np.float64)
    along, near = 0.8 * x + 0.6 * y, DOUBLE_DISTANCE * size
    width = float(np.ptp(along)) + 2 * float(near.max()) + 1
    place = page.code[ink] * width + along
    order = np.argsort(place)
    place, near = place[order], near[order]
    again: list[NDArray[np.intp]] = []
    for lag in range(1, MOST_NEIGHBOURS):
        close = np.flatnonzero(place[lag:] - place[:-lag] < near[lag:])
        if not len(close):
            break
        one, other = order[close], order[close + lag]
        same = np.hypot(x[one] - x[other], y[one] - y[other]) < near[close + lag]
        same &= np.abs(size[one] - size[other]) <= SAME_SIZE * size[other]
        if same.any():
            again.append(_lesser(page, ink[one[same]], ink[other[same]]))
    found = np.concatenate(again) if again else ink[:0]
    if len(found):
        page.drop(found, "double")
        _drop_orphan_spaces(page)


def _lesser(page: Page, one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of each pair, the glyph in the shorter line, so that words stay whole; else the later."""
    length = np.bincount(page.line)
    order = np.arange(len(page.code)) - len(page.code) * length[page.line]
    lesser: NDArray[np.intp] = np.where(order[one] > order[other], one, other)
    return lesser


def _drop_orphan_spaces(page: Page) -> None:
    """After doubles went: drop spaces of lines without ink, and those that no gap justifies."""
    lines = int(page.line[-1]) + 1
    has_ink = np.bincount(page.line[page.keep & (page.code > SPACE)], minlength=lines) > 0
    page.keep &= has_ink[page.line]
    kept = np.flatnonzero(page.keep)
    inner = kept[1:-1][page.synthetic[kept[1:-1]]]
    position = np.searchsorted(kept, inner)
    before, after = kept[position - 1], kept[position + 1]
    same = (page.line[before] == page.line[inner]) & (page.line[after] == page.line[inner])
    gap = page.start[after] - page.end[before]
    page.drop(inner[same & (np.abs(gap) < 0.1 * page.size[inner])])


# --- one character for several -----------------------------------------------------------------


def _soft_hyphens(page: Page, at: NDArray[np.intp]) -> None:
    """Write `-` for a soft hyphen inside a line, where the font draws it; keep it at the end."""
    kept = np.flatnonzero(page.keep & (page.code != SPACE))
    for index in at:
        following = int(np.searchsorted(kept, index, side="right"))
        if following < len(kept) and page.line[kept[following]] == page.line[index]:
            page.code[index] = HYPHEN


def _ligatures(page: Page, at: NDArray[np.intp]) -> None:
    """Note the letters of ligatures and of Arabic presentation forms."""
    for index in at:
        text = _letters(int(page.code[index]))
        if text:
            page.replaced[int(index)] = text
            page.code[index] = ord(text[0])


@cache
def _letters(code: int) -> str:
    """Return the letters of a ligature, "" where the character is not one."""
    letters = unicodedata.normalize("NFKC", chr(code))
    if letters == chr(code) or " " in letters:
        return ""
    return letters
