# SPDX-License-Identifier: AGPL-3.0-or-later
"""MuPDF's structured text, read from memory as arrays.

PyMuPDF's `rawdict` makes a dictionary for each character, three quarters of the time of an
extraction. Here the characters are gathered with numpy from the C structures instead
(`mupdf/fitz/structured-text.h`, which PyMuPDF ships): `fz_new_buffer_from_flattened_stext_page`
lists the address of every character, line and block, so no address is guessed. Nothing here may
be used before `pdf_stext.structures_are_as_expected` says so.
"""

import ctypes
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymupdf import mupdf

from core.document.pdf_characters import (
    BOLD_NAMES,
    ITALIC_NAMES,
    MONO_NAMES,
    Characters,
    Font,
    Roles,
    changes,
    no_characters,
    says,
)
from core.document.pdf_sheet import walk_blocks

KEEP_ALL = (
    mupdf.FZ_TEXT_FLATTEN_KEEP_LINES
    | mupdf.FZ_TEXT_FLATTEN_KEEP_PARAGRAPHS
    | mupdf.FZ_TEXT_FLATTEN_KEEP_HYPHENS
)
_CHARACTER = np.dtype(
    [
        ("code", "<i4"),
        ("bidi", "<u2"),
        ("flags", "<u2"),
        ("argb", "<u4"),
        ("origin", "<f4", 2),
        ("quad", "<f4", (4, 2)),  # upper left, upper right, lower left, lower right
        ("size", "<f4"),
        ("font", "<u8"),
        ("next", "<u8"),
    ]
)
_LINE = np.dtype(
    [
        ("wmode", "u1"),
        ("flags", "u1"),
        ("padding", "<u2"),
        ("direction", "<f4", 2),
        ("box", "<f4", 4),
        ("padding_2", "<u4"),
    ]
)
_BLOCK = np.dtype(
    [
        ("kind", "<i4"),
        ("id", "<i4"),
        ("box", "<f4", 4),
        ("content", "V32"),
        ("previous", "<u8"),
        ("next", "<u8"),
    ]
)
_BLOCK_CONTENT, _NEXT_BLOCK = 24, 64  # bytes: where `content` and `next` are in a block
_FIRST_BLOCK = 16  # bytes: where the first block is in a structure element
_STRUCT = np.dtype(
    [("up", "<u8"), ("parent", "<u8"), ("blocks", "<u8", 2), ("role", "<i4"), ("raw", "<u4")]
)


class _Memory:
    """`count` values of one type at an address, for numpy; nothing is read until it is indexed.

    `step` is from one value to the next, bytes; they may overlap. None: they are side by side.
    """

    def __init__(self, address: int, count: int, kind: str, step: int | None = None) -> None:
        self.__array_interface__ = {
            "data": (address, True),
            "shape": (count,),
            "typestr": kind,
            "strides": None if step is None else (step,),
            "version": 3,
        }


