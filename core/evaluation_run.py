# SPDX-License-Identifier: AGPL-3.0-or-later
"""An evaluation as one function of plain values, so that the engine process can run it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.cancel import CancelToken, Progress
from core.document.model import Document
from core.pipeline import Pipeline
from core.search.case import Contender
from core.search.conclusions import effect_of_duplicates
from core.search.evaluate import Evaluation, evaluate
from core.search.evaluation import Options
from core.search.judgements import Judgements
from core.search.query_sets import QuerySet
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe
from core.vectors.models import load_embedder


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is to be evaluated.

    foreign: chunks of other tools, by the name of the tool and the document's id.
    folder: where records are kept, so that an interrupted evaluation goes on; None: nowhere.
    """

    documents: Mapping[str, Document]
    query_sets: tuple[QuerySet, ...]
    recipes: tuple[Recipe, ...]
    options: Options = field(default_factory=Options)
    models: tuple[str, ...] = ("minilm",)
    foreign: Mapping[str, Mapping[str, Chunks]] = field(default_factory=dict)
    judgements: Judgements | None = None
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    intrinsic: bool = False
    folder: Path | None = None


def run_plan(plan: Plan, *, cancel: CancelToken, progress: Progress) -> Evaluation:
    """Evaluate as planned, with models of this process.

    Where near-duplicates are left out of the rankings, it is evaluated with them too, and told what
    that changes.

    Raises:
        ParameterError, ModelError, SearchError: as `core.search.evaluate.evaluate`.
    """
    pipeline = Pipeline()
    contenders = [Contender(recipe.word, recipe) for recipe in plan.recipes]
    contenders += [Contender(name, foreign=chunks) for name, chunks in plan.foreign.items()]

    def intrinsic(document: Document, chunks: Chunks) -> Mapping[str, float | None]:
        pipeline.find_pairs(document, cancel=cancel)
        return pipeline.score(document, chunks, policy="late", cancel=cancel).values

    needs_model = plan.options.retrieval != "text" or plan.intrinsic
    embedders = [load_embedder(name) for name in plan.models] if needs_model else ()

    def evaluated(options: Options) -> Evaluation:
        return evaluate(
            plan.documents,
            plan.query_sets,
            contenders,
            stages=pipeline,
            options=options,
            embedders=embedders,
            judgements=plan.judgements,
            tags=plan.tags,
            intrinsic=intrinsic if plan.intrinsic else None,
            folder=plan.folder,
            cancel=cancel,
            progress=progress,
        )

    evaluation = evaluated(plan.options)
    if not plan.options.without_duplicates:
        return evaluation
    plain = evaluated(replace(plan.options, without_duplicates=False))
    effect = tuple(effect_of_duplicates(plain, evaluation))
    return replace(evaluation, duplicate_effect=effect)
