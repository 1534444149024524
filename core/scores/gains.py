# SPDX-License-Identifier: AGPL-3.0-or-later
"""What an edit would gain: merging two chunks at a cut, or splitting one at its best place.

Gains rank what helps, shares (`blame.py`) rank what hurts. They do not add up: a pair that two
cuts lose needs both merges.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Offsets, as_spans
from core.errors import ParameterError
from core.scores.inputs import ScoreInputs
from core.scores.live import LiveScores
from core.scores.results import Scores
from core.strategies.chunks import Chunks, one_span_chunks

MOST_PLACES = 12  # sentence starts at which a split is tried


@dataclass(frozen=True, slots=True)
class Gain:
    """What an edit does: the change of each score and of the mean; None: not measurable.

    place: where the chunk would be split, −1 for a merge. chunks: those that the edit touches.
    """

    chunks: tuple[int, ...]
    place: int
    changes: Mapping[str, float | None]


def merge_gain(live: LiveScores, chunks: Chunks, left: int, right: int) -> Gain:
    """What merging two chunks of one span each gives; `live` is at `chunks` again afterwards.

    Raises:
        ParameterError: the chunks are of several spans.
    """
    before = live.update(chunks)
    after = live.update(merged(chunks, left, right))
    live.update(chunks)
    return Gain((left, right), -1, changes(before, after))


def split_gain(
    inputs: ScoreInputs, live: LiveScores, chunks: Chunks, index: int, *, code: str = "mean"
) -> Gain | None:
    """The best of the splits at starts of sentences, by the score `code`; None: there is none."""
    before = live.update(chunks)
    tried = [
        Gain((index,), place, changes(before, live.update(split(chunks, index, place))))
        for place in split_places(inputs, chunks, index).tolist()
    ]
    live.update(chunks)
    known = [gain for gain in tried if gain.changes[code] is not None]
    return max(known, key=lambda gain: gain.changes[code] or 0.0, default=None)


def split_places(inputs: ScoreInputs, chunks: Chunks, index: int) -> Offsets:
    """int64 (k,): starts of sentences inside a chunk, at most twelve, evenly spread."""
    start, end = int(chunks.starts[index]), int(chunks.ends[index])
    starts = inputs.sentences[:, 0]
    places = starts[(starts > start) & (starts < end)]
    if len(places) <= MOST_PLACES:
        return places
    return places[np.linspace(0, len(places) - 1, MOST_PLACES).astype(np.int64)]


def merged(chunks: Chunks, left: int, right: int) -> Chunks:
    """The chunks with two of them made one, from the lesser start to the greater end."""
    spans = _one_span_each(chunks).copy()
    first, last = min(left, right), max(left, right)
    spans[first] = min(spans[first, 0], spans[last, 0]), max(spans[first, 1], spans[last, 1])
    return one_span_chunks(np.delete(spans, last, axis=0))


def split(chunks: Chunks, index: int, place: int) -> Chunks:
    """The chunks with one of them cut in two at an offset inside it."""
    spans = _one_span_each(chunks)
    start, end = spans[index].tolist()
    if not start < place < end:
        raise ParameterError(
            f"the place of the split is {place}, but must lie inside the chunk, {start} to {end}: "
            "choose an offset between them"
        )
    halves = as_spans([(start, place), (place, end)])
    return one_span_chunks(np.concatenate((spans[:index], halves, spans[index + 1 :])))


def changes(before: Scores, after: Scores) -> dict[str, float | None]:
    """The change of each score and of the mean; None where it is not measurable on both sides."""
    pairs: Sequence[tuple[str, float | None, float | None]] = [
        *((code, before[code].value, after[code].value) for code in before.measures),
        ("mean", before.mean, after.mean),
    ]
    return {code: None if old is None or new is None else new - old for code, old, new in pairs}


def _one_span_each(chunks: Chunks) -> np.ndarray:
    if not chunks.is_contiguous:
        raise ParameterError(
            "chunks of several spans cannot be merged or split here: choose a strategy whose "
            "chunks are one stretch of text each"
        )
    return chunks.spans
