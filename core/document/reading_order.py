# SPDX-License-Identifier: AGPL-3.0-or-later
"""Reading order of the fragments of one frame: columns, tables and rows, from geometry alone.

The page is divided at its best gutter: the vertical white strip with text on both sides that runs
past the most lines without being crossed. What lies above the strip, its columns, and what lies
below are divided again. Where the columns turn out to hold cells, the part is a table.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.document.atoms import (
    Atoms,
    Region,
    assign_columns,
    measure_alignment,
    narrowest_gutter,
    prose_share,
)
from core.document.ruled_tables import Rules, Zone
from core.document.table_zones import find_ruled_tables

_MINIMUM_LINES = 3  # beside a gutter
_MAXIMUM_DEPTH = 8
_TAIL = 3  # lines at most that are a heading of what follows
_MARKER = re.compile(r"^[\[(]?[\w.]{0,5}[\])]?[.):]?$|^[^\w\s]{1,2}$")
_PAGE_NUMBER = re.compile(r"^[\s.·…]*(\d{1,4}|[ivxlcIVXLC]{1,7})$")


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """What the division of a frame needs. Atoms past `count` stand for whole tables."""

    atoms: Atoms
    rules: NDArray[np.float32]
    right_to_left: bool
    vertical: bool
    count: int
    tables: tuple[Region, ...]


def find_regions(
    atoms: Atoms, rules: Rules, *, right_to_left: bool = False, vertical: bool = False
) -> list[Region]:
    """Return the regions of a frame in reading order.

    Args:
        atoms: the pieces of text.
        rules: lines drawn in the frame.
        right_to_left: the first column is the rightmost.
        vertical: the script is written downwards; no tables are looked for.
    """
    count = len(atoms.text)
    tables, boxes = ([], []) if vertical else find_ruled_tables(atoms, rules)
    frame = _Frame(
        _with_boxes(atoms, boxes), rules.along, right_to_left, vertical, count, tuple(tables)
    )
    inside = {index for table in tables for index in table.atoms}
    outside = np.array([i for i in range(count) if i not in inside], np.int64)
    indices = np.concatenate((outside, count + np.arange(len(tables))))
    indices = indices[np.argsort(frame.atoms.top[indices], kind="stable")]
    return list(_divide(frame, indices, 0))


def _with_boxes(atoms: Atoms, boxes: Sequence[Zone]) -> Atoms:
    """Add one atom for each table, so that the division goes around it."""
    if not boxes:
        return atoms
    size = float(np.median(atoms.size))

    def extend(values: NDArray[np.float32], more: list[float]) -> NDArray[np.float32]:
        return np.concatenate((values, np.array(more, np.float32)))

    return Atoms(
        u0=extend(atoms.u0, [box.u0 for box in boxes]),
        u1=extend(atoms.u1, [box.u1 for box in boxes]),
        v=extend(atoms.v, [box.v1 for box in boxes]),
        top=extend(atoms.top, [box.v0 + 0.5 for box in boxes]),
        bottom=extend(atoms.bottom, [box.v1 - 0.5 for box in boxes]),
        size=extend(atoms.size, [size for _ in boxes]),
        text=atoms.text + ("",) * len(boxes),
    )


def _divide(frame: _Frame, indices: NDArray[np.int64], depth: int) -> Iterator[Region]:
    """Divide the atoms at `indices`, which are sorted by top."""
    if not len(indices):
        return
    atoms = frame.atoms
    band = _bands(atoms.top[indices], atoms.bottom[indices])
    rows = None
    if band[-1] + 1 < len(indices) and len(indices) >= 2 * _MINIMUM_LINES - 2:
        rows = _best_rows(atoms, indices, band)
    if rows is None or depth >= _MAXIMUM_DEPTH:
        yield from _leaf(frame, indices)
        return
    start, stop = rows
    above, inside, below = band < start, (band >= start) & (band < stop), band >= stop
    yield from _divide(frame, indices[above], depth + 1)
    yield from _columns(frame, indices[inside], depth + 1)
    yield from _divide(frame, indices[below], depth + 1)


def _bands(top: NDArray[np.float32], bottom: NDArray[np.float32]) -> NDArray[np.int64]:
    """Number the bands of atoms that overlap in v; atoms are sorted by top."""
    reach = np.maximum.accumulate(bottom)
    return np.concatenate(([0], np.cumsum(top[1:] > reach[:-1])))


def _best_rows(
    atoms: Atoms, indices: NDArray[np.int64], band: NDArray[np.int64]
) -> tuple[int, int] | None:
    """Return the half-open range of bands along the best gutter, or None without one."""
    u0, u1 = atoms.u0[indices], atoms.u1[indices]
    left = float(u0.min())
    step = max(2.0, (float(u1.max()) - left) / 400)
    first = ((u0 - left) // step).astype(np.int64)
    after = ((u1 - left) // step).astype(np.int64) + 1
    shape = (int(band[-1]) + 1, int(after.max()) + 1)
    edges = np.zeros(shape, np.int32)
    np.add.at(edges, (band, first), 1)
    np.add.at(edges, (band, after), -1)
    covered = np.cumsum(edges, axis=1) > 0
    seen = np.maximum.accumulate(covered, axis=1)
    ahead = np.maximum.accumulate(covered[:, ::-1], axis=1)[:, ::-1]
    lines = _lines_per_band(atoms, indices, band)
    total = np.cumsum(np.where(seen & ahead & ~covered, lines[:, None], 0.0), axis=0)
    gain = total - np.maximum.accumulate(np.where(covered, total, 0.0), axis=0)
    narrowest = narrowest_gutter(atoms, indices) / step
    for _ in range(4):
        row, column = np.unravel_index(int(np.argmax(gain)), gain.shape)
        if gain[row, column] < _MINIMUM_LINES - 0.5:
            return None
        crossed = np.flatnonzero(covered[:, column])
        start = int(crossed[crossed < row].max(initial=-1)) + 1
        stop = int(crossed[crossed > row].min(initial=shape[0]))
        clear = ~covered[start:stop].any(axis=0)
        walls = np.flatnonzero(~clear)
        low = int(walls[walls < column].max(initial=-1)) + 1
        high = int(walls[walls > column].min(initial=shape[1]))
        if high - low + 1 >= narrowest:
            beside = seen[:, column] & ahead[:, column]
            return start, _without_tail(atoms, indices, band, beside, start=start, stop=stop)
        gain[:, low:high] = 0.0
    return None


def _without_tail(
    atoms: Atoms,
    indices: NDArray[np.int64],
    band: NDArray[np.int64],
    beside: NDArray[np.bool_],
    *,
    start: int,
    stop: int,
) -> int:
    """Return where the bands along a gutter end, without a heading of what follows.

    Below columns of equal length, a short line after a gap belongs to the wide text after it, as
    it does not cross the gutter only because it is short. `beside`: bands with text on both sides.
    """
    last = int(np.flatnonzero(beside[start:stop])[-1]) + start
    if stop > int(band[-1]) or not 1 <= int((band > last).sum() - (band >= stop).sum()) <= _TAIL:
        return stop
    bottom = float(atoms.bottom[indices[band <= last]].max())
    gap = float(atoms.top[indices[band > last]].min()) - bottom
    return last + 1 if gap > 0.9 * float(np.median(atoms.size[indices])) else stop


def _lines_per_band(
    atoms: Atoms, indices: NDArray[np.int64], band: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Estimate the lines in each band from its height; at least 1."""
    heights = np.zeros(int(band[-1]) + 1)
    begins = np.flatnonzero(np.diff(band, prepend=-1))
    bottom = np.maximum.reduceat(atoms.bottom[indices], begins)
    heights[:] = bottom - atoms.top[indices][begins]
    pitch = 1.2 * float(np.median(atoms.size[indices]))
    lines: NDArray[np.float64] = np.maximum(1.0, np.rint(heights / max(pitch, 0.1)))
    return lines


