# SPDX-License-Identifier: AGPL-3.0-or-later
"""Scores: after one boundary moved, for a new chunking, and the throughput of exact vectors."""

import time
from dataclasses import replace

import numpy as np

from bench.documents import REPORT, book
from bench.report import Row, row, timed
from core.document.model import Document
from core.document.read import read_document
from core.pipeline import Pipeline
from core.scores.options import ScoreOptions
from core.strategies.chunks import Chunks
from core.strategies.recipe import make_recipe
from core.vectors.cache import VectorCache
from core.vectors.models import load_embedder

EVENTS = 60
TEXTS = 300


def measure() -> list[Row]:
    """All rows of this file."""
    rows = _document(read_document(REPORT), "50 pages", "16 ms")
    long = book()
    if long is not None:
        rows += _document(read_document(long), "350 pages", "50 ms")
    return [*rows, _throughput()]


def _document(document: Document, name: str, target: str) -> list[Row]:
    pipeline = Pipeline(load_embedder("minilm"))
    chunks = pipeline.chunk(make_recipe("STM", {"size": 300}), document)
    pipeline.token_vectors(document)
    options = ScoreOptions()
    pipeline.follow_scores(document, chunks, options, slot=0)
    moved = []
    for k in range(EVENTS):
        chunks = _with_moved_cut(chunks, 1 + k * 7 % max(1, len(chunks) - 2), 3 + k % 5)
        begin = time.perf_counter()
        pipeline.follow_scores(document, chunks, options, slot=0)
        moved.append((time.perf_counter() - begin) * 1000)
    sizes = [make_recipe("FC", {"size": 200 + 10 * k}) for k in range(10)]
    made = [pipeline.chunk(recipe, document) for recipe in sizes]
    new = []
    for other in made:
        begin = time.perf_counter()
        pipeline.score(document, other, options, policy="late")
        new.append((time.perf_counter() - begin) * 1000)
    return [
        row("five scores after one boundary moved", name, moved, "ms", target=f"p95 {target}"),
        row(
            "five scores for a new chunking, late vectors",
            name,
            new,
            "ms",
            target="100 ms" if name == "50 pages" else "",
        ),
    ]


def _with_moved_cut(chunks: Chunks, index: int, by: int) -> Chunks:
    spans = chunks.spans.copy()
    limit = spans[index, 1] - 1
    place = min(int(spans[index, 0]) + by, int(limit))
    spans[index - 1, 1] = spans[index, 0] = place
    return replace(chunks, spans=spans)


def _throughput() -> Row:
    """Ours against one bare `model.encode` over the same unique texts."""
    document = read_document(REPORT)
    pipeline = Pipeline()
    sentences = pipeline.source(document).sentences()
    texts = list(dict.fromkeys(document.text[a:b] for a, b in sentences.tolist()))[:TEXTS]
    embedder = load_embedder("minilm", cache=VectorCache())
    model = embedder._model  # type: ignore[attr-defined]  # the yardstick is the bare library
    model.encode(texts[:8])
    ratios = []
    for _ in range(3):
        bare = timed(lambda: model.encode(texts, show_progress_bar=False), 1, warm_up=0)[0]
        fresh = load_embedder("minilm", cache=VectorCache())
        ours = timed(lambda fresh=fresh: fresh.encode(texts), 1, warm_up=0)[0]
        ratios.append(bare / ours)
    note = f"{len(texts)} sentences, {np.mean([len(t) for t in texts]):.0f} characters"
    return row("exact vectors", "bare encode / ours", ratios, "ratio", target="0.9", note=note)
