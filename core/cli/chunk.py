# SPDX-License-Identifier: AGPL-3.0-or-later
"""`chunk`: the chunks of a document by one strategy."""

import argparse
from collections.abc import Mapping

from core.cli.flags import add_file_arguments, add_recipe_arguments
from core.cli.printing import (
    Printed,
    document_json,
    notices_json,
    print_json,
    print_notices,
    print_table,
)
from core.cli.reading import read
from core.cli.recipes import pipeline_for, recipe_of, tokenizer_name
from core.document.geometry import boxes_of
from core.document.model import Document
from core.strategies.chunks import LEVELS, Chunks, Reason
from core.strategies.recipe import Recipe
from core.units.tokens import piece_counter

WORDS_SHOWN = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    add_file_arguments(parser)
    add_recipe_arguments(parser)
    parser.add_argument("--embedder", metavar="E", help="the model of embedding strategies")
    parser.add_argument("--boxes", action="store_true", help="with boxes on the pages")
    parser.add_argument("--text", action="store_true", help="with the text of each chunk")


def run(namespace: argparse.Namespace) -> None:
    """Print the chunks."""
    recipe = recipe_of(namespace)
    progress = Printed(namespace)
    document = read(namespace.file, namespace, progress)
    pipeline = pipeline_for(recipe, namespace)
    chunks = pipeline.chunk(recipe, document, progress=progress, allow_many=True)
    progress.end()
    if namespace.json:
        answer = chunks_json(
            document, recipe, chunks, with_text=namespace.text, with_boxes=namespace.boxes
        )
        print_json({"document": document_json(document, namespace.file), **answer})
        return
    print_notices((*document.notices, *chunks.notices), namespace)
    _print_chunks(document, recipe, chunks)


def chunks_json(
    document: Document,
    recipe: Recipe,
    chunks: Chunks,
    *,
    with_text: bool = False,
    with_boxes: bool = False,
) -> dict[str, object]:
    """Chunks as plain values, as the contract says."""
    tokenizer = tokenizer_name(recipe)
    counts = token_counts(document, chunks, tokenizer)
    rows = [
        chunk_json(document, chunks, index, with_text=with_text, with_boxes=with_boxes)
        | {"tokens": counts[index]}
        for index in range(len(chunks))
    ]
    return {
        "strategy": recipe.code,
        "parameters": plain(recipe.settings),
        "mode": "reference" if recipe.is_reference else "default",
        "tokenizer": tokenizer,
        "chunks": rows,
        "notices": notices_json((*document.notices, *chunks.notices)),
    }


def chunk_json(
    document: Document, chunks: Chunks, index: int, *, with_text: bool, with_boxes: bool
) -> dict[str, object]:
    """One chunk as plain values, without its number of tokens."""
    spans = chunks.spans_of(index).tolist()
    is_lost = index in chunks.texts or not spans
    level = LEVELS[chunks.levels[index]]
    row: dict[str, object] = {
        "index": index,
        "spans": None if is_lost else spans,
        "pages": None
        if is_lost
        else [document.page_of(spans[0][0]), document.page_of(max(spans[0][0], spans[-1][1] - 1))],
        "level": None if level == "chunk" else level,
        "parent": _index(int(chunks.parents[index])),
        "primary": _index(int(chunks.primaries[index])),
        "label": _index(int(chunks.labels[index])),
        "header": (chunks.headers[index] or None) if chunks.headers else None,
        "locked": False,
        "start_reason": reason_json(chunks.start_reasons[index]),
        "end_reason": reason_json(chunks.end_reasons[index]),
    }
    if is_lost or with_text:
        row["text"] = chunks.text_of(index, document.text)
    if with_boxes:
        row["boxes"] = [box for a, b in spans for box in boxes_of(document, a, b)]
    return row


def reason_json(reason: Reason | None) -> dict[str, object] | None:
    """A reason as plain values, None at the document's ends."""
    if reason is None:
        return None
    return {
        "rule": reason.rule,
        "value": reason.value,
        "threshold": reason.threshold,
        "margin": reason.margin,
        "step": reason.step,
        "words": reason.words,
    }


def token_counts(document: Document, chunks: Chunks, tokenizer: str) -> list[int]:
    """Tokens of each chunk's text, encoded by itself."""
    counts: list[int] = piece_counter(tokenizer).counts(chunks.all_texts(document.text)).tolist()
    return counts


def plain(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings as JSON knows them: tuples become lists."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}


def _print_chunks(document: Document, recipe: Recipe, chunks: Chunks) -> None:
    tokenizer = tokenizer_name(recipe)
    counts = token_counts(document, chunks, tokenizer)
    rows = []
    for index, text in enumerate(chunks.all_texts(document.text)):
        reason = chunks.start_reasons[index]
        page = document.page_of(max(0, int(chunks.starts[index]))) + 1
        words = " ".join(text.split())[:WORDS_SHOWN]
        why = reason.words if reason else "start"
        rows.append((index + 1, page, counts[index], len(text), why, words))
    print_table(("#", "page", "tokens", "characters", "begins because", "text"), rows)
    print(f"{len(chunks):,} chunks by {recipe.word}, tokens of {tokenizer}")


def _index(value: int) -> int | None:
    return None if value < 0 else value
