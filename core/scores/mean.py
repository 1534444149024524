# SPDX-License-Identifier: AGPL-3.0-or-later
"""The weighted mean of the scores of one document, and of several documents."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from core.errors import ParameterError, nearest

CODES = ("RC", "ICC", "DCC", "BI", "SC")
HEAVIEST = 1_000_000
EQUAL_WEIGHTS: Mapping[str, float] = MappingProxyType(dict.fromkeys(CODES, 1.0))


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """All five weights: those given, and 1 for the others.

    Raises:
        ParameterError: an unknown score, or a weight that is not from 0 to `HEAVIEST`.
    """
    for code, weight in weights.items():
        if code not in CODES:
            raise ParameterError(
                f"there is no score '{code}' to weigh{nearest(code, CODES)}: "
                f"the scores are {', '.join(CODES)}"
            )
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight <= HEAVIEST:
            shown = f"{weight:g}" if isinstance(weight, float) else repr(weight)
            raise ParameterError(
                f"the weight of {code} is {shown:.40}, but must be a number, at least 0 and at "
                f"most {HEAVIEST}: give 0 to leave the score out of the mean"
            )
    return {code: float(weights.get(code, 1.0)) for code in CODES}


def document_mean(
    values: Mapping[str, float | None], weights: Mapping[str, float] = EQUAL_WEIGHTS
) -> float | None:
    """Weighted mean of the scores that are measurable; None when none of weight is.

    Source: `spec/metrics.md` 9.
    """
    counted = [
        (value, weights.get(code, 1.0))
        for code, value in values.items()
        if value is not None and weights.get(code, 1.0) > 0
    ]
    if not counted:
        return None
    return sum(value * weight for value, weight in counted) / sum(weight for _, weight in counted)


def corpus_means(documents: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """Per score, the mean over the documents where it is measurable.

    The published table weighs these five means, not the documents' means (`spec/metrics.md` 9).
    """
    means: dict[str, float | None] = {}
    for code in CODES:
        known = [value for each in documents if (value := each.get(code)) is not None]
        means[code] = sum(known) / len(known) if known else None
    return means
