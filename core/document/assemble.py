# SPDX-License-Identifier: AGPL-3.0-or-later
"""From the pages of a PDF to a document: one string, and where its characters are.

Each page is laid out by itself (`lay_out`). What needs the whole document is settled here:
running headers, the fonts of the body, compounds at line ends, paragraphs and tables that go on
over a page. With `final=False` only what a page shows by itself is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.document.blocks import (
    BULLET,
    Draft,
    Fonts,
    TextLine,
    measure_fonts,
    name_kind,
    split_paragraphs,
)
from core.document.boilerplate import find_boilerplate, find_edge_lines
from core.document.flow import join_flow
from core.document.footnotes import find_footnotes
from core.document.headings import confirm_headings, set_levels
from core.document.hyphens import collect_words, join_lines
from core.document.language import detect_language
from core.document.lines import Fragments, find_fragments
from core.document.model import (
    Block,
    CharGeometry,
    Document,
    Lines,
    OutlineItem,
    Page,
    TextSettings,
)
from core.document.page_layout import PageLayout, Part, lay_out
from core.document.page_notices import collect_notices
from core.document.page_notices import collect_notices
from core.document.raw import RawPage
from core.document.writer import GlyphTable, TextWriter


def assemble(
    pages: Sequence[RawPage],
    settings: TextSettings | None = None,
    *,
    name: str = "",
    source_sha256: str = "",
    outline: Sequence[OutlineItem] = (),
    final: bool = True,
    shapes: Sequence[Page] = (),
) -> Document:
    """Make a document of `pages`, any subset in ascending order.

    Args:
        pages: what the PDF process read.
        settings: form of the text and what becomes of boilerplate.
        name: of the file, for people.
        source_sha256: of the bytes of the file.
        outline: of the file.
        final: all wanted pages are there; document-wide rules apply.
        shapes: sizes of all pages of the file, for those that are not among `pages`.
    """
    settings = settings or TextSettings()
    layouts = _lay_out(pages, repeated=final)
    drafts = _make_drafts(layouts, settings, outline, final)
    lines = [line.text for draft in drafts for line in draft.lines]
    words = collect_words(_without_broken_ends(lines))
    table, geometry_lines, bases = _glyph_table(layouts)
    composer = _Composer(layouts, TextWriter(table), bases, words, settings)
    blocks = [composer.write(draft, first=not index) for index, draft in enumerate(drafts)]
    text, chars = composer.writer.gather()
    return Document(
        text=text,
        name=name,
        source_sha256=source_sha256,
        pages=_make_pages(layouts, composer.page_starts, len(text), shapes),
        geometry=CharGeometry(chars.line, chars.start, chars.end, geometry_lines),
        blocks=tuple(blocks),
        notices=collect_notices(pages),
        outline=tuple(outline),
        settings=settings,
        language=detect_language(text),
        final=final,
    )


def _lay_out(pages: Sequence[RawPage], *, repeated: bool) -> list[PageLayout]:
    """Take the boilerplate out of all pages, and lay out what is left of each."""
    fragments = [find_fragments(page) for page in pages]
    edges = [
        find_edge_lines(page.index, each, (page.width, page.height))
        for page, each in zip(pages, fragments, strict=True)
    ]
    running = find_boilerplate(edges, repeated=repeated)
    return [
        lay_out(page, each, [(line.fragments, kind) for line, kind in found])
        for page, each, found in zip(pages, fragments, running, strict=True)
    ]


def _make_drafts(
    layouts: Sequence[PageLayout],
    settings: TextSettings,
    outline: Sequence[OutlineItem],
    final: bool,
) -> list[Draft]:
    """Return the blocks of all pages in the order of the text."""
    fonts = measure_fonts(
        line for layout in layouts for part in layout.parts for line in part.lines
    )
    drafts: list[Draft] = []
    for layout in layouts:
        drafts += _page_drafts(layout, fonts, settings)
    if outline:
        confirm_headings(drafts, outline)
    set_levels(drafts, outline)
    return join_flow(drafts, across_pages=final)


def _page_drafts(layout: PageLayout, fonts: Fonts, settings: TextSettings) -> list[Draft]:
    """Return the blocks of one page: headers, body, footnotes, footers."""
    body: list[Draft] = []
    for part in layout.parts:
        if part.is_table:
            body.append(_table_draft(layout, part))
            continue
        found = split_paragraphs(part.lines)
        for draft in found:
            draft.is_turned = part.is_turned
            name_kind(draft, fonts)
        body += found
    body = find_footnotes(body, fonts, layout.page.height)
    if settings.boilerplate == "drop":
        return body
    middle = layout.page.height / 2
    running = [
        Draft(page=layout.page.index, lines=[line], kind=kind) for line, kind in layout.running
    ]
    running.sort(key=lambda draft: line_box(draft.lines[0])[1::-1])
    above = [draft for draft in running if line_box(draft.lines[0])[1] < middle]
    return [*above, *body, *running[len(above) :]]


def _table_draft(layout: PageLayout, part: Part) -> Draft:
    return Draft(
        page=layout.page.index,
        lines=list(part.lines),
        kind="table",
        rows=[[list(cell) for cell in row] for row in part.rows],
        header_rows=part.header_rows,
        gutters=part.gutters,
        is_turned=part.is_turned,
    )


def _without_broken_ends(lines: Sequence[str]) -> list[str]:
    """Return the lines without the word at an end with a hyphen, and the one that follows."""
    result = []
    broken = False
    for line in lines:
        text = line
        if broken:
            text = text.partition(" ")[2]
        broken = line[-1:] in {"-", "‐", "\u00ad"}
        if broken:
            text = text.rpartition(" ")[0]
        result.append(text)
    return result


def _glyph_table(
    layouts: Sequence[PageLayout],
) -> tuple[GlyphTable, Lines, list[int]]:
    """Lay the glyphs of all pages end to end, each with its line and its place on it."""
    codes, line, start, end = [], [], [], []
    frames: list[NDArray[np.float32]] = []
    pages: list[NDArray[np.int32]] = []
    bases: list[int] = []
    glyph_count = line_count = 0
    for layout in layouts:
        fragments = layout.fragments
        bases.append(glyph_count)
        glyph_count += len(fragments.codes)
        owner, origin = _page_lines(layout)
        of_glyph, base = _spread(fragments, owner, origin)
        codes.append(fragments.codes)
        line.append(np.where(of_glyph >= 0, of_glyph + line_count, -1).astype(np.int32))
        start.append((fragments.low - base).astype(np.float32))
        end.append((fragments.high - base).astype(np.float32))
        frames.append(origin)
        pages.append(np.full(len(origin), layout.page.index, np.int32))
        line_count += len(origin)
    table = GlyphTable(_join(codes, np.int32), _join(line, np.int32), _join(start, np.float32),
                       _join(end, np.float32))  # fmt: skip
    frame = np.concatenate(frames) if frames else np.empty((0, 6), np.float32)
    columns = [np.ascontiguousarray(frame[:, i]) for i in range(6)]
    return table, Lines(_join(pages, np.int32), *columns), bases


def _join(arrays: Sequence[NDArray[np.generic]], dtype: type) -> NDArray:  # type: ignore[type-arg]
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)


def _page_lines(layout: PageLayout) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Number the lines of a page.

    Returns:
        The line of each fragment, int64 (n,), and of each line x, y, dx, dy, ascent and descent,
        float32 (m, 6).
    """
    fragments = layout.fragments
    owner = np.arange(len(fragments))
    lines = [line for part in layout.parts for line in part.lines]
    for text_line in (*lines, *(line for line, _ in layout.running)):
        if len(text_line.fragments) > 1:
            _share_line(fragments, text_line, owner)
    leaders, numbered = np.unique(owner, return_inverse=True)
    f = fragments
    u, v = f.u0[leaders], f.v[leaders]
    dx, dy = f.dx[leaders], f.dy[leaders]
    frame = np.stack(
        (u * dx - v * dy, u * dy + v * dx, dx, dy, f.ascent[leaders], f.descent[leaders]), axis=1
    )
    return numbered, frame.astype(np.float32)


