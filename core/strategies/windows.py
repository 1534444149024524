# SPDX-License-Identifier: AGPL-3.0-or-later
"""Windows of characters and tokens: FCC, FC, OFC and SWC (`spec/strategies.md` 3.1 to 3.4)."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Indices, Mask, Spans
from core.declaration import Bound, Declaration, Parameter, Preset
from core.document.model import Notice
from core.strategies.adjustments import SNAP_WORDS, moved_chunks
from core.strategies.chunks import Chunks, Reasons, Rule, one_span_chunks
from core.strategies.groups import window_reasons, windows
from core.strategies.registry import strategy
from core.strategies.source import Source
from core.units.tokens import TokenTable

SOURCE = "Chunking study (CB), Tables 1 and 2; released code, commit 9a8f4c8"

FULL_TOKENS = Rule("window end", "the window has its {threshold:.0f} tokens")
STEPPED_TOKENS = Rule("window start", "starts {value:.0f} tokens after the one before")
FULL_CHARACTERS = Rule("window end", "the window has its {threshold:.0f} characters")
STEPPED_CHARACTERS = Rule("window start", "starts {value:.0f} characters after the one before")


def token_size(default: int) -> Parameter:
    """The size of a token window."""
    return _tokens("size", default, "Tokens of a chunk")


def token_overlap(default: int) -> Parameter:
    """The overlap of token windows."""
    words = "Tokens that a chunk shares with the one before"
    return _tokens("overlap", default, words, minimum=0, maximum="size - 1")


def token_window(default: int) -> Parameter:
    """The size of a sliding window."""
    return _tokens("window", default, "Tokens of a chunk")


def token_step(default: int) -> Parameter:
    """The step of a sliding window."""
    words = "Tokens from one chunk's start to the next one's; above the window text is lost"
    return _tokens("step", default, words)


def _tokens(
    name: str, default: int, words: str, *, minimum: int = 1, maximum: Bound = 20_000
) -> Parameter:
    return Parameter(name, default, words, minimum=minimum, maximum=maximum, step=5, unit="tokens")


def step_of(size: int, overlap: int) -> int:
    """Units from one start to the next; 1 where the overlap is as large as the size."""
    return max(1, size - overlap)


@dataclass(frozen=True, slots=True, eq=False)
class CharacterWindows:
    """The n characters of a text, for windows."""

    n: int

    def chunks(self, size: int, step: int) -> Chunks:
        """Windows of `size` characters, `step` apart."""
        first, last = windows(self.n, size, step)
        starts, ends = window_reasons(
            FULL_CHARACTERS,
            STEPPED_CHARACTERS,
            last - first,
            size=size,
            step=step,
            at_end=last == self.n,
        )
        return one_span_chunks(np.stack([first, last], axis=1), starts, ends)


@dataclass(frozen=True, slots=True, eq=False)
class TokenWindows:
    """The tokens of a text, for windows; in reference mode a cut inside a character has no span."""

    text: str
    table: TokenTable
    is_reference: bool

    def chunks(self, size: int, step: int) -> Chunks:
        """Windows of `size` tokens, `step` apart."""
        n = len(self.table)
        first, last = windows(n, size, step)
        starts, ends = window_reasons(
            FULL_TOKENS, STEPPED_TOKENS, last - first, size=size, step=step, at_end=last == n
        )
        return self.between(first, last, starts, ends)

    def between(self, first: Indices, last: Indices, starts: Reasons, ends: Reasons) -> Chunks:
        """Chunks of the tokens `first` to `last`, half-open, int64 (m,) each."""
        spans = token_spans(self.table, first, last)
        splits = np.stack([self.table.cuts[first] < 0, self.table.cuts[last] < 0], axis=1)
        if not splits.any():
            return one_span_chunks(spans, starts, ends)
        if not self.is_reference:
            chunks = one_span_chunks(spans, starts, ends)
            return moved_chunks(chunks, splits, "snap", SNAP_WORDS["character"])
        lost = splits_character(self.table, first, last)
        texts = broken_texts(self.text, self.table, first, last, which=lost)
        return without_spans(spans, lost, texts, starts, ends)


def broken_texts(
    text: str, table: TokenTable, first: Indices, last: Indices, *, which: Mask
) -> dict[int, str]:
    """The strings of some windows, by index: their bytes, broken characters replaced."""
    data, edges = text.encode(), table.byte_ends
    return {
        k: data[edges[first[k]] : edges[last[k]]].decode(errors="replace")
        for k in np.flatnonzero(which).tolist()
    }


def token_spans(table: TokenTable, first: Indices, last: Indices) -> Spans:
    """int64 (m, 2): spans of the tokens `first` to `last`; inside a character its start."""
    if table.tiles:
        return np.stack([table.floors[first], table.floors[last]], axis=1)
    if not len(first):
        return np.empty((0, 2), np.int64)
    return np.stack([table.starts[first], table.ends[last - 1]], axis=1)


def splits_character(table: TokenTable, first: Indices, last: Indices) -> Mask:
    """Which windows begin or end inside a character, bool (m,)."""
    return np.asarray((table.cuts[first] < 0) | (table.cuts[last] < 0))


def without_spans(
    spans: Spans, lost: Mask, texts: dict[int, str], starts: Reasons, ends: Reasons
) -> Chunks:
    """Chunks of which those in `lost`, bool (n,), have no span but a string in `texts`."""
    whole = one_span_chunks(spans, starts, ends)
    pointers = np.concatenate([[0], np.cumsum(~lost)])
    return Chunks(
        spans[~lost],
        pointers,
        whole.start_reasons,
        whole.end_reasons,
        whole.levels,
        whole.parents,
        whole.primaries,
        whole.labels,
        texts=texts,
    )


def with_gap_notice(chunks: Chunks, n: int, *, window: int, step: int) -> Chunks:
    """The chunks of a text of `n` characters; a step above the window is said with its cost."""
    if step <= window or len(chunks) < 2:
        return chunks
    kept = int((chunks.spans[:, 1] - chunks.spans[:, 0]).sum())
    message = f"step {step} is above window {window}: {1 - kept / n:.1%} of the text is in no chunk"
    return chunks.with_notices(Notice(None, "lost text", message))


FCC = Declaration(
    code="FCC",
    name="Fixed character chunking",
    family="windows",
    strategy_class="instant",
    source=SOURCE,
    help="Windows of a fixed number of characters. Table 2 has the formula without overlap; the "
    "released code overlaps by 10 as Table 1 says, and so does this.",
    parameters=(
        Parameter(
            "size",
            default=100,
            minimum=1,
            maximum=100_000,
            step=10,
            unit="characters",
            help="Characters of a chunk",
        ),
        Parameter(
            "overlap",
            default=10,
            minimum=0,
            maximum="size - 1",
            step=5,
            unit="characters",
            help="Characters that a chunk shares with the one before",
        ),
    ),
    presets=(
        Preset("CB Table 1, as published code", {"size": 100, "overlap": 10}),
        Preset("CB Table 2, the formula", {"size": 100, "overlap": 0}),
    ),
    same_as=("HFCF",),
)
FC = Declaration(
    code="FC",
    name="Fixed token chunking",
    family="windows",
    strategy_class="instant",
    source=SOURCE,
    help="Windows of a fixed number of tokens. OFC is the same function with an overlap.",
    parameters=(token_size(50), token_overlap(0)),
    presets=(
        Preset("CB Table 1", {"size": 50, "overlap": 0}),
        Preset("Second stage of the hybrids", {"size": 200, "overlap": 20}),
    ),
    same_as=("OFC", "SWC"),
    tokenizer="cl100k_base",
)
OFC = Declaration(
    code="OFC",
    name="Overlapping token chunking",
    family="windows",
    strategy_class="instant",
    source=SOURCE,
    help="Windows of a fixed number of tokens with overlap: the same function as FC with another "
    "default, as in the released code.",
    parameters=(token_size(50), token_overlap(10)),
    presets=(Preset("CB Table 1", {"size": 50, "overlap": 10}),),
    same_as=("FC", "SWC"),
    tokenizer="cl100k_base",
)
SWC = Declaration(
    code="SWC",
    name="Sliding window token chunking",
    family="windows",
    strategy_class="instant",
    source=SOURCE,
    help="Windows of tokens, each a step after the one before; a step above the window skips text.",
    parameters=(token_window(50), token_step(25)),
    presets=(
        Preset("CB Table 1", {"window": 50, "step": 25}),
        Preset("CB Table 1, LCTS", {"window": 128, "step": 64}),
    ),
    same_as=("FC", "OFC", "LCTS"),
    tokenizer="cl100k_base",
)


def prepare_characters(source: Source) -> CharacterWindows:
    """Count the characters."""
    return CharacterWindows(len(source.text))


def prepare_tokens(source: Source) -> TokenWindows:
    """Find the tokens of the whole text."""
    return TokenWindows(source.text, source.tokens(), source.is_reference)


@strategy(FCC, prepare=prepare_characters)
def cut_characters(prepared: CharacterWindows, *, size: int, overlap: int) -> Chunks:
    """Cut windows of characters."""
    return prepared.chunks(size, step_of(size, overlap))


@strategy(FC, prepare=prepare_tokens)
def cut_tokens(prepared: TokenWindows, *, size: int, overlap: int) -> Chunks:
    """Cut windows of tokens."""
    return prepared.chunks(size, step_of(size, overlap))


@strategy(OFC, prepare=prepare_tokens)
def cut_overlapping_tokens(prepared: TokenWindows, *, size: int, overlap: int) -> Chunks:
    """Cut windows of tokens that overlap."""
    return prepared.chunks(size, step_of(size, overlap))


@strategy(SWC, prepare=prepare_tokens)
def cut_sliding_windows(prepared: TokenWindows, *, window: int, step: int) -> Chunks:
    """Cut windows of tokens at each step."""
    found = prepared.chunks(window, step)
    return with_gap_notice(found, len(prepared.text), window=window, step=step)
