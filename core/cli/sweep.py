# SPDX-License-Identifier: AGPL-3.0-or-later
"""`sweep`: scores, and measures on questions, over the range of one or several parameters."""

import argparse
from collections.abc import Sequence
from itertools import product
from math import isfinite
from pathlib import Path

import numpy as np

from core.cli.flags import add_file_arguments, add_recipe_arguments
from core.cli.printing import Printed, print_json, print_table
from core.cli.reading import read
from core.cli.recipes import DEFAULT_MODEL, mode_of, model_of, recipe_of, score_settings
from core.cli.score import CODES, parse_weights
from core.cli.search import add_retrieval_arguments, named
from core.document.model import Document
from core.errors import ParameterError
from core.export.plain_values import document_json, plain
from core.pipeline import Pipeline
from core.scores.mean import corpus_means, document_mean
from core.scores.options import score_options
from core.scores.vector_supply import one_kind
from core.search.query_import import import_queries
from core.strategies.recipe import Recipe
from core.vectors.models import find_model

MOST_POINTS = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    add_file_arguments(parser, many=True)
    add_recipe_arguments(parser)
    parser.add_argument(
        "--over",
        action="append",
        required=True,
        metavar="NAME=FROM:TO:STEPS",
        help="a range of a parameter; may be repeated",
    )
    parser.add_argument("--queries", nargs="+", type=Path, default=[], metavar="Q.json")
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--embedder", metavar="E", help="a model's name, or toy")
    parser.add_argument("--weights", default="", metavar="RC=1,ICC=0", help="of the mean")
    parser.add_argument("--seed", type=int, default=12345)
    add_retrieval_arguments(parser)


def run(namespace: argparse.Namespace) -> None:
    """Score every point of the grid."""
    base = recipe_of(namespace)
    points = grid(base, [parse_range(base, each) for each in namespace.over])
    query_sets = [import_queries(path) for path in namespace.queries]
    if query_sets:
        from core.cli.evaluate import measures_of, options_of

        options_of(namespace)  # refuses what is out of bounds before anything slow is begun
    find_model(namespace.embedder or DEFAULT_MODEL)
    progress = Printed(namespace)
    documents = {name: read(path, namespace, progress) for name, path in named(namespace.files)}
    pipeline = Pipeline(model_of(namespace))
    rows = []
    for number, recipe in enumerate(points):
        progress(number, len(points), "points")
        rows.append(_point(namespace, pipeline, documents, recipe))
    progress.end()
    if query_sets:
        measures = measures_of(namespace, documents, points, query_sets, progress)
        for row, each in zip(rows, measures, strict=True):
            row["measures"] = each
    if namespace.json:
        paths = dict(named(namespace.files))
        answer = [document_json(document, str(paths[name])) for name, document in documents.items()]
        print_json({"documents": answer, "points": rows})
        return
    names = [each.partition("=")[0] for each in namespace.over]
    table = [
        (
            *(row["parameters"][name] for name in names),  # type: ignore[index]
            row["chunks"],
            *(row["scores"][code] for code in (*CODES, "mean")),  # type: ignore[index]
        )
        for row in rows
    ]
    print_table((*names, "chunks", *CODES, "mean"), table)


def parse_range(recipe: Recipe, text: str) -> tuple[str, list[float]]:
    """Name and values from "NAME=FROM:TO:STEPS"; whole numbers for whole parameters.

    Raises:
        ParameterError: not of that form, or no such parameter.
    """
    name, _, span = text.partition("=")
    parts = span.split(":")
    try:
        low, high, steps = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        raise ParameterError(
            f"--over {text} is not NAME=FROM:TO:STEPS: write for example threshold=0.2:0.8:7"
        ) from None
    if not (isfinite(low) and isfinite(high)):
        raise ParameterError(
            f"--over {text} has an end that is not a finite number: write like size=100:400:4"
        )
    if not 1 <= steps <= MOST_POINTS:
        raise ParameterError(
            f"--over {text} has {steps:,} steps, but must have 1 to {MOST_POINTS:,}"
        )
    values = np.linspace(low, high, steps)
    declared = [p for p in recipe.strategy.declaration.parameters if p.name == name]
    if declared and declared[0].type == "integer":
        return name, [int(value) for value in dict.fromkeys(np.rint(values).tolist())]
    return name, [round(float(value), 10) for value in values]


def grid(recipe: Recipe, ranges: Sequence[tuple[str, list[float]]]) -> list[Recipe]:
    """The recipe at every combination of values.

    Raises:
        ParameterError: too many points, or a value that is not allowed.
    """
    count = int(np.prod([len(values) for _, values in ranges]))
    if count > MOST_POINTS:
        raise ParameterError(f"the ranges make {count:,} points, but at most {MOST_POINTS:,} are")
    names = [name for name, _ in ranges]
    combinations = product(*(values for _, values in ranges))
    return [recipe.with_settings(dict(zip(names, values, strict=True))) for values in combinations]


def _point(
    namespace: argparse.Namespace,
    pipeline: Pipeline,
    documents: dict[str, Document],
    recipe: Recipe,
) -> dict[str, object]:
    weights = parse_weights(namespace.weights)
    options = score_options(score_settings(namespace), mode=mode_of(namespace), weights=weights)
    policy = one_kind(pipeline.embedder)
    values, chunks = [], 0
    for document in documents.values():
        pipeline.find_pairs(document)
        made = pipeline.chunk(recipe, document, allow_many=True)
        chunks += len(made)
        values.append(pipeline.score(document, made, options, policy=policy).values)
    scores = corpus_means(values)
    return {
        "parameters": plain(recipe.settings),
        "chunks": chunks,
        "scores": {**scores, "mean": document_mean(scores, options.weights)},
        "measures": None,
    }
