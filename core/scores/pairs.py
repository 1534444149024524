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
        rows = [[int(number) for span in pair for number in span] for pair in data]  # type: ignore[attr-defined, unused-ignore]  # the except clause covers all else
        pairs = np.array(rows, np.int64).reshape(-1, 4)
        if any(len(row) != 4 for row in rows):
            raise ValueError
    except (TypeError, ValueError):
        raise DocumentError(
            f"{name}: not a list of [[entity start, end], [pronoun start, end]]: give such a list"
        ) from None
    check_spans(as_spans(pairs), length, name)
    return pairs


def check_spans(spans: Spans, length: int, name: str) -> None:
    """Refuse spans, int64 (n, 2), that are reversed or outside of [0, length].

    Raises:
        DocumentError: names the first such span, and the bound.
    """
    bad = (spans[:, 0] < 0) | (spans[:, 1] < spans[:, 0]) | (spans[:, 1] > length)
    if bad.any():
        index = int(np.flatnonzero(bad)[0])
        start, end = spans[index].tolist()
        raise DocumentError(
            f"{name}: span {index} is [{start}, {end}), but must lie in [0, {length}) and not end "
            "before it starts: give offsets of this text in code points"
        )
