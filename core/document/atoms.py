# SPDX-License-Identifier: AGPL-3.0-or-later
"""The pieces of text that reading order and tables work with, and what is measured of them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RegionKind = Literal["text", "table"]
Gutters = list[tuple[float, float]]  # white strips between columns, u


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


def narrowest_gutter(atoms: Atoms, indices: NDArray[np.int64]) -> float:
    """Width in points below which a white strip is a gap between words.

    `indices`, int64 (k,), name the atoms that count.
    """
    return 0.75 * float(np.median(atoms.size[indices]))


def assign_columns(
    atoms: Atoms, indices: NDArray[np.int64], gutters: list[tuple[float, float]]
) -> list[NDArray[np.int64]]:
    """Distribute atoms, int64 (k,), over the columns between the gutters: int64 (m,) each."""
    middles = np.array([(low + high) / 2 for low, high in gutters])
    column = np.searchsorted(middles, atoms.u0[indices])
    return [indices[column == number] for number in range(len(gutters) + 1)]


def prose_share(atoms: Atoms, columns: list[NDArray[np.int64]]) -> float:
    """Return the share of the characters that stand on full lines of running text.

    `columns` are the atoms of each column, int64 (m,).
    """
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


def measure_alignment(atoms: Atoms, columns: list[NDArray[np.int64]]) -> tuple[int, float]:
    """Return how many rows have cells in two columns, and the share of the atoms in such rows.

    `columns` are the atoms of each column, int64 (m,).
    """
    everything = np.concatenate(columns)
    column = np.repeat(np.arange(len(columns)), [len(each) for each in columns])
    order = np.argsort(atoms.v[everything], kind="stable")
    v, size, column = atoms.v[everything][order], atoms.size[everything][order], column[order]
    row = np.concatenate(([0], np.cumsum(np.diff(v) > 0.35 * size[1:])))
    cells = np.unique(np.stack((row, column)), axis=1)
    per_row = np.bincount(cells[0], minlength=int(row[-1]) + 1)
    return int((per_row >= 2).sum()), float((per_row[row] >= 2).mean())


def loose_gutters(atoms: Atoms, indices: NDArray[np.int64]) -> list[tuple[float, float]]:
    """Return the white strips between the columns of a table, which a few lines may cross.

    Headings over several columns and notes cross them: at most a fifth of the rows, or one.
    `indices`, int64 (k,), name the atoms that count.
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
    narrowest = 0.5 * float(np.median(size))
    strips = [
        (left + low + 1, left + high + 1)
        for low, high in zip(changes[::2].tolist(), changes[1::2].tolist(), strict=False)
        if high - low >= narrowest
    ]
    ends = [low for low, _ in strips[1:]] + [np.inf]
    return [
        (low, high)
        for (low, high), end in zip(strips, ends, strict=True)
        if _begin_between(atoms.u0[order], high - 2, end) >= min(2, shape[0] - 1)
    ]


def _begin_between(u0: NDArray[np.float32], low: float, high: float) -> int:
    """Count the atoms that begin between two places: a column has some of its own."""
    return int(((u0 >= low) & (u0 < high)).sum())


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
