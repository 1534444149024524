# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks of whole sentences: SBC, SGC and LAC (`spec/strategies.md` 3.5 to 3.7)."""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Spans, Values
from core.declaration import Declaration, Parameter, Preset
from core.document.model import Notice
from core.strategies.chunks import Chunks, Rule, one_span_chunks, reasons
from core.strategies.groups import (
    JoinedUnits,
    cut_reasons,
    group_chunks,
    joined_sentences,
    window_reasons,
    windows,
)
from core.strategies.registry import strategy
from core.strategies.sizes import LENGTH_UNIT
from core.strategies.source import Source
from core.strategies.windows import SOURCE, step_of
from core.units.tokens import unit_words

SENTENCE_END = Rule("sentence end", "a sentence ends here")
FULL_SENTENCES = Rule("group end", "the chunk has its {threshold:.0f} sentences")
STEPPED_SENTENCES = Rule("group start", "starts {value:.0f} sentences after the one before")


SBC = Declaration(
    code="SBC",
    name="Sentence-based chunking",
    family="sentences",
    strategy_class="instant",
    source=SOURCE,
    help="Each sentence is a chunk.",
    presets=(Preset("CB Table 1"),),
    same_as=("LCSI",),
    sentences="punkt",
)
SGC = Declaration(
    code="SGC",
    name="Sentence group chunking",
    family="sentences",
    strategy_class="instant",
    source=SOURCE,
    help="Windows of a fixed number of sentences. Who finds the sentences is the shared option of "
    "the same name as the first parameter.",
    parameters=(
        Parameter(
            "sentences",
            default=3,
            minimum=1,
            maximum=1_000,
            unit="sentences",
            help="Sentences of a chunk",
        ),
        Parameter(
            "overlap",
            default=1,
            minimum=0,
            maximum="sentences - 1",
            unit="sentences",
            help="Sentences that a chunk shares with the one before",
        ),
    ),
    presets=(Preset("CB Table 1", {"sentences": 3, "overlap": 1}),),
    sentences="punkt",
)
LAC = Declaration(
    code="LAC",
    name="Length-aware chunking",
    family="sentences",
    strategy_class="instant",
    source=SOURCE,
    help="Whole sentences up to a target length. As the released code: characters, and only the "
    "upper limit, target + tolerance. In tokens, as Table 2 has it, a chunk has at least target − "
    "tolerance too, unless the next sentence would pass the upper limit.",
    parameters=(
        Parameter(
            "target",
            default=500,
            minimum=1,
            maximum=100_000,
            step=10,
            unit="length units",
            help="Wanted length of a chunk, without the spaces between sentences",
        ),
        Parameter(
            "tolerance",
            default=100,
            minimum=0,
            maximum="target",
            step=10,
            unit="length units",
            help="How far above the target (in tokens: or below it) a chunk may end",
        ),
        LENGTH_UNIT,
    ),
    presets=(
        Preset("CB Table 1, as published code", {"target": 500, "tolerance": 100}),
        Preset(
            "CB Table 2, token limits",
            {"target": 500, "tolerance": 100, "length_unit": "cl100k_base"},
        ),
    ),
    sentences="punkt",
)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSentences:
    """Sentences with their lengths in `unit`, int64 (n,), and the running sums, int64 (n + 1,)."""

    joined: JoinedUnits
    lengths: Indices
    sums: Indices
    unit: str


def measured_sentences(source: Source, length_unit: str) -> MeasuredSentences:
    """Measure each sentence by itself."""
    joined = joined_sentences(source)
    if length_unit == "characters":
        lengths = joined.lengths
    else:
        texts = [source.text[a:b] for a, b in joined.spans.tolist()]
        lengths = source.counter(length_unit).counts(texts)
    sums = np.append(0, np.cumsum(lengths))
    return MeasuredSentences(joined, lengths, sums, unit_words(length_unit))


def one_sentence_notice(joined: JoinedUnits) -> tuple[Notice, ...]:
    """What to say of a text without a sentence end."""
    if len(joined) != 1:
        return ()
    n = int(joined.lengths[0])
    return (Notice(None, "one sentence", f"one sentence of {n:,} characters"),)


def above_limit(unit: str) -> Rule:
    """The rule of a cut before the sentence that would make the chunk too long."""
    return Rule(
        "length", f"with the next sentence {{value:,.0f}} {unit}, more than {{threshold:,.0f}}"
    )


def unit_chunks(spans: Spans, rule: Rule) -> Chunks:
    """Each unit is a chunk; `rule` says what ends it."""
    starts, ends = cut_reasons(reasons(rule, max(0, len(spans) - 1)))
    return one_span_chunks(spans, starts, ends) if len(spans) else one_span_chunks(spans)


def window_chunks(
    joined: JoinedUnits, size: int, step: int, *, full: Rule, stepped: Rule
) -> Chunks:
    """Windows of units, `step` apart."""
    n = len(joined)
    first, last = windows(n, size, step)
    starts, ends = window_reasons(
        full, stepped, last - first, size=size, step=step, at_end=last == n
    )
    return one_span_chunks(joined.group_spans(first, last), starts, ends)


def filled_cuts(sums: Indices, limit: float) -> Indices:
    """Greedy groups of units up to one limit: the first unit after each cut, int64 (m,).

    A group is closed before the unit that would make it longer than the limit; a unit that is
    longer by itself is a group of its own.

    Args:
        sums: int64 (n + 1,), running sums of the lengths.
        limit: the greatest length of a group.
    """
    listed, n = sums.tolist(), len(sums) - 1
    edge = 0
    cuts: list[int] = []
    while True:
        edge = max(bisect_right(listed, listed[edge] + limit, edge + 1) - 1, edge + 1)
        if edge >= n:
            return np.array(cuts, dtype=np.int64)
        cuts.append(edge)


def cut_values(sums: Indices, cuts: Indices) -> Values:
    """float64 (m,): the length that the group before each cut would have with one more unit."""
    starts = np.concatenate([[0], cuts[:-1]]) if len(cuts) else cuts
    return np.asarray(sums[cuts + 1] - sums[starts], np.float64)


@strategy(SBC, prepare=joined_sentences)
def cut_sentences(joined: JoinedUnits) -> Chunks:
    """Cut after each sentence."""
    return unit_chunks(joined.spans, SENTENCE_END).with_notices(*one_sentence_notice(joined))


@strategy(SGC, prepare=joined_sentences)
def cut_sentence_groups(joined: JoinedUnits, *, sentences: int, overlap: int) -> Chunks:
    """Cut windows of sentences."""
    step = step_of(sentences, overlap)
    found = window_chunks(joined, sentences, step, full=FULL_SENTENCES, stepped=STEPPED_SENTENCES)
    return found.with_notices(*one_sentence_notice(joined))


@strategy(LAC, prepare=measured_sentences)
def cut_near_length(measured: MeasuredSentences, *, target: int, tolerance: int) -> Chunks:
    """Cut before the sentence that would pass the upper limit.

    So a chunk ends below target − tolerance only where the next sentence would pass the upper
    limit, which is what the paper's lower limit asks (decision 30).
    """
    limit = target + tolerance
    cuts = filled_cuts(measured.sums, limit)
    values = cut_values(measured.sums, cuts)
    between = reasons(above_limit(measured.unit), len(cuts), values=values, thresholds=limit)
    found = group_chunks(measured.joined, cuts, between)
    return found.with_notices(*one_sentence_notice(measured.joined))
