# SPDX-License-Identifier: AGPL-3.0-or-later
"""Blocks to items: rectangles of known height that are never divided.

A line of a paragraph, a row of a table and a drawing are one item each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pymupdf
from figures import DRAWINGS
from markup import Block, Run, Source, plain, runs
from pages import Colour, Draw, Item, Page, Region, Theme
from paragraphs import FACES, Line, Setter, Style, font

Contents = list[tuple[int, str, int]]  # level, title, page number


class Items:
    """Makes the items of a source's blocks."""

    def __init__(self, setter: Setter, theme: Theme, contents: Contents) -> None:
        self._setter = setter
        self._theme = theme
        self._contents = contents

    def regions(self, source: Source) -> list[Region]:
        """Runs of items for one or two columns, in order."""
        regions = [Region(1, [])]
        previous = Block("page")
        for number, block in enumerate(source.blocks, start=1):
            if block.kind == "columns":
                regions.append(Region(block.level, []))
            else:
                items = self._of(block, previous, regions[-1].columns)
                regions[-1].items.extend(
                    replace(item, block=number, floats=number if item.floats else 0)
                    for item in items
                )
            previous = block
        return [region for region in regions if region.items]

    def _of(self, block: Block, previous: Block, columns: int) -> list[Item]:
        theme = self._theme
        width = theme.column_width(columns)
        body = theme.body if columns == 1 else theme.narrow
        small = replace(body, size=body.size - 2, leading=body.leading - 2.6, align="left")
        text = runs(block.text)
        makers: dict[str, Callable[[], list[Item]]] = {
            "heading": lambda: self._heading(block, previous, width, columns),
            "paragraph": lambda: self._paragraph(text, body, width, gap=theme.paragraph_gap),
            "item": lambda: self._list_item(block, previous, body, width),
            "table": lambda: self._table(block, width),
            "figure": lambda: self._figure(block, width),
            "note": lambda: self._paragraph(text, small, width, gap=4),
            "title": lambda: self._display(block, width),
            "subtitle": lambda: self._display(block, width),
            "page": lambda: [Item(0, _nothing, breaks=True, keep=True)],
            "space": lambda: [Item(float(block.text), _nothing)],
            "toc": lambda: self._table_of_contents(width),
        }
        if block.kind not in makers:
            raise ValueError(f"block kind {block.kind!r} is none of {', '.join(makers)}")
        if block.boxed:
            return self._boxed(block, previous, body, width)
        return makers[block.kind]()

    def _paragraph(
        self, text: list[Run], style: Style, width: float, *, gap: float, inset: float = 0.0
    ) -> list[Item]:
        lines = self._setter.lines(text, style, width - inset)
        items = []
        for index, line in enumerate(lines):
            single = index == 0 or index == len(lines) - 2
            items.append(
                Item(
                    style.leading,
                    _line_drawer(line, inset, style),
                    gap=gap if index == 0 else 0.0,
                    keep=single and index < len(lines) - 1,
                    notes=line.notes,
                    movable=True,
                )
            )
        return items

    def _heading(self, block: Block, previous: Block, width: float, columns: int) -> list[Item]:
        chapter = self._theme.chapter_on_new_page and block.level == 1
        size = {1: 22.0 if chapter else 15.0, 2: 12.5, 3: 10.5}[block.level]
        if columns == 2:
            size -= 1.0 if block.level < 3 else 0.3
        style = Style(
            "sans",
            size,
            size * 1.22,
            self._theme.accent if block.level < 3 else (0.1, 0.1, 0.12),
            bold=True,
            align="left",
        )
        title = block.text if block.mark in ("", "-") else f"{block.mark} {block.text}"
        gap = {1: 20.0, 2: 14.0, 3: 10.0}[block.level]
        if previous.kind == "heading":
            gap = 8.0
        lines = self._setter.lines(runs(title), style, width)
        items = []
        for index, line in enumerate(lines):
            draw = _line_drawer(line, 0.0, style)
            if index == 0:
                draw = _heading_drawer(draw, block.level, plain(title))
            items.append(Item(style.leading, draw, gap=gap if index == 0 else 0, keep=True))
        if chapter:
            items[0] = replace(items[0], breaks=True)
            items.append(Item(8, _rule_drawer(width, self._theme.accent, 1.2), gap=6, keep=True))
        elif block.level == 1 and columns == 1:
            items.append(Item(3, _rule_drawer(width, self._theme.accent, 0.7), gap=2, keep=True))
        return items

    def _boxed(self, block: Block, previous: Block, style: Style, width: float) -> list[Item]:
        style = replace(style, align="left")
        lines = self._setter.lines(runs(block.text), style, width - 26)
        first = not previous.boxed
        items = []
        for index, line in enumerate(lines):
            above = 7.0 if index == 0 else 0.0
            below = 7.0 if index == len(lines) - 1 else 0.0
            items.append(
                Item(
                    style.leading + above + below,
                    self._box_drawer(line, style, width, above=above, below=below),
                    gap=(9.0 if first else 3.0) if index == 0 else 0.0,
                    keep=index < len(lines) - 1,
                    notes=line.notes,
                    movable=True,
                )
            )
        return items

    def _box_drawer(
        self, line: Line, style: Style, width: float, *, above: float, below: float
    ) -> Draw:
        theme = self._theme
        height = style.leading + above + below

        def draw(page: Page, x: float, y: float) -> None:
            end = y + height + (0.0 if below else 0.4)  # no seam between the lines
            page.fill(x, y, x + width, end, theme.tint)
            page.fill(x, y, x + 3.5, end, theme.accent)
            page.line(x + 14, y + above + style.size * 0.95, line)

        return draw

    def _list_item(self, block: Block, previous: Block, style: Style, width: float) -> list[Item]:
        inset = 16.0 if block.level == 1 else 32.0
        gap = 2.5 if previous.kind == "item" else 5.0
        items = self._paragraph(runs(block.text), style, width, gap=gap, inset=inset)
        mark = "–" if block.level == 2 and block.mark == "•" else block.mark
        first = items[0].draw

        def draw(page: Page, x: float, y: float) -> None:
            page.text(x + inset - 13, y + style.size * 0.95, mark, replace(style, bold=False))
            first(page, x, y)

        items[0] = replace(items[0], draw=draw)
        return items

    def _display(self, block: Block, width: float) -> list[Item]:
        main = block.kind == "title"
        size = 27.0 if main else 14.0
        colour = self._theme.accent if main else (0.25, 0.25, 0.28)
        style = Style("sans", size, size * 1.2, colour, bold=main, align="left")
        return [
            replace(item, keep=True)
            for item in self._paragraph(runs(block.text), style, width, gap=8)
        ]

    def _caption(self, block: Block, width: float, gap: float) -> list[Item]:
        style = Style("sans", 8.6, 11.0, align="left")
        text = [Run(f"{block.mark}. ", bold=True), *runs(block.text)]
        lines = self._paragraph(text, style, width, gap=gap)
        return [replace(item, keep=True, movable=False) for item in lines]

    def _table(self, block: Block, width: float) -> list[Item]:
        """Caption and rows; a table says `header=...` when it may be divided between rows."""
        items = [*self._caption(block, width, 12.0), *self._table_rows(block, width)]
        return [*items, Item(6, _nothing)] if "header" in block.options else _as_float(items)

    def _figure(self, block: Block, width: float) -> list[Item]:
        height, drawing = DRAWINGS[block.label]
        theme = self._theme
        figure = Item(height, lambda page, x, y: drawing(page, x, y, width, theme), gap=12.0)
        return _as_float([figure, *self._caption(block, width, 6.0)])

    def _table_rows(self, block: Block, width: float) -> list[Item]:
        shares = [float(share) for share in block.options["widths"].split(",")]
        widths = [width * share / sum(shares) for share in shares]
        aligns = block.options.get("align", "l" * len(widths))
        head, *rows = block.rows
        header = self._row(head, widths, aligns, kind="head")
        repeats = block.options.get("header") == "repeat"
        items = [replace(header, gap=5.0, keep=True)]
        for index, row in enumerate(rows):
            if len(row) not in (1, len(widths)):
                raise ValueError(
                    f"{block.mark}, row {index + 1} has {len(row)} cells, not {len(widths)}: {row}"
                )
            group = len(row) == 1 or not any(row[1:])
            kind = "group" if group else "last" if index == len(rows) - 1 else "row"
            item = self._row(row, widths, aligns, kind=kind)
            keep = group or index in (0, len(rows) - 2)
            items.append(replace(item, keep=keep, header=header if repeats else None))
        return items

    def _row(self, cells: tuple[str, ...], widths: list[float], aligns: str, *, kind: str) -> Item:
        head, group = kind == "head", kind == "group"
        style = Style("sans", 8.2, 10.4, bold=head or group, align="left")
        span = [sum(widths)] if group else widths
        columns = [
            self._setter.lines(
                runs(cell),
                replace(style, align={"l": "left", "r": "right", "c": "centre"}[align]),
                width - 9,
            )
            for cell, width, align in zip(cells, span, aligns, strict=False)
        ]
        height = max(len(lines) for lines in columns) * style.leading + 6.5
        theme = self._theme
        whole = sum(widths)

        def draw(page: Page, x: float, y: float) -> None:
            if head or group:
                page.fill(x, y, x + whole, y + height, theme.tint)
            if head:
                page.rule(x, y, x + whole, y, width=1.0, colour=theme.accent)
            heavy = kind in ("head", "last")
            page.rule(
                x,
                y + height,
                x + whole,
                y + height,
                width=1.0 if heavy else 0.35,
                colour=theme.accent if heavy else (0.6, 0.6, 0.63),
            )
            left = x
            for lines, column in zip(columns, span, strict=False):
                for index, line in enumerate(lines):
                    page.line(left + 4.5, y + 3 + style.size * 0.95 + index * style.leading, line)
                left += column

        notes = tuple(note for lines in columns for line in lines for note in line.notes)
        return Item(height, draw, notes=notes)

    def _table_of_contents(self, width: float) -> list[Item]:
        items = []
        for level, title, page_number in self._contents:
            if level > 2 or title == "Contents":
                continue
            bold = level == 1
            style = Style("sans" if bold else "serif", 10.0, 13.4, bold=bold, align="left")
            items.append(
                Item(
                    style.leading,
                    self._contents_drawer(title, page_number, style, width, level),
                    gap=6.0 if bold else 0.6,
                    keep=bold,
                )
            )
        return items

    def _contents_drawer(
        self, title: str, page_number: int, style: Style, width: float, level: int
    ) -> Draw:
        inset = 0.0 if level == 1 else 16.0
        shown = self._theme.page_label(page_number)

        def draw(page: Page, x: float, y: float) -> None:
            base = y + style.size * 0.95
            page.text(x + inset, base, title, style)
            page.text(x + width, base, shown, style, anchor="right")
            face = font(FACES[style.family][style.bold])
            start = x + inset + face.text_length(title, style.size) + 6
            end = x + width - face.text_length(shown, style.size) - 6
            if level > 1 and end > start:
                dots = " ." * int((end - start) / face.text_length(" .", style.size))
                page.text(end, base, dots.strip(), style, anchor="right")
            page.links.append((pymupdf.Rect(x, y, x + width, y + style.leading), page_number))

        return draw


def _nothing(page: Page, x: float, y: float) -> None:
    """Draw nothing: space only."""


def _as_float(items: list[Item]) -> list[Item]:
    """Items that stay together, and space below; text may be moved before them."""
    kept = [replace(item, keep=True, floats=1) for item in items]
    return [*kept, Item(6, _nothing, floats=1)]


def _line_drawer(line: Line, inset: float, style: Style) -> Draw:
    def draw(page: Page, x: float, y: float) -> None:
        page.line(x + inset, y + style.size * 0.95, line)

    return draw


def _heading_drawer(draw_text: Draw, level: int, title: str) -> Draw:
    def draw(page: Page, x: float, y: float) -> None:
        page.headings.append((level, title, y))
        draw_text(page, x, y)

    return draw


def _rule_drawer(width: float, colour: Colour, thick: float) -> Draw:
    def draw(page: Page, x: float, y: float) -> None:
        page.rule(x, y, x + width, y, width=thick, colour=colour)

    return draw
