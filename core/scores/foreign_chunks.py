# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks made by other tools, placed in the text: by their offsets, exactly, or nearly.

Known forms: lists of strings, `[[start, end], …]`, `[{"spans": …}]`, the output of `chunk`,
LangChain documents (plain or serialised), LlamaIndex nodes and document stores, Haystack
documents, and any object with a text under a usual name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeGuard

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from core.arrays import Offsets, Spans, Values, as_spans
from core.errors import DocumentError
from core.scores.characters import character_table
from core.scores.pairs import check_span
from core.strategies.chunks import LEVELS, Chunks, no_reasons

Placing = Literal["given", "exact", "white space", "fuzzy", "missing"]
LEAST_CONFIDENCE = 0.6  # below, a chunk counts as not of this text
SEARCH_AHEAD = 4_000  # characters behind the previous chunk where the next one is looked for first
LONGEST_ALIGNED = 20_000  # characters; longer chunks are placed without trimming their ends
SHORTEST_ANCHOR = 3  # equal characters that may begin or end a fuzzy match
TEXT_NAMES = ("page_content", "text", "content", "chunk", "body", "value")
LIST_NAMES = ("chunks", "documents", "nodes", "docs", "results", "data", "docstore/data")
START_NAMES = ("start_char_idx", "start_index", "split_idx_start", "start", "start_char")
END_NAMES = ("end_char_idx", "end_index", "end", "end_char")
WRAPPERS = ("kwargs", "__data__", "node", "document")
KNOWN_FORMS = 'a text, [start, end], {"spans": …}, or an object with a text as other tools write'


@dataclass(frozen=True, slots=True, eq=False)
class PlacedChunks:
    """The n chunks of another tool as chunks of the text.

    confidences: float64 (n,): 1 for a chunk whose slice is its text, the likeness of slice and
        text for one that was changed, 0 for one that was not found (it has no span).
    placings: how each was placed.
    missing, doubled: int64 (m, 2), text that is in no chunk, and in more than one; without what
        is white space only.
    """

    chunks: Chunks
    confidences: Values
    placings: tuple[Placing, ...]
    missing: Spans
    doubled: Spans
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeignChunk:
    """One chunk as it was read. Offsets are what the tool says, and may be wrong."""

    text: str | None
    spans: tuple[tuple[int, int], ...] | None = None
    start: int | None = None
    end: int | None = None
    level: int = 0
    parent: int = -1
    header: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    spans: tuple[tuple[int, int], ...]
    placing: Placing
    confidence: float


def place_chunks(data: Any, text: str, name: str = "the chunks") -> PlacedChunks:
    """Read chunks of any known form from decoded JSON, and place them in the text.

    Args:
        data: decoded JSON.
        text: the document's text.
        name: what messages call the input.

    Raises:
        DocumentError: an unknown form, or offsets outside of the text.
    """
    foreign = read_chunks(data, name)
    finder = _Finder(text)
    places = [finder.place(each, index, name) for index, each in enumerate(foreign)]
    chunks = _as_chunks(foreign, places)
    missing, doubled = coverage(chunks.spans, text)
    confidences = np.array([place.confidence for place in places], np.float64)
    return PlacedChunks(
        chunks,
        confidences,
        tuple(place.placing for place in places),
        missing,
        doubled,
        tuple(_notices(places, missing, doubled)),
    )


def read_chunks(data: Any, name: str = "the chunks") -> list[ForeignChunk]:
    """The chunks of decoded JSON in their order.

    Raises:
        DocumentError: an unknown form; names the first item that is not understood.
    """
    return [_read(item, index, name) for index, item in enumerate(_items(data, name))]


def _items(data: Any, name: str) -> Sequence[Any]:
    """The list of chunks, however it is wrapped."""
    if isinstance(data, Mapping):
        for key in LIST_NAMES:
            if key in data:
                return _items(data[key], name)
        if data and all(isinstance(each, Mapping) for each in data.values()):
            return list(data.values())
    if isinstance(data, Sequence) and not isinstance(data, str):
        return data
    raise DocumentError(f"{name}: not a list of chunks: give a list whose items are {KNOWN_FORMS}")


def _read(item: Any, index: int, name: str) -> ForeignChunk:
    if isinstance(item, str):
        return ForeignChunk(item)
    if isinstance(item, Sequence) and len(item) == 2 and all(map(_is_offset, item)):
        return ForeignChunk(None, ((item[0], item[1]),))
    found = _read_object(item) if isinstance(item, Mapping) else None
    if found is None:
        raise DocumentError(
            f"{name}: item {index} is {_shortened(item)}, but must be {KNOWN_FORMS}: mend that item"
        )
    return found


