# SPDX-License-Identifier: AGPL-3.0-or-later
"""The characters of a page as MuPDF has them, before anything is cleaned: values only."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

SYNTHETIC, BOLD_CHARACTER, FILLED, STROKED, IS_CID = 4, 8, 16, 32, 128  # of fz_stext_char.flags

BOLD_NAMES = ("bold", "black", "heavy", "demi")
ITALIC_NAMES = ("italic", "oblique")
MONO_NAMES = ("courier", "mono", "typewriter", "consol", "cmtt")


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
        """Return the characters at `which`, int64 (k,); lines and fonts keep their numbers."""
        of_lines = ("direction", "vertical", "fonts")
        names = [field.name for field in fields(self) if field.name not in of_lines]
        return replace(self, **{name: getattr(self, name)[which] for name in names})


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """The roles of n characters in the tags, and where these are (unrotated page)."""

    role: NDArray[np.int32]  # MuPDF's number; −1 without
    code: NDArray[np.int32]
    origin: NDArray[np.float32]  # (n, 2)


def no_characters() -> Characters:
    """Return the characters of a page without text."""
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


def changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Say where a value differs from the one before, bool (n,); the first always does."""
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def says(name: str, words: tuple[str, ...]) -> bool:
    """Whether a font's name says what its flags may not."""
    folded = name.lower()
    return any(word in folded for word in words)
