# SPDX-License-Identifier: AGPL-3.0-or-later
"""Evaluate strategies on questions with known answers: strategies × models × pools."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Document
from core.search.case import Asked, Case, Contender, Stages, check_case, is_used, pools_of
from core.search.conclusions import conclude
from core.search.duplicates import document_pairs
from core.search.evaluation import Evaluation, LeftOut, Options, Record
from core.search.gold import place_gold
from core.search.judgements import Judgements
from core.search.query_sets import QuerySet
from core.search.record import record_of
from core.strategies.chunks import Chunks
from core.vectors.embedder import Embedder

__all__ = ["Contender", "Evaluation", "Options", "Stages", "evaluate"]


def evaluate(
    documents: Mapping[str, Document],
    query_sets: Sequence[QuerySet],
    contenders: Sequence[Contender],
    *,
    stages: Stages,
    options: Options | None = None,
    embedders: Sequence[Embedder] = (),
    judgements: Judgements | None = None,
    tags: Mapping[str, tuple[str, ...]] | None = None,
    intrinsic: Callable[[Document, Chunks], Mapping[str, float | None]] | None = None,
    folder: Path | None = None,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> Evaluation:
    """Measure strategies on questions.

    Args:
        documents: what is searched, by the ids that hits name.
        query_sets: questions with gold in these documents.
        contenders: strategies and chunks of other tools; their names must differ.
        stages: makes chunks and rows: the pipeline.
        options: k, retrieval, vectors, pools, thresholds, seed.
        embedders: a result for each; none for full text.
        judgements: gains by people or models, which beat those from spans.
        tags: of the documents, for pools by tag.
        intrinsic: gives the five scores of a chunking; None: left out.
        folder: records are kept and found again there.
        cancel: asked between steps.
        progress: told configurations.

    Raises:
        ParameterError, ModelError: something that was asked is not possible.
        SearchError: no question can be used, or a record cannot be written.
    """
    case = Case(
        documents,
        tuple(query for each in query_sets for query in place_gold(each, documents)),
        options or Options(),
        stages,
        judgements or Judgements(),
        tags or {},
        intrinsic,
        folder,
        cancel,
        progress,
    )
    check_case(case, contenders, embedders)
    pools = pools_of(case)
    models: Sequence[Embedder | None] = embedders or (None,)
    records: list[Record] = []
    total = len(models) * len(pools) * len(contenders)
    for model in models:
        stages.set_embedder(model)
        for pool in pools:
            for contender in contenders:
                cancel.check()
                progress(len(records), total, "configurations")
                records.append(record_of(case, contender, model, pool))
    progress(total, total, "configurations")
    cancel.check()
    return _concluded(case, pools, records)


def _concluded(case: Case, pools: Sequence[Asked], records: Sequence[Record]) -> Evaluation:
    left_out = tuple(
        LeftOut(each.query.id, each.set_name, each.left_out)
        for each in case.placed
        if not is_used(each, case)
    )
    used = {(each.set_name, each.query.id) for pool in pools for each in pool.questions}
    return conclude(
        records,
        case.options,
        gold={pool.name: pool.gold for pool in pools},
        used=len(used),
        left_out=left_out,
        documents=case.documents,
        placements=[
            {
                "id": query.query.id,
                "set": query.set_name,
                "gold": row,
                "document": place.document,
                "start": place.start,
                "end": place.end,
                "status": place.status,
                "similarity": place.similarity,
            }
            for query in case.placed
            for row, place in enumerate(query.placements)
            if place.status != "exact"
        ],
        pairs=document_pairs(case.documents) if len(case.documents) > 1 else [],
    )