def _share_line(fragments: Fragments, line: TextLine, owner: NDArray[np.int64]) -> None:
    """Give the fragments of one line that have its height and baseline one geometric line."""
    members = line.fragments
    leader = max(members, key=lambda i: len(fragments.text[i]))
    for member in members:
        if (
            fragments.v[member] - fragments.ascent[member] > line.top - 1.5
            and fragments.v[member] + fragments.descent[member] < line.bottom + 1.5
        ):
            owner[member] = leader


def _spread(
    fragments: Fragments, owner: NDArray[np.int64], frame: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return for each glyph its line (−1 outside of fragments) and the u of the line's origin."""
    count = len(fragments.codes)
    if not len(fragments):
        return np.full(count, -1), np.zeros(count, np.float32)
    edges = np.zeros(count + 1, np.int64)
    edges[fragments.first] += np.arange(1, len(fragments) + 1)
    edges[fragments.last] -= np.arange(1, len(fragments) + 1)
    fragment = np.cumsum(edges[:-1]) - 1
    inside = fragment >= 0
    line = np.where(inside, owner[fragment], -1)
    origin = frame[:, 0] * frame[:, 2] + frame[:, 1] * frame[:, 3]
    return line, np.where(inside, origin[line], 0.0).astype(np.float32)


@dataclass(slots=True, eq=False)
class _Composer:
    """Writes blocks, and keeps the offsets where pages begin."""

    layouts: Sequence[PageLayout]
    writer: TextWriter
    bases: list[int]
    words: frozenset[str]
    settings: TextSettings
    page_starts: dict[int, int] = field(default_factory=dict)
    _place: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self._place = {layout.page.index: i for i, layout in enumerate(self.layouts)}

    def write(self, draft: Draft, *, first: bool) -> Block:
        """Write one block, after a blank line unless it is the first."""
        if not first:
            self.writer.add_literal("\n\n")
        start = self.writer.offset
        rows: list[tuple[int, int]] = []
        if draft.rows:
            rows = self._write_table(draft)
        else:
            self._write_lines(draft.lines, draft)
        return Block(
            start=start,
            end=self.writer.offset,
            kind=draft.kind,
            level=draft.level,
            page=draft.page,
            boxes=_block_boxes(draft.lines),
            source=draft.source,
            rows=tuple(rows),
            header_rows=draft.header_rows,
        )

    def _write_lines(self, lines: Sequence[TextLine], draft: Draft) -> None:
        """Write the lines of a block, joined as `join_lines` says; lines of code stay apart."""
        skip = self._write_marker(draft, lines[0])
        for index, line in enumerate(lines):
            following = lines[index + 1] if index + 1 < len(lines) else None
            cut, joint = 0, ""
            if following is not None and line.mono and following.mono and draft.kind == "paragraph":
                joint = "\n"
            elif following is not None:
                cut, joint = join_lines(line.text, following.text, self.words)
            elif line.text.endswith("\u00ad"):
                cut = 1
            self._write_line(line, skip, cut)
            self.writer.add_literal(joint)
            skip = 0

    def _write_marker(self, draft: Draft, line: TextLine) -> int:
        """Write what markdown puts before a block; return the glyphs that it stands for."""
        if self.settings.form != "markdown":
            return 0
        if draft.kind == "heading":
            self.writer.add_literal("#" * max(1, draft.level) + " ")
        elif draft.kind == "list_item" and (bullet := BULLET.match(line.text)):
            self.writer.add_literal("- ")
            return bullet.end()
        return 0

    def _write_line(self, line: TextLine, skip: int = 0, cut: int = 0) -> None:
        """Write the glyphs of a line without its first `skip` and last `cut` characters."""
        place = self._place[line.page]
        if line.page not in self.page_starts:
            self.page_starts[line.page] = self.writer.offset
        fragments, base = self.layouts[place].fragments, self.bases[place]
        last = len(line.fragments) - 1
        for index, fragment in enumerate(line.fragments):
            begin, end = int(fragments.first[fragment]), int(fragments.last[fragment])
            taken = min(skip, end - begin)
            skip -= taken
            if cut and index == last and end - begin > 1:
                self.writer.swallow(base + end - 2, base + end - 1)
                end -= 1
            self.writer.add_glyphs(base + begin + taken, base + end)
            if index < last:
                if skip and line.gaps[index]:
                    skip -= 1
                elif line.gaps[index]:
                    self.writer.add_literal(line.gaps[index])

    def _write_table(self, draft: Draft) -> list[tuple[int, int]]:
        """Write the rows of a table and return their spans."""
        markdown = self.settings.form == "markdown"
        width = max(len(row) for row in draft.rows)
        used = [c for c in range(width) if any(c < len(row) and row[c] for row in draft.rows)]
        spans: list[tuple[int, int]] = []
        for number, row in enumerate(draft.rows):
            if number:
                self.writer.add_literal("\n")
            start = self.writer.offset
            if markdown:
                self.writer.add_literal("| ")
            for column in used:
                if column != used[0]:
                    self.writer.add_literal(" | " if markdown else "\t")
                if column < len(row) and row[column]:
                    self._write_lines(row[column], draft)
            if markdown:
                self.writer.add_literal(" |")
            spans.append((start, self.writer.offset))
            if markdown and number == max(0, draft.header_rows - 1):
                self.writer.add_literal("\n|" + " --- |" * len(used))
        return spans


def _block_boxes(
    lines: Sequence[TextLine],
) -> tuple[tuple[int, float, float, float, float], ...]:
    """Return the box of the lines in each column they stand in: page, x0, y0, x1, y1."""
    boxes: list[list[float]] = []
    last: TextLine | None = None
    for line in lines:
        x0, y0, x1, y1 = line_box(line)
        if last is not None and last.page == line.page and line.v >= last.v - 2 * line.size:
            box = boxes[-1]
            box[1:] = [min(box[1], x0), min(box[2], y0), max(box[3], x1), max(box[4], y1)]
        else:
            boxes.append([line.page, x0, y0, x1, y1])
        last = line
    return tuple([(int(b[0]), b[1], b[2], b[3], b[4]) for b in boxes])


def line_box(line: TextLine) -> tuple[float, float, float, float]:
    """Return the upright box of a line in the display frame, points."""
    dx, dy = line.direction
    xs = [u * dx - v * dy for u in (line.u0, line.u1) for v in (line.top, line.bottom)]
    ys = [u * dy + v * dx for u in (line.u0, line.u1) for v in (line.top, line.bottom)]
    return min(xs), min(ys), max(xs), max(ys)


def _make_pages(
    layouts: Sequence[PageLayout],
    starts: dict[int, int],
    length: int,
    shapes: Sequence[Page],
) -> tuple[Page, ...]:
    """Return all pages up to the last known one; their spans tile the text."""
    known = {layout.page.index: layout.page for layout in layouts}
    count = max([len(shapes), *(index + 1 for index in known)], default=0)
    pages: list[Page] = []
    end = length
    for index in reversed(range(count)):
        start = starts.get(index, end)
        raw = known.get(index)
        if raw is not None:
            state = "failed" if raw.error else "ready" if index in starts else "empty"
            pages.append(
                Page(index, raw.width, raw.height, raw.rotation, start, end, raw.label, state)  # type: ignore[arg-type] # one of the literals
            )
        else:
            shape = shapes[index] if index < len(shapes) else _like(layouts, index)
            pages.append(
                Page(
                    index,
                    shape.width,
                    shape.height,
                    shape.rotation,
                    start,
                    end,
                    shape.label,
                    "waiting",
                )
            )
        end = start
    pages.reverse()
    return tuple(pages)


def _like(layouts: Sequence[PageLayout], index: int) -> Page:
    """Return a page of the size of the first one that is known."""
    raw = layouts[0].page
    return Page(index, raw.width, raw.height, raw.rotation, 0, 0)


def upgrade_blocks(document: Document, pages: Sequence[RawPage]) -> Document:
    """Give the blocks of `pages` the kinds that the layout model found; text and order stay."""
    from core.document.upgrade import upgraded_blocks

    return replace(document, blocks=upgraded_blocks(document, pages))
