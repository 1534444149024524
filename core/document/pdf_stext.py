# SPDX-License-Identifier: AGPL-3.0-or-later
"""The characters of a page as arrays, read from MuPDF's structured text.

PyMuPDF's `rawdict` makes a dictionary for each character, three quarters of the time of an
extraction. Here the characters are gathered with numpy from the C structures instead
(`mupdf/fitz/structured-text.h`, which PyMuPDF ships): `fz_new_buffer_from_flattened_stext_page`
lists the address of every character, line and block, so no address is guessed. The layout of the
structures is checked once against `rawdict` (`structures_are_as_expected`); where it differs, in
another version of MuPDF, `rawdict` is read instead. Both ways give the same arrays.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray
from pymupdf import mupdf

ALL_TEXT_FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES
    | pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
)
TEXT_FLAGS = ALL_TEXT_FLAGS | pymupdf.TEXT_CLIP  # PyMuPDF's default: what the page shows
MARK_FLAGS = ALL_TEXT_FLAGS | pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_COLLECT_VECTORS
MOST_MARKS = 50_000  # of a page: a map may have a million, and nobody needs them
KEEP_ALL = (
    mupdf.FZ_TEXT_FLATTEN_KEEP_LINES
    | mupdf.FZ_TEXT_FLATTEN_KEEP_PARAGRAPHS
    | mupdf.FZ_TEXT_FLATTEN_KEEP_HYPHENS
)
IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
SYNTHETIC, BOLD_CHARACTER, FILLED, STROKED, IS_CID = 4, 8, 16, 32, 128  # of fz_stext_char.flags

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


@dataclass(frozen=True, slots=True)
class Font:
    """What is needed of a font."""

    name: str
    bold: bool
    italic: bool
    mono: bool
    type3: bool


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """The n characters of a text page in file order, m lines; points of the page unrotated."""

    code: NDArray[np.int32]
    flags: NDArray[np.uint16]  # of fz_stext_char
    bidi: NDArray[np.uint16]  # odd: right to left
    alpha: NDArray[np.uint8]  # 0: not visible
    origin: NDArray[np.float32]  # (n, 2)
    quad: NDArray[np.float32]  # (n, 4, 2): upper left, upper right, lower left, lower right
    size: NDArray[np.float32]
    font: NDArray[np.int32]  # index into fonts
    line: NDArray[np.int32]  # index of the line
    block: NDArray[np.int32]  # index of the block
    direction: NDArray[np.float32]  # (m, 2), of the lines
    vertical: NDArray[np.bool_]  # (m,), of the lines
    fonts: tuple[Font, ...]

    def __len__(self) -> int:
        return len(self.code)

    def take(self, which: NDArray[np.intp]) -> "Characters":
        """Return some of the characters; lines and fonts keep their numbers."""
        of_lines = ("direction", "vertical", "fonts")
        names = [field.name for field in fields(self) if field.name not in of_lines]
        return replace(self, **{name: getattr(self, name)[which] for name in names})


@dataclass(frozen=True, slots=True)
class Sheet:
    """A loaded page and its two frames: unrotated, as text is read, and as shown."""

    page: Any
    to_raw: Any  # matrix from the page as shown
    to_display: tuple[float, ...]  # matrix to the page as shown
    width: float  # points, as shown
    height: float
    rotation: int  # degrees clockwise


def sheet_of(page: Any) -> Sheet:
    """Measure a page once: PyMuPDF looks up rotation and boxes at each call."""
    fz_page = page.this if isinstance(page.this, mupdf.FzPage) else page.this.super()
    shown, rotation = mupdf.fz_bound_page(fz_page), int(page.rotation)
    return Sheet(
        page=fz_page,
        to_raw=mupdf.FzMatrix(*page.derotation_matrix) if rotation else mupdf.FzMatrix(),
        to_display=tuple(page.rotation_matrix) if rotation else IDENTITY,
        width=shown.x1 - shown.x0,
        height=shown.y1 - shown.y0,
        rotation=rotation,
    )


def text_page(sheet: Sheet, flags: int = TEXT_FLAGS, *, annotations: bool = False) -> Any:
    """Run a page's own marks and form fields into structured text, or what annotations draw.

    Each run interprets the page anew: a display list, which could be run twice, loses text that
    is only spaces. Without other flags no image is looked at.
    """
    shown = mupdf.FzRect(0, 0, sheet.width, sheet.height)
    text = mupdf.FzStextPage(mupdf.fz_transform_rect(shown, sheet.to_raw))
    options = mupdf.FzStextOptions()
    options.flags = flags
    device = mupdf.fz_new_stext_device(text, options)
    if annotations:
        mupdf.fz_run_page_annots(sheet.page, device, sheet.to_raw, mupdf.FzCookie())
    else:
        mupdf.fz_run_page_contents(sheet.page, device, sheet.to_raw, mupdf.FzCookie())
        mupdf.fz_run_page_widgets(sheet.page, device, sheet.to_raw, mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return text


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """The roles of n characters in the tags, and where these are (unrotated page)."""

    role: NDArray[np.int32]  # MuPDF's number; −1 without
    code: NDArray[np.int32]
    origin: NDArray[np.float32]  # (n, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What else is drawn: boxes of pictures and of vector graphics, float32 (k, 4), unrotated.

    `characters` counts all characters but spaces, with those that the page does not show.
    """

    pictures: NDArray[np.float32]
    vectors: NDArray[np.float32]
    characters: int
    roles: Roles | None = None


