# SPDX-License-Identifier: AGPL-3.0-or-later
"""White space and letters of a text as prefix sums, so that a span is tested without a loop."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Offsets, Spans


@dataclass(frozen=True, slots=True, eq=False)
class CharacterTable:
    """Which of the N characters are white space, a letter or a digit.

    ink: int64 (N + 1,), how many characters before each offset are not white space.
    alnum: int64 (N + 1,), how many characters before each offset are letters or digits.
    next_ink: int64 (N + 1,), the first offset from here on that is not white space; N: none.
    last_ink: int64 (N + 1,), the end of the last character before here that is not; 0: none.
    """

    ink: Offsets
    alnum: Offsets
    next_ink: Offsets
    last_ink: Offsets

    def ink_in(self, spans: Spans) -> Indices:
        """int64 (n,): characters of each span that are not white space."""
        return self.ink[spans[:, 1]] - self.ink[spans[:, 0]]

    def has_alnum(self, spans: Spans) -> Mask:
        """Mask, bool (n,): the span has a letter or digit (`str.isalnum`)."""
        return self.alnum[spans[:, 1]] > self.alnum[spans[:, 0]]

    def stripped(self, spans: Spans) -> Spans:
        """int64 (n, 2): without white space at both ends; one of nothing else ends first."""
        return np.column_stack((self.next_ink[spans[:, 0]], self.last_ink[spans[:, 1]]))


def character_table(text: str) -> CharacterTable:
    """Classify each character once, by Python's own `isspace` and `isalnum`."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    is_ink = ~_by_code(codes, str.isspace)
    places = np.arange(len(codes))
    next_ink = np.full(len(codes) + 1, len(codes), np.int64)
    next_ink[:-1] = np.where(is_ink, places, len(codes))
    last_ink = np.zeros(len(codes) + 1, np.int64)
    last_ink[1:] = np.where(is_ink, places + 1, 0)
    return CharacterTable(
        _counts_before(is_ink),
        _counts_before(_by_code(codes, str.isalnum)),
        np.minimum.accumulate(next_ink[::-1])[::-1],
        np.maximum.accumulate(last_ink),
    )


def _by_code(codes: NDArray[np.uint32], test: Callable[[str], bool]) -> Mask:
    """The test of each character, asked once for each code point that occurs."""
    if not len(codes):
        return np.zeros(0, np.bool_)
    table = np.zeros(int(codes.max()) + 1, np.bool_)
    table[codes] = True
    for code in np.flatnonzero(table).tolist():
        table[code] = test(chr(code))
    return table[codes]


def _counts_before(mask: Mask) -> Offsets:
    return np.concatenate(([0], np.cumsum(mask, dtype=np.int64)))
