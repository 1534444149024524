# SPDX-License-Identifier: AGPL-3.0-or-later
"""Words of sentences, as content density counts them: NLTK's Treebank words, marks included."""

from functools import lru_cache
from typing import Any

import numpy as np

from core.arrays import Indices, Spans
from core.units.nltk_parts import nltk_module
from core.units.sentences import punkt


def word_counts(text: str, spans: Spans) -> tuple[Indices, Indices]:
    """All and unique words of each span, int64 (n,) each.

    A span is split again by Punkt and each part by NLTK's improved Treebank tokenizer: marks of
    punctuation are words, case counts, a straight quote becomes an opening or closing mark.
    """
    counted = [_words(text[start:end]) for start, end in spans.tolist()]
    total = np.array([len(words) for words in counted], dtype=np.int64)
    unique = np.array([len(set(words)) for words in counted], dtype=np.int64)
    return total, unique


def _words(sentence: str) -> list[str]:
    tokenize = _treebank().tokenize
    return [word for part in punkt().tokenize(sentence) for word in tokenize(part)]


@lru_cache(maxsize=1)
def _treebank() -> Any:
    return nltk_module("nltk.tokenize.destructive").NLTKWordTokenizer()
