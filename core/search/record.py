# SPDX-License-Identifier: AGPL-3.0-or-later
"""One configuration of an evaluation: chunks made, embedded, searched and measured once."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import msgspec
import numpy as np

from core.arrays import Spans, as_spans
from core.errors import ModelError
from core.search.case import Asked, Case, Contender
from core.search.costs import machine
from core.search.duplicates import DuplicatePair, duplicate_pairs
from core.search.evaluation import RECORD_VERSION, QuestionRecord, Record
from core.search.index import Space
from core.search.made import Made, configuration_costs, made_chunks
from core.search.place import corpus_name
from core.search.pool import Pool
from core.search.query_sets import write_whole
from core.search.question_record import Measuring, false_alarms, question_record
from core.search.retriever import retrieve
from core.search.serve import Where
from core.vectors.embedder import Embedder, VectorKind
from core.vectors.models import find_model
from core.vectors.tail import tails_of_texts

EXTRA_DEPTH = 10  # results behind the last k, to move up when duplicates are taken out


def record_of(case: Case, contender: Contender, embedder: Embedder | None, asked: Asked) -> Record:
    """The record of one configuration: from the folder, or made and kept there."""
    key = record_key(case, contender, embedder, asked)
    path = None if case.folder is None else case.folder / "records" / f"{key[:32]}.json"
    if path is not None and path.exists():
        stored = _read_record(path)
        if stored is not None and stored.key == key:
            return stored
    record = _measured(case, contender, embedder, asked, key)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(record).decode())
    return record


def record_key(case: Case, contender: Contender, embedder: Embedder | None, asked: Asked) -> str:
    """What a record depends on, as a hash: documents, questions, chunks, model, options."""
    foreign = contender.foreign or {}
    revision = getattr(embedder, "revision", "")
    parts = (
        RECORD_VERSION,
        contender.name,
        contender.parameters,
        sorted((name, chunks.key) for name, chunks in foreign.items()),
        sorted((name, document.key) for name, document in asked.documents.items()),
        [(q.query, q.placements, q.set_name) for q in (*asked.questions, *asked.unanswerable)],
        (embedder.id, revision, embedder.window) if embedder else None,
        asked.name,
        case.options,
        sorted(case.judgements.by_place.items()),
        case.intrinsic is not None,
    )
    return hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()


def _measured(
    case: Case, contender: Contender, embedder: Embedder | None, asked: Asked, key: str
) -> Record:
    options = case.options
    made = made_chunks(case, contender, embedder, asked)
    texts = [query.query.question for query in (*asked.questions, *asked.unanswerable)]
    vectors = embedder.encode_queries(texts) if embedder is not None else None
    model = f"{embedder.id}@{getattr(embedder, 'revision', '')}" if embedder else ""
    corpus = corpus_name(document.key for document in asked.documents.values())
    where = Where(f"evaluation-{corpus}", Space(model, options.vectors, contender.name))
    depth = max(options.depths) + (EXTRA_DEPTH if options.without_duplicates else 0)
    retrieved = retrieve(
        made.rows,
        texts,
        vectors,
        where,
        mode=options.retrieval,
        depth=depth,
        reranker=options.reranker,
        cancel=case.cancel,
    )
    pool, tail = _pool(made, asked, embedder, options.vectors)
    spans = np.column_stack([made.rows.starts, made.rows.ends])
    pairs = duplicate_pairs(made.rows.texts, made.rows.owners, spans, cancel=case.cancel)
    alike = frozenset((pair.first, pair.second) for pair in pairs)
    measuring = Measuring(case, asked, made.rows, pool, retrieved, alike)
    questions = []
    for number in range(len(asked.questions)):
        case.cancel.check()
        questions.append(question_record(measuring, number))
    tail["gold_unseen"] = _unseen_gold(questions)
    return Record(
        RECORD_VERSION,
        key,
        contender.code,
        contender.parameters | {"name": contender.name},
        embedder.id if embedder else None,
        _prefix(embedder),
        options.retrieval,
        options.vectors if embedder else None,
        options.reranker,
        asked.name,
        options.k,
        options.seed,
        asdict(options.thresholds),
        len(made.rows),
        len(made.rows.without_vector),
        tail,
        _pair_counts(pairs),
        retrieved.index_recall,
        false_alarms(retrieved, questions, len(asked.questions), options),
        configuration_costs(case, made, where, vectors=vectors, embedder=embedder, texts=texts),
        _intrinsic(case, asked, made),
        questions,
        [notice.message for notice in retrieved.notices],
        machine(),
    )


def _pool(
    made: Made, asked: Asked, embedder: Embedder | None, kind: VectorKind
) -> tuple[Pool, dict[str, float]]:
    """The rows as chunks on the axis, and the summary of what the model does not read."""
    rows = made.rows
    spans: list[Spans] = []
    counts = np.zeros(len(rows), np.int64)
    bases = [asked.axis.base(name) for name in rows.documents]
    for row, (owner, chunk) in enumerate(
        zip(rows.owners.tolist(), rows.chunks.tolist(), strict=True)
    ):
        own = made.chunks[rows.documents[owner]].spans_of(chunk)
        spans.append(own + bases[owner])
        counts[row] = len(own)
    pointers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    every = np.concatenate(spans) if spans else as_spans([])
    ends = np.array([own[-1, 1] for own in spans], np.int64)
    pool = Pool(every, pointers, ends)
    if embedder is None or kind != "ordinary" or embedder.window is None or not len(rows):
        return pool, {"chunks": 0.0, "unseen": 0.0}
    headers = _header_lengths(made)
    tails = tails_of_texts(rows.texts, embedder, header_lengths=headers)
    has_tail = tails.cuts >= 0
    # of chunks of one span; a longer chunk's joins shift the place by a character each
    seen = np.where(has_tail, np.minimum(pool.spans[pointers[:-1], 0] + tails.cuts, ends), ends)
    unseen = (ends - seen).sum() / max(int(pool.lengths.sum()), 1)
    summary = {"chunks": float(has_tail.mean()), "unseen": float(unseen)}
    return replace(pool, seen_ends=seen), summary


def _header_lengths(made: Made) -> list[int]:
    """Characters of each row's text that stand before the chunk's own."""
    lengths = []
    rows = made.rows
    for owner, chunk in zip(rows.owners.tolist(), rows.chunks.tolist(), strict=True):
        headers = made.chunks[rows.documents[owner]].headers
        header = headers[chunk] if headers else ""
        lengths.append(len(header) + 1 if header else 0)
    return lengths


def _unseen_gold(questions: Sequence[QuestionRecord]) -> float:
    """The share of the gold characters that the model reads in no chunk."""
    gold = [(each.seen, each.end - each.start) for q in questions for each in q.gold]
    size = sum(length for _, length in gold)
    return sum((1 - seen) * length for seen, length in gold) / size if size else 0.0


def _pair_counts(pairs: Sequence[DuplicatePair]) -> dict[str, int]:
    apart = [pair for pair in pairs if not pair.overlaps]
    return {
        "overlap_pairs": len(pairs) - len(apart),
        "near_duplicates": sum(pair.kind == "near-duplicate" for pair in apart),
        "contained": sum(pair.kind == "contained" for pair in apart),
    }


def _prefix(embedder: Embedder | None) -> str:
    """The prefixes of queries and documents, as they are shown in the header of a result."""
    if embedder is None:
        return ""
    try:
        entry = find_model(embedder.id)
    except ModelError:
        return ""
    return f"query '{entry.query_prefix}', document '{entry.document_prefix}'"


def _intrinsic(case: Case, asked: Asked, made: Made) -> dict[str, float | None]:
    """Each intrinsic score, mean over the documents that have it."""
    if case.intrinsic is None:
        return {}
    found: dict[str, list[float]] = {}
    for name, document in asked.documents.items():
        for score, value in case.intrinsic(document, made.chunks[name]).items():
            kept = found.setdefault(score, [])
            if value is not None:
                kept.append(value)
    return {score: float(np.mean(each)) if each else None for score, each in found.items()}


def _read_record(path: Path) -> Record | None:
    """A stored record, or None when it is damaged or of another version."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Record)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
