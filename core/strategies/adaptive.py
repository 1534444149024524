# SPDX-License-Identifier: AGPL-3.0-or-later
"""Adaptive chunking of the clinical paper (K4): sentences join while they stay alike.

Source: sections 2.2.4 to 2.2.6 of the clinical paper, which published no code; what it leaves
open is decided in `spec/strategies.md` 5.5.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from core.arrays import Values, Vectors
from core.declaration import Declaration, Parameter, Preset
from core.errors import ModelError
from core.strategies.chunks import Chunks, Reasons, Rule, one_span_chunks, reasons
from core.strategies.groups import JoinedUnits, joined_sentences
from core.strategies.headers import Headings, find_headings, noun_phrase_headers, structure_headers
from core.strategies.linkers import (
    LINKER_RULES,
    Cut,
    StepWords,
    earlier_starts,
    keep_with_step_before,
    step_words,
)
from core.strategies.registry import strategy
from core.strategies.source import Source
from core.vectors.cosines import unit_rows

# Sums of cosines with so many sentences before are kept; a longer chunk adds up vectors.
BAND = 64
ROWS_AT_ONCE = 256

K4 = Declaration(
    code="K4",
    name="Adaptive chunking (clinical)",
    family="clinical",
    strategy_class="embedding",
    source="Comparative evaluation of advanced chunking (clinical paper), sections 2.2.4 to 2.2.6",
    help=(
        "A sentence joins the chunk while it is like the last sentence and like the chunk's mean. "
        "Steps that begin with a linker (unless, until …) stay with the step before."
    ),
    parameters=(
        Parameter(
            "threshold",
            default=0.8,
            type="number",
            minimum=-1,
            maximum=1,
            step=0.01,
            unit="cosine",
            help="Least cosine at which a sentence joins",
        ),
        Parameter(
            "max_words",
            default=500,
            minimum=1,
            maximum=10_000,
            step=10,
            unit="words",
            help="Greatest chunk; a longer sentence is a chunk of its own",
        ),
        Parameter(
            "min_words",
            default=60,
            minimum=0,
            maximum="max_words",
            step=5,
            unit="words",
            help="A shorter chunk takes the next sentence however unlike it is",
        ),
        Parameter(
            "compare",
            default="both",
            type="choice",
            choices=("both", "last", "mean", "either"),
            help="What the next sentence must be like: the last one, the mean, both, either",
        ),
        Parameter(
            "linkers",
            default=("for", "until", "unless", "after", "within"),
            type="words",
            help="First words of a sentence that keep it with the step before",
        ),
        Parameter(
            "repair_overlap",
            default=30,
            minimum=0,
            maximum=500,
            unit="cl100k tokens",
            help="What is repeated at most when such a sentence does not fit into the step before",
        ),
        Parameter(
            "headers",
            default="structure",
            type="choice",
            choices=("off", "structure", "noun_phrase", "model"),
            help="What is put before a chunk's text for the model, never part of the text",
        ),
    ),
    presets=(
        Preset("Clinical paper, 0.80", {"threshold": 0.8, "headers": "noun_phrase"}),
        Preset("Clinical paper, 0.75", {"threshold": 0.75, "headers": "noun_phrase"}),
        Preset("Clinical paper, 0.85", {"threshold": 0.85, "headers": "noun_phrase"}),
        Preset("Clinical paper, cap 300", {"max_words": 300, "headers": "noun_phrase"}),
        Preset("Clinical paper, cap 500", {"max_words": 500, "headers": "noun_phrase"}),
        Preset("Two criteria only", {"min_words": 0, "headers": "noun_phrase"}),
    ),
    sentences="spacy",
)

RULES = (
    Rule("similarity", "{detail} {value:.3f} is below {threshold:.3f}"),
    Rule("words", "forced: {value:.0f} words with the next sentence, above {threshold:.0f}"),
    *LINKER_RULES,
)
UNLIKE, FULL = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The n sentences and what their joining depends on.

    words: n numbers of words, separated by white space.
    band: n · BAND numbers; entry i · BAND + k is the sum of the cosines of sentence i with the
        k + 1 sentences before it.
    vectors: float32 (n, d). squares: n numbers, 1 or, for a zero vector, 0.
    """

    source: Source
    sentences: JoinedUnits
    words: Sequence[int]
    band: Sequence[float]
    vectors: Vectors
    squares: Sequence[float]
    first_words: StepWords
    headings: Headings


def find_steps(source: Source) -> Steps:
    """Embed the sentences, and find the cosines with those before, words and headings."""
    joined = joined_sentences(source)
    texts = [source.text[a:b] for a, b in joined.spans.tolist()]
    n = len(joined)
    rows = unit_rows(source.sentence_vectors()) if n else np.empty((0, 1))
    return Steps(
        source=source,
        sentences=joined,
        words=[len(text.split()) for text in texts],
        band=banded_sums(rows).ravel().data,
        vectors=rows.astype(np.float32),
        squares=np.einsum("ij,ij->i", rows, rows).tolist(),
        first_words=step_words(source, joined.spans, texts),
        headings=find_headings(source.document),
    )


def banded_sums(rows: Values) -> Values:
    """float64 (n, BAND): sums of the products of each row with the 1, 2 … BAND rows before it."""
    sums = np.zeros((len(rows), BAND))
    backs = np.arange(1, BAND + 1)
    for low in range(0, len(rows), ROWS_AT_ONCE):
        begin = max(0, low - BAND)
        products = rows[low : low + ROWS_AT_ONCE] @ rows[begin : low + ROWS_AT_ONCE].T
        row = np.arange(len(products))[:, None]
        column = row + low - begin - backs
        near = np.where(column >= 0, products[row, np.maximum(column, 0)], 0.0)
        np.cumsum(near, axis=1, out=sums[low : low + ROWS_AT_ONCE])
    return sums


