# SPDX-License-Identifier: AGPL-3.0-or-later
"""Documents of the shared corpus, read once, and how tests look for words in them."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from core.arrays import as_spans
from core.document.geometry import SpanBoxes, span_boxes
from core.document.model import Document, Form, TextSettings
from core.document.read import read_document

Box = tuple[int, int, int, int]


@lru_cache(maxsize=64)
def corpus_document(
    shared: Path, name: str, *, form: Form = "plain", keep: bool = False, pages: int = 0
) -> Document:
    """Read a file of the corpus; its first `pages` pages, or all when that is 0."""
    settings = TextSettings(
        form=form,
        boilerplate="keep" if keep else "drop",
        pages=tuple(range(pages)) if pages else None,
    )
    return read_document(shared / "corpus" / name, settings, use_cache=False)


def words_on(document: Document, page: int, word: str) -> list[SpanBoxes]:
    """Return the boxes of each place of `word` in the span of a page, in the order of the text."""
    start, end = document.pages[page].start, document.pages[page].end
    found = []
    place = document.text.find(word, start, end)
    while place >= 0:
        found.append(span_boxes(document.geometry, as_spans([(place, place + len(word))])))
        place = document.text.find(word, place + 1, end)
    return found


def are_near(pieces: SpanBoxes, expected: list[Box], tolerance: float = 1.5) -> bool:
    """Say whether the boxes are those expected, each side within 1 point after rounding."""
    return len(pieces) == len(expected) and bool(
        np.abs(pieces.boxes - np.array(expected, np.float32)).max() <= tolerance
    )
