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

from core.document.ruled_tables import Rules, Zone, find_zones

RegionKind = Literal["text", "table"]

_MINIMUM_LINES = 3  # beside a gutter
_MAXIMUM_DEPTH = 8
_MOST_LINES_PER_ROW = 14  # of a table with running text in its cells
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
    """A part of a page that is read as a whole: indices of its atoms.

    Of a table also the white strips between its columns (u), and v of the lines drawn through it.
    """

    kind: RegionKind
    atoms: tuple[int, ...]
    gutters: tuple[tuple[float, float], ...] = ()
    rules: tuple[float, ...] = ()
    is_drawn: bool = False  # lines are drawn around and between its cells


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
    tables, boxes = ([], []) if vertical else _ruled_tables(atoms, rules)
    frame = _Frame(
        _with_boxes(atoms, boxes), rules.along, right_to_left, vertical, count, tuple(tables)
    )
    inside = {index for table in tables for index in table.atoms}
    outside = np.array([i for i in range(count) if i not in inside], np.int64)
    indices = np.concatenate((outside, count + np.arange(len(tables))))
    indices = indices[np.argsort(frame.atoms.top[indices], kind="stable")]
    return list(_divide(frame, indices, 0))


def _ruled_tables(atoms: Atoms, rules: Rules) -> tuple[list[Region], list[Zone]]:
    """Return the tables that drawn lines show, and their boxes."""
    tables: list[Region] = []
    boxes: list[Zone] = []
    for zone in find_zones(rules):
        middle_u, middle_v = (atoms.u0 + atoms.u1) / 2, (atoms.top + atoms.bottom) / 2
        inside = (middle_u > zone.u0 - 3) & (middle_u < zone.u1 + 3)
        inside &= (middle_v > zone.v0) & (middle_v < zone.v1)
        indices = np.flatnonzero(inside)
        if len(indices) < 4:
            continue
        gutters = [(u, u) for u in zone.columns] or loose_gutters(atoms, indices)
        columns = [each for each in _assign(atoms, indices, gutters) if len(each)]
        if len(columns) < 2:
            continue
        rows, aligned = _alignment(atoms, columns)
        prose = _prose_share(atoms, columns)
        if not zone.columns and (aligned < 0.5 or prose > 0.4):
            continue
        if (
            prose > 0.5
            and len(columns) < 4
            and len(indices) > _MOST_LINES_PER_ROW * (len(zone.rows) - 1)
        ):
            continue  # columns of text in a frame
        if rows >= 2:
            drawn = bool(zone.columns)
            tables.append(
                Region("table", tuple(indices.tolist()), tuple(gutters), zone.rows, drawn)
            )
            boxes.append(zone)
    return tables, boxes


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


def loose_gutters(atoms: Atoms, indices: NDArray[np.int64]) -> list[tuple[float, float]]:
    """Return the white strips between the columns of a table, which a few lines may cross.

    Headings over several columns and notes cross them: at most a fifth of the rows, or one.
    """
    order = indices[np.argsort(atoms.v[indices], kind="stable")]
    v, size = atoms.v[order], atoms.size[order]
    row = np.concatenate(([0], np.cumsum(np.diff(v) > 0.35 * size[1:])))
    left = float(atoms.u0[order].min())
    first = (atoms.u0[order] - left).astype(np.int64)
    after = np.ceil(atoms.u1[order] - left).astype(np.int64) + 1
    shape = (int(row[-1]) + 1, int(after.max()) + 1)
    edges = np.zeros(shape, np.int32)
    np.add.at(edges, (row, first), 1)
    np.add.at(edges, (row, after), -1)
    covered = np.cumsum(edges, axis=1) > 0
    crossing = covered.sum(axis=0)
    clear = crossing <= max(1 if shape[0] > 3 else 0, shape[0] // 5)
    clear[0] = clear[-1] = False
    changes = np.flatnonzero(np.diff(clear.astype(np.int8)))
    strips = zip(changes[::2].tolist(), changes[1::2].tolist(), strict=False)
    narrowest = 0.5 * float(np.median(size))
    return [(left + low + 1, left + high + 1) for low, high in strips if high - low >= narrowest]


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


def _columns(frame: _Frame, indices: NDArray[np.int64], depth: int) -> Iterator[Region]:
    """Split bands with a common gutter into columns, or find that they are a table or rows."""
    atoms = frame.atoms
    gutters = _common_gutters(atoms, indices)
    columns = _assign(atoms, indices, gutters)
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
    if len(columns) < 2:
        return "rows"
    if len(columns) == 2 and _is_contents(atoms, columns[1]):
        return "rows"
    if len(columns) == 2 and _are_entries(atoms, columns):
        return "table"
    if _prose_share(atoms, columns) >= 0.5:
        return "columns"
    if _ruled(atoms, rules, columns, gutters) >= 2:
        return "table"
    rows, aligned = _alignment(atoms, columns)
    if aligned < 0.5:
        return "columns"
    return "table" if rows >= _MINIMUM_LINES else "rows"


def _are_entries(atoms: Atoms, columns: list[NDArray[np.int64]]) -> bool:
    """Say whether the left column holds terms that the text on their right explains.

    The terms are short, stand on the baselines of lines on the right, and have gaps below them.
    """
    left, right = columns
    if len(left) < 3 or len(left) > 0.75 * len(right) or _prose_share(atoms, [right]) < 0.5:
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


def _prose_share(atoms: Atoms, columns: list[NDArray[np.int64]]) -> float:
    """Return the share of the characters that stand on full lines of running text."""
    prose = total = 0.0
    for column in columns:
        length = np.array([_weight(atoms.text[i]) for i in column.tolist()])
        width = atoms.u1[column] - atoms.u0[column]
        extent = float(atoms.u1[column].max() - atoms.u0[column].min())
        full = ((width >= 0.65 * extent) & (length >= 18)) | (length >= 32)
        total += float(length.sum())
        if full.sum() >= 2:
            prose += float(length[full].sum())
    return prose / max(total, 1.0)


def _weight(text: str) -> float:
    """Return the length of a text in Latin letters; a Han character counts as two."""
    return float(len(text) + len(text.encode("utf-8", "surrogatepass"))) / 2


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
    v, u0 = atoms.v.tolist(), atoms.u0.tolist()
    tops, bottoms = atoms.top.tolist(), atoms.bottom.tolist()
    lines: list[list[int]] = []
    top = bottom = 0.0
    for index in sorted(indices, key=lambda i: (v[i], u0[i])):
        a, b = tops[index], bottoms[index]
        if lines and min(b, bottom) - max(a, top) > 0.5 * min(b - a, bottom - top):
            lines[-1].append(index)
            if b - a > bottom - top:
                top, bottom = a, b
        else:
            lines.append([index])
            top, bottom = a, b
    for line in lines:
        if len(line) > 1:
            line.sort(key=u0.__getitem__)
    return lines
