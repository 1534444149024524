# SPDX-License-Identifier: AGPL-3.0-or-later
"""Paired statistics over questions (`spec/evaluation.md` 14 and 15), vectorised, shared draws.

All columns are resampled by the same draws, as weights of the questions: a resample of a mean is
then one product of matrices, for any number of strategies and measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Values

SEED = 12_345
RESAMPLES = 10_000
CONFIDENCE = 0.95
EXACT_UP_TO = 13  # questions: 2^13 sign changes are fewer than the draws
LEAST_QUESTIONS = 5
DEFAULT_DIFFERENCE = 0.05  # that the user cares about
SHARED_GOLD = 0.20  # of the questions; above, whole passages are resampled
_DECIMALS = 12  # sums in another order differ behind that
_Z = 1.96 + 0.84  # 95 % two-sided, power 80 %
Matrix = NDArray[np.float64]  # (n, c): questions × columns


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval; None where it cannot be given, with the reason in `note`."""

    mean: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A against B by one measure, paired by question."""

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    d: float | None  # Cohen's d_z: mean over standard deviation of the differences
    n: int
    needed: int | None = None  # questions to see `DEFAULT_DIFFERENCE`
    note: str = ""
    p_adjusted: float | None = None


class Draws:
    """The draws that all bootstraps and permutations over the same questions share."""

    def __init__(
        self,
        n: int,
        *,
        seed: int = SEED,
        resamples: int = RESAMPLES,
        groups: Indices | None = None,
    ) -> None:
        """Draw once.

        Args:
            n: questions.
            seed: of the generator.
            resamples: how many.
            groups: int64 (n,), the passage of each question, to resample passages; None: questions.
        """
        self.n = n
        self.resamples = resamples
        self._seed = seed
        self._groups = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
        self._weights: Matrix | None = None
        self._signs: Matrix | None = None

    @property
    def is_exact(self) -> bool:
        """True if permutation tests go through all changes of sign."""
        return self.n <= EXACT_UP_TO

    @property
    def weights(self) -> Matrix:
        """float64 (b, n): how often each question is in each resample, over its size."""
        if self._weights is None:
            count = int(self._groups.max()) + 1 if self.n else 0
            generator = np.random.default_rng(self._seed)
            drawn = generator.integers(0, max(count, 1), (self.resamples, count))
            flat = (drawn + np.arange(self.resamples)[:, None] * count).ravel()
            counts = np.bincount(flat, minlength=self.resamples * count)
            weights = counts.reshape(self.resamples, count)[:, self._groups]
            sizes = weights.sum(axis=1, keepdims=True)
            self._weights = weights / np.maximum(sizes, 1.0)
        return self._weights

    @property
    def signs(self) -> Matrix:
        """float64 (b, n): 1 or −1: whether A and B are swapped in each question."""
        if self._signs is None:
            if self.is_exact:
                bits = np.arange(2**self.n)[:, None] >> np.arange(self.n)
                self._signs = np.where(bits & 1, -1.0, 1.0)
            else:
                generator = np.random.default_rng(self._seed + 1)
                drawn = generator.integers(0, 2, (self.resamples, self.n), dtype=np.int8)
                self._signs = np.where(drawn, -1.0, 1.0)
        return self._signs


def bootstrap(columns: Matrix, draws: Draws, *, bca: bool = True) -> tuple[Values, Values]:
    """Ends of the intervals of the means of all columns, float64 (c,) each.

    Args:
        columns: float64 (n, c), without nan.
        draws: shared.
        bca: bias-corrected and accelerated (Efron 1987); percentile where it gives nan.
    """
    means = np.round(draws.weights @ columns, _DECIMALS)
    centre = np.round(columns.mean(axis=0), _DECIMALS)
    low = np.full(len(centre), (1 - CONFIDENCE) / 2)
    high = 1 - low
    if bca:
        low, high = _bca_levels(columns, means, centre, low, high)
    means.sort(axis=0)
    return _quantiles(means, low), _quantiles(means, high)


def permutation_p(differences: Matrix, draws: Draws) -> Values:
    """float64 (c,): two-sided p of paired permutation tests of the mean difference.

    Args:
        differences: float64 (n, c), A − B.
        draws: shared; exact for few questions, else (count + 1) / (draws + 1).
    """
    observed = np.abs(np.round(differences.sum(axis=0), 9))
    sums = np.abs(np.round(draws.signs @ differences, 9))
    counts = (sums >= observed).sum(axis=0)
    if draws.is_exact:
        return np.asarray(counts / len(draws.signs), np.float64)
    return np.asarray((counts + 1) / (len(draws.signs) + 1), np.float64)


def holm(p_values: Sequence[float] | Values) -> Values:
    """Adjusted p-values (Holm 1979), in the order given."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.minimum(1.0, (len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def cohen_d(one: Values, other: Values) -> float:
    """Cohen's d with the pooled standard deviation; nan where nothing varies."""
    spread = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 2)
    return float((one.mean() - other.mean()) / spread) if spread > 0 else float("nan")


