# SPDX-License-Identifier: AGPL-3.0-or-later
"""From records to conclusions: nDCG over all strategies, intervals, comparisons, warnings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from core.arrays import Indices, Values
from core.document.model import Document
from core.search.duplicates import DocumentPair
from core.search.evaluation import (
    COMPARED,
    AlikeGroups,
    ChosenOnHalf,
    Evaluation,
    HalfReport,
    LeftOut,
    NamedComparison,
    Options,
    QuestionRecord,
    Record,
    StrategyResult,
)
from core.search.measures import MEASURE_NAMES, f1_of_means, ndcg_bounds, pooled_ndcg
from core.search.pool import Gold
from core.search.relevance import FATES
from core.search.spans import overlaps
from core.search.statistics import (
    LEAST_QUESTIONS,
    DrawsFor,
    Interval,
    analysis_of_variance,
    chosen_and_tested,
    compare_columns,
    f1_of_means_interval,
    holm,
    indistinguishable,
    intervals,
    passage_groups,
    size_note,
)

SIGNIFICANT = 0.05
JUDGED_MEASURES = frozenset(
    f"{name}{suffix}" for name in ("hit", "mrr", "p_at_1", "p_at_k") for suffix in ("", "_lenient")
) | {"r_chunk", "f1", "ndcg"}
UNSEEN_WARNING = 0.01
VARIANCE_MEASURES = ("recall", "ndcg")
HALVED_FROM = 4 * LEAST_QUESTIONS  # questions, so that either half can be tested


def conclude(
    records: Sequence[Record],
    options: Options,
    *,
    gold: Mapping[str, Sequence[Gold]],
    used: int,
    left_out: tuple[LeftOut, ...],
    documents: Mapping[str, Document],
    placements: Sequence[Mapping[str, Any]] = (),
    pairs: Sequence[DocumentPair] = (),
) -> Evaluation:
    """Draw the conclusions.

    Args:
        records: of all configurations.
        options: of the evaluation.
        gold: of the questions of each pool, to see which questions share a passage.
        used: how many questions are in any measure.
        left_out: the others.
        documents: what was searched.
        placements: gold spans that are not where they were.
        pairs: documents that are alike.
    """
    warnings = _warnings(records, options, left_out, pairs)
    results: list[StrategyResult] = []
    comparisons: list[NamedComparison] = []
    groups: list[AlikeGroups] = []
    variance: list[Mapping[str, Any]] = []
    chosen: list[ChosenOnHalf] = []
    for (embedder, pool), some in _by_comparison(records).items():
        shared = _shared_passages(gold.get(pool, ()))
        n = len(some[0].questions)
        clusters = passage_groups(shared, n)
        if clusters is not None:
            warnings.append(
                f"pool {pool}: {len({q for pair in shared for q in pair})} of {n} questions share "
                "a gold passage with another, so passages are resampled instead of questions"
            )
        draws_of = DrawsFor(seed=options.seed, groups=clusters)
        values = [_with_ndcg(record, some, options) for record in some]
        results += [
            _result(record, each, some, draws_of, options)
            for record, each in zip(some, values, strict=True)
        ]
        found = _comparisons(some, _fully_judged(values), draws_of)
        comparisons += [NamedComparison(*names, embedder, pool, result) for names, result in found]
        groups += _groups(some, values, found, embedder, pool)
        variance += _variance(some, values, embedder, pool)
        chosen += _chosen(some, values, options.seed)
    return Evaluation(
        options,
        used,
        left_out,
        tuple(documents),
        sum(len(document.text) for document in documents.values()),
        tuple(results),
        tuple(comparisons),
        tuple(groups),
        tuple(variance),
        tuple(placements),
        tuple(pairs),
        tuple(dict.fromkeys(warnings)),
        tuple(chosen),
    )


def name_of(record: Record) -> str:
    """The strategy with its parameters in one word, or the name of another tool's chunks."""
    return str(record.parameters["name"])


