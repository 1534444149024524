# SPDX-License-Identifier: AGPL-3.0-or-later
"""Regions of a page by PyMuPDF's layout model, and tables with their cells."""

from typing import Any

from core.document.pdf_structure import shown_box
from core.document.raw import LayoutBox, RawTable


def layout(page: Any) -> tuple[LayoutBox, ...]:
    """Find the regions of a page; the model is loaded at the first call."""
    page.get_layout()
    return tuple(
        LayoutBox(str(kind), *shown_box((x0, y0, x1, y1), page))
        for x0, y0, x1, y1, kind, *_ in page.layout_information or ()
    )


def tables(document: Any, page: Any) -> tuple[RawTable, ...]:
    """Find the tables of a page, by its rules or the model's boxes."""
    raise NotImplementedError
