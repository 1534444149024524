# SPDX-License-Identifier: AGPL-3.0-or-later
"""The five scores of a chunking: from spans to numbers, with one call of the embedder."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Mask, Spans, Values
from core.scores.blocks import broken_in_reference, intact_blocks
from core.scores.cohesion import by_chunk, ratios
from core.scores.envelope import envelope_of
from core.scores.inputs import ScoreInputs
from core.scores.lengths import FreshLengths, Lengths
from core.scores.options import ScoreOptions
from core.scores.pairs import check_spans
from core.scores.references import hulls, kept_pairs, lost_in_reference
from core.scores.results import Coherence, Cohesion, Measure, Scores
from core.scores.sizes import bad_sizes
from core.scores.vector_measures import NO_CHUNKS, VectorMeasures, measure_vectors
from core.scores.vector_plan import VectorPlan, plan_vectors
from core.scores.vector_supply import VectorSupply
from core.strategies.chunks import Chunks

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
    lengths = FreshLengths(inputs, options.tokenizer)
    units = checked_units(inputs, chunks, lengths)
    if options.mode == "reference" and not chunks.is_contiguous:
        return not_measurable(inputs, len(chunks), options, units, ONE_SPAN_ONLY)
    flags = flags_of(inputs, chunks, options, units)
    plan = plan_vectors(inputs, chunks, options, lengths)
    icc, dcc = measure_vectors(plan, supply, why_no_vectors)
    return assemble(
        inputs,
        chunks,
        options,
        flags=flags,
        plan=plan,
        icc=icc,
        dcc=dcc,
        embedder=supply.embedder.id if supply else "",
    )


def checked_units(inputs: ScoreInputs, chunks: Chunks, lengths: Lengths) -> Indices:
    """int64 (n,): the length of each chunk.

    Raises:
        DocumentError: a chunk lies outside of the text.
    """
    check_spans(chunks.spans, len(inputs.text), "the chunks")
    if chunks.is_contiguous and not chunks.texts:
        return lengths.of_spans(chunks.spans, "chunks")
    return lengths.of_texts(chunks.all_texts(inputs.text))


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


def assemble(
    inputs: ScoreInputs,
    chunks: Chunks,
    options: ScoreOptions,
    *,
    flags: Flags,
    plan: VectorPlan,
    icc: VectorMeasures,
    dcc: VectorMeasures,
    embedder: str,
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
        embedder,
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
    return ratios(_reaching(objects[whole], chunks), total)


def _reaching(objects: Spans, chunks: Chunks) -> Values:
    """float64 (n,): how many of the objects, int64 (m, 2), meet each chunk."""
    objects = objects[objects[:, 1] > objects[:, 0]]
    begun = np.searchsorted(np.sort(objects[:, 0]), chunks.spans[:, 1], side="left")
    over = np.searchsorted(np.sort(objects[:, 1]), chunks.spans[:, 0], side="right")
    meeting = np.where(chunks.spans[:, 1] > chunks.spans[:, 0], begun - over, 0)
    return by_chunk(chunks.owners, meeting, len(chunks))


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
    none: Indices = np.zeros(0, np.int64)
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
