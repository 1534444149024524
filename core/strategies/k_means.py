# SPDX-License-Identifier: AGPL-3.0-or-later
"""k-means of the words of texts, with the clusters that scikit-learn finds.

scikit-learn finds the centres of one start after the other, and each step of each goes over all
texts. Here a step of several starts is one product of matrices, and threads share the starts. The
numbers that are drawn, the sums and their order are its own, so the clusters are the same ones.
"""

import math
import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor  # noqa: TID251 - products of matrices, no Qt
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Values
from core.cancel import CancelToken, Progress
from core.strategies.lloyd import Lloyd

AT_ONCE = 5  # starts whose distances are in memory together
MOST_THREADS = 4

# What starts begin with; see `_draws`.
Draws = Sequence[tuple[int, Values]]


@dataclass(frozen=True, slots=True, eq=False)
class WordWeights:
    """TF-IDF of n texts, as the arrays of a sparse matrix in rows.

    weights: float64 (m,), words: int32 (m,), their columns. pointers: int32 (n + 1,), text i has
    the weights `[i]` to `[i + 1]`. vocabulary: how many words there are.
    """

    weights: Values
    words: NDArray[np.int32]
    pointers: NDArray[np.int32]
    vocabulary: int

    def __len__(self) -> int:
        return len(self.pointers) - 1

    def rows(self) -> Any:
        """The same as a sparse matrix of scipy, (n, vocabulary)."""
        from scipy.sparse import csr_matrix

        parts = (self.weights, self.words, self.pointers)
        return csr_matrix(parts, shape=(len(self), self.vocabulary))


def word_weights(
    texts: list[str], *, cancel: CancelToken, progress: Progress
) -> WordWeights | None:
    """TF-IDF of each text by the defaults of scikit-learn; None without any word."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    cancel.check()
    del progress
    try:
        rows = TfidfVectorizer().fit_transform(texts)
    except ValueError:  # its word for an empty vocabulary
        return None
    return WordWeights(rows.data, rows.indices, rows.indptr, rows.shape[1])


def k_means(
    weights: WordWeights, k: int, seed: int, starts: int, *, cancel: CancelToken, progress: Progress
) -> Indices:
    """int64 (n,): the cluster of each text, by first appearance.

    Those of `KMeans(k, random_state=seed, n_init=starts)`: of all starts the one with the least
    sum of squared distances. With fewer texts than `k` there are as many clusters as texts.
    """
    from sklearn.exceptions import ConvergenceWarning

    lloyd = Lloyd(weights.rows())

    def fit(draws: Draws) -> list[tuple[Indices, float]]:
        return [lloyd.fit(first, cancel=cancel) for first in _chosen_rows(lloyd.rows, draws)]

    threads = min(os.cpu_count() or 1, MOST_THREADS)
    groups = _groups(_draws(len(weights), min(k, len(weights)), seed, starts), threads)
    best, least, done = np.full(len(weights), -1), np.inf, 0
    with ThreadPoolExecutor(threads) as pool, warnings.catch_warnings():
        # fewer different texts than clusters: what is found is taken
        warnings.simplefilter("ignore", ConvergenceWarning)
        for found in pool.map(fit, groups):
            for clusters, inertia in found:
                labels = _by_first_appearance(clusters)
                # the same clusters again may have a lower sum by rounding
                if inertia < least and not np.array_equal(labels, best):
                    best, least = labels, inertia
            done += len(found)
            progress(done, starts, "starts")
    return best


def _draws(n: int, k: int, seed: int, starts: int) -> Draws:
    """For each start the number of its first text, and float64 (k − 1, tries) from 0 to 1."""
    random = np.random.RandomState(seed)
    tries = 2 + int(np.log(k))
    return [
        (random.choice(n, p=np.full(n, 1.0) / n), random.uniform(size=(k - 1, tries)))
        for _ in range(starts)
    ]


def _groups(draws: Draws, threads: int) -> list[Draws]:
    """The starts in groups, one for each thread or more."""
    size = min(math.ceil(len(draws) / threads), AT_ONCE)
    return [draws[at : at + size] for at in range(0, len(draws), size)]


def _chosen_rows(rows: Any, draws: Draws) -> Indices:
    """int64 (starts, k): the texts that k-means++ chooses, as scikit-learn does.

    Of each draw these are its first text, and k − 1 of those that its numbers try. A text is tried
    with a chance that grows as its squared distance to the nearest one chosen before; of several
    that are tried the one that leaves the least distances is chosen.
    """
    from sklearn.metrics import euclidean_distances
    from sklearn.utils.extmath import row_norms

    n, columns, norms = rows.shape[0], rows.T.tocsr(), row_norms(rows, squared=True)
    ones, every = np.ones((n, 1)), range(len(draws))

    def of_first(text: int) -> Values:
        # of a dense row, as scikit-learn has it: its products are summed in another order
        found: Values = euclidean_distances(
            rows[[text]].toarray(), rows, Y_norm_squared=norms[None], squared=True
        )[0]
        return found

    def distances(tried: Indices) -> Values:
        found: Values = (rows[tried.ravel()] @ columns).toarray()
        found *= -2
        found += norms[tried.ravel(), None]
        found += norms
        return np.maximum(found, 0, out=found).reshape(*tried.shape, n)

    chosen = [np.array([first for first, _ in draws])]
    nearest = np.stack([of_first(first) for first in chosen[0]])
    sums = [nearest[[i]] @ ones[:, 0] for i in every]
    for tries in np.stack([numbers for _, numbers in draws], axis=1):
        tried = np.stack(
            [np.searchsorted(np.cumsum(nearest[i]), tries[i] * sums[i]) for i in every]
        ).clip(max=n - 1)
        left = distances(tried)
        np.minimum(left, nearest[:, None], out=left)
        # one start after the other: of several at once the sums have another order
        totals = [left[i] @ ones for i in every]
        least = np.array([each.argmin() for each in totals])
        nearest, sums = left[every, least], [totals[i][least[i]] for i in every]
        chosen.append(tried[every, least])
    return np.stack(chosen, axis=1)


def _by_first_appearance(labels: Indices) -> Indices:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[inverse]
