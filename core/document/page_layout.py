# SPDX-License-Identifier: AGPL-3.0-or-later
"""One page by itself: its lines, tables and their order. What needs other pages comes later."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.document.atoms import Atoms, Region, group_lines
from core.document.blocks import TextLine
from core.document.hyphens import is_spaceless
from core.document.lines import SPACE, Fragments, split_fragments
from core.document.model import BlockKind
from core.document.paragraphs import find_breaks
from core.document.raw import VERTICAL, RawPage
from core.document.reading_order import find_regions
from core.document.ruled_tables import NO_RULES, Rules, find_rules
from core.document.tables import count_header_rows, find_rows

_NEAR = 6.0  # points beside a gutter
_WIDE_SPACE = 0.33  # ems, wider than between words
_NO_GAPS: tuple[str, ...] = ()
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a page in reading order: lines of a column, or the rows of a table."""

    lines: tuple[TextLine, ...]
    breaks: tuple[int, ...] = ()  # the lines that begin a block; none in a table
    rows: tuple[tuple[tuple[TextLine, ...], ...], ...] = ()
    gutters: tuple[tuple[float, float], ...] = ()  # strips between columns of a table, u
    header_rows: int = 0
    is_turned: bool = False  # not in the page's main direction
    is_drawn: bool = False  # a table with drawn lines around and between its cells

    @property
    def is_table(self) -> bool:
        """Whether the part is a table."""
        return bool(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class PageLayout:
    """A page, its fragments, and its parts in reading order, the main frame first."""

    page: RawPage
    fragments: Fragments
    parts: tuple[Part, ...]
    running: tuple[tuple[TextLine, BlockKind], ...] = ()


def lay_out(
    page: RawPage,
    fragments: Fragments,
    running: Sequence[tuple[Sequence[int], BlockKind]] = (),
) -> PageLayout:
    """Find lines, tables and reading order of one page.

    Args:
        page: as the PDF process read it.
        fragments: of the page, by `find_fragments`.
        running: the fragments of each line of boilerplate, and its kind: kept out of the order.
    """
    if not len(fragments):
        return PageLayout(page, fragments, ())
    body = np.ones(len(fragments), bool)
    for members, _ in running:
        body[list(members)] = False
    parts: list[Part] = []
    for rank, angle in enumerate(_angles(fragments)):
        chosen = np.flatnonzero((fragments.angle[: len(body)] == angle) & body)
        if len(chosen):
            found, fragments = _frame_parts(page, fragments, chosen, is_turned=rank > 0)
            parts += found
    maker = LineMaker(page, fragments)
    marked = [(maker.line(members), kind) for members, kind in running]
    return PageLayout(page, fragments, tuple(parts), tuple(marked))


def without_lines(
    layout: PageLayout, running: Sequence[tuple[Sequence[int], BlockKind]]
) -> PageLayout | None:
    """Take boilerplate out of a layout without any, where that is the same as a new layout.

    It is on a page of one column, when whole lines go. Otherwise the result is None.
    """
    if len(layout.parts) != 1 or layout.parts[0].is_table:
        return None
    gone = {fragment for members, _ in running for fragment in members}
    kept: list[TextLine] = []
    for line in layout.parts[0].lines:
        inside = [fragment in gone for fragment in line.fragments]
        if not any(inside):
            kept.append(line)
        elif not all(inside):
            return None
    maker = LineMaker(layout.page, layout.fragments)
    marked = tuple([(maker.line(members), kind) for members, kind in running])
    left = replace(layout.parts[0], lines=tuple(kept), breaks=find_breaks(kept))
    parts = (left,) if kept else ()
    return replace(layout, parts=parts, running=marked)


def _angles(fragments: Fragments) -> list[int]:
    """Return the angles on the page, that of most characters first."""
    if (fragments.angle == fragments.angle[0]).all():
        return [int(fragments.angle[0])]
    counts = np.bincount(fragments.angle, weights=fragments.last - fragments.first)
    found = np.flatnonzero(counts)
    ranked: list[int] = found[np.argsort(-counts[found], kind="stable")].tolist()
    return ranked


def _frame_parts(
    page: RawPage, fragments: Fragments, members: NDArray[np.int64], *, is_turned: bool
) -> tuple[list[Part], Fragments]:
    """Return the parts of the fragments of one angle, and the fragments with cells cut apart."""
    owner = _join_neighbours(fragments, members)
    sign = _sign(fragments, members)
    begins = np.flatnonzero(np.diff(owner, prepend=-1))
    ends = np.append(begins[1:], len(members))
    groups = [members[a:b].tolist() for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
    atoms = _make_atoms(fragments, members, begins, groups, sign)
    rules = _rules(page, fragments, int(members[0]))
    right_to_left = _is_right_to_left("".join(atoms.text))
    vertical = bool((fragments.flags[members] & VERTICAL).any())
    regions = find_regions(atoms, rules, right_to_left=right_to_left, vertical=vertical)
    tables = {number: region for number, region in enumerate(regions) if region.kind == "table"}
    cells: dict[int, list[int]] = {}
    for number, region in tables.items():
        held = [index for atom in region.atoms for index in groups[atom]]
        fragments, cells[number] = _cut_cells(fragments, held, region.gutters)
    maker = LineMaker(page, fragments, sign)
    lines = _AtomLines(maker, groups)
    parts: list[Part] = []
    for number, region in enumerate(regions):
        if number in tables:
            parts.append(
                _table_part(maker, fragments, cells[number], region, sign=sign, is_turned=is_turned)
            )
        else:
            parts.append(_text_part(lines, atoms, region, is_turned))
    return parts, fragments


def _cut_cells(
    fragments: Fragments, held: Sequence[int], gutters: Sequence[tuple[float, float]]
) -> tuple[Fragments, list[int]]:
    """Cut the fragments of a table that run over a gutter at a space in it.

    Returns:
        The fragments of the page, and which of them the table holds.
    """
    cuts: dict[int, list[int]] = {}
    for index in held:
        u0, u1 = float(fragments.u0[index]), float(fragments.u1[index])
        crossed = [gutter for gutter in gutters if u0 < gutter[0] and u1 > gutter[1]]
        if crossed:
            places = _spaces_in(fragments, index, crossed)
            if places:
                cuts[index] = places
    if not cuts:
        return fragments, list(held)
    count = len(fragments)
    fragments = split_fragments(fragments, cuts)
    return fragments, [*held, *range(count, len(fragments))]


def _spaces_in(
    fragments: Fragments, index: int, gutters: Sequence[tuple[float, float]]
) -> list[int]:
    """Return for each gutter the space of a fragment that lies in it, where there is one.

    The space is wider than one between words, so that a title over several columns stays whole.
    """
    begin, end = int(fragments.first[index]), int(fragments.last[index])
    spaces = begin + np.flatnonzero(fragments.codes[begin:end] == SPACE)
    width = fragments.high[spaces] - fragments.low[spaces]
    spaces = spaces[width > _WIDE_SPACE * float(fragments.size[index])]
    middle = (fragments.low[spaces] + fragments.high[spaces]) / 2
    found = []
    for low, high in gutters:
        inside = spaces[(middle > low - _NEAR) & (middle < high + _NEAR)]
        if len(inside):
            place = (fragments.low[inside] + fragments.high[inside]) / 2
            found.append(int(inside[np.argmin(np.abs(place - (low + high) / 2))]))
    return sorted({place for place in found if begin < place < end - 1})


def _sign(fragments: Fragments, members: NDArray[np.int64]) -> int:
    """Return −1 for mirrored text, whose letters and lines go up against the frame; else 1."""
    if (fragments.flags[members] & VERTICAL).any():
        return 1
    up, down = fragments.ascent[members].sum(), fragments.descent[members].sum()
    return -1 if down > 1.2 * up else 1


def _join_neighbours(fragments: Fragments, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the atoms: neighbours in the file on one baseline with at most a word's gap."""
    size = fragments.size[members]
    v, u0, u1 = fragments.v[members], fragments.u0[members], fragments.u1[members]
    gap = u0[1:] - u1[:-1]
    largest = np.maximum(size[1:], size[:-1])
    near = (gap < 0.6 * largest) & (gap > -0.3 * largest)
    near &= np.abs(np.diff(v)) < 0.45 * largest
    return np.concatenate(([0], np.cumsum(~near)))


def _make_atoms(
    fragments: Fragments,
    members: NDArray[np.int64],
    begins: NDArray[np.int64],
    groups: Sequence[Sequence[int]],
    sign: int,
) -> Atoms:
    """Describe the groups of fragments; `sign` is −1 where lines follow upwards."""
    size = fragments.size[members]
    v = sign * fragments.v[members]
    vertical = (fragments.flags[members] & VERTICAL) != 0
    top = np.where(vertical, v - fragments.ascent[members], v - 0.7 * size)
    bottom = np.where(vertical, v + fragments.descent[members], v + 0.18 * size)
    tallest = np.maximum.reduceat(size, begins)
    heads = np.array(
        [max(group, key=lambda i: len(fragments.text[i])) for group in groups], np.int64
    )
    return Atoms(
        u0=np.minimum.reduceat(fragments.u0[members], begins),
        u1=np.maximum.reduceat(fragments.u1[members], begins),
        v=sign * fragments.v[heads],
        top=np.minimum.reduceat(top, begins).astype(np.float32),
        bottom=np.maximum.reduceat(bottom, begins).astype(np.float32),
        size=tallest,
        text=tuple([" ".join([fragments.text[i] for i in group]) for group in groups]),
    )


def _rules(page: RawPage, fragments: Fragments, member: int) -> Rules:
    """Return the lines that are drawn in the frame of a fragment."""
    if not len(page.drawings):
        return NO_RULES
    dx, dy = float(fragments.dx[member]), float(fragments.dy[member])
    x = page.drawings[:, [0, 2]]
    y = page.drawings[:, [1, 3]]
    ends = np.stack((x * dx + y * dy, y * dx - x * dy))
    return find_rules(ends.min(axis=2), ends.max(axis=2))


def _is_right_to_left(text: str) -> bool:
    found = len(_RIGHT_TO_LEFT.findall(text))
    return found > 0 and found > 0.3 * len(text)


def _text_part(maker: "_AtomLines", atoms: Atoms, region: Region, is_turned: bool) -> Part:
    made = [maker.line(line) for line in group_lines(atoms, region.atoms)]
    lines = tuple([line for line in made if line.text.strip()])
    return Part(lines, find_breaks(lines), is_turned=is_turned)


def _table_part(
    maker: "LineMaker",
    fragments: Fragments,
    held: Sequence[int],
    region: Region,
    *,
    sign: int,
    is_turned: bool,
) -> Part:
    """Make a table of the fragments that it holds."""
    members = np.array(held, np.int64)
    atoms = _make_atoms(
        fragments, members, np.arange(len(members)), [[index] for index in held], sign
    )
    whole = replace(region, atoms=tuple(range(len(held))))
    rows = tuple(
        [
            tuple([tuple([maker.line([held[i] for i in line]) for line in cell]) for cell in row])
            for row in find_rows(atoms, whole)
        ]
    )
    return Part(
        lines=tuple([line for row in rows for cell in row for line in cell]),
        rows=rows,
        gutters=region.gutters,
        header_rows=count_header_rows(rows),
        is_turned=is_turned,
        is_drawn=region.is_drawn,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _AtomLines:
    """Makes lines of text from atoms of one frame."""

    maker: "LineMaker"
    groups: Sequence[Sequence[int]]

    def line(self, atoms: Sequence[int]) -> TextLine:
        """Make the line of the given atoms, which are in order along the text."""
        return self.maker.line([i for atom in atoms for i in self.groups[atom]])


class LineMaker:
    """Makes lines of text from fragments of a page.

    It reads the arrays as lists: a line has few fragments, and a page few lines.
    """

    def __init__(self, page: RawPage, fragments: Fragments, sign: int = 1) -> None:
        """Prepare for the fragments of one frame; `sign` is −1 where v counts against it."""
        self._page, self._sign = page.index, sign
        self._text = fragments.text
        self._u0, self._u1 = fragments.u0.tolist(), fragments.u1.tolist()
        v = fragments.v
        top = v - fragments.ascent if sign > 0 else -(v + fragments.descent)
        self._v, self._top = (sign * v).tolist(), top.tolist()
        self._height = (fragments.ascent + fragments.descent).tolist()
        self._size = fragments.size.tolist()
        self._flags, self._angle = fragments.flags.tolist(), fragments.angle.tolist()
        self._dx, self._dy = fragments.dx.tolist(), fragments.dy.tolist()
        tags = page.runs.tag
        self._tag = [tags[run] for run in fragments.run.tolist()] if tags else None

    def line(self, chosen: Sequence[int]) -> TextLine:
        """Make the line of the given fragments, which are in order along the text."""
        members = list(chosen)
        main = members[0]
        text, gaps, widest = self._text[main], _NO_GAPS, 0.0
        if len(members) > 1:
            if _is_right_to_left("".join([self._text[i] for i in members])):
                members.sort(key=lambda i: -self._u1[i])
            main = max(members, key=lambda i: len(self._text[i]))
            gaps = tuple([self._gap(a, b) for a, b in pairwise(members)])
            text = self._text[members[0]] + "".join(
                [gap + self._text[i] for gap, i in zip(gaps, members[1:], strict=True)]
            )
            distance = max([self._u0[b] - self._u1[a] for a, b in pairwise(members)])
            widest = distance / max(0.1, self._size[members[0]])
        top = self._top[main]
        return TextLine(
            page=self._page,
            fragments=tuple(members),
            gaps=gaps,
            text=text,
            u0=min([self._u0[i] for i in members]),
            u1=max([self._u1[i] for i in members]),
            v=self._v[main],
            top=top,
            bottom=top + self._height[main],
            size=self._size[main],
            flags=self._flags[main],
            angle=self._angle[main],
            direction=(self._dx[main], self._dy[main]),
            sign=self._sign,
            tag=self._tag[main] if self._tag else "",
            widest_gap=widest,
        )

    def _gap(self, before: int, after: int) -> str:
        """Return what stands between two fragments of one line: nothing or a space."""
        distance = max(self._u0[after] - self._u1[before], self._u0[before] - self._u1[after])
        size = max(self._size[before], self._size[after])
        both = is_spaceless(self._text[before][-1]) and is_spaceless(self._text[after][0])
        return " " if distance > (1.0 if both else 0.15) * size else ""
