# SPDX-License-Identifier: AGPL-3.0-or-later
"""`score`: the five intrinsic scores of a chunking, or of a case with everything given."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from core.arrays import Spans, as_spans
from core.cli.flags import UsageError, add_reading_arguments, add_recipe_arguments
from core.cli.printing import Printed, print_json, print_notices, print_table
from core.cli.reading import read, read_json
from core.cli.recipes import (
    DEFAULT_MODEL,
    embedder_of,
    mode_of,
    model_of,
    recipe_of,
    score_settings,
)
from core.document.model import Document
from core.errors import DocumentError, ParameterError
from core.export.plain_values import document_json
from core.pipeline import Pipeline
from core.scores.foreign_chunks import place_chunks
from core.scores.inputs import ScoreInputs
from core.scores.options import ScoreOptions, score_options
from core.scores.pairs import pairs_from_json, spans_from_json
from core.scores.results import Scores, known
from core.scores.score import score
from core.scores.vector_supply import Policy, VectorSupply
from core.strategies.chunks import Chunks, one_span_chunks

CODES = ("RC", "ICC", "DCC", "BI", "SC")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="not with --case")
    add_reading_arguments(parser)
    add_recipe_arguments(parser, required=False)
    parser.add_argument("--chunks", type=Path, metavar="C.json", help="chunks made elsewhere")
    parser.add_argument("--blocks", type=Path, metavar="B.json", help="spans of the blocks")
    parser.add_argument("--pairs", type=Path, metavar="P.json", help="reference pairs")
    parser.add_argument("--sentences-from", type=Path, metavar="F.json", help="sentence spans")
    parser.add_argument("--case", type=Path, metavar="CASE.json", help="one case with all inputs")
    parser.add_argument("--embedder", metavar="E", help="a model's name, or toy")
    parser.add_argument("--vectors", choices=("exact", "late", "auto"), default="auto")
    parser.add_argument("--weights", default="", metavar="RC=1,ICC=0", help="of the mean")


def run(namespace: argparse.Namespace) -> None:
    """Score, and print the scores."""
    if namespace.case is not None:
        _run_case(namespace)
        return
    if namespace.file is None or bool(namespace.strategy) == bool(namespace.chunks):
        raise UsageError("score needs a FILE and either --strategy or --chunks, or else --case")
    progress = Printed(namespace)
    options = _options(namespace, mode_of(namespace))
    recipe = recipe_of(namespace) if namespace.strategy else None
    document = read(namespace.file, namespace, progress)
    given = _given(namespace, len(document.text))
    brought = chunks_from(read_json(namespace.chunks), document.text) if recipe is None else None
    pipeline = Pipeline(model_of(namespace))  # last: it takes seconds, a wrong file none
    if recipe is not None:
        brought = pipeline.chunk(recipe, document, progress=progress, allow_many=True), []
    assert brought is not None, "a recipe or a file gives chunks"
    chunks, notes = brought
    if namespace.pairs is None:
        pipeline.find_pairs(document, progress=progress)
    inputs = replace(pipeline.inputs(document), **given)
    scores = pipeline.score(
        document,
        chunks,
        options,
        policy=cast(Policy, namespace.vectors),
        inputs=inputs,
        progress=progress,
    )
    progress.end()
    print_notices((*document.notices, *chunks.notices), namespace)
    _print(namespace, scores, document_json(document, str(namespace.file)), notes)


def chunks_from(data: Any, text: str) -> tuple[Chunks, list[str]]:
    """Chunks of any known form, placed in the text, and what was noticed."""
    placed = place_chunks(data, text)
    return placed.chunks, list(placed.notices)


def parse_weights(text: str) -> dict[str, float]:
    """Weights from "RC=1,ICC=0".

    Raises:
        ParameterError: not of that form.
    """
    weights = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        code, equals, value = part.partition("=")
        try:
            weights[code.strip().upper()] = float(value) if equals else float("nan")
        except ValueError:
            raise ParameterError(f"weights has '{part}', but must be like RC=1,ICC=0") from None
        if not equals:
            raise ParameterError(f"weights has '{part}', but must be like RC=1,ICC=0")
    return weights


def scores_json(scores: Scores) -> dict[str, Any]:
    """Scores as plain values, as the contract says."""
    return {
        "mode": scores.options.mode,
        "embedder": scores.embedder or None,
        "unit": scores.options.unit,
        "pair_finder": scores.pair_finder or None,
        "scores": {**scores.values, "mean": scores.mean},
        "measured": {code: scores[code].measured for code in CODES},
        "reasons": {code: scores[code].reason for code in CODES if scores[code].reason},
        "vectors": {code: scores[code].state for code in ("ICC", "DCC")},
        "coverage": scores.coverage,
        "per_chunk": scores.per_chunk(),
        "units": scores.units.tolist(),
        "pairs_lost": scores.pairs_lost.tolist(),
        "blocks_broken": scores.blocks_broken.tolist(),
        "chunks_bad_size": scores.chunks_bad_size.tolist(),
        "icc_per_chunk": known(scores["ICC"].clipped_per_chunk),
        "notices": list(scores.notices),
    }


def _options(namespace: argparse.Namespace, mode: str) -> ScoreOptions:
    weights = parse_weights(namespace.weights)
    return score_options(score_settings(namespace), mode=mode, weights=weights)


def _given(namespace: argparse.Namespace, length: int) -> dict[str, Any]:
    """Inputs from files, which stand in the place of the document's own."""
    given: dict[str, Any] = {}
    if namespace.pairs is not None:
        pairs = pairs_from_json(read_json(namespace.pairs), length)
        given.update(pairs=pairs, pair_finder=namespace.pairs.name, why_no_pairs="")
    if namespace.blocks is not None:
        blocks = _spans(read_json(namespace.blocks), length, "blocks")
        given.update(blocks=blocks, boilerplate=as_spans([]))
    if namespace.sentences_from is not None:
        given["sentences"] = _spans(read_json(namespace.sentences_from), length, "sentences")
    return given


