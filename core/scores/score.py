# SPDX-License-Identifier: AGPL-3.0-or-later
"""The five scores of a chunking: from spans to numbers, with one call of the embedder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Spans, Values, as_spans
from core.scores.blocks import broken_in_reference, intact_blocks
from core.scores.coherence import (
    Counter,
    Windows,
    find_windows,
    mean_of_all_members,
    window_sums,
)
from core.scores.cohesion import (
    Parts,
    block_parts_in_reference,
    find_parts,
    mean_by_chunk,
    part_cosines,
)
from core.scores.envelope import envelope_of
from core.scores.inputs import ScoreInputs
from core.scores.options import ScoreOptions
from core.scores.pairs import check_spans
from core.scores.references import hulls, kept_pairs, lost_in_reference
from core.scores.results import Coherence, Cohesion, Measure, Scores
from core.scores.sizes import bad_sizes
from core.scores.vector_supply import (
    AUTO_TEXTS,
    Passages,
    SpanPassages,
    State,
    VectorRows,
    VectorSupply,
)
from core.strategies.chunks import Chunks

NO_CHUNKS = "there are no chunks"
NO_EMBEDDER = "no embedding model was chosen"
ONE_SPAN_ONLY = "reference mode is defined only for chunks of one span"
FEW_PAIRS = 30


def score(
    inputs: ScoreInputs,
    chunks: Chunks,
    options: ScoreOptions | None = None,
    *,
    supply: VectorSupply | None = None,
    why_no_vectors: str = NO_EMBEDDER,
) -> Scores:
    """All five scores.

    Args:
        inputs: the text and what was found in it.
        chunks: any chunks of the text: overlapping, nested, with gaps, of several spans.
        options: mode, unit, limits, weights.
        supply: vectors; None: ICC and DCC are not measurable, for the reason `why_no_vectors`.
        why_no_vectors: shown in their place.

    Raises:
        DocumentError: a chunk lies outside of the text.

    Source: `spec/metrics.md` 4 to 10.
    """
    options = options or ScoreOptions()
    check_spans(chunks.spans, len(inputs.text), "the chunks")
    units = inputs.counts(chunks.all_texts(inputs.text), options.tokenizer)
    if options.mode == "reference" and not chunks.is_contiguous:
        return not_measurable(inputs, len(chunks), options, units, ONE_SPAN_ONLY)
    flags = flags_of(inputs, chunks, options, units)
    plan = plan_vectors(inputs, chunks, options)
    icc, dcc = measure_vectors(plan, supply, why_no_vectors, len(chunks))
    return assemble(inputs, chunks, options, flags, plan, icc, dcc, supply)


@dataclass(frozen=True, slots=True, eq=False)
class Flags:
    """What RC, BI and SC are counted from.

    pairs, blocks: int64, the places in the inputs of those that count. kept, intact: bool, of
    each of them. units: int64 (n,); bad: bool (n,).
    """

    pairs: Indices
    kept: Mask
    blocks: Indices
    intact: Mask
    units: Indices
    bad: Mask


def flags_of(inputs: ScoreInputs, chunks: Chunks, options: ScoreOptions, units: Indices) -> Flags:
    """Which pairs and blocks are whole and which chunks have a bad size.

    A few binary searches over all pairs and blocks: on 350 pages below a millisecond, so an edit
    asks for all of them again.
    """
    if options.mode == "reference":
        pairs, blocks = np.arange(len(inputs.pairs)), np.arange(len(inputs.reference_blocks))
        kept = ~lost_in_reference(inputs.pairs, chunks.spans)
        intact = ~broken_in_reference(inputs.reference_blocks, chunks.spans, options.bi_tolerance)
        least = options.sc_min
    else:
        pairs, blocks = inputs.distinct_pairs, inputs.counted_blocks
        envelope = envelope_of(chunks)
        kept = kept_pairs(inputs.pairs[pairs], chunks, envelope)
        intact = intact_blocks(inputs.blocks[blocks], envelope, options.bi_tolerance)
        least = min(options.sc_min, int(inputs.counts([inputs.text], options.tokenizer)[0]))
    return Flags(pairs, kept, blocks, intact, units, bad_sizes(units, least, options.sc_max))


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


def plan_vectors(inputs: ScoreInputs, chunks: Chunks, options: ScoreOptions) -> VectorPlan:
    """Find the parts of the chunks and the windows around them."""
    is_reference = options.mode == "reference"
    passages = passages_of(chunks)
    order = np.arange(len(chunks)) if is_reference else ordered_chunks(inputs, chunks)
    windows = find_windows(
        inputs.text,
        spans_in_order(chunks, order),
        counter_of(inputs, options),
        limit=options.dcc_window,
        step=options.dcc_step if is_reference else 1,
        least=1 if is_reference else 2,
    )
    parts = parts_of(inputs, chunks.spans, chunks.owners, options).of_measured(len(chunks))
    return VectorPlan(
        inputs, options, passages, parts, order, take_passages(passages, order), windows
    )


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


def take_passages(passages: SpanPassages, order: Indices) -> SpanPassages:
    """The passages at `order`."""
    if passages.pointers is None:
        return SpanPassages(passages.spans[order])
    sizes = np.diff(passages.pointers)[order]
    rows = [
        np.arange(passages.pointers[index], passages.pointers[index + 1])
        for index in order.tolist()
    ]
    chosen = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    return SpanPassages(passages.spans[chosen], np.concatenate(([0], np.cumsum(sizes))))


def spans_in_order(chunks: Chunks, order: Indices) -> Spans | Sequence[Spans]:
    """The chunks at `order`: one array if each has one span, else a list of arrays."""
    if chunks.is_contiguous:
        return chunks.spans[order]
    rows = [chunks.spans_of(index) for index in order.tolist()]
    return np.concatenate(rows) if rows and all(len(row) == 1 for row in rows) else rows


def counter_of(inputs: ScoreInputs, options: ScoreOptions) -> Counter:
    """Counts texts in the options' unit."""
    return lambda texts: inputs.counts(texts, options.tokenizer)


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
    encoded = supply.encode(flat) if flat else np.zeros((0, supply.embedder.dimension))
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


