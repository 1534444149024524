# SPDX-License-Identifier: AGPL-3.0-or-later
"""Reference pairs: a pronoun and the mention that it stands for; what a finder of them is.

The resolver is behind a small interface: `pair_finder.py` is ours, another can be given, and
pairs can be read from a file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.arrays import Spans, Values, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.errors import DocumentError

Pairs = NDArray[np.int64]  # (n, 4): entity start, end, pronoun start, end; half-open code points


@dataclass(frozen=True, slots=True, eq=False)
class FoundPairs:
    """The n pairs of one text, in the order of their pronouns.

    confidences: float64 (n,), 0 to 1, nan where the finder has none. rules: how each was found.
    reason: why nothing could be looked for, "" when it could.
    """

    finder: str  # id and version, shown beside RC
    pairs: Pairs
    confidences: Values
    rules: tuple[str, ...]
    notes: tuple[str, ...] = ()
    reason: str = ""


class PairFinder(Protocol):
    """Finds pairs once per text, whatever the chunking."""

    @property
    def id(self) -> str:
        """Name and version: part of cache keys, shown beside RC."""

    def find(
        self,
        text: str,
        language: str,
        *,
        boilerplate: Spans | None = None,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> FoundPairs:
        """Pairs of the text; none, with a reason, for a language that is not known.

        Args:
            text: the document's text.
            language: ISO 639-1.
            boilerplate: int64 (n, 2), spans whose mentions do not count.
            cancel: asked between blocks of pages.
            progress: told characters.
        """


def as_pairs(pairs: Sequence[Any]) -> Pairs:
    """int64 (n, 4) from `[[[a, b], [c, d]], …]`; an empty input gives (0, 4)."""
    return np.asarray(pairs, dtype=np.int64).reshape(-1, 4)


def no_pairs(finder: str, reason: str) -> FoundPairs:
    """The result of a finder that cannot look."""
    return FoundPairs(finder, as_pairs([]), np.zeros(0), (), reason=reason)


def pairs_from_json(data: object, length: int, name: str = "the pairs") -> Pairs:
    """Pairs of a file: `[[[a, b], [c, d]], …]`, entity first, or an object with key `pairs`.

    Raises:
        DocumentError: another shape, or a span outside [0, length].
    """
    if isinstance(data, dict):
        data = data.get("pairs")
    try:
        rows = [[entity, pronoun] for entity, pronoun in data]  # type: ignore[attr-defined, unused-ignore]  # the except clause covers all else
        spans = [_whole_numbers(span) for pair in rows for span in pair]
    except (TypeError, ValueError):
        raise DocumentError(
            f"{name}: not a list of [[entity start, end], [pronoun start, end]]: give such a list"
        ) from None
    return _inside(spans, length, name).reshape(-1, 4)


def spans_from_json(data: object, length: int, name: str) -> Spans:
    """Spans of a file: `[[a, b], …]`, or a list of objects with a `span`.

    Raises:
        DocumentError: another shape, or a span outside [0, length].
    """
    try:
        items = [each["span"] if isinstance(each, dict) else each for each in data]  # type: ignore[attr-defined, unused-ignore]  # the except clause covers all else
        spans = [_whole_numbers(item) for item in items]
    except (TypeError, ValueError, KeyError):
        raise DocumentError(
            f"{name} must be a list of [start, end] in whole numbers: give such a list"
        ) from None
    return _inside(spans, length, name)


def _whole_numbers(span: Any) -> tuple[int, int]:
    """A start and an end.

    Raises:
        TypeError, ValueError: not two whole numbers.
    """
    start, end = span
    if not all(isinstance(each, int) and not isinstance(each, bool) for each in (start, end)):
        raise TypeError
    return start, end


def _inside(spans: Sequence[tuple[int, int]], length: int, name: str) -> Spans:
    """Spans of any whole numbers, int64 (n, 2) once they are known to lie in the text."""
    for index, (start, end) in enumerate(spans):
        check_span(start, end, length, f"{name}: span {index}")
    return as_spans(spans)


def check_span(start: int, end: int, length: int, name: str) -> None:
    """Refuse a span that is reversed or outside of [0, length]; for numbers of any size.

    Raises:
        DocumentError: names the span, and the bound.
    """
    if not 0 <= start <= end <= length:
        raise DocumentError(
            f"{name} is [{start}, {end}), but must lie in [0, {length}) and not end "
            "before it starts: give offsets of this text in code points"
        )


def check_spans(spans: Spans, length: int, name: str) -> None:
    """Refuse spans, int64 (n, 2), that are reversed or outside of [0, length].

    Raises:
        DocumentError: names the first such span, and the bound.
    """
    bad = (spans[:, 0] < 0) | (spans[:, 1] < spans[:, 0]) | (spans[:, 1] > length)
    if bad.any():
        index = int(np.flatnonzero(bad)[0])
        start, end = spans[index].tolist()
        check_span(start, end, length, f"{name}: span {index}")
