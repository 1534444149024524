# SPDX-License-Identifier: AGPL-3.0-or-later
"""Choosing a chunking per document: ranks, ties, warnings, uncertainty, and several documents.

Source: `spec/metrics.md` 17, after the adaptive chunking of de Moura Júnior, Lelong and
Blangero 2026 (arXiv 2603.25333).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.arrays import Values
from core.declaration import Value
from core.scores.inputs import ScoreInputs
from core.scores.mean import CODES, EQUAL_WEIGHTS, corpus_means, document_mean
from core.scores.references import hulls
from core.scores.results import Scores
from core.strategies.adaptive_choice import CODE as ADAPTIVE
from core.strategies.chunks import Chunks

TIE = 1e-6
CLOSE = 0.005  # the published gain of choosing per document over the best single method: 0.0039
DRAWS = 1_000
SEED = 12345
PROVISIONAL = "provisional: some values are from late vectors, which exact ones replace"
LATE_FOR_ALL = (
    "late: all are compared by late vectors, the only kind that all have, since some chunks are "
    "longer than the model reads"
)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A strategy with its parameters, and what it gave on one document; or why it failed."""

    name: str  # unique among the candidates of a selection
    strategy: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    chunks: Chunks | None = None
    scores: Scores | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where a candidate stands.

    group: all with its chunks, itself first. value: the document mean, None: it cannot win. rank:
    from 1; those tied with the winner all have 1; 0 without a value. least, greatest, average:
    units of its chunks. coverage: share of the text that ICC measured.
    """

    candidate: Candidate
    group: tuple[Candidate, ...]
    value: float | None
    rank: int
    measured: int  # how many of the five scores
    n: int
    least: int
    greatest: int
    average: float
    coverage: float

    @property
    def names(self) -> tuple[str, ...]:
        """Of all candidates with these chunks, its own first."""
        return tuple(each.name for each in self.group)

    @property
    def single_names(self) -> tuple[str, ...]:
        """Names of those that are one strategy for all documents, which ADAPT is not."""
        return tuple(each.name for each in self.group if each.strategy != ADAPTIVE)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The choice for one document.

    standings: by rank, those that cannot win last. winner: its first name, None: none can win,
    for the reason in `reason`. margin: to the second, None without one. ties: names of all
    that are within 1e-6 of the winner, itself included. common_winner: by only the scores that
    all candidates have.
    """

    standings: tuple[Standing, ...]
    winner: str | None
    margin: float | None
    ties: tuple[str, ...]
    common_winner: str | None
    common_scores: tuple[str, ...]
    warnings: tuple[str, ...]
    reason: str = ""

    def standing(self, name: str) -> Standing:
        """The standing of a candidate, or of the one it shares its chunks with."""
        return next(each for each in self.standings if name in each.names)


def select(
    candidates: Sequence[Candidate], weights: Mapping[str, float] = EQUAL_WEIGHTS
) -> Selection:
    """Rank the candidates of one document, scored with one mode, unit, model and vector kind.

    Args:
        candidates: in the order of the list; a tie goes to the earlier at last.
        weights: of the mean; changing them needs no new scores.
    """
    groups = _grouped(candidates)
    order = _order(groups, CODES, weights)
    if not order:
        standings = [_standing(group, weights, 0) for group in groups]
        reason = _why_none(candidates)
        return Selection(tuple(standings), None, None, (), None, (), (), reason)
    values = [_mean_of(groups[index][0], CODES, weights) or 0.0 for index in order]
    tied = 1 if _is_reference(groups[order[0]][0]) else sum(values[0] - v <= TIE for v in values)
    ranks = {index: 1 if place < tied else place + 1 for place, index in enumerate(order)}
    common = _common_scores(groups)
    common_order = _order(groups, common, weights)
    rest = [index for index in range(len(groups)) if index not in ranks]
    winner = groups[order[0]][0].name
    common_winner = groups[common_order[0]][0].name if common_order else None
    margin = values[0] - values[1] if len(values) > 1 else None
    return Selection(
        tuple(_standing(groups[i], weights, ranks.get(i, 0)) for i in (*order, *rest)),
        winner,
        margin,
        tuple(groups[index][0].name for index in order[:tied]),
        common_winner,
        common,
        tuple(_warnings(candidates, winner, common_winner, margin, common)),
    )


