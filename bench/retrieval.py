# SPDX-License-Identifier: AGPL-3.0-or-later
"""Retrieval: hits after a slider tick, new queries, evaluations, statistics, a million rows.

Vectors are synthetic where rows are many: a mixture of 2,000 directions with noise
(`design/decisions.md` 26), so that neighbourhoods are as uneven as those of real texts.
"""

import contextlib
import json
import multiprocessing
import os
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil

from bench.documents import shared
from bench.report import Row, row, timed
from core.arrays import Vectors
from core.document.model import Document
from core.engine_process import EngineProcess
from core.errors import Cancelled
from core.pipeline import Pipeline
from core.search import serve
from core.search.evaluate import Contender, Options, evaluate
from core.search.index import ChunkIndex, Space, VectorIndex
from core.search.place import Place
from core.search.query_sets import load_query_set
from core.search.rows import Rows, join_rows, rows_of
from core.search.sender import RowSender
from core.search.serve import Question, Where
from core.search.statistics import DrawsFor, compare_columns, intervals
from core.strategies.chunks import one_span_chunks
from core.strategies.recipe import parse_recipe
from core.vectors.models import load_embedder
from core.vectors.remote import encode_queries, encode_texts
from gui.jobs import JobToken

DIMENSION, DIRECTIONS, SPREAD = 384, 2_000, 0.6
TICKS, QUERIES = 60, 100
LARGE_VARIABLE = "CHUNKSCOPE_BENCH_ROWS"  # rows of the largest index; 1,000,000 takes minutes
PART = 50_000
TEXTS = ("state_of_the_union", "wikitexts", "chatlogs")


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        rows = [*_ticks(Path(folder)), *_new_queries(Path(folder)), *_busy(Path(folder))]
        rows += _statistics()
        rows += _evaluation()
        large = int(os.environ.get(LARGE_VARIABLE, "0"))
        if large:
            rows += _large_index(Path(folder), large)
    return rows


