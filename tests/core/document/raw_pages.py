# SPDX-License-Identifier: AGPL-3.0-or-later
"""Raw pages of PDFs that tests draw themselves, read in this process."""

from collections.abc import Callable
from pathlib import Path

import pymupdf

from core.document.pdf_glyphs import raw_page
from core.document.raw import RawPage


def drawn_pages(*draw: Callable[[pymupdf.Page], object]) -> list[RawPage]:
    """Draw one page of 400 × 600 points with each function, and read them."""
    with pymupdf.open() as document:
        for each in draw:
            each(document.new_page(width=400, height=600))
        return [raw_page(page, label="", tagged=False) for page in document]


def write_pdf(path: Path, *draw: Callable[[pymupdf.Page], object]) -> Path:
    """Write a PDF of one page of 400 × 600 points for each function."""
    with pymupdf.open() as document:
        for each in draw:
            each(document.new_page(width=400, height=600))
        document.save(path)
    return path


def lines_at(x: float, y: float, *lines: str, size: float = 10, step: float = 12):
    """Return a function that writes lines below one another."""

    def draw(page: pymupdf.Page) -> None:
        for number, line in enumerate(lines):
            page.insert_text((x, y + number * step), line, fontsize=size)

    return draw


def all_of(*draw: Callable[[pymupdf.Page], object]) -> Callable[[pymupdf.Page], None]:
    """Return a function that draws everything on one page."""

    def together(page: pymupdf.Page) -> None:
        for each in draw:
            each(page)

    return together
