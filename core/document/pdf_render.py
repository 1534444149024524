# SPDX-License-Identifier: AGPL-3.0-or-later
"""Pictures of pages and of tiles of pages, never more pixels than a limit."""

import math
from typing import Any

import pymupdf

from core.document.pdf_values import Box, PageImage

MOST_PIXELS = 16_000_000  # of one picture: 48 MB; a screen of 3840 × 2160 has 8.3 million
LEAST_SCALE = 1e-3


def image(page: Any, scale: float, clip: Box | None = None, rotation: int = 0) -> PageImage:
    """Draw a page, or the part `clip` (points, display frame), at `scale` pixels a point.

    `rotation` turns the view clockwise by a multiple of 90 degrees. Where the picture would have
    more than `MOST_PIXELS` pixels the scale is lowered; `PageImage.scale` says to what.
    """
    area = page.rect if clip is None else pymupdf.Rect(clip) & page.rect
    if area.is_empty:
        raise ValueError(f"the part {clip} is outside the page")
    most = math.sqrt(MOST_PIXELS / max(area.width * area.height, 1e-6))
    drawn = max(min(scale, most), LEAST_SCALE)
    matrix = pymupdf.Matrix(drawn, drawn).prerotate(0)
    if rotation % 360:
        matrix = matrix * pymupdf.Matrix(rotation)
    pixels = page.get_pixmap(matrix=matrix, clip=area, alpha=False, annots=True)
    return PageImage(pixels.width, pixels.height, pixels.stride, pixels.samples, drawn)
