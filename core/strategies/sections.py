# SPDX-License-Identifier: AGPL-3.0-or-later
"""Section first (S1): one chunk a section, and long sections filled with their blocks.

`spec/strategies.md` 6.1, after the guideline article (BG). Its own lesson, that a model may not
read a whole chunk, is for the window to show: the chunks do not depend on the model.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import as_spans
from core.declaration import Declaration, Parameter, Preset
from core.document.model import Document
from core.strategies.chunks import Chunks, Rule, laid_over, one_span_chunks, reasons
from core.strategies.registry import strategy
from core.strategies.section_blocks import (
    SectionBlock,
    find_sections,
    header_of,
    section_blocks,
)
from core.strategies.section_fill import Filled, Filler, Parts, Span, measured_parts
from core.strategies.source import Source
from core.strategies.span_counts import SpanCounter, span_counter
from core.units.sentences import split_sentences

S1 = Declaration(
    code="S1",
    name="Section first",
    family="layout",
    strategy_class="layout",
    source="Guideline chunking article (BG)",
    help="A section of at most cap tokens is one chunk; a longer one is filled with its blocks. "
    "Tables stay whole while they fit, then are cut between rows; a heading stays with what "
    "follows it. The tokenizer is not named in the article.",
    parameters=(
        Parameter(
            "cap",
            default=2000,
            minimum=50,
            maximum=100_000,
            step=10,
            unit="tokens",
            help="Greatest length of a chunk, overlap included",
        ),
        Parameter(
            "overlap",
            default=200,
            minimum=0,
            maximum=5_000,
            step=10,
            unit="characters",
            help="Repeated from the chunk before in the same section, from a word's start on",
        ),
        Parameter(
            "level",
            default=6,
            minimum=1,
            maximum=6,
            unit="levels",
            help="Deepest heading that opens a section",
        ),
        Parameter(
            "join_title",
            default=True,
            type="boolean",
            help="A section that is nothing but its heading is joined to the one after it",
        ),
        Parameter(
            "overlap_across",
            default=False,
            type="boolean",
            help="Overlap also between the last chunk of a section and the first of the next",
        ),
    ),
    presets=(Preset("Guideline article", {"cap": 2000, "overlap": 200}),),
    tokenizer="cl100k_base",
    sentences="punkt",
)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedSections:
    """The blocks of a document, and what filling asks of it.

    words: where words begin, ascending. kept: sentences of the blocks that were cut so far.
    """

    source: Source
    blocks: tuple[SectionBlock, ...]
    counter: SpanCounter
    words: list[int]
    kept: dict[Span, Parts]

    def filler(self, cap: int, overlap: int) -> Filler:
        """A filler with these limits."""
        tables = [block for block in self.blocks if block.rows]
        return Filler(self.counter, self.words, tables, self.sentences, self.edges, cap, overlap)

    def sentences(self, start: int, end: int) -> Parts:
        """The sentences of a span, split as a text of its own."""
        if (start, end) not in self.kept:
            text = self.source.text[start:end]
            part = Document(text, language=self.source.document.language)
            found = split_sentences(part, self.source.splitter) + start
            spans = [(a, b) for a, b in found.tolist() if a < b]
            self.kept[start, end] = measured_parts(self.counter, spans, "sentence")
        return self.kept[start, end]

    def edges(self, start: int, end: int) -> Sequence[int]:
        """The places strictly inside a span at which no grapheme cluster is cut."""
        places = np.arange(start + 1, end)
        inside: list[int] = places[self.source.graphemes().is_edge(places)].tolist()
        return inside


def prepare_sections(source: Source) -> PreparedSections:
    """Find the blocks, and where words begin."""
    words = source.tokens("words").starts.tolist()
    counter = span_counter(source, source.tokenizer)
    return PreparedSections(source, section_blocks(source.document), counter, words, {})


@strategy(S1, prepare=prepare_sections)
def cut_sections(
    prepared: PreparedSections,
    *,
    cap: int,
    overlap: int,
    level: int,
    join_title: bool,
    overlap_across: bool,
) -> Chunks:
    """One chunk for each section that fits, several for the others."""
    blocks = prepared.blocks
    filler = prepared.filler(cap, overlap)
    chunks: list[Filled] = []
    opens: list[int] = []  # for each chunk, the level of the heading that follows it, or 0
    for section in find_sections(blocks, level, join_title=join_title):
        own = blocks[section.first : section.last]
        before = chunks[-1] if chunks and overlap_across else None
        start, end = own[0].start, own[-1].end
        if prepared.counter.count(start, end) <= cap:
            filled = [Filled(filler.begin(start, end, before), end, start)]
        else:
            filled = filler.fill(own, before)
        if opens:
            opens[-1] = section.level
        chunks += filled
        opens += [0] * len(filled)
    return _chunks(chunks, opens, prepared, (cap, overlap, level))


def _chunks(
    found: list[Filled], opens: list[int], prepared: PreparedSections, limits: tuple[int, int, int]
) -> Chunks:
    cap, overlap, level = limits
    n = len(found)
    rules = (
        Rule(
            "section",
            "the next section begins: a heading of level {value:.0f}; "
            "sections open down to level {threshold:.0f}",
        ),
        Rule("full", "with the next {detail} {value:,.0f} tokens > {threshold:,.0f}"),
        Rule(
            "heading moved",
            "a heading is never the last block, so it begins the next chunk: "
            "with the next {detail} {value:,.0f} tokens > {threshold:,.0f}",
        ),
    )
    is_section = np.array([each.value < 0 for each in found], np.bool_)
    which = np.array([2 if each.moved else 1 for each in found], np.int64)
    which[is_section] = 0
    which[-1:] = -1
    values = np.where(is_section, opens, [each.value for each in found]).astype(np.float64)
    ends = reasons(
        rules,
        n,
        which=which,
        values=values,
        thresholds=np.where(is_section, float(level), float(cap)),
        details=[each.before.replace("_", " ") for each in found],
    )
    shared = np.array([each.own_start - each.start for each in found], np.float64)
    repeats = reasons(
        Rule("overlap", "{value:,.0f} characters are repeated, at most {threshold:,.0f}"),
        n,
        which=np.where(shared > 0, 0, -1),
        values=shared,
        thresholds=float(overlap),
    )
    starts = laid_over(ends.take(np.arange(-1, n - 1)), repeats)
    spans = as_spans([(each.start, each.end) for each in found])
    return replace(one_span_chunks(spans, starts, ends), headers=_headers(found, prepared))


def _headers(found: list[Filled], prepared: PreparedSections) -> tuple[str, ...] | None:
    """The heading rows of a table for each chunk that begins inside one; None if none does."""
    tables = [block for block in prepared.blocks if block.rows]
    starts = [table.start for table in tables]
    headers = [""] * len(found)
    for number, chunk in enumerate(found):
        at = bisect_left(starts, chunk.start) - 1
        heading = header_of(tables[at], chunk.start) if at >= 0 else None
        if heading is not None:
            headers[number] = prepared.source.text[slice(*heading)]
    return tuple(headers) if any(headers) else None
