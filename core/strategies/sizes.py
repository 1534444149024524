# SPDX-License-Identifier: AGPL-3.0-or-later
"""How large the chunks of a strategy are meant to be, and how large spans are in that unit."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Offsets, Spans
from core.declaration import Declaration, Parameter, Value
from core.strategies.source import Source
from core.strategies.spacy_tokens import find_tokens
from core.strategies.span_counts import span_counter
from core.units.tokens import ALIASES, TOKENIZERS

# Names under which strategies declare a size, the one that a chunk has first.
_SIZE_NAMES = (
    *("size", "window", "max", "cap", "target", "base", "parent"),
    *("sentences", "paragraphs", "pages", "max_words"),
)
_TOKEN_WINDOWS = frozenset({"FC", "OFC", "SWC", "LCTS"})
_UNIT_CHOICES = ("length_unit", "length", "tokenizer")

LENGTH_UNIT = Parameter(
    "length_unit",
    default="characters",
    type="choice",
    choices=("characters", *(name for name in TOKENIZERS if name != "characters")),
    slow=True,
    help="What a length counts: characters as the released code, or tokens as the paper's legend",
)


@dataclass(frozen=True, slots=True)
class Size:
    """A size and its unit: a token unit, "spaCy tokens", "sentences", "paragraphs" or "pages".

    in_text: True if chunks are windows of the whole text's tokens; others count their own text.
    """

    value: float
    unit: str
    in_text: bool = False


def declared_size(
    declaration: Declaration, values: Mapping[str, Value], tokenizer: str
) -> Size | None:
    """The size that the parameters ask for; None where nothing is a size."""
    declared = {parameter.name: parameter for parameter in declaration.parameters}
    for name in _SIZE_NAMES:
        value = values.get(name)
        if name in declared and isinstance(value, int | float) and value > 0:
            unit = _unit_of(declared[name].unit, values, tokenizer)
            return Size(float(value), unit, declaration.code in _TOKEN_WINDOWS)
    return None


def _unit_of(written: str, values: Mapping[str, Value], tokenizer: str) -> str:
    if written in ("characters", "sentences", "paragraphs", "pages", "words", "spaCy tokens"):
        return written
    for name in _UNIT_CHOICES:
        chosen = str(values.get(name, ""))
        if chosen in TOKENIZERS or chosen in ALIASES:
            return ALIASES.get(chosen, chosen)
    return tokenizer


def measure(source: Source, spans: Spans, size: Size) -> Indices:
    """int64 (n,): how many units of a size each span has; of others than tokens, begin in it."""
    if size.unit in TOKENIZERS and not size.in_text:
        return span_counter(source, size.unit).counts(spans)
    if size.unit in TOKENIZERS:
        table = source.tokens(size.unit)
        return np.asarray(table.first_token_from(spans[:, 1]) - table.first_token_from(spans[:, 0]))
    starts = _starts(source, size.unit)
    low, high = (np.searchsorted(starts, spans[:, column]) for column in (0, 1))
    return np.asarray(high - low)


def _starts(source: Source, unit: str) -> Offsets:
    if unit == "pages":
        return source.document.page_starts
    if unit == "spaCy tokens":
        return find_tokens(source)[:, 0]
    return (source.paragraphs() if unit == "paragraphs" else source.sentences())[:, 0]
