# SPDX-License-Identifier: AGPL-3.0-or-later
"""`evaluate`: measure strategies, and chunks of other tools, on questions with known answers."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from core.cancel import Progress
from core.cli.flags import UsageError, add_file_arguments, add_option_arguments
from core.cli.foreign import foreign_chunks
from core.cli.printing import Printed, print_json, print_notices, print_table
from core.cli.reading import read
from core.cli.recipes import DEFAULT_MODEL, embedder_of, mode_of, recipes_of, score_settings
from core.cli.score import parse_weights
from core.cli.search import add_retrieval_arguments, named
from core.cli.select import names_of
from core.document.model import Document
from core.pipeline import Pipeline
from core.scores.options import score_options
from core.scores.vector_supply import one_kind
from core.search.case import check_options
from core.search.evaluate import Contender, Evaluation, Options, evaluate
from core.search.evaluation import POOLS, StrategyResult
from core.search.evaluation_json import evaluation_csv, evaluation_json, interval_json
from core.search.judgements import load_judgements
from core.search.query_import import import_queries
from core.search.query_sets import QuerySet
from core.search.statistics import SEED
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe
from core.vectors.embedder import Embedder, VectorKind
from core.vectors.models import find_model
from core.whole_file import write_text

SHOWN = ("recall", "iou", "hit", "mrr", "ndcg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    add_file_arguments(parser, many=True)
    parser.add_argument("--queries", nargs="+", type=Path, required=True, metavar="Q.json")
    parser.add_argument("--strategies", nargs="+", default=[], metavar="S")
    parser.add_argument(
        "--chunks",
        nargs="+",
        default=[],
        metavar="NAME=C.json",
        help="chunks of another tool; of several documents: a folder, or NAME=… again for each",
    )
    add_option_arguments(parser)
    parser.add_argument("-k", type=int, default=5, help="how many results are measured")
    add_retrieval_arguments(parser)
    parser.add_argument("--embedders", nargs="+", default=[DEFAULT_MODEL], metavar="E")
    parser.add_argument("--pool", choices=POOLS, default="all", help="what is searched together")
    parser.add_argument("--judgements", type=Path, metavar="J.json", help="gains by judges")
    parser.add_argument("--intrinsic", action="store_true", help="with the five scores")
    parser.add_argument("--weights", default="", metavar="RC=1,ICC=0", help="of their mean")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where records are kept and found")


def run(namespace: argparse.Namespace) -> None:
    """Evaluate, and print the results."""
    if not namespace.strategies and not namespace.chunks:
        raise UsageError("evaluate needs --strategies or --chunks: name what is to be measured")
    recipes = recipes_of(namespace.strategies, namespace)
    names = names_of(namespace.strategies, recipes)
    options = options_of(namespace)
    query_sets = [import_queries(path) for path in namespace.queries]
    judgements = load_judgements(namespace.judgements) if namespace.judgements else None
    models = [] if namespace.retrieval == "text" else namespace.embedders
    for name in models:
        find_model(name)
    progress = Printed(namespace)
    documents = {name: read(path, namespace, progress) for name, path in named(namespace.files)}
    for document in documents.values():
        print_notices(document.notices, namespace)
    contenders = [Contender(name, recipe) for name, recipe in zip(names, recipes, strict=True)]
    brought, notes = foreign_chunks(namespace.chunks, documents)
    contenders += [Contender(name, foreign=chunks) for name, chunks in brought.items()]
    embedders = [embedder_of(name, namespace) for name in models]
    needs_model = namespace.intrinsic or any(map(_reads_vectors, recipes))
    is_lacking = needs_model and not embedders
    stages = Stages(embedder_of(namespace.embedders[0], namespace) if is_lacking else None)
    if namespace.out is not None:
        namespace.out.mkdir(parents=True, exist_ok=True)
    evaluation = evaluate(
        documents,
        query_sets,
        contenders,
        stages=stages,
        options=options,
        embedders=embedders,
        judgements=judgements,
        intrinsic=_intrinsic(namespace, stages, progress) if namespace.intrinsic else None,
        folder=namespace.out,
        progress=progress,
    )
    progress.end()
    answer = evaluation_json(evaluation)
    answer["warnings"] = [*notes, *answer["warnings"]]
    if namespace.out is not None:
        write_text(namespace.out / "evaluation.json", json.dumps(answer, ensure_ascii=False))
        write_text(namespace.out / "evaluation.csv", evaluation_csv(evaluation))
    if namespace.json:
        print_json(answer)
        return
    _print(evaluation, answer["warnings"])


class Stages(Pipeline):
    """The pipeline with a model of its own while full text is searched, which has none."""

    def __init__(self, own: Embedder | None = None) -> None:
        super().__init__(own)
        self._own = own

    def set_embedder(self, embedder: Embedder | None) -> None:
        """Use another model; the own one in place of none."""
        super().set_embedder(embedder or self._own)


def options_of(namespace: argparse.Namespace, *, measure_costs: bool = True) -> Options:
    """The options of an evaluation from flags.

    Raises:
        ParameterError: one is out of its bounds.
    """
    options = Options(
        k=namespace.k,
        retrieval=namespace.retrieval,
        vectors=cast(VectorKind, namespace.vectors),
        pool=getattr(namespace, "pool", "all"),
        reranker=namespace.rerank,
        seed=namespace.seed,
        measure_costs=measure_costs and not namespace.no_cache,
    )
    check_options(options)
    return options


def measures_of(
    namespace: argparse.Namespace,
    documents: Mapping[str, Document],
    recipes: Sequence[Recipe],
    query_sets: Sequence[QuerySet],
    progress: Progress,
) -> list[dict[str, Any]]:
    """The measures of each recipe over all documents as one pool, for a sweep."""
    embedder = embedder_of(namespace.embedder or DEFAULT_MODEL, namespace)
    words = [recipe.word for recipe in recipes]
    unique = dict(zip(words, recipes, strict=True))
    evaluation = evaluate(
        documents,
        query_sets,
        [Contender(word, recipe) for word, recipe in unique.items()],
        stages=Stages(embedder),
        options=options_of(namespace, measure_costs=False),
        embedders=[] if namespace.retrieval == "text" else [embedder],
        progress=progress,
    )
    found = dict(zip(unique, evaluation.results, strict=True))
    return [_measures_json(found[word]) for word in words]


def _measures_json(result: StrategyResult) -> dict[str, Any]:
    return {name: interval_json(each) for name, each in result.measures.items()}


def _reads_vectors(recipe: Recipe) -> bool:
    return recipe.strategy.declaration.strategy_class == "embedding"


def _intrinsic(
    namespace: argparse.Namespace, stages: Pipeline, progress: Progress
) -> Callable[[Document, Chunks], Mapping[str, float | None]]:
    """The five scores and their mean, with the model of the configuration."""
    options = score_options(
        score_settings(namespace),
        mode=mode_of(namespace),
        weights=parse_weights(namespace.weights),
    )

    def scores_of(document: Document, chunks: Chunks) -> Mapping[str, float | None]:
        stages.find_pairs(document, progress=progress)
        policy = one_kind(stages.embedder)
        scores = stages.score(document, chunks, options, policy=policy, progress=progress)
        return {**scores.values, "mean": scores.mean}

    return scores_of


def _print(evaluation: Evaluation, warnings: Sequence[str]) -> None:
    rows = []
    for result in evaluation.results:
        written = [_interval(result, name) for name in SHOWN]
        record = result.record
        name = record.parameters.get("name") or record.strategy
        model = (record.embedder or "").rpartition("/")[2]
        rows.append((name, model, record.pool, record.chunks, *written))
    print_table(("strategy", "embedder", "pool", "chunks", *SHOWN), rows)
    print(f"{evaluation.used} questions, {len(evaluation.left_out)} left out, means at k = "
          f"{evaluation.options.k} with 95 % intervals")  # fmt: skip
    for warning in warnings:
        print(f"note: {warning}")


def _interval(result: StrategyResult, name: str) -> str:
    found = result.measures.get(name)
    if found is None or found.mean is None:
        return "n/a"
    if found.low is None or found.high is None:
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} ({found.low:.2f} to {found.high:.2f})"
