# SPDX-License-Identifier: AGPL-3.0-or-later
"""The two stages of a hybrid: what is long in the first is cut again by the second.

`spec/strategies.md` 4. In reference mode the second stage reads the joined string of a chunk of
sentences or paragraphs (1.2), in default mode the slice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from core.arrays import Indices, Mask, Offsets, Spans, as_spans
from core.declaration import Declaration, Value
from core.strategies.chunks import Chunks, Reasons, join_reasons, one_span_chunks
from core.strategies.groups import (
    JoinedUnits,
    join_units,
    joined_paragraphs,
    joined_sentences,
    solid_of,
    window_reasons,
)
from core.strategies.registry import Strategy
from core.strategies.slice_tokens import SliceTokens, text_tokens
from core.strategies.source import Source, renewed
from core.strategies.windows import (
    FULL_TOKENS,
    STEPPED_TOKENS,
    broken_texts,
    step_of,
    without_spans,
)
from core.units.tokens import token_table

# Strategies whose released code joins the sentences or paragraphs of a chunk.
_JOINS_SENTENCES = frozenset(
    {"SBC", "SGC", "LAC", "CDAC", "SEBC", "SBDC", "SSTC", "SVAC", "TBC", "LCSI"}
)
_JOINS_PARAGRAPHS = frozenset({"PBC", "PGC", "LCPI"})

# Second stages whose windows over many strings are found in one pass: their size and step.
_WINDOWS: Mapping[str, Callable[[Mapping[str, Any]], tuple[int, int]]] = {
    "FC": lambda fast: (fast["size"], step_of(fast["size"], fast["overlap"])),
    "OFC": lambda fast: (fast["size"], step_of(fast["size"], fast["overlap"])),
    "SWC": lambda fast: (fast["window"], fast["step"]),
}

# Pieces of the strings that are cut, and the string of each → their spans in the document.
Place = Callable[[Chunks, Indices], Chunks]


@dataclass(frozen=True, slots=True, eq=False)
class TwoStages:
    """What both stages prepared.

    joined: the units of the primary's chunks in reference mode; None: their slices count.
    made: what the secondary prepared for each string, and the tokens of the text they lie in.
    """

    source: Source
    primary: Strategy
    secondary: Strategy
    first: Any
    joined: JoinedUnits | None
    slow: Mapping[str, Value]
    made: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class LongChunks:
    """The k chunks of the primary that are cut again.

    at: int64 (k,), which they are. text: what their strings are slices of; spans: int64 (k, 2),
    where they lie in it. place: puts pieces, with offsets in `text`, in the document.
    """

    at: Indices
    text: str
    spans: Spans
    place: Place

    def strings(self) -> list[str]:
        """The string of each."""
        return [self.text[a:b] for a, b in self.spans.tolist()]


def prepare_stages(
    source: Source,
    primary: Strategy,
    secondary: Strategy,
    *,
    first_slow: Mapping[str, Value],
    second_slow: Mapping[str, Value],
) -> TwoStages:
    """Prepare the primary on the document; the secondary prepares each string when it is met."""
    first_source = stage_source(source, primary.declaration)
    joined = _joined_units(first_source, primary.declaration) if source.is_reference else None
    first = primary.prepare(first_source, **first_slow)
    return TwoStages(source, primary, secondary, first, joined, second_slow)


def stage_source(source: Source, declaration: Declaration) -> Source:
    """The document as one stage sees it: the user's units, or else the stage's own."""
    tokenizer, splitter = source.tokenizer, source.splitter
    if source.options.tokenizer is None and declaration.tokenizer:
        tokenizer = declaration.tokenizer
    if source.options.sentences is None and declaration.sentences and splitter != "unicode":
        splitter = declaration.sentences
    return replace(source, tokenizer=tokenizer, splitter=splitter)


def cut_stages(
    prepared: TwoStages, *, gate: int, first_fast: Mapping[str, Any], second_fast: Mapping[str, Any]
) -> Chunks:
    """Cut with the primary, and with the secondary inside each chunk longer than `gate`.

    Returns:
        Chunks in order; `primaries` says which chunk of the primary each comes from.
    """
    first_source = stage_source(prepared.source, prepared.primary.declaration)
    chunks = prepared.primary.cut(renewed(prepared.first, first_source), **first_fast)
    long = _long_chunks(prepared, chunks, gate)
    if not len(long.at):
        return replace(chunks, primaries=np.arange(len(chunks)))
    code = prepared.secondary.declaration.code
    if code in _WINDOWS:
        size, step = _WINDOWS[code](second_fast)
        cut, counts = _windows_of_all(prepared, long, size=size, step=step)
    else:
        parts = [_cut_one(prepared, string, second_fast) for string in long.strings()]
        counts = np.array([len(part) for part in parts], dtype=np.int64)
        cut = _in_one_list(parts, long.spans[:, 0])
    placed = long.place(cut, np.repeat(np.arange(len(counts)), counts))
    return _merged(chunks, long.at, placed, counts)


def _joined_units(source: Source, declaration: Declaration) -> JoinedUnits | None:
    if declaration.code in _JOINS_PARAGRAPHS:
        return joined_paragraphs(source)
    return joined_sentences(source) if declaration.code in _JOINS_SENTENCES else None


def _edges(counts: Indices) -> Indices:
    """0 and the running sums, int64 (n + 1,)."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


