# SPDX-License-Identifier: AGPL-3.0-or-later
"""Late chunking: LCSI, LCPI and LCTS (`spec/strategies.md` 3.20 and 9).

Read at index time, as the released code does, they are SBC, PBC and SWC. Read with a query, spans
are formed around what matches it; that reading is ours, after the paper's formula.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Indices, Mask, Spans, Values
from core.declaration import Declaration, Parameter, Preset
from core.document.model import Notice
from core.strategies.chunks import LEVELS, Chunks, Rule, one_span_chunks, reasons
from core.strategies.groups import (
    JoinedUnits,
    cut_reasons,
    groups_between,
    joined_paragraphs,
    joined_sentences,
)
from core.strategies.paragraph_groups import PARAGRAPH_END
from core.strategies.registry import strategy
from core.strategies.sentence_groups import SENTENCE_END, one_sentence_notice, unit_chunks
from core.strategies.source import Source, model_key
from core.strategies.windows import (
    SOURCE,
    TokenWindows,
    prepare_tokens,
    token_spans,
    token_step,
    token_window,
    with_gap_notice,
)

RELEVANCE = Rule(
    "relevance", "cosine {value:.3f} with the query, of the unit outside, is below {threshold:.3f}"
)
FORCED = Rule("size", "forced: {value:,.0f} tokens with the next unit, more than {threshold:,.0f}")
LIMIT_TOKENIZER = "cl100k_base"

READING = Parameter(
    "reading",
    default="index",
    type="choice",
    choices=("index", "query"),
    help="index: as the released code, without the query; query: ours, after the paper's formula",
)
KEEP = Parameter(
    "keep",
    default=20,
    minimum=1,
    maximum=100,
    unit="percent of units",
    help="Share of the units that count as relevant to the query (reading query)",
)
CONTEXT = Parameter(
    "context",
    default=1,
    minimum=0,
    maximum=10,
    unit="units",
    help="Units on each side of a relevant one that go with it (reading query)",
)
MAX_TOKENS = Parameter(
    "max_tokens",
    default=0,
    minimum=0,
    maximum=20_000,
    step=50,
    unit="cl100k tokens",
    help="Greatest size of a chunk (reading query); 0: no limit",
)
QUERY_PARAMETERS = (READING, KEEP, CONTEXT, MAX_TOKENS)
_HELP = (
    "As released it does not look at the query at all: it is {same}. The paper's Table 2 forms "
    "chunks at query time without saying how; reading=query does so, and is ours."
)

LCSI = Declaration(
    code="LCSI",
    name="Late chunking, sentence indexing",
    family="late",
    strategy_class="instant",
    source=SOURCE,
    help=_HELP.format(same="SBC"),
    parameters=QUERY_PARAMETERS,
    presets=(Preset("CB Table 1, as published code", {"reading": "index"}),),
    same_as=("SBC",),
    sentences="punkt",
)
LCPI = Declaration(
    code="LCPI",
    name="Late chunking, paragraph indexing",
    family="late",
    strategy_class="instant",
    source=SOURCE,
    help=_HELP.format(same="PBC"),
    parameters=QUERY_PARAMETERS,
    presets=(Preset("CB Table 1, as published code", {"reading": "index"}),),
    same_as=("PBC",),
)
LCTS = Declaration(
    code="LCTS",
    name="Late chunking, token spans",
    family="late",
    strategy_class="instant",
    source=SOURCE,
    help=_HELP.format(same="SWC with window 128 and step 64"),
    parameters=(token_window(128), token_step(64), *QUERY_PARAMETERS),
    presets=(Preset("CB Table 1, as published code", {"window": 128, "step": 64}),),
    same_as=("SWC",),
    tokenizer="cl100k_base",
)


@dataclass(frozen=True, slots=True, eq=False)
class LateUnits:
    """The sentences or paragraphs, and the document for the query's cosines."""

    source: Source
    joined: JoinedUnits


