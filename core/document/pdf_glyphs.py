# SPDX-License-Identifier: AGPL-3.0-or-later
"""One page of a PDF as a `RawPage`: its characters cleaned, in the display frame, in runs."""

from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from core.document import pdf_cleaning
from core.document.page_notices import TINY, page_notices
from core.document.pdf_cleaning import SPACE
from core.document.pdf_stext import (
    BOLD_CHARACTER,
    FILLED,
    IS_CID,
    STROKED,
    SYNTHETIC,
    Characters,
    Font,
    draw,
    read_characters,
    read_marks,
    text_page,
)
from core.document.pdf_structure import ROLE_NAMES, roles_of
from core.document.pdf_values import Box
from core.document.raw import (
    BOLD,
    INVISIBLE,
    ITALIC,
    MONO,
    SUPERSCRIPT,
    VERTICAL,
    Glyphs,
    RawPage,
    Runs,
    no_glyphs,
)

Real = NDArray[np.float32]
NO_TEXT_ANNOTATIONS = (
    pymupdf.PDF_ANNOT_LINK,
    pymupdf.PDF_ANNOT_WIDGET,
    pymupdf.PDF_ANNOT_POPUP,
)
BOLD_NAMES = ("bold", "black", "heavy", "demi")
ITALIC_NAMES = ("italic", "oblique")
MONO_NAMES = ("courier", "mono", "typewriter", "consol", "cmtt")


def raw_page(
    page: Any, *, label: str = "", tagged: bool = False, repaired: bool = False
) -> RawPage:
    """Extract one page.

    `tagged`: the document has a structure tree, so look up the roles. `repaired`: the file is
    damaged, so that a page may have lost its marks; counted, for the notices.
    """
    width, height = float(page.rect.width), float(page.rect.height)
    drawing = draw(page)
    found = read_characters(text_page(drawing))
    roles = roles_of(drawing, found) if tagged and len(found) else np.full(len(found), -1, np.int32)
    glyphs, runs, counts = _glyphs(found, page.rotation_matrix, roles)
    marks = read_marks(drawing)
    counts["outside"] = max(0, marks.characters - int((found.code > SPACE).sum()))
    counts["annotation"] = _annotation_characters(page)
    images = _shown_boxes(marks.pictures, page)
    counts |= {"image": len(images), "repaired": int(repaired)}
    counts = {kind: number for kind, number in counts.items() if number}
    return RawPage(
        index=page.number,
        width=width,
        height=height,
        rotation=int(page.rotation),
        label=label,
        glyphs=glyphs,
        runs=runs,
        images=images,
        drawings=_shown_boxes(marks.vectors, page),
        notices=page_notices(page.number, len(glyphs), counts),
        counts=counts,
    )


def _annotation_characters(page: Any) -> int:
    """Count the characters that annotations draw: they are left out of the text."""
    drawing = [kind for _, kind, _ in page.annot_xrefs() if kind not in NO_TEXT_ANNOTATIONS]
    if not drawing:
        return 0
    drawn = read_characters(text_page(draw(page, annotations=True)))
    return int((drawn.code > SPACE).sum())


def _shown_boxes(boxes: list[Box], page: Any) -> Real:
    """float32 (k, 4): put boxes into the display frame, cut to the page; what is outside goes."""
    if not boxes:
        return np.empty((0, 4), np.float32)
    corners = _to_display(np.array(boxes, np.float32).reshape(-1, 2, 2), page.rotation_matrix)
    low = np.maximum(corners.min(axis=1), 0)
    high = np.minimum(corners.max(axis=1), (page.rect.width, page.rect.height))
    seen = (high >= low).all(axis=1)
    shown: Real = np.hstack([low, high])[seen].astype(np.float32)
    return shown


def _to_display(points: Real, matrix: Any) -> Real:
    """Points (…, 2) of the unrotated page in the display frame."""
    a, b, c, d, e, f = tuple(matrix)
    if (a, b, c, d, e, f) == (1, 0, 0, 1, 0, 0):
        return points
    x, y = points[..., 0], points[..., 1]
    moved: Real = np.stack([a * x + c * y + e, b * x + d * y + f], axis=-1).astype(np.float32)
    return moved


