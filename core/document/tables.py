# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rows and cells of a table, from the places of its pieces."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.document.atoms import Atoms, Region, group_lines
from core.document.blocks import TextLine

Cell = list[list[int]]  # the lines of a cell, each a list of atoms
_DIGIT = re.compile(r"[\d.,%$€£/–-]")


def find_rows(atoms: Atoms, region: Region) -> list[list[Cell]]:
    """Return the rows of a table region, each a list of cells, one a column.

    Where lines are drawn between all rows, they alone divide. Elsewhere a line of text goes on
    with the row above when it follows closely and only has cells that row has.
    """
    lines = group_lines(atoms, region.atoms)
    middles = [(low + high) / 2 for low, high in region.gutters]
    spacing = _Spacing(
        region.rules, _fully_ruled(atoms, lines, region.rules), _closest(atoms, lines)
    )
    rows: list[list[Cell]] = []
    before: list[int] = []
    for line in lines:
        cells: list[Cell] = [[] for _ in range(len(middles) + 1)]
        for index, column in zip(line, _columns_of(atoms, line, middles), strict=True):
            cells[column] = [[*(cells[column][0] if cells[column] else []), index]]
        apart = not before or _are_apart(atoms, before, line, spacing)
        if not apart and _belongs(atoms, rows[-1], cells, ruled=spacing.ruled):
            for column, cell in enumerate(cells):
                rows[-1][column] += cell
        else:
            rows.append(cells)
        before = line
    return rows


@dataclass(frozen=True, slots=True)
class _Spacing:
    """How a table shows its rows: drawn lines, or else the gaps between lines of text."""

    rules: tuple[float, ...]  # v of the drawn lines
    ruled: bool  # whether they divide all rows
    closest: float  # points between lines of text that belong together


def count_header_rows(rows: Sequence[Sequence[Sequence[TextLine]]]) -> int:
    """Return how many rows at the top are the heading of the table, at most three.

    They are bold while the others are not, or hold no numbers where most cells below do.
    """
    if len(rows) < 2:
        return 0
    bold = [_all_bold(row) for row in rows]
    if bold[0] and not all(bold):
        return min(3, bold.index(False))
    shares = [_number_share(row) for row in rows]
    if float(np.median(shares[1:])) < 0.3:
        return 0
    heading = 0
    while heading < min(3, len(rows) - 1) and shares[heading] < 0.1:
        heading += 1
    return heading


def _all_bold(row: Sequence[Sequence[TextLine]]) -> bool:
    return all(line.bold for cell in row for line in cell)


def _columns_of(atoms: Atoms, line: list[int], middles: list[float]) -> list[int]:
    """Return the columns of the atoms of a line, from left to right.

    Where two would share a column, one that reaches into an empty column beside it goes there.
    """
    columns = [_column_of(atoms, index, middles) for index in line]
    for at in range(len(line) - 1, 0, -1):
        column = columns[at]
        after = columns[at + 1] if at + 1 < len(line) else len(middles) + 1
        free = columns[at - 1] == column and column + 1 < after and column < len(middles)
        columns[at] += free and float(atoms.u1[line[at]]) > middles[column]
    for at in range(len(line) - 1):
        column = columns[at]
        before = columns[at - 1] if at else -1
        free = columns[at + 1] == column and before < column - 1
        columns[at] -= free and float(atoms.u0[line[at]]) < middles[column - 1]
    return columns


def _column_of(atoms: Atoms, index: int, middles: list[float]) -> int:
    """Return the column of an atom: by its middle, or by its start when it spans columns."""
    u0, u1 = float(atoms.u0[index]), float(atoms.u1[index])
    if sum(u0 < middle < u1 for middle in middles) > 1:
        return int(np.searchsorted(middles, u0 + 0.5))
    return int(np.searchsorted(middles, (u0 + u1) / 2))


def _number_share(row: Sequence[Sequence[TextLine]]) -> float:
    """Return the share of the filled cells that are mostly digits."""
    texts = ["".join(line.text for line in cell) for cell in row if cell]
    numbers = sum(len(_DIGIT.findall(text)) > 0.4 * len(text) for text in texts)
    return numbers / max(1, len(texts))


