# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks that end at the last end mark a size allows: DFC (`spec/strategies.md` 3.17)."""

import re
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from core.arrays import Indices
from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import Chunks, Rule, reasons
from core.strategies.groups import cut_reasons, groups_between
from core.strategies.registry import strategy
from core.strategies.source import Source
from core.strategies.windows import SOURCE, TokenWindows, prepare_tokens
from core.units.tokens import TokenTable

AT_MARK = Rule("end mark", "the last token with an end mark among the first {threshold:.0f}")
NO_MARK = Rule("size", "no end mark after {value:.0f} tokens: cut at the greatest size")
_MARK = re.compile(r"[.?!\n]")

DFC = Declaration(
    code="DFC",
    name="Dynamic token size chunking",
    family="windows",
    strategy_class="instant",
    source=SOURCE,
    help="Tokens up to the last one with an end mark or line end between min and max. As in the "
    "released code any '.' counts, also of a number, and a chunk has more than min tokens if a "
    "mark is found; the paper asks for a size within both.",
    parameters=(
        Parameter(
            "min",
            default=50,
            minimum=0,
            maximum="max",
            step=5,
            unit="tokens",
            help="A mark in the first so many tokens does not count",
        ),
        Parameter(
            "max",
            default=200,
            minimum=1,
            maximum=20_000,
            step=5,
            unit="tokens",
            help="Greatest number of tokens",
        ),
        Parameter(
            "marks",
            default="characters",
            type="choice",
            choices=("characters", "sentences"),
            slow=True,
            help="What ends a chunk: any token with . ? ! or a line end, as the released code, or "
            "only the end of a sentence",
        ),
    ),
    presets=(Preset("CB Table 1", {"min": 50, "max": 200}),),
    tokenizer="cl100k_base",
    sentences="punkt",
)


@dataclass(frozen=True, slots=True, eq=False)
class MarkedTokens:
    """The tokens, and how many there are up to each that has a mark, ascending."""

    windows: TokenWindows
    marked_ends: list[int]  # a list: a drag looks up one at a time


def mark_tokens(source: Source, *, marks: str) -> MarkedTokens:
    """Find the tokens that can end a chunk."""
    windows = prepare_tokens(source)
    if marks == "sentences":
        last_characters = source.sentences()[:, 1] - 1
    else:
        found = [match.start() for match in _MARK.finditer(source.text)]
        last_characters = np.array(found, dtype=np.int64)
    return MarkedTokens(windows, _tokens_up_to(windows.table, last_characters).tolist())


def _tokens_up_to(table: TokenTable, characters: Indices) -> Indices:
    """Tokens up to the one that ends with or after each character; white space has none."""
    at = table.token_at(characters)
    if not table.tiles and len(table):
        at = at[(at >= 0) & (characters < table.ends[at])]
    ends: Indices = np.unique(at[at >= 0]) + 1
    return ends


@strategy(DFC, prepare=mark_tokens)
def cut_at_marks(prepared: MarkedTokens, **limits: int) -> Chunks:
    """Cut at the last mark after `min` and up to `max` tokens, or else at `max`."""
    least, most = limits["min"], limits["max"]
    n = len(prepared.windows.table)
    cuts, with_mark = _mark_cuts(prepared.marked_ends, n, least=least, most=most)
    first, last = groups_between(cuts, n)
    sizes = (last - first)[: len(cuts)].astype(np.float64)
    between = reasons(
        (AT_MARK, NO_MARK), len(cuts), which=1 - with_mark, values=sizes, thresholds=most
    )
    starts, ends = cut_reasons(between)
    if not n:
        starts, ends = starts.take(first), ends.take(first)
    return prepared.windows.between(first, last, starts, ends)


def _mark_cuts(marked_ends: list[int], n: int, *, least: int, most: int) -> tuple[Indices, Indices]:
    """The cuts inside the text, int64 (m,), and 1 for each that is at a mark, int64 (m,)."""
    cuts, with_mark, at = [], [], 0
    while at < n:
        high, low = min(at + most, n), min(at + least, n)
        last = bisect_right(marked_ends, high) - 1
        found = last >= 0 and marked_ends[last] > low
        at = marked_ends[last] if found else high
        cuts.append(at)
        with_mark.append(found)
    return np.array(cuts[:-1], dtype=np.int64), np.array(with_mark[:-1], dtype=np.int64)
