# SPDX-License-Identifier: AGPL-3.0-or-later
"""Split, then merge (STM): recursive splitting by a list of separators, then greedy merging.

`spec/strategies.md` 7.1 and `spec/metrics.md` 15, after the adaptive chunking paper (AC).
"""

from dataclasses import dataclass

import numpy as np

from core.arrays import Offsets, as_spans
from core.declaration import Declaration, Parameter, Preset
from core.errors import ParameterError
from core.strategies.chunks import Chunks, Reasons
from core.strategies.piece_merge import merge_small_only, merge_to_size
from core.strategies.piece_tree import Pieces, PieceTree
from core.strategies.registry import strategy
from core.strategies.separator_lists import listed
from core.strategies.separator_search import (
    LITERAL_SEPARATORS,
    PAPER_SEPARATORS,
    Attach,
    SplitSeparator,
    attach_parameter,
    literal_separator,
    own_separator,
    published,
)
from core.strategies.source import Source
from core.strategies.split_reasons import merged_chunks, removed_boundaries
from core.units.tokens import TOKENIZERS, canonical_tokenizer, unit_words

STM = Declaration(
    code="STM",
    name="Split, then merge",
    family="adaptive chunking",
    strategy_class="instant",
    source="Adaptive chunking paper (AC); released code, commit ea87ce8",
    help="Splits at headings, list items, blank lines, lines, sentences, commas, spaces, as far as "
    "a piece is too long, and merges up to the size. With overlap 0 the released code can repeat "
    "white space, and its backward overlap is garbled: both are mended here.",
    parameters=(
        Parameter(
            "size",
            default=1100,
            minimum=1,
            maximum=100_000,
            step=10,
            unit="length units",
            help="Greatest length of a chunk",
        ),
        Parameter(
            "overlap",
            default=0,
            minimum=0,
            maximum="size - 1",
            step=5,
            unit="length units",
            help="Length that is repeated from the chunk before",
        ),
        Parameter(
            "merging",
            default="to_chunk_size",
            type="choice",
            choices=("to_chunk_size", "small_only"),
            help="Fill each chunk up to the size, or join only pieces below min_tokens",
        ),
        Parameter(
            "min_tokens",
            default=100,
            minimum=0,
            maximum=100_000,
            step=5,
            unit="length units",
            help="With small_only: a piece of fewer units is joined with a neighbour",
        ),
        Parameter(
            "separators",
            default="paper",
            type="choice",
            choices=("paper", "default"),
            open_choice=True,
            slow=True,
            help="paper: 14 regular expressions; default: blank line, line, space, any place; "
            "or your own regular expressions as a JSON list",
        ),
        attach_parameter("A separator begins the piece behind it, or ends the one before it"),
        Parameter(
            "order",
            default="forward",
            type="choice",
            choices=("forward", "backward"),
            help="Fill chunks from the beginning of the text or from its end",
        ),
        Parameter(
            "size_rule",
            default="chunk_size_plus_overlap",
            type="choice",
            choices=("chunk_size_plus_overlap", "chunk_size"),
            help="Overlap comes on top of the size, or counts towards it",
        ),
        Parameter(
            "length",
            default="o200k_base",
            type="choice",
            choices=("o200k_base", *(name for name in TOKENIZERS if name != "o200k_base")),
            open_choice=True,  # takes the short names too, such as o200k
            slow=True,
            help="What a length counts; each piece is encoded by itself",
        ),
    ),
    presets=(
        Preset("AC paper, 1,100", {"size": 1100}),
        Preset("AC paper, 600", {"size": 600}),
        Preset(
            "AC pipeline",
            {
                "size": 600,
                "overlap": 50,
                "merging": "small_only",
                "min_tokens": 100,
                "separators": "default",
            },
        ),
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class SplitMerge:
    """What STM prepares: the tree of pieces, and the unit's name in sentences."""

    tree: PieceTree
    unit: str


def split_separators(value: str | tuple[str, ...]) -> list[SplitSeparator]:
    """The separators of the parameter `separators`.

    Raises:
        ParameterError: it is no known list and no list of regular expressions.
    """
    if value == "paper":
        return [published(each) for each in PAPER_SEPARATORS]
    if value == "default":
        return [literal_separator(each) for each in LITERAL_SEPARATORS]
    known = {"paper": PAPER_SEPARATORS, "default": LITERAL_SEPARATORS}
    return [own_separator(each) for each in listed("separators", value, known)]


def split_tree(
    source: Source, *, separators: str | tuple[str, ...], attach: Attach, length: str
) -> PieceTree:
    """The tree of pieces of the document's text, shared by all who ask for the same."""
    unit = canonical_tokenizer(length)
    return source.units.get(
        ("split tree", separators, attach, unit),
        lambda: PieceTree(source.text, split_separators(separators), source.counter(unit), attach),
    )


def prepare_split(
    source: Source, *, separators: str | tuple[str, ...], attach: Attach, length: str
) -> SplitMerge:
    """Find the tree of pieces; it grows when a size is first tried."""
    unit = canonical_tokenizer(length)
    tree = split_tree(source, separators=separators, attach=attach, length=unit)
    return SplitMerge(tree, unit_words(unit))


@strategy(STM, prepare=prepare_split)
def split_then_merge(
    prepared: SplitMerge,
    *,
    size: int,
    overlap: int,
    merging: str,
    min_tokens: int,
    order: str,
    size_rule: str,
) -> Chunks:
    """Split what is longer than the effective size, then merge the pieces."""
    tree = prepared.tree
    most = size - overlap if size_rule == "chunk_size" else size
    if most < 1:  # the released code takes it, and makes a chunk of each character
        raise ParameterError(
            f"overlap is {overlap:,}, but must be at most {size - 1:,} where size_rule is "
            "chunk_size: choose a smaller overlap or the other rule"
        )
    pieces = tree.split(as_spans([(0, len(tree.text))]), most)
    backward = order == "backward"
    listed_pieces = _reversed(pieces) if backward else pieces
    if merging == "to_chunk_size":
        merge = merge_to_size(listed_pieces, tree, most=most, overlap=overlap, backward=backward)
    else:
        merge = merge_small_only(
            listed_pieces, tree, least=min_tokens, most=most, overlap=overlap, backward=backward
        )
    if backward:
        merge = merge.turned_round(len(pieces))
    return merged_chunks(merge, pieces, tree, prepared.unit, overlap=overlap, backward=backward)


def _reversed(pieces: Pieces) -> Pieces:
    return pieces.take(np.arange(len(pieces))[::-1])


def ghosts(prepared: SplitMerge, chunks: Chunks, *, size: int) -> tuple[Offsets, Reasons]:
    """The boundaries that merging removed from `chunks`, which have this size and no overlap.

    Returns:
        int64 (n,), their offsets, ascending, and their reasons (`spec/metrics.md` 15.4).
    """
    tree = prepared.tree
    pieces = tree.split(as_spans([(0, len(tree.text))]), size)
    return removed_boundaries(chunks, pieces, tree, prepared.unit, most=size)