def _read_object(item: Mapping[str, Any]) -> ForeignChunk | None:
    for key in WRAPPERS:
        if isinstance(item.get(key), Mapping):
            return _read_object(item[key])
    text = next((item[key] for key in TEXT_NAMES if isinstance(item.get(key), str)), None)
    spans = _spans_of(item)
    if text is None and spans is None:
        return None
    about: Mapping[str, Any] = next(
        (item[key] for key in ("metadata", "meta") if isinstance(item.get(key), Mapping)), {}
    )
    level, parent, header = item.get("level"), item.get("parent"), item.get("header")
    return ForeignChunk(
        text,
        spans,
        _first_offset(START_NAMES, item, about),
        _first_offset(END_NAMES, item, about),
        LEVELS.index(level) if level in LEVELS else 0,
        parent if _is_offset(parent) and parent >= 0 else -1,
        header if isinstance(header, str) else "",
    )


def _spans_of(item: Mapping[str, Any]) -> tuple[tuple[int, int], ...] | None:
    """The spans of `{"spans": …}` or `{"span": …}`; None when there are none."""
    spans = item.get("spans")
    if spans is None:
        spans = [item["span"]] if item.get("span") is not None else None
    if not isinstance(spans, Sequence) or isinstance(spans, str):
        return None
    pairs = [tuple(each) if isinstance(each, Sequence) else () for each in spans]
    if not all(len(pair) == 2 and all(map(_is_offset, pair)) for pair in pairs):
        return None
    return tuple((pair[0], pair[1]) for pair in pairs)


def _first_offset(names: Sequence[str], *places: Mapping[str, Any]) -> int | None:
    values = (place.get(name) for place in places for name in names)
    return next((value for value in values if _is_offset(value)), None)