def cohen_dz(differences: Matrix) -> Values:
    """float64 (c,): mean over standard deviation of paired differences, nan where constant."""
    spread = differences.std(axis=0, ddof=1) if len(differences) > 1 else np.zeros(1)
    mean = differences.mean(axis=0)
    effects: Values = np.divide(mean, spread, out=np.full_like(mean, np.nan), where=spread > 1e-15)
    return effects


def eta_squared(groups: Sequence[Values]) -> float:
    """SS between / (SS between + SS within)."""
    everything = np.concatenate(list(groups))
    between = sum(len(g) * (g.mean() - everything.mean()) ** 2 for g in groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups)
    return float(between / (between + within)) if between + within else float("nan")


def needed_questions(differences: Values, wanted: float = DEFAULT_DIFFERENCE) -> int:
    """About how many questions show a difference of `wanted` with a power of 80 %."""
    return int(np.ceil(_Z**2 * differences.var(ddof=1) / wanted**2)) if len(differences) > 1 else 0


def size_note(n: int) -> str:
    """What the number of questions means for the statistics; empty from 50 on."""
    if n < LEAST_QUESTIONS:
        return "too few questions for statistics"
    if n < 20:
        return f"very wide; the smallest possible p is {2 / 2**n:.2g}"
    return "only large differences can be seen" if n < 50 else ""


def intervals(columns: Matrix, draws_of: "DrawsFor") -> list[Interval]:
    """The mean and interval of each column, float64 (n, c); nan questions are left out."""
    found: list[Interval | None] = [None] * columns.shape[1]
    for which, rows in _by_missing(columns):
        kept = columns[rows][:, which]
        n = len(kept)
        if n < LEAST_QUESTIONS:
            for place, column in zip(which, kept.T, strict=True):
                mean = float(column.mean()) if n else None
                note = size_note(n) if n else "no question has a value"
                found[place] = Interval(mean, None, None, n, note)
            continue
        low, high = bootstrap(kept, draws_of(rows))
        for place, column, a, b in zip(which, kept.T, low, high, strict=True):
            found[place] = _interval(column, float(a), float(b))
    return [each for each in found if each is not None]


def compare_columns(
    columns: Matrix, pairs: Sequence[tuple[int, int]], draws_of: "DrawsFor"
) -> list[Comparison]:
    """Compare pairs of columns, float64 (n, c), over the questions where both have a value."""
    if not pairs:
        return []
    differences = np.stack([columns[:, a] - columns[:, b] for a, b in pairs], axis=1)
    found: list[Comparison | None] = [None] * len(pairs)
    for which, rows in _by_missing(differences):
        kept = differences[rows][:, which]
        for place, comparison in zip(which, _compared(kept, draws_of, rows), strict=True):
            found[place] = comparison
    return [each for each in found if each is not None]


