# SPDX-License-Identifier: AGPL-3.0-or-later
"""What ICC and DCC need vectors of: the parts of chunks, and the windows around them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Spans
from core.scores.coherence import Windows, find_windows
from core.scores.cohesion import Parts, block_parts_in_reference, find_parts
from core.scores.inputs import ScoreInputs
from core.scores.lengths import Lengths
from core.scores.options import ScoreOptions
from core.scores.vector_supply import SpanPassages
from core.strategies.chunks import Chunks


@dataclass(frozen=True, slots=True, eq=False)
class VectorPlan:
    """What ICC and DCC need vectors of.

    parts: of the chunks with at least two. order: int64 (k,), the chunks that DCC compares.
    """

    inputs: ScoreInputs
    options: ScoreOptions
    chunks: SpanPassages
    parts: Parts
    order: Indices
    members: SpanPassages
    windows: Windows

    @property
    def n(self) -> int:
        """How many chunks there are."""
        return len(self.chunks)


def plan_vectors(
    inputs: ScoreInputs,
    chunks: Chunks,
    options: ScoreOptions,
    lengths: Lengths,
    previous: "VectorPlan | None" = None,
) -> VectorPlan:
    """Find the parts of the chunks and the windows around them; `previous`: before an edit."""
    is_reference = options.mode == "reference"
    passages = passages_of(chunks)
    order = np.arange(len(chunks)) if is_reference else ordered_chunks(inputs, chunks)
    windows = find_windows(
        inputs.text,
        spans_in_order(chunks, order),
        lengths,
        limit=options.dcc_window,
        step=options.dcc_step if is_reference else 1,
        least=1 if is_reference else 2,
        previous=None if previous is None or is_reference else previous.windows,
    )
    parts = parts_of(inputs, chunks.spans, chunks.owners, options).of_measured(len(chunks))
    return VectorPlan(inputs, options, passages, parts, order, passages.at(order), windows)


def parts_of(inputs: ScoreInputs, spans: Spans, owners: Indices, options: ScoreOptions) -> Parts:
    """The parts of the chunks `owners` of the spans, in the mode of the options."""
    if options.mode == "reference":
        return block_parts_in_reference(spans, inputs.reference_blocks)
    units = inputs.block_units if options.icc_parts == "blocks" else inputs.sentence_units
    return find_parts(spans, owners, units, inputs.characters)


def ordered_chunks(inputs: ScoreInputs, chunks: Chunks) -> Indices:
    """int64 (k,): chunks that are not blank, by start and end."""
    ink = np.bincount(
        chunks.owners, weights=inputs.characters.ink_in(chunks.spans), minlength=len(chunks)
    )
    order = np.lexsort((chunks.ends, chunks.starts))
    return order[ink[order] > 0]


def passages_of(chunks: Chunks) -> SpanPassages:
    """The chunks as passages."""
    return SpanPassages(chunks.spans, None if chunks.is_contiguous else chunks.pointers)


def spans_in_order(chunks: Chunks, order: Indices) -> Spans | Sequence[Spans]:
    """The chunks at `order`: one array if each has one span, else a list of arrays."""
    if chunks.is_contiguous:
        return chunks.spans[order]
    rows = [chunks.spans_of(index) for index in order.tolist()]
    return np.concatenate(rows) if rows and all(len(row) == 1 for row in rows) else rows
