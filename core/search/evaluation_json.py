# SPDX-License-Identifier: AGPL-3.0-or-later
"""An evaluation as plain values for JSON, and as CSV, one row a question and configuration."""

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from core.search.conclusions import name_of
from core.search.costs import Axis, pareto_front
from core.search.evaluation import ChosenOnHalf, Evaluation, NamedComparison, StrategyResult
from core.search.measures import MEASURES
from core.search.statistics import Interval

_RECORD_FIELDS = (
    "embedder",
    "prefix",
    "retrieval",
    "vectors",
    "reranker",
    "pool",
    "chunks",
    "without_vector",
    "tail",
    "duplicates",
    "index_recall",
    "false_alarms",
    "costs",
    "intrinsic",
    "machine",
)


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """All of an evaluation; null is "not applicable"."""
    return {
        "questions": {
            "used": evaluation.used,
            "left_out": [asdict(each) for each in evaluation.left_out],
        },
        "pool": {
            "documents": list(evaluation.documents),
            "characters": evaluation.characters,
        },
        "options": asdict(evaluation.options),
        "results": [result_json(result) for result in evaluation.results],
        "comparisons": [comparison_json(each) for each in evaluation.comparisons],
        "groups": [asdict(each) for each in evaluation.groups],
        "variance": [dict(each) for each in evaluation.variance],
        "chosen": [_chosen_json(each) for each in evaluation.chosen],
        "pareto": _fronts(evaluation),
        "per_question": [row for result in evaluation.results for row in question_rows(result)],
        "placements": [dict(each) for each in evaluation.placements],
        "document_pairs": [asdict(each) for each in evaluation.document_pairs],
        "measures": {each.name: asdict(each) for each in MEASURES},
        "warnings": list(evaluation.warnings),
    }


def result_json(result: StrategyResult) -> dict[str, Any]:
    """One strategy with one model over one pool."""
    record = result.record
    parameters = {name: each for name, each in record.parameters.items() if name != "name"}
    return {
        "strategy": record.strategy,
        "name": name_of(record),
        "parameters": parameters,
        **{name: getattr(record, name) for name in _RECORD_FIELDS},
        "measures": {name: interval_json(each) for name, each in result.measures.items()},
        "f1_of_means": interval_json(result.f1_of_means),
        "ndcg_bounds": result.ndcg_bounds,
        "corpus_means": dict(result.corpus_means),
        "by_k": {name: {str(k): v for k, v in each.items()} for name, each in result.by_k.items()},
        "by_document": {name: dict(each) for name, each in result.by_document.items()},
        "by_tag": {name: dict(each) for name, each in result.by_tag.items()},
        "gold": dict(result.fates),
    }


def _chosen_json(chosen: ChosenOnHalf) -> dict[str, Any]:
    return {
        "measure": chosen.measure,
        "embedder": chosen.embedder,
        "pool": chosen.pool,
        "strategy": chosen.strategy,
        "interval": interval_json(chosen.interval),
        "chosen_on": chosen.questions,
        "seed": chosen.seed,
        "strategies": [
            {
                "strategy": each.strategy,
                "choosing": each.choosing,
                "reported": interval_json(each.reported),
            }
            for each in chosen.every
        ],
    }


def interval_json(interval: Interval) -> dict[str, Any]:
    """A mean with its interval and the number of questions behind it."""
    written: dict[str, Any] = {
        "mean": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "n": interval.n,
    }
    return {**written, "note": interval.note} if interval.note else written


def comparison_json(comparison: NamedComparison) -> dict[str, Any]:
    """A against B by one measure."""
    return {
        "a": comparison.a,
        "b": comparison.b,
        "measure": comparison.measure,
        "embedder": comparison.embedder,
        "pool": comparison.pool,
        **asdict(comparison.result),
    }


def question_rows(result: StrategyResult) -> list[dict[str, Any]]:
    """The questions of a result, with all measures at k, the hits and the gold spans."""
    record = result.record
    return [
        {
            "strategy": name_of(record),
            "embedder": record.embedder,
            "pool": record.pool,
            "id": question.id,
            "set": question.set,
            "document": question.document or None,
            "tags": question.tags,
            "measures": {name: values[number] for name, values in result.values.items()},
            "hits": msgspec.to_builtins(question.top),
            "gold": msgspec.to_builtins(question.gold),
        }
        for number, question in enumerate(record.questions)
    ]


def evaluation_csv(evaluation: Evaluation) -> str:
    """One row for each question and configuration, all measures at k."""
    out = io.StringIO(newline="")
    names = [measure.name for measure in MEASURES]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["strategy", "embedder", "pool", "k", "set", "question", "document", *names])
    for result in evaluation.results:
        record = result.record
        for number, question in enumerate(record.questions):
            values = [result.values[name][number] for name in names]
            place = (record.pool, record.k, question.set, question.id, question.document)
            shown = ["" if value is None else value for value in values]
            writer.writerow([name_of(record), record.embedder or "", *place, *shown])
    return out.getvalue()


def cost_points(
    evaluation: Evaluation,
) -> dict[tuple[str | None, str], dict[str, dict[str, float]]]:
    """The numbers of each configuration for a Pareto plot, by model and pool."""
    found: dict[tuple[str | None, str], dict[str, dict[str, float]]] = {}
    for result in evaluation.results:
        record = result.record
        costs: Mapping[str, Any] = record.costs
        values = {name: each.mean for name, each in result.measures.items()}
        values |= {
            "index_bytes": costs.get("index_bytes") or costs.get("vector_bytes"),
            "build_seconds": costs.get("build_seconds"),
            "p95": (costs.get("query_milliseconds") or {}).get("p95"),
            "peak_rss": costs.get("peak_rss"),
        }
        points = found.setdefault((record.embedder, record.pool), {})
        points[name_of(record)] = {k: float(v) for k, v in values.items() if v is not None}
    return found


def _fronts(evaluation: Evaluation) -> list[dict[str, Any]]:
    axes = (Axis("ndcg", True), Axis("index_bytes", False))
    return [
        {
            "embedder": embedder,
            "pool": pool,
            "axes": [axis.name for axis in axes],
            "front": pareto_front(points, axes),
        }
        for (embedder, pool), points in cost_points(evaluation).items()
    ]
