# SPDX-License-Identifier: AGPL-3.0-or-later
"""Block integrity (BI): the share of blocks of the page that are not cut."""

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans
from core.declaration import Declaration, Parameter
from core.scores.envelope import Envelope
from core.scores.references import first_of_each

BI_TOLERANCE = Parameter(
    "bi_tolerance",
    default=5,
    minimum=0,
    maximum=200,
    unit="characters",
    help="A cut this near to a block's edge does not break it",
)
BI = Declaration(
    code="BI",
    name="Block integrity",
    family="score",
    strategy_class="instant",
    source="de Moura Júnior, Lelong and Blangero 2026 (arXiv 2603.25333); overlap counts here",
    help="The share of paragraphs, tables and other blocks that lie whole in one chunk.",
    parameters=(BI_TOLERANCE,),
)


def counted_blocks(blocks: Spans, boilerplate: Spans) -> Indices:
    """int64 (k,), ascending: the blocks that count: no boilerplate, none empty, none twice."""
    counted: Indices = first_of_each(blocks)
    counted = counted[blocks[counted, 1] > blocks[counted, 0]]
    left_out = set(map(tuple, boilerplate.tolist()))
    if left_out:
        is_text = [tuple(span) not in left_out for span in blocks[counted].tolist()]
        counted = counted[np.array(is_text, np.bool_)]
    return counted


def inner_spans(blocks: Spans, tolerance: int) -> Spans:
    """int64 (n, 2): what of each block a chunk must hold: less at both ends, at most a quarter."""
    margin = np.minimum(tolerance, (blocks[:, 1] - blocks[:, 0]) // 4)
    return np.column_stack((blocks[:, 0] + margin, blocks[:, 1] - margin))


def intact_blocks(blocks: Spans, envelope: Envelope, tolerance: int) -> Mask:
    """Mask, bool (n,): some chunk holds the block but for the tolerance (`spec/metrics.md` 7)."""
    inner = inner_spans(blocks, tolerance)
    return envelope.holds(inner[:, 0], inner[:, 1])


def broken_in_reference(blocks: Spans, spans: Spans, tolerance: int) -> Mask:
    """Mask, bool (n,): a chunk starts in the block, farther than the tolerance from both its edges.

    Source: `spec/metrics.md` 7, reference mode; adaptive-chunking, commit ea87ce8.
    """
    splits: Offsets = np.unique(spans[1:, 0])
    after_start = np.searchsorted(splits, blocks[:, 0] + tolerance, side="right")
    before_end = np.searchsorted(splits, blocks[:, 1] - tolerance, side="left")
    return after_start < before_end
