# SPDX-License-Identifier: AGPL-3.0-or-later
"""`chunk`: the chunks of a document by one strategy."""

import argparse

from core.cli.flags import add_file_arguments, add_recipe_arguments
from core.cli.printing import Printed, print_json, print_notices, print_table
from core.cli.reading import read
from core.cli.recipes import pipeline_for, recipe_of
from core.document.model import Document
from core.export.plain_values import chunks_json, document_json, token_counts, tokenizer_name
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe

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
        print_json({"document": document_json(document, str(namespace.file)), **answer})
        return
    print_notices((*document.notices, *chunks.notices), namespace)
    _print_chunks(document, recipe, chunks)


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
