# SPDX-License-Identifier: AGPL-3.0-or-later
"""`batch`: chunk and score each document of a folder; resumes, and one failure stops nothing."""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.cli.flags import add_option_arguments, add_reading_arguments
from core.cli.printing import Printed, print_json, print_table
from core.cli.reading import read
from core.cli.recipes import mode_of, model_of, recipes_of, score_settings
from core.cli.score import CODES, parse_weights, scores_json
from core.document.model import Document
from core.errors import ChunkscopeError, DocumentError
from core.export.plain_values import chunks_json, document_json
from core.pipeline import Pipeline
from core.scores.options import ScoreOptions, score_options
from core.scores.vector_supply import one_kind
from core.strategies.recipe import Recipe
from core.whole_file import write_text

ENDINGS = frozenset({".pdf", ".txt", ".md"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--strategies", nargs="+", required=True, metavar="S")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--embedder", metavar="E", help="a model's name, or toy")
    parser.add_argument("--weights", default="", metavar="RC=1,ICC=0", help="of the mean")
    add_option_arguments(parser)
    add_reading_arguments(parser)


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """What holds for all documents of the folder."""

    namespace: argparse.Namespace
    pipeline: Pipeline
    recipes: Sequence[Recipe]
    options: ScoreOptions

    @property
    def folder(self) -> Path:
        return Path(self.namespace.folder)


def run(namespace: argparse.Namespace) -> None:
    """Work through the folder and print a summary."""
    if not namespace.folder.is_dir():
        raise DocumentError(f"{namespace.folder} is not a folder: name one with documents")
    options = score_options(
        score_settings(namespace),
        mode=mode_of(namespace),
        weights=parse_weights(namespace.weights),
    )
    recipes = recipes_of(namespace.strategies, namespace)
    batch = _Batch(namespace, Pipeline(model_of(namespace)), recipes, options)
    files = sorted(p for p in namespace.folder.rglob("*") if p.suffix.lower() in ENDINGS)
    namespace.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    for number, path in enumerate(files, 1):
        if not namespace.quiet:
            print(f"{number} of {len(files)} {path.name}", file=sys.stderr)
        rows += _one_file(batch, path)
    write_text(namespace.out / "summary.json", json.dumps(rows, ensure_ascii=False, indent=1))
    if namespace.json:
        print_json({"out": str(namespace.out), "documents": rows})
        return
    table = [
        (row["file"], row["strategy"], row["chunks"], *_values(row), row["error"] or "")
        for row in rows
    ]
    print_table(("file", "strategy", "chunks", *CODES, "mean", "error"), table)


def _one_file(batch: _Batch, path: Path) -> list[dict[str, object]]:
    """A row for each recipe: from the output folder where it is there, else made now."""
    document: Document | None = None
    rows: list[dict[str, object]] = []
    for recipe in batch.recipes:
        target = batch.namespace.out / f"{_name(batch, path, recipe)}.json"
        row = _kept(target)
        if row is None:
            row = _summary(batch, path, recipe)
            try:
                document = document or read(path, batch.namespace, Printed(batch.namespace))
                written = _measured(batch, document, path, recipe)
            except ChunkscopeError as error:
                row["error"] = str(error)
            else:
                row |= {
                    "chunks": len(written["chunking"]["chunks"]),
                    "scores": written["scoring"]["scores"],
                }
                write_text(target, json.dumps({"summary": row, **written}, ensure_ascii=False))
        rows.append(row)
    return rows


def _kept(target: Path) -> dict[str, object] | None:
    """The summary of a result that is there and whole."""
    try:
        kept: dict[str, object] = json.loads(target.read_text(encoding="utf-8"))["summary"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return kept


def _summary(batch: _Batch, path: Path, recipe: Recipe) -> dict[str, object]:
    return {
        "file": str(path.relative_to(batch.folder)),
        "strategy": recipe.word,
        "chunks": None,
        "scores": None,
        "error": None,
    }


def _measured(batch: _Batch, document: Document, path: Path, recipe: Recipe) -> dict[str, Any]:
    """Chunk and score one document."""
    progress = Printed(batch.namespace)
    chunks = batch.pipeline.chunk(recipe, document, progress=progress, allow_many=True)
    batch.pipeline.find_pairs(document, progress=progress)
    # The summary sets strategies and documents side by side.
    policy = one_kind(batch.pipeline.embedder)
    scores = batch.pipeline.score(document, chunks, batch.options, policy=policy, progress=progress)
    progress.end()
    return {
        "document": document_json(document, str(path)),
        "chunking": chunks_json(document, recipe, chunks),
        "scoring": scores_json(scores),
    }


def _name(batch: _Batch, path: Path, recipe: Recipe) -> str:
    """A file name for the result: what it depends on is in its hash."""
    stat, given = path.stat(), batch.namespace
    what = (
        str(path.relative_to(batch.folder)),
        (stat.st_size, stat.st_mtime_ns),
        (recipe.word, recipe.is_reference, repr(batch.options)),
        (given.form, given.boilerplate, given.layout, given.pages),
        given.embedder,
        one_kind(batch.pipeline.embedder),
    )
    digest = hashlib.sha256(repr(what).encode(errors="surrogatepass")).hexdigest()
    return f"{path.stem}-{recipe.code}-{digest[:10]}"


def _values(row: dict[str, object]) -> list[object]:
    scores = row["scores"]
    return [scores[code] if isinstance(scores, dict) else None for code in (*CODES, "mean")]
