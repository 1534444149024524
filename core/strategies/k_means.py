# SPDX-License-Identifier: AGPL-3.0-or-later
"""k-means of the words of texts: scikit-learn's, with the starting centres of all starts at once.

scikit-learn finds the centres of one start after the other, and each step of each goes over all
texts. Here a step of all starts is one product of matrices. The numbers that are drawn, the sums
and their order are its own, so the clusters are the same ones.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Values
from core.cancel import CancelToken, Progress

AT_ONCE = 10  # starts whose distances are in memory together


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
    from threadpoolctl import threadpool_limits

    rows = weights.rows()
    best, least = np.full(len(weights), -1), np.inf
    # a round is too short for several threads: they wait for each other as long as they work
    with threadpool_limits(1, user_api="openmp"):
        for number, centres in enumerate(_starting_rows(rows, min(k, len(weights)), seed, starts)):
            cancel.check()
            progress(number, starts, "starts")
            found = _fitted(rows, centres)
            labels = _by_first_appearance(found.labels_)
            # the same clusters again may have a lower sum by rounding
            if found.inertia_ < least and not np.array_equal(labels, best):
                best, least = labels, found.inertia_
    return best


def _fitted(rows: Any, centres: Indices) -> Any:
    """scikit-learn's k-means from these texts as the first centres."""
    from sklearn import config_context
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    # what `word_weights` made need not be looked through again for every start
    with config_context(assume_finite=True), warnings.catch_warnings():
        # fewer different texts than clusters: what is found is taken
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(len(centres), init=rows[centres].toarray(), n_init=1).fit(rows)


def _starting_rows(rows: Any, k: int, seed: int, starts: int) -> Iterator[Indices]:
    """int64 (k,) for each start: the texts that k-means++ chooses, as scikit-learn does."""
    random = np.random.RandomState(seed)
    n, trials = rows.shape[0], 2 + int(np.log(k))
    for some in range(0, starts, AT_ONCE):
        draws = [
            (random.choice(n, p=np.full(n, 1.0) / n), random.uniform(size=(k - 1, trials)))
            for _ in range(min(AT_ONCE, starts - some))
        ]
        yield from _chosen_rows(rows, draws)


def _chosen_rows(rows: Any, draws: Sequence[tuple[int, Values]]) -> Indices:
    """int64 (starts, k): of each draw, its first text, and k − 1 of those that its numbers try.

    A text is tried with a chance that grows as its squared distance to the nearest one chosen
    before; of several that are tried the one that leaves the least distances is chosen.
    """
    from sklearn.metrics import euclidean_distances
    from sklearn.utils.extmath import row_norms

    norms, ones = row_norms(rows, squared=True)[None], np.ones(rows.shape[0])

    def distances(tried: Indices) -> Values:
        found: Values = euclidean_distances(
            rows[tried.ravel()], rows, Y_norm_squared=norms, squared=True
        )
        return found.reshape(*tried.shape, -1)

    chosen = [np.array([first for first, _ in draws])]
    nearest = distances(chosen[0])
    sums = nearest @ ones
    every = np.arange(len(draws))
    for tries in np.stack([numbers for _, numbers in draws], axis=1):
        tried = np.stack(
            [np.searchsorted(np.cumsum(nearest[i]), tries[i] * sums[i]) for i in every]
        ).clip(max=rows.shape[0] - 1)
        left = np.minimum(distances(tried), nearest[:, None])
        totals = left @ ones
        least = totals.argmin(axis=1)
        nearest, sums = left[every, least], totals[every, least]
        chosen.append(tried[every, least])
    return np.stack(chosen, axis=1)


def _by_first_appearance(labels: Indices) -> Indices:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[inverse]