def _gather(addresses: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[Any]:
    """Copy the structures at `addresses`. Behind a structure element they may be odd."""
    base, last = int(addresses.min()), int(addresses.max())
    everywhere = _Memory(base, last - base + 1, f"|V{kind.itemsize}", step=1)
    return np.asarray(everywhere)[addresses - base].view(kind)


def _addresses(text: Any) -> NDArray[np.int64]:
    """int64 (n, 5): addresses of page, structure, block, line, character of each character."""
    found = mupdf.ll_fz_new_buffer_from_flattened_stext_page_outparams()
    buffer = mupdf.ll_fz_new_buffer_from_flattened_stext_page_outparams_fn(
        text.m_internal, KEEP_ALL, found
    )
    utf8 = np.frombuffer(mupdf.ll_fz_buffer_storage_memoryview(buffer, False), np.uint8)
    count = int(np.count_nonzero((utf8 & 0xC0) != 0x80))  # the map has one entry a code point
    del utf8
    mupdf.ll_fz_drop_buffer(buffer)
    if not found.map:
        return np.empty((0, 5), np.int64)
    rows = np.asarray(_Memory(int(found.map.this), count * 5, "<i8")).reshape(-1, 5)
    copied: NDArray[np.int64] = rows[rows[:, 4] != 0]  # spaces and ends that flattening adds: 0
    mupdf.ll_fz_free(found.map)
    return copied


def _numbered(addresses: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number neighbours with the same address; return the numbers and each number's address."""
    new = changes(addresses)
    return np.cumsum(new, dtype=np.int32) - 1, addresses[new]


def _fonts_of(
    address: NDArray[np.int64],
) -> tuple[NDArray[np.int32], list[int], NDArray[np.intp]]:
    """Number the fonts; return the numbers, and address and first character of each."""
    new = changes(address)
    stretch, starts = np.cumsum(new) - 1, np.flatnonzero(new)
    numbers: dict[int, int] = {}  # fonts change rarely: few values are looked at
    number = [numbers.setdefault(each, len(numbers)) for each in address[starts].tolist()]
    first = [number.index(each) for each in range(len(numbers))]
    return np.array(number, np.int32)[stretch], list(numbers), starts[first]


def from_structures(text: Any) -> Characters:
    """Gather the characters from MuPDF's memory."""
    places = _addresses(text)
    if not len(places):
        return no_characters()
    read = _gather(places[:, 4], _CHARACTER)
    line, line_addresses = _numbered(places[:, 3])
    block, _ = _numbered(places[:, 2])
    lines = _gather(line_addresses, _LINE)
    font, pointers, first = _fonts_of(read["font"].astype(np.int64))
    return Characters(
        code=read["code"],
        flags=read["flags"],
        bidi=read["bidi"],
        alpha=(read["argb"] >> 24).astype(np.uint8),
        origin=read["origin"],
        quad=read["quad"],
        size=read["size"],
        font=font,
        line=line,
        block=block,
        direction=lines["direction"],
        vertical=lines["wmode"] != 0,
        fonts=_fonts(text, pointers, places[first]),
    )


# --- blocks and roles


def blocks(text: Any, most: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Kinds, int32 (k,), and boxes, float32 (k, 4), of at most `most` blocks of a text page."""
    addresses = list(islice(_block_addresses(text), most))
    if not addresses:
        return np.empty(0, np.int32), np.empty((0, 4), np.float32)
    found = _gather(np.array(addresses), _BLOCK)
    return found["kind"], found["box"]


def _block_addresses(text: Any) -> Iterator[int]:
    """Yield the addresses of all blocks, also of those inside structure elements."""
    first = text.m_internal.first_block
    lists = [int(first.this)] if first else []
    while lists:
        address = lists.pop()
        while address:
            yield address
            if ctypes.c_int32.from_address(address).value == mupdf.FZ_STEXT_BLOCK_STRUCT:
                element = ctypes.c_uint64.from_address(address + _BLOCK_CONTENT).value
                if element:
                    lists.append(ctypes.c_uint64.from_address(element + _FIRST_BLOCK).value)
            address = ctypes.c_uint64.from_address(address + _NEXT_BLOCK).value


def roles(text: Any) -> Roles:
    """Read which structure element each character is in.

    The role is that of the nearest element that is not inline (a span, a link, emphasis).
    """
    places = _addresses(text)
    if not len(places):
        return Roles(np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 2), np.float32))
    elements, which = np.unique(places[:, 1], return_inverse=True)
    role = np.array([_role(int(at)) for at in elements], np.int32)[which]
    read = _gather(places[:, 4], _CHARACTER)
    return Roles(role, read["code"], read["origin"])


_INLINE = frozenset(range(mupdf.FZ_STRUCTURE_SPAN, mupdf.FZ_STRUCTURE_WP + 1)) - {
    mupdf.FZ_STRUCTURE_NOTE,
    mupdf.FZ_STRUCTURE_CODE,
    mupdf.FZ_STRUCTURE_BIBENTRY,
} | {
    mupdf.FZ_STRUCTURE_SUB,
    mupdf.FZ_STRUCTURE_NONSTRUCT,
    mupdf.FZ_STRUCTURE_INVALID,
}


def _role(address: int) -> int:
    """Return the role of the structure element at `address`, or of what it is in."""
    for _ in range(100):  # a tree is rarely deeper than 20
        if not address:
            return -1
        element = _gather(np.array([address]), _STRUCT)[0]
        if int(element["role"]) not in _INLINE:
            return int(element["role"])
        address = int(element["parent"])
    return -1


# --- fonts

_known_fonts: dict[int, tuple[Font, Any]] = {}  # by address; the font is held, so it stays its own
MOST_FONTS = 1_000


def forget_fonts() -> None:
    """Let go of the fonts of a document that is closed."""
    _known_fonts.clear()


def _fonts(text: Any, pointers: list[int], places: NDArray[np.int64]) -> tuple[Font, ...]:
    """Describe the fonts at `pointers`; the first character of each is at `places`."""
    if len(_known_fonts) > MOST_FONTS:
        forget_fonts()
    missing = {
        pointer: (int(place[2]), int(place[3]), int(place[4]))
        for pointer, place in zip(pointers, places, strict=True)
        if pointer not in _known_fonts
    }
    if missing:
        wanted = set(missing.values())
        for place, character in _walk(text, wanted):
            held = mupdf.FzFont(mupdf.ll_fz_keep_font(character.font))
            for pointer, at in missing.items():
                if at == place:
                    _known_fonts[pointer] = (_describe(held), held)
    return tuple(_known_fonts[pointer][0] for pointer in pointers)


def _walk(text: Any, wanted: set[tuple[int, int, int]]) -> Iterator[tuple[Any, Any]]:
    """Yield the characters at the addresses (block, line, character)."""
    blocks = {place[0] for place in wanted}
    lines = {place[1] for place in wanted}
    for block in walk_blocks(text):
        address = int(block.this)
        if address not in blocks:
            continue
        for line in mupdf.FzStextBlock(block):
            if line.m_internal_value() not in lines:
                continue
            for character in line:
                place = (address, line.m_internal_value(), character.m_internal_value())
                if place in wanted:
                    yield place, character.m_internal


def _describe(font: Any) -> Font:
    name = mupdf.fz_font_name(font)
    return Font(
        name=name,
        bold=bool(mupdf.fz_font_is_bold(font)) or says(name, BOLD_NAMES),
        italic=bool(mupdf.fz_font_is_italic(font)) or says(name, ITALIC_NAMES),
        mono=bool(mupdf.fz_font_is_monospaced(font)) or says(name, MONO_NAMES),
        type3=bool(font.m_internal.t3procs),
    )