def _by_comparison(records: Sequence[Record]) -> dict[tuple[str | None, str], list[Record]]:
    """Records that may be compared: of one model and one pool."""
    found: dict[tuple[str | None, str], list[Record]] = {}
    for record in records:
        found.setdefault((record.embedder, record.pool), []).append(record)
    return found


def _with_ndcg(record: Record, rivals: Sequence[Record], options: Options) -> dict[str, Values]:
    """float64 (q,) a measure at k, nan where not applicable."""
    key = str(options.k)
    values = {
        name: np.array([_number(q.measures[key].get(name)) for q in record.questions], np.float64)
        for name in MEASURE_NAMES
        if name != "ndcg"
    }
    values["ndcg"] = _ndcg(record, rivals, options.k, options.drop_empty)
    return {name: values[name] for name in MEASURE_NAMES}


def _ndcg(record: Record, rivals: Sequence[Record], k: int, drop_empty: bool) -> Values:
    found = np.empty(len(record.questions))
    for number in range(len(found)):
        gains = {rival.key: _gains(rival.questions[number]) for rival in rivals}
        found[number] = pooled_ndcg(gains, k, drop_empty=drop_empty)[record.key]
    return found


def _gains(question: QuestionRecord) -> Indices:
    judged = [each.gain for each in question.top if each.gain is not None]
    return np.array(judged, np.int64)


def _fully_judged(values: Sequence[dict[str, Values]]) -> list[dict[str, Values]]:
    """The values with nan where some strategy's results were not all judged."""
    incomplete = np.any([each["judged"] < 1 for each in values], axis=0)
    return [
        {
            name: np.where(incomplete, np.nan, column) if name in JUDGED_MEASURES else column
            for name, column in each.items()
        }
        for each in values
    ]


def effect_of_duplicates(plain: Evaluation, cleaned: Evaluation) -> list[NamedComparison]:
    """Each measure without later near-duplicates against the measure with them.

    Args:
        plain: as it was searched.
        cleaned: the same evaluation with `Options.without_duplicates`.
    """
    found = []
    for before, after in zip(plain.results, cleaned.results, strict=True):
        draws_of = DrawsFor(seed=plain.options.seed)
        for measure in COMPARED:
            pair = [[_number(v) for v in each.values[measure]] for each in (after, before)]
            (result,) = compare_columns(np.array(pair).T, [(0, 1)], draws_of)
            name, record = name_of(before.record), before.record
            found.append(
                NamedComparison(
                    f"{name} without duplicates",
                    name,
                    measure,
                    record.embedder,
                    record.pool,
                    result,
                )
            )
    return found


def _bounds(
    record: Record, rivals: Sequence[Record], judged: Values, k: int
) -> tuple[float, float] | None:
    """Mean nDCG with gain 0 and with gain 2 for what was not judged; None if all was."""
    if not (judged < 1).any():
        return None
    found = []
    for number in range(len(record.questions)):
        gains = {rival.key: _all_gains(rival.questions[number]) for rival in rivals}
        found.append(ndcg_bounds(gains, k)[record.key])
    low, high = np.mean(found, axis=0).tolist()
    return low, high


def _all_gains(question: QuestionRecord) -> Indices:
    return np.array([-1 if each.gain is None else each.gain for each in question.top], np.int64)


def _result(
    record: Record,
    values: Mapping[str, Values],
    rivals: Sequence[Record],
    draws_of: DrawsFor,
    options: Options,
) -> StrategyResult:
    columns = np.column_stack([values[name] for name in MEASURE_NAMES])
    found = dict(zip(MEASURE_NAMES, intervals(columns, draws_of), strict=True))
    homes = [question.document for question in record.questions]
    by_document = _split_means(values, [[home] if home else [] for home in homes])
    return StrategyResult(
        record,
        found,
        {name: [_known(value) for value in column.tolist()] for name, column in values.items()},
        _by_k(record, rivals, options),
        by_document,
        _split_means(values, [question.tags for question in record.questions]),
        {
            name: _mean([_number(means[name]) for means in by_document.values()])
            for name in MEASURE_NAMES
        },
        {
            fate: sum(gold.fate == fate for q in record.questions for gold in q.gold)
            for fate in FATES
        },
        _f1_of_means(values["p_at_k"], values["r_chunk"], draws_of),
        _bounds(record, rivals, values["judged"], options.k),
    )


