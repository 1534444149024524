# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a scoring is given besides the chunks: all that stays while chunkings come and go."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.arrays import Indices, Spans, as_spans
from core.document.model import BOILERPLATE, Document
from core.scores.blocks import counted_blocks
from core.scores.characters import CharacterTable, character_table
from core.scores.cohesion import PartUnits, part_units
from core.scores.pairs import FoundPairs, Pairs, as_pairs, check_spans
from core.scores.references import first_of_each
from core.units.tokens import PieceCounter, piece_counter


def _none() -> Spans:
    return as_spans([])


@dataclass(frozen=True, eq=False)
class ScoreInputs:
    """One text and what was found in it. Made once a document; its tables are made when needed.

    blocks, boilerplate, sentences: int64 (n, 2); boilerplate holds those of the blocks that are
    running headers, footers and page numbers. pairs: int64 (n, 4).
    """

    text: str
    blocks: Spans = field(default_factory=_none)
    boilerplate: Spans = field(default_factory=_none)
    sentences: Spans = field(default_factory=_none)
    pairs: Pairs = field(default_factory=lambda: as_pairs([]))
    pair_finder: str = ""  # who found the pairs, shown beside RC
    why_no_pairs: str = ""  # the finder's reason when it could not look
    counters: dict[str, PieceCounter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("blocks", "boilerplate", "sentences", "pairs"):
            check_spans(as_spans(getattr(self, name)), len(self.text), f"the {name}")

    def counts(self, texts: Sequence[str], unit: str) -> Indices:
        """int64 (n,): length of each text in `unit`; known texts are not counted again."""
        if unit not in self.counters:
            self.counters[unit] = piece_counter(unit)
        return self.counters[unit].counts(texts)

    @cached_property
    def characters(self) -> CharacterTable:
        """Where white space, letters and digits are."""
        return character_table(self.text)

    @cached_property
    def distinct_pairs(self) -> Indices:
        """int64 (k,): the pairs that count in default mode, no two equal."""
        return first_of_each(self.pairs)

    @cached_property
    def counted_blocks(self) -> Indices:
        """int64 (k,): the blocks that count in default mode."""
        return counted_blocks(self.blocks, self.boilerplate)

    @cached_property
    def sentence_units(self) -> PartUnits:
        """The sentences outside of boilerplate."""
        return part_units(self.sentences, self.boilerplate, self.characters)

    @cached_property
    def block_units(self) -> PartUnits:
        """The blocks that are no boilerplate."""
        return part_units(self.blocks, self.boilerplate, self.characters)

    @cached_property
    def reference_blocks(self) -> Spans:
        """int64 (n, 2): the blocks, or the whole text as one where there are none."""
        return self.blocks if len(self.blocks) else as_spans([(0, len(self.text))])


def inputs_of(document: Document, sentences: Spans, found: FoundPairs) -> ScoreInputs:
    """The inputs of a document with its sentences, int64 (n, 2), and the pairs found in it."""
    is_boilerplate = np.array([each.kind in BOILERPLATE for each in document.blocks], np.bool_)
    return ScoreInputs(
        document.text,
        document.block_spans,
        document.block_spans[is_boilerplate],
        sentences,
        found.pairs,
        found.finder,
        found.reason,
    )
