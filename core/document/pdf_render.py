# SPDX-License-Identifier: AGPL-3.0-or-later
"""Pictures of pages and of tiles of pages, never more pixels than a limit."""

import math
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import pymupdf

from core.document.pdf_values import Box, PageImage

MOST_PIXELS = 16_000_000  # of one picture: 48 MB; a screen of 3840 × 2160 has 8.3 million
LEAST_SCALE = 1e-3


def display_list(page: Any) -> Any:
    """Interpret a page with its annotations, to be drawn several times."""
    return page.get_displaylist(annots=True)


def image(
    commands: Any,
    scale: float,
    clip: Box | None = None,
    rotation: int = 0,
    memory: SharedMemory | None = None,
) -> PageImage:
    """Draw a page, or the part `clip` (points, display frame), at `scale` pixels a point.

    Args:
        commands: what `display_list` made of the page.
        scale: lowered where the picture would have more than `MOST_PIXELS` pixels.
        clip: None for the whole page.
        rotation: degrees clockwise by which the view is turned, a multiple of 90.
        memory: where the bytes go if there is room; then `PageImage.data` is empty.
    """
    area = commands.rect if clip is None else pymupdf.Rect(clip) & commands.rect
    if area.is_empty:
        raise ValueError(f"the part {clip} is outside the page")
    most = math.sqrt(MOST_PIXELS / max(area.width * area.height, 1e-6))
    drawn = max(min(scale, most), LEAST_SCALE)
    matrix = pymupdf.Matrix(drawn, drawn)
    if rotation % 360:
        matrix *= pymupdf.Matrix(rotation)
    pixels = commands.get_pixmap(matrix=matrix, clip=area, alpha=0)
    size = pixels.stride * pixels.height
    data = b""
    if memory is not None and memory.buf and size <= memory.size:
        memory.buf[:size] = pixels.samples_mv
    else:
        data = pixels.samples
    return PageImage(pixels.width, pixels.height, pixels.stride, data, drawn)
