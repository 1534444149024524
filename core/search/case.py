# SPDX-License-Identifier: AGPL-3.0-or-later
"""What an evaluation is about: documents, questions, strategies; and what is searched together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Document
from core.errors import ModelError, ParameterError, SearchError
from core.search.duplicates import copied_spans
from core.search.evaluation import POOLS, Options
from core.search.gold import PlacedQuery
from core.search.judgements import Judgements
from core.search.pool import Axis, Gold, axis_of, gold_on_axis
from core.search.rows import Rows
from core.search.serve import MODES, check_k
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe
from core.vectors.embedder import Embedder, VectorKind

LARGEST_SEED = 2**63 - 2  # seed + 1 is one, too


class Stages(Protocol):
    """What is asked of the pipeline."""

    def set_embedder(self, embedder: Embedder | None) -> None:
        """Use another model."""

    def chunk(
        self,
        recipe: Recipe,
        document: Document,
        *,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
        allow_many: bool = False,
    ) -> Chunks:
        """The chunks of a document by a recipe."""

    def rows(
        self,
        name: str,
        document: Document,
        chunks: Chunks,
        kind: VectorKind | None,
        *,
        index: object = "children",
        tags: Sequence[str] = (),
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Rows:
        """The rows of an index of one document."""


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A strategy, or chunks of another tool by document id."""

    name: str
    recipe: Recipe | None = None
    foreign: Mapping[str, Chunks] | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """What makes its chunks again; empty for another tool's."""
        return {} if self.recipe is None else dict(self.recipe.settings)

    @property
    def code(self) -> str:
        """The strategy's code, or the name of the other tool."""
        return self.name if self.recipe is None else self.recipe.code


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Everything that all configurations of an evaluation share."""

    documents: Mapping[str, Document]
    placed: tuple[PlacedQuery, ...]
    options: Options
    stages: Stages
    judgements: Judgements = field(default_factory=Judgements)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    intrinsic: Callable[[Document, Chunks], Mapping[str, float | None]] | None = None
    folder: Path | None = None
    cancel: CancelToken = NEVER
    progress: Progress = silent


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The questions of one pool with their gold on the axis.

    Unanswerable questions have no gold; they are asked only for false alarms.
    """

    name: str
    documents: Mapping[str, Document]
    axis: Axis
    questions: tuple[PlacedQuery, ...]
    gold: tuple[Gold, ...]
    unanswerable: tuple[PlacedQuery, ...]


def check_options(options: Options) -> None:
    """Refuse options that no evaluation can be made with.

    Raises:
        ParameterError: which, its value, its bound.
    """
    check_k(options.k)
    if not 0 <= options.seed <= LARGEST_SEED:
        raise ParameterError(
            f"seed is {options.seed}, but must be at least 0 and at most {LARGEST_SEED}: choose a "
            "number in that range"
        )
    if options.retrieval not in MODES:
        raise ParameterError(
            f"retrieval is '{options.retrieval}', but must be one of {', '.join(MODES)}"
        )
    if options.pool not in POOLS:
        raise ParameterError(f"pool is '{options.pool}', but must be one of {', '.join(POOLS)}")


def check_case(case: Case, contenders: Sequence[Contender], embedders: Sequence[Embedder]) -> None:
    """Refuse what cannot be done before anything slow is begun.

    Raises:
        ParameterError, ModelError, SearchError: what, which value, what to do.
    """
    options = case.options
    check_options(options)
    if options.retrieval != "text" and not embedders:
        raise ModelError(f"retrieval '{options.retrieval}' needs an embedding model: choose one")
    if not contenders:
        raise ParameterError("there is no strategy to evaluate: name at least one")
    names = [contender.name for contender in contenders]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(f"'{twice[0]}' is there twice: name each strategy once")
    if not any(is_used(query, case) for query in case.placed):
        reasons = sorted({query.left_out for query in case.placed})
        why = f" ({'; '.join(reasons)})" if reasons else ""
        raise SearchError(f"no question of the query sets can be used{why}: check the documents")


def pools_of(case: Case) -> list[Asked]:
    """What is searched together: all documents, each one, or those of each tag."""
    kind = case.options.pool
    if kind == "document":
        groups = {name: {name} for name in sorted(case.documents)}
    elif kind == "tag":
        groups = _tagged_documents(case)
    else:
        groups = {"all": set(case.documents)}
    found = [_asked(case, name, members) for name, members in groups.items()]
    usable = [pool for pool in found if pool.questions]
    if not usable:
        raise SearchError(
            f"no pool by {kind} holds all gold of any question: evaluate them as one pool"
        )
    return usable


def is_used(query: PlacedQuery, case: Case) -> bool:
    """True if a question is in some measure."""
    if not query.left_out:
        return True
    if case.options.use_placed_only and any(each.is_placed for each in query.placements):
        return True
    return not query.query.gold and case.judgements.has(query.query.id)


def _tagged_documents(case: Case) -> dict[str, set[str]]:
    """Documents by their own tags; without any, by the tags of the questions about them."""
    groups: dict[str, set[str]] = {}
    for name, tags in case.tags.items():
        for tag in tags:
            groups.setdefault(tag, set()).add(name)
    if not groups:
        for placed in case.placed:
            for tag in placed.query.tags:
                homes = {place.document for place in placed.placements if place.is_placed}
                groups.setdefault(tag, set()).update(homes)
    if not groups:
        raise ParameterError("pool is 'tag', but no document and no question has a tag")
    return dict(sorted(groups.items()))


def _asked(case: Case, name: str, members: set[str]) -> Asked:
    documents = {each: case.documents[each] for each in sorted(members)}
    axis = axis_of(documents)
    questions, gold, unanswerable = [], [], []
    for placed in case.placed:
        homes = {place.document for place in placed.placements if place.is_placed}
        if placed.query.unanswerable:
            unanswerable.append(placed)
        elif is_used(placed, case) and homes <= members and (homes or name == "all"):
            questions.append(placed)
            gold.append(_gold(placed, documents, axis, case.options))
    return Asked(name, documents, axis, tuple(questions), tuple(gold), tuple(unanswerable))


def _gold(
    placed: PlacedQuery, documents: Mapping[str, Document], axis: Axis, options: Options
) -> Gold:
    gold = gold_on_axis(placed, documents, axis)
    if not options.gold_follows_copies or len(documents) < 2:
        return gold
    copies = []
    for row, (start, end) in enumerate(gold.trimmed.tolist()):
        home = axis.document_at(start)
        base = axis.base(home)
        quote = documents[home].text[start - base : end - base]
        for other, low, high in copied_spans(quote, home, documents):
            copies.append((row, axis.base(other) + low, axis.base(other) + high))
    return gold.with_copies(copies)
