# SPDX-License-Identifier: AGPL-3.0-or-later
"""Reading order of the fragments of one frame: columns, tables and rows, from geometry alone.

The page is divided at its best gutter: the vertical white strip with text on both sides that runs
past the most lines without being crossed. What lies above the strip, its columns, and what lies
below are divided again. Where the columns turn out to hold cells, the part is a table.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RegionKind = Literal["text", "table"]

_MINIMUM_LINES = 3  # beside a gutter
_MAXIMUM_DEPTH = 8
_MARKER = re.compile(r"^[\[(]?[\w.]{0,5}[\])]?[.):]?$|^[^\w\s]{1,2}$")
_PAGE_NUMBER = re.compile(r"^[\s.·…]*(\d{1,4}|[ivxlcIVXLC]{1,7})$")


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The n pieces of one frame, struct of arrays: u0, u1 along the text, v across it."""

    u0: NDArray[np.float32]
    u1: NDArray[np.float32]
    v: NDArray[np.float32]  # baseline
    top: NDArray[np.float32]  # of the x-height and a little more, so that lines do not overlap
    bottom: NDArray[np.float32]
    size: NDArray[np.float32]
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page that is read as a whole: indices of its atoms and, of a table, the white
    strips between its columns (u)."""

    kind: RegionKind
    atoms: tuple[int, ...]
    gutters: tuple[tuple[float, float], ...] = ()


def find_regions(
    atoms: Atoms, rules: NDArray[np.float32], *, right_to_left: bool = False
) -> list[Region]:
    """Return the regions of a frame in reading order.

    Args:
        atoms: the pieces of text.
        rules: float32 (k, 3): thin lines drawn along the text: u0, u1, v.
        right_to_left: the first column is the rightmost.
    """
    indices = np.argsort(atoms.top, kind="stable")
    return list(_divide(atoms, rules, indices, right_to_left, 0))


def _divide(
    atoms: Atoms,
    rules: NDArray[np.float32],
    indices: NDArray[np.int64],
    right_to_left: bool,
    depth: int,
) -> Iterator[Region]:
    """Divide the atoms at `indices`, which are sorted by top."""
    if not len(indices):
        return
    band = _bands(atoms.top[indices], atoms.bottom[indices])
    rows = None
    if band[-1] + 1 < len(indices) and len(indices) >= 2 * _MINIMUM_LINES - 2:
        rows = _best_rows(atoms, indices, band)
    if rows is None or depth >= _MAXIMUM_DEPTH:
        yield Region("text", tuple(indices.tolist()))
        return
    start, stop = rows
    above, inside, below = band < start, (band >= start) & (band < stop), band >= stop
    yield from _divide(atoms, rules, indices[above], right_to_left, depth + 1)
    yield from _columns(atoms, rules, indices[inside], right_to_left, depth + 1)
    yield from _divide(atoms, rules, indices[below], right_to_left, depth + 1)


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
    narrowest = _narrowest(atoms, indices) / step
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
            return start, stop
        gain[:, low:high] = 0.0
    return None


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


def _narrowest(atoms: Atoms, indices: NDArray[np.int64]) -> float:
    """Width in points below which a white strip is a gap between words."""
    return 0.75 * float(np.median(atoms.size[indices]))


def _columns(
    atoms: Atoms,
    rules: NDArray[np.float32],
    indices: NDArray[np.int64],
    right_to_left: bool,
    depth: int,
) -> Iterator[Region]:
    """Split bands with a common gutter into columns, or find that they are a table or rows."""
    gutters = _common_gutters(atoms, indices)
    columns = _assign(atoms, indices, gutters)
    columns, gutters = _join_markers(atoms, columns, gutters)
    kind = _judge(atoms, rules, columns, gutters)
    if kind == "columns":
        for column in reversed(columns) if right_to_left else columns:
            yield from _divide(atoms, rules, column, right_to_left, depth)
    elif kind == "table":
        yield Region("table", tuple(indices.tolist()), tuple(gutters))
    else:
        yield Region("text", tuple(indices.tolist()))


def _common_gutters(atoms: Atoms, indices: NDArray[np.int64]) -> list[tuple[float, float]]:
    """Return the white strips that no atom crosses, wide enough, from left to right."""
    order = indices[np.argsort(atoms.u0[indices], kind="stable")]
    reach = np.maximum.accumulate(atoms.u1[order])[:-1]
    following = atoms.u0[order][1:]
    wide = np.flatnonzero(following - reach >= _narrowest(atoms, indices))
    return [(float(reach[i]), float(following[i])) for i in wide.tolist()]


def _assign(
    atoms: Atoms, indices: NDArray[np.int64], gutters: list[tuple[float, float]]
) -> list[NDArray[np.int64]]:
    """Distribute the atoms over the columns between the gutters."""
    middles = np.array([(low + high) / 2 for low, high in gutters])
    column = np.searchsorted(middles, atoms.u0[indices])
    return [indices[column == number] for number in range(len(gutters) + 1)]


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
    if not all(_MARKER.match(atoms.text[i].strip()) for i in column.tolist()):
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
    if len(columns) < 2:
        return "rows"
    if len(columns) == 2 and _is_contents(atoms, columns[1]):
        return "rows"
    if _ruled(atoms, rules, columns, gutters) >= 2:
        return "table"
    if _prose_share(atoms, columns) >= 0.5:
        return "columns"
    rows, aligned = _alignment(atoms, columns)
    if aligned < 0.5:
        return "columns"
    return "table" if rows >= _MINIMUM_LINES else "rows"


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


def _prose_share(atoms: Atoms, columns: list[NDArray[np.int64]]) -> float:
    """Return the share of the characters that stand on full lines of running text."""
    prose = total = 0.0
    for column in columns:
        length = np.array([len(atoms.text[i]) for i in column.tolist()])
        width = atoms.u1[column] - atoms.u0[column]
        extent = float(atoms.u1[column].max() - atoms.u0[column].min())
        full = (width >= 0.65 * extent) & (length >= 18)
        total += float(length.sum())
        if full.sum() >= 2:
            prose += float(length[full].sum())
    return prose / max(total, 1.0)


def _alignment(atoms: Atoms, columns: list[NDArray[np.int64]]) -> tuple[int, float]:
    """Return how many rows have cells in two columns, and the share of the atoms in such rows."""
    everything = np.concatenate(columns)
    column = np.repeat(np.arange(len(columns)), [len(each) for each in columns])
    order = np.argsort(atoms.v[everything], kind="stable")
    v, size, column = atoms.v[everything][order], atoms.size[everything][order], column[order]
    row = np.concatenate(([0], np.cumsum(np.diff(v) > 0.35 * size[1:])))
    cells = np.unique(np.stack((row, column)), axis=1)
    per_row = np.bincount(cells[0], minlength=int(row[-1]) + 1)
    return int((per_row >= 2).sum()), float((per_row[row] >= 2).mean())


def group_lines(atoms: Atoms, indices: tuple[int, ...]) -> list[list[int]]:
    """Join the atoms of a text region into lines, from top to bottom and left to right.

    An atom belongs to the line whose band it overlaps by more than half of the lower of the two,
    so that raised and lowered marks stay with their line.
    """
    order = sorted(indices, key=lambda i: (float(atoms.v[i]), float(atoms.u0[i])))
    lines: list[list[int]] = []
    top = bottom = 0.0
    for index in order:
        a, b = float(atoms.top[index]), float(atoms.bottom[index])
        shared = min(b, bottom) - max(a, top)
        if lines and shared > 0.5 * min(b - a, bottom - top):
            lines[-1].append(index)
            if b - a > bottom - top:
                top, bottom = a, b
        else:
            lines.append([index])
            top, bottom = a, b
    for line in lines:
        line.sort(key=lambda i: float(atoms.u0[i]))
    return lines
