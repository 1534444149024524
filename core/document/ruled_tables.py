# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tables that are drawn with lines: zones of the page that drawn rules make into a grid.

Two patterns count. A grid: lines along and across that touch, with at least one long line across
inside. A ruled block: at least three lines along the text with the same ends, as in printed
tables without upright lines.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_THIN = 3.0  # points: narrower boxes are lines
_SHORTEST = 8.0  # points
_TOUCH = 2.5  # points between lines that meet
_UNBROKEN = 0.78  # of the height of a grid, that one line between its columns covers
_BREAK = 9.0  # points between the parts of a line that is drawn in pieces
_MOST = 700  # lines: more make a drawing, not a table


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Drawn lines of one frame: along the text (u0, u1, v) and across it (v0, v1, u)."""

    along: NDArray[np.float32]  # (k, 3)
    across: NDArray[np.float32]  # (m, 3)


@dataclass(frozen=True, slots=True)
class Zone:
    """The place of a possible table: u0, v0, u1, v1, and the u of inner lines across."""

    u0: float
    v0: float
    u1: float
    v1: float
    columns: tuple[float, ...] = ()
    rows: tuple[float, ...] = ()  # v of the lines along the text, edges included


NO_RULES = Rules(np.empty((0, 3), np.float32), np.empty((0, 3), np.float32))


def find_rules(low: NDArray[np.float32], high: NDArray[np.float32]) -> Rules:
    """Sort boxes into lines along and across; the edges of larger boxes are lines too.

    Args:
        low: float32 (2, k): least u and v of each drawn box.
        high: float32 (2, k): greatest u and v.
    """
    width, height = high - low
    middle = (low + high) / 2
    flat = (height < _THIN) & (width > _SHORTEST)
    upright = (width < _THIN) & (height > _SHORTEST)
    along = [np.stack((low[0], high[0], middle[1]), axis=1)[flat]]
    across = [np.stack((low[1], high[1], middle[0]), axis=1)[upright]]
    framed = (height >= _THIN) & (width >= _SHORTEST) & (height < 400)
    framed[framed] = _abutting(low[:, framed], high[:, framed])
    if framed.any():
        for side in (low, high):
            along.append(np.stack((low[0], high[0], side[1]), axis=1)[framed])
            across.append(np.stack((low[1], high[1], side[0]), axis=1)[framed])
    return Rules(np.concatenate(along), np.concatenate(across))


def _abutting(low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Say which boxes are cells: they share a whole side with another box."""
    count = low.shape[1]
    if not 1 < count <= _MOST // 2:
        return np.zeros(count, bool)
    same_low = np.abs(low[:, :, None] - low[:, None, :]) < _TOUCH
    same_high = np.abs(high[:, :, None] - high[:, None, :]) < _TOUCH
    meets = np.abs(high[:, :, None] - low[:, None, :]) < _TOUCH
    same = same_low & same_high
    joined = (same[1] & meets[0]) | (same[0] & meets[1])
    mated: NDArray[np.bool_] = joined.any(axis=0) | joined.any(axis=1)
    return mated


def find_zones(rules: Rules) -> list[Zone]:
    """Return the zones that the lines make, grids before ruled blocks; they do not overlap."""
    if not 2 <= len(rules.along) <= _MOST or len(rules.across) > _MOST:
        return []
    zones = _grids(rules)
    for block in _ruled_blocks(rules.along):
        if not any(_overlap(block, zone) for zone in zones):
            zones.append(block)
    return zones


def _grids(rules: Rules) -> list[Zone]:
    """Return the zones of lines that touch one another and divide their zone upright."""
    along, across = rules.along, rules.across
    if not len(across):
        return []
    meets = (
        (across[None, :, 2] >= along[:, None, 0] - _TOUCH)
        & (across[None, :, 2] <= along[:, None, 1] + _TOUCH)
        & (along[:, None, 2] >= across[None, :, 0] - _TOUCH)
        & (along[:, None, 2] <= across[None, :, 1] + _TOUCH)
    )
    label = _components(meets)
    zones = []
    for component in np.unique(label[: len(along)]):
        flat = along[label[: len(along)] == component]
        upright = across[label[len(along) :] == component]
        if len(flat) >= 2 and len(upright):
            zone = _grid_zone(flat, _with_collinear(upright, across))
            if zone is not None:
                zones.append(zone)
    return zones


