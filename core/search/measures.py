# SPDX-License-Identifier: AGPL-3.0-or-later
"""The measures of one question (`spec/evaluation.md` 4 to 7); nan is "not applicable".

Strict relevance is gain 2, lenient is gain 1 or 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.arrays import Indices, Mask, Spans, Values
from core.search.pool import Gold, Pool
from core.search.relevance import Relevance, Thresholds
from core.search.spans import merged, shared, total

NAN = float("nan")
DEPTHS = (1, 3, 5, 10)  # all from one ranking
Better = Literal["more", "less"]


@dataclass(frozen=True, slots=True)
class Measure:
    """What a number is called, and which way it is better."""

    name: str
    words: str
    better: Better = "more"


MEASURES: tuple[Measure, ...] = (
    Measure("recall", "share of the gold characters that were retrieved"),
    Measure("precision", "share of the retrieved characters that are gold; overlap is paid twice"),
    Measure("iou", "gold retrieved, against everything retrieved and the gold that was not"),
    Measure("precision_omega", "best possible precision when all gold is fetched"),
    Measure("hit", "some result holds gold whole"),
    Measure("hit_lenient", "some result is relevant"),
    Measure("mrr", "1 / rank of the first result that holds gold whole"),
    Measure("mrr_lenient", "1 / rank of the first relevant result"),
    Measure("p_at_1", "the first result holds gold whole"),
    Measure("p_at_1_lenient", "the first result is relevant"),
    Measure("p_at_k", "share of k results that hold gold whole"),
    Measure("p_at_k_lenient", "share of k results that are relevant"),
    Measure("r_passage", "share of the gold spans that the results hold whole together"),
    Measure("r_chunk", "share of all chunks that hold gold whole that were retrieved"),
    Measure("f1", "harmonic mean of p_at_k and r_chunk"),
    Measure("ndcg", "gains by rank, against the best list of all strategies' results"),
    Measure("dcov", "gold characters that are new at each rank, discounted by rank"),
    Measure("survival", "share of the gold spans that some chunk holds whole"),
    Measure("whole_at_k", "share of the gold spans that some result holds whole"),
    Measure("all_whole", "every gold span is whole in a chunk"),
    Measure("all_whole_at_k", "every gold span is whole in a result"),
    Measure("complete_at_k", "share of the passages with parts whose parts are all whole"),
    Measure("new_share", "share of the retrieved characters that no other result has"),
    Measure("dup_slots", "results that nearly repeat a higher one", "less"),
    Measure("judged", "share of the results that were judged"),
)
MEASURE_NAMES = tuple(measure.name for measure in MEASURES)


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The ranked results of one question.

    ranked: int64 (r,), chunks of the pool, best first.
    gains: int64 (r,), by spans or by a judge; −1 is unjudged.
    repeats: bool (r,), nearly repeats a higher result.
    """

    ranked: Indices
    gains: Indices
    repeats: Sequence[bool] = ()


def question_measures(
    pool: Pool,
    gold: Gold,
    relevant: Relevance,
    results: Results,
    *,
    k: int,
    thresholds: Thresholds,
) -> dict[str, float]:
    """The measures of one question at k that depend on its results, besides `ndcg`.

    `ndcg` needs the other strategies; the rest is in `strategy_measures`.
    """
    ranked = results.ranked[:k]
    retrieved = relevant.whole_in(ranked, thresholds)
    values = character_measures(pool, gold, ranked)
    values |= rank_measures(results.gains, k, int((relevant.gains == 2).sum()))
    values |= {
        "r_passage": passage_recall(pool, gold, ranked, thresholds),
        "whole_at_k": _mean(retrieved),
        "all_whole_at_k": float(retrieved.all()) if len(gold) else NAN,
        "complete_at_k": group_completeness(gold, retrieved),
        "dup_slots": float(sum(results.repeats[:k])) if len(results.repeats) else NAN,
    }
    return values


def strategy_measures(pool: Pool, gold: Gold, relevant: Relevance) -> dict[str, float]:
    """The measures of one question that need no retrieval."""
    return {
        "precision_omega": precision_omega(pool, gold),
        "survival": _mean(relevant.whole),
        "all_whole": float(relevant.whole.all()) if len(gold) else NAN,
    }


def character_measures(pool: Pool, gold: Gold, ranked: Indices) -> dict[str, float]:
    """recall, precision, IoU, DCov and the share of new characters of the ranked chunks."""
    gold = best_copies(pool, gold, ranked)
    wanted = merged(gold.spans)
    size = total(wanted)
    spans = pool.spans_of(ranked)
    union, paid = merged(spans), total(spans)
    if not size:
        return dict.fromkeys(("recall", "precision", "iou", "dcov"), NAN) | {"new_share": NAN}
    found = shared(wanted, union)
    return {
        "recall": found / size,
        "precision": found / paid if paid else 0.0,
        "iou": found / (paid + size - found),
        "dcov": discounted_coverage(pool, wanted, ranked),
        "new_share": total(union) / paid if paid else NAN,
    }


def discounted_coverage(pool: Pool, wanted: Spans, ranked: Indices) -> float:
    """DCov: what each result adds to the gold characters found, over log2(rank + 1)."""
    size = total(wanted)
    found, value = 0, 0.0
    for rank in range(1, len(ranked) + 1):
        now = shared(wanted, merged(pool.spans_of(ranked[:rank])))
        value += (now - found) / size / np.log2(rank + 1)
        found = now
    return float(value)


