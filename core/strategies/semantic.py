# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunking where neighbouring sentences differ in meaning: SEBC, SBDC, SSTC and SVAC.

Sources: Chunkbench, Tables 1 and 2, with its released code; `spec/strategies.md` 3.13, 3.14,
3.16 and 3.19.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Indices, Mask, Spans, Values, as_spans
from core.declaration import ByChoice, Declaration, Parameter, Preset
from core.strategies.chunks import Chunks, Rule, one_span_chunks, reasons
from core.strategies.groups import JoinedUnits, group_chunks, joined_sentences
from core.strategies.registry import strategy
from core.strategies.source import Source, model_key
from core.vectors.cosines import neighbour_cosines

SOURCE = "Chunkbench, Tables 1 and 2"

BUFFER = Parameter(
    "buffer",
    default=1,
    minimum=0,
    maximum=10,
    unit="sentences",
    slow=True,
    help="Sentences on each side that are embedded together with a sentence",
)
RULE = Parameter(
    "rule",
    default="percentile",
    type="choice",
    choices=("percentile", "standard_deviation", "interquartile", "gradient"),
    help="How the threshold is found from the distances of neighbours",
)
AMOUNT = Parameter(
    "amount",
    default=95.0,
    type="number",
    minimum=0,
    maximum=100,
    step=0.5,
    by=ByChoice(
        "rule",
        defaults={"standard_deviation": 3.0, "interquartile": 1.5},
        maxima={"standard_deviation": 10.0, "interquartile": 10.0},
    ),
    help="The percentile, or how many standard deviations or quartile ranges above the mean",
)
MIN_CHARS = Parameter(
    "min_chars",
    default=0,
    minimum=0,
    maximum=10_000,
    step=10,
    unit="characters",
    help="A break that would close a shorter chunk is skipped",
)
SEBC = Declaration(
    code="SEBC",
    name="Semantic embedding based chunking",
    family="semantic",
    strategy_class="embedding",
    source=SOURCE,
    help=(
        "Cuts where the vectors of neighbouring contexts are farthest apart. A percentile cuts at "
        "the same share of places however even the text is."
    ),
    parameters=(BUFFER, RULE, AMOUNT, MIN_CHARS),
    presets=(Preset("CB, as published code", {"buffer": 1, "rule": "percentile", "amount": 95}),),
    sentences="regex",
)
SBDC = Declaration(
    code="SBDC",
    name="Semantic boundary detection",
    family="semantic",
    strategy_class="embedding",
    source=SOURCE,
    help="Cuts where the distance of neighbouring contexts rises most steeply: SEBC by gradient.",
    parameters=(BUFFER, replace(AMOUNT, by=None, help="The percentile of the gradient"), MIN_CHARS),
    presets=(Preset("CB, as published code", {"buffer": 1, "amount": 95}),),
    sentences="regex",
)
SSTC = Declaration(
    code="SSTC",
    name="Semantic similarity threshold chunking",
    family="semantic",
    strategy_class="embedding",
    source=SOURCE,
    help=(
        "Cuts between sentences whose cosine is below the threshold. With all-MiniLM-L6-v2 the "
        "published 0.6 makes nearly every sentence a chunk."
    ),
    parameters=(
        Parameter(
            "threshold",
            default=0.6,
            type="number",
            minimum=-1,
            maximum=1,
            step=0.01,
            unit="cosine",
            help="Least cosine of neighbouring sentences that stay together",
        ),
    ),
    presets=(Preset("CB Table 1", {"threshold": 0.6}),),
    sentences="punkt",
)
SVAC = Declaration(
    code="SVAC",
    name="Semantic variance adaptive chunking",
    family="semantic",
    strategy_class="embedding",
    source=SOURCE,
    help="Cuts where a cosine falls below the mean of those just before by more than delta.",
    parameters=(
        Parameter(
            "delta",
            default=0.2,
            type="number",
            minimum=0,
            maximum=2,
            step=0.01,
            unit="cosine",
            help="How far below the mean of the recent cosines a cosine must fall",
        ),
        Parameter(
            "window",
            default=3,
            minimum=1,
            maximum=100,
            unit="similarities",
            help="How many cosines before it are recent",
        ),
    ),
    presets=(Preset("CB Table 1, as published code", {"delta": 0.2, "window": 3}),),
    sentences="punkt",
)

FAR = Rule("distance", "distance {value:.3f} is above {threshold:.3f}")
STEEP = Rule("gradient", "gradient of the distance {value:.3f} is above {threshold:.3f}")
TWO_SENTENCES = Rule("two sentences", "a gradient needs three sentences: each is a chunk")
UNLIKE = Rule("cosine", "cosine {value:.3f} is below {threshold:.3f}")
FALLS = Rule(
    "falling cosine", "cosine {value:.3f} is below the recent mean less delta, {threshold:.3f}"
)


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """The n sentences, and the distances of their contexts, float64 (n − 1,), 1 − cosine."""

    sentences: JoinedUnits
    distances: Values


@dataclass(frozen=True, slots=True, eq=False)
class Similarities:
    """The n sentences, and the cosines of neighbours, float64 (n − 1,)."""

    sentences: JoinedUnits
    cosines: Values


