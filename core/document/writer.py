# SPDX-License-Identifier: AGPL-3.0-or-later
"""Writes the text of a document as ranges of glyphs and literals, and gathers both at the end.

Glyphs are never touched one by one: the writer keeps half-open ranges of the glyphs of all pages,
laid end to end, and one pass of numpy makes the text and its geometry from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class GlyphTable:
    """The g glyphs of all pages: code points, line (−1: none), start and end on that line."""

    codes: NDArray[np.int32]
    line: NDArray[np.int32]
    start: NDArray[np.float32]
    end: NDArray[np.float32]


@dataclass(slots=True, eq=False)
class TextWriter:
    """Collects ranges of glyphs and literal text in order; knows the offset it has reached."""

    glyphs: GlyphTable
    offset: int = 0
    _begins: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)
    _literals: dict[str, int] = field(default_factory=dict)
    _literal_length: int = 0

    def add_glyphs(self, begin: int, end: int) -> None:
        """Append the glyphs [begin, end)."""
        if end > begin:
            self._begins.append(begin)
            self._ends.append(end)
            self.offset += end - begin

    def swallow(self, kept: int, cut: int) -> None:
        """Let the glyph `kept` cover the place of the glyph `cut`, which is not in the text.

        So the box of a word broken at a line end covers the hyphen that the page shows.
        """
        table = self.glyphs
        if table.line[kept] == table.line[cut] >= 0:
            table.start[kept] = min(table.start[kept], table.start[cut])
            table.end[kept] = max(table.end[kept], table.end[cut])

    def add_literal(self, text: str) -> None:
        """Append characters that no glyph made."""
        if not text:
            return
        place = self._literals.get(text)
        if place is None:
            place = self._literals[text] = self._literal_length
            self._literal_length += len(text)
        begin = len(self.glyphs.codes) + place
        self._begins.append(begin)
        self._ends.append(begin + len(text))
        self.offset += len(text)

    def gather(self) -> tuple[str, GlyphTable]:
        """Return the text and, for each of its characters, line, start and end."""
        literal = "".join(self._literals)
        none = np.full(len(literal), -1, np.int32)
        zeros = np.zeros(len(literal), np.float32)
        source = _ranges(self._begins, self._ends)
        codes = np.concatenate((self.glyphs.codes, _codes(literal)))[source]
        table = GlyphTable(
            codes=codes,
            line=np.concatenate((self.glyphs.line, none))[source],
            start=np.concatenate((self.glyphs.start, zeros))[source],
            end=np.concatenate((self.glyphs.end, zeros))[source],
        )
        return codes.astype("<u4").tobytes().decode("utf-32-le"), table


def _codes(text: str) -> NDArray[np.int32]:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int32)


def _ranges(begins: Sequence[int], ends: Sequence[int]) -> NDArray[np.int64]:
    """Return the numbers of the half-open ranges, one after the other."""
    first, last = np.array(begins, np.int64), np.array(ends, np.int64)
    lengths = last - first
    before = np.cumsum(lengths) - lengths
    numbers: NDArray[np.int64] = np.arange(int(lengths.sum()))
    numbers += np.repeat(first - before, lengths)
    return numbers
