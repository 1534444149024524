# SPDX-License-Identifier: AGPL-3.0-or-later
"""What an evaluation is made of: options, records that can be drawn again, the result.

A record is one strategy with one model over one pool (`spec/evaluation.md` 16). It is stored as
JSON, so that an evaluation goes on where it was interrupted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from core.search.relevance import Thresholds
from core.search.serve import Mode
from core.search.statistics import SEED, Comparison, Interval
from core.vectors.embedder import VectorKind

RECORD_VERSION = 2
PoolKind = Literal["all", "document", "tag"]
POOLS: tuple[PoolKind, ...] = ("all", "document", "tag")
COMPARED = ("recall", "precision", "iou", "hit", "mrr", "p_at_1", "ndcg", "dcov", "whole_at_k")


@dataclass(frozen=True, slots=True)
class Options:
    """How an evaluation is made; stored with its results."""

    k: int = 5
    retrieval: Mode = "dense"
    vectors: VectorKind = "ordinary"
    pool: PoolKind = "all"
    reranker: str = ""
    seed: int = SEED
    thresholds: Thresholds = field(default_factory=Thresholds)
    use_placed_only: bool = False  # a question with some gold not placed is used all the same
    gold_follows_copies: bool = True
    drop_empty: bool = False  # questions that nobody found anything for, in nDCG
    without_duplicates: bool = False  # later near-duplicates are taken out of each ranking
    measure_costs: bool = True

    @property
    def depths(self) -> tuple[int, ...]:
        """The k's that are computed from one ranking."""
        return tuple(sorted({1, 3, 5, 10, self.k}))


class RankedChunk(msgspec.Struct, frozen=True):
    """One result of a question. `gain` is None where it was not judged."""

    document: str
    chunk: int
    start: int
    end: int
    score: float
    gain: int | None


class GoldFate(msgspec.Struct, frozen=True):
    """What became of one gold span, in all chunks and in the top k."""

    document: str
    start: int
    end: int
    grade: int
    fate: str
    best: float
    pieces: int | None
    missing: float
    seen: float
    rank: int | None  # of the first chunk that holds it whole
    group: str | None = None
    by_overlap: bool = False  # whole only because neighbouring chunks share text


class QuestionRecord(msgspec.Struct, frozen=True):
    """One question of one record. `measures` are by k; None is not applicable."""

    id: str
    set: str
    document: str  # where its gold is, "" for several
    tags: list[str]
    measures: dict[str, dict[str, float | None]]
    top: list[RankedChunk]
    gold: list[GoldFate]


class Record(msgspec.Struct, frozen=True):
    """One strategy, model and pool over all questions."""

    version: int
    key: str
    strategy: str
    parameters: dict[str, Any]
    embedder: str | None
    prefix: str
    retrieval: str
    vectors: str | None
    reranker: str
    pool: str
    k: int
    seed: int
    thresholds: dict[str, float | bool]
    chunks: int
    without_vector: int
    tail: dict[str, float]
    duplicates: dict[str, int]
    index_recall: float | None
    false_alarms: float | None
    costs: dict[str, Any]
    intrinsic: dict[str, float | None]
    questions: list[QuestionRecord]
    notices: list[str]
    machine: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that is in no span measure, and why."""

    id: str
    set: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class StrategyResult:
    """A record with the measures that need all strategies, and intervals, at k.

    values: per question by measure, None where not applicable, in the order of the record.
    ndcg_bounds: with gain 0 and with gain 2 for what was not judged; None if all was.
    by_k: means by measure and k. by_tag, by_document: means by measure.
    """

    record: Record
    measures: Mapping[str, Interval]
    values: Mapping[str, Sequence[float | None]]
    by_k: Mapping[str, Mapping[int, float | None]]
    by_document: Mapping[str, Mapping[str, float | None]]
    by_tag: Mapping[str, Mapping[str, float | None]]
    corpus_means: Mapping[str, float | None]
    fates: Mapping[str, int]
    f1_of_means: Interval
    ndcg_bounds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class NamedComparison:
    """Two strategies by one measure, in one pool with one model."""

    a: str
    b: str
    measure: str
    embedder: str | None
    pool: str
    result: Comparison


@dataclass(frozen=True, slots=True)
class AlikeGroups:
    """Strategies by one measure, best first; the members of a group cannot be told apart."""

    measure: str
    embedder: str | None
    pool: str
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class HalfReport:
    """A strategy on both halves: its mean where the best is chosen, its interval on the other."""

    strategy: str
    choosing: float | None
    reported: Interval


@dataclass(frozen=True, slots=True)
class ChosenOnHalf:
    """The best strategy of one random half of the questions, by one measure."""

    measure: str
    embedder: str | None
    pool: str
    strategy: str
    interval: Interval  # on the other half
    questions: int  # of the half that chose
    seed: int
    every: tuple[HalfReport, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """All results, comparisons, and what was left out.

    chosen: by measure, model and pool, the best strategy of one random half of the questions,
        reported on the other half.
    duplicate_effect: each measure without later near-duplicates against the measure with them.
    """

    options: Options
    used: int
    left_out: tuple[LeftOut, ...]
    documents: tuple[str, ...]
    characters: int
    results: tuple[StrategyResult, ...]
    comparisons: tuple[NamedComparison, ...]
    groups: tuple[AlikeGroups, ...]
    variance: tuple[Mapping[str, Any], ...]
    placements: tuple[Mapping[str, Any], ...]
    document_pairs: tuple[Any, ...]
    warnings: tuple[str, ...]
    chosen: tuple[ChosenOnHalf, ...] = ()
    duplicate_effect: tuple[NamedComparison, ...] = ()
