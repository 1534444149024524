# SPDX-License-Identifier: AGPL-3.0-or-later
"""The two stages of a hybrid: what is long in the first is cut again by the second.

`spec/strategies.md` 4. In reference mode the second stage reads the joined string of a chunk of
sentences or paragraphs (1.2), in default mode the slice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from core.arrays import Indices, Mask, Spans, as_spans
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
from core.strategies.source import Source, renewed
from core.strategies.windows import (
    FULL_TOKENS,
    STEPPED_TOKENS,
    broken_texts,
    splits_character,
    step_of,
    token_spans,
    without_spans,
)
from core.units.tokens import piece_tables

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

# Pieces of a chunk's string, (m, 2) → spans in the document, (k, 2), and the piece of each.
Place = Callable[[Spans], tuple[Spans, Indices]]


@dataclass(frozen=True, slots=True, eq=False)
class TwoStages:
    """What both stages prepared.

    joined: the units of the primary's chunks in reference mode; None: their slices count.
    made: what the secondary prepared for each string, and the last strings with their tokens.
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

    at: int64 (k,), which they are. key: equal for equal strings. strings: makes their strings.
    starts: int64 (k,), where the strings are slices; places: where they are not, how pieces of
    each string are placed in the document.
    """

    at: Indices
    key: object
    strings: Callable[[], list[str]]
    starts: Indices | None = None
    places: Sequence[Place] = ()


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
        cut = _in_one_list(parts)
    return _merged(chunks, long.at, _placed(cut, long, counts), counts)


def _joined_units(source: Source, declaration: Declaration) -> JoinedUnits | None:
    if declaration.code in _JOINS_PARAGRAPHS:
        return joined_paragraphs(source)
    return joined_sentences(source) if declaration.code in _JOINS_SENTENCES else None


def _edges(counts: Indices) -> Indices:
    """0 and the running sums, int64 (n + 1,)."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


# --- which chunks are long, and what their strings are --------------------------------------------


def _long_chunks(prepared: TwoStages, chunks: Chunks, gate: int) -> LongChunks:
    if not chunks.is_contiguous:
        return _long_clusters(prepared.source, chunks, gate)
    if prepared.joined is not None:
        return _long_groups(prepared.source.text, prepared.joined, chunks.spans, gate)
    at = np.flatnonzero(chunks.spans[:, 1] - chunks.spans[:, 0] > gate)
    return _slices(prepared.source.text, chunks.spans, at)


def _slices(text: str, spans: Spans, at: Indices) -> LongChunks:
    chosen = spans[at]
    return LongChunks(
        at, chosen.tobytes(), lambda: [text[a:b] for a, b in chosen.tolist()], chosen[:, 0]
    )


def _long_groups(text: str, joined: JoinedUnits, spans: Spans, gate: int) -> LongChunks:
    """Groups of units whose joined string is longer than the gate; what is no group is a slice."""
    lengths, groups = _joined_lengths(joined, spans, spans[:, 1] - spans[:, 0])
    at = np.flatnonzero(lengths > gate)
    strings, places = [], []
    for k, (start, end) in zip(at.tolist(), spans[at].tolist(), strict=True):
        if k in groups:
            strings.append(joined.group_text(*groups[k]))
            places.append(_in_group(joined, *groups[k]))
        else:
            strings.append(text[start:end])
            places.append(_moved_by(start))
    return LongChunks(at, strings, lambda: strings, None, places)


def _joined_lengths(
    joined: JoinedUnits, spans: Spans, lengths: Indices
) -> tuple[Indices, dict[int, tuple[int, int]]]:
    """Lengths of the joined strings, int64 (n,), and the units of each chunk that is a group.

    A chunk that is no group (the whole text, where there is one sentence) keeps its length.
    """
    if not len(joined) or not len(spans):
        return lengths, {}
    first = np.searchsorted(joined.spans[:, 1], spans[:, 0], side="right")
    first = np.minimum(first, len(joined) - 1)
    last = np.maximum(np.searchsorted(joined.spans[:, 0], spans[:, 1], side="left"), first + 1)
    if joined.lengths[-1] == 0:
        last[-1] = len(joined)  # the empty sentence after the last end mark takes part
    is_group = (joined.group_spans(first, last) == spans).all(axis=1)
    groups = {k: (int(first[k]), int(last[k])) for k in np.flatnonzero(is_group).tolist()}
    return np.where(is_group, joined.group_lengths(first, last), lengths), groups


def _in_group(joined: JoinedUnits, first: int, last: int) -> Place:
    return lambda pieces: (joined.place(first, last, pieces), np.arange(len(pieces)))


def _moved_by(start: int) -> Place:
    return lambda pieces: (pieces + start, np.arange(len(pieces)))


