# SPDX-License-Identifier: AGPL-3.0-or-later
"""One question of one configuration: its results, measures and gold spans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices
from core.search.case import Asked, Case
from core.search.duplicates import repeats
from core.search.evaluation import GoldFate, Options, QuestionRecord, RankedChunk
from core.search.gold import PlacedQuery
from core.search.hits import Ranking
from core.search.judgements import Judgements
from core.search.measures import Results, question_measures, strategy_measures
from core.search.overlap import is_saved_by_overlap
from core.search.pool import Pool
from core.search.relevance import Fate, Relevance, fates, least_pieces, relevance
from core.search.retriever import Retrieved
from core.search.rows import Rows

FALSE_ALARM_LEVEL, FALSE_ALARM_QUESTIONS = 5, 20


@dataclass(frozen=True, slots=True, eq=False)
class Measuring:
    """What the questions of one configuration are measured with.

    alike: pairs of rows that are near-duplicates, the lower number first.
    """

    case: Case
    asked: Asked
    rows: Rows
    pool: Pool
    retrieved: Retrieved
    alike: frozenset[tuple[int, int]]

    @property
    def options(self) -> Options:
        """Those of the evaluation."""
        return self.case.options


def question_record(measuring: Measuring, number: int) -> QuestionRecord:
    """All measures of one question, at each k."""
    options, asked = measuring.options, measuring.asked
    placed, gold = asked.questions[number], asked.gold[number]
    relevant = relevance(measuring.pool, gold, options.thresholds)
    ranking, again = _ranking(measuring, number)
    gains = _gains(measuring, placed, ranking.rows, relevant)
    results = Results(ranking.rows, gains, again)
    fixed = strategy_measures(measuring.pool, gold, relevant)
    measures = {}
    for k in options.depths:
        at_k = question_measures(
            measuring.pool, gold, relevant, results, k=k, thresholds=options.thresholds
        )
        measures[str(k)] = _known(fixed | at_k)
    homes = {asked.axis.document_at(start) for start in gold.spans[:, 0].tolist()}
    return QuestionRecord(
        placed.query.id,
        placed.set_name,
        homes.pop() if len(homes) == 1 else "",
        list(placed.query.tags),
        measures,
        _top(measuring.rows, ranking, gains),
        _gold_fates(measuring, number, relevant, ranking),
    )


def _ranking(measuring: Measuring, number: int) -> tuple[Ranking, list[bool]]:
    """The results, and which of them nearly repeat a higher one."""
    ranking = measuring.retrieved.rankings[number]
    again = repeats(ranking.rows, measuring.alike)
    if not measuring.options.without_duplicates:
        return ranking, again
    kept = np.flatnonzero(~np.array(again, np.bool_))[: max(measuring.options.depths)]
    return Ranking(ranking.rows[kept], ranking.scores[kept]), [False] * len(kept)


def _known(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else float(value) for name, value in values.items()}


def _top(rows: Rows, ranking: Ranking, gains: Indices) -> list[RankedChunk]:
    return [
        RankedChunk(
            rows.documents[rows.owners[row]],
            int(rows.chunks[row]),
            int(rows.starts[row]),
            int(rows.ends[row]),
            float(score),
            None if gain < 0 else int(gain),
        )
        for row, score, gain in zip(ranking.rows, ranking.scores, gains, strict=True)
    ]


def _gold_fates(
    measuring: Measuring, number: int, relevant: Relevance, ranking: Ranking
) -> list[GoldFate]:
    options = measuring.options
    found = fates(relevant, ranking.rows[: options.k], options.thresholds)
    return [_gold_fate(measuring, number, relevant, row, fate) for row, fate in enumerate(found)]


def _gold_fate(
    measuring: Measuring, number: int, relevant: Relevance, row: int, fate: Fate
) -> GoldFate:
    gold, axis = measuring.asked.gold[number], measuring.asked.axis
    least = measuring.options.thresholds.whole
    start, end = gold.trimmed[row].tolist()
    home = axis.document_at(start)
    base = axis.base(home)
    whole = relevant.chunks[relevant.coverage[row] >= least]
    return GoldFate(
        home,
        start - base,
        end - base,
        int(gold.grades[row]),
        fate,
        float(relevant.best[row]),
        least_pieces(measuring.pool, start, end, least),
        float(relevant.missing[row]),
        float(relevant.seen[row]),
        measuring.retrieved.rank_of_first(number, whole),
        gold.groups[row] if gold.groups else None,
        is_saved_by_overlap(measuring.pool, start, end, whole, least=least),
    )


def _gains(
    measuring: Measuring, placed: PlacedQuery, ranked: Indices, relevant: Relevance
) -> Indices:
    """int64 (r,): gains by judges where there are any, else by spans; −1 where unjudged."""
    gains = relevant.gains_of(ranked)
    judgements: Judgements = measuring.case.judgements
    if not judgements.has(placed.query.id):
        return gains
    rows, has_gold = measuring.rows, len(relevant.whole) > 0
    found = gains.copy()
    for place, row in enumerate(ranked.tolist()):
        span = int(rows.starts[row]), int(rows.ends[row])
        judged = judgements.gain(placed.query.id, rows.documents[rows.owners[row]], *span)
        if judged is not None:
            found[place] = judged
        elif not has_gold:
            found[place] = -1
    return found


def false_alarms(
    retrieved: Retrieved, questions: Sequence[QuestionRecord], answerable: int, options: Options
) -> float | None:
    """The share of unanswerable questions whose first hit looks like a right one."""
    first = [float(each.scores[0]) for each in retrieved.rankings if len(each)]
    if options.retrieval != "dense" or options.reranker or len(first) < len(retrieved.rankings):
        return None
    right = [
        score
        for score, question in zip(first[:answerable], questions, strict=True)
        if question.top and question.top[0].gain == 2
    ]
    others = first[answerable:]
    if len(right) < FALSE_ALARM_QUESTIONS or not others:
        return None
    limit = np.percentile(right, FALSE_ALARM_LEVEL)
    return float(np.mean(np.array(others) >= limit))