def _f1_of_means(precision: Values, recall: Values, draws_of: DrawsFor) -> Interval:
    rows = np.flatnonzero(~np.isnan(precision) & ~np.isnan(recall))
    if not len(rows):
        return Interval(None, None, None, 0, "no question has a value")
    mean = f1_of_means(precision[rows], recall[rows])
    if len(rows) < LEAST_QUESTIONS:
        return Interval(mean, None, None, len(rows), size_note(len(rows)))
    low, high = f1_of_means_interval(precision[rows], recall[rows], draws_of(rows))
    return Interval(mean, low, high, len(rows), size_note(len(rows)))


def _by_k(
    record: Record, rivals: Sequence[Record], options: Options
) -> dict[str, dict[int, float | None]]:
    found: dict[str, dict[int, float | None]] = {name: {} for name in MEASURE_NAMES}
    for k in options.depths:
        for name in MEASURE_NAMES:
            if name == "ndcg":
                column = _ndcg(record, rivals, k, options.drop_empty).tolist()
            else:
                column = [_number(q.measures[str(k)].get(name)) for q in record.questions]
            found[name][k] = _mean(column)
    return found


def _split_means(
    values: Mapping[str, Values], labels: Sequence[Sequence[str]]
) -> dict[str, dict[str, float | None]]:
    """Means by label; a question may have several."""
    names = sorted({label for each in labels for label in each})
    return {
        label: {
            name: _mean(column[[label in each for each in labels]].tolist())
            for name, column in values.items()
        }
        for label in names
    }


def _comparisons(
    records: Sequence[Record], values: Sequence[Mapping[str, Values]], draws_of: DrawsFor
) -> list[tuple[tuple[str, str, str], Any]]:
    """All pairs by each measure, p adjusted over the pairs of a measure."""
    names = [name_of(record) for record in records]
    pairs = list(combinations(range(len(records)), 2))
    found = []
    for measure in COMPARED:
        columns = np.column_stack([each[measure] for each in values])
        compared = compare_columns(columns, pairs, draws_of)
        tested = [place for place, each in enumerate(compared) if each.p is not None]
        adjusted = holm([compared[place].p or 0.0 for place in tested])
        for place, p in zip(tested, adjusted.tolist(), strict=True):
            compared[place] = replace(compared[place], p_adjusted=p)
        found += [
            ((names[a], names[b], measure), result)
            for (a, b), result in zip(pairs, compared, strict=True)
        ]
    return found


def _groups(
    records: Sequence[Record],
    values: Sequence[Mapping[str, Values]],
    comparisons: Sequence[tuple[tuple[str, str, str], Any]],
    embedder: str | None,
    pool: str,
) -> list[AlikeGroups]:
    names = [name_of(record) for record in records]
    found = []
    for measure in COMPARED:
        means = np.array([_number(_mean(each[measure].tolist())) for each in values])
        if np.isnan(means).any():
            continue
        differs = np.zeros((len(names), len(names)), np.bool_)
        for (a, b, of), result in comparisons:
            if of == measure and result.p_adjusted is not None:
                places = names.index(a), names.index(b)
                differs[places] = differs[places[::-1]] = result.p_adjusted < SIGNIFICANT
        groups = indistinguishable(names, means, differs)
        found.append(AlikeGroups(measure, embedder, pool, tuple(map(tuple, groups))))
    return found


