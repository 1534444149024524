# SPDX-License-Identifier: AGPL-3.0-or-later
"""`search`: what a query finds among the chunks of one or several documents."""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from core.cancel import Progress, on_document
from core.cli.flags import add_file_arguments, add_recipe_arguments
from core.cli.printing import Printed, print_json, print_notices, print_table
from core.cli.reading import read
from core.cli.recipes import DEFAULT_MODEL, model_of, needs_model, recipe_of
from core.document.model import Document
from core.errors import ParameterError
from core.export.plain_values import document_json, notices_json
from core.pipeline import Pipeline
from core.search import serve
from core.search.index import Space
from core.search.place import corpus_name
from core.search.rows import Rows, join_rows
from core.search.serve import Found, Question, Where
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe
from core.vectors.embedder import Embedder, VectorKind
from core.vectors.models import find_model

TEXT_SHOWN = 90


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    add_file_arguments(parser, many=True)
    add_recipe_arguments(parser)
    parser.add_argument("-k", type=int, default=5, help="how many hits")
    add_retrieval_arguments(parser)
    parser.add_argument("--embedder", metavar="E", help="a model's name or folder")


def add_retrieval_arguments(parser: argparse.ArgumentParser) -> None:
    """How is searched."""
    parser.add_argument("--retrieval", choices=serve.MODES, default="dense")
    parser.add_argument("--vectors", choices=("ordinary", "late", "windows"), default="ordinary")
    parser.add_argument("--rerank", default="", metavar="MODEL", help="a cross-encoder")


def run(namespace: argparse.Namespace) -> None:
    """Search, and print the hits."""
    recipe = recipe_of(namespace)
    if not namespace.query.strip():
        raise ParameterError("query is empty, but must have a word at least: say what to look for")
    serve.check_k(namespace.k)
    progress = Printed(namespace)
    kind = cast(VectorKind, namespace.vectors)
    needs_vectors = namespace.retrieval != "text"
    find_model(namespace.embedder or DEFAULT_MODEL)
    documents = {name: read(path, namespace, progress) for name, path in named(namespace.files)}
    embedder = model_of(namespace) if needs_vectors else None
    pipeline = Pipeline(embedder or _model_of(recipe, namespace))
    chunks = {
        name: pipeline.chunk(recipe, document, progress=progress, allow_many=True)
        for name, document in documents.items()
    }
    index = recipe.parameters.get("index", "children")
    stored = kind if needs_vectors else None
    rows = _rows(pipeline, documents, chunks, index, stored, progress=progress)
    query = embedder.encode_queries([namespace.query])[0] if embedder is not None else None
    question = Question(
        namespace.query, query, namespace.k, namespace.retrieval, reranker=namespace.rerank
    )
    space = Space(embedder.id if embedder else "", kind, recipe.word)
    corpus = corpus_name([document.key for document in documents.values()])
    with index_place(namespace) as uri:
        found = serve.update_and_search(Where(corpus, space, uri), rows, question)
    progress.end()
    _print(namespace, documents, chunks, found, embedder.id if embedder else None)


@contextmanager
def index_place(namespace: argparse.Namespace) -> Iterator[str]:
    """Where the index is: the data folder (empty), or with `--no-cache` one that is dropped."""
    if not namespace.no_cache:
        yield ""
        return
    with TemporaryDirectory(prefix="chunkscope-", ignore_cleanup_errors=True) as folder:
        yield folder


def named(paths: Sequence[Path]) -> list[tuple[str, Path]]:
    """A name for each file: its own, with its folder where two are alike.

    The index holds names in UTF-8: bytes that are none are escaped.
    """
    names = [path.name for path in paths]
    shown = [path.name if names.count(path.name) == 1 else str(path) for path in paths]
    readable = [os.fsencode(name).decode(errors="backslashreplace") for name in shown]
    return list(zip(readable, paths, strict=True))


def _model_of(recipe: Recipe, namespace: argparse.Namespace) -> Embedder | None:
    return model_of(namespace) if needs_model(recipe) else None


def _rows(
    pipeline: Pipeline,
    documents: Mapping[str, Document],
    chunks: Mapping[str, Chunks],
    index: object,
    kind: VectorKind | None,
    *,
    progress: Progress,
) -> Rows:
    return join_rows(
        [
            pipeline.rows(
                name,
                document,
                chunks[name],
                kind,
                index=index,
                progress=on_document(progress, name),
            )
            for name, document in documents.items()
        ]
    )


def _print(
    namespace: argparse.Namespace,
    documents: Mapping[str, Document],
    chunks: Mapping[str, Chunks],
    found: Found,
    embedder: str | None,
) -> None:
    hits = [hit_json(hit, documents, chunks) for hit in found.hits]
    paths = dict(named(namespace.files))
    if namespace.json:
        print_json(
            {
                "documents": [
                    document_json(documents[name], str(paths[name])) for name in documents
                ],
                "hits": hits,
                "retrieval": found.mode,
                "vectors": namespace.vectors if embedder else None,
                "embedder": embedder,
                "rows": found.rows,
                "milliseconds": found.milliseconds,
                "index_recall": found.index_recall,
                "notices": notices_json(found.notices),
            }
        )
        return
    print_notices(found.notices, namespace)
    rows = [
        (
            hit.rank,
            hit.score,
            hit.document,
            hit.chunk + 1,
            hit.first_page + 1,
            " ".join(str(shown["text"]).split())[:TEXT_SHOWN],
        )
        for hit, shown in zip(found.hits, hits, strict=True)
    ]
    print_table(("rank", "score", "document", "chunk", "page", "text"), rows)


def hit_json(
    hit: serve.Hit, documents: Mapping[str, Document], chunks: Mapping[str, Chunks]
) -> dict[str, object]:
    """A hit as plain values; `gain` is known only in an evaluation."""
    made = chunks[hit.document]
    return {
        "rank": hit.rank,
        "score": hit.score,
        "document": hit.document,
        "chunk": hit.chunk,
        "spans": made.spans_of(hit.chunk).tolist(),
        "pages": [hit.first_page, hit.last_page],
        "text": made.text_of(hit.chunk, documents[hit.document].text),
        "gain": None,
    }
