# SPDX-License-Identifier: AGPL-3.0-or-later
"""Intrachunk cohesion (ICC): how near the parts of a chunk are to the chunk as a whole."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Mask, Offsets, Spans, Values
from core.declaration import Declaration, Parameter
from core.scores.characters import CharacterTable

ICC_PARTS = Parameter(
    "icc_parts",
    default="sentences",
    type="choice",
    choices=("sentences", "blocks"),
    help="What a chunk is taken apart into (reference mode always takes blocks)",
)
ICC = Declaration(
    code="ICC",
    name="Intrachunk cohesion",
    family="score",
    strategy_class="embedding",
    source="de Moura Júnior, Lelong and Blangero 2026 (arXiv 2603.25333); sentences as parts here",
    help="The mean cosine of a chunk's sentences with the chunk.",
    parameters=(ICC_PARTS,),
)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The m parts of n chunks.

    owners: int64 (m,), ascending, the chunk of each part. spans: int64 (m, 2).
    sources: int64 (m,), the sentence or block that the part belongs to.
    """

    owners: Indices
    spans: Spans
    sources: Indices

    def __len__(self) -> int:
        return len(self.owners)

    def counts(self, n: int) -> Indices:
        """int64 (n,): parts of each chunk."""
        return np.bincount(self.owners, minlength=n).astype(np.int64)

    def take(self, chosen: Mask) -> "Parts":
        """Only the chosen ones, bool (m,)."""
        return Parts(self.owners[chosen], self.spans[chosen], self.sources[chosen])

    def of_measured(self, n: int) -> "Parts":
        """Only the parts of chunks that have at least two."""
        return self.take(self.counts(n)[self.owners] >= 2)


@dataclass(frozen=True, slots=True, eq=False)
class PartUnits:
    """Sentences or blocks by start, ready to be searched.

    spans: int64 (k, 2), ascending starts; starts: int64 (k,), the same in a row.
    sources: int64 (k,), their places in the input.
    reach: int64 (k,), the greatest end so far, so that nested blocks are found too.
    ink: int64 (k,), characters of each that are not white space.
    """

    spans: Spans
    starts: Offsets
    sources: Indices
    reach: Offsets
    ink: Indices


def part_units(spans: Spans, boilerplate: Spans, characters: CharacterTable) -> PartUnits:
    """The sentences or blocks that count: those that begin in no boilerplate block."""
    order = np.argsort(spans[:, 0], kind="stable")
    order = order[~starts_inside(spans[order, 0], boilerplate)]
    chosen = spans[order]
    reach = np.maximum.accumulate(chosen[:, 1])
    return PartUnits(chosen, chosen[:, 0].copy(), order, reach, characters.ink_in(chosen))


def starts_inside(offsets: Offsets, spans: Spans) -> Mask:
    """Mask, bool (n,): the character at the offset lies in one of the spans."""
    starts, ends = np.sort(spans[:, 0]), np.sort(spans[:, 1])
    opened = np.searchsorted(starts, offsets, side="right")
    closed = np.searchsorted(ends, offsets, side="right")
    return opened > closed


def find_parts(
    spans: Spans, owners: Indices, units: PartUnits, characters: CharacterTable
) -> Parts:
    """The parts of chunks: `spans`, int64 (m, 2), of the chunks `owners`, int64 (m,).

    A part is what a sentence has in a span, stripped of white space; it needs a letter or digit
    and at least half of the sentence's characters that are not white space.

    Source: `spec/metrics.md` 5, default mode, steps 1 to 3.
    """
    low = np.searchsorted(units.reach, spans[:, 0], side="right")
    high = np.searchsorted(units.starts, spans[:, 1], side="left")
    row, unit = _ranges(low, np.maximum(high, low))
    clipped = np.column_stack(
        (
            np.maximum(units.spans[unit, 0], spans[row, 0]),
            np.minimum(units.spans[unit, 1], spans[row, 1]),
        )
    )
    meets = clipped[:, 1] > clipped[:, 0]
    row, unit = row[meets], unit[meets]
    stripped = characters.stripped(clipped[meets])
    full = stripped[:, 1] > stripped[:, 0]
    row, unit, stripped = row[full], unit[full], stripped[full]
    counts = characters.has_alnum(stripped) & (2 * characters.ink_in(stripped) >= units.ink[unit])
    return Parts(owners[row[counts]], stripped[counts], units.sources[unit[counts]])


def block_parts_in_reference(spans: Spans, blocks: Spans) -> Parts:
    """The pieces of each chunk between the starts of blocks, white space and all.

    Source: `spec/metrics.md` 5, reference mode; adaptive-chunking, commit ea87ce8.
    """
    cuts: Offsets = np.unique(blocks[1:, 0])
    low = np.searchsorted(cuts, spans[:, 0], side="right")
    high = np.maximum(np.searchsorted(cuts, spans[:, 1], side="left"), low)
    row, cut = _ranges(low, high)
    owners = np.concatenate((np.arange(len(spans)), row))
    starts = np.concatenate((spans[:, 0], cuts[cut]))
    order = np.lexsort((starts, owners))
    owners, starts = owners[order], starts[order]
    is_last = np.ones(len(owners), np.bool_)
    is_last[:-1] = owners[1:] != owners[:-1]
    ends = np.roll(starts, -1)
    ends[is_last] = spans[owners[is_last], 1]
    sources = np.searchsorted(blocks[:, 0], starts, side="right") - 1
    return Parts(owners, np.column_stack((starts, ends)), sources)


def part_cosines(
    parts: NDArray[np.floating], chunks: NDArray[np.floating], owners: Indices
) -> Values:
    """float64 (m,): cosine of each part, (m, d), with its chunk, a row of (n, d)."""
    cosines: Values = np.einsum(
        "ij,ij->i", parts, chunks[owners], dtype=np.float64, casting="same_kind"
    )
    return cosines


def mean_by_chunk(values: Values, owners: Indices, n: int) -> Values:
    """float64 (n,): the mean of each chunk's values; nan for a chunk without any."""
    return ratios(by_chunk(owners, values, n), by_chunk(owners, np.ones(len(owners)), n))


def by_chunk(owners: Indices, values: NDArray[Any], n: int) -> Values:
    """float64 (n,): the sum of each chunk's values, (m,), of the chunks `owners`, int64 (m,)."""
    return np.bincount(owners, weights=values, minlength=n).astype(np.float64)


def ratios(parts: Values, wholes: Values) -> Values:
    """float64 (n,): parts divided by wholes; nan where there is no whole."""
    shares: Values = np.full(len(wholes), np.nan)
    np.divide(parts, wholes, out=shares, where=wholes > 0)
    return shares


def _ranges(low: Indices, high: Indices) -> tuple[Indices, Indices]:
    """Each row with each number of its range `low` to `high`: rows, int64, and numbers, int64."""
    sizes = high - low
    rows = np.repeat(np.arange(len(low)), sizes)
    before = np.cumsum(sizes) - sizes
    return rows, np.arange(len(rows)) - before[rows] + low[rows]