def _grouped(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates with the same spans are one candidate with several names.

    ADAPT comes last among them: it has the chunks of the strategy that it chose.
    """
    groups: dict[str, list[Candidate]] = {}
    for each in sorted(candidates, key=lambda each: each.strategy == ADAPTIVE):
        groups.setdefault(_key(each), []).append(each)
    return list(groups.values())


def _key(candidate: Candidate) -> str:
    chunks = candidate.chunks
    if chunks is None or candidate.scores is None:
        return f"failed {candidate.name}"
    digest = hashlib.sha256(np.ascontiguousarray(chunks.spans).tobytes())
    digest.update(np.ascontiguousarray(chunks.pointers).tobytes())
    digest.update(repr(sorted(chunks.texts.items())).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _order(
    groups: Sequence[Sequence[Candidate]], codes: Sequence[str], weights: Mapping[str, float]
) -> list[int]:
    """Places of the groups that can win, the best first."""
    values = [_mean_of(group[0], codes, weights) for group in groups]
    known = [index for index, value in enumerate(values) if value is not None]
    if not known:
        return []
    if _is_reference(groups[known[0]][0]):
        return sorted(known, key=lambda index: (-(values[index] or 0.0), groups[index][0].name))
    greatest = max(values[index] or 0.0 for index in known)

    def place(index: int) -> tuple[float, int, int, int]:
        value, scores = values[index] or 0.0, groups[index][0].scores
        assert scores is not None, "it has a value"
        of_tie = greatest if greatest - value <= TIE else value
        return -of_tie, -_count_measured(scores), len(scores.units), index

    return sorted(known, key=place)


def _mean_of(
    candidate: Candidate, codes: Sequence[str], weights: Mapping[str, float]
) -> float | None:
    if candidate.scores is None:
        return None
    values = candidate.scores.values
    return document_mean({code: values[code] for code in codes}, weights)


def _is_reference(candidate: Candidate) -> bool:
    return candidate.scores is not None and candidate.scores.options.mode == "reference"


def _count_measured(scores: Scores) -> int:
    return sum(value is not None for value in scores.values.values())


def _common_scores(groups: Sequence[Sequence[Candidate]]) -> tuple[str, ...]:
    """The scores that all candidates which did not fail have."""
    scored = [group[0].scores for group in groups if group[0].scores is not None]
    return tuple(
        code for code in CODES if scored and all(each[code].value is not None for each in scored)
    )


def _standing(group: Sequence[Candidate], weights: Mapping[str, float], rank: int) -> Standing:
    first, scores = group[0], group[0].scores
    if scores is None:
        return Standing(first, tuple(group), None, 0, 0, 0, 0, 0, 0.0, 0.0)
    units = scores.units
    return Standing(
        first,
        tuple(group),
        _mean_of(first, CODES, weights),
        rank,
        _count_measured(scores),
        len(units),
        int(units.min()) if len(units) else 0,
        int(units.max()) if len(units) else 0,
        float(units.mean()) if len(units) else 0.0,
        scores.coverage,
    )


def _why_none(candidates: Sequence[Candidate]) -> str:
    if not candidates:
        return "there are no candidates: give at least one strategy"
    errors = [each.error for each in candidates if each.error]
    if errors:
        return f"no candidate could be scored; the first error: {errors[0]}"
    return "no score with weight is measurable for any candidate: give weight to another score"


def _warnings(
    candidates: Sequence[Candidate],
    winner: str,
    common_winner: str | None,
    margin: float | None,
    common: Sequence[str],
) -> list[str]:
    scored = [each.scores for each in candidates if each.scores is not None]
    warnings = [f"failed: {each.name}: {each.error}" for each in candidates if each.error]
    if common_winner is not None and common_winner != winner:
        warnings.append(
            f"common: by {', '.join(common)} alone, the scores that all candidates have, "
            f"{common_winner} wins"
        )
    if margin is not None and margin < CLOSE:
        warnings.append(f"close: the margin to the second is {margin:.4f}, below {CLOSE}")
    if any(not each.is_final for each in scored):
        warnings.append(LATE_FOR_ALL if has_long_chunks(scored) else PROVISIONAL)
    if len({(each.options.mode, each.options.unit, each.embedder, each.pair_finder)
            for each in scored}) > 1:  # fmt: skip
        warnings.append("mixed: the candidates were not scored with the same mode, unit and model")
    for code in codes_of_mixed_kinds(scored):
        kinds = ", ".join(sorted(frozenset().union(*(each[code].kinds for each in scored))))
        warnings.append(
            f"mixed: {code} has vectors of several kinds ({kinds}), and values of two kinds cannot "
            "be compared"
        )
    return warnings


def codes_of_mixed_kinds(scored: Sequence[Scores]) -> list[str]:
    """The scores for which some candidates have exact vectors and some have others.

    Cosines of pooled vectors are greater, measured 0.2 to 0.3 for ICC; late ones are pooled
    likewise.
    """
    mixed = []
    for code in ("ICC", "DCC"):
        kinds = frozenset().union(*(each[code].kinds for each in scored))
        if "exact" in kinds and len(kinds) > 1:
            mixed.append(code)
    return mixed


def has_long_chunks(scored: Sequence[Scores]) -> bool:
    """True if some chunk is longer than the model reads: then no exact vectors are alike."""
    return any(each["ICC"].pooled_texts for each in scored)


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """What a bootstrap over chunks says of the candidates, by name.

    intervals: the 2.5th and 97.5th percentile of the mean. wins: share of the draws in which
    each has the greatest mean.
    """

    intervals: Mapping[str, tuple[float, float]]
    wins: Mapping[str, float]


class Bootstrap:
    """Draws the chunks of each candidate again, with replacement: how much the means vary.

    A pair and a block belong to the chunk in which they begin, so that the value of all chunks
    is the score itself. Candidates are drawn independently, one a step.
    """

    def __init__(
        self,
        inputs: ScoreInputs,
        selection: Selection,
        weights: Mapping[str, float] = EQUAL_WEIGHTS,
        *,
        draws: int = DRAWS,
        seed: int = SEED,
    ) -> None:
        self._inputs, self._weights, self._draws = inputs, weights, draws
        self._generator = np.random.default_rng(seed)
        self._todo = iter(selection.standings)
        self._means: dict[str, Values] = {}

    def step(self) -> bool:
        """Draw for the next candidate; False once there is none."""
        standing = next(self._todo, None)
        if standing is None:
            return False
        chunks, scores = standing.candidate.chunks, standing.candidate.scores
        if standing.value is not None and chunks is not None and scores is not None:
            self._means[standing.names[0]] = _drawn_means(
                tallies(self._inputs, chunks, scores), self._weights, self._draws, self._generator
            )
        return True

    def uncertainty(self) -> Uncertainty:
        """What the draws of all candidates so far say."""
        means = self._means
        if not means:
            return Uncertainty({}, {})
        table = np.array(list(means.values()))
        best = np.bincount(np.nanargmax(table, axis=0), minlength=len(means)) / self._draws
        bounds = np.nanpercentile(table, (2.5, 97.5), axis=1)
        return Uncertainty(
            {
                name: (float(low), float(high))
                for name, low, high in zip(means, *bounds, strict=True)
            },
            dict(zip(means, best.tolist(), strict=True)),
        )


def bootstrap(
    inputs: ScoreInputs,
    selection: Selection,
    weights: Mapping[str, float] = EQUAL_WEIGHTS,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Uncertainty:
    """All steps of a `Bootstrap`."""
    drawing = Bootstrap(inputs, selection, weights, draws=draws, seed=seed)
    while drawing.step():
        pass
    return drawing.uncertainty()


def tallies(inputs: ScoreInputs, chunks: Chunks, scores: Scores) -> np.ndarray:
    """float64 (5, 2, n): for each score, what each chunk adds above and below the line."""
    n = len(chunks)
    rows = np.zeros((len(CODES), 2, n))
    for row, code in enumerate(CODES):
        if scores[code].value is None:
            continue
        if code in ("RC", "BI"):
            spans, whole = _objects(inputs, scores, code)
            owners = _owners(spans[:, 0], chunks)
            rows[row, 0] = np.bincount(owners, weights=whole, minlength=n)
            rows[row, 1] = np.bincount(owners, minlength=n)
        else:
            known = ~np.isnan(scores[code].per_chunk)
            rows[row, 0, known] = scores[code].per_chunk[known]
            rows[row, 1, known] = 1.0
    return rows


def _objects(inputs: ScoreInputs, scores: Scores, code: str) -> tuple[np.ndarray, np.ndarray]:
    """The pairs' hulls or the blocks that count, int64 (m, 2), and which are whole, bool (m,)."""
    is_reference = scores.options.mode == "reference"
    if code == "RC":
        chosen = np.arange(len(inputs.pairs)) if is_reference else inputs.distinct_pairs
        return hulls(inputs.pairs[chosen]), ~np.isin(chosen, scores.pairs_lost)
    if is_reference:
        blocks = inputs.reference_blocks
        return blocks, ~np.isin(np.arange(len(blocks)), scores.blocks_broken)
    chosen = inputs.counted_blocks
    return inputs.blocks[chosen], ~np.isin(chosen, scores.blocks_broken)


def _owners(starts: np.ndarray, chunks: Chunks) -> np.ndarray:
    """int64 (m,): the chunk with the last start at or before each offset, else the first one."""
    order = np.argsort(chunks.starts, kind="stable")
    places = np.searchsorted(chunks.starts[order], starts, side="right") - 1
    return np.asarray(order[np.maximum(places, 0)])


def _drawn_means(
    rows: np.ndarray, weights: Mapping[str, float], draws: int, generator: np.random.Generator
) -> Values:
    n = rows.shape[2]
    counts = generator.multinomial(n, np.full(n, 1 / n), size=draws).astype(np.float64)
    above, below = counts @ rows[:, 0].T, counts @ rows[:, 1].T  # (draws, 5)
    known = below > 0
    values = np.clip(np.divide(above, below, out=np.zeros_like(above), where=known), 0.0, 1.0)
    shares = known * np.array([weights.get(code, 1.0) for code in CODES])
    total = shares.sum(axis=1)
    means = np.full(draws, np.nan)
    np.divide((values * shares).sum(axis=1), total, out=means, where=total > 0)
    return means


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One row of the published table: means of the five scores over documents, and their mean.

    documents: on how many each score was measured.
    """

    name: str
    scores: Mapping[str, float | None]
    documents: Mapping[str, int]
    mean: float | None


@dataclass(frozen=True, slots=True)
class CorpusSelection:
    """Several documents: the winner of each against the best single candidate on all."""

    adaptive: CorpusRow
    singles: tuple[CorpusRow, ...]  # the best first
    gain: float | None  # of the adaptive row over the best single one

    @property
    def best_single(self) -> CorpusRow | None:
        """The candidate with the best mean over all documents."""
        return self.singles[0] if self.singles else None


def select_over_documents(
    selections: Sequence[Selection], weights: Mapping[str, float] = EQUAL_WEIGHTS
) -> CorpusSelection:
    """Compare choosing per document with one candidate for all.

    Only candidates that were scored on every document can be the single one. ADAPT is no candidate:
    it chooses per document itself, and against it nothing could be gained. Per score the mean is
    taken over the documents where it is measurable, then the weighted mean of these five.
    """
    winners = [top for each in selections if (top := _best_single(each)) is not None]
    adaptive = _row("adaptive", winners, weights)
    singles = []
    names = [name for each in selections[:1] for s in each.standings for name in s.single_names]
    for name in names:
        found = [_find(each, name) for each in selections]
        standings = [each for each in found if each is not None and each.value is not None]
        if len(standings) == len(selections):
            singles.append(_row(name, standings, weights))
    singles.sort(key=lambda row: -(row.mean if row.mean is not None else -1.0))
    best = singles[0].mean if singles else None
    gain = None if best is None or adaptive.mean is None else adaptive.mean - best
    return CorpusSelection(adaptive, tuple(singles), gain)


def _best_single(selection: Selection) -> Standing | None:
    able = (each for each in selection.standings if each.rank and each.single_names)
    return next(able, None)


def _find(selection: Selection, name: str) -> Standing | None:
    return next((each for each in selection.standings if name in each.names), None)


def _row(name: str, standings: Sequence[Standing], weights: Mapping[str, float]) -> CorpusRow:
    values = [each.candidate.scores.values for each in standings if each.candidate.scores]
    means = corpus_means(values)
    counts = {code: sum(each[code] is not None for each in values) for code in CODES}
    return CorpusRow(name, means, counts, document_mean(means, weights))