@dataclass(frozen=True, slots=True, eq=False)
class LateTokens:
    """The tokens, and the document for the query's cosines."""

    source: Source
    windows: TokenWindows


@dataclass(frozen=True, slots=True)
class Reading:
    """How a query is read: percent of units that are relevant, units around them, tokens."""

    keep: int
    context: int
    max_tokens: int


def prepare_late_sentences(source: Source) -> LateUnits:
    """Find the sentences."""
    return LateUnits(source, joined_sentences(source))


def prepare_late_paragraphs(source: Source) -> LateUnits:
    """Find the paragraphs."""
    return LateUnits(source, joined_paragraphs(source))


def prepare_late_tokens(source: Source) -> LateTokens:
    """Find the tokens."""
    return LateTokens(source, prepare_tokens(source))


@strategy(LCSI, prepare=prepare_late_sentences)
def cut_late_sentences(prepared: LateUnits, *, reading: str, **query: int) -> Chunks:
    """Each sentence, or runs of sentences that match the query and of those that do not."""
    if reading == "query" and prepared.source.options.query:
        return _read_units(prepared, Reading(**query))
    found = unit_chunks(prepared.joined.spans, SENTENCE_END)
    notices = one_sentence_notice(prepared.joined)
    return found.with_notices(*notices, *_no_query(reading))


@strategy(LCPI, prepare=prepare_late_paragraphs)
def cut_late_paragraphs(prepared: LateUnits, *, reading: str, **query: int) -> Chunks:
    """Each paragraph, or runs of paragraphs that match the query and of those that do not."""
    if reading == "query" and prepared.source.options.query:
        return _read_units(prepared, Reading(**query))
    return unit_chunks(prepared.joined.spans, PARAGRAPH_END).with_notices(*_no_query(reading))


@strategy(LCTS, prepare=prepare_late_tokens)
def cut_late_tokens(
    prepared: LateTokens, *, window: int, step: int, reading: str, **query: int
) -> Chunks:
    """Sliding windows, or runs of tiles of tokens that match the query and of those that do not."""
    if reading == "query" and prepared.source.options.query:
        return _read_tiles(prepared, Reading(**query), window=window, step=step)
    found = prepared.windows.chunks(window, step)
    found = with_gap_notice(found, len(prepared.windows.text), window=window, step=step)
    return found.with_notices(*_no_query(reading))


def _no_query(reading: str) -> tuple[Notice, ...]:
    if reading == "index":
        return ()
    return (Notice(None, "no query", "reading is 'query' but there is no query: index reading"),)


def _read_units(prepared: LateUnits, reading: Reading) -> Chunks:
    joined = prepared.joined
    cosines = query_cosines(prepared.source, joined.spans, ("units", joined.glue))
    first, last, between = _runs(prepared.source, joined.spans, cosines, reading)
    return _as_chunks(joined.group_spans(first, last), first, cosines, reading, between)


def _read_tiles(prepared: LateTokens, reading: Reading, *, window: int, step: int) -> Chunks:
    """The tiles of `step` tokens; a tile's vector is that of `window` tokens around its middle."""
    table = prepared.windows.table
    n = len(table)
    low = np.arange(0, n, step, dtype=np.int64)
    high = np.minimum(low + step, n)
    tiles = token_spans(table, low, high)
    around = (low + high) // 2 - window // 2
    wide = token_spans(table, np.maximum(around, 0), np.minimum(around + window, n))
    cosines = query_cosines(prepared.source, wide, ("tiles", table.tokenizer, window, step))
    first, last, between = _runs(prepared.source, tiles, cosines, reading)
    spans = np.stack([tiles[first, 0], tiles[last - 1, 1]], axis=1)
    return _as_chunks(spans, first, cosines, reading, between)


def query_cosines(source: Source, spans: Spans, kind: Hashable) -> Values:
    """Cosine of the query and the late vector of each span, float64 (n,); 0 without a vector.

    Args:
        source: with the query and the model.
        spans: int64 (n, 2).
        kind: what the spans are, the same for the same spans; what the cosines are kept by.
    """
    key = ("query cosines", model_key(source.model()), source.options, source.splitter, kind)
    return source.units.get(key, lambda: _query_cosines(source, spans))


