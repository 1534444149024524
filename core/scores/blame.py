# SPDX-License-Identifier: AGPL-3.0-or-later
"""What costs a score: shares of cuts and chunks that add up to the loss, with reasons in words.

A share says what hurts; what an edit would gain is in `gains.py`. The shares of RC, BI and SC
are fractions and add up to 1 − score exactly; those of ICC and DCC add up to 1 − the score
before it is clipped. Source: `spec/metrics.md` 12.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from core.arrays import Indices, Spans
from core.scores.blocks import inner_spans
from core.scores.cohesion import Parts
from core.scores.envelope import envelope_of
from core.scores.inputs import ScoreInputs
from core.scores.references import hulls
from core.scores.results import Scores
from core.strategies.chunks import Chunks

Kind = Literal["cut", "chunk", "edge"]
Cost = Fraction | float
LONGEST_QUOTE = 40  # characters of a text that is quoted


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Where the sequence of chunks changes: k places between neighbours of the envelope.

    places: int64 (k, 2), closed: one offset where the chunks touch, else the gap or the overlap.
    left, right: int64 (k,), the chunks on both sides.
    """

    places: Spans
    left: Indices
    right: Indices

    def inside(self, hull: Spans) -> Spans:
        """int64 (n, 2): for each hull, int64 (n, 2), the range of cuts that meet its inside."""
        first = np.searchsorted(self.places[:, 1], hull[:, 0], side="right")
        last = np.searchsorted(self.places[:, 0], hull[:, 1], side="left")
        return np.column_stack((first, np.maximum(first, last)))


@dataclass(frozen=True, slots=True)
class Lost:
    """A lost pair or a broken block: its place in the inputs, its hull, the cuts inside."""

    index: int
    hull: tuple[int, int]
    cuts: tuple[int, ...]  # empty: it is lost at an end of the document or in a gap


@dataclass(frozen=True, slots=True)
class Item:
    """A cut, a chunk or the document's edge, with its share of the loss.

    place: where it is in the text. chunks: whose it is: both sides of a cut, or the chunk.
    objects: the lost pairs, broken blocks or parts that it costs, places in the inputs.
    """

    kind: Kind
    place: tuple[int, int]
    chunks: tuple[int, ...]
    cost: Cost
    words: str
    objects: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Blame:
    """All items of one score, the dearest first. Their costs add up to `loss`."""

    code: str
    loss: Cost
    items: tuple[Item, ...]


def find_cuts(chunks: Chunks) -> Cuts:
    """The cuts of a chunking."""
    envelope = envelope_of(chunks)
    edges = np.column_stack((envelope.ends[:-1], envelope.starts[1:]))
    places = np.column_stack((edges.min(axis=1), edges.max(axis=1))) if len(edges) else edges
    return Cuts(places.reshape(-1, 2), envelope.owners[:-1], envelope.owners[1:])


def blame(
    inputs: ScoreInputs,
    chunks: Chunks,
    scores: Scores,
    code: str,
    *,
    block_kinds: Sequence[str] = (),
) -> Blame:
    """What costs one score.

    Args:
        inputs: those that were scored.
        chunks: likewise.
        scores: their scores.
        code: RC, ICC, DCC, BI or SC.
        block_kinds: for the words, the kind of each block of the inputs.

    Returns:
        No items when the score is not measurable.
    """
    measure = scores[code]
    if measure.value is None or measure.raw is None:
        return Blame(code, 0.0, ())
    if code == "RC":
        objects = lost_pairs(inputs, chunks, scores)
        items = _cut_items(objects, measure.measured, chunks, _PairWords(inputs))
    elif code == "BI":
        objects = broken_blocks(inputs, chunks, scores)
        items = _cut_items(objects, measure.measured, chunks, _BlockWords(block_kinds))
    elif code == "SC":
        items = _size_items(chunks, scores)
    elif code == "ICC":
        items = _cohesion_items(inputs, chunks, scores)
    else:
        items = _coherence_items(chunks, scores)
    exact = code in ("RC", "BI", "SC")
    loss = sum((item.cost for item in items), Fraction(0)) if exact else 1.0 - measure.raw
    return Blame(code, loss, tuple(sorted(items, key=lambda item: (-item.cost, item.place))))


