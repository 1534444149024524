# SPDX-License-Identifier: AGPL-3.0-or-later
"""Items on pages: columns, tables over page breaks, footnotes, running headers.

A region's items are filled into the frames of the pages, one or two on each, and the two
columns of a region's last page are balanced. Footnotes stand at the foot of the page.
"""

from __future__ import annotations

from footnotes import ABOVE, LEADING, Footnotes
from items import Contents, Items
from markup import Source
from pages import PAGE_HEIGHT, PAGE_WIDTH, Item, Page, Region, Theme
from paragraphs import Setter, Style

_REGION_GAP = (12.0, 4.0)  # above and below text in two columns


class Typesetter:
    """Makes the pages of one source."""

    def __init__(
        self,
        source: Source,
        theme: Theme,
        divided: dict[str, tuple[str, ...]],
        *,
        contents: Contents,
    ) -> None:
        self._theme = theme
        self._footnotes = Footnotes(source, theme, divided)
        setter = Setter(divided, self._footnotes.mark)
        self._regions = Items(setter, theme, contents).regions(source)
        self._pages: list[Page] = []
        self._y = 0.0
        self._notes: list[str] = []

    def run(self) -> list[Page]:
        """All pages, with headers, footers and footnotes."""
        self._new_page()
        for region in self._regions:
            self._place(region)
        self._finish_page()
        return self._pages

    @property
    def _begun(self) -> bool:
        """Whether something stands on the page already."""
        return self._y > self._theme.top

    def _place(self, region: Region) -> None:
        items = list(region.items)
        at = 0
        while at < len(items):
            if items[at].breaks and self._begun:
                self._new_page()
            at = self._fill_page(items, at, region.columns)
            if at < len(items) and not items[at].breaks:
                self._new_page()

    def _fill_page(self, items: list[Item], at: int, columns: int) -> int:
        room = PAGE_HEIGHT - self._theme.bottom - self._y
        stop = next((k for k in range(at + 1, len(items)) if items[k].breaks), len(items))
        if columns == 1:
            end = self._fit(items, at, stop, room, self._notes, lead=self._begun)
            end = self._advance_text(items, at, end, stop, room)
            frames = [(at, end)]
        else:
            frames = self._balance(items, at, stop, room)
        width = self._theme.column_width(columns)
        lowest = self._y
        gap = _REGION_GAP[0] if columns == 2 and self._begun else 0.0
        for column, (start, end) in enumerate(frames):
            x = self._theme.left + column * (width + self._theme.gutter)
            lead = columns == 1 and self._begun
            lowest = max(lowest, self._draw(items, start, end, x, self._y + gap, lead=lead))
        if frames[-1][1] == at and not self._begun:
            raise ValueError(f"an item {items[at].height:.0f} points high fits on no page")
        self._y = lowest + (_REGION_GAP[1] if columns == 2 else 0.0)
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
            if max(used, other) + self._footnotes.height(counted) > room + 0.01:
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
            grown = self._fit(items, at, stop, room, self._notes, lead=self._begun)
            moved = after - last
            if grown < end + moved:
                return grown
            end = grown
        return end

    def _balance(self, items: list[Item], at: int, stop: int, room: float) -> list[tuple[int, int]]:
        """Frames of two columns: balanced when the rest fits, else both full."""
        room -= _REGION_GAP[0] if self._begun else 0.0
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
        return height + self._footnotes.height(notes)

    @staticmethod
    def _height(items: list[Item], at: int, end: int) -> float:
        """Height of items in a frame, where the first one's gap does not count."""
        return sum(item.height + item.gap for item in items[at:end]) - items[at].gap

    def _draw(
        self, items: list[Item], start: int, end: int, x: float, y: float, *, lead: bool
    ) -> float:
        """Draw items from y down; the y below the last."""
        page = self._pages[-1]
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
        if self._pages:
            self._finish_page()
        chapter = self._pages[-1].chapter if self._pages else ""
        self._pages.append(Page(len(self._pages) + 1, chapter=chapter))
        self._y = self._theme.top
        self._notes = []

    def _finish_page(self) -> None:
        page, theme = self._pages[-1], self._theme
        height = self._footnotes.height(self._notes)
        if height:
            y = PAGE_HEIGHT - theme.bottom - height + ABOVE - 4
            page.rule(theme.left, y - 4, theme.left + 90, y - 4, width=0.5)
            for note in self._notes:
                for line in self._footnotes.lines(note):
                    page.line(theme.left, y + 7.6, line)
                    y += LEADING
        if page.number <= theme.plain_pages:
            return
        self._running_lines(page)

    def _running_lines(self, page: Page) -> None:
        theme = self._theme
        style = Style("sans", 8.0, 10.0, colour=(0.36, 0.37, 0.4))
        right = PAGE_WIDTH - theme.right
        page.text(theme.left, 50, theme.header, style)
        tops = [(title, y) for level, title, y in page.headings if level == 1]
        begins = bool(tops) and tops[0][1] < theme.top + 5
        shown = tops[0][0] if begins else page.chapter
        page.chapter = tops[-1][0] if tops else page.chapter
        page.text(right, 50, shown, style, anchor="right")
        page.rule(theme.left, 56, right, 56, width=0.4, colour=(0.6, 0.6, 0.63))
        page.text(theme.left, 804, theme.footer, style)
        page.text(right, 804, theme.page_label(page.number), style, anchor="right")
