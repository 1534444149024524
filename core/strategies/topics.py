# SPDX-License-Identifier: AGPL-3.0-or-later
"""Topic-based chunking (TBC): sentences are clustered, and a cut lies where the topic changes.

Sources: Chunkbench, Tables 1 and 2, with its released code (average linkage of cosine distances,
without an order); `spec/strategies.md` 3.15.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Values, Vectors
from core.cancel import CancelToken
from core.declaration import Declaration, Parameter, Preset
from core.errors import ParameterError
from core.strategies.chunks import Chunks, Rule, one_span_chunks, reasons
from core.strategies.groups import JoinedUnits, cut_reasons, groups_between, joined_sentences
from core.strategies.registry import strategy
from core.strategies.semantic import whole_text
from core.strategies.source import Source
from core.vectors.cosines import unit_rows

# The distances of n sentences need 8 n² / 2 bytes: 1.6 GB at this number.
MOST_SENTENCES = 20_000
ROWS_AT_ONCE = 512

TBC = Declaration(
    code="TBC",
    name="Topic-based chunking",
    family="semantic",
    strategy_class="embedding",
    source="Chunkbench, Tables 1 and 2",
    help=(
        "Clusters all sentences by meaning, wherever they stand, and cuts where neighbours belong "
        f"to different topics. A topic can come back. At most {MOST_SENTENCES:,} sentences: its "
        "memory grows with their square."
    ),
    parameters=(
        Parameter(
            "distance",
            default=0.4,
            type="number",
            minimum=0,
            maximum=2,
            step=0.01,
            unit="cosine distance",
            help="Topics nearer than this become one",
        ),
        Parameter(
            "linkage",
            default="average",
            type="choice",
            choices=("average", "complete", "single"),
            help="The distance of two topics: mean, greatest or least of all pairs",
        ),
    ),
    presets=(Preset("CB Table 1", {"distance": 0.4, "linkage": "average"}),),
    sentences="punkt",
)

CHANGE = Rule(
    "topic changes", "the topics of both sides would join at {value:.3f}, not below {threshold:.3f}"
)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The merge tree of n sentences.

    merges: float64 (n − 1, 4), scipy's linkage matrix, by ascending height.
    joins: float64 (n − 1,), the height at which each sentence and the next become one topic.
    """

    merges: NDArray[np.float64]
    joins: Values

    def margin(self, distance: float) -> float:
        """How far the nearest of all merges is from `distance`."""
        return float(np.abs(self.merges[:, 2] - distance).min())


@dataclass(frozen=True, slots=True, eq=False)
class Topics:
    """The sentences and, for each linkage that was asked for, their tree."""

    sentences: JoinedUnits
    vectors: Vectors
    cancel: CancelToken
    _trees: dict[str, Tree] = field(default_factory=dict)

    def tree(self, linkage: str) -> Tree:
        """The tree of one linkage, made on first use: its memory is needed only meanwhile."""
        if linkage not in self._trees:
            self._trees[linkage] = merge_tree(self.vectors, linkage, self.cancel)
        return self._trees[linkage]


def find_topics(source: Source) -> Topics:
    """Embed the sentences and make the tree of average linkage.

    Raises:
        ParameterError: there are too many sentences for this strategy.
    """
    joined = joined_sentences(source)
    if len(joined) > MOST_SENTENCES:
        raise ParameterError(
            f"TBC compares every sentence with every other: there are {len(joined):,} sentences, "
            f"but at most {MOST_SENTENCES:,} are possible. Choose fewer pages, or SEBC or SSTC"
        )
    vectors = source.sentence_vectors() if len(joined) > 1 else np.empty((0, 0), np.float32)
    topics = Topics(joined, vectors, source.cancel)
    if len(joined) > 1:
        topics.tree("average")
    return topics


@strategy(TBC, prepare=find_topics)
def cut_between_topics(prepared: Topics, *, distance: float, linkage: str) -> Chunks:
    """Cut where two neighbouring sentences belong to different topics."""
    n = len(prepared.sentences)
    if n < 2:
        return whole_text(prepared.sentences)
    tree = prepared.tree(linkage)
    breaks = np.flatnonzero(tree.joins >= distance)
    first, last = groups_between(breaks + 1, n)
    starts, ends = cut_reasons(
        reasons(CHANGE, len(breaks), values=tree.joins[breaks], thresholds=distance)
    )
    return one_span_chunks(
        prepared.sentences.group_spans(first, last),
        starts,
        ends,
        labels=topic_numbers(tree, distance)[first],
    )


def topic_numbers(tree: Tree, distance: float) -> Indices:
    """int64 (n,): the topic of each sentence, numbered by first appearance.

    Merges below `distance` are performed, those at or above it are not.
    """
    from scipy.cluster.hierarchy import fcluster

    # fcluster performs merges at the threshold too
    labels = fcluster(tree.merges, np.nextafter(distance, -np.inf), criterion="distance")
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return np.asarray(ranks[inverse])


def merge_tree(vectors: Vectors, linkage: str, cancel: CancelToken) -> Tree:
    """Cluster n vectors, (n, d), by cosine distance, without a constraint of order."""
    from scipy.cluster import hierarchy

    distances = condensed_distances(vectors, cancel)
    cancel.check()
    merges = hierarchy.linkage(distances, method=linkage)
    return Tree(merges, _neighbour_joins(merges))


def condensed_distances(vectors: Vectors, cancel: CancelToken) -> Values:
    """float64 (n (n − 1) / 2,): cosine distances of all pairs, as scipy orders them.

    A zero vector has cosine 0 with all others, as everywhere.
    """
    rows = unit_rows(vectors)
    n = len(rows)
    distances = np.empty(n * (n - 1) // 2)
    done = 0
    for low in range(0, n, ROWS_AT_ONCE):
        cancel.check()
        block = rows[low : low + ROWS_AT_ONCE] @ rows[low:].T
        for row in range(len(block)):
            some = block[row, row + 1 :]
            np.subtract(1.0, some, out=distances[done : done + len(some)])
            done += len(some)
    # rounding can give −1e−16 for equal vectors, which is no distance
    return np.maximum(distances, 0.0, out=distances)


def _neighbour_joins(merges: NDArray[Any]) -> Values:
    """float64 (n − 1,): the height at which the sentences k and k + 1 become one topic.

    Each merge looks at the members of its smaller side only, so all take O(n log n).
    """
    n = len(merges) + 1
    members: dict[int, list[int]] = {index: [index] for index in range(n)}
    topic = list(range(n))
    joins = np.full(n - 1, np.inf)
    for step, (left, right, height, _) in enumerate(merges.tolist()):
        small, large = members.pop(int(left)), members.pop(int(right))
        if len(small) > len(large):
            small, large = large, small
        target = topic[large[0]]
        for sentence in small:
            if sentence and topic[sentence - 1] == target:
                joins[sentence - 1] = height
            if sentence + 1 < n and topic[sentence + 1] == target:
                joins[sentence] = height
        for sentence in small:
            topic[sentence] = target
        large += small
        members[n + step] = large
    return joins
