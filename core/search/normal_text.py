# SPDX-License-Identifier: AGPL-3.0-or-later
"""Text without its accidents: for finding a quote again and for near-duplicates.

`spec/evaluation.md` 2, step 4: NFKC, no invisible characters, hyphens at line ends undone, one
kind of quotes and dashes, single spaces, case folded.
"""

import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from core.arrays import Offsets

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2039\u203a"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_DASHES = "".join(map(chr, range(0x2010, 0x2016))) + "\u2212"
_TABLE = str.maketrans(
    {
        **dict.fromkeys(_INVISIBLE),
        **dict.fromkeys(_SINGLE_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_DASHES, "-"),
    }
)
_LINE_END_HYPHEN = re.compile(r"-(?:\r\n|[\n\r\u2028\u2029\x85])(?=[^\W\d_])")
_SPACE = re.compile(r"\s+")
_RUN = re.compile(rf"(?P<break>{_LINE_END_HYPHEN.pattern})|\s+|[^\s-]+|-")
_JAMO = range(0x1160, 0x1200)  # vowels and finals, which join the consonant before them


@dataclass(frozen=True, slots=True, eq=False)
class NormalText:
    """A normalised text, and where each of its characters comes from.

    origins: int64 (n + 1,): offset in the original of each character; last, its length.
    """

    text: str
    origins: Offsets

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that a non-empty span of the normalised text comes from."""
        return int(self.origins[start]), int(self.origins[end])


def normalised(text: str) -> str:
    """The normalised text alone: quick, for whole corpora."""
    plain = unicodedata.normalize("NFKC", text).translate(_TABLE)
    plain = _LINE_END_HYPHEN.sub(_joined, plain)
    return _SPACE.sub(" ", plain).casefold()


def normal_text(text: str) -> NormalText:
    """The normalised text with the origin of each character."""
    characters, origins = _composed(text)
    plain = "".join(characters)
    kept: list[str] = []
    places: list[int] = []
    for match in _RUN.finditer(plain):
        if match[0].isspace():
            run = " "
        elif match["break"]:
            run = "" if plain[match.end()].islower() else "- "
        else:
            run = match[0]
        for index, character in zip(_indices(match), run, strict=False):
            folded = character.casefold()
            kept.append(folded)
            places += [origins[index]] * len(folded)
    return NormalText("".join(kept), np.array([*places, len(text)], np.int64))


def _indices(match: re.Match[str]) -> range:
    return range(match.start(), match.end())


def _joined(match: re.Match[str]) -> str:
    """Nothing for a hyphen inside a word that a line break parts, else the match itself."""
    return "" if match.string[match.end()].islower() else match[0]


def _composed(text: str) -> tuple[list[str], list[int]]:
    """The characters after NFKC and the table, with the offset of the cluster of each."""
    characters: list[str] = []
    origins: list[int] = []
    start, n = 0, len(text)
    while start < n:
        end = start + 1
        while end < n and (unicodedata.combining(text[end]) or ord(text[end]) in _JAMO):
            end += 1
        for character in unicodedata.normalize("NFKC", text[start:end]).translate(_TABLE):
            characters.append(character)
            origins.append(start)
        start = end
    return characters, origins