def _is_offset(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _shortened(item: Any) -> str:
    words = repr(item)
    return words if len(words) <= 60 else f"{words[:57]}…"


class _Finder:
    """Places one chunk after the other, each near the end of the one before."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = -1  # of the last chunk that was placed
        self._end = 0

    def place(self, chunk: ForeignChunk, index: int, name: str) -> _Place:
        """Where the chunk is."""
        place = self._given(chunk, index, name)
        if place is None and chunk.text is not None:
            place = self._exact(chunk.text) or self._squeezed(chunk.text) or self._near(chunk.text)
        if place is None:
            return _Place((), "missing", 0.0)
        if place.spans:
            self._start, self._end = place.spans[0][0], place.spans[-1][1]
        return place

    def _given(self, chunk: ForeignChunk, index: int, name: str) -> _Place | None:
        """By its spans; or by its offsets, if the text there is the chunk's."""
        if chunk.spans is not None:
            for place, (start, end) in enumerate(chunk.spans):
                check_span(start, end, len(self._text), f"{name}: item {index}: span {place}")
            return _Place(chunk.spans, "given", 1.0)
        if chunk.start is None or chunk.text is None:
            return None
        for start, end in (
            (chunk.start, chunk.start + len(chunk.text)),
            (chunk.start, chunk.end if chunk.end is not None else -1),
        ):
            if 0 <= start <= end and self._text[start:end] == chunk.text:
                return _Place(((start, end),), "given", 1.0)
        return None

    def _exact(self, wanted: str) -> _Place | None:
        if not wanted:
            return _Place(((self._end, self._end),), "exact", 1.0)
        start = self._best_start(self._text, wanted, self._start, self._end)
        return None if start < 0 else _Place(((start, start + len(wanted)),), "exact", 1.0)

    def _squeezed(self, wanted: str) -> _Place | None:
        """Equal but for white space: what was stripped, joined or wrapped anew."""
        squeezed, offsets = self._without_space
        needle = "".join(wanted.split())
        if not needle:
            return None
        before = int(np.searchsorted(offsets, self._start, side="left")) - (self._start < 0)
        after = int(np.searchsorted(offsets, self._end, side="left"))
        start = self._best_start(squeezed, needle, before, after)
        if start < 0:
            return None
        span = int(offsets[start]), int(offsets[start + len(needle) - 1]) + 1
        return _Place((span,), "white space", self._likeness(wanted, span))

    def _near(self, wanted: str) -> _Place | None:
        """The stretch of text that is likest; first where the chunk should be, then anywhere."""
        low = max(0, self._end - len(wanted))
        high = self._end + 2 * len(wanted) + SEARCH_AHEAD
        best = self._likest(wanted, low, min(len(self._text), high))
        if best is None or best.confidence < LEAST_CONFIDENCE:
            best = self._likest(wanted, 0, len(self._text))
        return best if best is not None and best.confidence >= LEAST_CONFIDENCE else None

    def _likest(self, wanted: str, low: int, high: int) -> _Place | None:
        if not wanted.strip() or low >= high:
            return None
        found = fuzz.partial_ratio_alignment(wanted, self._text[low:high])
        if found is None:
            return None
        span = self._trimmed(wanted, low + found.dest_start, low + found.dest_end)
        return _Place((span,), "fuzzy", self._likeness(wanted, span))

    def _trimmed(self, wanted: str, start: int, end: int) -> tuple[int, int]:
        """The stretch with its ends where the chunk's first and last equal characters are."""
        if len(wanted) > LONGEST_ALIGNED:
            return start, end
        room = max(20, len(wanted) // 5)
        low, high = max(0, start - room), min(len(self._text), end + room)
        blocks = Indel.opcodes(wanted, self._text[low:high])
        equal = [
            (block.dest_start, block.dest_end)
            for block in blocks
            if block.tag == "equal" and block.dest_end - block.dest_start >= SHORTEST_ANCHOR
        ]
        return (low + equal[0][0], low + equal[-1][1]) if equal else (start, end)

    def _likeness(self, wanted: str, span: tuple[int, int]) -> float:
        return fuzz.ratio(wanted, self._text[span[0] : span[1]]) / 100

    @staticmethod
    def _best_start(text: str, wanted: str, start: int, end: int) -> int:
        """The occurrence nearest to the end of the last chunk, behind its start; −1: none.

        Where there is none behind, the first one of all: the tool's order is another.
        """
        after = text.find(wanted, max(end, start + 1, 0))
        before = text.rfind(wanted, start + 1, max(end + len(wanted) - 1, 0))
        known = [place for place in (before, after) if place >= 0]
        if not known:
            return text.find(wanted)
        return min(known, key=lambda place: abs(place - end))

    @cached_property
    def _without_space(self) -> tuple[str, Offsets]:
        """The text without white space, and where each of its characters stands."""
        offsets = np.array([i for i, each in enumerate(self._text) if not each.isspace()], np.int64)
        return "".join(self._text.split()), offsets


def _as_chunks(foreign: Sequence[ForeignChunk], places: Sequence[_Place]) -> Chunks:
    n = len(places)
    minus = np.full(n, -1, np.int64)
    headers = tuple(each.header for each in foreign)
    return Chunks(
        as_spans([span for place in places for span in place.spans]),
        np.concatenate(([0], np.cumsum([len(place.spans) for place in places], dtype=np.int64))),
        no_reasons(n),
        no_reasons(n),
        np.array([each.level for each in foreign], np.int8),
        np.array([each.parent if each.parent < n else -1 for each in foreign], np.int64),
        minus,
        minus,
        headers if any(headers) else None,
        {
            index: each.text or ""
            for index, (each, place) in enumerate(zip(foreign, places, strict=True))
            if not place.spans
        },
    )


def coverage(spans: Spans, text: str) -> tuple[Spans, Spans]:
    """Text in no span and text in more than one, int64 (m, 2); not what is only white space."""
    steps = np.zeros(len(text) + 1, np.int64)
    np.add.at(steps, spans[:, 0], 1)
    np.subtract.at(steps, spans[:, 1], 1)
    depth = np.cumsum(steps)[:-1]
    table = character_table(text)
    return tuple(  # type: ignore[return-value]  # of two
        runs[table.ink_in(runs) > 0] for runs in (_runs(depth == 0), _runs(depth > 1))
    )


def _runs(mask: np.ndarray) -> Spans:
    """int64 (m, 2): the maximal runs of true."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return as_spans(edges)


def _notices(places: Sequence[_Place], missing: Spans, doubled: Spans) -> Iterator[str]:
    lost = [index for index, place in enumerate(places) if place.placing == "missing"]
    if lost:
        first = f"chunk {lost[0] + 1}"  # numbered from 1 for people
        if len(lost) == 1:
            yield f"{first} is not in this text, and counts only for its size"
        else:
            more = f"{first} and {len(lost) - 1:,} more"
            yield f"{more} are not in this text, and count only for their size"
    changed = [place.confidence for place in places if place.placing == "fuzzy"]
    if changed:
        yield (
            f"{_counted(len(changed), 'chunk')} changed by the tool, placed where the text is "
            f"likest (least likeness {min(changed):.2f})"
        )
    spaced = sum(place.placing == "white space" for place in places)
    if spaced:
        yield f"{_counted(spaced, 'chunk')} unlike the text in white space only"
    for spans, where in ((missing, "in no chunk"), (doubled, "in more than one chunk")):
        if len(spans):
            places_of = _counted(len(spans), "place")
            yield f"{_counted(_length(spans), 'character')} in {places_of} are {where}"


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _length(spans: Spans) -> int:
    return int((spans[:, 1] - spans[:, 0]).sum())
