# SPDX-License-Identifier: AGPL-3.0-or-later
"""Filling of chunks with the blocks of a section that is too long (`spec/strategies.md` 6.1, 3–6).

Where the article is silent: the sentences of a block, or the rows of a table, that is above the cap
go on filling the chunk that is open; overlap gives way, word by word, to a block that would not
fit beside it; a heading that would stay alone takes the first sentences of the text behind it.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.arrays import as_spans
from core.errors import ParameterError
from core.strategies.section_blocks import SectionBlock
from core.strategies.span_counts import SpanCounter

Span = tuple[int, int]
FINER = {"sentence": "word", "row": "sentence", "word": "", "cluster": ""}


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that is not cut: a block, or a row, sentence, word or part of a word."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Parts:
    """What a unit is cut into, in order. largest: tokens of the largest of several."""

    units: Sequence[Unit]
    largest: int = 0


@dataclass(frozen=True, slots=True)
class Filled:
    """A chunk: its span, where it would begin without overlap, and why it ended.

    value: tokens that it would have with the next unit; −1 at the end of its section.
    before: the kind of that unit. moved: True if headings went to the next chunk.
    """

    start: int
    end: int
    own_start: int
    value: int = -1
    before: str = ""
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Filler:
    """What filling needs to know of the document, and the limits.

    words: where words begin, ascending. tables: all tables. sentences: the sentences of a span.
    edges: the places inside a span between grapheme clusters.
    """

    counter: SpanCounter
    words: Sequence[int]
    tables: Sequence[SectionBlock]
    sentences: Callable[[int, int], Parts]
    edges: Callable[[int, int], Sequence[int]]
    cap: int
    overlap: int

    def fill(self, blocks: Sequence[SectionBlock], before: Filled | None) -> list[Filled]:
        """The chunks of one section.

        Args:
            blocks: of the section.
            before: the chunk that the first one may overlap; None: none.
        """
        chunks: list[Filled] = []
        waiting = [unit for block in reversed(blocks) for unit in reversed(self.units(block))]
        held: list[Unit] = []
        start = 0
        while waiting:
            unit = waiting.pop()
            if not held:
                start = self.begin(unit.start, unit.end, chunks[-1] if chunks else before)
                held = [unit]
                continue
            count = self.counter.count(start, unit.end)
            if count <= self.cap:
                held.append(unit)
                continue
            bare = all(each.kind == "heading" for each in held)
            if bare and (parts := self.parts_behind(start, unit, waiting)):
                waiting += reversed(parts)
                continue
            waiting.append(unit)
            moved = 0
            while not bare and held[-1].kind == "heading":
                waiting.append(held.pop())
                moved += 1
            chunks.append(Filled(start, held[-1].end, held[0].start, count, unit.kind, moved > 0))
            held = []
        if held:
            chunks.append(Filled(start, held[-1].end, held[0].start))
        return chunks

    def begin(self, own_start: int, end: int, before: Filled | None) -> int:
        """Where a chunk begins that would begin at `own_start` without overlap.

        Args:
            own_start: where its first unit begins.
            end: where what it must hold ends.
            before: the chunk that it may overlap.

        Raises:
            ParameterError: the overlap alone fills the cap.
        """
        if before is None or self.overlap == 0:
            return own_start
        wanted = max(own_start - self.overlap, 0)
        if (alone := self.counter.count(wanted, own_start)) >= self.cap:
            raise ParameterError(
                f"overlap is {self.overlap} characters, which are {alone} tokens at character "
                f"{own_start}, but cap is {self.cap} tokens: choose an overlap below the cap"
            )
        start = self.next_start(max(wanted, before.start), own_start)
        while start < own_start and self.counter.count(start, end) > self.cap:
            start = self.next_start(start + 1, own_start)
        return start

    def next_start(self, place: int, limit: int) -> int:
        """The next word, or in a table the next row, that begins at `place` or behind it."""
        while place < limit:
            at = bisect_left(self.words, place)
            place = self.words[at] if at < len(self.words) else limit
            table = self._table_around(place)
            if table is None:
                break
            rows = [row for row, _ in table.rows if row >= place]
            if rows and rows[0] == place:
                break
            place = rows[0] if rows else table.end
        return min(place, limit)

    def _table_around(self, place: int) -> SectionBlock | None:
        at = bisect_left(self.tables, place, key=lambda table: table.start) - 1
        if at >= 0 and self.tables[at].start < place < self.tables[at].end:
            return self.tables[at]
        return None

    def parts_behind(self, start: int, unit: Unit, waiting: list[Unit]) -> Sequence[Unit]:
        """The parts of a unit that does not fit behind headings that begin at `start`.

        The pieces of a long word fill a chunk each; so the rest of the word, which comes first in
        `waiting`, is taken from there and cut anew. Nothing if not even one part fits.
        """
        parts = self.parts(unit).units
        if len(parts) > 1:
            return parts
        if unit.kind != "cluster":
            return []
        run = [unit]
        while len(run) <= len(waiting) and waiting[-len(run)].start == run[-1].end:
            run.append(waiting[-len(run)])
        pieces = self._pieces(Unit(unit.start, run[-1].end, "word"), start)
        if self.counter.count(start, pieces[0].end) > self.cap:
            return []
        del waiting[len(waiting) - len(run) + 1 :]
        return pieces

    def units(self, block: SectionBlock) -> Sequence[Unit]:
        """A block, or what it must be cut into because it is above the cap."""
        whole = Unit(block.start, block.end, block.kind)
        if self.fits(whole):
            return [whole]
        if block.kind != "table":
            return self.small(Unit(block.start, block.end, "text"))
        rows = [Unit(a, b, "row") for a, b in block.rows]
        return [part for row in rows for part in ([row] if self.fits(row) else self.small(row))]

    def fits(self, unit: Unit) -> bool:
        """True if the unit has at most `cap` tokens."""
        return self.counter.count(unit.start, unit.end) <= self.cap

    def small(self, unit: Unit) -> Sequence[Unit]:
        """The parts of a unit, each cut further as long as it is above the cap."""
        parts = self.parts(unit)
        if len(parts.units) < 2 or parts.largest <= self.cap:
            return parts.units
        return [
            part
            for each in parts.units
            for part in ([each] if self.fits(each) else self.small(each))
        ]

    def parts(self, unit: Unit) -> Parts:
        """The sentences of a text, the words of a sentence, the pieces of a word.

        A heading or a table that fits is left whole; so is what has only one part.
        """
        if unit.kind in ("heading", "table", "cluster"):
            return Parts([unit])
        finer = FINER.get(unit.kind, "sentence")
        while finer:
            parts = self._words(unit) if finer == "word" else self.sentences(unit.start, unit.end)
            if len(parts.units) > 1:
                return parts
            finer = FINER[finer]
        return Parts(self._pieces(unit), self.cap)

    def _words(self, unit: Unit) -> Parts:
        low, high = bisect_left(self.words, unit.start), bisect_left(self.words, unit.end)
        text = self.counter.text
        starts = [unit.start, *(at for at in self.words[low:high] if at > unit.start)]
        ends = [*starts[1:], unit.end]
        pairs = zip(starts, ends, strict=True)
        spans = [(a, a + len(text[a:b].rstrip())) for a, b in pairs if a < b]
        return measured_parts(self.counter, spans, "word")

    def _pieces(self, word: Unit, chunk: int | None = None) -> list[Unit]:
        """A word above the cap, in pieces between grapheme clusters, each as long as it may be.

        The first one shares a chunk with what is before it, if it begins at `chunk`.
        """
        if self.fits(word):
            return [word]
        edges = [*self.edges(word.start, word.end), word.end]
        pieces, start, at = [], word.start, 0
        begin = word.start if chunk is None else chunk
        while start < word.end:
            low, high = at, len(edges) - 1  # the piece ends at edges[low] at least
            while low < high:
                middle = (low + high + 1) // 2
                if self.counter.count(begin, edges[middle]) <= self.cap:
                    low = middle
                else:
                    high = middle - 1
            pieces.append(Unit(start, edges[low], "cluster"))
            begin = start = edges[low]
            at = low + 1
        return pieces


def measured_parts(counter: SpanCounter, spans: Sequence[Span], kind: str) -> Parts:
    """The spans as units of one kind, measured once."""
    sizes = counter.counts(as_spans(spans))
    return Parts([Unit(a, b, kind) for a, b in spans], int(sizes.max(initial=0)))
