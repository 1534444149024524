# SPDX-License-Identifier: AGPL-3.0-or-later
"""Raw pages made in this process from `rawdict`: the plain form of what the child hands over."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pymupdf

from core.document.raw import BOLD, ITALIC, MONO, Glyphs, RawPage, Runs

FLAGS = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES & ~pymupdf.TEXT_PRESERVE_LIGATURES


def raw_page(document: pymupdf.Document, index: int) -> RawPage:
    """Read page `index` glyph by glyph, in the display frame."""
    page = document[index]
    turn = page.rotation_matrix
    glyphs: list[tuple[int, float, float, float, float, int]] = []
    runs: list[tuple[float, ...]] = []
    fonts: list[str] = []
    line_count = 0
    for block_number, block in enumerate(page.get_text("rawdict", flags=FLAGS)["blocks"]):
        for line in block.get("lines", ()):
            dx, dy = line["dir"]
            direction = pymupdf.Point(dx, dy) * pymupdf.Matrix(turn.a, turn.b, turn.c, turn.d, 0, 0)
            scale = math.hypot(direction.x, direction.y) or 1.0
            dx, dy = direction.x / scale, direction.y / scale
            for span in line["spans"]:
                origin = pymupdf.Point(span["chars"][0]["origin"]) * turn
                size = span["size"]
                style = (
                    (BOLD if span["flags"] & 16 else 0)
                    | (ITALIC if span["flags"] & 2 else 0)
                    | (MONO if span["flags"] & 8 else 0)
                )
                ascent = max(0.0, span["ascender"]) * size
                descent = max(0.0, -span["descender"]) * size
                runs.append(
                    (line_count, block_number, origin.x, origin.y, dx, dy, size, ascent, descent,
                     style)
                )  # fmt: skip
                fonts.append(span["font"])
                for char in span["chars"]:
                    at = pymupdf.Point(char["origin"]) * turn
                    quad = pymupdf.Rect(char["bbox"]) * turn
                    corners = [(quad.x0, quad.y0), (quad.x1, quad.y0), (quad.x0, quad.y1),
                               (quad.x1, quad.y1)]  # fmt: skip
                    along = [(x - origin.x) * dx + (y - origin.y) * dy for x, y in corners]
                    if ord(char["c"]) < 32:
                        continue
                    glyphs.append(
                        (ord(char["c"]), at.x, at.y, min(along), max(along), len(runs) - 1)
                    )
            line_count += 1
    table = np.array(glyphs, np.float64).reshape(-1, 6).T
    rows = np.array(runs, np.float64).reshape(-1, 10).T
    return RawPage(
        index=index,
        width=page.rect.width,
        height=page.rect.height,
        rotation=page.rotation,
        label=str(index + 1),
        glyphs=Glyphs(
            codes=table[0].astype(np.int32),
            x=table[1].astype(np.float32),
            y=table[2].astype(np.float32),
            start=table[3].astype(np.float32),
            end=table[4].astype(np.float32),
            run=table[5].astype(np.int32),
        ),
        runs=Runs(
            line=rows[0].astype(np.int32),
            block=rows[1].astype(np.int32),
            x=rows[2].astype(np.float32),
            y=rows[3].astype(np.float32),
            dx=rows[4].astype(np.float32),
            dy=rows[5].astype(np.float32),
            size=rows[6].astype(np.float32),
            ascent=rows[7].astype(np.float32),
            descent=rows[8].astype(np.float32),
            flags=rows[9].astype(np.int32),
            font=tuple(fonts),
            tag=("",) * len(fonts),
        ),
        images=np.empty((0, 4), np.float32),
        drawings=np.empty((0, 4), np.float32),
    )


def raw_pages(path: Path | str, pages: Sequence[int] | None = None) -> list[RawPage]:
    """Read the pages of a PDF, all of them when `pages` is None."""
    with pymupdf.open(path) as document:
        wanted = range(len(document)) if pages is None else pages
        return [raw_page(document, index) for index in wanted]
