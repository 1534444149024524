# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks of other splitters as spans of the text; runs in the peers' environment.

`python -m bench.peer_chunks FILE…` prints `{splitter: {file name: [[start, end], …]}}`. Where a
splitter tells offsets that are right, they are taken; else each chunk is looked for after the
start of the one before.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import tiktoken

SIZE = 400
Spans = list[tuple[int, int]]


def main(files: Sequence[str]) -> int:
    """Print the chunks of all splitters."""
    encoding = tiktoken.get_encoding("cl100k_base")
    texts = {Path(file).name: Path(file).read_bytes().decode("utf-8") for file in files}
    splitters = _splitters(encoding)
    found = {
        name: {file: split(text) for file, text in texts.items()}
        for name, split in splitters.items()
    }
    json.dump(found, sys.stdout)
    return 0


def _splitters(encoding: tiktoken.Encoding) -> dict[str, Callable[[str], Spans]]:
    return {
        "fixed tokens 400/0": lambda text: _fixed(text, encoding, 0),
        "fixed tokens 400/200": lambda text: _fixed(text, encoding, 200),
        "LangChain Recursive 400/0": _langchain,
        "chonkie Sentence 400/200": lambda text: _chonkie(text, encoding),
        "semchunk 400/0": lambda text: _semchunk(text, encoding),
    }


def _fixed(text: str, encoding: tiktoken.Encoding, overlap: int) -> Spans:
    """Every `SIZE - overlap` tokens, until a chunk reaches the end."""
    ids = encoding.encode(text, disallowed_special=())
    edges = [*encoding.decode_with_offsets(ids)[1], len(text)]
    spans: Spans = []
    for start in range(0, len(ids), SIZE - overlap):
        end = min(start + SIZE, len(ids))
        spans.append((edges[start], edges[end]))
        if end == len(ids):
            break
    return spans


def _langchain(text: str) -> Spans:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name="cl100k_base", chunk_size=SIZE, chunk_overlap=0
    )
    return _in_order(text, splitter.split_text(text))


def _chonkie(text: str, encoding: tiktoken.Encoding) -> Spans:
    from chonkie import SentenceChunker

    chunker = SentenceChunker(tokenizer=encoding, chunk_size=SIZE, chunk_overlap=200)
    chunks = chunker.chunk(text)
    spans = [(chunk.start_index, chunk.end_index) for chunk in chunks]
    _check(text, spans, [chunk.text for chunk in chunks])
    return spans


def _semchunk(text: str, encoding: tiktoken.Encoding) -> Spans:
    import semchunk

    chunks, offsets = semchunk.chunkerify(encoding, SIZE)(text, offsets=True)
    spans = [(start, end) for start, end in offsets]
    _check(text, spans, chunks)
    return spans


def _in_order(text: str, chunks: Sequence[str]) -> Spans:
    spans: Spans = []
    start = -1
    for chunk in chunks:
        start = text.index(chunk, start + 1)
        spans.append((start, start + len(chunk)))
    return spans


def _check(text: str, spans: Spans, chunks: Sequence[str]) -> None:
    for (start, end), chunk in zip(spans, chunks, strict=True):
        if text[start:end] != chunk:
            raise ValueError(f"the splitter says [{start}, {end}), where another text stands")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
