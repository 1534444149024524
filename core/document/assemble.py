# SPDX-License-Identifier: AGPL-3.0-or-later
"""From the pages of a PDF to a document: one string, and where its characters are.

Each page is laid out by itself (`prepared`). What needs the whole document is settled here:
running headers, the fonts of the body, compounds at line ends, paragraphs and tables that go on
over a page. With `final=False` only what a page shows by itself is used.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.document.blocks import (
    Draft,
    Fonts,
    measure_fonts,
    name_kind,
)
from core.document.composer import Composer, line_box
from core.document.figures import gather_figures
from core.document.flow import join_flow
from core.document.footnotes import find_footnotes
from core.document.headings import confirm_headings, set_levels
from core.document.hyphens import collect_words
from core.document.language import detect_language
from core.document.line_geometry import make_glyph_table
from core.document.model import (
    CharGeometry,
    Document,
    OutlineItem,
    Page,
    TextSettings,
)
from core.document.page_layout import PageLayout, Part
from core.document.page_notices import collect_notices
from core.document.paragraphs import split_paragraphs
from core.document.prepared import prepare_pages
from core.document.raw import RawPage
from core.document.writer import TextWriter


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
        settings: form of the text and what becomes of boilerplate. Where it names pages, only
            these have text; the others still tell what runs, which font is the body's and which
            words are known.
        name: of the file, for people.
        source_sha256: of the bytes of the file.
        outline: of the file.
        final: all wanted pages are there; document-wide rules apply.
        shapes: sizes of all pages of the file, for those that are not among `pages`.
    """
    settings = settings or TextSettings()
    prepared = prepare_pages(pages, repeated=final)
    drafts = _make_drafts([each.layout for each in prepared], settings, outline)
    lines = [line.text for draft in drafts for line in draft.lines]
    words = collect_words(_without_broken_ends(lines))
    if settings.pages is not None:
        chosen = frozenset(settings.pages)
        pages = [page for page in pages if page.index in chosen]
        prepared = [each for each in prepared if each.layout.page.index in chosen]
        drafts = [draft for draft in _in_flow(drafts, final) if draft.page in chosen]
    drafts = join_flow(drafts, across_pages=final)
    layouts = [each.layout for each in prepared]
    table, geometry_lines, bases = make_glyph_table(
        [each.glyphs for each in prepared], [page.index for page in pages]
    )
    composer = Composer(layouts, TextWriter(table), bases, words, settings)
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


def _make_drafts(
    layouts: Sequence[PageLayout],
    settings: TextSettings,
    outline: Sequence[OutlineItem],
) -> list[Draft]:
    """Return the blocks of all pages in the order of the text, each of one page."""
    fonts = measure_fonts(
        line for layout in layouts for part in layout.parts for line in part.lines
    )
    drafts: list[Draft] = []
    for layout in layouts:
        drafts += _page_drafts(layout, fonts, settings)
    if outline:
        confirm_headings(drafts, outline)
    set_levels(drafts, outline)
    return drafts


def _in_flow(drafts: Sequence[Draft], final: bool) -> list[Draft]:
    """Return the blocks, not joined, in the order that joining gives them.

    What gives way to a paragraph stands there, whether or not all pages of it are shown.
    """
    copies = [replace(draft, lines=[*draft.lines], rows=[*draft.rows]) for draft in drafts]
    order: dict[int, int] = {}
    for number, joined in enumerate(join_flow(copies, across_pages=final)):
        order[id(joined)] = number
        order.update((id(line), number) for line in joined.lines)
    places = [order[id(copy.lines[0] if copy.lines else copy)] for copy in copies]
    return [drafts[index] for index in sorted(range(len(drafts)), key=places.__getitem__)]


def _page_drafts(layout: PageLayout, fonts: Fonts, settings: TextSettings) -> list[Draft]:
    """Return the blocks of one page: headers, body, footnotes, footers."""
    body: list[Draft] = []
    for number, part in enumerate(layout.parts):
        if part.is_table:
            body.append(_table_draft(layout, part))
            continue
        found = split_paragraphs(part.lines, part.breaks)
        for draft in found:
            draft.is_turned, draft.part = part.is_turned, number
            name_kind(draft, fonts)
        body += found
    body = gather_figures(body, layout.page, fonts)
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
        is_drawn=part.is_drawn,
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
