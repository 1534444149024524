# SPDX-License-Identifier: AGPL-3.0-or-later
"""`batch`: chunk and score each document of a folder; resumes, and one failure stops nothing."""

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path

from core.cli.chunk import chunks_json
from core.cli.common import (
    Printed,
    add_reading_arguments,
    add_setting_arguments,
    document_json,
    embedder_of,
    print_json,
    print_table,
    read,
    recipes_of,
)
from core.cli.score import CODES, scores_json
from core.errors import ChunkscopeError, DocumentError
from core.pipeline import Pipeline
from core.strategies.recipe import Recipe

ENDINGS = frozenset({".pdf", ".txt", ".md"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--strategies", nargs="+", required=True, metavar="S")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--embedder", metavar="E", help="a model's name, or toy")
    add_setting_arguments(parser)
    add_reading_arguments(parser)


def run(namespace: argparse.Namespace) -> None:
    """Work through the folder and print a summary."""
    if not namespace.folder.is_dir():
        raise DocumentError(f"{namespace.folder} is not a folder: name one with documents")
    recipes = recipes_of(namespace.strategies, namespace)
    files = sorted(p for p in namespace.folder.rglob("*") if p.suffix.lower() in ENDINGS)
    namespace.out.mkdir(parents=True, exist_ok=True)
    pipeline = Pipeline(embedder_of(namespace.embedder))
    rows: list[dict[str, object]] = []
    for number, path in enumerate(files, 1):
        if not namespace.quiet:
            print(f"{number} of {len(files)} {path.name}", file=sys.stderr)
        rows += [_one(namespace, pipeline, path, recipe) for recipe in recipes]
    if namespace.json:
        print_json({"out": str(namespace.out), "documents": rows})
        return
    table = [
        (row["file"], row["strategy"], row["chunks"], *_values(row), row["error"] or "")
        for row in rows
    ]
    print_table(("file", "strategy", "chunks", *CODES, "mean", "error"), table)


def _one(
    namespace: argparse.Namespace, pipeline: Pipeline, path: Path, recipe: Recipe
) -> dict[str, object]:
    """One document by one recipe: from the output folder if it is there, or made now."""
    target = namespace.out / f"{_name(namespace, path, recipe)}.json"
    if target.is_file():
        try:
            kept: dict[str, object] = json.loads(target.read_text(encoding="utf-8"))["summary"]
            return kept
        except (ValueError, KeyError):
            target.unlink()  # damaged: made again
    summary: dict[str, object] = {
        "file": str(path.relative_to(namespace.folder)),
        "strategy": recipe.word,
        "chunks": None,
        "scores": None,
        "error": None,
    }
    try:
        progress = Printed(namespace)
        document = read(path, namespace, progress)
        chunks = pipeline.chunk(recipe, document, progress=progress, allow_many=True)
        pipeline.find_pairs(document, progress=progress)
        scores = pipeline.score(document, chunks, progress=progress)
        progress.end()
    except ChunkscopeError as error:
        return summary | {"error": str(error)}
    answer = scores_json(scores)
    summary |= {"chunks": len(chunks), "scores": answer["scores"]}
    written = {
        "summary": summary,
        "document": document_json(document, path),
        "chunking": chunks_json(document, recipe, chunks),
        "scoring": answer,
    }
    fresh = target.with_suffix(f".{os.getpid()}.part")
    fresh.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
    fresh.replace(target)
    return summary


def _name(namespace: argparse.Namespace, path: Path, recipe: Recipe) -> str:
    """A file name for the result: what it depends on is in its hash."""
    stat = path.stat()
    relative = path.relative_to(namespace.folder)
    what = f"{relative}|{stat.st_size}|{stat.st_mtime_ns}|{recipe.word}|{recipe.is_reference}"
    what += f"|{namespace.form}|{namespace.boilerplate}|{namespace.layout}|{namespace.pages}"
    what += f"|{namespace.embedder}"
    return f"{path.stem}-{recipe.code}-{hashlib.sha256(what.encode()).hexdigest()[:10]}"


def _values(row: dict[str, object]) -> list[object]:
    scores = row["scores"]
    return [scores[code] if isinstance(scores, dict) else None for code in (*CODES, "mean")]
