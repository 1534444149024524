# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a view of an evaluation looks at, and how strategies and numbers are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Values
from core.search.conclusions import name_of
from core.search.evaluation import Evaluation, StrategyResult
from core.search.statistics import Interval

MINUS, MISSING = "−", "—"
_FEW, _MEBI = 1024, 1024**2


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """One part of an evaluation: what was searched together, with one model, by one measure."""

    evaluation: Evaluation
    embedder: str | None
    pool: str
    measure: str

    @property
    def k(self) -> int:
        """Hits that count."""
        return self.evaluation.options.k

    @property
    def results(self) -> tuple[StrategyResult, ...]:
        """The strategies of this part, in the order of the run."""
        return tuple(
            result
            for result in self.evaluation.results
            if (result.record.embedder, result.record.pool) == (self.embedder, self.pool)
        )

    @property
    def names(self) -> list[str]:
        """Full names of the strategies, by which comparisons know them."""
        return [name_of(result.record) for result in self.results]

    @property
    def labels(self) -> dict[str, str]:
        """Short names of all strategies of the evaluation by their full ones."""
        return short_names(self.evaluation.results)

    def values(self, result: StrategyResult, measure: str = "") -> Values:
        """float64 (q,): a measure of each question, nan where it is not applicable."""
        found = result.values[measure or self.measure]
        return np.array([np.nan if value is None else value for value in found])

    @property
    def measure_words(self) -> str:
        """The measure with k, such as recall@5."""
        return measure_words(self.measure, self.k)


def short_names(results: Sequence[StrategyResult]) -> dict[str, str]:
    """The code alone where it is unique, else with the parameters that differ."""
    by_code: dict[str, dict[str, Mapping[str, object]]] = {}
    for result in results:
        own: dict[str, object] = {
            name: each for name, each in result.record.parameters.items() if name != "name"
        }
        by_code.setdefault(result.record.strategy, {})[name_of(result.record)] = own
    found = {}
    for code, variants in by_code.items():
        every = list(variants.values())
        names = dict.fromkeys(name for each in every for name in each)  # an option may be in some
        keys = [key for key in names if any(each.get(key) != every[0].get(key) for each in every)]
        for name, variant in variants.items():
            parts = [f"{key} {variant[key]}" for key in keys if key in variant]
            found[name] = " ".join([code, *parts]) if parts else code
    return found


def parts_of(evaluation: Evaluation) -> list[tuple[str | None, str]]:
    """Model and pool of each part, in their order."""
    parts = [(result.record.embedder, result.record.pool) for result in evaluation.results]
    return list(dict.fromkeys(parts))


def part_words(part: tuple[str | None, str]) -> str:
    """A part as it is written."""
    model, pool = part
    short = model.split("/")[-1] if model else "full text"
    return short if pool == "all" else f"{short} · {pool}"


def measure_words(name: str, k: int) -> str:
    """A measure with k where it depends on it."""
    fixed = ("p_at_1", "p_at_1_lenient", "survival", "all_whole", "precision_omega")
    plain = name.removesuffix("_at_k").replace("_", " ") if name not in fixed else name
    known = {"p_at_1": "P@1", "ndcg": "nDCG", "mrr": "MRR", "iou": "IoU", "p": "P", "f1": "F1"}
    known |= {"hit": "Hit", "dcov": "DCov", "r chunk": "R chunk", "r passage": "R passage"}
    plain = known.get(plain, plain.replace("_", " "))
    return plain if name in fixed else f"{plain}@{k}"


def score(value: float | None) -> str:
    """Three decimals, or a dash."""
    return MISSING if value is None or np.isnan(value) else f"{value:.3f}"


def change(value: float | None) -> str:
    """With its sign, a true minus."""
    if value is None or np.isnan(value):
        return MISSING
    if abs(value) < 0.0005:
        return "±0"
    return f"{'+' if value > 0 else MINUS}{abs(value):.3f}"


def range_words(interval: Interval) -> str:
    """`0.04 to 0.18`, or why there is none."""
    if interval.low is None or interval.high is None:
        return interval.note or MISSING
    return f"{interval.low:.2f} to {interval.high:.2f}"


def p_words(p: float | None) -> str:
    """A p-value."""
    if p is None or np.isnan(p):
        return MISSING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def bytes_words(size: float | None) -> str:
    """Binary units, three digits."""
    if size is None:
        return MISSING
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < _FEW or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.3g} {unit}"
        size /= _FEW
    return MISSING


def share(value: float | None) -> str:
    """Whole percent, one decimal under 1 %."""
    if value is None or np.isnan(value):
        return MISSING
    return f"{value:.1%}" if 0 < value < 0.01 else f"{value:.0%}"
