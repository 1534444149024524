# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks of whole paragraphs: PBC and PGC (`spec/strategies.md` 3.8 and 3.9)."""

from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import Chunks, Rule
from core.strategies.groups import JoinedUnits, joined_paragraphs
from core.strategies.registry import strategy
from core.strategies.sentence_groups import unit_chunks, window_chunks
from core.strategies.windows import SOURCE, step_of

PARAGRAPH_END = Rule("paragraph end", "a paragraph ends here")
FULL_PARAGRAPHS = Rule("group end", "the chunk has its {threshold:.0f} paragraphs")
STEPPED_PARAGRAPHS = Rule("group start", "starts {value:.0f} paragraphs after the one before")

PBC = Declaration(
    code="PBC",
    name="Paragraph-based chunking",
    family="paragraphs",
    strategy_class="instant",
    source=SOURCE,
    help="Each paragraph is a chunk. paragraphs.rule=layout takes the blocks of the page.",
    presets=(Preset("CB Table 1"),),
    same_as=("LCPI",),
)
PGC = Declaration(
    code="PGC",
    name="Paragraph group chunking",
    family="paragraphs",
    strategy_class="instant",
    source=SOURCE,
    help="Windows of a fixed number of paragraphs: the best strategy on average in its study. "
    "paragraphs.rule=layout takes the blocks of the page.",
    parameters=(
        Parameter(
            "paragraphs",
            default=2,
            minimum=1,
            maximum=1_000,
            unit="paragraphs",
            help="Paragraphs of a chunk",
        ),
        Parameter(
            "overlap",
            default=1,
            minimum=0,
            maximum="paragraphs - 1",
            unit="paragraphs",
            help="Paragraphs that a chunk shares with the one before",
        ),
    ),
    presets=(Preset("CB Table 1", {"paragraphs": 2, "overlap": 1}),),
)


@strategy(PBC, prepare=joined_paragraphs)
def cut_paragraphs(joined: JoinedUnits) -> Chunks:
    """Cut after each paragraph."""
    return unit_chunks(joined.spans, PARAGRAPH_END)


@strategy(PGC, prepare=joined_paragraphs)
def cut_paragraph_groups(joined: JoinedUnits, *, paragraphs: int, overlap: int) -> Chunks:
    """Cut windows of paragraphs."""
    step = step_of(paragraphs, overlap)
    return window_chunks(joined, paragraphs, step, full=FULL_PARAGRAPHS, stepped=STEPPED_PARAGRAPHS)
