# SPDX-License-Identifier: AGPL-3.0-or-later
"""ICC and DCC of a plan: which vectors of which kind, and the means of their cosines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Indices, Mask, Values
from core.scores.coherence import Windows, mean_of_all_members, window_sums
from core.scores.cohesion import mean_by_chunk, part_cosines, ratios
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
class Group:
    """Containers (chunks or windows) and what is compared with them.

    chosen: bool (k,), the containers that are compared at all. pooled: bool (k,), those whose
    cosines are taken between pooled vectors. exact_members, pooled_members: bool (m,), the
    members that need a vector of that kind.
    """

    containers: Passages
    members: Passages
    chosen: Mask
    pooled: Mask
    exact_members: Mask
    pooled_members: Mask
    state: State
    pooled_texts: int


@dataclass(frozen=True, slots=True, eq=False)
class GroupVectors:
    """Vectors of a group, rows of those not asked for are zero: (k, d), (m, d) and (m, d)."""

    containers: VectorRows
    exact_members: VectorRows
    pooled_members: VectorRows


@dataclass(frozen=True, slots=True, eq=False)
class VectorMeasures:
    """ICC or DCC as measured: raw mean (None: not measurable) and float64 (n,) per chunk."""

    raw: float | None
    per_chunk: Values
    measured: int
    reason: str = ""
    state: State | None = None
    pooled_texts: int = 0
    cosines: Values | None = None


def measure_vectors(
    plan: VectorPlan, supply: VectorSupply | None, why_no_vectors: str, n: int
) -> tuple[VectorMeasures, VectorMeasures]:
    """ICC and DCC of a plan for n chunks."""
    nothing = np.full(n, np.nan)
    if supply is None:
        missing = VectorMeasures(None, nothing, 0, why_no_vectors)
        return missing, missing
    groups = [cohesion_group(plan, supply), coherence_group(plan, supply)]
    if supply.policy == "auto" and supply.can_pool and _texts_to_encode(groups) > AUTO_TEXTS:
        supply = late_supply(supply)
        groups = [cohesion_group(plan, supply), coherence_group(plan, supply)]
    cohesion, coherence = resolve(groups, supply)
    return (
        _measure_cohesion(plan, groups[0], cohesion, n),
        _measure_coherence(plan, groups[1], coherence, n),
    )


def cohesion_group(plan: VectorPlan, supply: VectorSupply) -> Group:
    """The measured chunks with their parts."""
    chosen = plan.parts.counts(len(plan.chunks)) > 0
    pooled, state, count = _pooled(plan.chunks, chosen, supply)
    part_pooled = pooled[plan.parts.owners]
    parts = SpanPassages(plan.parts.spans)
    return Group(plan.chunks, parts, chosen, pooled, ~part_pooled, part_pooled, state, count)


def coherence_group(plan: VectorPlan, supply: VectorSupply) -> Group:
    """The windows with their chunks."""
    windows, n = plan.windows, len(plan.order)
    chosen = np.ones(len(windows), np.bool_)
    pooled, state, count = _pooled(windows, chosen, supply)
    return Group(
        windows,
        plan.members,
        chosen,
        pooled,
        _members(windows, ~pooled, n),
        _members(windows, pooled, n),
        state,
        count,
    )


def _pooled(passages: Passages, chosen: Mask, supply: VectorSupply) -> tuple[Mask, State, int]:
    """Which containers are pooled, what the score's numbers are then, and how many are long."""
    is_long = supply.are_long(passages) & chosen
    count = int(is_long.sum())
    if supply.truncates:
        return np.zeros(len(is_long), np.bool_), "exact", count
    if supply.policy == "late" and supply.can_pool:
        state: State = "late" if (chosen & ~is_long).any() else "pooled"
        return chosen.copy(), state, count
    return is_long, "pooled" if count else "exact", count


def _members(windows: Windows, chosen: Mask, n: int) -> Mask:
    """Mask, bool (n,): chunks that lie in at least one of the chosen windows."""
    steps = np.zeros(n + 1, np.int64)
    np.add.at(steps, windows.first[chosen], 1)
    np.subtract.at(steps, windows.last[chosen] + 1, 1)
    return np.cumsum(steps[:n]) > 0


def resolve(groups: Sequence[Group], supply: VectorSupply) -> list[GroupVectors]:
    """The vectors of all groups; what must be encoded is encoded in one call."""
    asked = [
        (passages, mask)
        for group in groups
        for passages, mask in (
            (group.containers, group.chosen & ~group.pooled),
            (group.members, group.exact_members),
        )
    ]
    texts = [passages.texts(supply.text, mask) for passages, mask in asked]
    flat = [text for some in texts for text in some]
    encoded = supply.encode(flat)
    ends = np.cumsum([len(some) for some in texts])
    exact = [encoded[end - len(some) : end] for some, end in zip(texts, ends, strict=True)]
    return [
        _group_vectors(group, exact[2 * row], exact[2 * row + 1], supply)
        for row, group in enumerate(groups)
    ]


