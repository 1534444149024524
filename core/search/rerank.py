# SPDX-License-Identifier: AGPL-3.0-or-later
"""Ordering the first hits again by a cross-encoder, which reads question and chunk together."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from core.arrays import Values
from core.cancel import NEVER, CancelToken
from core.errors import ModelError
from core.vectors.models import models_folder

DEPTH = 50  # hits that are read again
_BATCH = 8


def rerank_scores(
    model: str, question: str, texts: Sequence[str], *, cancel: CancelToken = NEVER
) -> Values:
    """float64 (n,): how well each text answers the question; higher is better.

    Args:
        model: a folder of a sentence-transformers cross-encoder, or its name if it is here.
        question: as typed.
        texts: of the hits.
        cancel: asked before each batch.

    Raises:
        ModelError: the model is not on this machine, or is no cross-encoder.
    """
    encoder = load_cross_encoder(model)
    scores: list[float] = []
    for first in range(0, len(texts), _BATCH):
        cancel.check()
        pairs = [(question, text) for text in texts[first : first + _BATCH]]
        found = np.asarray(encoder.predict(pairs, show_progress_bar=False), np.float64)
        if found.ndim != 1:
            raise ModelError(
                f"the model '{model}' gives {found.shape[1]} numbers for a text, but a re-ranker "
                "gives one: choose a cross-encoder made for ranking"
            )
        scores += found.tolist()
    return np.array(scores, np.float64)


@lru_cache(maxsize=2)
def load_cross_encoder(model: str) -> Any:
    """Load a cross-encoder from this machine, once.

    Raises:
        ModelError: it is not here, or cannot be loaded.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        folder = models_folder() / model.replace("/", "--")
    name = str(folder) if folder.is_dir() else model
    from sentence_transformers import CrossEncoder

    try:
        return CrossEncoder(name, device="cpu", local_files_only=True)
    except Exception as error:  # the library raises many kinds
        if not folder.is_dir():
            raise ModelError(
                f"the re-ranking model '{model}' is not on this machine: give the folder of a "
                "sentence-transformers cross-encoder"
            ) from error
        reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise ModelError(
            f"the re-ranking model '{model}' cannot be loaded from this machine ({reason}): "
            "give the folder of a sentence-transformers cross-encoder"
        ) from error
