# SPDX-License-Identifier: AGPL-3.0-or-later
"""The plain forms of `spec/metrics.md` 15 and 16: what STM and REG must equal."""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from core.strategies.separator_search import PAPER_SEPARATORS

Span = tuple[int, int]
DEFAULT_SEPARATORS = (r"\n\n", r"\n", " ", "")


@dataclass(frozen=True)
class Plain:
    text: str
    length: Callable[[str], int]
    separators: tuple[str, ...] = PAPER_SEPARATORS
    attach: str = "start"
    backward: bool = False

    def n(self, span: Span) -> int:
        return self.length(self.text[slice(*span)])

    def split(self, span: Span, most: int, level: int = 0) -> list[Span]:
        a, b = span
        if a == b:
            return []
        if self.n(span) <= most:
            return [span]
        separator = self.separators[level] if level < len(self.separators) else ""
        if separator == "":
            return self.characters(span, most)
        out = []
        for piece in self.joined(self.cut(span, separator)):
            if self.n(piece) <= most:
                out.append(piece)
            else:
                out += self.split(piece, most, level + 1)
        return out

    def cut(self, span: Span, separator: str) -> list[Span]:
        a, b = span
        edges = [a]
        for match in re.finditer(separator, self.text[a:b]):
            edges.append(a + (match.start() if self.attach == "start" else match.end()))
        edges.append(b)
        return [(x, y) for x, y in itertools.pairwise(edges) if x < y]

    def joined(self, pieces: list[Span]) -> list[Span]:
        pieces = list(pieces)
        at = 0 if self.attach == "start" else 1
        while at < len(pieces):
            a, b = pieces[at]
            if self.attach == "start" and b - a < 10 and at + 1 < len(pieces):
                pieces[at : at + 2] = [(a, pieces[at + 1][1])]
            elif self.attach == "end" and b - a < 10:
                pieces[at - 1 : at + 1] = [(pieces[at - 1][0], b)]
            else:
                at += 1
        return pieces

    def characters(self, span: Span, most: int) -> list[Span]:
        a, b = span
        out = []
        while a < b:
            low, high, best = 0, b - a, 0
            while low <= high:
                middle = (low + high) // 2
                if self.n((a, a + middle)) <= most:
                    best, low = middle, middle + 1
                else:
                    high = middle - 1
            out.append((a, a + max(best, 1)))
            a = out[-1][1]
        return out

    def hull(self, parts: list[Span]) -> Span:
        return min(a for a, _ in parts), max(b for _, b in parts)

    def tail(self, parts: list[Span], overlap: int) -> list[Span]:
        taken, k = [], 0
        if overlap == 0:
            return []
        for i, part in enumerate(reversed(parts)):
            n = self.n(part)
            if n > overlap and (i == 0 or k < overlap // 2):
                if overlap - k < 1:
                    return taken
                pieces = self.split(part, overlap - k)
                for piece in pieces if self.backward else reversed(pieces):
                    if k + self.n(piece) > overlap:
                        break
                    taken.insert(0, piece)
                    k += self.n(piece)
                return taken
            if k + n > overlap:
                break
            taken.insert(0, part)
            k += n
        return taken

    def to_chunk_size(self, pieces: list[Span], most: int, overlap: int) -> list[Span]:
        out, current, total = [], [], 0
        for piece in pieces:
            n = self.n(piece)
            if current and total + n > most:
                out.append(self.hull(current))
                current = [*self.tail(current, overlap), piece]
                total = self.n(self.hull(current))
            else:
                current.append(piece)
                total += n
        return [*out, self.hull(current)] if current else out

    def small_only(self, pieces: list[Span], least: int, most: int, overlap: int) -> list[Span]:
        if len(pieces) == 1:
            return pieces
        groups = [[piece] for piece in pieces]

        def size(i):
            return sum(self.n(piece) for piece in groups[i])

        changed = True
        while changed:
            changed, i = False, 0
            while i < len(groups):
                if size(i) >= least:
                    i += 1
                elif i + 1 < len(groups) and size(i) + size(i + 1) <= most:
                    groups[i : i + 2] = [groups[i] + groups[i + 1]]
                    changed = True
                elif i > 0 and size(i - 1) + size(i) <= most:
                    groups[i - 1 : i + 1] = [groups[i - 1] + groups[i]]
                    changed = True
                else:
                    i += 1
        out, kept = [], []
        for group in groups:
            parts = [*kept, *group]
            out.append(self.hull(parts))
            kept = self.tail(parts, overlap)
        return out


def plain_split_merge(text: str, length, params: dict) -> list[Span]:
    names = {"paper": PAPER_SEPARATORS, "default": DEFAULT_SEPARATORS}
    backward = params["order"] == "backward"
    plain = Plain(text, length, names[params["separators"]], params["attach"], backward)
    size, overlap = params["size"], params["overlap"]
    most = size - overlap if params["size_rule"] == "chunk_size" else size
    pieces = plain.split((0, len(text)), most)
    if backward:
        pieces.reverse()
    if not pieces:
        return []
    if params["merging"] == "to_chunk_size":
        out = plain.to_chunk_size(pieces, most, overlap)
    else:
        out = plain.small_only(pieces, params["min_tokens"], most, overlap)
    return out[::-1] if backward else out


def plain_regularise(
    text: str, spans: list[Span], length, *, largest: int, least: int, merged_max: int, toward: str
) -> list[Span]:
    plain = Plain(text, length)
    items: list[Span] = []
    for a, b in spans:
        if plain.n((a, b)) > largest:
            own = Plain(text[a:b], length)
            parts = own.to_chunk_size(own.split((0, b - a), largest), largest, 0)
            items += [(a + x, a + y) for x, y in parts]
        else:
            items.append((a, b))
    items = _filled(items, len(text))
    changed = len(items) > 1
    while changed:
        changed, i = False, 0
        while i < len(items):
            n = plain.n(items[i])
            if n >= least:
                i += 1
                continue
            for side in (1, -1) if toward == "next" else (-1, 1):
                other = i + side
                if 0 <= other < len(items) and n + plain.n(items[other]) <= merged_max:
                    first = min(i, other)
                    items[first : first + 2] = [plain.hull(items[first : first + 2])]
                    changed = True
                    break
            else:
                i += 1
                continue
            i = min(i, first + 1) if side == -1 else i
    return _filled(items, len(text))


def _filled(items: list[Span], end: int) -> list[Span]:
    covered, out = 0, []
    for a, b in items:
        out.append((min(a, covered), b))
        covered = max(covered, b)
    if out and covered < end:
        out[-1] = (out[-1][0], end)
    return out