def _query_cosines(source: Source, spans: Spans) -> Values:
    query = source.model().encode_queries([source.options.query])[0].astype(np.float64)
    vectors = source.token_vectors().span_vectors(spans).astype(np.float64)
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
    cosines: Values = np.divide(vectors @ query, norms, out=np.zeros(len(spans)), where=norms > 0)
    return cosines


def relevant_units(cosines: Values, *, keep: int, context: int) -> tuple[Mask, float]:
    """Which units are in an answer, bool (n,), and the least cosine of a relevant one.

    Args:
        cosines: float64 (n,), of each unit with the query.
        keep: percent of the units that are relevant.
        context: units on each side of a relevant one that go with it.
    """
    if not len(cosines):
        return np.zeros(0, bool), float("nan")
    threshold = float(np.percentile(cosines, 100 - keep))
    counts = np.concatenate([[0], np.cumsum(cosines >= threshold)])
    at = np.arange(len(cosines))
    low, high = np.maximum(at - context, 0), np.minimum(at + context + 1, len(cosines))
    return np.asarray(counts[high] > counts[low]), threshold


@dataclass(frozen=True, slots=True, eq=False)
class RunCuts:
    """The cuts between runs, int64 (m,): the first unit after each; forced ones and their sizes."""

    cuts: Indices
    is_forced: Mask
    sizes: Values
    marked: Mask
    threshold: float


def _runs(
    source: Source, units: Spans, cosines: Values, reading: Reading
) -> tuple[Indices, Indices, RunCuts]:
    """Runs of units, half-open, as long as they are alike and small enough."""
    marked, threshold = relevant_units(cosines, keep=reading.keep, context=reading.context)
    changes = np.flatnonzero(np.diff(marked.astype(np.int8))) + 1
    cuts, sizes = changes, np.full(len(changes), np.nan)
    if reading.max_tokens and len(units):
        cuts, sizes = _limited(source, units, changes, reading.max_tokens)
    first, last = groups_between(cuts, len(units))
    between = RunCuts(cuts, ~np.isin(cuts, changes), sizes, marked, threshold)
    return first, last, between


def _limited(source: Source, units: Spans, changes: Indices, most: int) -> tuple[Indices, Values]:
    """The cuts with those before a unit that would make a run too large, and those sizes."""
    table = source.tokens(LIMIT_TOKENIZER)
    starts = table.first_token_from(units[:, 0]).tolist()
    ends = table.first_token_from(units[:, 1]).tolist()
    is_change = set(changes.tolist())
    cuts, sizes, begin = [], [], 0
    for k in range(1, len(units)):
        size = ends[k] - starts[begin]
        if k in is_change or size > most:
            cuts.append(k)
            sizes.append(size)
            begin = k
    return np.array(cuts, dtype=np.int64), np.array(sizes, dtype=np.float64)


def _as_chunks(
    spans: Spans, first: Indices, cosines: Values, reading: Reading, between: RunCuts
) -> Chunks:
    if not len(spans):
        return one_span_chunks(spans)
    answers = between.marked[first]
    outside = np.where(between.marked[between.cuts], between.cuts - 1, between.cuts)
    forced = between.is_forced
    starts, ends = cut_reasons(
        reasons(
            (RELEVANCE, FORCED),
            len(between.cuts),
            which=forced.astype(np.int64),
            values=np.where(forced, between.sizes, cosines[outside]),
            thresholds=np.where(forced, reading.max_tokens, between.threshold),
        )
    )
    levels = np.where(answers, LEVELS.index("answer"), LEVELS.index("rest")).astype(np.int8)
    chunks = one_span_chunks(spans, starts, ends, levels=levels)
    return replace(chunks, scores=np.maximum.reduceat(cosines, first))