def blame_mean(
    inputs: ScoreInputs, chunks: Chunks, scores: Scores, *, block_kinds: Sequence[str] = ()
) -> Blame:
    """What costs the mean: the items of all scores by place, each by its score's weight."""
    weights = {
        code: weight
        for code, weight in scores.options.weights.items()
        if weight > 0 and scores[code].value is not None
    }
    total = sum(weights.values())
    found: dict[tuple[Kind, tuple[int, int], tuple[int, ...]], list[tuple[float, str]]]
    found = defaultdict(list)
    for code, weight in weights.items():
        for item in blame(inputs, chunks, scores, code, block_kinds=block_kinds).items:
            if item.cost:
                cost = float(item.cost) * weight / total
                found[item.kind, item.place, item.chunks].append((cost, f"{code}: {item.words}"))
    items = [
        Item(
            kind,
            place,
            own,
            sum(cost for cost, _ in parts),
            "; ".join(w for _, w in sorted(parts)[::-1]),
        )
        for (kind, place, own), parts in found.items()
    ]
    items.sort(key=lambda item: (-item.cost, item.place))
    return Blame("mean", sum(float(item.cost) for item in items), tuple(items))


def lost_pairs(inputs: ScoreInputs, chunks: Chunks, scores: Scores) -> list[Lost]:
    """The lost pairs with the cuts inside their hulls."""
    return _lost(scores.pairs_lost, hulls(inputs.pairs[scores.pairs_lost]), find_cuts(chunks))


def broken_blocks(inputs: ScoreInputs, chunks: Chunks, scores: Scores) -> list[Lost]:
    """The broken blocks with the cuts inside of what a chunk must hold of them."""
    blocks = inputs.blocks[scores.blocks_broken]
    if scores.options.mode == "default":
        blocks = inner_spans(blocks, scores.options.bi_tolerance)
    return _lost(scores.blocks_broken, blocks, find_cuts(chunks))


def _lost(indices: Indices, hull: Spans, cuts: Cuts) -> list[Lost]:
    ranges = cuts.inside(hull)
    return [
        Lost(index, (start, end), tuple(range(first, last)))
        for index, (start, end), (first, last) in zip(
            indices.tolist(), hull.tolist(), ranges.tolist(), strict=True
        )
    ]


class _PairWords:
    """Says which mentions a cut separates."""

    def __init__(self, inputs: ScoreInputs) -> None:
        self._inputs = inputs

    def at_cut(self, objects: Sequence[Lost]) -> str:
        """For example: this cut separates 'the Board' from 'it', 14 pairs."""
        return f"this cut separates {self._pairs(objects, 'from')}"

    def at_edge(self, objects: Sequence[Lost]) -> str:
        """For pairs that no chunk reaches."""
        return f"no chunk holds {self._pairs(objects, 'and')}"

    def _pairs(self, objects: Sequence[Lost], joint: str) -> str:
        text = self._inputs.text
        rows = [self._inputs.pairs[each.index].tolist() for each in objects]
        spoken = Counter((_quoted(text[a:b]), _quoted(text[c:d])) for a, b, c, d in rows)
        (entity, pronoun), _ = spoken.most_common(1)[0]
        return f"{entity} {joint} {pronoun}{_many(len(objects), 'pair')}"


class _BlockWords:
    """Says what a cut goes through."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = kinds

    def at_cut(self, objects: Sequence[Lost]) -> str:
        """For example: this cut goes through a table of 812 characters."""
        return f"this cut goes through {self._block(objects)}"

    def at_edge(self, objects: Sequence[Lost]) -> str:
        """For blocks that no chunk reaches."""
        return f"no chunk holds {self._block(objects)}"

    def _block(self, objects: Sequence[Lost]) -> str:
        longest = max(objects, key=lambda each: each.hull[1] - each.hull[0])
        kind = self._kinds[longest.index] if longest.index < len(self._kinds) else "block"
        size = longest.hull[1] - longest.hull[0]
        others = f" and {len(objects) - 1} more" if len(objects) > 1 else ""
        return f"a {kind.replace('_', ' ')} of {size:,} characters{others}"


def _cut_items(
    objects: Sequence[Lost], total: int, chunks: Chunks, words: _PairWords | _BlockWords
) -> list[Item]:
    """Each lost object's 1 / total, shared evenly among the cuts inside its hull."""
    cuts = find_cuts(chunks)
    by_cut: dict[int, list[Lost]] = defaultdict(list)
    for each in objects:
        for cut in each.cuts or (-1,):
            by_cut[cut].append(each)
    items = []
    for cut, lost in by_cut.items():
        cost = sum((Fraction(1, total * max(1, len(each.cuts))) for each in lost), Fraction(0))
        indices = tuple(each.index for each in lost)
        if cut < 0:
            place = (min(each.hull[0] for each in lost), max(each.hull[1] for each in lost))
            items.append(Item("edge", place, (), cost, words.at_edge(lost), indices))
            continue
        low, high = cuts.places[cut].tolist()
        own = (int(cuts.left[cut]), int(cuts.right[cut]))
        items.append(Item("cut", (low, high), own, cost, words.at_cut(lost), indices))
    return items