def _dot(points: Real, directions: Real) -> Real:
    """(n,) of (n, 2) and (n, 2): how far each point lies along its direction."""
    along: Real = points[:, 0] * directions[:, 0] + points[:, 1] * directions[:, 1]
    return along


# --- characters to glyphs and runs -------------------------------------------------------------


def _glyphs(
    found: Characters, matrix: Any, roles: NDArray[np.int32]
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
    style = _style(found, page, kept)
    ink = page.code[kept] > SPACE
    page.count("tiny", int((ink & (found.size[kept] < TINY)).sum()))
    page.count("right_to_left", int((ink & (found.bidi[kept] % 2 == 1)).sum()))
    page.count("hidden", int(((style & INVISIBLE) != 0)[ink].sum()))
    first = _first_of_runs(found, kept, style, roles)
    run = np.zeros(len(kept), np.int32)
    run[first[1:]] = 1
    run = np.cumsum(run, dtype=np.int32)
    heads = kept[first]
    tags = tuple(ROLE_NAMES.get(role, "") for role in roles[heads].tolist())
    runs = _runs(found, kept, first, matrix, flags=style[first], tag=tags)
    zero = _dot(found.origin[heads], direction[heads])[run]
    glyphs = _expanded(
        page,
        kept,
        origin=_to_display(found.origin[kept], matrix),
        extent=(page.start[kept] - zero, page.end[kept] - zero),
        run=run,
        runs=runs,
    )
    return glyphs, runs, page.counts


def _page_to_clean(found: Characters, direction: Real) -> pdf_cleaning.Page:
    one = _dot(found.quad[:, 0], direction)  # opposite corners
    other = _dot(found.quad[:, 3], direction)
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
    )


def _style(found: Characters, page: pdf_cleaning.Page, kept: NDArray[np.intp]) -> NDArray[np.int32]:
    """Flags (BOLD, ITALIC, …) of the kept characters."""
    of_fonts = np.array([_font_style(font) for font in found.fonts], np.int32)
    flags = found.flags[kept]
    style = of_fonts[found.font[kept]]
    style |= np.where(flags & BOLD_CHARACTER, BOLD, 0)
    drawn = (found.alpha[kept] > 0) & ((flags & (FILLED | STROKED)) != 0)
    # An inferred space has no ink: it is as visible as its line.
    style |= np.where(drawn | (page.synthetic[kept]), 0, INVISIBLE)
    style |= np.where(found.vertical[found.line[kept]], VERTICAL, 0)
    style |= np.where(_raised(found, page, kept), SUPERSCRIPT, 0)
    return style


def _font_style(font: Font) -> int:
    name = font.name.lower()
    bold = font.bold or any(part in name for part in BOLD_NAMES)
    italic = font.italic or any(part in name for part in ITALIC_NAMES)
    mono = font.mono or any(part in name for part in MONO_NAMES)
    return BOLD * bold | ITALIC * italic | MONO * mono


