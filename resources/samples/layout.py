# SPDX-License-Identifier: AGPL-3.0-or-later
"""Blocks on pages: columns, tables over page breaks, footnotes, figures, running headers.

Every block becomes items: rectangles of known height that are never divided (a line, a
table row, a drawing). A region is a run of items for one or two columns; items are filled
into the frames of the pages, and two columns on a region's last page are balanced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pymupdf
from figures import DRAWINGS
from markup import Block, Run, Source, plain, runs
from paragraphs import FACES, Line, Piece, Setter, Style, font

Colour = tuple[float, float, float]
Draw = Callable[["Page", float, float], None]


@dataclass(frozen=True, slots=True)
class Theme:
    """Measures (points) and styles of one document."""

    accent: Colour
    tint: Colour
    body: Style
    narrow: Style  # body text in two columns
    left: float = 66.0
    right: float = 66.0
    top: float = 78.0
    bottom: float = 72.0
    gutter: float = 20.0
    paragraph_gap: float = 6.0
    chapter_on_new_page: bool = False
    numbering: str = "document"
    header: str = ""  # left running header; the right one is the current top heading
    footer: str = ""
    plain_pages: int = 0  # pages at the front without header and footer
    roman_pages: int = 0  # pages at the front with roman numbers


@dataclass(slots=True)
class Page:
    """What is drawn on one page, in order; shapes below text.

    A shape is its points, the width of its line (0: it is filled) and its colour.
    """

    number: int
    pieces: list[tuple[float, float, Piece]] = field(default_factory=list)
    shapes: list[tuple[list[tuple[float, float]], float, Colour]] = field(default_factory=list)
    links: list[tuple[pymupdf.Rect, int]] = field(default_factory=list)
    headings: list[tuple[int, str, float]] = field(default_factory=list)
    chapter: str = ""

    def line(self, x: float, y: float, line: Line) -> None:
        """Set a line with its baseline at y."""
        self.pieces += [(x + dx, y - piece.rise, piece) for dx, piece in line.pieces]

    def text(self, x: float, y: float, text: str, style: Style, *, anchor: str = "left") -> None:
        """Set one unbroken text with its baseline at y."""
        face = FACES[style.family][style.bold + 2 * style.italic]
        piece = Piece(text, face, style.size, 0.0, style.colour)
        shift = {"left": 0.0, "centre": 0.5, "right": 1.0}[anchor] * piece.width
        self.pieces.append((x - shift, y, piece))

    def rule(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        width: float = 0.5,
        colour: Colour = (0.3, 0.3, 0.33),
    ) -> None:
        """Draw a straight line."""
        self.shapes.append(([(x0, y0), (x1, y1)], width, colour))

    def fill(self, x0: float, y0: float, x1: float, y1: float, colour: Colour) -> None:
        """Fill a rectangle."""
        self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], colour)

    def polygon(self, points: list[tuple[float, float]], colour: Colour) -> None:
        """Fill a polygon."""
        self.shapes.append((points, 0.0, colour))


@dataclass(frozen=True, slots=True)
class Item:
    """A rectangle that is never divided, `gap` below the item before it."""

    height: float
    draw: Draw
    gap: float = 0.0
    keep: bool = False  # no break after it
    notes: tuple[str, ...] = ()
    header: Item | None = None  # set again on top when a frame begins with this item
    floats: int = 0  # items of one float share a number above 0
    block: int = 0
    breaks: bool = False  # begins a page
    movable: bool = False  # running text, which may go before a float that does not fit


@dataclass(frozen=True, slots=True)
class Region:
    """Items for so many columns."""

    columns: int
    items: list[Item]


class Typesetter:
    """Makes the pages of one source."""

    def __init__(
        self,
        source: Source,
        theme: Theme,
        divided: dict[str, tuple[str, ...]],
        *,
        contents: list[tuple[int, str, int]] | None = None,
    ) -> None:
        self._source = source
        self._theme = theme
        self._note_numbers: dict[str, str] = {}
        self._setter = Setter(divided, self._mark_of)
        self._contents = contents or []
        self.pages: list[Page] = []
        self._y = 0.0
        self._notes: list[str] = []
        self._block = 0

    def run(self) -> list[Page]:
        """All pages, with headers, footers and footnotes."""
        self._number_notes()
        self._new_page()
        for region in self._regions():
            self._place(region)
        self._finish_page()
        return self.pages

    # ---- blocks to items ----

    def _regions(self) -> list[Region]:
        regions = [Region(1, [])]
        previous = Block("page")
        for block in self._source.blocks:
            self._block += 1
            if block.kind == "columns":
                regions.append(Region(block.level, []))
            else:
                items = self._items(block, previous, regions[-1].columns)
                regions[-1].items.extend(replace(item, block=self._block) for item in items)
            previous = block
        return [region for region in regions if region.items]

    def _items(self, block: Block, previous: Block, columns: int) -> list[Item]:
        width = self._column_width(columns)
        body = self._theme.body if columns == 1 else self._theme.narrow
        if block.kind == "heading":
            return self._heading(block, previous, width, columns)
        if block.kind == "paragraph":
            if block.boxed:
                return self._boxed(block, previous, body, width)
            return self._paragraph(runs(block.text), body, width, gap=self._theme.paragraph_gap)
        if block.kind == "item":
            return self._list_item(block, previous, body, width)
        if block.kind in ("table", "figure"):
            return self._float(block, width, body)
        if block.kind == "note":
            style = replace(body, size=body.size - 2, leading=body.leading - 2.6, align="left")
            return self._paragraph(runs(block.text), style, width, gap=4)
        if block.kind in ("title", "subtitle", "centre"):
            return self._display(block, width)
        if block.kind == "page":
            return [Item(0, _nothing, breaks=True, keep=True)]
        if block.kind == "space":
            return [Item(float(block.text), _nothing)]
        if block.kind == "toc":
            return self._table_of_contents(width)
        raise ValueError(f"block kind {block.kind!r} is not known: see the docstring of markup.py")

    def _column_width(self, columns: int) -> float:
        whole = 595.0 - self._theme.left - self._theme.right
        return whole if columns == 1 else (whole - self._theme.gutter) / 2

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
                draw = _heading_drawer(draw, block.level, plain(title), chapter=chapter)
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
        size = {"title": 27.0, "subtitle": 14.0, "centre": 10.0}[block.kind]
        style = Style(
            "sans" if block.kind != "centre" else "serif",
            size,
            size * 1.2,
            self._theme.accent if block.kind == "title" else (0.25, 0.25, 0.28),
            bold=block.kind == "title",
            align="centre" if block.kind == "centre" else "left",
        )
        return [
            replace(item, keep=True)
            for item in self._paragraph(runs(block.text), style, width, gap=8)
        ]

    # ---- tables and figures ----

    def _float(self, block: Block, width: float, body: Style) -> list[Item]:
        caption = Style("sans", 8.6, 11.0, align="left")
        text = [Run(f"{block.mark}. ", bold=True), *runs(block.text)]
        lines = self._paragraph(text, caption, width, gap=0.0)
        if block.kind == "table":
            lines = [replace(item, keep=True) for item in lines]
            lines[0] = replace(lines[0], gap=12.0)
            rows = self._table_rows(block, width, body)
            long = block.options.get("header") is not None
            return self._as_float([*lines, *rows], long=long)
        height, drawing = DRAWINGS[block.label]
        figure = Item(height, _figure_drawer(drawing, width, self._theme), gap=12.0, keep=True)
        lines[0] = replace(lines[0], gap=6.0)
        lines = [replace(item, keep=True) for item in lines]
        return self._as_float([figure, *lines], long=False)

    def _as_float(self, items: list[Item], *, long: bool) -> list[Item]:
        if long:
            return [*items, Item(6, _nothing)]
        kept = [replace(item, keep=True, floats=self._block) for item in items]
        return [*kept, Item(6, _nothing, floats=self._block)]

    def _table_rows(self, block: Block, width: float, body: Style) -> list[Item]:
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
        shown = self._page_label(page_number)

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

    # ---- items to pages ----

    def _place(self, region: Region) -> None:
        items = list(region.items)
        at = 0
        while at < len(items):
            if items[at].breaks and self.pages[-1].pieces and self._y > self._theme.top:
                self._new_page()
            at = self._fill_page(items, at, region.columns)
            if at < len(items) and not items[at].breaks:
                self._new_page()

    def _fill_page(self, items: list[Item], at: int, columns: int) -> int:
        room = 842.0 - self._theme.bottom - self._y
        stop = next((k for k in range(at + 1, len(items)) if items[k].breaks), len(items))
        if columns == 1:
            end = self._fit(items, at, stop, room, self._notes, lead=self._y > self._theme.top)
            end = self._advance_text(items, at, end, stop, room)
            frames = [(at, end)]
        else:
            frames = self._balance(items, at, stop, room)
        width = self._column_width(columns)
        lowest = self._y
        gap = 12.0 if columns == 2 and self._y > self._theme.top else 0.0
        for column, (start, end) in enumerate(frames):
            x = self._theme.left + column * (width + self._theme.gutter)
            lead = columns == 1 and self._y > self._theme.top
            lowest = max(lowest, self._draw(items, start, end, x, self._y + gap, lead=lead))
        if frames[-1][1] == at and self._y <= self._theme.top:
            raise ValueError(f"an item {items[at].height:.0f} points high fits on no page")
        self._y = lowest + (4.0 if columns == 2 else 0.0)
        return frames[-1][1]

    def _fit(
        self,
        items: list[Item],
        at: int,
        stop: int,
        room: float,
        notes: list[str] | None,
        *,
        other: float = 0.0,
        lead: bool = False,
    ) -> int:
        """End of the longest run of items from `at` that fits and may end there.

        `other` is the height of a column beside it, above the same footnotes; `lead` says
        that the first item's gap counts, since something stands above it. With `notes` None
        footnotes take no room.
        """
        used, best = 0.0, at
        counted = list(notes or [])
        for index in range(at, stop):
            item = items[index]
            if index == at:
                used += item.header.height if item.header else 0.0
                used += item.gap if lead else 0.0
            else:
                used += item.gap
            used += item.height
            counted += item.notes if notes is not None else ()
            if max(used, other) + self._notes_height(counted) > room + 0.01:
                return best
            if not item.keep or index == stop - 1:
                best = index + 1
        return best

    def _advance_text(self, items: list[Item], at: int, end: int, stop: int, room: float) -> int:
        """Move text before a float that does not fit, so that the page is full."""
        while end < stop and items[end].floats:
            last = end
            while last < stop and items[last].floats == items[end].floats:
                last += 1
            after = last
            while after < stop and items[after].block == items[last].block:
                after += 1
            if last == stop or not items[last].movable:
                return end
            items[end:after] = items[last:after] + items[end:last]
            grown = self._fit(items, at, stop, room, self._notes, lead=self._y > self._theme.top)
            moved = after - last
            if grown < end + moved:
                return grown
            end = grown
        return end

    def _balance(self, items: list[Item], at: int, stop: int, room: float) -> list[tuple[int, int]]:
        """Frames of two columns: balanced when the rest fits, else both full."""
        room -= 12.0 if self._y > self._theme.top else 0.0
        for height in [*range(40, int(room), 3), room]:
            middle = self._fit(items, at, stop, float(height), None)
            used = min(float(height), room)
            end = self._fit(items, middle, stop, float(height), None)
            if end == stop and self._with_notes(items, at, stop, used) <= room:
                return [(at, middle), (middle, end)]
        middle = self._fit(items, at, stop, room, self._notes)
        notes = self._notes + [note for item in items[at:middle] for note in item.notes]
        used = self._height(items, at, middle)
        end = self._fit(items, middle, stop, room, notes, other=used)
        return [(at, middle), (middle, end)]

    def _with_notes(self, items: list[Item], at: int, end: int, height: float) -> float:
        notes = self._notes + [note for item in items[at:end] for note in item.notes]
        return height + self._notes_height(notes)

    @staticmethod
    def _height(items: list[Item], at: int, end: int) -> float:
        """Height of items in a frame, where the first one's gap does not count."""
        return sum(item.height + item.gap for item in items[at:end]) - items[at].gap

    def _draw(
        self, items: list[Item], start: int, end: int, x: float, y: float, *, lead: bool
    ) -> float:
        """Draw items from y down; the y below the last."""
        page = self.pages[-1]
        for index in range(start, end):
            item = items[index]
            if index == start and item.header:
                item.header.draw(page, x, y)
                y += item.header.height
            if index > start or lead:
                y += item.gap
            item.draw(page, x, y)
            y += item.height
            self._notes += [note for note in item.notes if note not in self._notes]
        return y

    def _new_page(self) -> None:
        if self.pages:
            self._finish_page()
        chapter = self.pages[-1].chapter if self.pages else ""
        self.pages.append(Page(len(self.pages) + 1, chapter=chapter))
        self._y = self._theme.top
        self._notes = []

    def _finish_page(self) -> None:
        page, theme = self.pages[-1], self._theme
        height = self._notes_height(self._notes)
        if height:
            y = 842.0 - theme.bottom - height + 12
            page.rule(theme.left, y - 4, theme.left + 90, y - 4, width=0.5)
            for note in self._notes:
                for line in self._note_lines(note):
                    page.line(theme.left, y + 7.6, line)
                    y += 10.0
        if page.number <= theme.plain_pages:
            return
        self._running_lines(page)

    def _running_lines(self, page: Page) -> None:
        theme = self._theme
        style = Style("sans", 8.0, 10.0, colour=(0.36, 0.37, 0.4))
        right = 595.0 - theme.right
        page.text(theme.left, 50, theme.header, style)
        tops = [(title, y) for level, title, y in page.headings if level == 1]
        begins = bool(tops) and tops[0][1] < theme.top + 5
        shown = tops[0][0] if begins else page.chapter
        page.chapter = tops[-1][0] if tops else page.chapter
        page.text(right, 50, shown, style, anchor="right")
        page.rule(theme.left, 56, right, 56, width=0.4, colour=(0.6, 0.6, 0.63))
        page.text(theme.left, 804, theme.footer, style)
        page.text(right, 804, self._page_label(page.number), style, anchor="right")

    def _page_label(self, number: int) -> str:
        if number <= self._theme.roman_pages:
            return ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii")[number - 1]
        return str(number - self._theme.roman_pages)

    # ---- footnotes ----

    def _number_notes(self) -> None:
        for block in self._source.blocks:
            for text in (block.text, *(cell for row in block.rows for cell in row)):
                for run in runs(text):
                    if run.note and run.note not in self._note_numbers:
                        self._note_numbers[run.note] = str(len(self._note_numbers) + 1)

    def _mark_of(self, note: str) -> str:
        return self._note_numbers[note]

    def _note_lines(self, note: str) -> list[Line]:
        text = [
            Run(self._note_numbers[note], script=1),
            Run(" "),
            *runs(self._source.footnotes[note]),
        ]
        style = Style("serif", 8.0, 10.0, ligatures=self._theme.body.ligatures)
        return self._setter.lines(text, style, self._column_width(1))

    def _notes_height(self, notes: list[str]) -> float:
        unique = dict.fromkeys(notes)
        return sum(10.0 * len(self._note_lines(note)) for note in unique) + (16 if unique else 0)


def _nothing(page: Page, x: float, y: float) -> None:
    """Draw nothing: space only."""


def _line_drawer(line: Line, inset: float, style: Style) -> Draw:
    def draw(page: Page, x: float, y: float) -> None:
        page.line(x + inset, y + style.size * 0.95, line)

    return draw


def _heading_drawer(draw_text: Draw, level: int, title: str, *, chapter: bool) -> Draw:
    def draw(page: Page, x: float, y: float) -> None:
        page.headings.append((level, title, y))
        draw_text(page, x, y)

    return draw


def _rule_drawer(width: float, colour: Colour, thick: float) -> Draw:
    def draw(page: Page, x: float, y: float) -> None:
        page.rule(x, y, x + width, y, width=thick, colour=colour)

    return draw


def _figure_drawer(
    drawing: Callable[[Page, float, float, float, Theme], None], width: float, theme: Theme
) -> Draw:
    def draw(page: Page, x: float, y: float) -> None:
        drawing(page, x, y, width, theme)

    return draw
