# SPDX-License-Identifier: AGPL-3.0-or-later
"""Clusters of sentences by their words (K2): TF-IDF and k-means; chunks are not contiguous.

Source: section 2.2.2 of the clinical paper; `spec/strategies.md` 5.3.
"""

from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Spans
from core.declaration import Declaration, Parameter, Preset
from core.document.model import Notice
from core.errors import ParameterError
from core.strategies.chunks import Chunks, Reasons, Rule, one_span_chunks, reasons
from core.strategies.k_means import WordWeights, k_means, word_weights
from core.strategies.registry import strategy
from core.strategies.source import Source

MOST_STARTS = 50

K2 = Declaration(
    code="K2",
    name="TF-IDF and k-means (clinical)",
    family="clinical",
    strategy_class="instant",
    source="Comparative evaluation of advanced chunking (clinical paper), section 2.2.2",
    help=(
        "Sentences with similar words are one chunk, wherever they stand. A chunk has several "
        "parts, and its sentences keep the document's order."
    ),
    parameters=(
        Parameter(
            "k",
            default=6,
            minimum=1,
            maximum=200,
            unit="clusters",
            slow=True,
            help="Clusters; with fewer sentences than this, their number",
        ),
        Parameter(
            "seed",
            default=42,
            minimum=0,
            maximum=2**32 - 1,
            slow=True,
            help="Seed of the starting centres",
        ),
        Parameter(
            "n_init",
            default="10",
            type="choice",
            choices=("auto", "1", "10", "20", "50"),
            open_choice=True,
            unit="starts",
            slow=True,
            help=f"Starts, 1 to {MOST_STARTS}, of which the best is taken; auto: one; 10 is ours",
        ),
    ),
    presets=(Preset("CL 2.2.2", {"k": 6, "seed": 42}),),
    sentences="spacy",
    apart=True,
)

BEFORE = Rule("cluster before", "the sentence before belongs to cluster {value:.0f}")
AFTER = Rule("cluster after", "the next sentence belongs to cluster {value:.0f}")
NO_WORDS = Notice(
    None, "vocabulary", "no sentence has a word of two letters: all sentences are one chunk"
)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """The n sentences, int64 (n, 2), and their clusters, int64 (n,), by first appearance."""

    sentences: Spans
    labels: Indices
    has_words: bool


def find_clusters(source: Source, k: int, seed: int, n_init: str | int) -> Clusters:
    """Cluster the sentences of the text. What their words weigh is kept for other k and seeds.

    Raises:
        ParameterError: `n_init` is neither "auto" nor a number that is allowed.
    """
    starts = _starts(n_init)
    sentences = source.sentences()

    def weigh() -> WordWeights | None:
        texts = [source.text[a:b] for a, b in sentences.tolist()]
        found: WordWeights | None = source.apart(word_weights, texts)
        return found

    key = ("word weights", source.splitter, source.options.headings_end_sentences)
    weights = source.units.get(key, weigh) if len(sentences) else None
    if weights is None:
        labels = np.zeros(len(sentences), np.int64)
        return Clusters(sentences, labels, has_words=not len(sentences))
    return Clusters(sentences, source.apart(k_means, weights, k, seed, starts), has_words=True)


@strategy(K2, prepare=find_clusters)
def join_clusters(prepared: Clusters) -> Chunks:
    """One chunk for each cluster; its spans are its runs of neighbouring sentences."""
    sentences, labels = prepared.sentences, prepared.labels
    if not len(sentences):
        return one_span_chunks(sentences)
    # runs of one cluster, in the order of the document
    firsts = np.concatenate([[0], np.flatnonzero(np.diff(labels)) + 1])
    lasts = np.concatenate([firsts[1:], [len(labels)]]) - 1
    runs = np.stack([sentences[firsts, 0], sentences[lasts, 1]], axis=1)
    run_labels = labels[firsts]
    order = np.argsort(run_labels, kind="stable")
    count = int(labels.max()) + 1
    pointers = np.searchsorted(run_labels[order], np.arange(count + 1))
    none = np.full(count, -1, np.int64)
    chunks = Chunks(
        spans=runs[order],
        pointers=pointers,
        start_reasons=_reasons(BEFORE, order[pointers[:-1]] - 1, run_labels),
        end_reasons=_reasons(AFTER, order[pointers[1:] - 1] + 1, run_labels),
        levels=np.zeros(count, np.int8),
        parents=none,
        primaries=none,
        labels=np.arange(count),
    )
    return chunks if prepared.has_words else chunks.with_notices(NO_WORDS)


def _reasons(rule: Rule, neighbours: Indices, run_labels: Indices) -> Reasons:
    """Why chunks begin or end: the run beside them, int64 (n,), is of another cluster."""
    inside = (neighbours >= 0) & (neighbours < len(run_labels))
    other = run_labels[np.clip(neighbours, 0, len(run_labels) - 1)] + 1.0
    return reasons(
        rule,
        len(neighbours),
        which=np.where(inside, 0, -1),
        values=np.where(inside, other, np.nan),
    )


def _starts(n_init: str | int) -> int:
    """The number of starts; "auto" is one, as in today's scikit-learn."""
    text = str(n_init).strip().lower()
    if text == "auto":
        return 1
    if not text.isdecimal() or not 1 <= int(text) <= MOST_STARTS:
        raise ParameterError(
            f"n_init is '{n_init}', but must be auto, or at least 1 and at most {MOST_STARTS}: "
            "choose a value in that range or reset it to 10"
        )
    return int(text)
