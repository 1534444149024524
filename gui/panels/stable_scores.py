# SPDX-License-Identifier: AGPL-3.0-or-later
"""The scores that stood still last, with which those of now are compared."""

import time
from collections.abc import Callable

from core.scores.mean import CODES, document_mean
from core.scores.options import SCORES
from core.scores.results import Scores
from core.scores.selection import codes_of_mixed_kinds

REST_SECONDS = 0.6  # what is shown for less is a step of a drag


class StableScores:
    """Follows the scores of one strategy on one document."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._place: tuple[str, int] | None = None  # document, slot
        self._key, self._since = "", 0.0
        self._shown: Scores | None = None
        self.before: Scores | None = None

    def follow(self, place: tuple[str, int], key: str, scores: Scores) -> None:
        """Take what is shown now: `scores` of the chunks with that key."""
        if place != self._place:
            self.before = None
            self._since = self._clock()
        elif key != self._key:
            if self._clock() - self._since >= REST_SECONDS:
                self.before = self._shown
            self._since = self._clock()
        self._place, self._key, self._shown = place, key, scores


def comparable(old: Scores | None, new: Scores | None) -> dict[str, float | None]:
    """Old values by score and "mean", None where they cannot be compared.

    Vectors may be of two kinds, and the options of a score may be others: size compliance with
    other limits is another question, not a better answer.
    """
    if old is None or new is None:
        return dict.fromkeys((*CODES, "mean"))
    mixed = codes_of_mixed_kinds([old, new])
    if old.embedder != new.embedder:
        mixed = ["ICC", "DCC"]
    mixed = [code for code in CODES if code in mixed or _are_asked_otherwise(code, old, new)]
    values = {code: None if code in mixed else old[code].value for code in CODES}
    measured = [old[code].value is None for code in CODES]
    is_alike = measured == [new[code].value is None for code in CODES]
    mean = document_mean(old.values, new.options.weights)  # as it is weighted now
    return {**values, "mean": mean if is_alike and not mixed else None}


def _are_asked_otherwise(code: str, old: Scores, new: Scores) -> bool:
    """Whether mode or an option of a score differ."""
    (declaration,) = (each for each in SCORES if each.code == code)
    names = ["mode", "unit", *(parameter.name for parameter in declaration.parameters)]
    return any(getattr(old.options, name) != getattr(new.options, name) for name in names)
