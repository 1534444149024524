# SPDX-License-Identifier: AGPL-3.0-or-later
"""Text files as pages: set in a grid of equal cells, so that each character has an exact box.

The text is not changed. What is made here is only for the eye: strategies see the document as
it was read, with its own pages.
"""

import unicodedata
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QImage, QPainter

from core.document.model import CharGeometry, Document, Lines, Page

PAGE_WIDTH, PAGE_HEIGHT = 595.0, 842.0  # points, A4
MARGIN = 56.0
COLUMNS = 92
CELL = (PAGE_WIDTH - 2 * MARGIN) / COLUMNS  # points
LEADING = 14.0
ASCENT, DESCENT = 8.5, 2.8
LINES_A_PAGE = int((PAGE_HEIGHT - 2 * MARGIN) // LEADING)
_BREAKS = "\n\r\f\v\x1c\x1d\x1e\x85\u2028\u2029"


def typeset(document: Document) -> Document:
    """The document with pages and geometry made for showing it; text and blocks are the same."""
    text = document.text
    widths = cell_widths(text)
    starts = _line_starts(text, widths)
    line = np.searchsorted(starts, np.arange(len(text)), side="right") - 1
    ends = np.cumsum(widths)
    before = ends - widths
    column = before - before[starts[line]] if len(text) else before
    is_shown = widths > 0
    geometry = CharGeometry(
        np.where(is_shown, line, -1).astype(np.int32),
        (column * CELL).astype(np.float32),
        ((column + widths) * CELL).astype(np.float32),
        _lines(len(starts)),
    )
    return replace(document, pages=_pages(starts, len(text)), geometry=geometry)


def cell_widths(text: str) -> NDArray[np.int64]:
    """int64 (N,): cells that each character takes: 0 for breaks and marks, 2 for wide ones."""
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    widths = np.ones(len(codes), np.int64)
    places = np.flatnonzero((codes < 32) | (codes > 126))
    unusual, which = np.unique(codes[places], return_inverse=True)
    cells = np.array([_cells(chr(code)) for code in unusual.tolist()], dtype=np.int64)
    widths[places] = cells[which]
    return widths


def paint_text_page(document: Document, page: int, scale: float, clip: QRectF) -> QImage:
    """Draw a part of a typeset page; `clip` in points, `scale` in pixels per point."""
    image = QImage(
        max(1, round(clip.width() * scale)),
        max(1, round(clip.height() * scale)),
        QImage.Format.Format_RGB32,
    )
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale, scale)
    painter.translate(-clip.topLeft())
    painter.setFont(_font())
    painter.setPen(Qt.GlobalColor.black)
    _paint_lines(painter, document, page)
    painter.end()
    return image


def _paint_lines(painter: QPainter, document: Document, page: int) -> None:
    geometry = document.geometry
    assert geometry is not None, "a typeset document has geometry"
    first, last = document.pages[page].start, document.pages[page].end
    for offset in range(first, last):
        line = int(geometry.line[offset])
        character = document.text[offset]
        if line < 0 or character.isspace():
            continue
        x = float(geometry.lines.x[line] + geometry.start[offset])
        painter.drawText(QPointF(x, float(geometry.lines.y[line])), character)


def _font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(9)
    font.setPixelSize(9)
    advance = QFontMetricsF(font).horizontalAdvance("0")
    if advance > 0:
        font.setStretch(max(50, min(150, round(100 * CELL / advance))))
    return font


def _cells(character: str) -> int:
    if character == "\t":
        return 4
    category = unicodedata.category(character)
    if character in _BREAKS or category in ("Mn", "Me", "Cc", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _line_starts(text: str, widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64 (lines,): where each shown line begins; wrapped after a space where there is one."""
    total = np.concatenate([[0], np.cumsum(widths)])
    starts: list[int] = []
    begin = 0
    while begin < len(text) or not starts:
        stop = _hard_end(text, begin)
        while begin < stop:
            starts.append(begin)
            fits = int(np.searchsorted(total, total[begin] + COLUMNS, side="right")) - 1
            if fits >= stop:
                break
            space = text.rfind(" ", begin + 1, fits)
            begin = space + 1 if space > begin else max(begin + 1, fits)
        if not starts:
            starts.append(begin)
        begin = stop
    return np.array(starts, dtype=np.int64)


def _hard_end(text: str, begin: int) -> int:
    """Just past the next line break."""
    found = text.find("\n", begin)
    return len(text) if found < 0 else found + 1


def _lines(count: int) -> Lines:
    index = np.arange(count)
    y = MARGIN + ASCENT + (index % LINES_A_PAGE) * LEADING
    full = np.ones(count, np.float32)
    return Lines(
        (index // LINES_A_PAGE).astype(np.int32),
        full * np.float32(MARGIN),
        y.astype(np.float32),
        full,
        full * 0,
        full * np.float32(ASCENT),
        full * np.float32(DESCENT),
    )


def _pages(starts: NDArray[np.int64], length: int) -> tuple[Page, ...]:
    firsts = starts[::LINES_A_PAGE].tolist()
    ends = [*firsts[1:], length]
    return tuple(
        Page(index, PAGE_WIDTH, PAGE_HEIGHT, 0, start, end, str(index + 1))
        for index, (start, end) in enumerate(zip(firsts, ends, strict=True))
    )