def mixture(count: int, seed: int, dimension: int = DIMENSION) -> Vectors:
    """float32 (n, d): unit vectors around 2,000 directions, some of them much more common."""
    directions = np.random.default_rng(0).normal(size=(DIRECTIONS, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    generator = np.random.default_rng(seed)
    chosen = np.minimum(generator.exponential(DIRECTIONS / 4, count), DIRECTIONS - 1).astype(int)
    noise = generator.normal(size=(count, dimension)) * (SPREAD / np.sqrt(dimension))
    vectors = (directions[chosen] + noise).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def synthetic_rows(count: int, seed: int = 1, name: str = "document", length: int = 700) -> Rows:
    """Rows of one document: chunks edge to edge with texts of about 700 characters."""
    words = "the committee found that measured results of this section remain uncertain because "
    text = (words * (count * length // len(words) + 1))[: count * length]
    edges = np.arange(count + 1) * length
    chunks = one_span_chunks(np.column_stack([edges[:-1], edges[1:]]))
    return rows_of(name, Document(text, name), chunks, mixture(count, seed))


def _ticks(folder: Path) -> list[Row]:
    """The slider moves: a tenth of 2,000 chunks, or all, have other borders."""
    where = Where("ticks", Space("synthetic", "late"), str(folder / "ticks"))
    queries = mixture(TICKS, 7)
    plain = synthetic_rows(2_000, 1)
    other = synthetic_rows(2_000, 3, length=690)
    engine, sender = EngineProcess(), RowSender()
    measured: dict[str, list[float]] = {"a tenth of the chunks": [], "all chunks": []}
    try:
        sender.ask(engine, where, plain, Question("", queries[0]))
        for what, spent in measured.items():
            for tick in range(TICKS):
                rows = _mixed(plain, other, tick) if "tenth" in what else (plain, other)[tick % 2]
                question = Question("", queries[tick], 5)
                begin = time.perf_counter()
                sender.ask(engine, where, rows, question)
                spent.append((time.perf_counter() - begin) * 1000)
    finally:
        engine.close()
    return [
        row("hits after a tick, 2,000 chunks", what, spent, "ms", target="p95 50 ms")
        for what, spent in measured.items()
    ]


def _mixed(rows: Rows, other: Rows, tick: int) -> Rows:
    """The rows with every tenth one from another chunking; which ones depends on the tick."""
    keep = np.arange(len(rows)) % 10 != tick % 10
    taken = np.arange(len(other)) % 10 == tick % 10
    return join_rows([rows.take(keep), other.take(taken)])


def _new_queries(folder: Path) -> list[Row]:
    """A new query on 20,000 chunks, in each mode; the model is warm."""
    rows = synthetic_rows(20_000)
    where = Where("queries", Space("synthetic", "ordinary"), str(folder / "queries"))
    queries = mixture(QUERIES, 9)
    model = load_embedder("minilm")
    model.encode_queries(["warm"])
    serve.update_and_search(where, rows, Question("", queries[0]))
    found = [_encoded(model)]
    for mode in serve.MODES:
        text = "which measured results remain uncertain"
        asked = iter(
            Question(text, query, 5, mode) for query in np.concatenate([queries[:1], queries])
        )
        spent = timed(lambda asked=asked: serve.search(where, next(asked)), QUERIES)
        found.append(row("new query, 20,000 chunks", mode, spent, "ms", target="p95 50 ms"))
    return found


def _busy(folder: Path) -> list[Row]:
    """A new query is encoded and searched for while the engine makes vectors of long chunks."""
    engine, sender = EngineProcess(), RowSender()
    rows = synthetic_rows(2_000)
    where = Where("busy", Space("synthetic", "late"), str(folder / "busy"))
    begun = time.time()
    texts = [f"{begun} {i} " + "results of this section remain uncertain " * 60 for i in range(900)]
    cancel, spent = JobToken(lambda *_: None), []
    making = threading.Thread(target=_make_vectors, args=(engine, texts, cancel))
    try:
        sender.ask(engine, where, rows, Question("", rows.vectors[0]))
        engine.call_urgent(encode_queries, "minilm", None, ["warm"])
        making.start()
        for turn in range(QUERIES // 2):
            begin = time.perf_counter()
            (vector,) = engine.call_urgent(encode_queries, "minilm", None, [f"{begun} how {turn}"])
            sender.ask(engine, where, rows, Question("", vector))
            spent.append((time.perf_counter() - begin) * 1000)
            time.sleep(0.2)
    finally:
        cancel.cancel()
        making.join()
        engine.close()
    return [row("new query, 2,000 chunks", "while vectors are made", spent, "ms", target="100 ms")]


def _make_vectors(engine: EngineProcess, texts: list[str], cancel: JobToken) -> None:
    with contextlib.suppress(Cancelled):
        engine.call(encode_texts, "minilm", None, texts, cancel=cancel)


def _encoded(model) -> Row:  # noqa: ANN001 - any embedder
    now = time.time()  # or the cache on disk knows them from the last run
    texts = iter([f"how long is treatment {now + i} given" for i in range(QUERIES + 1)])
    spent = timed(lambda: model.encode_queries([next(texts)]), QUERIES)
    return row("new query, 20,000 chunks", "the query's vector", spent, "ms")


def _statistics() -> list[Row]:
    generator = np.random.default_rng(1)
    columns = generator.random((300, 20))
    pairs = [(a, b) for a in range(20) for b in range(a)]

    def all_of_it() -> None:
        draws = DrawsFor()
        intervals(columns, draws)
        compare_columns(columns, pairs, draws)

    spent = [each / 1000 for each in timed(all_of_it, 5)]
    what = "20 strategies, 300 questions, 10,000 resamples, all pairs, one measure"
    return [row("statistics", what, spent, "s", target="3 s")]


def _evaluation() -> list[Row]:
    """One strategy on the three public texts, vectors ready."""
    if shared("data/wikitexts.md") is None:
        return [row("evaluation", "276 questions", [], "s", note="no shared test data")]
    documents, query_sets = {}, []
    for name in TEXTS:
        path = shared(f"data/{name}.md")
        assert path is not None, "the texts are delivered together"
        documents[path.name] = Document(path.read_bytes().decode(), path.name)
        query_sets.append(load_query_set(path.with_name(f"{name}.queries.json")))
    model = load_embedder("minilm")
    recipe = Contender("FC", parse_recipe("FC:size=200,overlap=0"))
    spent: dict[str, list[float]] = {}
    for what, costs in (("with costs and latencies", True), ("without", False)):
        for turn in range(4):
            begin = time.perf_counter()
            evaluate(
                documents,
                query_sets,
                [recipe],
                stages=Pipeline(model),
                embedders=[model],
                options=Options(measure_costs=costs),
            )
            if turn:  # the first one makes the vectors
                spent.setdefault(what, []).append(time.perf_counter() - begin)
    return [
        row("evaluation, 276 questions, vectors ready", what, each, "s", target="5 s")
        for what, each in spent.items()
    ]


def _large_index(folder: Path, count: int) -> list[Row]:
    """Built and asked in processes of their own, so that their memory can be told."""
    place = folder / "large"
    context = multiprocessing.get_context("spawn")
    for work in (_build_large, _ask_large):
        process = context.Process(target=work, args=(place, count))
        process.start()
        process.join()
    told = json.loads((place / "told.json").read_text("utf-8"))
    built = json.loads((place / "built.json").read_text("utf-8"))
    group = f"{count:,} chunks, IVF-PQ"
    return [
        row(group, "search, k = 10", told["milliseconds"], "ms", target="p95 100 ms"),
        row(group, "recall@10 against exact", told["recalls"], "share", target="0.95"),
        row(group, "memory while searching", [told["memory"] / 1e9], "GB", target="2 GB"),
        row(group, "memory while building", [built["memory"] / 1e9], "GB"),
        row(group, "rows written", [built["write"]], "s"),
        row(group, "index built", [built["index"]], "s"),
    ]


def _large_table(place: Path) -> ChunkIndex:
    return ChunkIndex(Place(str(place), place), Space("synthetic", "ordinary"))


def _build_large(place: Path, count: int) -> None:
    table = _large_table(place)
    begin = time.perf_counter()
    for part in range(0, count, PART):
        size = min(PART, count - part)
        name = f"document {part // PART:04d}"
        table.update(synthetic_rows(size, 100 + part, name, length=40), within=[name])
    write = time.perf_counter() - begin
    begin = time.perf_counter()
    table.index_vectors(VectorIndex())
    built = time.perf_counter() - begin
    told = {"write": write, "index": built, "memory": _peak_memory()}
    (place / "built.json").write_text(json.dumps(told), "utf-8")


def _ask_large(place: Path, count: int) -> None:
    table, index = _large_table(place), VectorIndex()
    table.open()
    assert table.index_vectors(index), f"{count} rows are indexed"
    queries = mixture(QUERIES + 10, 5)
    for query in queries[QUERIES:]:
        table.nearest(query, 10, index=index)
    milliseconds, hits = [], []
    for query in queries[:QUERIES]:
        begin = time.perf_counter()
        hits.append(table.nearest(query, 10, index=index).keys)
        milliseconds.append((time.perf_counter() - begin) * 1000)
    memory = _peak_memory()  # before the exact searches, which are only for the comparison
    recalls = [
        float(np.isin(table.nearest(query, 10).keys, keys).mean())
        for query, keys in zip(queries[:50], hits, strict=False)
    ]
    told = {"milliseconds": milliseconds, "recalls": recalls, "memory": memory}
    (place / "told.json").write_text(json.dumps(told), "utf-8")


def _peak_memory() -> int:
    """Bytes: the greatest resident size so far."""
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    except ImportError:
        return psutil.Process().memory_info().rss
