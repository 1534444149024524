# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where a quote stands in a text, whatever was done to its spaces, hyphens and quote marks.

Letters and digits alone are compared (after NFKC and case folding), so a quote is found in
text that was joined or divided at line ends; the span found is then widened over the
punctuation with which the quote begins and ends.
"""

from __future__ import annotations

import unicodedata

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_QUOTES = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}


class Haystack:
    """A text prepared for finding quotes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._key, self._offsets = _letters(text)

    def find(self, quote: str) -> tuple[int, int]:
        """The one span of `quote`, half-open, in code points of the text.

        Raises:
            LookupError: the quote stands nowhere, or more than once.
        """
        needle, _ = _letters(quote)
        if not needle:
            raise LookupError(f"quote {quote!r} has no letter or digit: quote some words")
        at = self._key.find(needle)
        if at < 0:
            raise LookupError(f"quote is not in the text: {quote!r}; copy it from the document")
        if (again := self._key.find(needle, at + 1)) >= 0:
            raise LookupError(
                f"quote stands at {self._offsets[at]} and at {self._offsets[again]}: {quote!r}; "
                "lengthen it until it is unique"
            )
        start, end = self._offsets[at], self._offsets[at + len(needle) - 1] + 1
        return self._widen(quote, start, end)

    def _widen(self, quote: str, start: int, end: int) -> tuple[int, int]:
        lead = quote[: next(i for i, char in enumerate(quote) if char.isalnum())]
        tail = quote[max(i for i, char in enumerate(quote) if char.isalnum()) + 1 :]
        for char in reversed(lead):
            if start > 0 and _same(self.text[start - 1], char):
                start -= 1
        for char in tail:
            if end < len(self.text) and _same(self.text[end], char):
                end += 1
        return start, end


def _letters(text: str) -> tuple[str, list[int]]:
    """Folded letters and digits of a text, and the offset of each."""
    key: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text):
        for folded in unicodedata.normalize("NFKC", char).casefold():
            if folded.isalnum():
                key.append(folded)
                offsets.append(offset)
    return "".join(key), offsets


def _same(first: str, second: str) -> bool:
    table = _DASHES | _QUOTES
    return first.translate(table) == second.translate(table)