def _group_vectors(
    group: Group, containers: VectorRows, members: VectorRows, supply: VectorSupply
) -> GroupVectors:
    pooled = group.chosen & group.pooled
    filled = _spread(containers, group.chosen & ~group.pooled)
    if pooled.any():
        from_tokens = supply.pool(group.containers, pooled)
        filled = _spread(from_tokens, pooled) if pooled.all() else filled.astype(np.float64)
        filled[pooled] = from_tokens
    none = np.zeros(len(group.members), np.bool_)
    pooled_members = (
        supply.pool(group.members, group.pooled_members)
        if group.pooled_members.any()
        else np.zeros((0, supply.embedder.dimension))
    )
    return GroupVectors(
        filled,
        _spread(members, group.exact_members if len(members) else none),
        _spread(pooled_members, group.pooled_members),
    )


def _spread(rows: VectorRows, chosen: Mask) -> VectorRows:
    """(n, d): the rows at the chosen places, zero elsewhere."""
    if len(rows) == len(chosen):
        return rows
    spread = np.zeros((len(chosen), rows.shape[1]), rows.dtype)
    spread[chosen] = rows
    return spread


def late_supply(supply: VectorSupply) -> VectorSupply:
    """The same supply with late vectors for all that it can pool."""
    return replace(supply, policy="late")


def _texts_to_encode(groups: Sequence[Group]) -> int:
    return sum(
        int((each.chosen & ~each.pooled).sum()) + int(each.exact_members.sum()) for each in groups
    )


def _measure_cohesion(
    plan: VectorPlan, group: Group, vectors: GroupVectors, n: int
) -> VectorMeasures:
    owners = plan.parts.owners
    if not len(owners):
        unit = "block" if plan.options.mode == "reference" else plan.options.icc_parts[:-1]
        reason = f"no chunk has two parts ({unit}s)" if n else NO_CHUNKS
        return VectorMeasures(None, np.full(n, np.nan), 0, reason)
    cosines = cohesion_cosines(group, vectors, owners)
    per_chunk = mean_by_chunk(cosines, owners, n)
    known = ~np.isnan(per_chunk)
    return VectorMeasures(
        float(per_chunk[known].mean()),
        per_chunk,
        int(known.sum()),
        state=group.state,
        pooled_texts=group.pooled_texts,
        cosines=cosines,
    )


def cohesion_cosines(group: Group, vectors: GroupVectors, owners: Indices) -> Values:
    """float64 (m,): cosine of each part with its chunk, both of one kind."""
    if not group.pooled_members.any():
        return part_cosines(vectors.exact_members, vectors.containers, owners)
    if group.pooled_members.all():
        return part_cosines(vectors.pooled_members, vectors.containers, owners)
    pooled = group.pooled_members[:, None]
    parts = np.where(pooled, vectors.pooled_members, vectors.exact_members)
    return part_cosines(parts, vectors.containers, owners)


def _measure_coherence(
    plan: VectorPlan, group: Group, vectors: GroupVectors, n: int
) -> VectorMeasures:
    nothing = np.full(n, np.nan)
    windows, members = plan.windows, len(plan.order)
    if members < 2:
        few = "chunks that are not blank" if n >= 2 else "chunks"
        reason = f"fewer than two {few}" if n else NO_CHUNKS
        return VectorMeasures(None, nothing, 0, reason)
    if not len(windows):
        return VectorMeasures(None, nothing, 0, "no window holds two chunks")
    sums = coherence_sums(windows, group, vectors, members)
    values = ratios(sums, windows.counts(members).astype(np.float64))
    per_chunk = nothing
    per_chunk[plan.order] = values
    known = ~np.isnan(values)
    if plan.options.mode == "reference":
        raw = mean_of_all_members(windows, vectors.containers, vectors.exact_members)
    else:
        raw = float(values[known].mean())
    return VectorMeasures(
        raw,
        per_chunk,
        int(known.sum()),
        state=group.state,
        pooled_texts=group.pooled_texts,
    )


def coherence_sums(windows: Windows, group: Group, vectors: GroupVectors, n: int) -> Values:
    """float64 (n,): for each chunk of the order the sum of its cosines with its windows."""
    total = np.zeros(n)
    for is_pooled, members in (
        (False, vectors.exact_members),
        (True, vectors.pooled_members),
    ):
        of_kind = group.pooled == is_pooled
        if not of_kind.any():
            continue
        rows = vectors.containers if of_kind.all() else vectors.containers * of_kind[:, None]
        sums = window_sums(windows, rows.astype(np.float64), n)
        total += np.einsum("ij,ij->i", sums, members.astype(np.float64))
    return total
