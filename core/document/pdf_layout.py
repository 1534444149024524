# SPDX-License-Identifier: AGPL-3.0-or-later
"""Regions of a page by PyMuPDF's layout model, and tables with their cells.

Both work on an upright copy of the page, in a document of its own: the model reads horizontal
text only, and the search for tables changes crop box and rotation of the page it is given.
"""

import importlib
import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pymupdf

from core.document.client import LAYOUT_MODULES
from core.document.pdf_values import Box
from core.document.raw import LayoutBox, RawTable

RULES_OF_A_TABLE = 3  # lines in each direction from which a page may hold a table
THIN = 2.0  # points: at most as thick is a rule
LEAST_CELLS = 3  # filled cells that a row of several rows has
AGREEMENT = 0.6  # share of them that have the same number of lines
ROTATIONS = {(1, 0): 0, (0, -1): 90, (-1, 0): 180, (0, 1): 270}  # direction of the text: turn


@dataclass(frozen=True, slots=True)
class UprightCopy:
    """A page without crop or rotation, on which most text runs from left to right."""

    document: Any
    page: Any
    source: Any  # what the copy shows; it must live as long
    to_display: Any  # matrix from the copy to the page as shown

    def shown(self, box: Any) -> Box:
        """Box of the copy in the display frame of the page, corners sorted."""
        moved = (pymupdf.Rect(box) * self.to_display).normalize()
        return (moved.x0, moved.y0, moved.x1, moved.y1)


def upright_copy(document: Any, page: Any) -> UprightCopy:
    """Copy a page so that most of its text runs from left to right."""
    rotation = _text_rotation(page)
    source = pymupdf.open()
    source.insert_pdf(document, from_page=page.number, to_page=page.number, links=False)
    turned = source[0]
    turned.set_rotation(rotation)
    to_raw, size = turned.derotation_matrix, turned.rect
    turned.set_rotation(0)
    copy = pymupdf.open()
    shown = copy.new_page(width=size.width, height=size.height)
    shown.show_pdf_page(shown.rect, source, 0, rotate=-rotation)
    return UprightCopy(copy, shown, source, to_raw * page.rotation_matrix)


def _text_rotation(page: Any) -> int:
    """Degrees clockwise that make most of the text horizontal; as shown where there is none."""
    weight: dict[int, int] = {}
    flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    for block in page.get_text("dict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            direction = (round(line["dir"][0]), round(line["dir"][1]))
            rotation = 0 if line["wmode"] else ROTATIONS.get(direction)
            if rotation is not None:
                length = sum(len(span["text"]) for span in line["spans"])
                weight[rotation] = weight.get(rotation, 0) + length
    if not weight:
        return int(page.rotation)
    return max(weight, key=lambda rotation: weight[rotation])


def layout(copy: UprightCopy) -> tuple[LayoutBox, ...]:
    """Find the regions of a page; the model is loaded at the first call, in about a second."""
    _load_model()
    if copy.page.layout_information is None:
        copy.page.get_layout()
    return tuple(
        LayoutBox(str(kind), *copy.shown((x0, y0, x1, y1)))
        for x0, y0, x1, y1, kind, *_ in copy.page.layout_information or ()
    )


def _load_model() -> None:
    """Import the model, also where `client` has kept PyMuPDF from doing it."""
    for module in LAYOUT_MODULES:
        if sys.modules.get(module, pymupdf) is None:
            del sys.modules[module]
    importlib.import_module("pymupdf.layout")


def tables(copy: UprightCopy) -> tuple[RawTable, ...]:
    """Find the tables of a page with their cells; at once where nothing looks like a table."""
    seen = any(region.kind == "table" for region in layout(copy))
    if not seen and not _has_rules(copy.page):
        return ()
    found = copy.page.find_tables(use_layout=seen).tables
    words = copy.page.get_text("words") if found else []
    return tuple(_table(copy, table, words) for table in found if len(table.rows) > 1)


def _has_rules(page: Any) -> bool:
    """Whether there are lines in both directions, as around cells."""
    across = down = 0
    for kind, (x0, y0, x1, y1) in page.get_bboxlog():
        if kind.endswith("path"):
            across += y1 - y0 <= THIN < x1 - x0
            down += x1 - x0 <= THIN < y1 - y0
    return across >= RULES_OF_A_TABLE and down >= RULES_OF_A_TABLE


Row = tuple[Box | None, ...]
Word = tuple[Any, ...]  # x0, y0, x1, y1, text, …


def _table(copy: UprightCopy, table: Any, words: list[Word]) -> RawTable:
    rows = [part for row in table.rows for part in _split_row(tuple(row.cells), words)]
    shown = tuple(tuple(copy.shown(cell) if cell else None for cell in row) for row in rows)
    return RawTable(copy.shown(table.bbox), shown, header_rows=_heading_rows(rows, words))


def _inside(cell: Box, words: list[Word]) -> list[Word]:
    """Words whose middle is in a cell."""
    x0, y0, x1, y1 = cell
    return [
        word
        for word in words
        if x0 <= (word[0] + word[2]) / 2 <= x1 and y0 <= (word[1] + word[3]) / 2 <= y1
    ]


def _split_row(row: Row, words: list[Word]) -> list[Row]:
    """Split a row between two rules that holds several rows of text: its cells agree on them."""
    lines = [_line_heights(_inside(cell, words)) for cell in row if cell]
    counts = [len(found) for found in lines if found]
    if len(counts) < LEAST_CELLS:
        return [row]
    most = max(set(counts), key=counts.count)
    if most < 2 or counts.count(most) < AGREEMENT * len(counts):
        return [row]
    agreeing = [found for found in lines if len(found) == most]
    middles = [sum(each) / len(each) for each in zip(*agreeing, strict=True)]
    edges = [(above + below) / 2 for above, below in pairwise(middles)]
    tops = [float("-inf"), *edges]
    bottoms = [*edges, float("inf")]
    return [
        tuple(
            (cell[0], max(cell[1], top), cell[2], min(cell[3], bottom)) if cell else None
            for cell in row
        )
        for top, bottom in zip(tops, bottoms, strict=True)
    ]


def _line_heights(words: list[Word]) -> list[float]:
    """Middle heights of the lines that words stand on, from the top."""
    lines: list[list[float]] = []
    for middle, height in sorted(((word[1] + word[3]) / 2, word[3] - word[1]) for word in words):
        if lines and middle - lines[-1][-1] < height / 2:
            lines[-1].append(middle)
        else:
            lines.append([middle])
    return [sum(line) / len(line) for line in lines]


def _heading_rows(rows: list[Row], words: list[Word]) -> int:
    """1 if the first row differs from data: it has far fewer digits than the others; else 0."""
    if len(rows) < 2:
        return 0
    shares = [_digit_share(row, words) for row in rows[:12]]
    rest = sorted(shares[1:])[len(shares[1:]) // 2]
    return int(shares[0] <= 0.05 or shares[0] < 0.5 * rest)


def _digit_share(row: Row, words: list[Word]) -> float:
    text = "".join(word[4] for cell in row if cell for word in _inside(cell, words))
    return sum(letter.isdigit() for letter in text) / max(1, len(text))
