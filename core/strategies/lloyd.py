# SPDX-License-Identifier: AGPL-3.0-or-later
"""The rounds of k-means over texts (Lloyd's), with the results of scikit-learn to the last bit.

Which cluster is nearest may hang on the last bit where texts are alike, and every later round on
that. So products and sums are those of scikit-learn's rounds in one thread, in the same order. Many
clusters are quicker here because one product serves them all, and because a cluster that no text
joined or left keeps its centre and its distances. A few are left to scikit-learn.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from core.arrays import Indices, Values
from core.cancel import CancelToken

FEW = 12  # clusters, for which scikit-learn's rounds are as quick
MOST_ROUNDS = 300
TOLERANCE = 1e-4  # of the words' mean variance: centres that move less have arrived


class Lloyd:
    """Texts that are to be clustered; `rows` is a sparse matrix of scipy, (n, vocabulary)."""

    def __init__(self, rows: Any) -> None:
        from sklearn.utils.sparsefuncs import mean_variance_axis

        self.rows = rows
        self._weights: Values = rows.data
        self._texts = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))  # of each weight
        self._words = rows.indices.astype(np.int64)
        _, variances = mean_variance_axis(rows, axis=0)
        self._least_shift = TOLERANCE * float(np.mean(variances))

    def fit(self, first: Indices, *, cancel: CancelToken) -> tuple[Indices, float]:
        """Cluster the texts, with those numbered `first`, int64 (k,), as the first centres.

        Returns int64 (n,), the cluster of each text, and the sum of the squared distances of the
        texts to the centres of their clusters.
        """
        from sklearn.utils.extmath import row_norms

        cancel.check()
        if len(first) < FEW:
            return self._fit_by_library(first)
        centres = self.rows[first].toarray()
        norms = row_norms(centres, squared=True)
        # without the text's own square, which changes nothing in the comparison of clusters
        distances = norms - 2 * (self.rows @ centres.T)
        labels, changed = distances.argmin(axis=1), np.arange(len(first))
        for _ in range(MOST_ROUNDS):
            cancel.check()
            counts = np.bincount(labels, minlength=len(first))
            if not counts.all():
                return self._fit_by_library(first)  # it has its own ways with an empty one
            moved = self._means(labels, changed, counts)
            squares = row_norms(moved, squared=True)
            shift = (squares + _mean_distances(distances, labels, counts)[changed]).sum()
            centres[changed], norms[changed] = moved, squares
            distances[:, changed] = squares - 2 * (self.rows @ moved.T)
            before, labels = labels, distances.argmin(axis=1)
            changed = _changed(before, labels)
            if shift <= self._least_shift or not len(changed):
                break
        return labels, self._inertia(labels, centres, norms)

    def _means(self, labels: Indices, clusters: Indices, counts: Indices) -> Values:
        """float64 (m, vocabulary): the mean weights of the texts of each of m clusters."""
        m, vocabulary = len(clusters), self.rows.shape[1]
        places = np.full(len(counts), m)  # the last row takes what is of no such cluster
        places[clusters] = np.arange(m)
        cells = (places * vocabulary)[labels][self._texts] + self._words
        sums = np.bincount(cells, self._weights, minlength=(m + 1) * vocabulary)
        reciprocals: Values = 1.0 / counts[clusters]
        return sums[: m * vocabulary].reshape(m, vocabulary) * reciprocals[:, None]

    def _inertia(self, labels: Indices, centres: Values, norms: Values) -> float:
        """The sum of the squared distances of the texts to the centres of their clusters."""
        at_words = centres[labels[self._texts], self._words]
        parts = (self._weights - at_words) ** 2 - at_words**2
        squares = np.bincount(self._texts, parts, minlength=len(labels)) + norms[labels]
        return float(np.cumsum(squares.clip(min=0))[-1])  # numpy's sum adds in another order

    def _fit_by_library(self, first: Indices) -> tuple[Indices, float]:
        """What scikit-learn finds. In one thread, whose sums have one order."""
        from sklearn import config_context
        from sklearn.cluster import KMeans

        one = _thread_pools().limit(limits=1, user_api="openmp")
        with config_context(assume_finite=True), one:  # what is given was looked through before
            found = KMeans(len(first), init=self.rows[first].toarray(), n_init=1).fit(self.rows)
        return found.labels_, float(found.inertia_)


@lru_cache(maxsize=1)
def _thread_pools() -> Any:
    """The libraries with threads of their own; to find them takes a millisecond."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _mean_distances(distances: Values, labels: Indices, counts: Indices) -> Values:
    """float64 (k,): of the distances of each cluster's texts to its centre, the mean."""
    own = distances[np.arange(len(labels)), labels]
    means: Values = np.bincount(labels, own, minlength=len(counts)) / counts
    return means


def _changed(before: Indices, labels: Indices) -> Indices:
    """The clusters that a text joined or left, ascending."""
    moved = before != labels
    return np.unique(np.concatenate([before[moved], labels[moved]]))
