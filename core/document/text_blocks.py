# SPDX-License-Identifier: AGPL-3.0-or-later
"""Blocks of a markdown file, found on its lines; the text is not changed.

Plain text has no blocks: what needs them falls back to strict paragraphs (`spec/strategies.md`
2.3). A form feed divides a text file into pages.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.document.model import Block, BlockKind, Document, Page

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_HEADING = re.compile(r"^(#{1,6})\s")
_FENCE = re.compile(r"^\s{0,3}(```|~~~)")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,9}[.)])\s+\S")
_DIVIDER = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_PAGE_SIZE = (595.0, 842.0)  # A4, points

Line = tuple[int, int, str]  # start, end without the line end, text


def with_markdown_blocks(document: Document) -> Document:
    """Return `document` with the blocks of its markdown."""
    return replace(document, blocks=tuple(find_markdown_blocks(document)))


def with_form_feed_pages(document: Document) -> Document:
    """Return `document` with a page for each part between form feeds, if there are any."""
    text = document.text
    if "\f" not in text:
        return document
    starts = [0, *(match.end() for match in re.finditer("\f", text))]
    ends = [*starts[1:], len(text)]
    pages = tuple(
        [
            Page(index, *_PAGE_SIZE, 0, start, end)
            for index, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]
    )
    return replace(document, pages=pages)


def find_markdown_blocks(document: Document) -> Iterator[Block]:
    """Yield headings, list items, tables with rows, fences and paragraphs in order."""
    run: list[Line] = []
    kind: BlockKind = "paragraph"
    fence = ""
    for line in _lines(document.text):
        mark = _FENCE.match(line[2])
        if fence:
            run.append(line)
            if mark and mark[1] == fence:
                yield from _finished(document, run, "paragraph")
                run, fence = [], ""
            continue
        found = _kind_of(line[2], run, kind)
        if mark or found is None or found != kind or found in {"heading", "list_item"}:
            goes_on = found == "list_item" and bool(run) and not _ITEM.match(line[2])
            if not goes_on:
                yield from _finished(document, run, kind)
                run = []
        if mark:
            fence, run = mark[1], [line]
        elif found is not None:
            kind = found
            run.append(line)
    yield from _finished(document, run, "paragraph" if fence else kind)


def _lines(text: str) -> Iterator[Line]:
    for match in _LINE.finditer(text):
        body = match[0].rstrip("\n").rstrip("\r")
        yield match.start(), match.start() + len(body), body


def _kind_of(text: str, run: list[Line], kind: BlockKind) -> BlockKind | None:
    """Return what a line is after the lines of `run`, or None when it is blank."""
    if not text.strip():
        return None
    if _HEADING.match(text):
        return "heading"
    if text.startswith("|"):
        return "table"
    if _ITEM.match(text):
        return "list_item"
    return "list_item" if run and kind == "list_item" else "paragraph"


def _finished(document: Document, run: list[Line], kind: BlockKind) -> Iterator[Block]:
    """Yield the block of the collected lines, without blank space at its ends."""
    if not run:
        return
    text = document.text[run[0][0] : run[-1][1]]
    start = run[0][0] + len(text) - len(text.lstrip())
    end = start + len(text.strip())
    if end <= start:
        return
    level, header_rows = 0, 0
    rows: tuple[tuple[int, int], ...] = ()
    if kind == "heading":
        level = len(run[0][2]) - len(run[0][2].lstrip("#"))
    elif kind == "list_item":
        level = min(6, 1 + (len(run[0][2]) - len(run[0][2].lstrip())) // 2)
    elif kind == "table":
        rows = tuple([(a, b) for a, b, body in run if not _DIVIDER.match(body)])
        header_rows = int(len(run) > 1 and bool(_DIVIDER.match(run[1][2])))
    page = document.page_of(start)
    yield Block(start, end, kind, level, page, source="text", rows=rows, header_rows=header_rows)
