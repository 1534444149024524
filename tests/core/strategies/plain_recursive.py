# SPDX-License-Identifier: AGPL-3.0-or-later
"""The plain recursive form of `spec/strategies.md` 3.10: the definition that RC must equal."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Length = Callable[[str], int]
Span = tuple[int, int]


def plain_recursive(
    text: str,
    separators: Sequence[str],
    *,
    size: int,
    overlap: int,
    length: Length = len,
    is_pattern: bool = False,
) -> list[Span]:
    """The chunks of `text`; the separators are literals unless `is_pattern`."""
    if not text:
        return []
    plain = _Plain(text, size, overlap, length, is_pattern, [])
    plain.split(0, len(text), list(separators))
    return plain.out


@dataclass
class _Plain:
    text: str
    size: int
    overlap: int
    length: Length
    is_pattern: bool
    out: list[Span]

    def split(self, a, b, separators):
        chosen, rest = separators[-1], []
        for number, separator in enumerate(separators):
            if separator == "" or self.matches(a, b, separator):
                chosen = separator
                rest = separators[number + 1 :] if separator else []
                break
        cuts = range(a + 1, b) if chosen == "" else self.matches(a, b, chosen)
        good: list[Span] = []
        for span in pairwise(sorted({a, b, *cuts})):
            if self.measure(span) < self.size:
                good.append(span)
                continue
            self.merge(good)
            good = []
            if rest:
                self.split(*span, rest)
            else:
                self.out.append(span)
        self.merge(good)

    def matches(self, a, b, separator):
        expression = separator if self.is_pattern else re.escape(separator)
        return [a + match.start() for match in re.finditer(expression, self.text[a:b])]

    def measure(self, span):
        return self.length(self.text[slice(*span)])

    def merge(self, pieces):
        current: list[Span] = []
        total = 0
        for piece in pieces:
            n = self.measure(piece)
            if total + n > self.size and current:
                self.emit(current)
                while total > self.overlap or (total + n > self.size and total > 0):
                    total -= self.measure(current.pop(0))
            current.append(piece)
            total += n
        if current:
            self.emit(current)

    def emit(self, pieces):
        a, b = pieces[0][0], pieces[-1][1]
        piece = self.text[a:b]
        start, end = a + len(piece) - len(piece.lstrip()), b - len(piece) + len(piece.rstrip())
        if start < end:
            self.out.append((start, end))