def _spans(data: Any, length: int, name: str) -> Spans:
    """Spans from `[[a, b], …]` or from objects with a "span".

    Raises:
        DocumentError: another form, or outside of the text.
    """
    if isinstance(data, Mapping):
        data = data.get(name, data.get("spans"))
    return spans_from_json(data, length, f"the {name}")


def _run_case(namespace: argparse.Namespace) -> None:
    case = read_json(namespace.case)
    if not isinstance(case, Mapping) or "text" not in case or "chunks" not in case:
        raise DocumentError(f"{namespace.case} is not a case: it needs at least text and chunks")
    mode = namespace.mode or str(case.get("mode", "reference"))
    text = str(case["text"])
    inputs = case_inputs(case, text, mode)
    options = case_options(case, namespace, mode)
    spans = _spans(case["chunks"], len(text), "chunks")
    name = namespace.embedder or case.get("embedder") or DEFAULT_MODEL
    embedder = embedder_of(str(name), namespace)
    document = Document(text)
    pipeline = Pipeline(embedder)
    supply = VectorSupply(
        text,
        embedder,
        cast(Policy, namespace.vectors),
        (lambda: pipeline.token_vectors(document)) if embedder.has_token_vectors else None,
        mode == "reference",
    )
    scores = score(inputs, one_span_chunks(spans), options, supply=supply)
    _print(namespace, scores, document_json(document, str(namespace.case)), [])


def case_inputs(case: Mapping[str, Any], text: str, mode: str) -> ScoreInputs:
    """The inputs that a case gives; sentences by Punkt where it has none and they are needed."""
    length = len(text)
    sentences = _spans(case.get("sentences", []), length, "sentences")
    if mode == "default" and "sentences" not in case:
        sentences = Pipeline().source(Document(text)).sentences()
    blocks = _spans(case.get("blocks", []), length, "blocks")
    return ScoreInputs(
        text,
        blocks,
        _boilerplate(case, blocks, length),
        sentences,
        pairs_from_json(case.get("pairs", []), length),
        "given",
    )


def case_options(case: Mapping[str, Any], namespace: argparse.Namespace, mode: str) -> ScoreOptions:
    """The options of a case; flags win."""
    given = {**_table(case, "options"), **score_settings(namespace)}
    weights = {**_table(case, "weights"), **parse_weights(namespace.weights)}
    return score_options(given, mode=mode, weights=weights)


def _table(case: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A part of a case that has names and values; empty where there is none.

    Raises:
        DocumentError: it is something else.
    """
    table = case.get(name, {})
    if not isinstance(table, Mapping):
        raise DocumentError(
            f"the {name} of the case are {table!r:.40}, but must be an object: write names and "
            "values in braces, or leave them out"
        )
    return dict(table)


def _boilerplate(case: Mapping[str, Any], blocks: Spans, length: int) -> Spans:
    """Boilerplate as spans, or as places in the list of blocks.

    Raises:
        DocumentError: it is neither, or a block is not there.
    """
    given = case.get("boilerplate", [])
    if not isinstance(given, list) or not all(isinstance(each, int) for each in given):
        return _spans(given, length, "boilerplate")
    beyond = [place for place in given if not 0 <= place < len(blocks)]
    if beyond:
        raise DocumentError(
            f"the boilerplate of the case names block {beyond[0]}, but there are {len(blocks)}: "
            "name blocks from 0 up"
        )
    return blocks[np.array(given, np.int64)]


def _print(
    namespace: argparse.Namespace, scores: Scores, document: dict[str, Any], notes: list[str]
) -> None:
    answer = scores_json(scores)
    answer["notices"] = [*notes, *answer["notices"]]
    if namespace.json:
        print_json({"document": document, **answer})
        return
    rows: list[tuple[object, ...]] = [
        (code, scores[code].value, scores[code].measured, scores[code].state or scores[code].reason)
        for code in CODES
    ]
    rows.append(("mean", scores.mean, len([c for c in CODES if scores[c].value is not None]), ""))
    print_table(("score", "value", "over", ""), rows)
    for note in answer["notices"]:
        print(f"note: {note}")
