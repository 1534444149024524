# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rows that an index found, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Offsets, Values
from core.search.hits import SCORE_DECIMALS

COLUMNS = ("key", "document", "start", "end", "first_page", "last_page")


@dataclass(frozen=True, slots=True, eq=False)
class FoundRows:
    """k rows, best first.

    keys: int64 (k,), as in `Rows.keys`. starts, ends, first_pages, last_pages: int64 (k,).
    scores: float64 (k,), descending: cosine, BM25, or what a fusion or re-ranking gave.
    """

    keys: NDArray[np.int64]
    documents: tuple[str, ...]
    starts: Offsets
    ends: Offsets
    first_pages: Indices
    last_pages: Indices
    scores: Values

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, order: Indices, scores: Values) -> "FoundRows":
        """Some of the rows, int64 (m,), in this order, with other scores, float64 (m,)."""
        return FoundRows(
            self.keys[order],
            tuple(self.documents[row] for row in order.tolist()),
            self.starts[order],
            self.ends[order],
            self.first_pages[order],
            self.last_pages[order],
            scores,
        )

    def by_place(self) -> Indices:
        """int64 (k,): the order in which equal scores are listed, by document, start and end."""
        names = {name: number for number, name in enumerate(sorted(set(self.documents)))}
        codes = np.array([names[name] for name in self.documents], np.int64)
        order: Indices = np.lexsort((self.ends, self.starts, codes))
        return order


_NONE = np.empty(0, np.int64)
NOTHING = FoundRows(_NONE, (), _NONE, _NONE, _NONE, _NONE, np.empty(0))


def found_rows(table: Any, scores: Values, k: int) -> FoundRows:
    """The first k rows of an Arrow table with `COLUMNS`, by score, document, start and end."""
    integers = {
        name: np.asarray(table.column(name), np.int64) for name in COLUMNS if name != "document"
    }
    rows = FoundRows(
        integers["key"],
        tuple(table.column("document").to_pylist()),
        integers["start"],
        integers["end"],
        integers["first_page"],
        integers["last_page"],
        np.round(scores, SCORE_DECIMALS),
    )
    places = rows.by_place()
    order = places[np.argsort(-rows.scores[places], kind="stable")][:k]
    return rows.take(order, rows.scores[order])


def together(lists: Sequence[FoundRows]) -> FoundRows:
    """Each row of several lists once, by document, start and end; the first list's score."""

    def joined(name: str) -> NDArray[np.int64]:
        return np.concatenate([getattr(found, name) for found in lists])

    both = FoundRows(
        joined("keys"),
        tuple(name for found in lists for name in found.documents),
        joined("starts"),
        joined("ends"),
        joined("first_pages"),
        joined("last_pages"),
        np.concatenate([found.scores for found in lists]),
    )
    order = both.by_place()
    first = np.sort(np.unique(both.keys[order], return_index=True)[1])
    return both.take(order[first], both.scores[order[first]])
