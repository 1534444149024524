# SPDX-License-Identifier: AGPL-3.0-or-later
"""Growth: what a token costs on a text of ten thousand tokens, and on one of ten million.

Processor time of a tick of each strategy's fast numbers, all that is slow prepared, divided by the
tokens of the text: constant if a tick grows as the text does and no faster. The slowest number of a
strategy counts. Vectors of the embedding class are the toy embedder's, since a tick does not
depend on the model, and a real one would need days for such texts. The text repeats itself, and so
do spaCy's sentences and tokens here, which it finds in what is repeated: to read a million tokens
with it takes minutes. TBC ends at a number of sentences; its last text is as long as they are.
"""

import gc
import sys

import numpy as np

from bench.rechunk import (
    CHARACTERS_A_TOKEN,
    is_fast_number,
    measured,
    once,
    prose,
    regularised,
    repeated,
    ticks,
)
from bench.report import Row, row
from core.arrays import Spans
from core.declaration import Declaration
from core.document.model import Document
from core.errors import ChunkscopeError
from core.strategies.recipe import Recipe, make_recipe
from core.strategies.registry import find
from core.strategies.source import Units
from core.strategies.spacy_tokens import spacy_tokens
from core.strategies.topics import MOST_SENTENCES
from core.units.sentences import split_sentences
from core.vectors.toy import ToyEmbedder

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
MOST_EMBEDDED = 1_000_000  # tokens, for the embedding class
MOST = {"TBC": 100_000}  # then its limit, which is a number of sentences
EVENTS = 5


def measure(sizes: tuple[int, ...] = SIZES) -> list[Row]:
    """A row for each strategy and size, by strategy."""
    found: dict[str, list[Row]] = {}
    base = repeated()
    sentences, tokens_of_spacy = split_sentences(Document(base), "spacy"), spacy_tokens(base)
    for tokens in sizes:
        document, units = Document(prose(tokens)), Units()
        keep_parsed(units, document, sentences, tokens_of_spacy)
        for code, declaration in measured():
            if tokens <= _most(declaration):
                rows = found.setdefault(code, [])
                rows.append(_cost(code, _recipes(code, declaration), document, units, tokens))
        reg = regularised(EVENTS)
        found.setdefault("REG", []).append(_cost("REG", [reg], document, units, tokens))
        del document, units
        gc.collect()
    found.setdefault("TBC", []).append(at_limit())
    return [each for rows in found.values() for each in rows]


def keep_parsed(units: Units, document: Document, sentences: Spans, tokens: Spans) -> None:
    """Keep as spaCy's sentences and tokens of a text those of what it repeats, int64 (n, 2)."""
    length, end = len(repeated()), len(document.text)

    def again(spans: Spans) -> Spans:
        found = np.concatenate([spans + shift for shift in range(0, end, length)])
        return np.minimum(found[found[:, 0] < end], end)

    units.get("spacy sentences", lambda: again(sentences))
    units.get("spacy tokens", lambda: again(tokens))


def at_limit() -> Row:
    """A tick of TBC on as many sentences as it takes."""
    text = prose(MOST_EMBEDDED)
    spans = split_sentences(Document(text), find("TBC").declaration.sentences or "punkt")
    document = Document(text[: spans[MOST_SENTENCES - 1, 1]])
    tokens = int(len(document.text) / CHARACTERS_A_TOKEN)
    return _cost("TBC", _recipes("TBC", find("TBC").declaration), document, Units(), tokens)


def _most(declaration: Declaration) -> int:
    is_embedded = declaration.strategy_class == "embedding"
    return MOST.get(declaration.code, MOST_EMBEDDED if is_embedded else SIZES[-1])


def _recipes(code: str, declaration: Declaration) -> list[list[Recipe]]:
    """The ticks of each fast number; the recipe alone where there is none."""
    numbers = [each for each in declaration.parameters if is_fast_number(each)]
    return [ticks(code, each, EVENTS) for each in numbers] or [[make_recipe(code)] * EVENTS]


def _cost(
    code: str, recipes: list[list[Recipe]], document: Document, units: Units, tokens: int
) -> Row:
    """Nanoseconds a token of the slowest number; what is prepared is dropped afterwards."""
    own, embedder = units.aside(), ToyEmbedder()
    what, spent = f"{code}, {tokens:,} tokens", [float("nan")]
    try:
        prepared = once(recipes[0][0], document, own, embedder)
        times = [[once(each, document, own, embedder) for each in some] for some in recipes]
        spent = max(times, key=lambda each: float(np.median(each)))
    except ChunkscopeError as error:
        return row("growth, warm tick", what, [], "ns a token", note=str(error))
    note = f"prepared in {prepared / 1000:,.1f} s"
    print(what, note, file=sys.stderr, flush=True)
    return row(
        "growth, warm tick", what, [ms / tokens * 1e6 for ms in spent], "ns a token", note=note
    )
