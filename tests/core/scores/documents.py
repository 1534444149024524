# SPDX-License-Identifier: AGPL-3.0-or-later
"""A text with sentences, blocks and pairs, chunkings of it, and a small model for late vectors."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.arrays import Spans, Vectors, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.scores.inputs import ScoreInputs
from core.scores.pairs import as_pairs
from core.scores.vector_supply import Policy, VectorSupply
from core.strategies.chunks import Chunks, no_reasons, one_span_chunks
from core.vectors.late import TokenVectors, prefix_sums

WORD = re.compile(r"\w+")
NOUNS = ("Board", "dose", "patient", "report", "kidney", "clinic", "table", "nurse", "risk")


@lru_cache
def _word_vector(word: str) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(24)


@dataclass(frozen=True)
class WordModel:
    """A mean-pooling model of its own words: exact and late vectors differ by the context."""

    id: str = "words"
    dimension: int = 24
    window: int | None = 40
    has_token_vectors: bool = True

    def encode(
        self, texts: Sequence[str], cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            words = WORD.findall(text)[: (self.window or 0) - 2]
            total = sum((_word_vector(word) for word in words), np.zeros(self.dimension))
            rows[row] = total / (np.linalg.norm(total) or 1.0)
        return rows

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode(texts)

    def pieces(self, text: str) -> Spans:
        return as_spans([match.span() for match in WORD.finditer(text)])


def token_vectors(text: str) -> TokenVectors:
    """Word vectors with a little of the word before."""
    model = WordModel()
    pieces = model.pieces(text)
    rows = np.array([_word_vector(text[a:b]) for a, b in pieces.tolist()]).reshape(-1, 24)
    rows[1:] += 0.3 * rows[:-1]
    prefix, offsets = prefix_sums(rows.astype(np.float32))
    return TokenVectors(pieces, prefix, offsets, window=38, overlap=0.5)


def word_supply(text: str, policy: Policy) -> VectorSupply:
    return VectorSupply(text, WordModel(), policy, lambda: token_vectors(text))


def document(sentences: int, seed: int = 0) -> ScoreInputs:
    """Prose of random words with all that scores need."""
    random = np.random.default_rng(seed)
    text, spans, blocks, pairs = "", [], [], []
    block = 0
    for number in range(sentences):
        start = len(text)
        noun = NOUNS[random.integers(len(NOUNS))]
        filler = " ".join(random.choice(NOUNS, random.integers(2, 9)).tolist())
        entity = (start + 4, start + 4 + len(noun))
        text += f"The {noun} {filler}"
        pronoun = len(text) + 5
        text += " and it grows."
        pairs.append((*entity, pronoun, pronoun + 2))
        if number and random.random() < 0.5:
            pairs.append((*pairs[max(0, len(pairs) - 3)][:2], pronoun, pronoun + 2))
        spans.append((start, len(text)))
        if random.random() < 0.3 or number == sentences - 1:
            blocks.append((block, len(text)))
            text += "\n\n"
            block = len(text)
        else:
            text += " "
    boilerplate = blocks[2:3]
    return ScoreInputs(
        text, as_spans(blocks), as_spans(boilerplate), as_spans(spans), as_pairs(pairs)
    )


def several_spans(lists: Sequence[Sequence[tuple[int, int]]]) -> Chunks:
    """Chunks of the given lists of spans."""
    if all(len(each) == 1 for each in lists):
        return one_span_chunks(as_spans([each[0] for each in lists]))
    n = len(lists)
    minus = np.full(n, -1, np.int64)
    return Chunks(
        as_spans([span for each in lists for span in each]),
        np.concatenate(([0], np.cumsum([len(each) for each in lists]))),
        no_reasons(n),
        no_reasons(n),
        np.zeros(n, np.int8),
        minus,
        minus,
        minus,
    )
