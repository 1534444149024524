# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks and gold on one axis: the documents of a pool stand end to end.

Then a span is two numbers, whatever document it is in, and no measure needs to know documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from core.arrays import Indices, Offsets, Spans, as_spans
from core.document.model import Document
from core.search.gold import PlacedQuery
from core.search.spans import overlaps


@dataclass(frozen=True, slots=True)
class Axis:
    """Where each document begins on the axis; between two documents is a gap of one."""

    documents: tuple[str, ...]
    bases: tuple[int, ...]
    lengths: tuple[int, ...]

    def base(self, document: str) -> int:
        """Where a document begins."""
        return self.bases[self.documents.index(document)]

    def document_at(self, offset: int) -> str:
        """The document at a place of the axis."""
        return self.documents[int(np.searchsorted(self.bases, offset, side="right")) - 1]


def axis_of(documents: Mapping[str, Document]) -> Axis:
    """An axis of documents, by id."""
    names = tuple(sorted(documents))
    lengths = tuple(len(documents[name].text) for name in names)
    bases = np.cumsum([0, *(length + 1 for length in lengths)])[:-1]
    return Axis(names, tuple(bases.tolist()), lengths)


@dataclass(frozen=True, eq=False)
class Pool:
    """n chunks that are searched together, on the axis, in the order of the index's rows.

    spans: int64 (m, 2); chunk i has `pointers[i]:pointers[i + 1]`, as in `Chunks`.
    seen_ends: int64 (n,), where what the model reads of each chunk ends.
    """

    spans: Spans
    pointers: Indices
    seen_ends: Offsets

    def __len__(self) -> int:
        return len(self.pointers) - 1

    @cached_property
    def owners(self) -> Indices:
        """int64 (m,): the chunk of each span."""
        return np.repeat(np.arange(len(self)), np.diff(self.pointers))

    @cached_property
    def lengths(self) -> Indices:
        """int64 (n,): characters of each chunk."""
        sizes = self.spans[:, 1] - self.spans[:, 0]
        return np.bincount(self.owners, weights=sizes, minlength=len(self)).astype(np.int64)

    def spans_of(self, chunks: Indices) -> Spans:
        """int64 (k, 2): the spans of some chunks, int64 (c,), in their order."""
        if len(self.spans) == len(self):
            return self.spans[chunks]
        rows = [np.arange(self.pointers[i], self.pointers[i + 1]) for i in chunks.tolist()]
        return self.spans[np.concatenate(rows)] if rows else as_spans([])

    def overlapping(self, start: int, end: int) -> tuple[Indices, Indices]:
        """The chunks that hold a part of [start, end), int64 (c,), and how much, int64 (c,)."""
        touched = np.flatnonzero((self.spans[:, 0] < end) & (self.spans[:, 1] > start))
        shares = overlaps(self.spans[touched], start, end)
        chunks, which = np.unique(self.owners[touched], return_inverse=True)
        sums = np.bincount(which, weights=shares, minlength=len(chunks)).astype(np.int64)
        return chunks, sums


def pool_of(spans: Spans, pointers: Indices | None = None) -> Pool:
    """A pool of chunks that are read to their end."""
    pointers = np.arange(len(spans) + 1) if pointers is None else pointers
    has_span = np.diff(pointers) > 0
    ends = np.zeros(len(pointers) - 1, np.int64)
    ends[has_span] = spans[pointers[1:][has_span] - 1, 1]
    return Pool(spans, pointers, ends)


@dataclass(frozen=True, eq=False)
class Gold:
    """The g gold spans of one question on the axis.

    spans: int64 (g, 2), as stored. trimmed: int64 (g, 2), without white space at the edges.
    grades: int64 (g,), 1 or 2. groups: the group of each, or None.
    originals: int64 (g,), the span that each is a copy of in another document, or itself.
    """

    spans: Spans
    trimmed: Spans
    grades: Indices
    groups: tuple[str | None, ...] = ()
    originals: Indices = field(default_factory=lambda: np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def has_copies(self) -> bool:
        """True if a span may also be found in another document."""
        return len(self.originals) > 0 and bool((self.originals != np.arange(len(self))).any())

    def only(self, rows: Indices) -> "Gold":
        """Some of the spans, each for itself."""
        groups = tuple(self.groups[row] for row in rows.tolist()) if self.groups else ()
        return Gold(self.spans[rows], self.trimmed[rows], self.grades[rows], groups)

    def with_copies(self, copies: Sequence[tuple[int, int, int]]) -> "Gold":
        """The same with copies in other documents: the span that is copied, start and end."""
        if not copies:
            return replace(self, originals=np.arange(len(self)))
        rows = np.array([row for row, _, _ in copies], np.int64)
        spans = as_spans([(start, end) for _, start, end in copies])
        return Gold(
            np.concatenate([self.spans, spans]),
            np.concatenate([self.trimmed, spans]),
            np.concatenate([self.grades, self.grades[rows]]),
            self.groups + tuple(self.groups[row] for row in rows.tolist()) if self.groups else (),
            np.concatenate([np.arange(len(self)), rows]),
        )


def gold_of(spans: Spans, grades: Sequence[int] | None = None) -> Gold:
    """Gold spans without white space at their edges."""
    kept = np.full(len(spans), 2, np.int64) if grades is None else np.array(grades, np.int64)
    return Gold(spans, spans, kept, (None,) * len(spans), np.arange(len(spans)))


def gold_on_axis(placed: PlacedQuery, here: Mapping[str, Document], axis: Axis) -> Gold:
    """The placed gold spans of a question; blank ones are left out."""
    spans, trimmed, grades, groups = [], [], [], []
    for span, place in zip(placed.query.gold, placed.placements, strict=True):
        if not place.is_placed:
            continue
        text = here[place.document].text[place.start : place.end]
        base = axis.base(place.document)
        low = base + place.start + len(text) - len(text.lstrip())
        high = base + place.start + len(text.rstrip())
        if high <= low:
            continue
        spans.append((base + place.start, base + place.end))
        trimmed.append((low, high))
        grades.append(span.grade)
        groups.append(span.group)
    return Gold(
        as_spans(spans),
        as_spans(trimmed),
        np.array(grades, np.int64),
        tuple(groups),
        np.arange(len(spans)),
    )