def late_supply(supply: VectorSupply) -> VectorSupply:
    """The same supply with late vectors for all that it can pool."""
    from dataclasses import replace

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
    counts = windows.counts(members)
    values = np.divide(sums, counts, out=np.full(members, np.nan), where=counts > 0)
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


def assemble(
    inputs: ScoreInputs,
    chunks: Chunks,
    options: ScoreOptions,
    flags: Flags,
    plan: VectorPlan,
    icc: VectorMeasures,
    dcc: VectorMeasures,
    supply: VectorSupply | None,
) -> Scores:
    """Put the five scores together."""
    measures = {
        "RC": _references(inputs, chunks, options, flags),
        "ICC": _from_vectors("ICC", icc),
        "DCC": _from_vectors("DCC", dcc),
        "BI": _blocks(inputs, chunks, options, flags),
        "SC": _sizes(flags),
    }
    measured = ~np.isnan(icc.per_chunk)
    covered = (chunks.spans[:, 1] - chunks.spans[:, 0])[measured[chunks.owners]].sum()
    return Scores(
        options,
        supply.embedder.id if supply else "",
        inputs.pair_finder,
        measures,
        flags.pairs[~flags.kept],
        flags.blocks[~flags.intact] if len(inputs.blocks) else np.zeros(0, np.int64),
        flags.bad,
        flags.units,
        min(1.0, float(covered) / max(1, len(inputs.text))),
        None if icc.cosines is None else Cohesion(plan.parts, icc.cosines),
        Coherence(plan.windows, plan.order),
        _notices(inputs, options, flags, icc, dcc),
    )


def _from_vectors(code: str, found: VectorMeasures) -> Measure:
    value = None if found.raw is None else min(1.0, max(0.0, found.raw))
    return Measure(
        code,
        value,
        found.measured,
        found.per_chunk,
        found.reason,
        found.raw,
        found.state,
        found.pooled_texts,
    )


