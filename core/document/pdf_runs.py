# SPDX-License-Identifier: AGPL-3.0-or-later
"""Runs: neighbouring characters of one line, font, size, style and role, and how tall they are."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.document.pdf_characters import (
    BOLD_CHARACTER,
    FILLED,
    STROKED,
    SYNTHETIC,
    Characters,
    Font,
    changes,
)
from core.document.pdf_sheet import IDENTITY
from core.document.pdf_structure import ROLE_NAMES
from core.document.raw import BOLD, INVISIBLE, ITALIC, MONO, SUPERSCRIPT, VERTICAL, Runs

Real = NDArray[np.float32]
ORDINARY_ASCENT, ORDINARY_DESCENT = 0.8, 0.2  # em
SMALLER, RAISED = 0.9, 0.1  # a superscript against the largest character of its line, in its size


def sort_into_runs(
    found: Characters, direction: Real, roles: NDArray[np.int32], matrix: tuple[float, ...]
) -> tuple[NDArray[np.int32], Runs]:
    """Return the run of each of n characters, int32 (n,), and the runs in the display frame.

    Args:
        found: the characters, at least one.
        direction: float32 (n, 2), of each character's line.
        roles: int32 (n,), MuPDF's number of the role in the tags, −1 without.
        matrix: from the unrotated page to the page as shown.
    """
    style = _style(found, direction)
    new = _starts_of_runs(found, style, roles)
    run = np.cumsum(new, dtype=np.int32) - 1
    first = np.flatnonzero(new)
    top, bottom = _extent_across(found, direction)
    x, y = to_display(found.origin[first], matrix).T.copy()
    a, b, c, d, _, _ = matrix
    dx, dy = to_display(direction[first], (a, b, c, d, 0, 0)).T.copy()
    runs = Runs(
        line=found.line[first],
        block=found.block[first],
        x=x,
        y=y,
        dx=dx,
        dy=dy,
        size=found.size[first],
        ascent=np.maximum(np.maximum.reduceat(top, first), 0),
        descent=np.maximum(-np.minimum.reduceat(bottom, first), 0),
        flags=style[first],
        font=tuple(found.fonts[font].name for font in found.font[first].tolist()),
        tag=tuple(ROLE_NAMES.get(role, "") for role in roles[first].tolist()),
    )
    return run, runs


def to_display(points: Real, matrix: tuple[float, ...]) -> Real:
    """Points (…, 2) of the unrotated page in the display frame."""
    if matrix == IDENTITY:
        return points
    a, b, c, d, e, f = matrix
    x, y = points[..., 0], points[..., 1]
    moved: Real = np.stack([a * x + c * y + e, b * x + d * y + f], axis=-1).astype(np.float32)
    return moved


def along(points: Real, directions: Real) -> Real:
    """(n,) of (n, 2) and (n, 2): how far each point lies along its direction."""
    far: Real = points[:, 0] * directions[:, 0] + points[:, 1] * directions[:, 1]
    return far


# --- style -------------------------------------------------------------------------------------


def _style(found: Characters, direction: Real) -> NDArray[np.int32]:
    """Flags (BOLD, ITALIC, …) of the characters."""
    of_fonts = np.array([_font_style(font) for font in found.fonts], np.int32)
    style: NDArray[np.int32] = of_fonts[found.font]
    style |= _style_of_flags()[found.flags & (BOLD_CHARACTER | FILLED | STROKED | SYNTHETIC)]
    if not found.alpha.all():
        style[(found.alpha == 0) & ((found.flags & SYNTHETIC) == 0)] |= INVISIBLE
    if found.vertical.any():
        style[found.vertical[found.line]] |= VERTICAL
    style[_raised(found, direction)] |= SUPERSCRIPT
    return style


@cache
def _style_of_flags() -> NDArray[np.int32]:
    """What each value of the characters' flags means; an inferred space needs no ink."""
    values = np.arange(64)
    drawn = (values & (FILLED | STROKED | SYNTHETIC)) != 0
    style = np.where(values & BOLD_CHARACTER, BOLD, 0) | np.where(drawn, 0, INVISIBLE)
    found: NDArray[np.int32] = style.astype(np.int32)
    return found


def _font_style(font: Font) -> int:
    return BOLD * font.bold | ITALIC * font.italic | MONO * font.mono


def _raised(found: Characters, direction: Real) -> NDArray[np.intp]:
    """Which characters are smaller than the largest of their line, and stand above its baseline."""
    new = changes(found.line)
    which = np.cumsum(new) - 1
    size = np.where(found.code > 0x20, found.size, 0)  # a space may be of any size
    largest = np.maximum.reduceat(size, np.flatnonzero(new))[which]
    smaller: NDArray[np.intp] = np.flatnonzero((size < SMALLER * largest) & (size > 0))
    if not len(smaller):
        return smaller
    of_largest = np.flatnonzero(size >= 0.99 * largest)
    base = of_largest[np.searchsorted(which[of_largest], which[smaller])]
    above = _above(found.origin[smaller] - found.origin[base], direction[smaller])
    raised: NDArray[np.intp] = smaller[above > RAISED * largest[smaller]]
    return raised


def _above(moved: Real, direction: Real) -> Real:
    """(n,): how far vectors (n, 2) go to the left of their direction, which is up in a line."""
    up: Real = moved[:, 0] * direction[:, 1] - moved[:, 1] * direction[:, 0]
    return up


def _starts_of_runs(
    found: Characters, style: NDArray[np.int32], roles: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Where line, font, size, style or role differ from the character before."""
    key = found.line.astype(np.int64) * len(found.fonts) + found.font
    key = ((key << 6) + style << 8) + roles
    return changes(key) | changes(found.size)


# --- height ------------------------------------------------------------------------------------


def _extent_across(found: Characters, direction: Real) -> tuple[Real, Real]:
    """How far each character reaches to the left of its direction, and (below 0) to the right.

    A glyph without height, as an OCR layer may have, gets that of an ordinary font.
    """
    upper = _above(found.quad[:, 0] - found.origin, direction)
    lower = _above(found.quad[:, 3] - found.origin, direction)
    top, bottom = np.maximum(upper, lower), np.minimum(upper, lower)
    flat = top - bottom < 0.1 * found.size
    if flat.any():
        top = np.where(flat, ORDINARY_ASCENT * found.size, top)
        bottom = np.where(flat, -ORDINARY_DESCENT * found.size, bottom)
    return top, bottom
