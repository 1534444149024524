# SPDX-License-Identifier: AGPL-3.0-or-later
"""An estimate of vectors of spans, for models that give no vectors of single word pieces.

Source: decision 12; `spec/metrics.md` 3.4.
"""

import numpy as np

from core.arrays import Spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.vectors.embedder import Embedder
from core.vectors.late import TokenVectors, prefix_sums


def sentence_vectors(
    text: str,
    sentences: Spans,
    embedder: Embedder,
    *,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> TokenVectors:
    """Prefix sums in which each word piece has the vector of its sentence.

    So a span has the mean of the vectors of its sentences, weighted by how many pieces of each it
    holds, and one subtraction gives it, as with late vectors.

    Args:
        text: the document's text.
        sentences: int64 (n, 2), sorted; what lies between two belongs to the first.
        embedder: any model.
        cancel: asked between batches.
        progress: told vectors.
    """
    pieces = embedder.pieces(text)
    texts = [text[a:b] for a, b in sentences.tolist()] or [text]
    owners = np.searchsorted(sentences[1:, 0], pieces[:, 0], side="right")
    places = {each: row for row, each in enumerate(dict.fromkeys(texts))}
    vectors = embedder.encode(list(places), cancel, progress)
    rows = np.array([places[each] for each in texts], np.int64)[owners]
    prefix, offsets = prefix_sums(np.asarray(vectors[rows], np.float32))
    return TokenVectors(pieces, prefix, offsets, window=0, overlap=0.0)
