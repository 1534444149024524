# SPDX-License-Identifier: AGPL-3.0-or-later
"""References completeness (RC): the share of entity–pronoun pairs that stay in one piece."""

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans
from core.declaration import Declaration
from core.scores.envelope import Envelope, envelope_of_spans, joined_spans
from core.scores.pairs import Pairs
from core.strategies.chunks import Chunks

RC = Declaration(
    code="RC",
    name="References completeness",
    family="score",
    strategy_class="instant",
    source="de Moura Júnior, Lelong and Blangero 2026 (arXiv 2603.25333); overlap counts here",
    help="The share of pronouns that stay in one chunk with what they stand for.",
)


def first_of_each(rows: Spans | Pairs) -> Indices:
    """int64 (k,), ascending: the first of each set of equal rows of an int64 (n, m) array."""
    if not len(rows):
        return np.zeros(0, np.int64)
    return np.sort(np.unique(rows, axis=0, return_index=True)[1])


def hulls(pairs: Pairs) -> Spans:
    """int64 (n, 2): from the lesser start to the greater end of each pair's mentions."""
    return np.column_stack((pairs[:, [0, 2]].min(axis=1), pairs[:, [1, 3]].max(axis=1)))


def kept_pairs(pairs: Pairs, chunks: Chunks, envelope: Envelope) -> Mask:
    """Mask, bool (n,): some chunk holds both mentions whole, each inside one of its spans.

    Source: `spec/metrics.md` 4, default mode.
    """
    hull = hulls(pairs)
    kept = envelope.holds(hull[:, 0], hull[:, 1])
    if chunks.is_contiguous:
        return kept
    for index in np.flatnonzero(np.diff(chunks.pointers) > 1).tolist():
        own = envelope_of_spans(joined_spans(chunks.spans_of(index)))
        kept |= own.holds(pairs[:, 0], pairs[:, 1]) & own.holds(pairs[:, 2], pairs[:, 3])
    return kept


def lost_in_reference(pairs: Pairs, spans: Spans) -> Mask:
    """Mask, bool (n,): an edge between chunks lies between the mentions.

    The pair reaches from the earlier start to the end of the mention that starts later, as the
    released program has it; the entity is the earlier one when both start together.

    Source: `spec/metrics.md` 4, reference mode; adaptive-chunking, commit ea87ce8.
    """
    edges: Offsets = np.unique(np.concatenate((spans[1:, 0], spans[:-1, 1])))
    entity_first = pairs[:, 0] <= pairs[:, 2]
    start = np.where(entity_first, pairs[:, 0], pairs[:, 2])
    end = np.where(entity_first, pairs[:, 3], pairs[:, 1])
    after_start = np.searchsorted(edges, start, side="right")
    before_end = np.searchsorted(edges, end, side="left")
    return after_start < before_end
