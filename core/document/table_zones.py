# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tables that drawn lines show: which of the zones between lines hold cells."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.document.atoms import (
    Atoms,
    Region,
    assign_columns,
    loose_gutters,
    measure_alignment,
    prose_share,
)
from core.document.ruled_tables import Rules, Zone, find_zones

_FEWEST_ATOMS = 4
_MOST_LINES_PER_BAND = 6  # of text between the rules of a table with long cells
_MOST_LINES_PER_ROW = 14  # of a drawn grid with running text in its cells


def find_ruled_tables(atoms: Atoms, rules: Rules) -> tuple[list[Region], list[Zone]]:
    """Return the tables that drawn lines show, and their zones."""
    tables: list[Region] = []
    zones: list[Zone] = []
    for zone in find_zones(rules):
        for part in [zone] if zone.columns else _tabular_parts(atoms, zone):
            table = _table_in(atoms, part)
            if table is not None:
                tables.append(table)
                zones.append(part)
    return tables, zones


def _inside(atoms: Atoms, zone: Zone) -> NDArray[np.int64]:
    """Return the atoms whose middle lies in a zone."""
    u, v = (atoms.u0 + atoms.u1) / 2, (atoms.top + atoms.bottom) / 2
    inside = (u > zone.u0 - 3) & (u < zone.u1 + 3) & (v > zone.v0) & (v < zone.v1)
    return np.flatnonzero(inside)


def _table_in(atoms: Atoms, zone: Zone) -> Region | None:
    """Return the table in a zone, or None when it holds columns of text or a figure."""
    indices = _inside(atoms, zone)
    if len(indices) < _FEWEST_ATOMS:
        return None
    gutters = [(u, u) for u in zone.columns] or loose_gutters(atoms, indices)
    columns = [each for each in assign_columns(atoms, indices, gutters) if len(each)]
    if len(columns) < 2:
        return None
    rows, aligned = measure_alignment(atoms, columns)
    prose, bands = prose_share(atoms, columns), len(zone.rows) - 1
    rows, aligned = max(rows, bands), max(aligned, _shared_bands(atoms, zone, columns))
    if zone.columns:
        is_text = prose > 0.5 and len(columns) < 4 and len(indices) > _MOST_LINES_PER_ROW * bands
    else:
        lines = len(np.unique(np.rint(atoms.v[indices])))
        is_text = aligned < 0.5 or (prose > 0.4 and lines > _MOST_LINES_PER_BAND * bands)
    if is_text or rows < 2:
        return None
    return Region(
        "table", tuple(indices.tolist()), tuple(gutters), zone.rows, is_drawn=bool(zone.columns)
    )


def _shared_bands(atoms: Atoms, zone: Zone, columns: list[NDArray[np.int64]]) -> float:
    """Return the share of the bands between lines that have text in two columns or more."""
    count = len(zone.rows) - 1
    filled = np.zeros((len(columns), count), bool)
    for number, column in enumerate(columns):
        band = np.searchsorted(zone.rows, atoms.v[column]) - 1
        filled[number, np.clip(band, 0, count - 1)] = True
    return float((filled.sum(axis=0) >= 2).mean()) if count >= 2 else 0.0


def _tabular_parts(atoms: Atoms, zone: Zone) -> Iterator[Zone]:
    """Yield the runs of bands between lines that hold cells, at least two bands each.

    Lines under headings and above notes may be as wide as those of a table; text between them is
    no part of it.
    """
    marks = [_band_kind(atoms, zone, low, high) for low, high in pairwise(zone.rows)]
    start = 0
    while start < len(marks):
        if marks[start] != "cells":
            start += 1
            continue
        stop = start + 1
        while stop < len(marks) and marks[stop] != "text":
            stop += 1
        while marks[stop - 1] == "title":
            stop -= 1
        if stop - start >= 2:
            rows = zone.rows[start : stop + 1]
            yield replace(zone, v0=rows[0], v1=rows[-1], rows=rows)
        start = stop


def _band_kind(atoms: Atoms, zone: Zone, low: float, high: float) -> str:
    """Say what stands between two lines: cells, the title of a group of rows, or text."""
    indices = _inside(atoms, replace(zone, v0=low, v1=high))
    if not len(indices):
        return "title"
    place = np.rint(atoms.v[indices] / 2)
    _, counts = np.unique(place, return_counts=True)
    if len(counts) == 1 and counts[0] == 1:
        return "title"
    few = len(counts) <= 2 * _MOST_LINES_PER_BAND
    return "cells" if few and (counts >= 2).any() else "text"
