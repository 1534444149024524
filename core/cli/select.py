# SPDX-License-Identifier: AGPL-3.0-or-later
"""`select`: score candidates on each document and name the best one of each."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from core.cli.flags import add_file_arguments, add_option_arguments
from core.cli.printing import Printed, print_json, print_notices, print_table
from core.cli.reading import read
from core.cli.recipes import mode_of, model_of, recipes_of, score_settings
from core.cli.score import CODES, parse_weights
from core.cli.search import named
from core.document.model import Document
from core.errors import ChunkscopeError
from core.export.plain_values import document_json, plain
from core.pipeline import Pipeline
from core.scores.options import ScoreOptions, score_options
from core.scores.selection import (
    Candidate,
    CorpusRow,
    Selection,
    Standing,
    bootstrap,
    codes_of_mixed_kinds,
    select,
    select_over_documents,
)
from core.scores.vector_supply import Policy, one_kind
from core.strategies.adaptive_choice import PAPER
from core.strategies.recipe import Recipe


@dataclass(frozen=True, slots=True, eq=False)
class _Choosing:
    """What holds for all documents. names: unique, one a recipe."""

    pipeline: Pipeline
    names: Sequence[str]
    recipes: Sequence[Recipe]
    options: ScoreOptions
    policy: Policy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    add_file_arguments(parser, many=True)
    parser.add_argument(
        "--strategies", nargs="+", default=list(PAPER), metavar="S", help=f"without: {PAPER}"
    )
    add_option_arguments(parser)
    parser.add_argument("--embedder", metavar="E", help="a model's name, or toy")
    parser.add_argument("--vectors", choices=("exact", "late", "auto"), default="auto")
    parser.add_argument("--weights", default="", metavar="RC=1,ICC=0", help="of the mean")


def run(namespace: argparse.Namespace) -> None:
    """Choose, and print the choices."""
    recipes = recipes_of(namespace.strategies, namespace)
    options = score_options(
        score_settings(namespace),
        mode=mode_of(namespace),
        weights=parse_weights(namespace.weights),
    )
    names = names_of(namespace.strategies, recipes)
    model = model_of(namespace)
    asked = namespace.vectors
    policy = one_kind(model) if asked == "auto" else cast(Policy, asked)
    choosing = _Choosing(Pipeline(model), names, recipes, options, policy)
    progress = Printed(namespace)
    selections: list[Selection] = []
    answers: list[dict[str, Any]] = []
    for _, path in named(namespace.files):
        document = read(path, namespace, progress)
        print_notices(document.notices, namespace)
        selection = _selection(choosing, document, progress)
        selections.append(selection)
        answers.append(
            {"document": document_json(document, str(path))}
            | selection_json(selection)
            | {"uncertainty": _uncertainty(choosing, document, selection)}
        )
    progress.end()
    corpus = select_over_documents(selections, options.weights)
    if namespace.json:
        answer = {
            "documents": answers,
            "adaptive": _row_json(corpus.adaptive),
            "best_single": _row_json(corpus.best_single),
            "singles": [_row_json(row) for row in corpus.singles],
            "gain": corpus.gain,
        }
        print_json(answer)
        return
    for written, selection in zip(answers, selections, strict=True):
        print(written["document"]["file"])
        _print_selection(selection)
    if len(selections) > 1:
        rows = [corpus.adaptive, *corpus.singles]
        print_table(
            ("over all documents", *CODES, "mean"),
            [(row.name, *(row.scores[code] for code in CODES), row.mean) for row in rows],
        )


def names_of(words: Sequence[str], recipes: Sequence[Recipe]) -> list[str]:
    """What the recipes are called: as they were written, in full where two were written alike."""
    return [
        word if list(words).count(word) == 1 else recipe.word
        for word, recipe in zip(words, recipes, strict=True)
    ]


def selection_json(selection: Selection) -> dict[str, Any]:
    """The choice for one document as plain values."""
    return {
        "candidates": [_standing_json(each) for each in selection.standings],
        "winner": selection.winner,
        "margin": selection.margin,
        "ties": list(selection.ties),
        "common_winner": selection.common_winner,
        "common_scores": list(selection.common_scores),
        "warnings": list(selection.warnings),
        "reason": selection.reason or None,
    }


def _selection(choosing: _Choosing, document: Document, progress: Printed) -> Selection:
    choosing.pipeline.find_pairs(document, progress=progress)
    candidates = _candidates(choosing, document, choosing.policy, progress)
    mixed = codes_of_mixed_kinds([c.scores for c in candidates if c.scores is not None])
    if mixed and choosing.policy != one_kind(choosing.pipeline.embedder):
        candidates = _candidates(choosing, document, "late", progress)
    return select(candidates, choosing.options.weights)


def _candidates(
    choosing: _Choosing, document: Document, policy: Policy, progress: Printed
) -> list[Candidate]:
    made = []
    for name, recipe in zip(choosing.names, choosing.recipes, strict=True):
        given = (name, recipe.code, recipe.settings)
        try:
            chunks = choosing.pipeline.chunk(recipe, document, progress=progress, allow_many=True)
            scores = choosing.pipeline.score(
                document, chunks, choosing.options, policy=policy, progress=progress
            )
        except ChunkscopeError as error:
            made.append(Candidate(*given, error=str(error)))
        else:
            made.append(Candidate(*given, chunks, scores))
    return made


def _uncertainty(
    choosing: _Choosing, document: Document, selection: Selection
) -> dict[str, dict[str, float]]:
    """What a bootstrap over chunks says of each candidate."""
    inputs = choosing.pipeline.inputs(document)
    drawn = bootstrap(inputs, selection, choosing.options.weights)
    return {
        name: {"low": low, "high": high, "wins": drawn.wins[name]}
        for name, (low, high) in drawn.intervals.items()
    }


def _standing_json(standing: Standing) -> dict[str, Any]:
    candidate, scores = standing.candidate, standing.candidate.scores
    values: dict[str, float | None] = dict.fromkeys(CODES) if scores is None else scores.values
    return {
        "strategy": candidate.strategy,
        "name": candidate.name,
        "names": list(standing.names),
        "parameters": plain(candidate.parameters),
        "scores": {**values, "mean": standing.value},
        "measured": standing.measured,
        "chunks": standing.n,
        "tokens": {
            "mean": standing.average,
            "least": standing.least,
            "greatest": standing.greatest,
        },
        "coverage": standing.coverage,
        "rank": standing.rank or None,
        "error": candidate.error or None,
    }


def _row_json(row: CorpusRow | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "name": row.name,
        "scores": {**row.scores, "mean": row.mean},
        "documents": dict(row.documents),
    }


def _print_selection(selection: Selection) -> None:
    rows = []
    for standing in selection.standings:
        written = _standing_json(standing)
        values = [written["scores"][code] for code in (*CODES, "mean")]
        rows.append((written["rank"], standing.candidate.name, *values, standing.n))
    print_table(("rank", "candidate", *CODES, "mean", "chunks"), rows)
    for warning in (*selection.warnings, *filter(None, [selection.reason])):
        print(f"note: {warning}")
