# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rows and cells of a table, from the places of its pieces."""

from collections.abc import Sequence

import numpy as np

from core.document.reading_order import Atoms, Region, group_lines

Cell = list[list[int]]  # the lines of a cell, each a list of atoms


def find_rows(atoms: Atoms, region: Region, rules: Sequence[float] = ()) -> list[list[Cell]]:
    """Return the rows of a table region, each a list of cells.

    A line whose first cell is empty goes on with the row above when it follows closely and no
    drawn line lies between.

    Args:
        atoms: the pieces of the frame.
        region: the table.
        rules: v of the drawn lines that cross the table.
    """
    middles = [(low + high) / 2 for low, high in region.gutters]
    rows: list[list[Cell]] = []
    bottom = -np.inf
    for line in group_lines(atoms, region.atoms):
        cells: list[Cell] = [[] for _ in range(len(middles) + 1)]
        for index in line:
            column = int(np.searchsorted(middles, float(atoms.u0[index])))
            cells[column] = [[*(cells[column][0] if cells[column] else []), index]]
        top = min(float(atoms.top[i]) for i in line)
        size = max(float(atoms.size[i]) for i in line)
        ruled = any(bottom - 0.3 * size <= v <= top + 0.3 * size for v in rules)
        if rows and not cells[0] and top - bottom < 0.6 * size and not ruled and _wraps(rows[-1], cells):
            for column, cell in enumerate(cells):
                rows[-1][column] += cell
        else:
            rows.append(cells)
        bottom = max(float(atoms.bottom[i]) for i in line)
    return rows


def _wraps(row: list[Cell], cells: list[Cell]) -> bool:
    """Say whether all cells of a line can go on with cells of the row above."""
    return all(not cell or bool(above) for cell, above in zip(cells, row, strict=True))
