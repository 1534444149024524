# SPDX-License-Identifier: AGPL-3.0-or-later
"""Groups of pages: PAGE (`spec/strategies.md` 7.4)."""

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.arrays import Indices, Offsets, Spans, as_spans
from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import Chunks, Rule, one_span_chunks, reasons
from core.strategies.groups import windows
from core.strategies.registry import strategy
from core.strategies.source import Source

PAGE_END = Rule("page end", "the chunk has its {threshold:.0f} pages")
PAGE_START = Rule("page start", "a page begins here")
OVERLAP = Rule("overlap", "{value:.0f} lines of the chunk before are repeated")
FORM_FEED = "\f"

PAGE = Declaration(
    code="PAGE",
    name="Pages",
    family="pages",
    strategy_class="instant",
    source="Adaptive Chunking (AC); released code, commit ea87ce8, whose own defaults are 2 pages "
    "and 10 lines",
    help="Each page, or a few pages, is a chunk. In a text file form feeds separate pages.",
    parameters=(
        Parameter(
            "pages", default=1, minimum=1, maximum=1_000, unit="pages", help="Pages of a chunk"
        ),
        Parameter(
            "overlap_lines",
            default=0,
            minimum=0,
            maximum=200,
            unit="lines",
            help="Lines of the chunk before that are repeated",
        ),
        Parameter(
            "keep_empty",
            default=False,
            type="boolean",
            help="Whether a page without text is a chunk, as in the released code",
        ),
    ),
    presets=(
        Preset("AC, the paper's single pages", {"pages": 1, "overlap_lines": 0}),
        Preset("AC, the library's defaults", {"pages": 2, "overlap_lines": 10}),
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class PagesAndLines:
    """Spans of the p pages, int64 (p, 2), and where each line of the text starts, int64 (l,)."""

    pages: Spans
    line_starts: Offsets


def find_pages(source: Source) -> PagesAndLines:
    """The pages of the document, or of a text file with form feeds, and all lines."""
    text = source.text
    spans = [(page.start, page.end) for page in source.document.pages]
    if not spans or len(spans) == 1:
        spans = _text_pages(text)
    ends = np.array([match.end() for match in re.finditer("\n", text)], dtype=np.int64)
    return PagesAndLines(_tiled(as_spans(spans), len(text)), np.concatenate([[0], ends]))


def _text_pages(text: str) -> list[tuple[int, int]]:
    """Pages between form feeds; a form feed belongs to the page that it ends."""
    ends = [match.end() for match in re.finditer(FORM_FEED, text)]
    return list(pairwise([0, *ends, len(text)]))


def _tiled(pages: Spans, length: int) -> Spans:
    """Text between two pages belongs to the page before, text before the first to the first."""
    tiled = pages.copy()
    tiled[0, 0] = 0
    tiled[:-1, 1] = tiled[1:, 0]
    tiled[-1, 1] = length
    return tiled


@strategy(PAGE, prepare=find_pages)
def cut_pages(
    prepared: PagesAndLines, *, pages: int, overlap_lines: int, keep_empty: bool
) -> Chunks:
    """Cut after every so many pages; with overlap a chunk begins some lines earlier."""
    n = len(prepared.pages)
    first, last = windows(n, pages, pages)
    spans = np.stack([prepared.pages[first, 0], prepared.pages[last - 1, 1]], axis=1)
    kept = np.flatnonzero((spans[:, 0] < spans[:, 1]) | keep_empty)
    repeated = np.zeros(len(spans), np.int64)
    if overlap_lines:
        spans, repeated = _overlapped(spans, prepared.line_starts, overlap_lines)
    at_start, at_end = np.arange(len(spans)) == 0, np.arange(len(spans)) == len(spans) - 1
    starts = reasons(
        (PAGE_START, OVERLAP),
        len(spans),
        which=np.where(at_start, -1, (repeated > 0).astype(np.int64)),
        values=repeated.astype(np.float64),
    )
    ends = reasons(
        PAGE_END,
        len(spans),
        which=np.where(at_end, -1, 0),
        values=(last - first).astype(np.float64),
        thresholds=pages,
    )
    return one_span_chunks(spans[kept], starts.take(kept), ends.take(kept))


def _overlapped(spans: Spans, line_starts: Offsets, lines: int) -> tuple[Spans, Indices]:
    """Spans that begin with the last lines of the one before, and how many lines each repeats.

    The lines are those of the chunk before with its own overlap. One that has no more lines is
    repeated whole.
    """
    moved = spans.copy()
    repeated = np.zeros(len(spans), np.int64)
    for k in range(1, len(spans)):
        start, end = moved[k - 1, 0], spans[k, 0]
        inside = line_starts[np.searchsorted(line_starts, start, side="right") :]
        inside = inside[: np.searchsorted(inside, end, side="left")]
        begins = np.concatenate([[start], inside]) if end > start else inside
        chosen = begins[-lines:]
        if len(chosen):
            moved[k, 0], repeated[k] = chosen[0], len(chosen)
    return moved, repeated
