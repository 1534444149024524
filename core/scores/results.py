# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a scoring gives: five values, each with what it was measured on and how."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Indices, Mask, Values
from core.scores.coherence import Windows
from core.scores.cohesion import Parts
from core.scores.mean import document_mean
from core.scores.options import ScoreOptions
from core.scores.vector_supply import State

VECTORS_PENDING = "the vectors are still being made"
PAIRS_PENDING = "references have not been looked for yet"
PENDING = (VECTORS_PENDING, PAIRS_PENDING)  # why there is no value yet


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One score of one chunking.

    value: 0 to 1; None: not measurable, for the reason in `reason`.
    measured: how many objects it is the share or the mean of (pairs, chunks or blocks).
    per_chunk: float64 (n,), nan where a chunk has none; not clipped.
    raw: the mean before it is clipped to [0, 1].
    state: of ICC and DCC: `late` (≈, an exact one will replace it), `exact`, or `pooled`
        (final: `pooled_texts` texts are longer than the model reads).
    """

    code: str
    value: float | None
    measured: int
    per_chunk: Values
    reason: str = ""
    raw: float | None = None
    state: State | None = None
    pooled_texts: int = 0

    @property
    def is_pending(self) -> bool:
        """True if there is no value yet, but will be one."""
        return self.value is None and self.reason in PENDING

    @property
    def kinds(self) -> frozenset[State]:
        """The kinds of vectors that it is made of; of late ones the long texts are pooled alike."""
        if self.state is None:
            return frozenset()
        is_partly = self.state == "pooled" and self.code == "ICC"
        if is_partly and 0 < self.pooled_texts < self.measured:
            return frozenset({"exact", "pooled"})
        return frozenset({self.state})

    @property
    def clipped_per_chunk(self) -> Values:
        """float64 (n,): values of the chunks within [0, 1], nan where there is none."""
        return np.clip(self.per_chunk, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Cohesion:
    """The parts that ICC measured and the cosine of each with its chunk, float64 (m,)."""

    parts: Parts
    cosines: Values


@dataclass(frozen=True, slots=True, eq=False)
class Coherence:
    """The windows that DCC measured. order: int64 (k,), the chunks that are members, in order."""

    windows: Windows
    order: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The five scores of n chunks.

    pairs_lost, blocks_broken, chunks_bad_size: int64, ascending, places in the inputs.
    units: int64 (n,), length of each chunk. coverage: share of the text's characters that lie in
    chunks which ICC measured.
    """

    options: ScoreOptions
    embedder: str
    pair_finder: str
    measures: Mapping[str, Measure]
    pairs_lost: Indices
    blocks_broken: Indices
    bad_sizes: Mask
    units: Indices
    coverage: float = 0.0
    cohesion: Cohesion | None = None
    coherence: Coherence | None = None
    notices: tuple[str, ...] = ()

    def __getitem__(self, code: str) -> Measure:
        return self.measures[code]

    @property
    def values(self) -> dict[str, float | None]:
        """The five values by code."""
        return {code: measure.value for code, measure in self.measures.items()}

    @property
    def mean(self) -> float | None:
        """The weighted mean of those that are measurable and have weight."""
        return document_mean(self.values, self.options.weights)

    @property
    def chunks_bad_size(self) -> Indices:
        """int64 (k,): the chunks that are too short or too long."""
        return np.flatnonzero(self.bad_sizes)

    @property
    def icc_per_chunk(self) -> list[float | None]:
        """The cohesion of each chunk within [0, 1]; None where it is not measured."""
        return known(self.measures["ICC"].clipped_per_chunk)

    @property
    def is_final(self) -> bool:
        """True if no value will be replaced or is still to come: only then is a winner named."""
        return not any(each.state == "late" or each.is_pending for each in self.measures.values())

    def weighted(self, weights: Mapping[str, float]) -> "Scores":
        """The same scores under other weights of the mean."""
        return replace(self, options=replace(self.options, weights=dict(weights)))

    def per_chunk(self) -> list[dict[str, float | int | None]]:
        """For each chunk its index and its part in each score, None where it has none."""
        columns = {code: known(each.clipped_per_chunk) for code, each in self.measures.items()}
        return [
            {"index": index, **{code: column[index] for code, column in columns.items()}}
            for index in range(len(self.units))
        ]


def known(values: Values) -> list[float | None]:
    """The values as plain numbers, None for nan."""
    return [None if math.isnan(value) else value for value in values.tolist()]