# --- which chunks are long, and what their strings are --------------------------------------------


def _long_chunks(prepared: TwoStages, chunks: Chunks, gate: int) -> LongChunks:
    text = prepared.source.text
    if not chunks.is_contiguous:
        return _long_clusters(prepared.source, chunks, gate)
    if prepared.joined is not None:
        return _long_groups(text, prepared.joined, chunks.spans, gate)
    at = np.flatnonzero(chunks.spans[:, 1] - chunks.spans[:, 0] > gate)
    return LongChunks(at, text, chunks.spans[at], _as_they_are)


def _as_they_are(pieces: Chunks, strings: Indices) -> Chunks:
    del strings
    return pieces


def _long_groups(text: str, joined: JoinedUnits, spans: Spans, gate: int) -> LongChunks:
    """Groups of units whose joined string is longer than the gate; what is no group is a slice."""
    lengths, first, last = _joined_lengths(joined, spans, spans[:, 1] - spans[:, 0])
    at = np.flatnonzero(lengths > gate)
    if (last[at] < 0).any():  # one sentence only: the chunk is the whole text
        return LongChunks(at, text, spans[at], _as_they_are)
    low = joined.starts[first[at]]
    strings = np.stack([low, low + lengths[at]], axis=1)

    def place(pieces: Chunks, strings: Indices) -> Chunks:
        del strings
        return replace(pieces, spans=joined.place(pieces.spans))

    return LongChunks(at, joined.whole, strings, place)


def _joined_lengths(
    joined: JoinedUnits, spans: Spans, lengths: Indices
) -> tuple[Indices, Indices, Indices]:
    """Lengths of the joined strings and the units of each chunk, half-open, int64 (n,) each.

    A chunk that is no group (the whole text, where there is one sentence) keeps its length and
    ends with unit −1.
    """
    if not len(joined) or not len(spans):
        none = np.full(len(spans), -1, np.int64)
        return lengths, none, none
    first = np.searchsorted(joined.spans[:, 1], spans[:, 0], side="right")
    first = np.minimum(first, len(joined) - 1)
    last = np.maximum(np.searchsorted(joined.spans[:, 0], spans[:, 1], side="left"), first + 1)
    if joined.lengths[-1] == 0:  # the empty sentence after the last end mark takes part
        last = np.where(_ends_empty(joined, spans, first, last), len(joined), last)
    is_group = (joined.group_spans(first, last) == spans).all(axis=1)
    lengths = np.where(is_group, joined.group_lengths(first, last), lengths)
    return lengths, first, np.where(is_group, last, -1)


def _ends_empty(joined: JoinedUnits, spans: Spans, first: Indices, last: Indices) -> Mask:
    """Which groups end with the last unit, which is empty; bool (n,).

    The last group does, and with overlap others may. Where the trim rule took away all that it
    brought, the spans do not tell; but then the groups are windows of one width.
    """
    n = len(joined)
    whole = np.full(len(spans), n)
    may = (last == n - 1) & (joined.group_spans(first, whole) == spans).all(axis=1)
    must: Mask = may & (joined.group_spans(first, last) != spans).any(axis=1)
    if (first[1:] < last[:-1]).any():
        must |= may & (first + (last - first).max() >= n)
    must[-1] = True
    return must


