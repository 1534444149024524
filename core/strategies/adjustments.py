# SPDX-License-Identifier: AGPL-3.0-or-later
"""What may happen to the chunks of any strategy: blank ones dropped, cuts snapped, tails joined.

All of it is numpy over spans, since it runs at each tick of a slider. Each change leaves its
reason (`spec/strategies.md` 1.4, 2.4 and 2.5; decision 31).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Offsets, Spans
from core.document.model import Notice
from core.strategies.chunks import STEPS, Chunks, Reasons, Rule, join_reasons, reasons
from core.units.tokens import code_points, is_space

SNAP_WORDS = {
    "character": "moved back to the start of a character",
    "grapheme": "moved back to the start of a visible character",
    "word": "moved to the nearest word edge",
    "sentence": "moved to the nearest sentence edge",
    "block": "moved to the nearest block edge",
}


@dataclass(frozen=True, slots=True, eq=False)
class SpaceRuns:
    """Runs of white space in a text of `length` characters: edges, int64 (r,), ascending."""

    length: int
    starts: Offsets
    ends: Offsets

    def hold(self, starts: Offsets, ends: Offsets) -> Mask:
        """Which spans hold nothing but white space, or nothing at all; bool (n,)."""
        run = np.searchsorted(self.starts, starts, side="right") - 1
        inside = (
            (run >= 0) & (ends <= self.ends[run]) if len(self.ends) else np.zeros(len(run), bool)
        )
        return np.asarray(inside | (starts >= ends))

    def edges_of_words(self) -> Offsets:
        """int64: where runs of other characters begin and end, ascending."""
        return np.unique(np.concatenate([[0], self.starts, self.ends, [self.length]]))


def space_runs(text: str) -> SpaceRuns:
    """Find the runs of white space."""
    return _runs(is_space(code_points(text)))


def invisible_runs(text: str) -> SpaceRuns:
    """Find the runs of what nobody sees: white space, zero-width characters, soft hyphens."""
    points = code_points(text)
    return _runs(is_space(points) | np.isin(points, _ZERO_WIDTH))


_ZERO_WIDTH = np.array([0xAD, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF], dtype=np.uint32)


def _runs(inside: Mask) -> SpaceRuns:
    edges = np.diff(inside.astype(np.int8), prepend=0, append=0)
    return SpaceRuns(len(inside), np.flatnonzero(edges == 1), np.flatnonzero(edges == -1))


def blank_chunks(chunks: Chunks, runs: SpaceRuns) -> Mask:
    """Which chunks have no character but white space, bool (n,); one without a span has text."""
    spans = runs.hold(chunks.spans[:, 0], chunks.spans[:, 1])
    if chunks.is_contiguous:
        return spans
    solid = np.bincount(chunks.owners[~spans], minlength=len(chunks)) > 0
    return np.asarray(~solid & (np.diff(chunks.pointers) > 0))


def take_chunks(chunks: Chunks, kept: Mask) -> Chunks:
    """The chunks that `kept`, bool (n,), names; parents are counted anew."""
    if kept.all():
        return chunks
    chosen = np.flatnonzero(kept)
    number = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)  # −1 stays −1
    texts = {int(number[k]): text for k, text in chunks.texts.items() if kept[k]}
    return replace(
        chunks,
        spans=chunks.spans[kept[chunks.owners]],
        pointers=np.concatenate([[0], np.cumsum(np.diff(chunks.pointers)[chosen])]),
        start_reasons=chunks.start_reasons.take(chosen),
        end_reasons=chunks.end_reasons.take(chosen),
        levels=chunks.levels[chosen],
        parents=number[chunks.parents[chosen]],
        primaries=chunks.primaries[chosen],
        labels=chunks.labels[chosen],
        headers=chunks.headers and tuple(chunks.headers[k] for k in chosen.tolist()),
        texts=texts,
        scores=None if chunks.scores is None else chunks.scores[chosen],
    )


def without_blank(chunks: Chunks, runs: SpaceRuns) -> Chunks:
    """Without chunks of white space or zero-width characters only; a notice counts them."""
    blank = blank_chunks(chunks, runs)
    if not blank.any():
        return chunks
    empty = blank & (np.diff(chunks.pointers) == 1) & (chunks.starts == chunks.ends)
    said = int((blank & ~empty).sum())
    left = take_chunks(chunks, ~blank)
    if not said:
        return left
    what = "chunk" if said == 1 else "chunks"
    message = f"{said:,} {what} of white space or zero-width characters only left out"
    return left.with_notices(Notice(None, "blank chunks", message))


def with_spans(
    chunks: Chunks, spans: Spans, step: str, words: str, *, drops_equal: bool = False
) -> Chunks:
    """The chunks with their spans moved to `spans`, int64 (m, 2).

    A chunk that becomes empty is dropped; with `drops_equal` so is one that becomes the same as the
    one before, such as several windows of one sentence.
    """
    moved = spans != chunks.spans
    if not moved.any():
        return chunks
    changed = replace(chunks, spans=spans)
    return moved_chunks(changed, moved, step, words, drops_equal=drops_equal)


def moved_chunks(
    chunks: Chunks,
    moved: NDArray[np.bool_],
    step: str,
    words: str,
    *,
    drops_equal: bool = False,
) -> Chunks:
    """Chunks whose edges moved where `moved`, bool (m, 2), says so, without what that emptied.

    A chunk's first start and last end carry a reason: where they moved, the rule stays and says
    so, and the step is `step`.
    """
    first, last = chunks.pointers[:-1], chunks.pointers[1:] - 1
    has_span = last >= first
    start_moved = has_span & moved[np.where(has_span, first, 0), 0]
    end_moved = has_span & moved[np.where(has_span, last, 0), 1]
    changed = replace(
        chunks,
        start_reasons=_marked(chunks.start_reasons, start_moved, step, words),
        end_reasons=_marked(chunks.end_reasons, end_moved, step, words),
    )
    if drops_equal:
        changed = _without_repeated(changed, moved[:, 0] | moved[:, 1])
    return _without_empty(changed)


def _without_repeated(chunks: Chunks, moved: Mask) -> Chunks:
    """Without chunks that moved onto the one before, bool (m,); nested ones may be equal."""
    if not chunks.is_contiguous or chunks.levels.any():
        return chunks
    repeated = np.zeros(len(chunks), bool)
    repeated[1:] = (chunks.spans[1:] == chunks.spans[:-1]).all(axis=1) & (moved[1:] | moved[:-1])
    return take_chunks(chunks, ~repeated)


def _without_empty(chunks: Chunks) -> Chunks:
    filled = chunks.spans[:, 0] < chunks.spans[:, 1]
    if filled.all():
        return chunks
    if not chunks.is_contiguous:
        owners = chunks.owners
        counts = np.bincount(owners[filled], minlength=len(chunks))
        had = np.diff(chunks.pointers) > 0
        pointers = np.concatenate([[0], np.cumsum(counts)])
        chunks = replace(chunks, spans=chunks.spans[filled], pointers=pointers)
        return take_chunks(chunks, (counts > 0) | ~had)
    return take_chunks(chunks, filled)


def _marked(old: Reasons, changed: Mask, step: str, words: str) -> Reasons:
    """The reasons with `words` added and the step set where `changed`, bool (n,)."""
    changed = changed & (old.rule >= 0)
    if not changed.any():
        return old
    more = tuple(Rule(rule.name, f"{rule.words}; {words}") for rule in old.rules)
    return replace(
        old,
        rules=old.rules + more,
        rule=np.where(changed, old.rule + len(old.rules), old.rule).astype(np.int32),
        steps=np.where(changed, STEPS.index(step), old.steps).astype(np.int8),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """The cuts of m spans, where the end of one and the next start may be one cut.

    offsets: int64 (c,), ascending and unique, the first start and the last end included.
    places: int64 (m, 2), which cut each edge of a span is.
    """

    spans: Spans
    offsets: Offsets
    places: Indices

    def moved(self, targets: Offsets) -> Spans:
        """int64 (m, 2): the spans with each cut moved to its target, int64 (c,).

        The white space between two spans is closed where their cut moves, and stays where not.
        """
        stays = (targets == self.offsets)[self.places]
        return np.where(stays, self.spans, targets[self.places])


def cuts_of(spans: Spans, runs: SpaceRuns) -> Cuts:
    """Find the cuts of spans; two with nothing but white space between them share one."""
    order = np.argsort(spans[:, 0], kind="stable")
    starts = spans[order, 0]
    reached = np.concatenate([starts[:1], np.maximum.accumulate(spans[order, 1])[:-1]])
    shares = (starts > reached) & runs.hold(reached, starts)
    edges = spans.copy()
    edges[order, 0] = np.where(shares, reached, starts)
    offsets, places = np.unique(edges, return_inverse=True)
    return Cuts(spans, offsets, places.reshape(spans.shape))


def end_within_words(cuts: Cuts, runs: SpaceRuns) -> Mask:
    """Which cuts end a span without white space, as windows of a long word do; bool (c,)."""
    starts, ends = cuts.spans.T
    last = np.searchsorted(runs.starts, ends, side="left") - 1  # the last run before the end
    has_space = (last >= 0) & (np.append(runs.ends, 0)[last] > starts)
    found = np.zeros(len(cuts.offsets), np.bool_)
    found[cuts.places[~has_space, 1]] = True
    return found


def snapped_to_edges(
    cuts: Cuts,
    edges: Offsets,
    floor: Callable[[Offsets], Offsets],
    stay: Mask | None = None,
) -> Spans:
    """Spans whose cuts moved to the nearest of `edges`, int64 (e,), ascending; ties go back.

    A cut never passes its neighbouring cut: where the nearest edge lies beyond it, `floor` applies,
    and so it does to the cuts that `stay`, bool (c,), names. The first start and the last end are
    no cuts and stay.
    """
    offsets = cuts.offsets
    if not len(edges) or not len(offsets):
        return floor_spans(cuts.spans, floor)
    targets = nearest_edges(offsets, edges)
    low = np.concatenate([offsets[:1], offsets[:-1]])
    high = np.concatenate([offsets[1:], offsets[-1:]])
    beyond = (targets < low) | (targets > high)
    targets = np.where(beyond if stay is None else beyond | stay, floor(offsets), targets)
    targets[0], targets[-1] = offsets[0], offsets[-1]
    return cuts.moved(targets)


def nearest_edges(offsets: Offsets, edges: Offsets) -> Offsets:
    """int64: the nearest of `edges`, ascending, to each offset; of two the earlier."""
    after = np.minimum(np.searchsorted(edges, offsets), len(edges) - 1)
    before = np.maximum(after - 1, 0)
    is_nearer = np.abs(edges[after] - offsets) < np.abs(offsets - edges[before])
    return np.where(is_nearer, edges[after], edges[before])


def floor_spans(spans: Spans, floor: Callable[[Offsets], Offsets]) -> Spans:
    """Spans with both edges moved back by `floor`, int64 (m, 2)."""
    return np.stack([floor(spans[:, 0]), floor(spans[:, 1])], axis=1)


def moved_out_of(cuts: Cuts, inside: Spans, openings: tuple[Offsets, ...]) -> Spans:
    """Spans whose cuts moved out of protected ones to the nearer edge, int64 (m, 2).

    The first start and the last end are no cuts and stay.

    Args:
        cuts: of the m spans.
        inside: int64 (p, 2), protected spans, ascending and disjoint.
        openings: for each protected span, ascending, where it may be cut all the same because it
            is larger than a chunk: its rows or items; nothing where it fits.
    """
    at = np.searchsorted(inside[:, 0], cuts.offsets, side="left") - 1
    split = np.flatnonzero((at >= 0) & (cuts.offsets < inside[at, 1]))
    targets = cuts.offsets.copy()
    for k, part in zip(split.tolist(), at[split].tolist(), strict=True):
        edges = np.concatenate([inside[part, :1], openings[part], inside[part, 1:]])
        targets[k] = nearest_edges(targets[k : k + 1], edges)[0]
    targets[:1], targets[-1:] = cuts.offsets[:1], cuts.offsets[-1:]
    return cuts.moved(targets)


def join_last(chunks: Chunks, words: str, value: float, threshold: float) -> Chunks:
    """The last chunk joined with the one before; both have one span."""
    n = len(chunks)
    union = np.array([chunks.spans[-2:, 0].min(), chunks.spans[-2:, 1].max()])
    joined = take_chunks(chunks, np.arange(n) < n - 1)
    spans = joined.spans.copy()
    spans[-1] = union
    return replace(
        joined,
        spans=spans,
        end_reasons=_with_last(joined.end_reasons, Rule("tail", words), value, threshold),
    )


def drop_last(chunks: Chunks, words: str, value: float, threshold: float) -> Chunks:
    """The chunks without the last one."""
    n = len(chunks)
    left = take_chunks(chunks, np.arange(n) < n - 1)
    ends = _with_last(left.end_reasons, Rule("tail", words), value, threshold)
    return replace(left, end_reasons=ends)


def _with_last(old: Reasons, rule: Rule, value: float, threshold: float) -> Reasons:
    new = reasons(rule, 1, values=value, thresholds=threshold, step="tail")
    return join_reasons([old.take(np.arange(len(old) - 1)), new])


def replace_by_parts(
    chunks: Chunks, parts: Spans, owners: Indices, *, rule: Rule, threshold: float, sizes: Indices
) -> Chunks:
    """Each chunk replaced by its parts; new boundaries have `rule`, outer ones keep their reason.

    Args:
        chunks: n chunks of one span each.
        parts: int64 (m, 2), the parts of all chunks in order.
        owners: int64 (m,), the chunk of each part, ascending, each chunk at least once.
        rule: of the new boundaries.
        threshold: the size they enforce.
        sizes: int64 (m,), the size of each part's chunk.
    """
    is_first = np.diff(owners, prepend=-1) != 0
    is_last = np.diff(owners, append=len(chunks)) != 0
    new = reasons(
        rule, len(owners), values=sizes.astype(np.float64), thresholds=threshold, step="cap"
    )
    number = np.arange(len(owners))
    firsts = np.flatnonzero(is_first)

    def mixed(old: Reasons, keeps_old: Mask) -> Reasons:
        both = join_reasons([old, new])
        return both.take(np.where(keeps_old, owners, len(old) + number))

    return replace(
        chunks,
        spans=parts,
        pointers=np.arange(len(parts) + 1),
        start_reasons=mixed(chunks.start_reasons, is_first),
        end_reasons=mixed(chunks.end_reasons, is_last),
        levels=chunks.levels[owners],
        parents=np.append(firsts, -1)[chunks.parents[owners]],
        primaries=chunks.primaries[owners],
        labels=chunks.labels[owners],
        headers=chunks.headers and tuple(chunks.headers[k] for k in owners.tolist()),
        scores=None if chunks.scores is None else chunks.scores[owners],
    )
