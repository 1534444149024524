# SPDX-License-Identifier: AGPL-3.0-or-later
"""ICC and DCC of a plan: which vectors of which kind, and the means of their cosines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Indices, Mask, Values
from core.scores.coherence import Windows, mean_of_all_members, window_counts, window_sums
from core.scores.cohesion import Parts, mean_by_chunk, part_cosines, ratios
from core.scores.vector_plan import VectorPlan
from core.scores.vector_supply import (
    AUTO_TEXTS,
    Passages,
    SpanPassages,
    State,
    VectorRows,
    VectorSupply,
)

NO_CHUNKS = "there are no chunks"


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """Which of n containers (chunks or windows) are compared by pooled vectors.

    pooled: bool (n,). state: of the score that is made of them. long_texts: how many of them the
    model cannot read whole.
    """

    pooled: Mask
    state: State
    long_texts: int


def kinds_of(containers: Passages, chosen: Mask, supply: VectorSupply) -> Kinds:
    """The kind of each container; a cosine has the kind of its container on both sides.

    Args:
        containers: chunks or windows.
        chosen: bool (n,), those that are compared at all.
        supply: says what the model reads, and which vectors are wanted.
    """
    is_long = supply.are_long(containers) & chosen
    count = int(is_long.sum())
    if supply.truncates:
        return Kinds(np.zeros(len(is_long), np.bool_), "exact", count)
    if supply.policy == "late" and supply.can_pool:
        will_be_replaced = supply.estimates or bool((chosen & ~is_long).any())
        return Kinds(chosen.copy(), "late" if will_be_replaced else "pooled", count)
    return Kinds(is_long, "pooled" if count else "exact", count)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """k containers, and m members that are compared with them.

    pooled: bool (k,). exact_members, pooled_members: bool (m,), those that need such a vector.
    """

    containers: Passages
    members: Passages
    pooled: Mask
    exact_members: Mask
    pooled_members: Mask


@dataclass(frozen=True, slots=True, eq=False)
class GroupVectors:
    """Vectors of a group, (k, d), (m, d) and (m, d); zero where none was asked for."""

    containers: VectorRows
    exact_members: VectorRows
    pooled_members: VectorRows


@dataclass(frozen=True, slots=True, eq=False)
class PartGroup:
    """Chunks with their parts. rows: int64 (m,), for each part its chunk among the containers."""

    group: Group
    rows: Indices


@dataclass(frozen=True, slots=True, eq=False)
class WindowGroup:
    """Windows with their chunks. first, last: int64 (w,), the members, `last` included."""

    group: Group
    first: Indices
    last: Indices


def part_group(chunks: SpanPassages, parts: Parts, pooled: Mask) -> PartGroup:
    """The chunks that own any of the parts; pooled: bool (n,), of all chunks."""
    owners, rows = np.unique(parts.owners, return_inverse=True)
    members = SpanPassages(parts.spans)
    of_part = pooled[parts.owners]
    return PartGroup(Group(chunks.at(owners), members, pooled[owners], ~of_part, of_part), rows)


def window_group(
    windows: Windows, pooled: Mask, members: SpanPassages, start: int = 0
) -> WindowGroup:
    """Windows, of which `pooled`, bool (w,), says the kind, over the chunks from `start` on."""
    n = len(members)
    first = np.maximum(windows.first - start, 0)
    last = np.minimum(windows.last - start, n - 1)
    exact_members = window_counts(first[~pooled], last[~pooled], n) > 0
    pooled_members = window_counts(first[pooled], last[pooled], n) > 0
    group = Group(windows, members, pooled, exact_members, pooled_members)
    return WindowGroup(group, first, last)


def resolve(groups: Sequence[Group], supply: VectorSupply) -> list[GroupVectors]:
    """The vectors of all groups; what must be encoded is encoded in one call."""
    asked = [
        passages.take(mask)
        for group in groups
        for passages, mask in (
            (group.containers, ~group.pooled),
            (group.members, group.exact_members),
        )
    ]
    texts = [passages.texts(supply.text) for passages in asked]
    encoded = supply.encode([text for some in texts for text in some])
    ends = np.cumsum([len(some) for some in texts])
    exact = [encoded[end - len(some) : end] for some, end in zip(texts, ends, strict=True)]
    return [
        GroupVectors(
            _filled(group.containers, ~group.pooled, exact[2 * row], group.pooled, supply),
            _spread(exact[2 * row + 1], group.exact_members),
            _spread(_pooled(group.members, group.pooled_members, supply), group.pooled_members),
        )
        for row, group in enumerate(groups)
    ]


def _filled(
    passages: Passages, is_exact: Mask, exact: VectorRows, pooled: Mask, supply: VectorSupply
) -> VectorRows:
    """(k, d): exact vectors where they are known, pooled ones elsewhere."""
    if is_exact.all():
        return exact
    if pooled.all():
        return _pooled(passages, pooled, supply)
    rows = np.zeros((len(passages), supply.embedder.dimension))
    rows[is_exact] = exact
    rows[pooled] = _pooled(passages, pooled, supply)
    return rows


def _pooled(passages: Passages, chosen: Mask, supply: VectorSupply) -> VectorRows:
    if not chosen.any():
        return np.zeros((0, supply.embedder.dimension))
    return supply.pool(passages if chosen.all() else passages.take(chosen))


def _spread(rows: VectorRows, chosen: Mask) -> VectorRows:
    """(n, d): the rows at the chosen places, zero elsewhere."""
    if len(rows) == len(chosen):
        return rows
    spread = np.zeros((len(chosen), rows.shape[1]), rows.dtype)
    spread[chosen] = rows
    return spread


@dataclass(frozen=True, slots=True, eq=False)
class VectorMeasures:
    """ICC or DCC as measured: raw mean (None: not measurable) and float64 (n,) per chunk.

    cosines: float64 (m,), of each part with its chunk; of ICC only.
    """

    raw: float | None
    per_chunk: Values
    measured: int
    reason: str = ""
    state: State | None = None
    pooled_texts: int = 0
    cosines: Values | None = None


def measure_vectors(
    plan: VectorPlan, supply: VectorSupply | None, why_no_vectors: str
) -> tuple[VectorMeasures, VectorMeasures]:
    """ICC and DCC of a plan."""
    if supply is None:
        missing = VectorMeasures(None, np.full(plan.n, np.nan), 0, why_no_vectors)
        return missing, missing
    if plan.options.mode == "reference":  # it encodes every text, as far as the model reads
        supply = replace(supply, policy="exact", truncates=True)
    kinds = plan_kinds(plan, supply)
    if supply.policy == "auto" and supply.can_pool and _texts_to_encode(plan, *kinds) > AUTO_TEXTS:
        supply = replace(supply, policy="late")
        kinds = plan_kinds(plan, supply)
    of_chunks, of_windows = kinds
    parts = part_group(plan.chunks, plan.parts, of_chunks.pooled)
    windows = window_group(plan.windows, of_windows.pooled, plan.members)
    part_vectors, window_vectors = resolve([parts.group, windows.group], supply)
    cosines = cohesion_cosines(parts, part_vectors)
    icc = cohesion_measures(plan, of_chunks, cosines)
    values = coherence_values(windows, window_vectors)
    dcc = coherence_measures(plan, of_windows, values)
    if plan.options.mode == "reference" and dcc.raw is not None:
        containers, members = window_vectors.containers, window_vectors.exact_members
        dcc = replace(dcc, raw=mean_of_all_members(plan.windows, containers, members))
    return icc, dcc


def plan_kinds(plan: VectorPlan, supply: VectorSupply) -> tuple[Kinds, Kinds]:
    """The kinds of the chunks, for ICC, and of the windows, for DCC."""
    has_parts = plan.parts.counts(plan.n) > 0
    every_window = np.ones(len(plan.windows), np.bool_)
    return (
        kinds_of(plan.chunks, has_parts, supply),
        kinds_of(plan.windows, every_window, supply),
    )


def _texts_to_encode(plan: VectorPlan, of_chunks: Kinds, of_windows: Kinds) -> int:
    parts = int((~of_chunks.pooled[plan.parts.owners]).sum())
    return parts + int((~of_windows.pooled).sum()) + plan.n


def cohesion_cosines(parts: PartGroup, vectors: GroupVectors) -> Values:
    """float64 (m,): cosine of each part with its chunk, both of one kind."""
    group = parts.group
    if not group.pooled_members.any():
        return part_cosines(vectors.exact_members, vectors.containers, parts.rows)
    if group.pooled_members.all():
        return part_cosines(vectors.pooled_members, vectors.containers, parts.rows)
    is_pooled = group.pooled_members[:, None]
    members = np.where(is_pooled, vectors.pooled_members, vectors.exact_members)
    return part_cosines(members, vectors.containers, parts.rows)


def coherence_values(windows: WindowGroup, vectors: GroupVectors) -> Values:
    """float64 (n,): for each member the mean cosine with its windows; nan where none holds it."""
    pooled, n = windows.group.pooled, len(windows.group.members)
    total = np.zeros(n)
    for of_kind, members in (
        (~pooled, vectors.exact_members),
        (pooled, vectors.pooled_members),
    ):
        if of_kind.any():
            rows = vectors.containers if of_kind.all() else vectors.containers[of_kind]
            sums = window_sums(windows.first[of_kind], windows.last[of_kind], rows, n)
            total += np.einsum("ij,ij->i", sums, members, dtype=np.float64)
    return ratios(total, window_counts(windows.first, windows.last, n).astype(np.float64))


def cohesion_measures(plan: VectorPlan, kinds: Kinds, cosines: Values) -> VectorMeasures:
    """ICC from the cosine of each part, float64 (m,)."""
    per_chunk = mean_by_chunk(cosines, plan.parts.owners, plan.n)
    if not len(plan.parts):
        is_reference = plan.options.mode == "reference"
        parts = "blocks" if is_reference else plan.options.icc_parts
        reason = f"no chunk holds two {parts}" if plan.n else NO_CHUNKS
        return VectorMeasures(None, per_chunk, 0, reason)
    return _measured(per_chunk, kinds, cosines)


def coherence_measures(plan: VectorPlan, kinds: Kinds, values: Values) -> VectorMeasures:
    """DCC, default mode, from the value of each chunk in the plan's order, float64 (k,)."""
    per_chunk: Values = np.full(plan.n, np.nan)
    if len(plan.order) < 2:
        few = "chunks that are not blank" if plan.n >= 2 else "chunks"
        reason = f"there are fewer than two {few}" if plan.n else NO_CHUNKS
        return VectorMeasures(None, per_chunk, 0, reason)
    if not len(plan.windows):
        return VectorMeasures(None, per_chunk, 0, "no window holds two chunks")
    per_chunk[plan.order] = values
    return _measured(per_chunk, kinds, None)


def _measured(per_chunk: Values, kinds: Kinds, cosines: Values | None) -> VectorMeasures:
    known = per_chunk[~np.isnan(per_chunk)]
    return VectorMeasures(
        float(known.mean()),
        per_chunk,
        len(known),
        state=kinds.state,
        pooled_texts=kinds.long_texts,
        cosines=cosines,
    )