def _long_clusters(source: Source, chunks: Chunks, gate: int) -> LongChunks:
    """Chunks of several spans (or of none): their slices joined by a space."""
    at, strings, units = [], [], []
    for k in range(len(chunks)):
        spans = chunks.spans_of(k)
        joined = join_units(source.text, spans, " ", solid_of(source))
        if len(spans) and joined.starts[-1] - 1 > gate:
            at.append(k)
            strings.append(joined.whole)
            units.append(joined)
    edges = _edges(np.array([len(string) for string in strings], dtype=np.int64))

    def place(pieces: Chunks, strings: Indices) -> Chunks:
        """Each piece as the spans of the units that it covers, without the joining spaces."""
        placed, counts = [as_spans([])], [0]
        for (start, end), string in zip(
            pieces.spans.tolist(), strings[pieces.owners].tolist(), strict=True
        ):
            parts = _parts_of(units[string], start - edges[string], end - edges[string])
            placed.append(parts)
            counts.append(len(parts))
        return replace(
            pieces, spans=np.concatenate(placed), pointers=np.cumsum(counts)[pieces.pointers]
        )

    spans = np.stack([edges[:-1], edges[1:]], axis=1)
    return LongChunks(np.array(at, dtype=np.int64), "".join(strings), spans, place)


def _parts_of(joined: JoinedUnits, start: int, end: int) -> Spans:
    """int64 (k, 2): the parts of the units that a piece of their joined string covers."""
    units = np.stack([joined.starts[:-1], joined.starts[:-1] + joined.lengths], axis=1)
    parts = np.clip(units, start, end)
    covered = parts[:, 0] < parts[:, 1]
    return parts[covered] - units[covered, :1] + joined.spans[covered, :1]


# --- the second stage ----------------------------------------------------------------------------


