# SPDX-License-Identifier: AGPL-3.0-or-later
"""Finding pairs where spaCy may be imported: what the engine process runs."""

import numpy as np

from core.arrays import Spans
from core.cancel import CancelToken, Progress
from core.document.model import BOILERPLATE, Document
from core.scores.pair_finder import SpacyPairFinder
from core.scores.pairs import FoundPairs


def find_pairs(
    text: str, language: str, boilerplate: Spans, *, cancel: CancelToken, progress: Progress
) -> FoundPairs:
    """The pairs of a text by the finder on spaCy; `boilerplate`, int64 (n, 2), does not count."""
    return SpacyPairFinder().find(
        text, language, boilerplate=boilerplate, cancel=cancel, progress=progress
    )


def boilerplate_of(document: Document) -> Spans:
    """int64 (n, 2): the running headers, footers and page numbers of a document."""
    chosen = np.array([block.kind in BOILERPLATE for block in document.blocks], np.bool_)
    return document.block_spans[chosen]
