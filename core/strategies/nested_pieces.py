# SPDX-License-Identifier: AGPL-3.0-or-later
"""Nested pieces: a text cut at one separator, the pieces at the next, and so on.

The pieces of a level do not depend on any size, so they are found once; a strategy then only
decides which pieces it goes into. Lengths in characters are known from the edges; lengths in
tokens are counted when a piece is first asked for, and kept.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np

from core.arrays import Indices, Mask, Offsets
from core.strategies.ascii_view import Codes, ascii_bytes
from core.strategies.ranges import ranges
from core.strategies.span_counts import cut_places
from core.units.tokens import PieceCounter, piece_tables

SHORT = 32  # characters of a piece on average: longer ones are encoded alone
MANY, TOGETHER = 256, 4  # pieces, and pieces in one holder on average: fewer are encoded alone
NOT_COUNTED = -1
_FAST = ("cl100k_base", "o200k_base")  # encode many pieces in one table at once

Finder = Callable[[str, int, int], Iterator[int]]  # text, start, end -> where separators begin


@dataclass(frozen=True, slots=True)
class Separator:
    """One separator: how it is written, and how it is found. The empty one has no finder."""

    label: str
    find: Finder | None
    character: str = ""  # set if it is one literal character: that overlaps nothing


@dataclass(slots=True, eq=False)
class Level:
    """The n pieces that one separator leaves; each lies inside one piece of the level above.

    edges: int64 (n + 1,), from 0 to N, ascending.
    lengths: int64 (n,), NOT_COUNTED where that has not been asked for yet.
    sums: int64 (n + 1,), ascending: running sums of the lengths that are known.
    whole: bool (n,), True for a root in which the separator does not occur: the next separator
        is taken at once, however short it is (`spec/strategies.md` 3.10, step 1).
    children: int64 (n + 1,), first piece of the level below; None at the last level.
    """

    label: str
    edges: Offsets
    lengths: Indices
    sums: Indices
    whole: Mask
    children: Indices | None = None


@dataclass(frozen=True, slots=True, eq=False)
class NestedPieces:
    """All levels of one text, or of several set end to end (the roots).

    roots: int64 (r + 1,), the first piece of each root at the first level.
    levels: one a separator. by_characters: True if the empty separator follows the last one.
    unit: the unit's name in sentences. counter: None if the unit is characters.
    """

    text: str
    roots: Indices
    levels: tuple[Level, ...]
    by_characters: bool
    unit: str
    counter: PieceCounter | None

    def lengths(self, level: Level, low: Indices, high: Indices) -> Indices:
        """int64 (n,): lengths of the level's pieces, right in the ranges `low` to `high`.

        The ranges, int64 (r,) each, are half-open and ascending.
        """
        if self.counter is not None and (level.lengths == NOT_COUNTED).any():
            inside = ranges(low, high)
            missing = inside[level.lengths[inside] == NOT_COUNTED]
            if len(missing):
                holders = np.searchsorted(low, missing, side="right")
                level.lengths[missing] = _counts(self.text, level, missing, holders, self.counter)
                level.sums = running_sums(level.lengths)
        return level.lengths

    def character_lengths(self, offsets: Indices) -> Indices:
        """int64 (n,): length of each of the single characters at `offsets`, int64 (n,)."""
        if self.counter is None:
            return np.ones(len(offsets), np.int64)
        return self.counter.counts([self.text[each] for each in offsets.tolist()])


def literal(separator: str) -> Separator:
    """A separator that is searched for as it is written."""
    if not separator:
        return Separator("the empty separator", None)

    def find(text: str, start: int, end: int) -> Iterator[int]:
        at = text.find(separator, start, end)
        while at >= 0:
            yield at
            at = text.find(separator, at + len(separator), end)

    return Separator(repr(separator), find, separator if len(separator) == 1 else "")


def pattern(expression: str) -> Separator:
    """A separator that is a regular expression, matched in the text of the piece alone."""
    if not expression:
        return Separator("the empty separator", None)
    compiled = re.compile(expression)

    def find(text: str, start: int, end: int) -> Iterator[int]:
        piece = text[start:end]
        return (start + match.start() for match in compiled.finditer(piece))

    return Separator(repr(expression), find)


def nest(
    text: str, separators: Sequence[Separator], unit: str, counter: PieceCounter | None
) -> NestedPieces:
    """Cut `text` before each occurrence of the first separator, its pieces at the next, and so on.

    Separators behind an empty one are not reached.
    """
    labels = [separator.label for separator in separators]
    by_characters = any(separator.find is None for separator in separators)
    usable = list(takewhile(lambda separator: separator.find is not None, separators))
    is_edge = np.zeros(len(text) + 1, np.bool_)
    codes = ascii_bytes(text)
    is_edge[[0, -1]] = True
    edges = [np.array([0, len(text)], dtype=np.int64)]
    wholes = []
    for separator in usable:
        _mark(text, codes, edges[-1], separator, is_edge=is_edge)
        edges.append(np.flatnonzero(is_edge))
        wholes.append(np.zeros(len(edges[-1]) - 1, np.bool_))
        wholes[-1][:1] = not _occurs(text, separator)
    below = [*edges[2:], None]
    levels = tuple(
        _level(*each, counter=counter)
        for each in zip(labels, edges[1:], wholes, below, strict=False)
    )
    roots = np.array([0, len(edges[min(1, len(usable))]) - 1], np.int64)
    return NestedPieces(text, roots, levels, by_characters, unit, counter)


def _level(
    label: str, edges: Offsets, whole: Mask, below: Offsets | None, *, counter: PieceCounter | None
) -> Level:
    """One level; `below`, the edges of the next one, holds all of `edges`."""
    children = None if below is None else np.searchsorted(below, edges)
    if counter is None:
        return Level(label, edges, np.diff(edges), edges, whole, children)
    lengths = np.full(len(edges) - 1, NOT_COUNTED, np.int64)
    return Level(label, edges, lengths, running_sums(lengths), whole, children)


def running_sums(lengths: Indices) -> Indices:
    """int64 (n + 1,): 0 and the running sums; what is not counted adds nothing."""
    sums = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(np.maximum(lengths, 0), out=sums[1:])
    return sums


def _counts(
    text: str, level: Level, missing: Indices, holders: Indices, counter: PieceCounter
) -> Indices:
    """int64 (m,): units of the pieces `missing`, int64 (m,), each encoded by itself.

    Many short pieces are not encoded one by one: what holds them is, the same number in `holders`,
    int64 (m,). Where both edges of a piece are places at which counts add up
    (`core.strategies.span_counts`), or edges of its holder, its count is that of the holder's
    tokens between them.
    """
    starts, ends = level.edges[missing], level.edges[missing + 1]
    first = np.flatnonzero(np.diff(holders, prepend=-1))
    are_many = len(missing) >= max(MANY, TOGETHER * len(first))
    if counter.tokenizer not in _FAST or (ends - starts).mean() > SHORT or not are_many:
        return _counted_alone(text, starts, ends, counter)
    last = np.append(first[1:], len(missing))
    whole = zip(starts[first].tolist(), ends[last - 1].tolist(), strict=True)
    numbers: dict[str, int] = {}  # a passage that repeats is encoded once
    same = np.array([numbers.setdefault(text[a:b], len(numbers)) for a, b in whole], np.int64)
    unique = np.flatnonzero(np.diff(np.maximum.accumulate(same), prepend=-1))
    all_sizes: Indices = last - first
    sizes = all_sizes[unique]
    pieces = ranges(first[unique], last[unique])
    shift = np.cumsum([0, *map(len, numbers)])[:-1] - starts[first[unique]]
    low, high = (edges[pieces] + np.repeat(shift, sizes) for edges in (starts, ends))
    counts = _counts_inside(list(numbers), low, high, counter)
    begins: Indices = (np.cumsum(sizes) - sizes)[same]
    return counts[ranges(begins, begins + all_sizes)]


def _counts_inside(texts: list[str], low: Offsets, high: Offsets, counter: PieceCounter) -> Indices:
    """int64 (n,): units of the pieces from `low` to `high`, offsets in the texts end to end."""
    table, _ = piece_tables(texts, counter.tokenizer)
    joined = "".join(texts)
    adds_up = np.zeros(len(joined) + 1, np.bool_)
    adds_up[cut_places(joined, counter.tokenizer)] = True
    adds_up[np.cumsum([0, *map(len, texts)])] = True
    begun = np.zeros(len(joined) + 1, np.int64)  # tokens that begin before each offset
    np.cumsum(np.bincount(table.starts, minlength=len(joined)), out=begun[1:])
    counts: Indices = begun[high] - begun[low]
    alone = np.flatnonzero(~(adds_up[low] & adds_up[high]))
    counts[alone] = _counted_alone(joined, low[alone], high[alone], counter)
    return counts


def _counted_alone(text: str, starts: Offsets, ends: Offsets, counter: PieceCounter) -> Indices:
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    return counter.counts([text[a:b] for a, b in pairs])


def _occurs(text: str, separator: Separator) -> bool:
    return separator.find is not None and next(separator.find(text, 0, len(text)), None) is not None


def _mark(text: str, codes: Codes, edges: Offsets, separator: Separator, *, is_edge: Mask) -> None:
    """Mark in `is_edge`, bool (N + 1,), the places before the separator in each piece."""
    find = separator.find
    assert find is not None
    if separator.character.isascii() and separator.character not in ("", "?"):
        is_edge[:-1] |= codes == ord(separator.character)
        return
    for a, b in pairwise(edges.tolist()):
        for at in find(text, a, b):
            is_edge[at] = True
