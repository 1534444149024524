# SPDX-License-Identifier: AGPL-3.0-or-later
"""One page of a PDF as a `RawPage`: its characters cleaned, in the display frame, in runs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from core.document import pdf_cleaning
from core.document.page_notices import TINY, page_notices
from core.document.pdf_characters import IS_CID, SYNTHETIC, Characters, changes
from core.document.pdf_cleaning import SPACE
from core.document.pdf_runs import along, sort_into_runs, to_display
from core.document.pdf_sheet import Sheet, annotation_page, record, sheet_of, text_page
from core.document.pdf_stext import read_characters, read_marks
from core.document.pdf_structure import roles_of
from core.document.raw import INVISIBLE, Glyphs, RawPage, Runs, no_glyphs

Real = NDArray[np.float32]
NO_TEXT_ANNOTATIONS = (
    pymupdf.PDF_ANNOT_LINK,
    pymupdf.PDF_ANNOT_WIDGET,
    pymupdf.PDF_ANNOT_POPUP,
)


def raw_page(
    page: Any, *, label: str = "", tagged: bool = False, repaired: bool = False
) -> RawPage:
    """Extract one page.

    `tagged`: the document has a structure tree, so look up the roles. `repaired`: the file is
    damaged, so that a page may have lost its marks; counted, for the notices.
    """
    sheet = sheet_of(page)
    commands = record(sheet)
    found = read_characters(text_page(sheet, commands))
    marks = read_marks(sheet, commands, tagged=tagged)
    glyphs, runs, counts = _glyphs(found, sheet.to_display, roles_of(found, marks.roles))
    counts["outside"] = max(0, marks.characters - int((found.code > SPACE).sum()))
    counts["annotation"] = _annotation_characters(page, sheet)
    images = _shown_boxes(marks.pictures, sheet)
    counts |= {"image": len(images), "repaired": int(repaired)}
    counts = {kind: number for kind, number in counts.items() if number}
    return RawPage(
        index=page.number,
        width=sheet.width,
        height=sheet.height,
        rotation=sheet.rotation,
        label=label,
        glyphs=glyphs,
        runs=runs,
        images=images,
        drawings=_shown_boxes(marks.vectors, sheet),
        notices=page_notices(page.number, len(glyphs), counts),
        counts=counts,
    )


def _annotation_characters(page: Any, sheet: Sheet) -> int:
    """Count the characters that annotations draw: they are left out of the text."""
    drawn = [kind for _, kind, _ in page.annot_xrefs() if kind not in NO_TEXT_ANNOTATIONS]
    if not drawn:
        return 0
    found = read_characters(annotation_page(sheet))
    return int((found.code > SPACE).sum())


def _shown_boxes(boxes: Real, sheet: Sheet) -> Real:
    """Put boxes, float32 (k, 4), into the display frame, cut to the page; what is outside goes."""
    if not len(boxes):
        return np.empty((0, 4), np.float32)
    corners = to_display(boxes.reshape(-1, 2, 2), sheet.to_display)
    low = np.maximum(np.minimum(corners[:, 0], corners[:, 1]), 0)
    high = np.maximum(corners[:, 0], corners[:, 1])
    high = np.minimum(high, np.array([sheet.width, sheet.height], np.float32))
    seen = (high[:, 0] >= low[:, 0]) & (high[:, 1] >= low[:, 1])
    return np.hstack([low, high])[seen]


def _glyphs(
    found: Characters, matrix: tuple[float, ...], roles: NDArray[np.int32]
) -> tuple[Glyphs, Runs, dict[str, int]]:
    """Clean the characters of a page and sort them into runs, which `roles` divide too."""
    if not len(found):
        return (*no_glyphs(), {})
    direction = found.direction[found.line]
    page = _page_to_clean(found, direction)
    pdf_cleaning.clean(page)
    kept = np.flatnonzero(page.keep)
    if not len(kept):
        return (*no_glyphs(), page.counts)
    origin = found.origin
    if page.moved.any():
        shift = page.start - along(origin, direction)
        origin = np.where(page.moved[:, None], origin + shift[:, None] * direction, origin)
    found, start, end = replace(found, code=page.code, origin=origin), page.start, page.end
    if len(kept) < len(found):
        found, start, end = found.take(kept), start[kept], end[kept]
        roles, direction = roles[kept], direction[kept]
    run, runs = sort_into_runs(found, direction, roles, matrix)
    _count_kinds(page, found, runs.flags[run])
    heads = np.flatnonzero(changes(run))
    zero = along(found.origin[heads], direction[heads])[run]
    placed = to_display(found.origin, matrix)
    glyphs = Glyphs(found.code, placed[:, 0], placed[:, 1], start - zero, end - zero, run)
    texts = {
        int(np.searchsorted(kept, index)): text
        for index, text in sorted(page.replaced.items())
        if page.keep[index] and len(text) > 1
    }
    return _expanded(glyphs, runs, texts) if texts else glyphs, runs, page.counts


def _page_to_clean(found: Characters, direction: Real) -> pdf_cleaning.Page:
    one = along(found.quad[:, 0], direction)  # opposite corners
    other = along(found.quad[:, 3], direction)
    return pdf_cleaning.Page(
        code=found.code.copy(),
        x=found.origin[:, 0],
        y=found.origin[:, 1],
        start=np.minimum(one, other),
        end=np.maximum(one, other),
        size=found.size,
        font=found.font,
        line=found.line,
        synthetic=(found.flags & SYNTHETIC) != 0,
        guessed=(found.flags & IS_CID) != 0,
        font_names=tuple(font.name for font in found.fonts),
        type3=tuple(font.type3 for font in found.fonts),
        keep=np.ones(len(found), np.bool_),
        moved=np.zeros(len(found), np.bool_),
    )


def _count_kinds(page: pdf_cleaning.Page, found: Characters, style: NDArray[np.int32]) -> None:
    """Count the characters that stay and that the user should know of."""
    ink = found.code > SPACE
    page.count("tiny", int((ink & (found.size < TINY)).sum()))
    page.count("right_to_left", int((ink & ((found.bidi & 1) != 0)).sum()))
    page.count("hidden", int((ink & ((style & INVISIBLE) != 0)).sum()))


def _expanded(glyphs: Glyphs, runs: Runs, texts: dict[int, str]) -> Glyphs:
    """Replace the glyphs of `texts`, by index, by their letters, which share the width."""
    times = np.ones(len(glyphs), np.int64)
    times[list(texts)] = [len(text) for text in texts.values()]
    owner = np.repeat(np.arange(len(glyphs)), times)
    first = np.cumsum(times) - times
    part = np.arange(len(owner)) - first[owner]
    codes = glyphs.codes[owner]
    for index, text in texts.items():
        codes[first[index] : first[index] + len(text)] = [ord(letter) for letter in text]
    share = ((glyphs.end - glyphs.start) / times).astype(np.float32)[owner]
    moved = part.astype(np.float32) * share
    run = glyphs.run[owner]
    start = glyphs.start[owner] + moved
    x = glyphs.x[owner] + moved * runs.dx[run]
    y = glyphs.y[owner] + moved * runs.dy[run]
    return Glyphs(codes, x, y, start, start + share, run)
