# SPDX-License-Identifier: AGPL-3.0-or-later
"""Windows over chunks: the quick form against the plain definition."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from core.arrays import Spans, as_spans
from core.scores.coherence import find_windows
from core.scores.inputs import ScoreInputs
from core.scores.lengths import FreshLengths

TEXT = "one two  three   four five six\n\nseven eight nine ten. " * 6
N = len(TEXT)

span_lists = st.lists(
    st.tuples(st.integers(0, N), st.integers(0, 60)).map(lambda p: [p[0], min(N, sum(p))]),
    min_size=1,
    max_size=14,
)


def plain_windows(
    spans: list[list[int]], limit: int, step: int, least: int
) -> list[tuple[int, int, str]]:
    """`spec/metrics.md` 6, word by word; units are words."""
    windows: list[tuple[int, int, str]] = []
    begin = 0
    while begin < len(spans):
        covered, size, pieces, last = spans[begin][0], 0, [], begin - 1
        for member in range(begin, len(spans)):
            start, end = max(covered, spans[member][0]), spans[member][1]
            units = len(TEXT[start:end].split()) if end > start else 0
            if member - begin >= least and size + units > limit:
                break
            if units > 0:
                pieces.append(TEXT[start:end])
                size, covered = size + units, end
            last = member
        if last > begin and (not windows or windows[-1][1] != last):
            windows.append((begin, last, "".join(pieces)))
        begin += step
    return windows


def quick_windows(spans: Spans, limit: int, step: int, least: int) -> list[tuple[int, int, str]]:
    lengths = FreshLengths(ScoreInputs(TEXT), "words")
    found = find_windows(TEXT, spans, lengths, limit=limit, step=step, least=least)
    texts = found.texts(TEXT)
    return list(zip(found.first.tolist(), found.last.tolist(), texts, strict=True))


@given(
    rows=span_lists,
    limit=st.integers(1, 40),
    step=st.integers(1, 3),
    least=st.sampled_from([1, 2]),
    is_sorted=st.booleans(),
)
def test_windows_are_those_of_the_definition(
    rows: list[list[int]], limit: int, step: int, least: int, is_sorted: bool
):
    spans = sorted(rows) if is_sorted else rows

    found = quick_windows(as_spans(spans), limit, step, least)

    assert found == plain_windows(spans, limit, step, least)


@given(
    cuts=st.sets(st.integers(1, N - 1), max_size=14),
    back=st.integers(0, 25),
    limit=st.integers(1, 40),
)
def test_windows_of_overlapping_tiles_are_those_of_the_definition(
    cuts: set[int], back: int, limit: int
):
    edges = sorted({0, N, *cuts})
    spans = [[max(0, a - back), b] for a, b in itertools.pairwise(edges)]

    assert quick_windows(as_spans(spans), limit, 1, 2) == plain_windows(spans, limit, 1, 2)