def precision_omega(pool: Pool, gold: Gold) -> float:
    """The best precision when every chunk with a gold character is fetched once."""
    wanted = merged(gold.spans)
    if not total(wanted):
        return NAN
    touched = [pool.overlapping(start, end)[0] for start, end in wanted.tolist()]
    held = merged(pool.spans_of(np.unique(np.concatenate(touched))))
    return shared(wanted, held) / total(merged(np.concatenate([held, wanted])))


def passage_recall(pool: Pool, gold: Gold, ranked: Indices, thresholds: Thresholds) -> float:
    """Share of the gold spans that the ranked chunks hold together."""
    if not len(gold):
        return NAN
    union = merged(pool.spans_of(ranked))
    sizes = gold.spans[:, 1] - gold.spans[:, 0]
    held = [shared(span[None, :], union) for span in gold.spans]
    whole = np.array(held) / sizes >= thresholds.whole
    if gold.has_copies:
        originals = np.unique(gold.originals)
        whole = np.array([whole[gold.originals == row].any() for row in originals])
    return _mean(whole)


def rank_measures(gains: Indices, k: int, relevant: int) -> dict[str, float]:
    """Hit, MRR, P@1, P@k, R@k chunk and F1, strict and lenient.

    Args:
        gains: int64 (r,), of the results; −1, unjudged, is skipped as if it were not there.
        k: results that count.
        relevant: chunks of the strategy with gain 2.
    """
    kept = gains[:k]
    values = {"judged": float((kept >= 0).mean()) if len(kept) else NAN}
    kept = kept[kept >= 0]
    for suffix, least in (("", 2), ("_lenient", 1)):
        hits = np.flatnonzero(kept >= least)
        values |= {
            f"hit{suffix}": float(len(hits) > 0),
            f"mrr{suffix}": 1.0 / (hits[0] + 1) if len(hits) else 0.0,
            f"p_at_1{suffix}": float(len(hits) > 0 and hits[0] == 0),
            f"p_at_k{suffix}": len(hits) / k,
        }
    recall = float((kept == 2).sum()) / relevant if relevant else NAN
    precision = values["p_at_k"]
    both = precision + (0.0 if np.isnan(recall) else recall)
    values["r_chunk"] = recall
    values["f1"] = 2 * precision * recall / both if both and relevant else 0.0
    return values


def group_completeness(gold: Gold, retrieved: Mask) -> float:
    """Share of the groups whose grade-2 spans are all whole in the top k; nan without groups."""
    members: dict[str, list[bool]] = {}
    for group, grade, is_whole in zip(gold.groups, gold.grades, retrieved, strict=False):
        if group is not None and grade == 2:
            members.setdefault(group, []).append(bool(is_whole))
    return _mean([all(each) for each in members.values()])


def best_copies(pool: Pool, gold: Gold, ranked: Indices) -> Gold:
    """The gold with each span in the place that the ranked chunks cover best."""
    if not gold.has_copies:
        return gold
    union = merged(pool.spans_of(ranked))
    shares = [shared(span[None, :], union) / (span[1] - span[0]) for span in gold.spans]
    rows = []
    for original in np.unique(gold.originals):
        places = np.flatnonzero(gold.originals == original)
        rows.append(places[int(np.argmax([shares[place] for place in places]))])
    return gold.only(np.array(rows, np.int64))


def gains_dcg(gains: Sequence[int] | Indices, k: int) -> float:
    """Σ gain / log2(rank + 1) over the first k, with linear gains; unjudged counts 0."""
    kept = np.maximum(np.asarray(gains[:k], np.float64), 0)
    return float((kept / np.log2(np.arange(2, len(kept) + 2))).sum())


def pooled_ndcg(
    gains: Mapping[str, Indices], k: int, *, drop_empty: bool = False
) -> dict[str, float]:
    """nDCG@k of each strategy for one question, against the best list of all their results.

    Args:
        gains: int64 (r,), of each strategy's results.
        k: results that count.
        drop_empty: nan, instead of 0, where no strategy found anything.
    """
    everything = np.concatenate([each[:k] for each in gains.values()] or [np.empty(0, np.int64)])
    ideal = gains_dcg(np.sort(everything)[::-1], k)
    if not ideal:
        return dict.fromkeys(gains, NAN if drop_empty else 0.0)
    return {name: gains_dcg(each, k) / ideal for name, each in gains.items()}


def ndcg_bounds(gains: Mapping[str, Indices], k: int) -> dict[str, tuple[float, float]]:
    """nDCG@k with gain 0 and with gain 2 for what was not judged."""
    low = pooled_ndcg({name: np.maximum(each, 0) for name, each in gains.items()}, k)
    filled = {name: np.where(each < 0, 2, each) for name, each in gains.items()}
    high = pooled_ndcg(filled, k)
    return {name: (min(low[name], high[name]), max(low[name], high[name])) for name in gains}


def f1_of_means(precision: Values, recall: Values) -> float:
    """2·P̄·R̄/(P̄+R̄), as the clinical paper has it."""
    mean_precision, mean_recall = float(np.nanmean(precision)), float(np.nanmean(recall))
    both = mean_precision + mean_recall
    return 2 * mean_precision * mean_recall / both if both else 0.0


def _mean(values: Sequence[bool] | Mask | Values) -> float:
    return float(np.mean(values)) if len(values) else NAN
