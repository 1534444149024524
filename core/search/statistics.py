# SPDX-License-Identifier: AGPL-3.0-or-later
"""Paired statistics over questions (`spec/evaluation.md` 14 and 15), vectorised, shared draws.

All columns are resampled by the same draws, as weights of the questions: a resample of a mean is
then one product of matrices, for any number of strategies and measures.
"""

from collections.abc import Callable, Sequence
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
_BLOCK = 1_000  # resamples at once
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


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The draws that all bootstraps and permutations over the same n questions share.

    They are made again at each use from the seed, block by block, so that they take no memory.

    groups: int64 (n,), the passage of each question, 0 to g − 1, to resample passages instead of
        questions; None: questions.
    """

    n: int
    seed: int = SEED
    resamples: int = RESAMPLES
    groups: Indices | None = None

    @property
    def is_exact(self) -> bool:
        """True if permutation tests go through all changes of sign."""
        return self.n <= EXACT_UP_TO

    def means(self, columns: Matrix) -> Matrix:
        """float64 (c, b): the mean of each column, (n, c), in each resample."""
        groups = np.arange(self.n) if self.groups is None else self.groups
        count = int(groups.max()) + 1
        generator = np.random.default_rng(self.seed)
        means = np.empty((columns.shape[1], self.resamples))
        for first in range(0, self.resamples, _BLOCK):
            size = min(_BLOCK, self.resamples - first)
            drawn = generator.integers(0, count, (size, count))
            flat = (drawn + np.arange(size)[:, None] * count).ravel()
            times = np.bincount(flat, minlength=size * count).reshape(size, count)[:, groups]
            sums = columns.T @ times.T.astype(np.float64)
            means[:, first : first + size] = sums / np.maximum(times.sum(axis=1), 1)
        return means

    def signed_sums(self, columns: Matrix) -> Matrix:
        """float64 (c, b): the sum of each column, (n, c), with A and B swapped or not."""
        rounds = 2**self.n if self.is_exact else self.resamples
        generator = np.random.default_rng(self.seed + 1)
        sums = np.empty((columns.shape[1], rounds))
        for first in range(0, rounds, _BLOCK):
            size = min(_BLOCK, rounds - first)
            if self.is_exact:
                swapped = np.arange(first, first + size)[:, None] >> np.arange(self.n) & 1
            else:
                swapped = generator.integers(0, 2, (size, self.n), dtype=np.int8).astype(np.int64)
            sums[:, first : first + size] = columns.T @ (1.0 - 2.0 * swapped).T
        return sums


def bootstrap_ends(values: Values, means: Values, *, bca: bool = True) -> tuple[float, float]:
    """The ends of the interval of a mean.

    Args:
        values: float64 (n,).
        means: float64 (b,), of its resamples.
        bca: bias-corrected and accelerated (Efron 1987); percentile where that is not defined.
    """
    means = means.round(_DECIMALS)
    tail = (1 - CONFIDENCE) / 2
    levels = _bca_levels(values, means, tail) if bca else (tail, 1 - tail)
    places = [level * (len(means) - 1) for level in levels]
    whole = [int(place) for place in places]
    last = len(means) - 1
    ordered = np.partition(means, sorted({*whole, *(min(each + 1, last) for each in whole)}))
    low, high = (
        float(ordered[each] + (place - each) * (ordered[min(each + 1, last)] - ordered[each]))
        for each, place in zip(whole, places, strict=True)
    )
    return low, high


def permutation_p(total: float, sums: Values, draws: Draws) -> float:
    """Two-sided p of a paired permutation test of the mean difference.

    Args:
        total: the sum of the differences.
        sums: float64 (b,), the sums with changed signs.
        draws: whose sums they are; exact for few questions, else (count + 1) / (draws + 1).
    """
    count = int((np.abs(sums) >= abs(total) - 1e-9).sum())
    return count / len(sums) if draws.is_exact else (count + 1) / (len(sums) + 1)


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


def cohen_dz(differences: Values) -> float:
    """Mean over standard deviation of paired differences, float64 (n,); nan where constant."""
    spread = differences.std(ddof=1) if len(differences) > 1 else 0.0
    return float(differences.mean() / spread) if spread > 1e-12 else float("nan")


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
    found: dict[int, Interval] = {}
    for places, rows in _by_missing(columns):
        kept = columns[rows][:, places]
        n = len(kept)
        if n < LEAST_QUESTIONS:
            note = size_note(n) if n else "no question has a value"
            for place, values in zip(places, kept.T, strict=True):
                found[place] = Interval(float(values.mean()) if n else None, None, None, n, note)
            continue
        means = draws_of(rows).means(kept)
        for place, values, drawn in zip(places, kept.T, means, strict=True):
            found[place] = _interval(values, *bootstrap_ends(values, drawn))
    return [found[place] for place in range(columns.shape[1])]


def compare_columns(
    columns: Matrix, pairs: Sequence[tuple[int, int]], draws_of: "DrawsFor"
) -> list[Comparison]:
    """Compare pairs of columns, float64 (n, c), over the questions where both have a value."""
    found: dict[tuple[int, int], Comparison] = {}
    missing = np.isnan(columns)
    parts: dict[bytes, list[tuple[int, int]]] = {}
    for pair in pairs:
        parts.setdefault((missing[:, pair[0]] | missing[:, pair[1]]).tobytes(), []).append(pair)
    for mask, some in parts.items():
        rows = np.flatnonzero(~np.frombuffer(mask, np.bool_))
        places = sorted({place for pair in some for place in pair})
        compared = _compared(columns[rows][:, places], draws_of(rows))
        of = {place: index for index, place in enumerate(places)}
        for a, b in some:
            found[a, b] = compared(of[a], of[b])
    return [found[pair] for pair in pairs]


class DrawsFor:
    """Draws for any part of the questions."""

    def __init__(
        self, *, seed: int = SEED, resamples: int = RESAMPLES, groups: Indices | None = None
    ) -> None:
        self._seed = seed
        self._resamples = resamples
        self._groups = groups

    def __call__(self, rows: Indices) -> Draws:
        """Draws for the questions `rows`, int64 (m,)."""
        groups = None
        if self._groups is not None:
            groups = np.unique(self._groups[rows], return_inverse=True)[1]
        return Draws(len(rows), self._seed, self._resamples, groups)


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

    with np.errstate(divide="ignore", invalid="ignore"):  # groups that do not vary give nan
        f_test = stats.f_oneway(*groups)
        tukey = stats.tukey_hsd(*groups)
        levene = stats.levene(*groups, center="median")
    residuals = np.concatenate([group - group.mean() for group in groups])
    report: dict[str, Any] = {
        "f": float(f_test.statistic),
        "p": float(f_test.pvalue),
        "eta_squared": eta_squared(groups),
        "tukey_p": np.asarray(tukey.pvalue).tolist(),
        "cohen_d": [[cohen_d(one, other) for other in groups] for one in groups],
        "levene_p": float(levene.pvalue),
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
    precisions, recalls = draws.means(np.column_stack([precision, recall]))
    sums = precisions + recalls
    values = np.divide(2 * precisions * recalls, sums, out=np.zeros_like(sums), where=sums > 0)
    return bootstrap_ends(precision, values, bca=False)


def chosen_and_tested(columns: Matrix, *, seed: int = SEED) -> tuple[int, Indices]:
    """Choose the best column on a random half of the questions; the other half is for its report.

    The best of many configurations looks better than it is on the questions that chose it.

    Args:
        columns: float64 (n, c), a strategy each.
        seed: of the halves.

    Returns:
        The best column, and the questions of the other half, int64 (m,).
    """
    order = np.random.default_rng(seed).permutation(len(columns))
    half = len(order) // 2
    best = int(np.argmax(np.nan_to_num(np.nanmean(columns[order[:half]], axis=0), nan=-np.inf)))
    return best, np.sort(order[half:])


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


def _compared(kept: Matrix, draws: Draws) -> Callable[[int, int], Comparison]:
    """A function that compares two columns of (n, c): what is drawn is drawn once for all.

    A resample of a difference is the difference of the resamples, and so is a sum of signs.
    """
    n = len(kept)
    enough = n >= LEAST_QUESTIONS
    means = draws.means(kept) if enough else None
    sums = draws.signed_sums(kept) if enough else None

    def compare(a: int, b: int) -> Comparison:
        differences = kept[:, a] - kept[:, b]
        mean = float(differences.mean()) if n else None
        if means is None or sums is None:
            return Comparison(mean, None, None, None, None, n, note=size_note(n))
        low, high = bootstrap_ends(differences, means[a] - means[b])
        effect = cohen_dz(differences)
        return Comparison(
            mean,
            low,
            high,
            permutation_p(float(differences.sum()), sums[a] - sums[b], draws),
            None if np.isnan(effect) else effect,
            n,
            needed_questions(differences),
            size_note(n),
        )

    return compare


def _by_missing(columns: Matrix) -> list[tuple[list[int], Indices]]:
    """Columns that have values for the same questions, with those questions."""
    parts: dict[bytes, tuple[list[int], Indices]] = {}
    for place, column in enumerate(columns.T):
        rows = np.flatnonzero(~np.isnan(column))
        parts.setdefault(rows.tobytes(), ([], rows))[0].append(place)
    return list(parts.values())


def _bca_levels(values: Values, means: Values, tail: float) -> tuple[float, float]:
    """The levels of the two quantiles, corrected for bias and acceleration."""
    from scipy.special import ndtr, ndtri

    centre = values.mean().round(_DECIMALS)
    below = ((means < centre).sum() + (means <= centre).sum()) / (2 * len(means))
    # the jackknife of a mean: leaving out a value moves it by (mean − value) / (n − 1)
    offsets = values - values.mean()
    scale = 6 * (offsets**2).sum() ** 1.5
    if not 0 < below < 1 or scale < 1e-30:
        return tail, 1 - tail
    acceleration, bias = (offsets**3).sum() / scale, ndtri(below)
    steps = bias + ndtri(np.array([tail, 1 - tail]))
    low, high = ndtr(bias + steps / (1 - acceleration * steps)).tolist()
    return low, high


def _finite(value: Any) -> Any:
    """The value, with None for what is not finite: JSON has no other word for it."""
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