class DrawsFor:
    """Draws for any part of the questions, made once for each part."""

    def __init__(
        self, *, seed: int = SEED, resamples: int = RESAMPLES, groups: Indices | None = None
    ) -> None:
        self._seed = seed
        self._resamples = resamples
        self._groups = groups
        self._kept: dict[bytes, Draws] = {}

    def __call__(self, rows: Indices) -> Draws:
        """Draws for the questions `rows`, int64 (m,)."""
        key = rows.tobytes()
        if key not in self._kept:
            if len(self._kept) >= 2:  # each may hold 48 MB
                self._kept.pop(next(iter(self._kept)))
            groups = None if self._groups is None else self._groups[rows]
            self._kept[key] = Draws(
                len(rows), seed=self._seed, resamples=self._resamples, groups=groups
            )
        return self._kept[key]


def indistinguishable(
    names: Sequence[str], means: Values, differs: NDArray[np.bool_]
) -> list[list[str]]:
    """Groups of strategies, best first, no two members of which can be told apart.

    Args:
        names: of the m strategies.
        means: float64 (m,).
        differs: bool (m, m), true where two differ after the correction.
    """
    order = np.argsort(-means, kind="stable").tolist()
    groups: list[list[int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not differs[order[last + 1], order[first : last + 1]].any():
            last += 1
        run = order[first : last + 1]
        if not groups or not set(run) <= set(groups[-1]):
            groups.append(run)
    return [[names[index] for index in group] for group in groups]


def analysis_of_variance(groups: Sequence[Values]) -> dict[str, Any]:
    """One-way ANOVA, Tukey's HSD and Friedman's test, as publications give them.

    The same questions are in all groups, so the observations are not independent and the paired
    permutation test stays the main result; the checks of the other assumptions are given too.
    """
    from scipy import stats

    f_test = stats.f_oneway(*groups)
    tukey = stats.tukey_hsd(*groups)
    residuals = np.concatenate([group - group.mean() for group in groups])
    report: dict[str, Any] = {
        "f": float(f_test.statistic),
        "p": float(f_test.pvalue),
        "eta_squared": eta_squared(groups),
        "tukey_p": np.asarray(tukey.pvalue).tolist(),
        "levene_p": float(stats.levene(*groups, center="median").pvalue),
        "shapiro_p": None,
        "friedman": None,
        "friedman_p": None,
    }
    if 3 <= len(residuals) <= 5_000 and np.ptp(residuals) > 0:
        report["shapiro_p"] = float(stats.shapiro(residuals).pvalue)
    if len(groups) >= 3:
        friedman = stats.friedmanchisquare(*groups)
        report["friedman"] = float(friedman.statistic)
        report["friedman_p"] = float(friedman.pvalue)
    return {name: _finite(value) for name, value in report.items()}


def weighted_kappa(one: Sequence[int], other: Sequence[int]) -> float:
    """Agreement of two raters on an ordered scale, quadratic weights; nan where nothing varies."""
    scale = sorted({*one, *other})
    size = len(scale)
    table = np.zeros((size, size))
    for a, b in zip(one, other, strict=True):
        table[scale.index(a), scale.index(b)] += 1
    steps = np.array(scale, np.float64)
    weights = (steps[:, None] - steps[None, :]) ** 2
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(table.sum(), 1)
    by_chance = (weights * expected).sum()
    return float(1 - (weights * table).sum() / by_chance) if by_chance else float("nan")


def f1_of_means_interval(precision: Values, recall: Values, draws: Draws) -> tuple[float, float]:
    """Percentile interval of 2·P̄·R̄/(P̄+R̄), float64 (n,) each."""
    means = draws.weights @ np.column_stack([precision, recall])
    sums = means.sum(axis=1)
    values = np.divide(2 * means.prod(axis=1), sums, out=np.zeros(len(sums)), where=sums > 0)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def passage_groups(shared: Sequence[tuple[int, int]], n: int) -> Indices | None:
    """int64 (n,): the passage of each question, where enough questions share one; else None.

    Args:
        shared: pairs of questions that share a gold span.
        n: questions.
    """
    parents = list(range(n))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for a, b in shared:
        parents[root(a)] = root(b)
    involved = {question for pair in shared for question in pair}
    if len(involved) < SHARED_GOLD * n:
        return None
    return np.array([root(node) for node in range(n)], np.int64)


def _interval(column: Values, low: float, high: float) -> Interval:
    n = len(column)
    note = size_note(n)
    is_binary = bool(np.isin(column, (0.0, 1.0)).all())
    if is_binary and column.min() == column.max():
        from scipy import stats

        exact = stats.binomtest(int(column.sum()), n).proportion_ci(method="exact")
        low, high = float(exact.low), float(exact.high)
        note = f"{note}; exact interval" if note else "exact interval"
    return Interval(float(column.mean()), low, high, n, note)


def _compared(kept: Matrix, draws_of: DrawsFor, rows: Indices) -> list[Comparison]:
    n = len(kept)
    means = kept.mean(axis=0) if n else np.full(kept.shape[1], np.nan)
    if n < LEAST_QUESTIONS:
        note = size_note(n)
        return [
            Comparison(float(mean) if n else None, None, None, None, None, n, None, note)
            for mean in means
        ]
    draws = draws_of(rows)
    low, high = bootstrap(kept, draws)
    p_values, effects = permutation_p(kept, draws), cohen_dz(kept)
    return [
        Comparison(
            float(means[i]),
            float(low[i]),
            float(high[i]),
            float(p_values[i]),
            None if np.isnan(effects[i]) else float(effects[i]),
            n,
            needed_questions(kept[:, i]),
            size_note(n),
        )
        for i in range(kept.shape[1])
    ]


def _by_missing(columns: Matrix) -> list[tuple[list[int], Indices]]:
    """Columns that have values for the same questions, with those questions."""
    parts: dict[bytes, tuple[list[int], Indices]] = {}
    for place, column in enumerate(columns.T):
        rows = np.flatnonzero(~np.isnan(column))
        parts.setdefault(rows.tobytes(), ([], rows))[0].append(place)
    return list(parts.values())


def _bca_levels(
    columns: Matrix, means: Matrix, centre: Values, low: Values, high: Values
) -> tuple[Values, Values]:
    """The levels of the quantiles, float64 (c,) each, corrected for bias and acceleration."""
    from scipy.special import ndtr, ndtri

    below = ((means < centre).sum(axis=0) + (means <= centre).sum(axis=0)) / (2 * len(means))
    n = len(columns)
    jackknife = (columns.sum(axis=0) - columns) / (n - 1)
    offsets = jackknife.mean(axis=0) - jackknife
    scale = 6 * (offsets**2).sum(axis=0) ** 1.5
    acceleration = np.divide(
        (offsets**3).sum(axis=0), scale, out=np.full(len(scale), np.nan), where=scale > 1e-30
    )
    bias = ndtri(below)
    found = []
    for level in (low, high):
        z = bias + ndtri(level)
        with np.errstate(invalid="ignore"):
            corrected = ndtr(bias + z / (1 - acceleration * z))
        found.append(np.where(np.isfinite(corrected), corrected, level))
    return found[0], found[1]


def _quantiles(ordered: Matrix, levels: Values) -> Values:
    """float64 (c,): the quantile of each ascending column at its own level, linear."""
    places = levels * (len(ordered) - 1)
    low = np.floor(places).astype(np.int64)
    high = np.minimum(low + 1, len(ordered) - 1)
    columns = np.arange(ordered.shape[1])
    share = places - low
    below: Values = ordered[low, columns]
    return below + share * (ordered[high, columns] - below)


def _finite(value: Any) -> Any:
    """The value, with None for what is not finite: JSON has no other word for it."""
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