def _fully_ruled(atoms: Atoms, lines: list[list[int]], rules: tuple[float, ...]) -> bool:
    """Say whether drawn lines divide the rows: they stand in wider gaps than those between lines.

    Where lines of text are as far apart at the rules as elsewhere, the rules only guide the eye.
    """
    if len(rules) < 3 or len(lines) < 3:
        return False
    v = np.array([max(float(atoms.v[i]) for i in line) for line in lines])
    steps = np.diff(v)
    places = np.array(rules)
    divided = np.searchsorted(places, v[1:]) > np.searchsorted(places, v[:-1])
    if divided.sum() < 2 or divided.all():
        return bool(divided.all())
    return float(np.median(steps[divided])) > 1.15 * float(np.median(steps[~divided]))


def _looks_whole(atoms: Atoms, row: list[Cell], cells: list[Cell]) -> bool:
    """Say whether a line by itself is a row of short cells, as in a group between two rules."""
    filled = [cell for cell in cells if cell]
    above = sum(bool(cell) for cell in row)
    if not cells[0] or len(filled) < 0.7 * above:
        return False
    lengths = [len(atoms.text[cell[0][0]]) for cell in filled]
    return float(np.median(lengths)) <= 12


def _closest(atoms: Atoms, lines: list[list[int]]) -> float:
    """Return the gap between lines, in points, up to which one goes on with the row above.

    Where cells hold running text, it is the usual gap of the table; elsewhere rows may be as close
    as lines, and only a narrow gap shows a second line of a cell.
    """
    size = float(np.median([float(atoms.size[i]) for line in lines for i in line]))
    lengths = [max(len(atoms.text[i]) for i in line) for line in lines]
    if np.median(lengths) < 30 or len(lines) < 3:
        return 0.55 * size
    tops = [min(float(atoms.top[i]) for i in line) for line in lines]
    bottoms = [max(float(atoms.bottom[i]) for i in line) for line in lines]
    gaps = np.array(tops[1:]) - np.array(bottoms[:-1])
    return max(0.55 * size, 1.3 * float(np.percentile(gaps, 30)))


def _are_apart(atoms: Atoms, before: list[int], line: list[int], spacing: _Spacing) -> bool:
    """Say whether a drawn line or a wide gap lies between two lines of text."""
    bottom = max(float(atoms.bottom[i]) for i in before)
    top = min(float(atoms.top[i]) for i in line)
    size = max(float(atoms.size[i]) for i in line)
    middle = (max(float(atoms.v[i]) for i in before) + max(float(atoms.v[i]) for i in line)) / 2
    reach = max(0.6 * size, 0.5 * (top - bottom) + 0.3 * size)
    if any(abs(v - middle) <= reach for v in spacing.rules):
        return True
    return not spacing.ruled and top - bottom > spacing.closest


def _belongs(atoms: Atoms, row: list[Cell], cells: list[Cell], *, ruled: bool) -> bool:
    """Say whether the cells of a line that is near go on with the cells of the row above."""
    if ruled:
        return not _looks_whole(atoms, row, cells)
    filled = [column for column, cell in enumerate(cells) if cell]
    if any(not row[column] for column in filled):
        return False
    if len(filled) == len(cells):
        return len(cells) == 2 and _opens_within(atoms.text[cells[0][0][0]])
    return filled[0] > 0 or (filled == [0] and _goes_on(atoms, row[0], cells[0]))


def _goes_on(atoms: Atoms, above: Cell, cell: Cell) -> bool:
    """Say whether a line in the first column goes on with the cell above it."""
    first, line = above[0][0], cell[0][0]
    indented = float(atoms.u0[line] - atoms.u0[first]) > 0.5 * float(atoms.size[line])
    return indented or _opens_within(atoms.text[line])


def _opens_within(text: str) -> bool:
    """Say whether a text opens as the inside of a phrase."""
    return text[:1].islower() or text[:1] in "(["