def _with_collinear(
    upright: NDArray[np.float32], across: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Add the lines that go on below with lines of the grid after a small gap."""
    while True:
        places, bottom = upright[:, 2], float(upright[:, 1].max())
        near = (across[:, 0] > bottom - 1) & (across[:, 0] < bottom + _BREAK)
        near &= (np.abs(across[:, 2, None] - places[None, :]) < _TOUCH).any(axis=1)
        if not near.any():
            return upright
        upright = np.concatenate((upright, across[near]))


def _components(meets: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Label the lines, along then across, by what they are connected to."""
    count, other = meets.shape
    label = np.arange(count + other)
    first, second = np.nonzero(meets)
    second = second + count
    while True:
        least = np.minimum(label[first], label[second])
        updated = label.copy()
        np.minimum.at(updated, first, least)
        np.minimum.at(updated, second, least)
        updated = updated[updated]
        if (updated == label).all():
            return label
        label = updated


def _grid_zone(flat: NDArray[np.float32], upright: NDArray[np.float32]) -> Zone | None:
    """Return the zone along the inner upright lines, or None when they make no columns."""
    u0, u1 = float(flat[:, 0].min()), float(flat[:, 1].max())
    inner = upright[(upright[:, 2] > u0 + 8) & (upright[:, 2] < u1 - 8)]
    if not len(inner):
        return None
    v0, v1 = float(inner[:, 0].min()), float(inner[:, 1].max())
    if not _long_positions(inner, _UNBROKEN * (v1 - v0)):
        return None  # boxes of a flow chart, joined by arrows
    columns = _long_positions(inner, 0.45 * (v1 - v0))
    rows = _long_positions(flat, 0.6 * (u1 - u0))
    rows = tuple([v for v in rows if v0 - _BREAK < v < v1 + _BREAK])
    if not columns or len(rows) < 2:
        return None
    return Zone(u0, min(v0, rows[0]), u1, max(v1, rows[-1]), columns, rows)


def _long_positions(lines: NDArray[np.float32], least: float) -> tuple[float, ...]:
    """Return the places of lines, joined where they are near, that together are long enough."""
    if not len(lines):
        return ()
    ordered = lines[np.argsort(lines[:, 2])]
    group = np.concatenate(([0], np.cumsum(np.diff(ordered[:, 2]) > _TOUCH)))
    found = []
    for number in range(int(group[-1]) + 1):
        members = ordered[group == number]
        if _covered_length(members) >= least:
            found.append(float(members[:, 2].mean()))
    return tuple(found)


def _covered_length(members: NDArray[np.float32]) -> float:
    """Return the length of the union of stretches."""
    order = np.argsort(members[:, 0])
    starts, ends = members[order, 0], np.maximum.accumulate(members[order, 1])
    gaps = np.maximum(0, starts[1:] - ends[:-1]).sum()
    return float(ends[-1] - starts[0] - gaps)


def _ruled_blocks(along: NDArray[np.float32]) -> list[Zone]:
    """Return the zones between at least three lines with the same ends."""
    ends = np.rint(along[:, :2] / 4)
    zones = []
    _, label = np.unique(ends, axis=0, return_inverse=True)
    label = label.ravel()
    for number in range(int(label.max()) + 1):
        lines = along[label == number]
        rows = _long_positions(lines, 0.9 * float(lines[0, 1] - lines[0, 0]))
        if len(rows) >= 3 and lines[0, 1] - lines[0, 0] > 60:
            zones.append(
                Zone(
                    float(lines[:, 0].min()), rows[0], float(lines[:, 1].max()), rows[-1], (), rows
                )
            )
    return zones


def _overlap(a: Zone, b: Zone) -> bool:
    return a.u0 < b.u1 and b.u0 < a.u1 and a.v0 < b.v1 and b.v0 < a.v1
