# SPDX-License-Identifier: AGPL-3.0-or-later
"""Characters and marks of a page, by the quick way if it is known to be right.

The quick way reads MuPDF's memory (`pdf_memory`). The layout of the structures is checked once
against `rawdict`; where it differs, in another version of MuPDF, `rawdict` is read instead. Both
ways give the same arrays.
"""

from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray
from pymupdf import mupdf

from core.document import pdf_memory
from core.document.pdf_characters import (
    BOLD_NAMES,
    ITALIC_NAMES,
    MONO_NAMES,
    SYNTHETIC,
    Characters,
    Font,
    Roles,
    no_characters,
    says,
)
from core.document.pdf_sheet import (
    MARK_FLAGS,
    MOST_MARKS,
    Sheet,
    record,
    sheet_of,
    text_page,
    walk_blocks,
)

_COMPARED = rb"BT /A 11 Tf 20 60 Td (Quick brown) Tj /B 7 Tf 0 -20 Td (fox \227 \351t\351) Tj ET"
_FONTS = """<</Font <<
    /A <</Type/Font /Subtype/Type1 /BaseFont/Helvetica>>
    /B <</Type/Font /Subtype/Type1 /BaseFont/Times-BoldItalic /Encoding/WinAnsiEncoding>>
>>>>"""
KNOWN_VERSION = (1, 28)  # of MuPDF, whose structures `pdf_memory` describes


def read_characters(text: Any) -> Characters:
    """Read all characters of a text page, by the quick way if it is known to be right."""
    quick = structures_are_as_expected()
    return pdf_memory.from_structures(text) if quick else from_dictionaries(text)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What else is drawn: boxes of pictures and of vector graphics, float32 (k, 4), unrotated.

    `characters` counts all characters but spaces, with those that the page does not show.
    """

    pictures: NDArray[np.float32]
    vectors: NDArray[np.float32]
    characters: int
    roles: Roles | None = None


def read_marks(sheet: Sheet, commands: Any, *, tagged: bool = False) -> Marks:
    """Find all marks of a recorded page, and with `tagged` the roles of its characters.

    No picture is decoded. The tags bring the characters in another order.
    """
    structure = pymupdf.TEXT_COLLECT_STRUCTURE if tagged else 0
    text = text_page(sheet, commands, MARK_FLAGS | structure)
    kind, box = _blocks(text)
    return Marks(
        pictures=box[kind == mupdf.FZ_STEXT_BLOCK_IMAGE],
        vectors=box[kind == mupdf.FZ_STEXT_BLOCK_VECTOR],
        characters=_count_characters(text),
        roles=pdf_memory.roles(text) if tagged and structures_are_as_expected() else None,
    )


def _blocks(text: Any) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Kinds, int32 (k,), and boxes, float32 (k, 4), of the blocks of a text page."""
    if structures_are_as_expected():
        return pdf_memory.blocks(text, MOST_MARKS)
    found = [
        (block.type, block.bbox.x0, block.bbox.y0, block.bbox.x1, block.bbox.y1)
        for block in islice(walk_blocks(text), MOST_MARKS)
    ]
    table = np.array(found, np.float32).reshape(-1, 5)
    return table[:, 0].astype(np.int32), table[:, 1:]


def _count_characters(text: Any) -> int:
    """Count the characters of a text page that are not spaces or controls."""
    buffer = mupdf.ll_fz_new_buffer_from_stext_page(text.m_internal)
    utf8 = np.frombuffer(mupdf.ll_fz_buffer_storage_memoryview(buffer, False), np.uint8)
    count = int(np.count_nonzero(((utf8 & 0xC0) != 0x80) & (utf8 > 0x20)))
    del utf8
    mupdf.ll_fz_drop_buffer(buffer)
    return count


def from_dictionaries(text: Any) -> Characters:
    """Read the characters through PyMuPDF's `rawdict`: slower, and true in every version."""
    rows: list[tuple[Any, ...]] = []
    fonts: dict[Font, int] = {}
    directions: list[tuple[float, float]] = []
    vertical: list[bool] = []
    blocks = pymupdf.TextPage(text).extractRAWDICT()["blocks"]
    for number, block in enumerate(block for block in blocks if block["type"] == 0):
        for line in block["lines"]:
            directions.append(line["dir"])
            vertical.append(bool(line["wmode"]))
            for span in line["spans"]:
                font = fonts.setdefault(_font_of_span(span), len(fonts))
                style = (span["bidi"], span["char_flags"], span["alpha"], span["size"])
                place = (*style, font, len(directions) - 1, number)
                rows += [
                    (ord(each["c"]), each["synthetic"], *each["origin"], *each["bbox"], *place)
                    for each in span["chars"]
                ]
    if not rows:
        return no_characters()
    table = np.array(rows, np.float64)
    x0, y0, x1, y1 = table[:, 4:8].T
    corners = np.stack([x0, y0, x1, y0, x0, y1, x1, y1], axis=1).reshape(-1, 4, 2)
    return Characters(
        code=table[:, 0].astype(np.int32),
        flags=(table[:, 9].astype(np.uint16) | (table[:, 1] * SYNTHETIC).astype(np.uint16)),
        bidi=table[:, 8].astype(np.uint16),
        alpha=table[:, 10].astype(np.uint8),
        origin=table[:, 2:4].astype(np.float32),
        quad=corners.astype(np.float32),
        size=table[:, 11].astype(np.float32),
        font=table[:, 12].astype(np.int32),
        line=table[:, 13].astype(np.int32),
        block=table[:, 14].astype(np.int32),
        direction=np.array(directions, np.float32).reshape(-1, 2),
        vertical=np.array(vertical, np.bool_),
        fonts=tuple(fonts),
    )


def _font_of_span(span: dict[str, Any]) -> Font:
    flags = span["flags"]
    return Font(
        name=span["font"],
        bold=bool(flags & pymupdf.TEXT_FONT_BOLD) or says(span["font"], BOLD_NAMES),
        italic=bool(flags & pymupdf.TEXT_FONT_ITALIC) or says(span["font"], ITALIC_NAMES),
        mono=bool(flags & pymupdf.TEXT_FONT_MONOSPACED) or says(span["font"], MONO_NAMES),
        type3=False,
    )


@cache
def structures_are_as_expected() -> bool:
    """Compare both ways once on a page made here; any difference forbids the quick way."""
    if pymupdf.mupdf_version_tuple[:2] != KNOWN_VERSION:
        return False
    sheet = sheet_of(_page_for_comparison())
    text = text_page(sheet, record(sheet))
    quick, plain = pdf_memory.from_structures(text), from_dictionaries(text)
    return (
        len(quick) == len(plain) > 0
        and all(
            np.array_equal(getattr(quick, name), getattr(plain, name))
            for name in ("code", "line", "block", "direction", "vertical", "bidi", "alpha")
        )
        and np.allclose(quick.origin, plain.origin)
        and np.allclose(quick.size, plain.size)
        and [quick.fonts[i].name for i in quick.font] == [plain.fonts[i].name for i in plain.font]
    )


def _page_for_comparison() -> Any:
    """Make a page of two fonts and sizes. `insert_text` would measure all glyphs of a font."""
    document = pymupdf.open()
    page = document.new_page(width=200, height=100)
    contents = document.get_new_xref()
    document.update_object(contents, "<<>>")
    document.update_stream(contents, _COMPARED)
    page.set_contents(contents)
    document.xref_set_key(page.xref, "Resources", _FONTS)
    return document.reload_page(page)