def _windows_of_all(
    prepared: TwoStages, long: LongChunks, *, size: int, step: int
) -> tuple[Chunks, Indices]:
    """Token windows of all strings in one pass, and how many each string has."""
    tokens = _tokens_of(prepared, long)
    n = tokens.totals()
    counts = -(-n // step)
    owners = np.repeat(np.arange(len(n)), counts)
    rank = np.arange(len(owners)) - np.repeat(_edges(counts)[:-1], counts)
    first = rank * step
    last = np.minimum(first + size, n[owners])
    starts, ends = window_reasons(
        FULL_TOKENS, STEPPED_TOKENS, last - first, size=size, step=step, at_end=last == n[owners]
    )
    starts = starts.take(np.where(rank == 0, -1, np.arange(len(owners))))
    spans, lost = tokens.windows(owners, first, last)
    if not (prepared.source.is_reference and lost.any()):
        return one_span_chunks(spans, starts, ends), counts
    texts: dict[int, str] = {}
    for owner in np.unique(owners[lost]).tolist():
        a, b = long.spans[owner].tolist()
        table = token_table(long.text[a:b], tokens.shared.tokenizer)
        own = lost & (owners == owner)
        texts |= broken_texts(long.text[a:b], table, first, last, which=own)
    return without_spans(spans, lost, texts, starts, ends), counts


def _tokens_of(prepared: TwoStages, long: LongChunks) -> SliceTokens:
    """The tokens of all strings; those of the text that they lie in are kept."""
    kept = prepared.made.get("tokens")
    if kept is None or kept.text is not long.text:
        tokenizer = stage_source(prepared.source, prepared.secondary.declaration).tokenizer
        is_document = long.text is prepared.source.text
        table = (
            prepared.source.tokens(tokenizer) if is_document else token_table(long.text, tokenizer)
        )
        kept = prepared.made["tokens"] = text_tokens(long.text, table)
    last = prepared.made.get("slices")
    if last is None or last[0] is not kept or not np.array_equal(last[1], long.spans):
        last = prepared.made["slices"] = (kept, long.spans, kept.slices(long.spans))
    slices: SliceTokens = last[2]
    return slices


def _cut_one(prepared: TwoStages, text: str, fast: Mapping[str, Any]) -> Chunks:
    """The secondary on one string; what it prepares is kept by string."""
    part = stage_source(prepared.source, prepared.secondary.declaration).part(text)
    if text not in prepared.made:
        prepared.made[text] = (part.units, prepared.secondary.prepare(part, **prepared.slow))
    units, value = prepared.made[text]
    return prepared.secondary.cut(renewed(value, replace(part, units=units)), **fast)


def _in_one_list(parts: Sequence[Chunks], starts: Offsets) -> Chunks:
    """The chunks of several strings one after the other, each moved to where its string starts."""
    shifts = _edges(np.array([len(part) for part in parts])).tolist()
    texts = {
        k + by: text
        for part, by in zip(parts, shifts, strict=False)
        for k, text in part.texts.items()
    }
    return replace(
        one_span_chunks(as_spans([])),
        spans=np.concatenate(
            [part.spans + start for part, start in zip(parts, starts.tolist(), strict=True)]
        ),
        pointers=_edges(np.concatenate([np.diff(part.pointers) for part in parts])),
        start_reasons=join_reasons([part.start_reasons for part in parts]),
        end_reasons=join_reasons([part.end_reasons for part in parts]),
        texts=texts,
    )


def _merged(chunks: Chunks, at: Indices, pieces: Chunks, counts: Indices) -> Chunks:
    """The primary's chunks, those at `at` replaced by their pieces."""
    numbers = np.ones(len(chunks), np.int64)
    numbers[at] = counts
    primaries = np.repeat(np.arange(len(chunks)), numbers)
    is_piece = np.isin(primaries, at)
    # each new chunk is a row of the primary's list or of the pieces' list
    row = np.where(is_piece, np.cumsum(is_piece) - 1, primaries)
    spans, pointers = _spans_of_rows(chunks, pieces, row, is_piece)
    firsts = np.append(_edges(numbers)[:-1], -1)
    return replace(
        chunks,
        spans=spans,
        pointers=pointers,
        start_reasons=_outer_first(chunks.start_reasons, pieces.start_reasons, primaries, is_piece),
        end_reasons=_outer_first(chunks.end_reasons, pieces.end_reasons, primaries, is_piece),
        levels=chunks.levels[primaries],
        parents=firsts[chunks.parents[primaries]],
        primaries=primaries,
        labels=chunks.labels[primaries],
        headers=chunks.headers and tuple(chunks.headers[k] for k in primaries.tolist()),
        texts=_texts_of_rows(chunks, pieces, row, is_piece),
        scores=None if chunks.scores is None else chunks.scores[primaries],
    )


def _spans_of_rows(
    chunks: Chunks, pieces: Chunks, row: Indices, is_piece: Mask
) -> tuple[Spans, Indices]:
    both = np.concatenate([chunks.spans, pieces.spans])
    low = np.where(is_piece, 0, chunks.pointers[np.where(is_piece, 0, row)])
    length = np.where(is_piece, 0, np.diff(chunks.pointers)[np.where(is_piece, 0, row)])
    of_piece = row[is_piece]
    low[is_piece] = pieces.pointers[of_piece] + len(chunks.spans)
    length[is_piece] = np.diff(pieces.pointers)[of_piece]
    pointers = _edges(length)
    within = np.arange(pointers[-1]) - np.repeat(pointers[:-1], length)
    return both[np.repeat(low, length) + within], pointers


def _texts_of_rows(chunks: Chunks, pieces: Chunks, row: Indices, is_piece: Mask) -> dict[int, str]:
    if not chunks.texts and not pieces.texts:
        return {}
    sources = ((chunks.texts, ~is_piece), (pieces.texts, is_piece))
    return {
        int(k): texts[int(row[k])]
        for texts, which in sources
        for k in np.flatnonzero(which).tolist()
        if int(row[k]) in texts
    }


def _outer_first(old: Reasons, new: Reasons, primaries: Indices, is_piece: Mask) -> Reasons:
    """Reasons of the second stage inside a chunk, of the first at its ends."""
    both = join_reasons([old, new])
    inner = np.full(len(primaries), -1, np.int64)
    inner[is_piece] = np.where(new.rule < 0, -1, np.arange(len(new)) + len(old))
    return both.take(np.where(inner >= 0, inner, primaries))
