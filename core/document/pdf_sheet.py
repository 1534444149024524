# SPDX-License-Identifier: AGPL-3.0-or-later
"""A page, its two frames, and the runs that make structured text of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pymupdf
from pymupdf import mupdf

ALL_TEXT_FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES
    | pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
)
TEXT_FLAGS = ALL_TEXT_FLAGS | pymupdf.TEXT_CLIP  # PyMuPDF's default: what the page shows
MARK_FLAGS = ALL_TEXT_FLAGS | pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_COLLECT_VECTORS
MOST_MARKS = 50_000  # of a page: a map may have a million, and nobody needs them
IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_FAR = 1e6  # points: beyond every page


@dataclass(frozen=True, slots=True)
class Sheet:
    """A loaded page and its two frames: unrotated, as text is read, and as shown."""

    page: Any
    to_raw: Any  # matrix from the page as shown
    to_display: tuple[float, ...]  # matrix to the page as shown
    width: float  # points, as shown
    height: float
    rotation: int  # degrees clockwise


def sheet_of(page: Any) -> Sheet:
    """Measure a page once: PyMuPDF looks up rotation and boxes at each call."""
    fz_page = page.this if isinstance(page.this, mupdf.FzPage) else page.this.super()
    shown, rotation = mupdf.fz_bound_page(fz_page), int(page.rotation)
    return Sheet(
        page=fz_page,
        to_raw=mupdf.FzMatrix(*page.derotation_matrix) if rotation else mupdf.FzMatrix(),
        to_display=tuple(page.rotation_matrix) if rotation else IDENTITY,
        width=shown.x1 - shown.x0,
        height=shown.y1 - shown.y0,
        rotation=rotation,
    )


def record(sheet: Sheet) -> Any:
    """Interpret a page's own marks and form fields once, so that they can be read several times.

    Interpreting takes three quarters of the time of a reading. MuPDF passes over recorded marks
    without extent, and text that is only spaces has none; inside a tile it keeps them, so all is
    recorded as one tile, which structured text does not look at.
    """
    commands = mupdf.fz_new_display_list(mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE))
    device = mupdf.fz_new_list_device(commands)
    matrix, cookie = mupdf.FzMatrix(), mupdf.FzCookie()
    whole = mupdf.FzRect(-_FAR, -_FAR, _FAR, _FAR)
    mupdf.fz_begin_tile(device, whole, whole, 2 * _FAR, 2 * _FAR, matrix)
    mupdf.fz_run_page_contents(sheet.page, device, matrix, cookie)
    mupdf.fz_run_page_widgets(sheet.page, device, matrix, cookie)
    mupdf.fz_end_tile(device)
    mupdf.fz_close_device(device)
    return commands


def text_page(sheet: Sheet, commands: Any, flags: int = TEXT_FLAGS) -> Any:
    """Make structured text of what `record` made of a page; pictures only where `flags` say so."""
    text, device = _new_text(sheet, flags)
    everything = mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE)
    mupdf.fz_run_display_list(commands, device, sheet.to_raw, everything, mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return text


def annotation_page(sheet: Sheet) -> Any:
    """Make structured text of what the annotations of a page draw."""
    text, device = _new_text(sheet, TEXT_FLAGS)
    mupdf.fz_run_page_annots(sheet.page, device, sheet.to_raw, mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return text


def _new_text(sheet: Sheet, flags: int) -> tuple[Any, Any]:
    """Return an empty text page and the device that fills it."""
    shown = mupdf.FzRect(0, 0, sheet.width, sheet.height)
    text = mupdf.FzStextPage(mupdf.fz_transform_rect(shown, sheet.to_raw))
    options = mupdf.FzStextOptions()
    options.flags = flags
    return text, mupdf.fz_new_stext_device(text, options)


def walk_blocks(text: Any) -> Iterator[Any]:
    """Yield all blocks, also those inside structure elements."""
    position = mupdf.ll_fz_stext_page_block_iterator_begin_dfs(text.m_internal)
    while not mupdf.ll_fz_stext_page_block_iterator_eod_dfs(position):
        yield position.block
        position = mupdf.ll_fz_stext_page_block_iterator_next_dfs(position)
