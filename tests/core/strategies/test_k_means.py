# SPDX-License-Identifier: AGPL-3.0-or-later
"""The clusters are those of scikit-learn's own k-means, to the last text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cancel import NEVER, silent
from core.errors import Cancelled
from core.strategies import lloyd as lloyd_module
from core.strategies.k_means import AT_ONCE, k_means, word_weights
from core.strategies.lloyd import Lloyd

WORDS = ["dose", "warfarin", "surgery", "bleeding", "fasting", "needle", "renal", "heparin"]


def weights_of(texts):
    return word_weights(texts, cancel=NEVER, progress=silent)


def clusters(texts, k, *, seed=42, starts=10):
    return k_means(weights_of(texts), k, seed, starts, cancel=NEVER, progress=silent).tolist()


def plain(texts, k, *, seed=42, starts=10):
    """What scikit-learn finds by itself, numbered by first appearance."""
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = TfidfVectorizer().fit_transform(texts)
    found = KMeans(min(k, len(texts)), random_state=seed, n_init=starts).fit_predict(rows).tolist()
    order = list(dict.fromkeys(found))
    return [order.index(label) for label in found]


def sentences(seed, count):
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(1, 9))) for _ in range(count)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1),
    k=st.integers(1, 8),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=40)
def test_any_texts_have_the_clusters_that_scikit_learn_finds(texts, k, seed):
    texts = [" ".join(words) for words in texts]

    expected = plain(texts, k, seed=seed, starts=3)
    for few in (1, lloyd_module.FEW):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lloyd_module, "FEW", few)
            assert clusters(texts, k, seed=seed, starts=3) == expected


@pytest.mark.parametrize("starts", [1, 10, 23])
@pytest.mark.parametrize("k", [1, 2, 6, 20, 90])
def test_every_number_of_starts_and_clusters_is_that_of_scikit_learn(k, starts):
    texts = sentences(7, 300)

    assert clusters(texts, k, starts=starts) == plain(texts, k, starts=starts)


def test_texts_without_a_word_have_no_weights():
    assert weights_of(["1 2", "…"]) is None


def test_the_weights_of_a_text_are_of_length_one():
    weights = weights_of(sentences(3, 50))

    squares = np.add.reduceat(weights.weights**2, weights.pointers[:-1])
    assert np.allclose(squares, 1.0)


def test_work_that_is_no_longer_wanted_stops_within_a_start_of_each_thread():
    checks = []

    class After:
        def check(self):
            checks.append(1)
            if len(checks) >= 3:
                raise Cancelled

    with pytest.raises(Cancelled):
        k_means(weights_of(sentences(5, 40)), 6, 42, 50, cancel=After(), progress=silent)
    assert len(checks) < 3 + 50 // AT_ONCE


def test_progress_counts_the_starts():
    told = []

    def progress(done, of, unit):
        told.append((done, of, unit))

    k_means(weights_of(sentences(5, 40)), 6, 42, 23, cancel=NEVER, progress=progress)
    assert told[-1] == (23, 23, "starts")
    assert [done for done, _, _ in told] == sorted({done for done, _, _ in told})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_cluster_that_loses_all_its_texts_is_filled_as_scikit_learn_does(monkeypatch):
    emptied = []
    library = Lloyd._fit_by_library

    def count(lloyd, first):
        emptied.append(first)
        return library(lloyd, first)

    monkeypatch.setattr(Lloyd, "_fit_by_library", count)
    monkeypatch.setattr(lloyd_module, "FEW", 1)
    texts = sentences(11, 12) * 20
    assert clusters(texts, 13, starts=4) == plain(texts, 13, starts=4)
    assert emptied
