# SPDX-License-Identifier: AGPL-3.0-or-later
"""One page by itself: its lines, tables and their order. What needs other pages comes later."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.document.blocks import TextLine
from core.document.hyphens import is_spaceless
from core.document.lines import Fragments
from core.document.model import BlockKind
from core.document.raw import VERTICAL, RawPage
from core.document.reading_order import Atoms, Region, find_regions, group_lines
from core.document.ruled_tables import NO_RULES, Rules, find_rules
from core.document.tables import count_header_rows, find_rows

_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a page in reading order: lines of a column, or the rows of a table."""

    lines: tuple[TextLine, ...]
    rows: tuple[tuple[tuple[TextLine, ...], ...], ...] = ()
    gutters: tuple[float, ...] = ()  # u between the columns of a table
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
        chosen = np.flatnonzero((fragments.angle == angle) & body)
        if len(chosen):
            parts += _frame_parts(page, fragments, chosen, is_turned=rank > 0)
    maker = LineMaker(page, fragments)
    marked = [(maker.line(members), kind) for members, kind in running]
    return PageLayout(page, fragments, tuple(parts), tuple(marked))


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
) -> list[Part]:
    """Return the parts of the fragments of one angle."""
    owner = _join_neighbours(fragments, members)
    sign = _sign(fragments, members)
    begins = np.flatnonzero(np.diff(owner, prepend=-1))
    ends = np.append(begins[1:], len(members))
    groups = [members[a:b].tolist() for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
    atoms = _make_atoms(fragments, members, begins, groups, sign)
    rules = _rules(page, fragments, int(members[0]))
    right_to_left = _is_right_to_left("".join(atoms.text))
    maker = _AtomLines(LineMaker(page, fragments, sign), groups)
    parts: list[Part] = []
    vertical = bool((fragments.flags[members] & VERTICAL).any())
    for region in find_regions(atoms, rules, right_to_left=right_to_left, vertical=vertical):
        parts.append(_part(maker, atoms, region, is_turned))
    return parts


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


def _part(maker: "_AtomLines", atoms: Atoms, region: Region, is_turned: bool) -> Part:
    if region.kind == "text":
        lines = [maker.line(line) for line in group_lines(atoms, region.atoms)]
        return Part(tuple([line for line in lines if line.text.strip()]), is_turned=is_turned)
    rows = tuple(
        [
            tuple([tuple([maker.line(line) for line in cell]) for cell in row])
            for row in find_rows(atoms, region)
        ]
    )
    return Part(
        tuple([line for row in rows for cell in row for line in cell]),
        rows,
        tuple([(low + high) / 2 for low, high in region.gutters]),
        count_header_rows(rows),
        is_turned,
        region.is_drawn,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _AtomLines:
    """Makes lines of text from atoms of one frame."""

    maker: "LineMaker"
    groups: Sequence[Sequence[int]]

    def line(self, atoms: Sequence[int]) -> TextLine:
        """Make the line of the given atoms, which are in order along the text."""
        return self.maker.line([i for atom in atoms for i in self.groups[atom]])


@dataclass(frozen=True, slots=True, eq=False)
class LineMaker:
    """Makes lines of text from fragments of a page."""

    page: RawPage
    fragments: Fragments
    sign: int = 1  # −1 where v counts against the frame

    def line(self, chosen: Sequence[int]) -> TextLine:
        """Make the line of the given fragments, which are in order along the text."""
        fragments = self.fragments
        members = list(chosen)
        if len(members) > 1:
            joined = "".join(fragments.text[i] for i in members)
            if _is_right_to_left(joined):
                members.sort(key=lambda i: -float(fragments.u1[i]))
            main = max(members, key=lambda i: len(fragments.text[i]))
        else:
            main = members[0]
        gaps = tuple([self._gap(a, b) for a, b in itertools.pairwise(members)])
        text = fragments.text[members[0]]
        for gap, member in zip(gaps, members[1:], strict=True):
            text += gap + fragments.text[member]
        run = int(fragments.run[main])
        tags = self.page.runs.tag
        return TextLine(
            page=self.page.index,
            fragments=tuple(members),
            gaps=gaps,
            text=text,
            u0=min([float(fragments.u0[i]) for i in members]),
            u1=max([float(fragments.u1[i]) for i in members]),
            v=self.sign * float(fragments.v[main]),
            top=self._top(main),
            bottom=self._top(main) + float(fragments.ascent[main] + fragments.descent[main]),
            size=float(fragments.size[main]),
            flags=int(fragments.flags[main]),
            angle=int(fragments.angle[main]),
            direction=(float(fragments.dx[main]), float(fragments.dy[main])),
            sign=self.sign,
            tag=tags[run] if tags else "",
            widest_gap=self._widest_gap(members),
        )

    def _top(self, index: int) -> float:
        """Return the least v of a fragment."""
        fragments = self.fragments
        if self.sign > 0:
            return float(fragments.v[index] - fragments.ascent[index])
        return -float(fragments.v[index] + fragments.descent[index])

    def _widest_gap(self, members: Sequence[int]) -> float:
        """Return the widest gap between neighbours, in ems of the first."""
        if len(members) < 2:
            return 0.0
        u0, u1 = self.fragments.u0, self.fragments.u1
        gaps = [float(u0[b] - u1[a]) for a, b in pairwise(members)]
        return max(gaps) / max(0.1, float(self.fragments.size[members[0]]))

    def _gap(self, before: int, after: int) -> str:
        """Return what stands between two fragments of one line: nothing or a space."""
        fragments = self.fragments
        distance = max(
            float(fragments.u0[after] - fragments.u1[before]),
            float(fragments.u0[before] - fragments.u1[after]),
        )
        size = max(float(fragments.size[before]), float(fragments.size[after]))
        last, first = fragments.text[before][-1], fragments.text[after][0]
        narrowest = 1.0 if is_spaceless(last) and is_spaceless(first) else 0.15
        return " " if distance > narrowest * size else ""