def _size_items(chunks: Chunks, scores: Scores) -> list[Item]:
    options, n = scores.options, len(chunks)
    noun = "tokens" if options.unit == "o200k" else "words"
    items = []
    for index in scores.chunks_bad_size.tolist():
        units = int(scores.units[index])
        if units > options.sc_max:
            words = f"long: {units:,} {noun}, {units - options.sc_max:,} above {options.sc_max:,}"
        else:
            words = f"short: {units:,} {noun}, {options.sc_min - units:,} below {options.sc_min:,}"
        items.append(_chunk_item(chunks, index, Fraction(1, n), words))
    return items


def _cohesion_items(inputs: ScoreInputs, chunks: Chunks, scores: Scores) -> list[Item]:
    assert scores.cohesion is not None
    parts, cosines = scores.cohesion.parts, scores.cohesion.cosines
    values, measured = scores["ICC"].per_chunk, scores["ICC"].measured
    items = []
    for index, rows in _rows_of_chunks(parts):
        least = rows[int(np.argmin(cosines[rows]))]
        start, end = parts.spans[least].tolist()
        words = (
            f"its {len(rows)} parts have a mean cosine of {values[index]:.3f} with it, the least "
            f"{cosines[least]:.3f}: {_quoted(inputs.text[start:end])}"
        )
        cost = (1.0 - float(values[index])) / measured
        objects = tuple(parts.sources[rows].tolist())
        items.append(_chunk_item(chunks, index, cost, words, objects))
    return items


def part_costs(scores: Scores) -> np.ndarray:
    """float64 (m,): what each part costs ICC, (1 − cosine) / (parts of its chunk · chunks)."""
    assert scores.cohesion is not None
    owners = scores.cohesion.parts.owners
    counts = np.bincount(owners)[owners]
    return np.asarray((1.0 - scores.cohesion.cosines) / (counts * scores["ICC"].measured))


def _coherence_items(chunks: Chunks, scores: Scores) -> list[Item]:
    assert scores.coherence is not None
    found, values = scores.coherence, scores["DCC"].per_chunk
    steps = np.zeros(len(found.order) + 1, np.int64)
    np.add.at(steps, found.windows.first, 1)
    np.subtract.at(steps, found.windows.last + 1, 1)
    windows = np.cumsum(steps)[:-1]
    # in reference mode a chunk that lies in many windows counts many times
    shares = windows / windows.sum() if scores.options.mode == "reference" else None
    items = []
    for place, index in enumerate(found.order.tolist()):
        value = float(values[index])
        if np.isnan(value):
            continue
        share = 1.0 / scores["DCC"].measured if shares is None else float(shares[place])
        count = int(windows[place])
        words = f"its mean cosine with the text around it is {value:.3f} ({count} windows)"
        items.append(_chunk_item(chunks, index, (1.0 - value) * share, words))
    return items


def _rows_of_chunks(parts: Parts) -> list[tuple[int, Indices]]:
    owners, first = np.unique(parts.owners, return_index=True)
    runs = np.split(np.arange(len(parts)), first[1:]) if len(owners) else []
    return list(zip(owners.tolist(), runs, strict=True))


def _chunk_item(
    chunks: Chunks, index: int, cost: Cost, words: str, objects: tuple[int, ...] = ()
) -> Item:
    place = (int(chunks.starts[index]), int(chunks.ends[index]))
    return Item("chunk", place, (index,), cost, words, objects)


def _quoted(text: str) -> str:
    words = " ".join(text.split())
    shown = words if len(words) <= LONGEST_QUOTE else f"{words[: LONGEST_QUOTE - 1]}…"
    return f"'{shown}'"


def _many(count: int, noun: str) -> str:
    return f", {count} {noun}s" if count > 1 else ""


def costs_by_chunk(blamed: Blame, n: int) -> Mapping[int, float]:
    """What each chunk costs, for colours: a cut counts half for each of its sides."""
    costs: dict[int, float] = defaultdict(float)
    for item in blamed.items:
        for index in item.chunks:
            if index < n:
                costs[index] += float(item.cost) / len(item.chunks)
    return dict(costs)
