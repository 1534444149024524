# SPDX-License-Identifier: AGPL-3.0-or-later
"""The blocks that sections are made of: from the layout, or read from markdown and plain text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from core.document.model import Document
from core.units.paragraphs import strict_paragraphs

Span = tuple[int, int]

_HEADING = re.compile(r"^(#{1,6})\s[^\n]*", re.MULTILINE)
_TABLE = re.compile(r"^\|[^\n]*(?:\n\|[^\n]*)*", re.MULTILINE)
_FENCE = re.compile(r"^```.*?(?:^```[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_RULE_ROW = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")


@dataclass(frozen=True, slots=True)
class SectionBlock:
    """A trimmed, non-empty span with its role.

    level: of a heading, 1 to 6; 0 otherwise. rows: of a table, the spans of its rows.
    header_rows: how many of them are its heading.
    """

    start: int
    end: int
    kind: str
    level: int = 0
    rows: tuple[Span, ...] = ()
    header_rows: int = 0

    @property
    def is_heading(self) -> bool:
        """True for a heading."""
        return self.kind == "heading"


def section_blocks(document: Document) -> tuple[SectionBlock, ...]:
    """All solid text of the document as blocks, ascending, without overlap.

    Text that no block of the layout holds is cut into strict paragraphs. Without layout, lines
    that begin with `#` are headings and runs of lines that begin with `|` are tables, outside
    fences of three backticks.
    """
    text = document.text
    marked = list(_layout_blocks(document) if document.blocks else _markdown_blocks(text))
    blocks: list[SectionBlock] = []
    end = 0
    for block in marked:
        start = max(block.start, end)
        if start >= block.end:
            continue
        blocks += _paragraphs(text, end, start)
        blocks += _trimmed(text, replace(block, start=start))
        end = block.end
    return (*blocks, *_paragraphs(text, end, len(text)))


def _layout_blocks(document: Document) -> Iterator[SectionBlock]:
    for block in sorted(document.blocks, key=lambda each: (each.start, each.end)):
        rows = block.rows or tuple(_lines(document.text, block.start, block.end))
        is_table = block.kind == "table"
        yield SectionBlock(
            block.start,
            block.end,
            block.kind,
            max(1, block.level) if block.kind == "heading" else 0,
            rows if is_table else (),
            # a table whose heading is not known: its first row
            max(1, block.header_rows) if is_table else 0,
        )


def _markdown_blocks(text: str) -> list[SectionBlock]:
    fences = [match.span() for match in _FENCE.finditer(text)] if "```" in text else []
    found = [
        SectionBlock(*match.span(), "heading", len(match[1])) for match in _HEADING.finditer(text)
    ]
    found += [_table(text, *match.span()) for match in _TABLE.finditer(text)]
    outside = (each for each in found if not any(a <= each.start < b for a, b in fences))
    return sorted(outside, key=lambda each: each.start)


def _table(text: str, start: int, end: int) -> SectionBlock:
    rows = tuple(_lines(text, start, end))
    has_rule = len(rows) > 1 and _RULE_ROW.fullmatch(text[slice(*rows[1])]) is not None
    return SectionBlock(start, end, "table", 0, rows, 2 if has_rule else 1)


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """The spans of the lines that hold anything."""
    at = start
    for line in text[start:end].split("\n"):
        if line.strip():
            yield at, at + len(line)
        at += len(line) + 1


def _paragraphs(text: str, start: int, end: int) -> Iterator[SectionBlock]:
    """What lies between two blocks, as strict paragraphs."""
    if start < end and text[start:end].strip():
        for a, b in strict_paragraphs(Document(text[start:end])).tolist():
            yield SectionBlock(start + a, start + b, "paragraph")


def _trimmed(text: str, block: SectionBlock) -> Iterator[SectionBlock]:
    piece = text[block.start : block.end]
    inner = piece.strip()
    if inner:
        start = block.start + len(piece) - len(piece.lstrip())
        end = start + len(inner)
        rows = tuple((max(a, start), min(b, end)) for a, b in block.rows if a < end and b > start)
        yield replace(block, start=start, end=end, rows=rows)


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks `first` to `last`, half-open. `level`: of the heading that opens it, 0 for none."""

    first: int
    last: int
    level: int


def find_sections(
    blocks: tuple[SectionBlock, ...], level: int, *, join_title: bool
) -> list[Section]:
    """The sections of a document.

    Args:
        blocks: all blocks.
        level: the deepest heading that opens a section.
        join_title: a section that is nothing but its heading is joined to the one after it.
    """
    opens = [k for k, block in enumerate(blocks) if block.is_heading and block.level <= level]
    edges = sorted({0, *opens, len(blocks)})
    sections: list[Section] = []
    waiting: Section | None = None
    for first, last in pairwise(edges):
        heading = blocks[first].level if blocks[first].is_heading else 0
        section = Section(first, last, heading)
        if waiting is not None:
            section = Section(waiting.first, last, waiting.level)
        is_bare = last - first == 1 and blocks[first].is_heading
        if join_title and is_bare and last < len(blocks):
            waiting = section
        else:
            sections.append(section)
            waiting = None
    return sections


def header_of(table: SectionBlock, start: int) -> Span | None:
    """The heading rows of a table, for a chunk that begins behind them; None for others."""
    heading = table.rows[: table.header_rows]
    if heading and heading[-1][1] <= start < table.end:
        return heading[0][0], heading[-1][1]
    return None