def _long_clusters(source: Source, chunks: Chunks, gate: int) -> LongChunks:
    """Chunks of several spans (or of none): their slices joined by a space."""
    at, strings, places = [], [], []
    for k in range(len(chunks)):
        spans = chunks.spans_of(k)
        joined = join_units(source.text, spans, " ", solid_of(source))
        if len(spans) and joined.starts[-1] - 1 > gate:
            at.append(k)
            strings.append(joined.group_text(0, len(spans)))
            places.append(_in_parts(joined))
    return LongChunks(np.array(at, dtype=np.int64), strings, lambda: strings, None, places)


def _in_parts(joined: JoinedUnits) -> Place:
    """Each piece as the spans of the units that it covers, without the joining spaces."""

    def place(pieces: Spans) -> tuple[Spans, Indices]:
        units = np.stack([joined.starts[:-1], joined.starts[:-1] + joined.lengths], axis=1)
        placed, owners = [as_spans([])], []
        for k, (start, end) in enumerate(pieces.tolist()):
            parts = np.clip(units, start, end)
            covered = parts[:, 0] < parts[:, 1]
            placed.append(parts[covered] - units[covered, :1] + joined.spans[covered, :1])
            owners += [k] * int(covered.sum())
        return np.concatenate(placed), np.array(owners, dtype=np.int64)

    return place


# --- the second stage ----------------------------------------------------------------------------


def _windows_of_all(
    prepared: TwoStages, long: LongChunks, *, size: int, step: int
) -> tuple[Chunks, Indices]:
    """Token windows of all strings in one pass, and how many each string has.

    The tokens are kept while the strings stay the same, so a drag of the size encodes nothing.
    """
    kept = prepared.made.get("tokens")
    if kept is None or kept[0] != long.key:
        tokenizer = stage_source(prepared.source, prepared.secondary.declaration).tokenizer
        strings = long.strings()
        shifts = _edges(np.array([len(string) for string in strings]))
        kept = (long.key, "".join(strings), shifts, *piece_tables(strings, tokenizer))
        prepared.made["tokens"] = kept
    _, text, shifts, table, edges = kept
    n = np.diff(edges)
    counts = -(-n // step)
    owners = np.repeat(np.arange(len(n)), counts)
    rank = np.arange(len(owners)) - np.repeat(_edges(counts)[:-1], counts)
    first = rank * step
    last = np.minimum(first + size, n[owners])
    at_end = last == n[owners]
    starts, ends = window_reasons(
        FULL_TOKENS, STEPPED_TOKENS, last - first, size=size, step=step, at_end=at_end
    )
    starts = starts.take(np.where(rank == 0, -1, np.arange(len(owners))))
    first, last = first + edges[owners], last + edges[owners]
    spans = token_spans(table, first, last) - shifts[owners, None]
    lost = splits_character(table, first, last)
    if prepared.source.is_reference and lost.any():
        texts = broken_texts(text, table, first, last, which=lost)
        return without_spans(spans, lost, texts, starts, ends), counts
    return one_span_chunks(spans, starts, ends), counts


def _cut_one(prepared: TwoStages, text: str, fast: Mapping[str, Any]) -> Chunks:
    """The secondary on one string; what it prepares is kept by string."""
    part = stage_source(prepared.source, prepared.secondary.declaration).part(text)
    if text not in prepared.made:
        prepared.made[text] = (part.units, prepared.secondary.prepare(part, **prepared.slow))
    units, value = prepared.made[text]
    return prepared.secondary.cut(renewed(value, replace(part, units=units)), **fast)


def _in_one_list(parts: Sequence[Chunks]) -> Chunks:
    """The chunks of several strings one after the other; offsets stay those of each string."""
    shifts = _edges(np.array([len(part) for part in parts])).tolist()
    texts = {
        k + by: text
        for part, by in zip(parts, shifts, strict=False)
        for k, text in part.texts.items()
    }
    return replace(
        one_span_chunks(as_spans([])),
        spans=np.concatenate([part.spans for part in parts]),
        pointers=_edges(np.concatenate([np.diff(part.pointers) for part in parts])),
        start_reasons=join_reasons([part.start_reasons for part in parts]),
        end_reasons=join_reasons([part.end_reasons for part in parts]),
        texts=texts,
    )


def _placed(cut: Chunks, long: LongChunks, counts: Indices) -> Chunks:
    """The pieces of all strings in the document."""
    if long.starts is not None:
        owners = np.repeat(np.arange(len(counts)), counts)[cut.owners]
        return replace(cut, spans=cut.spans + long.starts[owners, None])
    rows = cut.pointers[_edges(counts)].tolist()
    placed, lengths = [], []
    for place, low, high in zip(long.places, rows[:-1], rows[1:], strict=True):
        spans, span_rows = place(cut.spans[low:high])
        placed.append(spans)
        lengths.append(np.bincount(span_rows, minlength=high - low))
    # spans of each row of `cut`, then of each piece: a piece of several rows has all of theirs
    of_row = _edges(np.concatenate(lengths))
    return replace(cut, spans=np.concatenate(placed), pointers=of_row[cut.pointers])


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
