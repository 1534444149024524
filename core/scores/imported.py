# SPDX-License-Identifier: AGPL-3.0-or-later
"""IMPORT: chunks made by another tool, from a JSON file, as one more strategy.

Not in the list of strategies: without a file it makes nothing. Everything that takes a recipe,
such as the window, scores and searches, takes it as any other.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from core.declaration import Declaration, Parameter
from core.document.model import Notice
from core.errors import DocumentError, ParameterError
from core.scores.foreign_chunks import PlacedChunks, place_chunks
from core.strategies.chunks import Chunks, Rule, reasons
from core.strategies.recipe import Recipe, make_recipe
from core.strategies.registry import strategy
from core.strategies.source import Source

CODE = "IMPORT"
WORDS = {
    "given": "at the offset that the tool wrote",
    "exact": "the tool's text stands here word for word",
    "white space": "the tool's text stands here with other white space",
    "fuzzy": "the likest place; confidence {value:.2f}",
    "missing": "not in this text",
}


def imported_recipe(path: Path) -> Recipe:
    """The recipe that shows the chunks of a file."""
    return make_recipe(CODE, {"file": str(path.absolute())}, options={"snap": "none"})


def read_file(path: Path) -> Any:
    """Decoded JSON, or one text a line of a .jsonl file.

    Raises:
        DocumentError: it cannot be read, or is not JSON.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise DocumentError(f"{path} is not JSON in UTF-8: {error}") from None


def prepare(source: Source, file: str) -> PlacedChunks:
    """Read the file and place its chunks in the text."""
    if not file:
        raise ParameterError("file is empty: give the path of a JSON file with chunks")
    path = Path(file)
    return place_chunks(read_file(path), source.text, path.name)


IMPORT = Declaration(
    CODE,
    "Chunks of another tool",
    "imported",
    "instant",
    "the file",
    "Chunks made elsewhere, placed in this text: by their offsets, word for word, or at the likest "
    "place with a stated confidence. Lists of texts or spans, and JSON of common frameworks.",
    parameters=(
        Parameter("file", "", "A JSON file with chunks", type="pattern", slow=True),
        Parameter(
            "confidence",
            0.6,
            "Chunks placed with less confidence are left out",
            type="number",
            minimum=0,
            maximum=1,
            step=0.01,
        ),
    ),
)


@strategy(IMPORT, prepare=prepare, is_listed=False)
def cut(prepared: PlacedChunks, confidence: float) -> Chunks:
    """The chunks that were placed with enough confidence, each with how it was placed."""
    made, sure = prepared.chunks, prepared.confidences
    kept = np.flatnonzero((sure >= confidence) & (np.diff(made.pointers) > 0))
    rules = [Rule(placing, words) for placing, words in WORDS.items()]
    placings = list(WORDS)
    which = np.array([placings.index(prepared.placings[k]) for k in kept.tolist()], np.int64)
    why = reasons(rules, len(kept), which=which, values=sure[kept], thresholds=confidence)
    rows = np.flatnonzero(np.isin(made.owners, kept))
    sizes = np.diff(made.pointers)[kept]
    places = np.full(len(made) + 1, -1, np.int64)
    places[kept] = np.arange(len(kept))
    headers = made.headers
    return Chunks(
        made.spans[rows],
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        why,
        why,
        made.levels[kept],
        places[made.parents[kept]],
        made.primaries[kept],
        made.labels[kept],
        None if headers is None else tuple(headers[k] for k in kept.tolist()),
        notices=tuple(Notice(None, "imported", words) for words in prepared.notices),
    )