def _columns(frame: _Frame, indices: NDArray[np.int64], depth: int) -> Iterator[Region]:
    """Split bands with a common gutter into columns, or find that they are a table or rows."""
    atoms = frame.atoms
    gutters = _common_gutters(atoms, indices)
    columns = assign_columns(atoms, indices, gutters)
    columns, gutters = _join_markers(atoms, columns, gutters)
    kind = _judge(atoms, frame.rules, columns, gutters)
    if (indices >= frame.count).any() and kind == "table":
        kind = "columns"  # a table inside is known already
    if frame.vertical:
        kind = "columns"
    if kind == "columns":
        for column in reversed(columns) if frame.right_to_left else columns:
            yield from _divide(frame, column, depth)
    elif kind == "table":
        v = frame.rules[:, 2]
        inside = v[(v > atoms.top[indices].min()) & (v < atoms.bottom[indices].max())]
        yield Region("table", tuple(indices.tolist()), tuple(gutters), tuple(np.unique(inside)))
    else:
        yield from _leaf(frame, indices)


def _leaf(frame: _Frame, indices: NDArray[np.int64]) -> Iterator[Region]:
    """Return what is not divided: text, and the tables in it at their places."""
    run: list[int] = []
    for index in indices.tolist():
        if index < frame.count:
            run.append(index)
            continue
        if run:
            yield Region("text", tuple(run))
            run = []
        yield frame.tables[index - frame.count]
    if run:
        yield Region("text", tuple(run))


