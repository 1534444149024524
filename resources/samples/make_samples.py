# SPDX-License-Identifier: AGPL-3.0-or-later
"""Make the two sample PDFs from the texts in `sources/`.

    python resources/samples/make_samples.py [guideline] [report]

The same sources give the same bytes: dates are fixed and the file has no random id.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pymupdf
from hyphenation import divide, words_of
from items import Contents
from layout import Typesetter
from markup import Source, parse
from pages import PAGE_HEIGHT, PAGE_WIDTH, Page, Theme
from paragraphs import Piece, Style, font

HERE = Path(__file__).parent
_DATE = "D:20250901080000Z"


@dataclass(frozen=True, slots=True)
class Sample:
    """A document to make: its sources are `sources/<name>/*.md` in the order of their names."""

    name: str
    title: str
    subject: str
    theme: Theme


SAMPLES = (
    Sample(
        "guideline",
        "Managing Oral Anticoagulation Around Planned Procedures",
        "Sample guideline for trying chunking; not for clinical use",
        Theme(
            accent=(0.05, 0.33, 0.45),
            tint=(0.90, 0.945, 0.955),
            body=Style("serif", 10.3, 13.6),
            narrow=Style("serif", 9.6, 12.2),
            header="Oral anticoagulation around planned procedures",
            footer="Sample text for software trials. Not for clinical use.",
        ),
    ),
    Sample(
        "report",
        "Velmouth: Annual Report on Water, Transport and Energy",
        "Sample report about a city that does not exist",
        Theme(
            accent=(0.42, 0.16, 0.22),
            tint=(0.965, 0.935, 0.92),
            body=Style("serif", 11.0, 15.4, ligatures=True),
            narrow=Style("serif", 10.0, 13.0, ligatures=True),
            left=82.0,
            right=82.0,
            top=84.0,
            bottom=78.0,
            chapter_on_new_page=True,
            numbering="chapter",
            header="Velmouth annual report",
            footer="City of Velmouth (a sample city)",
            plain_pages=1,
            roman_pages=4,
        ),
    ),
)


def make(sample: Sample) -> bytes:
    """The PDF of one sample."""
    text = read_source(sample.name)
    source = parse(text, numbering=sample.theme.numbering)
    divided = divide(words_of(text))
    pages = _typeset(source, sample.theme, divided)
    return _write(sample, pages)


def read_source(name: str) -> str:
    """The source text of a sample, all its files joined, with typographic apostrophes."""
    parts = sorted((HERE / "sources" / name).glob("*.md"))
    text = "\n\n".join(part.read_text(encoding="utf-8") for part in parts)
    return text.replace("'", "\u2019")


def _typeset(source: Source, theme: Theme, divided: dict[str, tuple[str, ...]]) -> list[Page]:
    """Pages, set again until the page numbers in the table of contents are right."""
    contents: Contents = []
    for _ in range(5):
        pages = Typesetter(source, theme, divided, contents=contents).run()
        found = [(level, title, page.number) for page in pages for level, title, _ in page.headings]
        if found == contents or not any(block.kind == "toc" for block in source.blocks):
            return pages
        contents = found
    raise ValueError("the table of contents does not settle: its length changes with its numbers")


def _write(sample: Sample, pages: list[Page]) -> bytes:
    document = pymupdf.open()
    for page in pages:
        _write_page(document.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT), page)
    document.set_toc(
        [
            [level, " ".join(title.split()), page.number, {"kind": 1, "to": pymupdf.Point(0, y)}]
            for page in pages
            for level, title, y in page.headings
        ]
    )
    for page in pages:
        for area, target in page.links:
            document[page.number - 1].insert_link(
                {"kind": pymupdf.LINK_GOTO, "from": area, "page": target - 1}
            )
    if roman := sample.theme.roman_pages:
        document.set_page_labels(
            [
                {"startpage": 0, "style": "r", "firstpagenum": 1},
                {"startpage": roman, "style": "D", "firstpagenum": 1},
            ]
        )
    document.set_metadata(
        {
            "title": sample.title,
            "subject": sample.subject,
            "author": "Chunkscope",
            "creator": "make_samples.py",
            "producer": "PyMuPDF",
            "creationDate": _DATE,
            "modDate": _DATE,
        }
    )
    document.set_language("en")
    document.subset_fonts()
    return document.tobytes(garbage=4, deflate=True, no_new_id=True)


def _write_page(target: pymupdf.Page, page: Page) -> None:
    shape = target.new_shape()
    for points, width, colour in page.shapes:
        shape.draw_polyline([pymupdf.Point(point) for point in points])
        if width:
            shape.finish(color=colour, width=width, closePath=False)
        else:
            shape.finish(fill=colour, color=None, width=0, closePath=True)
    shape.commit()
    for run in _by_colour(page.pieces):
        writer = pymupdf.TextWriter(target.rect, color=run[0][2].colour)
        for x, y, piece in run:
            writer.append((x, y), piece.text, font=font(piece.font), fontsize=piece.size)
        writer.write_text(target)


def _by_colour(pieces: list[tuple[float, float, Piece]]) -> list[list[tuple[float, float, Piece]]]:
    """Consecutive pieces of one colour together."""
    result: list[list[tuple[float, float, Piece]]] = []
    for piece in pieces:
        if result and result[-1][-1][2].colour == piece[2].colour:
            result[-1].append(piece)
        else:
            result.append([piece])
    return result


def main(names: list[str]) -> None:
    """Write the named samples, or all."""
    for sample in SAMPLES:
        if not names or sample.name in names:
            path = HERE / f"{sample.name}.pdf"
            path.write_bytes(make(sample))
            with pymupdf.open(path) as document:
                print(f"{path.name}: {len(document)} pages, {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
