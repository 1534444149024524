# SPDX-License-Identifier: AGPL-3.0-or-later
"""Recursive chunking: RC, RTF and K1, one algorithm with several lengths and separators.

A text is cut before each occurrence of the first separator; what is small enough is merged up
to the size, what is not is cut at the next separator (`spec/strategies.md` 3.10, 3.11, 5.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import Chunks
from core.strategies.groups import solid_of
from core.strategies.nested_pieces import NestedPieces, Separator, literal, nest, pattern
from core.strategies.recursive_merge import TextEdges, as_chunks, ranks_of, split_recursively
from core.strategies.registry import strategy
from core.strategies.separator_lists import listed
from core.strategies.sizes import LENGTH_UNIT
from core.strategies.source import Source
from core.units.tokens import canonical_tokenizer, unit_words

DEFAULT_SEPARATORS = ("\n\n", "\n", " ", "")
CLINICAL_SEPARATORS = (r"\n\n", r"(?<=[.!?])\s+", r"(?<=[,;:])\s+", r"\s+", "")

SIZE = Parameter(
    "size",
    default=500,
    minimum=1,
    maximum=100_000,
    step=10,
    unit="length units",
    help="Greatest sum of the pieces of a chunk; a piece of this length or more is split",
)
OVERLAP = Parameter(
    "overlap",
    default=50,
    minimum=0,
    maximum="size - 1",
    step=5,
    unit="length units",
    help="At most so much is repeated from the chunk before, in whole pieces; often nothing",
)
SEPARATORS = Parameter(
    "separators",
    default="default",
    type="choice",
    choices=("default",),
    open_choice=True,
    slow=True,
    help="Literals in order: paragraph, line, space, any place; or your own as a JSON list",
)


@dataclass(frozen=True, slots=True, eq=False)
class RecursivePieces:
    """What a recursive strategy prepares: the nested pieces, and what their edges are."""

    pieces: NestedPieces
    edges: TextEdges

    def chunks(self, *, size: int, overlap: int) -> Chunks:
        """Split and merge at this size and overlap, in the unit of the pieces."""
        found = split_recursively(self.pieces, size=size, overlap=overlap)
        return as_chunks(found, self.pieces, self.edges, size=size, overlap=overlap)


def recursive_pieces(
    source: Source, separators: Sequence[Separator], length_unit: str
) -> RecursivePieces:
    """Find the pieces of the document's text at every separator.

    Args:
        source: the document and its units.
        separators: from the coarsest to the finest.
        length_unit: "characters" or the name of a tokenizer.
    """
    unit = canonical_tokenizer(length_unit)
    counter = None if unit == "characters" else source.counter(unit)
    pieces = nest(source.text, separators, unit_words(unit), counter)
    return RecursivePieces(pieces, TextEdges(solid_of(source), ranks_of(pieces)))


RC = Declaration(
    code="RC",
    name="Recursive chunking",
    family="recursive",
    strategy_class="instant",
    source="Chunking study (CB), Tables 1 and 2; released code, commit 9a8f4c8",
    help="Cuts at paragraphs, then lines, then spaces, then anywhere, and merges up to the size. "
    "The legend of Table 1 says tokens, the released code counts characters: length_unit has both.",
    parameters=(SIZE, OVERLAP, SEPARATORS, LENGTH_UNIT),
    presets=(
        Preset("CB Table 1, as published code", {"size": 500, "overlap": 50}),
        Preset(
            "CB Table 1, in tokens as its legend",
            {"size": 500, "overlap": 50, "length_unit": "cl100k_base"},
        ),
    ),
)


def prepare_recursive(
    source: Source, *, separators: str | tuple[str, ...], length_unit: str
) -> RecursivePieces:
    """Find the pieces at literal separators."""
    chosen = listed("separators", separators, {"default": DEFAULT_SEPARATORS})
    return recursive_pieces(source, [literal(each) for each in chosen], length_unit)


@strategy(RC, prepare=prepare_recursive)
def cut_recursively(prepared: RecursivePieces, *, size: int, overlap: int) -> Chunks:
    """Split what is too long and merge what is short."""
    return prepared.chunks(size=size, overlap=overlap)


RTF = Declaration(
    code="RTF",
    name="Recursive token fallback chunking",
    family="recursive",
    strategy_class="instant",
    source="Chunking study (CB), Tables 1 and 2; released code, commit 9a8f4c8",
    help="Recursive chunking whose lengths are tokens, each piece encoded by itself. The released "
    "code takes gpt2 here and cl100k_base elsewhere; with another tokenizer the result differs. "
    "The paper's fallback to token splitting is not in the code: the last resort is characters.",
    parameters=(
        Parameter(
            "size",
            default=100,
            minimum=1,
            maximum=20_000,
            step=5,
            unit="tokens",
            help="Greatest sum of the tokens of a chunk's pieces",
        ),
        Parameter(
            "overlap",
            default=10,
            minimum=0,
            maximum="size - 1",
            step=1,
            unit="tokens",
            help="At most so many tokens are repeated from the chunk before, in whole pieces",
        ),
    ),
    presets=(Preset("CB Table 1", {"size": 100, "overlap": 10}),),
    tokenizer="gpt2",
)


def prepare_token_fallback(source: Source) -> RecursivePieces:
    """Find the pieces at the default separators; their tokens are counted when first needed."""
    return recursive_pieces(
        source, [literal(each) for each in DEFAULT_SEPARATORS], source.tokenizer
    )


@strategy(RTF, prepare=prepare_token_fallback)
def cut_by_tokens(prepared: RecursivePieces, *, size: int, overlap: int) -> Chunks:
    """Split what has too many tokens and merge what has few."""
    return prepared.chunks(size=size, overlap=overlap)


K1 = Declaration(
    code="K1",
    name="Clinical recursive chunking",
    family="clinical",
    strategy_class="instant",
    source="Clinical decision support study (CL), section 2.2.1; 'clinical' separators are ours",
    help="Recursive chunking of 1,000 characters with 100 of overlap. 'langchain' is RC, the only "
    "exact reading; 'clinical' cuts at paragraphs, sentences, then subordinate punctuation.",
    parameters=(
        Parameter(
            "size",
            default=1000,
            minimum=1,
            maximum=100_000,
            step=10,
            unit="characters",
            help="Greatest length of a chunk",
        ),
        Parameter(
            "overlap",
            default=100,
            minimum=0,
            maximum="size - 1",
            step=5,
            unit="characters",
            help="At most so much is repeated from the chunk before, in whole pieces",
        ),
        Parameter(
            "separators",
            default="langchain",
            type="choice",
            choices=("langchain", "clinical"),
            slow=True,
            help="langchain: paragraph, line, space; clinical: paragraph, sentence, clause, space",
        ),
    ),
    presets=(Preset("CL 2.2.1", {"size": 1000, "overlap": 100}),),
)


def prepare_clinical(source: Source, *, separators: str) -> RecursivePieces:
    """Find the pieces at the separators of the clinical paper."""
    if separators == "clinical":
        chosen = [pattern(each) for each in CLINICAL_SEPARATORS]
    else:
        chosen = [literal(each) for each in DEFAULT_SEPARATORS]
    return recursive_pieces(source, chosen, "characters")


@strategy(K1, prepare=prepare_clinical)
def cut_clinically(prepared: RecursivePieces, *, size: int, overlap: int) -> Chunks:
    """Split what is too long and merge what is short."""
    return prepared.chunks(size=size, overlap=overlap)