def _common_gutters(atoms: Atoms, indices: NDArray[np.int64]) -> list[tuple[float, float]]:
    """Return the white strips that no atom crosses, wide enough, from left to right."""
    order = indices[np.argsort(atoms.u0[indices], kind="stable")]
    reach = np.maximum.accumulate(atoms.u1[order])[:-1]
    following = atoms.u0[order][1:]
    wide = np.flatnonzero(following - reach >= narrowest_gutter(atoms, indices))
    return [(float(reach[i]), float(following[i])) for i in wide.tolist()]


def _join_markers(
    atoms: Atoms, columns: list[NDArray[np.int64]], gutters: list[tuple[float, float]]
) -> tuple[list[NDArray[np.int64]], list[tuple[float, float]]]:
    """Give a column of list markers or labels to the column on its right."""
    joined: list[NDArray[np.int64]] = []
    kept: list[tuple[float, float]] = []
    pending: NDArray[np.int64] | None = None
    for number, column in enumerate(columns):
        merged = column if pending is None else np.concatenate((pending, column))
        pending = None
        if number < len(gutters) and _is_markers(atoms, column, columns[number + 1]):
            pending = merged
            continue
        joined.append(merged[np.argsort(atoms.top[merged], kind="stable")])
        if number < len(gutters):
            kept.append(gutters[number])
    return joined, kept


def _is_markers(atoms: Atoms, column: NDArray[np.int64], following: NDArray[np.int64]) -> bool:
    """Say whether `column` holds only short labels of the prose on its right."""
    markers = sum(bool(_MARKER.match(atoms.text[i].strip())) for i in column.tolist())
    if markers < 0.8 * len(column):
        return False
    return _mean_length(atoms, following) >= 12


def _mean_length(atoms: Atoms, column: NDArray[np.int64]) -> float:
    return sum(len(atoms.text[i]) for i in column.tolist()) / max(1, len(column))


def _judge(
    atoms: Atoms,
    rules: NDArray[np.float32],
    columns: list[NDArray[np.int64]],
    gutters: list[tuple[float, float]],
) -> Literal["columns", "table", "rows"]:
    """Say what the columns between the gutters are."""
    if len(columns) < 2 or (len(columns) == 2 and _is_contents(atoms, columns[1])):
        return "rows"
    if len(columns) == 2 and _are_entries(atoms, columns):
        return "table"
    if prose_share(atoms, columns) >= 0.5:
        return "columns"
    rows, aligned = measure_alignment(atoms, columns)
    if _ruled(atoms, rules, columns, gutters) >= 2:
        return "table"
    if aligned < 0.5:
        return "columns"
    return "table" if rows >= _MINIMUM_LINES else "rows"


def _are_entries(atoms: Atoms, columns: list[NDArray[np.int64]]) -> bool:
    """Say whether the left column holds terms that the text on their right explains.

    The terms are short, stand on the baselines of lines on the right, and have gaps below them.
    """
    left, right = columns
    if len(left) < 3 or len(left) > 0.75 * len(right) or prose_share(atoms, [right]) < 0.5:
        return False
    width = float(atoms.u1[left].max() - atoms.u0[left].min())
    if width > 0.6 * float(atoms.u1[right].max() - atoms.u0[right].min()):
        return False
    apart = np.abs(atoms.v[left][:, None] - atoms.v[right][None, :]).min(axis=1)
    return float((apart < 0.15 * atoms.size[left]).mean()) > 0.85


def _is_contents(atoms: Atoms, column: NDArray[np.int64]) -> bool:
    """Say whether `column` holds only page numbers, as in a table of contents."""
    return all(_PAGE_NUMBER.match(atoms.text[i].strip()) for i in column.tolist())


def _ruled(
    atoms: Atoms,
    rules: NDArray[np.float32],
    columns: list[NDArray[np.int64]],
    gutters: list[tuple[float, float]],
) -> int:
    """Count the drawn lines inside the rows that cross a gutter."""
    if not len(rules):
        return 0
    everything = np.concatenate(columns)
    top, bottom = atoms.top[everything].min(), atoms.bottom[everything].max()
    inside = rules[(rules[:, 2] > top) & (rules[:, 2] < bottom)]
    crossing = np.zeros(len(inside), bool)
    for low, high in gutters:
        crossing |= (inside[:, 0] <= low) & (inside[:, 1] >= high)
    return len(np.unique(np.rint(inside[crossing, 2])))
