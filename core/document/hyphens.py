# SPDX-License-Identifier: AGPL-3.0-or-later
"""How two lines of a paragraph are joined: hyphens at line ends, scripts without spaces.

A hyphen at a line end stays when the compound stands unbroken elsewhere in the document and the
joined word does not; otherwise it goes.
"""

import re
from collections.abc import Iterable

HYPHENS = "-‐\u00ad"
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:[-‐][^\W\d_]+)*)[-‐\u00ad]$")
_FIRST = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
# "short- and long-term": the hyphen stands for a part that comes later
_HANGING = frozenset({"and", "or", "to", "und", "oder", "bzw", "et", "ou", "y", "o", "e"})


def collect_words(lines: Iterable[str]) -> frozenset[str]:
    """Return the words and compounds that stand unbroken on the lines, in lower case."""
    return frozenset(_WORD.findall("\n".join(lines).lower()))


def join_lines(before: str, after: str, words: frozenset[str]) -> tuple[int, str]:
    """Say how the line `after` follows the line `before` in one paragraph.

    Returns:
        How many characters to take from the end of `before` (0 or 1), and what stands between
        the two: nothing or a space.
    """
    if not before or not after:
        return 0, ""
    if before[-1] in HYPHENS:
        return _resolve_hyphen(before, after, words)
    if is_spaceless(before[-1]) and is_spaceless(after[0]):
        return 0, ""
    if before[-1] in "—–/" and len(before) > 1 and not before[-2].isspace():
        return 0, ""
    return 0, " "


def _resolve_hyphen(before: str, after: str, words: frozenset[str]) -> tuple[int, str]:
    """Say what becomes of the hyphen at the end of `before`; as `join_lines`."""
    if before[-1] == "\u00ad":
        return 1, ""
    last, first = _LAST.search(before), _FIRST.match(after)
    if last is None:
        return 0, " " if len(before) > 1 and before[-2].isspace() else ""
    if first is None:
        return 0, ""
    if first[0].lower() in _HANGING:
        return 0, " "
    return (0, "") if _is_compound(last[1], first[0], words) else (1, "")


def _is_compound(last: str, first: str, words: frozenset[str]) -> bool:
    """Say whether the hyphen between two parts belongs to the word."""
    if (last + first).lower() in words:
        return False
    capital = first[0].isupper() and not last.isupper()
    return capital or f"{last}-{first}".lower() in words


def is_spaceless(character: str) -> bool:
    """Say whether `character` belongs to a script that is written without spaces.

    Han, kana, their punctuation and full-width forms; Hangul has spaces.
    """
    code = ord(character)
    return (
        0x2E80 <= code <= 0x312F
        or 0x3190 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF00 <= code <= 0xFFEF
        or 0x20000 <= code <= 0x3FFFF
    )
