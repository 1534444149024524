# SPDX-License-Identifier: AGPL-3.0-or-later
"""The envelope: the chunks' spans that lie in no other, so that "inside some chunk" is a search."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans, as_spans
from core.strategies.chunks import Chunks


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """k spans whose starts and ends both increase strictly.

    starts, ends: int64 (k,). owners: int64 (k,), the chunk that each span belongs to.
    """

    starts: Offsets
    ends: Offsets
    owners: Indices

    def __len__(self) -> int:
        return len(self.starts)

    def holds(self, starts: Offsets, ends: Offsets) -> Mask:
        """Mask, bool (n,): some span begins at or before `starts` and ends at or after `ends`."""
        if not len(self):
            return np.zeros(len(starts), np.bool_)
        last = np.searchsorted(self.starts, starts, side="right") - 1
        return (last >= 0) & (self.ends[last] >= ends)


def envelope_of(chunks: Chunks) -> Envelope:
    """The envelope of all chunks (`spec/metrics.md` 2). Empty spans do not count."""
    if chunks.is_contiguous:
        return envelope_of_spans(chunks.spans)
    joined = [joined_spans(chunks.spans_of(index)) for index in range(len(chunks))]
    owners = np.repeat(np.arange(len(joined)), [len(each) for each in joined])
    return envelope_of_spans(np.concatenate(joined) if joined else as_spans([]), owners)


def envelope_of_spans(spans: Spans, owners: Indices | None = None) -> Envelope:
    """The spans, int64 (n, 2), of which no other holds the whole.

    owners: int64 (n,), their chunks; None: each span is a chunk.
    """
    chosen = np.flatnonzero(spans[:, 1] > spans[:, 0])
    order = chosen[np.lexsort((-spans[chosen, 1], spans[chosen, 0]))]
    starts, ends = spans[order, 0], spans[order, 1]
    greatest = np.maximum.accumulate(ends)
    kept = np.ones(len(ends), np.bool_)
    kept[1:] = ends[1:] > greatest[:-1]
    own = order[kept] if owners is None else owners[order[kept]]
    return Envelope(starts[kept], ends[kept], own)


def joined_spans(spans: Spans | Sequence[Sequence[int]]) -> Spans:
    """The spans of one chunk in order, those that touch or overlap made one; empty ones dropped."""
    joined: list[list[int]] = []
    for start, end in sorted(as_spans(spans).tolist()):
        if end <= start:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return as_spans(joined)