def _raised(
    found: Characters, page: pdf_cleaning.Page, kept: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Which characters are smaller than the largest of their line, and stand above its baseline."""
    line = found.line[kept]
    size = np.where(page.code[kept] > SPACE, found.size[kept], 0)
    starts = np.flatnonzero(np.diff(line, prepend=-1))
    which = np.cumsum(np.diff(line, prepend=-1) != 0) - 1
    largest = np.maximum.reduceat(size, starts)[which]
    smaller = (size < 0.9 * largest) & (size > 0)
    if not smaller.any():
        return smaller
    of_largest = np.flatnonzero(size >= 0.99 * largest)
    base = kept[of_largest[np.searchsorted(which[of_largest], which)]]
    dx, dy = found.direction[line].T
    moved = found.origin[kept] - found.origin[base]
    above: NDArray[np.bool_] = moved[:, 0] * dy - moved[:, 1] * dx > 0.1 * largest
    return smaller & above


def _first_of_runs(
    found: Characters, kept: NDArray[np.intp], style: NDArray[np.int32], roles: NDArray[np.int32]
) -> NDArray[np.intp]:
    """Where, among the kept characters, line, font, size, style or role change."""
    new = np.zeros(len(kept), np.bool_)
    new[0] = True
    for values in (found.line, found.font, found.size, roles):
        new[1:] |= np.diff(values[kept]) != 0
    new[1:] |= np.diff(style) != 0
    return np.flatnonzero(new)


def _runs(
    found: Characters,
    kept: NDArray[np.intp],
    first: NDArray[np.intp],
    matrix: Any,
    *,
    flags: NDArray[np.int32],
    tag: tuple[str, ...],
) -> Runs:
    """Describe the runs that begin at `first` (indices into kept)."""
    heads = kept[first]
    top, bottom = _extent_across(found, kept)
    origin = _to_display(found.origin[heads], matrix)
    a, b, c, d, _, _ = tuple(matrix)
    direction = _to_display(found.direction[found.line[heads]], (a, b, c, d, 0, 0))
    return Runs(
        line=found.line[heads],
        block=found.block[heads],
        x=np.ascontiguousarray(origin[:, 0]),
        y=np.ascontiguousarray(origin[:, 1]),
        dx=np.ascontiguousarray(direction[:, 0]),
        dy=np.ascontiguousarray(direction[:, 1]),
        size=found.size[heads],
        ascent=np.maximum(np.maximum.reduceat(top, first), 0),
        descent=np.maximum(-np.minimum.reduceat(bottom, first), 0),
        flags=flags,
        font=tuple(found.fonts[font].name for font in found.font[heads].tolist()),
        tag=tag,
    )


def _extent_across(found: Characters, kept: NDArray[np.intp]) -> tuple[Real, Real]:
    """How far each character reaches to the left of its direction, and (below 0) to the right.

    Fonts whose ascender and descender make less than one em get one em, as PyMuPDF does it.
    """
    dx, dy = found.direction[found.line[kept]].T
    left = np.stack([dy, -dx], axis=1)
    origin = _dot(found.origin[kept], left)
    upper = _dot(found.quad[kept, 0], left) - origin
    lower = _dot(found.quad[kept, 3], left) - origin
    top, bottom = np.maximum(upper, lower), np.minimum(upper, lower)
    heights = np.array([_corrected_heights(font) for font in found.fonts], np.float32)
    up, down = (heights[found.font[kept]] * found.size[kept][:, None]).T
    mirrored = upper < lower
    correct = np.isfinite(up) & ~found.vertical[found.line[kept]]
    top = np.where(correct, np.where(mirrored, down, up), top)
    bottom = np.where(correct, -np.where(mirrored, up, down), bottom)
    return top, bottom


def _corrected_heights(font: Font) -> tuple[float, float]:
    """Ascent and descent in em for fonts that declare too little; nan for others."""
    ascender, descender = font.ascender, font.descender
    if ascender < 1e-3:
        ascender, descender = 0.9, -0.1
    elif ascender - descender >= 1:
        return np.nan, np.nan
    height = ascender - descender
    return ascender / height, -descender / height


def _expanded(
    page: pdf_cleaning.Page,
    kept: NDArray[np.intp],
    *,
    origin: Real,
    extent: tuple[Real, Real],
    run: NDArray[np.int32],
    runs: Runs,
) -> Glyphs:
    """Make the glyphs; a character that stands for several is split, each with its share."""
    codes, (start, end) = page.code[kept], extent
    x, y = origin[:, 0], origin[:, 1]
    texts = {
        int(np.searchsorted(kept, index)): text
        for index, text in sorted(page.replaced.items())
        if page.keep[index] and len(text) > 1
    }
    if texts:
        times = np.ones(len(kept), np.int64)
        times[list(texts)] = [len(text) for text in texts.values()]
        share = (end - start) / times.astype(np.float32)
        part = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        codes, run = np.repeat(codes, times), np.repeat(run, times)
        x, y, start, share = (np.repeat(values, times) for values in (x, y, start, share))
        codes[np.isin(np.repeat(np.arange(len(kept)), times), list(texts))] = [
            ord(letter) for text in texts.values() for letter in text
        ]
        moved = part.astype(np.float32) * share
        x, y = x + moved * runs.dx[run], y + moved * runs.dy[run]
        start = start + moved
        end = start + share
    return Glyphs(codes, np.ascontiguousarray(x), np.ascontiguousarray(y), start, end, run)
