# SPDX-License-Identifier: AGPL-3.0-or-later
"""Our strategies beside other splitters on the three public texts, ordinary and late vectors.

`python -m bench.retrieval_quality [--peers] [--out DIR]` prints the tables of
`docs/retrieval.md`. With `--peers` the other splitters run in their own environment
(`make bench-peers` makes it). Records are kept in DIR, so that an interrupted run goes on.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.documents import shared
from bench.peers import FOLDER, ROOT, make_environment
from core.arrays import as_spans
from core.document.model import Document
from core.pipeline import Pipeline
from core.search.evaluate import Contender, Evaluation, Options, evaluate
from core.search.evaluation_json import evaluation_json
from core.search.query_sets import QuerySet, load_query_set
from core.strategies.chunks import Chunks, one_span_chunks
from core.strategies.recipe import parse_recipe
from core.vectors.embedder import VectorKind
from core.vectors.models import load_embedder

TEXTS = ("state_of_the_union", "wikitexts", "chatlogs")
OURS = (
    "FC:size=200,overlap=0",
    "FC:size=400,overlap=0",
    "FC:size=400,overlap=200",
    "RTF:size=200,overlap=0",
    "RTF:size=400,overlap=0",
    "STM:size=200",
    "STM:size=400",
    "SGC",
    "PGC",
    "DFC",
    "SEBC",
)
COLUMNS = ("recall", "precision", "iou", "precision_omega", "survival", "whole_at_k", "hit")
OUT = ROOT / "build" / "bench" / "retrieval_quality"


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate everything and print one table for each kind of vectors."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval_quality", description=__doc__)
    parser.add_argument("--peers", action="store_true", help="also the other splitters")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--vectors", nargs="+", default=["ordinary", "late", "windows"])
    parser.add_argument("--strategies", nargs="+", default=list(OURS))
    options = parser.parse_args(arguments)
    paths = [shared(f"data/{name}.md") for name in TEXTS]
    files = [path for path in paths if path is not None]
    if len(files) < len(TEXTS):
        print("no shared test data: set CHUNKSCOPE_SHARED to its folder", file=sys.stderr)
        return 1
    documents = {path.name: Document(path.read_bytes().decode(), path.name) for path in files}
    query_sets = [load_query_set(path.with_name(f"{path.stem}.queries.json")) for path in files]
    contenders = [Contender(word, parse_recipe(word)) for word in options.strategies]
    if options.peers:
        contenders += [Contender(n, foreign=c) for n, c in peer_chunks(files).items()]
    for kind in options.vectors:
        found = run(documents, query_sets, contenders, kind, options.out)
        written = options.out / f"{kind}.json"
        written.write_text(json.dumps(evaluation_json(found), allow_nan=False), "utf-8")
        print(f"\n### {kind} vectors\n\n{table(found)}", flush=True)
    return 0


def run(
    documents: Mapping[str, Document],
    query_sets: Sequence[QuerySet],
    contenders: Sequence[Contender],
    kind: VectorKind,
    folder: Path,
) -> Evaluation:
    """Evaluate with MiniLM, top 5, exact search, one pool."""
    model = load_embedder("minilm")
    return evaluate(
        documents,
        query_sets,
        contenders,
        stages=Pipeline(model),
        options=Options(vectors=kind, measure_costs=False),
        embedders=[model],
        folder=folder / kind,
        progress=lambda done, total, what: print(f"{kind}: {done}/{total}", file=sys.stderr),
    )


def peer_chunks(files: Sequence[Path]) -> dict[str, dict[str, Chunks]]:
    """The other splitters' chunks by their name and the file's."""
    done = subprocess.run(
        [make_environment(FOLDER), "-m", "bench.peer_chunks", *files],
        cwd=ROOT,
        env={**os.environ, "TIKTOKEN_CACHE_DIR": str(FOLDER / "tiktoken")},
        stdout=subprocess.PIPE,
        check=True,
    )
    return {
        name: {file: one_span_chunks(as_spans(spans)) for file, spans in by_file.items()}
        for name, by_file in json.loads(done.stdout).items()
    }


def table(evaluation: Evaluation) -> str:
    """Percent, MRR as a number; best recall first."""
    head = ["strategy", "chunks", *COLUMNS, "MRR@5", "P@1", "nDCG@5", "recall, 95 %", "not read"]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for result in sorted(evaluation.results, key=lambda r: -(r.measures["recall"].mean or 0)):
        means = {name: each.mean or 0.0 for name, each in result.measures.items()}
        recall = result.measures["recall"]
        cells = [
            str(result.record.parameters["name"]),
            f"{result.record.chunks:,}",
            *(f"{100 * means[name]:.1f}" for name in COLUMNS),
            f"{means['mrr']:.3f}",
            f"{100 * means['p_at_1']:.1f}",
            f"{means['ndcg']:.3f}",
            f"{100 * (recall.low or 0):.1f}–{100 * (recall.high or 0):.1f}",
            f"{100 * result.record.tail['unseen']:.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