def _variance(
    records: Sequence[Record],
    values: Sequence[Mapping[str, Values]],
    embedder: str | None,
    pool: str,
) -> list[Mapping[str, Any]]:
    """ANOVA, Tukey and Friedman, for comparison with publications."""
    if len(records) < 2 or len(records[0].questions) < LEAST_QUESTIONS:
        return []
    found: list[Mapping[str, Any]] = []
    for measure in VARIANCE_MEASURES:
        columns = np.column_stack([each[measure] for each in values])
        kept = columns[~np.isnan(columns).any(axis=1)]
        if len(kept) < LEAST_QUESTIONS or np.ptp(kept) == 0:
            continue
        found.append(
            {
                "measure": measure,
                "embedder": embedder,
                "pool": pool,
                "strategies": [name_of(record) for record in records],
                "n": len(kept),
                **analysis_of_variance(list(kept.T)),
            }
        )
    return found


def _chosen(
    records: Sequence[Record],
    values: Sequence[Mapping[str, Values]],
    seed: int,
) -> list[ChosenOnHalf]:
    """The best strategy on one half of the questions, with its interval on the other half."""
    if len(records) < 2 or len(records[0].questions) < HALVED_FROM:
        return []
    found: list[ChosenOnHalf] = []
    for measure in COMPARED:
        columns = np.column_stack([each[measure] for each in values])
        columns = columns[~np.isnan(columns).any(axis=1)]
        if len(columns) < HALVED_FROM:
            continue
        best, tested = chosen_and_tested(columns, seed=seed)
        choosing = np.delete(columns, tested, axis=0)
        reported = intervals(columns[tested], DrawsFor(seed=seed))
        names = [name_of(record) for record in records]
        rows = zip(names, choosing.mean(axis=0).tolist(), reported, strict=True)
        found.append(
            ChosenOnHalf(
                measure,
                records[best].embedder,
                records[best].pool,
                names[best],
                reported[best],
                len(choosing),
                seed,
                tuple(HalfReport(*row) for row in rows),
            )
        )
    return found


def _shared_passages(gold: Sequence[Gold]) -> list[tuple[int, int]]:
    """Pairs of questions that share a gold span: half of the shorter one is in the other."""
    spans = [(start, end, q) for q, each in enumerate(gold) for start, end in each.trimmed.tolist()]
    spans.sort()
    found = set()
    for place, (start, end, question) in enumerate(spans):
        for other_start, other_end, other in spans[place + 1 :]:
            if other_start >= end:
                break
            common = int(overlaps(np.array([[other_start, other_end]]), start, end)[0])
            if question != other and 2 * common >= min(end - start, other_end - other_start):
                found.add((min(question, other), max(question, other)))
    return sorted(found)


def _warnings(
    records: Sequence[Record],
    options: Options,
    left_out: Sequence[LeftOut],
    pairs: Sequence[DocumentPair],
) -> list[str]:
    found = []
    if left_out:
        reasons = sorted({each.reason for each in left_out})
        found.append(f"{len(left_out)} questions are left out: {'; '.join(reasons)}")
    for record in records:
        name = name_of(record)
        if record.tail.get("unseen", 0.0) > UNSEEN_WARNING:
            found.append(
                f"{name}: the model does not read {record.tail['unseen']:.1%} of the characters "
                f"({record.tail['chunks']:.0%} of the chunks are too long for it)"
            )
        if record.without_vector:
            found.append(f"{name}: {record.without_vector} chunks have no vector and are left out")
        found += [f"{name}: {notice}" for notice in record.notices]
        judged = [q.measures[str(options.k)].get("judged") for q in record.questions]
        if any(each is not None and each < 1 for each in judged):
            found.append(f"{name}: incomplete judgements")
        note = size_note(len(record.questions))
        if note:
            found.append(f"pool {record.pool}: {len(record.questions)} questions: {note}")
    for pair in pairs:
        found.append(
            f"{pair.share:.0%} of '{pair.part}' is in '{pair.whole}': a hit in the copy counts "
            + ("as a hit" if options.gold_follows_copies else "as a miss")
        )
    homes = {q.document for record in records for q in record.questions}
    if len(homes) == 1 and records:
        found.append("all gold is in one document: the result holds for this document only")
    return found


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _mean(values: Sequence[float]) -> float | None:
    kept = np.array(values, np.float64)
    kept = kept[~np.isnan(kept)]
    return float(kept.mean()) if len(kept) else None
