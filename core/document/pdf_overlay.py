# SPDX-License-Identifier: AGPL-3.0-or-later
"""Draws chunks on copies of the pages of a PDF. Runs in the PDF process.

Everything comes in the display frame and is turned into the page's own, so that a page that is
shown rotated or cropped gets its marks where they are seen.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf

from core.document.pdf_file import open_file
from core.document.pdf_values import PageMarks, Quad

TINTS = ((0.0, 0.447, 0.698), (0.902, 0.624, 0.0))  # blue and orange of Okabe and Ito
TINT_OPACITY = 0.18
CUT_COLOUR, CUT_WIDTH = (0.1, 0.1, 0.1), 0.9
TAB_SIZE = 5.5  # points
PICTURE_SCALE = 2.0  # pixels a point
MOST_PIXELS = 16_000_000


def marked_document(path: Path, password: str, marks: Sequence[PageMarks]) -> bytes:
    """The whole PDF with the marks drawn on its pages; a password stays in force."""
    with open_file(path) as document:
        if document.needs_pass:
            document.authenticate(password)
        for page_marks in marks:
            _draw(document.load_page(page_marks.page), page_marks)
        return bytes(document.tobytes(deflate=True, encryption=pymupdf.PDF_ENCRYPT_KEEP))


def marked_page(path: Path, password: str, marks: PageMarks, kind: str) -> bytes:
    """One page with its marks as `pdf`, `png` or `svg`."""
    with open_file(path) as document:
        if document.needs_pass:
            document.authenticate(password)
        page = document.load_page(marks.page)
        _draw(page, marks)
        if kind == "svg":
            return str(page.get_svg_image(text_as_path=True)).encode()
        if kind == "png":
            most = (MOST_PIXELS / max(1.0, page.rect.width * page.rect.height)) ** 0.5
            scale = min(PICTURE_SCALE, most)
            return bytes(page.get_pixmap(matrix=pymupdf.Matrix(scale, scale)).tobytes("png"))
        document.select([marks.page])
        return bytes(document.tobytes(garbage=3, deflate=True, encryption=pymupdf.PDF_ENCRYPT_KEEP))


def _draw(page: Any, marks: PageMarks) -> None:
    page.wrap_contents()  # a page may leave its graphics state as it likes
    turn, rotation = page.derotation_matrix, page.rotation
    # WORKAROUND: on a rotated page PyMuPDF 2.0 draws shapes without the CropBox's origin
    page.set_rotation(0)
    _draw_upright(page, marks, turn, rotation)
    page.set_rotation(rotation)


def _draw_upright(page: Any, marks: PageMarks, turn: Any, rotation: int) -> None:
    for parity in (0, 1):
        shape = page.new_shape()
        chosen = [quad for quad, which in marks.fills if which == parity]
        for quad in chosen:
            shape.draw_polyline([*_points(quad, turn), _points(quad, turn)[0]])
        if chosen:
            shape.finish(
                width=0, color=None, fill=TINTS[parity], fill_opacity=TINT_OPACITY, closePath=True
            )
            shape.commit()
    shape = page.new_shape()
    for quad, words in marks.cuts:
        start_top, end_top, _, start_bottom = _points(quad, turn)
        shape.draw_polyline([start_bottom, start_top, end_top])
        shape.finish(width=CUT_WIDTH, color=CUT_COLOUR, closePath=False)
        page.insert_text(start_top, words, fontsize=TAB_SIZE, color=CUT_COLOUR, rotate=rotation)
    if marks.cuts:
        shape.commit()


def _points(quad: Quad, turn: Any) -> list[Any]:
    return [pymupdf.Point(x, y) * turn for x, y in quad]