def _references(
    inputs: ScoreInputs, chunks: Chunks, options: ScoreOptions, flags: Flags
) -> Measure:
    n, total = len(chunks), len(flags.pairs)
    if not total:
        reason = inputs.why_no_pairs or "no pronoun with what it stands for was found"
        return Measure("RC", None, 0, np.full(n, np.nan), reason)
    if not n and options.mode == "default":
        return Measure("RC", None, 0, np.full(n, np.nan), NO_CHUNKS)
    value = int(flags.kept.sum()) / total
    per_chunk = share_by_chunk(hulls(inputs.pairs[flags.pairs]), flags.kept, chunks)
    return Measure("RC", value, total, per_chunk, raw=value)


def _blocks(inputs: ScoreInputs, chunks: Chunks, options: ScoreOptions, flags: Flags) -> Measure:
    n, total = len(chunks), len(flags.blocks)
    if not n:
        return Measure("BI", None, 0, np.full(n, np.nan), NO_CHUNKS)
    if not total:
        return Measure("BI", None, 0, np.full(n, np.nan), "the document has no blocks that count")
    # the released program looks at the starts of all chunks but the first: one chunk breaks none
    value = int(flags.intact.sum()) / total
    blocks = inputs.reference_blocks if options.mode == "reference" else inputs.blocks
    per_chunk = share_by_chunk(blocks[flags.blocks], flags.intact, chunks)
    return Measure("BI", value, total, per_chunk, raw=value)


def _sizes(flags: Flags) -> Measure:
    n = len(flags.units)
    if not n:
        return Measure("SC", None, 0, np.zeros(0), NO_CHUNKS)
    value = (n - int(flags.bad.sum())) / n
    return Measure("SC", value, n, np.where(flags.bad, 0.0, 1.0), raw=value)


def share_by_chunk(objects: Spans, whole: Mask, chunks: Chunks) -> Values:
    """float64 (n,): of the objects that reach into a chunk, the share that is whole; nan: none."""
    total = _reaching(objects, chunks)
    intact = _reaching(objects[whole], chunks)
    return np.divide(intact, total, out=np.full(len(chunks), np.nan), where=total > 0)


def _reaching(objects: Spans, chunks: Chunks) -> Values:
    """float64 (n,): how many of the objects, int64 (m, 2), meet each chunk."""
    objects = objects[objects[:, 1] > objects[:, 0]]
    begun = np.searchsorted(np.sort(objects[:, 0]), chunks.spans[:, 1], side="left")
    over = np.searchsorted(np.sort(objects[:, 1]), chunks.spans[:, 0], side="right")
    meeting = np.where(chunks.spans[:, 1] > chunks.spans[:, 0], begun - over, 0)
    counts: Values = np.bincount(chunks.owners, weights=meeting, minlength=len(chunks))
    return counts


def _notices(
    inputs: ScoreInputs,
    options: ScoreOptions,
    flags: Flags,
    icc: VectorMeasures,
    dcc: VectorMeasures,
) -> tuple[str, ...]:
    notices = []
    if 0 < len(flags.pairs) < FEW_PAIRS and inputs.pair_finder:
        notices.append(
            f"RC is measured on {len(flags.pairs)} pairs by {inputs.pair_finder}: "
            "with fewer than 30 it may be off by 0.2"
        )
    for code, found in (("ICC", icc), ("DCC", dcc)):
        if not found.pooled_texts:
            continue
        texts = f"{found.pooled_texts} texts longer than the model reads"
        if options.mode == "reference":
            notices.append(f"{code}: {texts} were cut off, as the released program does")
        else:
            notices.append(f"{code}: {texts} have pooled vectors")
    return tuple(notices)


def not_measurable(
    inputs: ScoreInputs, n: int, options: ScoreOptions, units: Indices, reason: str
) -> Scores:
    """Five scores that could not be measured, for one reason."""
    nothing = np.full(n, np.nan)
    none: NDArray[np.int64] = np.zeros(0, np.int64)
    return Scores(
        options,
        "",
        inputs.pair_finder,
        {code: Measure(code, None, 0, nothing, reason) for code in options.weights},
        none,
        none,
        np.zeros(n, np.bool_),
        units,
        notices=(reason,),
    )
