# SPDX-License-Identifier: AGPL-3.0-or-later
"""BM25 by its definition (`spec/evaluation.md` 11): the reference for full text on small pools."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Values
from core.search.hits import Ranking, best_rows

K1, B = 1.2, 0.75  # the values of the clinical paper
_TERM = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, eq=False)
class Bm25:
    """The postings of n texts.

    postings: for each term the rows, int64 (m,), and how often each has it, float64 (m,).
    lengths: float64 (n,), terms of each text.
    """

    postings: dict[str, tuple[Indices, Values]]
    lengths: Values
    k1: float = K1
    b: float = B

    def scores(self, query: str) -> Values:
        """float64 (n,): the score of each text, −inf where it has no term of the query."""
        n = len(self.lengths)
        total = np.full(n, -np.inf)
        average = float(self.lengths.mean()) if n else 0.0
        for term in terms(query):
            rows, counts = self.postings.get(term, (None, None))
            if rows is None or counts is None:
                continue
            idf = np.log1p((n - len(rows) + 0.5) / (len(rows) + 0.5))
            length_part = 1 - self.b + self.b * self.lengths[rows] / average
            added = idf * counts * (self.k1 + 1) / (counts + self.k1 * length_part)
            total[rows] = np.where(np.isinf(total[rows]), 0.0, total[rows]) + added
        return total

    def search(self, query: str, k: int) -> Ranking:
        """The k best texts; none when no term of the query is known."""
        return best_rows(self.scores(query), k)


def terms(text: str) -> list[str]:
    """Lower-cased runs of word characters; no stemming, no stop words."""
    return _TERM.findall(text.lower())


def index_texts(texts: Sequence[str], *, k1: float = K1, b: float = B) -> Bm25:
    """Count the terms of all texts."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    lengths = np.zeros(len(texts))
    for row, text in enumerate(texts):
        counts = Counter(terms(text))
        lengths[row] = counts.total()
        for term, count in counts.items():
            rows, numbers = found.setdefault(term, ([], []))
            rows.append(row)
            numbers.append(count)
    postings = {
        term: (np.array(rows, np.int64), np.array(numbers, np.float64))
        for term, (rows, numbers) in found.items()
    }
    return Bm25(postings, lengths, k1, b)
