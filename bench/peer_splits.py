# SPDX-License-Identifier: AGPL-3.0-or-later
"""The splits that `bench.peers` compares, each from cold; runs in the peers' environment.

Every splitter is built inside the timed call, so that no cache outlives a run. The vocabularies
are loaded before: a splitter does not pay for them. Time is CPU time of the process.
"""

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import tiktoken

from core.document.model import Document
from core.strategies import recursive, split_merge
from core.strategies.source import Source

SIZE = 400
PEERS = (
    "tiktoken",
    "langchain-text-splitters",
    "chonkie",
    "semchunk",
    "semantic-text-splitter",
    "llama-index-core",
)

Task = Callable[[str], int | None]  # text -> number of chunks


def main() -> int:
    """Run all tasks and print one JSON document."""
    parser = argparse.ArgumentParser()
    parser.add_argument("text", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    text = options.text.read_bytes().decode("utf-8")
    encoding = tiktoken.get_encoding("cl100k_base")
    tasks = _tasks(encoding)
    rows = [_measure(name, task, text, options.runs) for name, task in tasks.items()]
    yardstick = rows[0]["median"]
    for row in rows:
        row["ratio"] = row["median"] / yardstick
    result = {
        "bytes": len(text.encode()),
        "tokens": len(encoding.encode_ordinary(text)),
        "size": SIZE,
        "runs": options.runs,
        "python": sys.version.split()[0],
        "versions": {name: version(name) for name in (*PEERS, "quicktok-v1")},
        "tasks": rows,
    }
    json.dump(result, sys.stdout)
    return 0


def _measure(name: str, task: Task, text: str, runs: int) -> dict:
    print(name, file=sys.stderr)
    chunks = task(text)  # warm-up
    seconds = []
    for _ in range(runs):
        gc.collect()
        before = time.process_time()
        task(text)
        seconds.append(time.process_time() - before)
    return {
        "name": name,
        "median": statistics.median(seconds),
        "least": min(seconds),
        "chunks": chunks,
    }


def _tasks(encoding: tiktoken.Encoding) -> dict[str, Task]:
    return {
        "tiktoken: one cl100k encode": lambda text: _nothing(encoding.encode_ordinary(text)),
        "quicktok: one cl100k encode": _quicktok_encode,
        "Chunkscope RTF, cl100k": _rtf,
        "Chunkscope STM, cl100k": _stm,
        "chonkie Recursive": lambda text: _chonkie_recursive(text, encoding),
        "chonkie Token": lambda text: _chonkie_token(text, encoding),
        "chonkie Sentence": lambda text: _chonkie_sentence(text, encoding),
        "semchunk, with offsets": lambda text: _semchunk(text, encoding),
        "LangChain Recursive, tiktoken": _langchain,
        "llama-index SentenceSplitter": lambda text: _llama_index(text, encoding),
        "semantic-text-splitter, tiktoken": _semantic_text_splitter,
    }


def _nothing(value: object) -> None:
    return None


def _quicktok_encode(text: str) -> None:
    import quicktok

    quicktok.get_encoding("cl100k_base").encode_ordinary(text)


def _rtf(text: str) -> int:
    source = Source(Document(text), tokenizer="cl100k_base")
    return len(
        recursive.cut_by_tokens(recursive.prepare_token_fallback(source), size=SIZE, overlap=0)
    )


def _stm(text: str) -> int:
    prepared = split_merge.prepare_split(
        Source(Document(text)), separators="paper", attach="start", length="cl100k_base"
    )
    chunks = split_merge.split_then_merge(
        prepared,
        size=SIZE,
        overlap=0,
        merging="to_chunk_size",
        min_tokens=100,
        order="forward",
        size_rule="chunk_size_plus_overlap",
    )
    return len(chunks)


def _chonkie_recursive(text: str, encoding: tiktoken.Encoding) -> int:
    from chonkie import RecursiveChunker

    return len(RecursiveChunker(tokenizer=encoding, chunk_size=SIZE).chunk(text))


def _chonkie_token(text: str, encoding: tiktoken.Encoding) -> int:
    from chonkie import TokenChunker

    return len(TokenChunker(tokenizer=encoding, chunk_size=SIZE, chunk_overlap=0).chunk(text))


def _chonkie_sentence(text: str, encoding: tiktoken.Encoding) -> int:
    from chonkie import SentenceChunker

    return len(SentenceChunker(tokenizer=encoding, chunk_size=SIZE, chunk_overlap=0).chunk(text))


def _semchunk(text: str, encoding: tiktoken.Encoding) -> int:
    import semchunk

    chunks, _ = semchunk.chunkerify(encoding, SIZE)(text, offsets=True)
    return len(chunks)


def _langchain(text: str) -> int:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name="cl100k_base", chunk_size=SIZE, chunk_overlap=0
    )
    return len(splitter.split_text(text))


def _llama_index(text: str, encoding: tiktoken.Encoding) -> int:
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(
        chunk_size=SIZE, chunk_overlap=0, tokenizer=encoding.encode_ordinary
    )
    return len(splitter.split_text(text))


def _semantic_text_splitter(text: str) -> int:
    from semantic_text_splitter import TextSplitter

    # its own tokenizer is named after a model whose encoding is cl100k_base
    return len(TextSplitter.from_tiktoken_model("gpt-4", SIZE).chunks(text))


if __name__ == "__main__":
    sys.exit(main())