def read_marks(sheet: Sheet, *, tagged: bool = False) -> Marks:
    """Find all marks of a page, and with `tagged` the roles of its characters.

    No picture is decoded. The tags bring the characters in another order.
    """
    structure = pymupdf.TEXT_COLLECT_STRUCTURE if tagged else 0
    text = text_page(sheet, MARK_FLAGS | structure)
    kind, box = _blocks(text)
    return Marks(
        pictures=box[kind == mupdf.FZ_STEXT_BLOCK_IMAGE],
        vectors=box[kind == mupdf.FZ_STEXT_BLOCK_VECTOR],
        characters=_count_characters(text),
        roles=_roles(text) if tagged and structures_are_as_expected() else None,
    )


def _blocks(text: Any) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Kinds, int32 (k,), and boxes, float32 (k, 4), of the blocks of a text page."""
    if structures_are_as_expected():
        addresses = list(islice(_block_addresses(text), MOST_MARKS))
        if not addresses:
            return np.empty(0, np.int32), np.empty((0, 4), np.float32)
        blocks = _gather(np.array(addresses), _BLOCK)
        return blocks["kind"], blocks["box"]
    found = [
        (block.type, block.bbox.x0, block.bbox.y0, block.bbox.x1, block.bbox.y1)
        for block in islice(_walk_blocks(text), MOST_MARKS)
    ]
    table = np.array(found, np.float32).reshape(-1, 5)
    return table[:, 0].astype(np.int32), table[:, 1:]


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


def _walk_blocks(text: Any) -> Iterator[Any]:
    """Yield all blocks, also those inside structure elements."""
    position = mupdf.ll_fz_stext_page_block_iterator_begin_dfs(text.m_internal)
    while not mupdf.ll_fz_stext_page_block_iterator_eod_dfs(position):
        yield position.block
        position = mupdf.ll_fz_stext_page_block_iterator_next_dfs(position)


def _roles(text: Any) -> Roles:
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


def _count_characters(text: Any) -> int:
    """Count the characters of a text page that are not spaces or controls."""
    buffer = mupdf.ll_fz_new_buffer_from_stext_page(text.m_internal)
    utf8 = np.frombuffer(mupdf.ll_fz_buffer_storage_memoryview(buffer, False), np.uint8)
    count = int(np.count_nonzero(((utf8 & 0xC0) != 0x80) & (utf8 > 0x20)))
    del utf8
    mupdf.ll_fz_drop_buffer(buffer)
    return count


def read_characters(text: Any) -> Characters:
    """Read all characters of a text page, by the quick way if it is known to be right."""
    return from_structures(text) if structures_are_as_expected() else from_dictionaries(text)


# --- the quick way -----------------------------------------------------------------------------


class _Memory:
    """`count` values of one type at an address, for numpy; nothing is read until it is indexed."""

    def __init__(self, address: int, count: int, kind: str) -> None:
        self.__array_interface__ = {
            "data": (address, True),
            "shape": (count,),
            "typestr": kind,
            "version": 3,
        }


def _gather(addresses: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[Any]:
    """Copy the structures at `addresses`; addresses and size are multiples of 8 bytes."""
    size = kind.itemsize
    base, last = int(addresses.min()), int(addresses.max())
    words = np.asarray(_Memory(base, (last + size - base) // 8, "<i8"))
    index = ((addresses - base) >> 3)[:, None] + np.arange(size // 8)
    rows: NDArray[np.int64] = words[index]
    return rows.view(kind)[:, 0]


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


def changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Say where a value differs from the one before, bool (n,); the first always does."""
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def _numbered(addresses: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number neighbours with the same address; return the numbers and each number's address."""
    new = changes(addresses)
    return np.cumsum(new, dtype=np.int32) - 1, addresses[new]


def _fonts_of(
    address: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.intp]]:
    """Number the fonts; return the numbers, and address and first character of each."""
    stretch, addresses = _numbered(address)  # fonts change rarely: few values are sorted
    pointers, first, number = np.unique(addresses, return_index=True, return_inverse=True)
    starts = np.flatnonzero(changes(stretch))
    return number.astype(np.int32)[stretch], pointers, starts[first]


