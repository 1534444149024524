# SPDX-License-Identifier: AGPL-3.0-or-later
"""The document's own pages with the chunks drawn on them: PDF, PNG, SVG."""

from typing import Any, Literal

from core.document.client import PdfClient
from core.document.geometry import span_boxes
from core.document.pdf_values import PageMarks, Quad
from core.document.read import TEXT_ENDINGS
from core.errors import DocumentError, ParameterError
from core.export.exported import Exported


def pdf_bytes(exported: Exported) -> bytes:
    """The whole PDF, or one page of it, with tints and cut lines."""
    if exported.page is not None:
        return _page(exported, "pdf")
    with _client(exported) as client:
        client.open(exported.password)
        return client.marked_document(page_marks(exported))


def png_bytes(exported: Exported) -> bytes:
    """One page as a picture, two pixels a point."""
    return _page(exported, "png")


def svg_bytes(exported: Exported) -> bytes:
    """One page as a drawing that can be scaled."""
    return _page(exported, "svg")


def page_marks(exported: Exported) -> list[PageMarks]:
    """What is drawn on each page that has chunks: tints by parity, and where chunks begin."""
    chunks = exported.chunks
    pieces = span_boxes(exported.document.geometry, chunks.spans)
    owners = chunks.owners[pieces.owner]
    fills: dict[int, list[tuple[Quad, int]]] = {}
    cuts: dict[int, list[tuple[Quad, str]]] = {}
    begun: set[int] = set()
    quads = pieces.quads.astype(float).round(2).tolist()
    for owner, page, corners in zip(owners.tolist(), pieces.page.tolist(), quads, strict=True):
        quad = _quad(corners)
        fills.setdefault(page, []).append((quad, owner % 2))
        if owner not in begun:
            begun.add(owner)
            cuts.setdefault(page, []).append((quad, str(owner + 1)))
    return [PageMarks(page, tuple(fills[page]), tuple(cuts.get(page, ()))) for page in fills]


def _page(exported: Exported, kind: Literal["pdf", "png", "svg"]) -> bytes:
    page = exported.page or 0
    with _client(exported) as client:
        info = client.open(exported.password)
        if not 0 <= page < info.page_count:
            raise ParameterError(
                f"page is {page + 1}, but must be 1 to {info.page_count}: choose a page in that "
                "range"
            )
        found = [marks for marks in page_marks(exported) if marks.page == page]
        return client.marked_page(found[0] if found else PageMarks(page, (), ()), kind)


def _client(exported: Exported) -> PdfClient:
    if exported.source.suffix.lower() in TEXT_ENDINGS:
        raise DocumentError(
            f"{exported.source.name} is a text file without pages to draw on: "
            "export it as .html, or open a PDF"
        )
    return PdfClient(exported.source)


def _quad(corners: Any) -> Quad:
    first, second, third, fourth = (tuple(corner) for corner in corners)
    return first, second, third, fourth