@strategy(K4, prepare=find_steps)
def cut_where_unlike(
    prepared: Steps,
    *,
    threshold: float,
    max_words: int,
    min_words: int,
    compare: str,
    linkers: tuple[str, ...],
    repair_overlap: int,
    headers: str,
) -> Chunks:
    """Join sentences while they are alike, then keep linked steps together."""
    n = len(prepared.sentences)
    if n == 0:
        return one_span_chunks(prepared.sentences.spans)
    cuts = list(
        _cuts(
            prepared, threshold=threshold, max_words=max_words, min_words=min_words, compare=compare
        )
    )
    cuts = _without_short_end(cuts, prepared.words, max_words=max_words, min_words=min_words)
    words = {word.strip().lower() for word in linkers}
    if words:
        cuts = keep_with_step_before(
            cuts, prepared.first_words, prepared.words, linkers=words, max_words=max_words
        )
    chunks = _chunks(prepared, cuts, linkers=words, repair_overlap=repair_overlap)
    return replace(chunks, headers=_HEADERS[headers](prepared, chunks))


def _cuts(
    prepared: Steps, *, threshold: float, max_words: int, min_words: int, compare: str
) -> Iterator[Cut]:
    """The cuts of the greedy joining, in order.

    The mean of a chunk is the sum of its vectors, normalised; its product with the next sentence
    is a sum of cosines, and its squared length grows by such sums, so no vector is touched.
    """
    words, band, squares = prepared.words, prepared.band, prepared.squares
    choose = _COMPARE[compare]
    far = _FarSums(prepared.vectors)
    start, count, square = 0, words[0], squares[0]
    for index in range(1, len(words)):
        back = index - start
        row = index * BAND
        total = band[row + back - 1] if back <= BAND else far.total(start, index)
        last = band[row]
        mean = total / sqrt(square) if square > 0 else 0.0
        value = choose(last, mean)
        added = words[index]
        if count + added > max_words:
            yield Cut(index, FULL, count + added, max_words)
        elif value < threshold and count >= min_words:
            detail = "cosine with the last sentence" if value == last else "cosine with the chunk"
            yield Cut(index, UNLIKE, value, threshold, detail)
        else:
            count += added
            square += 2.0 * total + squares[index]
            continue
        start, count, square = index, added, squares[index]


class _FarSums:
    """Sums of cosines of a sentence with a long chunk before it, by a running sum of vectors."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._span = (0, 0)
        self._sum: Values = np.zeros(vectors.shape[1])

    def total(self, start: int, index: int) -> float:
        """The sum of the products of vector `index` with the vectors `start` to `index` − 1."""
        first, end = self._span
        if first != start or end > index:
            first, end = start, start
            self._sum = np.zeros_like(self._sum)
        self._sum = self._sum + self._vectors[end:index].sum(axis=0, dtype=np.float64)
        self._span = (start, index)
        return float(self._sum @ self._vectors[index])


def _without_short_end(
    cuts: list[Cut], words: Sequence[int], *, max_words: int, min_words: int
) -> list[Cut]:
    """Without the last cut, if the chunk after it is too short and fits into the one before."""
    if not cuts:
        return cuts
    before = cuts[-2].sentence if len(cuts) > 1 else 0
    short = sum(words[cuts[-1].sentence :]) < min_words
    return cuts[:-1] if short and sum(words[before:]) <= max_words else cuts


def _chunks(prepared: Steps, cuts: list[Cut], *, linkers: set[str], repair_overlap: int) -> Chunks:
    """Chunks between the cuts; those that begin with a linker begin earlier."""
    n = len(prepared.sentences)
    edges = np.array([0, *(cut.sentence for cut in cuts), n])
    spans = prepared.sentences.group_spans(edges[:-1], edges[1:])
    begun: list[Cut | None] = [None, *cuts]
    for chunk, first, cut in earlier_starts(
        edges, prepared.first_words, linkers=linkers, repair_overlap=repair_overlap
    ):
        spans[chunk, 0] = first
        begun[chunk] = cut
    return one_span_chunks(spans, _reasons(begun), _reasons([*cuts, None]))


def _reasons(cuts: Sequence[Cut | None]) -> Reasons:
    return reasons(
        RULES,
        len(cuts),
        which=np.array([-1 if cut is None else cut.rule for cut in cuts], np.int64),
        values=np.array([np.nan if cut is None else cut.value for cut in cuts]),
        thresholds=np.array([np.nan if cut is None else cut.threshold for cut in cuts]),
        details=["" if cut is None else cut.detail for cut in cuts],
    )


def _only_last(last: float, mean: float) -> float:
    return last


def _only_mean(last: float, mean: float) -> float:
    return mean


_COMPARE: dict[str, Callable[[float, float], float]] = {
    "last": _only_last,
    "mean": _only_mean,
    "both": min,
    "either": max,
}


def _no_headers(prepared: Steps, chunks: Chunks) -> None:
    return None


def _structure(prepared: Steps, chunks: Chunks) -> tuple[str, ...]:
    return structure_headers(prepared.source.text, chunks.spans, prepared.headings)


def _noun_phrases(prepared: Steps, chunks: Chunks) -> tuple[str, ...]:
    return noun_phrase_headers(prepared.source, chunks.spans)


def _by_model(prepared: Steps, chunks: Chunks) -> tuple[str, ...]:
    raise ModelError(
        "headers is 'model', but no language model is connected to write them: "
        "choose structure, noun_phrase or off"
    )


_HEADERS: dict[str, Callable[[Steps, Chunks], tuple[str, ...] | None]] = {
    "off": _no_headers,
    "structure": _structure,
    "noun_phrase": _noun_phrases,
    "model": _by_model,
}