def from_structures(text: Any) -> Characters:
    """Gather the characters from MuPDF's memory."""
    places = _addresses(text)
    if not len(places):
        return _no_characters()
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
        fonts=_fonts(text, pointers.tolist(), places[first]),
    )


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


# --- fonts -------------------------------------------------------------------------------------

_known_fonts: dict[int, tuple[Font, Any]] = {}  # by address; the font is held, so it stays its own
BOLD_NAMES = ("bold", "black", "heavy", "demi")
ITALIC_NAMES = ("italic", "oblique")
MONO_NAMES = ("courier", "mono", "typewriter", "consol", "cmtt")
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
    for block in _walk_blocks(text):
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
        bold=bool(mupdf.fz_font_is_bold(font)) or _says(name, BOLD_NAMES),
        italic=bool(mupdf.fz_font_is_italic(font)) or _says(name, ITALIC_NAMES),
        mono=bool(mupdf.fz_font_is_monospaced(font)) or _says(name, MONO_NAMES),
        type3=bool(font.m_internal.t3procs),
    )


def _says(name: str, words: tuple[str, ...]) -> bool:
    """Whether a font's name says what its flags may not."""
    folded = name.lower()
    return any(word in folded for word in words)


# --- the plain way -----------------------------------------------------------------------------


def _no_characters() -> Characters:
    none = np.empty(0, np.int32)
    reals = np.empty((0, 2), np.float32)
    return Characters(
        code=none,
        flags=none.astype(np.uint16),
        bidi=none.astype(np.uint16),
        alpha=none.astype(np.uint8),
        origin=reals,
        quad=np.empty((0, 4, 2), np.float32),
        size=np.empty(0, np.float32),
        font=none,
        line=none,
        block=none,
        direction=reals,
        vertical=np.empty(0, np.bool_),
        fonts=(),
    )


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
        return _no_characters()
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
        bold=bool(flags & pymupdf.TEXT_FONT_BOLD) or _says(span["font"], BOLD_NAMES),
        italic=bool(flags & pymupdf.TEXT_FONT_ITALIC) or _says(span["font"], ITALIC_NAMES),
        mono=bool(flags & pymupdf.TEXT_FONT_MONOSPACED) or _says(span["font"], MONO_NAMES),
        type3=False,
    )


@cache
def structures_are_as_expected() -> bool:
    """Compare both ways once on a page made here; any difference forbids the quick way."""
    document = pymupdf.open()
    page = document.new_page(width=200, height=100)
    page.insert_text((20, 40), "Quick brown", fontname="helv", fontsize=11)
    page.insert_text((20, 60), "fox \u2014 \u00e9t\u00e9", fontname="tibo", fontsize=7)
    text = text_page(sheet_of(page))
    if pymupdf.mupdf_version_tuple[:2] != (1, 28):
        return False
    quick, plain = from_structures(text), from_dictionaries(text)
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
