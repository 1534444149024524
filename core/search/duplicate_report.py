# SPDX-License-Identifier: AGPL-3.0-or-later
"""Near-duplicates of a corpus as the user sees them: pairs of chunks and pairs of documents."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.cancel import CancelToken, Progress
from core.document.model import Document
from core.search.duplicates import DocumentPair, document_pairs, duplicate_pairs
from core.search.rows import Rows


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk in a document."""

    document: str
    chunk: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AlikeChunks:
    """Two chunks that say nearly the same at two places."""

    one: Place
    other: Place
    jaccard: float
    contained: float
    kind: str


@dataclass(frozen=True, slots=True)
class DuplicateReport:
    """All pairs of a corpus.

    chunks: of the corpus. involved: chunks that nearly repeat an earlier one.
    """

    chunks: int
    involved: int
    pairs: tuple[AlikeChunks, ...]
    documents: tuple[DocumentPair, ...]

    @property
    def share(self) -> float:
        """The share of the chunks that nearly repeat an earlier one."""
        return self.involved / self.chunks if self.chunks else 0.0


def duplicate_report(
    rows: Rows, documents: Mapping[str, Document], *, cancel: CancelToken, progress: Progress
) -> DuplicateReport:
    """Find the near-duplicates among rows, and among their documents.

    Pairs that overlap in position are left out: they are an effect of the overlap setting.
    """
    progress(0, 2, "duplicates")
    spans = np.column_stack([rows.starts, rows.ends])
    found = [
        pair
        for pair in duplicate_pairs(rows.texts, rows.owners, spans, cancel=cancel)
        if not pair.overlaps
    ]
    progress(1, 2, "duplicates")
    cancel.check()
    alike = tuple(
        AlikeChunks(
            _place(rows, pair.first),
            _place(rows, pair.second),
            pair.jaccard,
            pair.contained,
            pair.kind,
        )
        for pair in sorted(found, key=lambda pair: -pair.jaccard)
    )
    pairs = tuple(document_pairs(documents)) if len(documents) > 1 else ()
    return DuplicateReport(len(rows), len({pair.second for pair in found}), alike, pairs)


def _place(rows: Rows, row: int) -> Place:
    return Place(
        rows.documents[rows.owners[row]],
        int(rows.chunks[row]),
        int(rows.starts[row]),
        int(rows.ends[row]),
    )
