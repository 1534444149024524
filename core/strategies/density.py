# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks whose limit depends on the next sentence's density: CDAC (`spec/strategies.md` 3.18)."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Values
from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import Chunks, reasons
from core.strategies.groups import group_chunks
from core.strategies.registry import strategy
from core.strategies.sentence_groups import (
    MeasuredSentences,
    above_limit,
    cut_values,
    measured_sentences,
    one_sentence_notice,
)
from core.strategies.sizes import LENGTH_UNIT
from core.strategies.source import Source
from core.strategies.windows import SOURCE
from core.units.words import word_counts

CDAC = Declaration(
    code="CDAC",
    name="Content density adaptive chunking",
    family="sentences",
    strategy_class="instant",
    source=SOURCE,
    help="Whole sentences up to a limit that is lower the more unique words the incoming sentence "
    "has (density = unique words / words). The released code is linear, base · (intercept − "
    "slope · density); the paper's size is proportional to 1 / density: law has both.",
    parameters=(
        Parameter(
            "base",
            default=1000,
            minimum=1,
            maximum=100_000,
            step=10,
            unit="length units",
            help="The limit at a factor of 1",
        ),
        Parameter(
            "intercept",
            default=1.5,
            type="number",
            minimum=0.5,
            maximum=5,
            step=0.05,
            help="The factor at density 0 (law linear)",
        ),
        Parameter(
            "slope",
            default=1.0,
            type="number",
            minimum=0,
            maximum=5,
            step=0.05,
            help="How much the factor falls from density 0 to 1 (law linear)",
        ),
        Parameter(
            "law",
            default="linear",
            type="choice",
            choices=("linear", "inverse"),
            help="linear: as published code; inverse: base / density, the paper's formula",
        ),
        LENGTH_UNIT,
    ),
    presets=(
        Preset("CB Table 1, as published code", {"base": 1000, "law": "linear"}),
        Preset("CB Table 2, the formula", {"base": 1000, "law": "inverse"}),
        Preset("CB Table 1, in tokens as its legend", {"base": 1000, "length_unit": "cl100k_base"}),
    ),
    sentences="punkt",
)


@dataclass(frozen=True, slots=True, eq=False)
class DenseSentences:
    """Measured sentences and their densities, float64 (n,), nan for one without a word."""

    measured: MeasuredSentences
    densities: Values


def measure_density(source: Source, *, length_unit: str) -> DenseSentences:
    """Measure each sentence's length and share of unique words."""
    measured = measured_sentences(source, length_unit)
    key = ("densities", source.splitter, source.options.headings_end_sentences)
    densities = source.units.get(key, lambda: _densities(source.text, measured))
    return DenseSentences(measured, densities)


def _densities(text: str, measured: MeasuredSentences) -> Values:
    total, unique = word_counts(text, measured.joined.spans)
    with np.errstate(invalid="ignore"):
        densities: Values = unique / total
    return densities


@strategy(CDAC, prepare=measure_density)
def cut_by_density(
    prepared: DenseSentences, *, base: int, intercept: float, slope: float, law: str
) -> Chunks:
    """Cut before a sentence with which the chunk would be longer than that sentence's limit."""
    measured = prepared.measured
    limits = _limits(prepared.densities, base=base, intercept=intercept, slope=slope, law=law)
    cuts = own_limit_cuts(measured.sums, limits)
    values = cut_values(measured.sums, cuts)
    between = reasons(above_limit(measured.unit), len(cuts), values=values, thresholds=limits[cuts])
    found = group_chunks(measured.joined, cuts, between)
    return found.with_notices(*one_sentence_notice(measured.joined))


def _limits(densities: Values, *, base: int, intercept: float, slope: float, law: str) -> Values:
    """float64 (n,), in exactly the order of operations of the definition."""
    if law == "inverse":
        limits = base / densities
    else:
        factor = intercept - slope * densities
        limits = base * factor
    # a sentence without a word stays in the group
    return np.where(np.isnan(densities), np.inf, limits)


def own_limit_cuts(sums: Indices, limits: Values) -> Indices:
    """Greedy groups where each unit brings its own limit: the first unit after each cut.

    Args:
        sums: int64 (n + 1,), running sums of the lengths.
        limits: float64 (n,), the greatest length of a group with each unit.
    """
    listed, most = sums.tolist(), limits.tolist()
    start, cuts = 0, []
    for i in range(1, len(most)):
        if listed[i + 1] - listed[start] > most[i]:
            cuts.append(i)
            start = i
    return np.array(cuts, dtype=np.int64)