def context_distances(source: Source, buffer: int) -> Distances:
    """Embed each sentence with `buffer` neighbours on each side, and compare neighbours.

    As an estimate the contexts have late vectors, which cost nothing once they are at hand.
    """
    joined = joined_sentences(source)
    key = ("context distances", source.splitter, buffer, source.options, model_key(source.model()))

    def make() -> Values:
        n = len(joined)
        if source.options.estimate and n > 1:
            last = np.minimum(np.arange(n) + buffer, n - 1)
            first = np.maximum(np.arange(n) - buffer, 0)
            spans = np.stack([joined.spans[first, 0], joined.spans[last, 1]], axis=1)
            return 1.0 - neighbour_cosines(source.token_vectors().span_vectors(spans))
        contexts = [
            joined.group_text(max(0, i - buffer), min(n, i + buffer + 1)).replace("\n", " ")
            for i in range(n)
        ]
        return 1.0 - neighbour_cosines(source.vectors(contexts)) if n > 1 else np.empty(0)

    return Distances(joined, source.units.get(key, make))


def sentence_cosines(source: Source) -> Similarities:
    """Embed the sentences and compare neighbours."""
    joined = joined_sentences(source)
    key = ("sentence cosines", source.splitter, source.options, model_key(source.model()))

    def make() -> Values:
        return neighbour_cosines(source.sentence_vectors()) if len(joined) > 1 else np.empty(0)

    return Similarities(joined, source.units.get(key, make))


@strategy(SEBC, prepare=context_distances)
def cut_at_distances(prepared: Distances, *, rule: str, amount: float, min_chars: int) -> Chunks:
    """Cut after each sentence whose value is above the threshold of `rule`."""
    values = _gradient(prepared.distances) if rule == "gradient" else prepared.distances
    n = len(prepared.sentences)
    if n < 2:
        return whole_text(prepared.sentences)
    if rule == "gradient" and n == 2:
        return group_chunks(prepared.sentences, np.array([1]), reasons(TWO_SENTENCES, 1))
    threshold = _THRESHOLDS[rule](values, amount)
    breaks = np.flatnonzero(values > threshold)
    if min_chars > 0:
        breaks = _long_enough(breaks, prepared.sentences, min_chars)
    why = reasons(
        STEEP if rule == "gradient" else FAR,
        len(breaks),
        values=values[breaks],
        thresholds=threshold,
    )
    return group_chunks(prepared.sentences, breaks + 1, why)


@strategy(SBDC, prepare=context_distances)
def cut_at_gradients(prepared: Distances, *, amount: float, min_chars: int) -> Chunks:
    """Cut as SEBC does with the rule gradient."""
    return cut_at_distances(prepared, rule="gradient", amount=amount, min_chars=min_chars)


@strategy(SSTC, prepare=sentence_cosines)
def cut_below_threshold(prepared: Similarities, *, threshold: float) -> Chunks:
    """Cut after each sentence whose cosine with the next is not at least `threshold`."""
    breaks = np.flatnonzero(~(prepared.cosines >= threshold))
    why = reasons(UNLIKE, len(breaks), values=prepared.cosines[breaks], thresholds=threshold)
    return group_chunks(prepared.sentences, breaks + 1, why)


@strategy(SVAC, prepare=sentence_cosines)
def cut_at_falls(prepared: Similarities, *, delta: float, window: int) -> Chunks:
    """Cut after each sentence whose cosine with the next falls below the recent ones.

    The paper speaks of a variance; its released code, which this follows, has a mean only.
    """
    if len(prepared.sentences) == 1:
        return whole_text(prepared.sentences)
    limits = recent_means(prepared.cosines, window) - delta
    falls: Mask = prepared.cosines < limits  # the first limit is nan: never a cut
    breaks = np.flatnonzero(falls)
    why = reasons(FALLS, len(breaks), values=prepared.cosines[breaks], thresholds=limits[breaks])
    return group_chunks(prepared.sentences, breaks + 1, why)


def recent_means(cosines: Values, window: int) -> Values:
    """float64 (n,): the mean of the up to `window` values before each; nan before the first."""
    means = np.full(len(cosines), np.nan)
    for index in range(1, min(window, len(cosines))):
        means[index] = cosines[:index].mean()
    if len(cosines) > window:
        # not by running sums: equal values must have exactly one mean wherever they stand
        rows = np.lib.stride_tricks.sliding_window_view(cosines[:-1], window)
        means[window:] = rows.mean(axis=1)
    return means


def whole_text(sentences: JoinedUnits) -> Chunks:
    """One chunk, the whole text; none if the text is empty."""
    return one_span_chunks(_everything(sentences.text))


def _everything(text: str) -> Spans:
    return as_spans([(0, len(text))] if text else [])


def _gradient(distances: Values) -> Values:
    """float64 (n,): central differences inside, one-sided at the ends; empty below two."""
    return np.gradient(distances) if len(distances) > 1 else np.empty(0)


def _percentile(values: Values, amount: float) -> float:
    return float(np.percentile(values, amount))


def _deviations(values: Values, amount: float) -> float:
    return float(values.mean() + amount * values.std())


def _quartile_ranges(values: Values, amount: float) -> float:
    low, high = np.percentile(values, [25, 75])
    return float(values.mean() + amount * (high - low))


_THRESHOLDS: dict[str, Callable[[Values, float], float]] = {
    "percentile": _percentile,
    "gradient": _percentile,
    "standard_deviation": _deviations,
    "interquartile": _quartile_ranges,
}


def _long_enough(breaks: Indices, sentences: JoinedUnits, min_chars: int) -> Indices:
    """The breaks that close a group of at least `min_chars` joined characters, in order."""
    ends = (sentences.starts[breaks + 1] - len(sentences.glue)).tolist()
    next_starts = sentences.starts[breaks + 1].tolist()
    kept, start = [], 0
    for index, end in enumerate(ends):
        if end - start >= min_chars:
            kept.append(index)
            start = next_starts[index]
    return breaks[np.array(kept, np.int64)]
