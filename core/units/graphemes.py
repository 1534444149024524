# SPDX-License-Identifier: AGPL-3.0-or-later
"""Extended grapheme clusters (UAX #29): what a reader takes for one character."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Mask, Offsets
from core.units.tokens import code_points

_CR, _LF = 13, 10
_CODE_POINTS = 0x110000


@dataclass(frozen=True, slots=True, eq=False)
class Graphemes:
    """The clusters of a text of `length` characters, by the offsets that lie inside one.

    inside: int64 (m,), ascending; every other offset from 0 to `length` is a cluster's edge.
    heads: int64 (m,), where the cluster around each of them starts.
    """

    length: int
    inside: Offsets
    heads: Offsets

    def floor(self, offsets: Offsets) -> Offsets:
        """int64: each offset, moved back to the start of the cluster that it lies inside of."""
        if not len(self.inside) or not len(offsets):
            return offsets
        place = np.minimum(np.searchsorted(self.inside, offsets), len(self.inside) - 1)
        return np.where(self.inside[place] == offsets, self.heads[place], offsets)

    def is_edge(self, offsets: Offsets) -> Mask:
        """Which offsets lie inside no cluster, bool."""
        return np.asarray(self.floor(offsets) == offsets)


def grapheme_table(text: str) -> Graphemes:
    """Find the clusters. Only what stands beside a character that can join is looked at closely.

    A break between two characters that never join (letters, digits, marks of punctuation, most of
    any text) needs no search: they are told apart by a table over the code points, and the
    `regex` library reads the rest.
    """
    if text.isascii():
        starts = _carriage_pairs(np.frombuffer(text.encode("ascii"), np.uint8))
        return Graphemes(len(text), starts + 1, starts)
    points = code_points(text)
    joined = [_carriage_pairs(points) + 1]
    for start, end in _suspect_runs(points):
        edges = [m.end() for m in _cluster().finditer(text, start, end)]
        whole = np.ones(end - start + 1, bool)
        whole[np.array([start, *edges]) - start] = False
        joined.append(np.flatnonzero(whole) + start)
    inside = np.unique(np.concatenate(joined))
    return Graphemes(len(text), inside, _heads(inside))


def _carriage_pairs(points: NDArray[Any]) -> Offsets:
    """int64: where a carriage return stands before a line feed."""
    return np.flatnonzero((points[:-1] == _CR) & (points[1:] == _LF))


def _heads(inside: Offsets) -> Offsets:
    """The start of the cluster of each offset: one before the run of offsets it belongs to."""
    is_first = np.diff(inside, prepend=-2) > 1
    firsts = np.flatnonzero(is_first)
    return inside[firsts][np.cumsum(is_first) - 1] - 1 if len(inside) else inside


def _suspect_runs(points: NDArray[np.uint32]) -> list[tuple[int, int]]:
    """Spans with a character that can join, each widened by one on both sides and merged."""
    suspect = _suspects(points)[points]
    wide = suspect.copy()
    wide[:-1] |= suspect[1:]
    wide[1:] |= suspect[:-1]
    edges = np.flatnonzero(np.diff(wide.astype(np.int8), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _suspects(points: NDArray[np.uint32]) -> Mask:
    """Which code points of the text can join, bool (0x110000,): neither "other" nor controls.

    Consonants of Indic scripts and pictographs are "other" too: they join only through a mark
    between them, which is suspect and so takes both of them into its run.
    """
    can_join = np.zeros(_CODE_POINTS, bool)
    can_join[points] = True
    alone = _alone()
    for point in np.flatnonzero(can_join).tolist():
        can_join[point] = alone.match(chr(point)) is None
    return can_join


@lru_cache(maxsize=1)
def _cluster() -> Any:
    import regex

    return regex.compile(r"\X")


@lru_cache(maxsize=1)
def _alone() -> Any:
    import regex

    return regex.compile(r"[\p{GCB=Other}\p{GCB=Control}\r\n]")
