# SPDX-License-Identifier: AGPL-3.0-or-later
"""Fit the weights of the pair finder, and measure them on documents that were left out.

`python -m bench.fit_antecedents [FOLDER]` prints the figures of each document with weights
fitted on all others, and the weights fitted on all, to be put into `core/scores/antecedents.py`.
A candidate's probability is a softmax over its weighed observations; the likelihood of the
stored entities is greatest, with a small penalty for large weights.
"""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from bench.quality_pairs import StoredDocument, compare, figures, stored_documents, table
from core.arrays import as_spans
from core.scores import antecedents
from core.scores.antecedents import Discourse, Link, candidates, observations, ranked, read_on
from core.scores.mentions import Parsed, Pronoun, parse
from core.scores.pairs import as_pairs

PENALTY = 1.0  # chosen among 0.5, 1, 2, 3 and 10 by the figures of the documents left out
ROUNDS = 2  # the first learns with the stored links, the second with those of the first

Sample = tuple[list[dict[str, float]], np.ndarray]  # observations of candidates; which are right


def fit(documents: Sequence[tuple[StoredDocument, Parsed]]) -> dict[str, float]:
    """Weights by name."""
    weights: dict[str, float] = {}
    for _ in range(ROUNDS):
        with using(weights):
            samples = [
                sample
                for document, parsed in documents
                for sample in samples_of(document, parsed, learnt=bool(weights))
            ]
        weights = _greatest_likelihood(samples)
    return weights


def samples_of(document: StoredDocument, parsed: Parsed, *, learnt: bool) -> list[Sample]:
    """One for each pronoun of which some candidate is right."""
    stored: dict[int, list[tuple[int, int]]] = {}
    for start, end, pronoun, _ in document.pairs.tolist():
        stored.setdefault(pronoun, []).append((start, end))
    samples: list[Sample] = []

    def rule(pronoun: Pronoun, discourse: Discourse) -> Link | None:
        found = candidates(pronoun, discourse)
        if not found:
            return None
        right = np.array(
            [
                any(each.start < b and a < each.end for a, b in stored.get(pronoun.start, []))
                for each in found
            ]
        )
        if right.any():
            samples.append((observations(pronoun, found, discourse), right))
        if learnt:
            return ranked(pronoun, discourse)
        return Link(pronoun, found[int(np.argmax(right))] if right.any() else found[-1], math.nan)

    read_on(Discourse(), parsed, rule)
    return samples


def _greatest_likelihood(samples: Iterable[Sample]) -> dict[str, float]:
    samples = list(samples)
    names = sorted({name for seen, _ in samples for each in seen for name in each})
    tables = [
        (np.array([[each.get(name, 0.0) for name in names] for each in seen]), right)
        for seen, right in samples
    ]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = PENALTY * weights @ weights / 2, PENALTY * weights
        for rows, right in tables:
            scores = rows @ weights
            shares = np.exp(scores - scores.max())
            chosen = shares * right
            value -= math.log(chosen.sum() / shares.sum())
            slope = slope + rows.T @ (shares / shares.sum() - chosen / chosen.sum())
        return value, slope

    best = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x
    return dict(zip(names, best.tolist(), strict=True))


@contextmanager
def using(weights: Mapping[str, float]) -> Iterator[None]:
    """Let `ranked` use these weights."""
    before = antecedents.WEIGHTS
    antecedents.WEIGHTS = weights
    try:
        yield
    finally:
        antecedents.WEIGHTS = before


def left_out(documents: Sequence[tuple[StoredDocument, Parsed]]) -> dict[str, dict[str, float]]:
    """Figures of each document, and of all, with weights fitted on the other documents."""
    comparisons = {}
    for index, (document, parsed) in enumerate(documents):
        others = [each for place, each in enumerate(documents) if place != index]
        discourse = Discourse()
        with using(fit(others)):
            read_on(discourse, parsed, ranked)
        rows = [
            (x.mention.start, x.mention.end, x.pronoun.start, x.pronoun.end)
            for x in discourse.links
        ]
        comparisons[document.name] = compare(document, as_pairs(rows))
    result = {name: figures([each]) for name, each in comparisons.items()}
    return result | {"all": figures(list(comparisons.values()))}


def parsed_documents(folder: Path) -> list[tuple[StoredDocument, Parsed]]:
    """The documents with their mentions and pronouns."""
    documents = []
    for document in stored_documents(folder):
        *_, parsed = parse(document.text, as_spans([]))
        documents.append((document, parsed))
    return documents


def main(arguments: Sequence[str]) -> None:
    """Print figures and weights."""
    folder = Path(arguments[0] if arguments else "../shared/data/pairs")
    documents = parsed_documents(folder)
    print("weights fitted on the other documents")
    print(table(left_out(documents)))
    print("\nweights fitted on all documents")
    for name, weight in sorted(fit(documents).items(), key=lambda item: -abs(item[1])):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main(sys.argv[1:])
