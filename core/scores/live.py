# SPDX-License-Identifier: AGPL-3.0-or-later
"""Scores that follow a chunking while it is edited: only what changed is compared again.

Whole numbers (which pairs and blocks are whole, where windows end) are made again for all
chunks, which is a few passes over short arrays. Vectors are touched only for the chunks that
changed, and for the windows that hold them or stopped before them.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from core.arrays import Indices, Mask, Values
from core.cancel import NEVER, CancelToken
from core.scores.coherence import Windows
from core.scores.inputs import ScoreInputs
from core.scores.lengths import FollowingLengths, common_rows
from core.scores.options import ScoreOptions
from core.scores.results import Scores
from core.scores.score import (
    NO_EMBEDDER,
    ONE_SPAN_ONLY,
    assemble,
    checked_units,
    flags_of,
    not_measurable,
)
from core.scores.vector_measures import (
    VectorMeasures,
    coherence_measures,
    coherence_values,
    cohesion_cosines,
    cohesion_measures,
    measure_vectors,
    part_group,
    plan_kinds,
    resolve,
    window_group,
)
from core.scores.vector_plan import VectorPlan, plan_vectors
from core.scores.vector_supply import SpanPassages, VectorSupply
from core.scores.window_walk import common_items
from core.strategies.chunks import Chunks


@dataclass(frozen=True, slots=True)
class Change:
    """A list of `old` objects became one of `new`: all but the first `before` and the last `after`.

    What stands before and after is the same in both.
    """

    before: int
    after: int
    old: int
    new: int

    @property
    def shift(self) -> int:
        """How far the objects behind the change moved."""
        return self.new - self.old

    @property
    def new_end(self) -> int:
        """End of the changed range in the new list."""
        return self.new - self.after

    @property
    def old_end(self) -> int:
        """End of the changed range in the old list."""
        return self.old - self.after


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    plan: VectorPlan
    icc: VectorMeasures
    dcc: VectorMeasures


class LiveScores:
    """The scores of one document's chunking. One worker uses it at a time.

    Equal to `score` with the same supply, to 1e-9. With `late` vectors (and `auto`, which means
    them here) no model is run. Other options, other inputs or another supply: make another one.
    """

    def __init__(
        self,
        inputs: ScoreInputs,
        options: ScoreOptions | None = None,
        *,
        supply: VectorSupply | None = None,
        why_no_vectors: str = NO_EMBEDDER,
    ) -> None:
        self._inputs = inputs
        self._options = options or ScoreOptions()
        if supply is not None and supply.policy == "auto" and supply.can_pool:
            supply = replace(supply, policy="late")
        self._supply = supply
        self._why_no_vectors = why_no_vectors
        self._lengths = FollowingLengths(inputs, self._options.tokenizer)
        self._state: _State | None = None
        self.compared = 0  # texts whose vectors the last update touched, for tests and measurements

    def update(self, chunks: Chunks, *, cancel: CancelToken = NEVER) -> Scores:
        """The scores of the chunks as they are now.

        Raises:
            Cancelled: `cancel` was set; the next update follows the last that was finished.
        """
        inputs, options = self._inputs, self._options
        cancel.check()
        units = checked_units(inputs, chunks, self._lengths)
        cancel.check()
        if options.mode == "reference" and not chunks.is_contiguous:
            return not_measurable(inputs, len(chunks), options, units, ONE_SPAN_ONLY)
        previous = None if self._state is None else self._state.plan
        plan = plan_vectors(inputs, chunks, options, self._lengths, previous)
        cancel.check()
        self._state = state = self._follow(plan, cancel)
        cancel.check()
        return assemble(
            inputs,
            chunks,
            options,
            flags=flags_of(inputs, chunks, options, units),
            plan=plan,
            icc=state.icc,
            dcc=state.dcc,
            embedder=self._supply.embedder.id if self._supply else "",
        )

    def _follow(self, plan: VectorPlan, cancel: CancelToken) -> _State:
        """Compare what changed since the last state; all of it without one."""
        supply, old = self._supply, self._state
        if supply is None or old is None or self._options.mode == "reference":
            self.compared = 2 * len(plan.chunks) + len(plan.parts) + len(plan.windows)
            return _State(plan, *measure_vectors(plan, supply, self._why_no_vectors))
        of_chunks, of_windows = plan_kinds(plan, supply)
        cosines = known_cosines(old, plan)
        stale = np.isnan(cosines)
        parts = part_group(plan.chunks, plan.parts.take(stale), of_chunks.pooled)
        low, high = stale_members(old.plan, plan)
        touched = (plan.windows.first <= high) & (plan.windows.last >= low)
        members = plan.members.at(np.arange(low, high + 1))
        windows = window_group(plan.windows.take(touched), of_windows.pooled[touched], members, low)
        cancel.check()
        part_vectors, window_vectors = resolve([parts.group, windows.group], supply)
        cancel.check()
        cosines[stale] = cohesion_cosines(parts, part_vectors)
        values = self._known_values(old, plan)
        values[low : high + 1] = coherence_values(windows, window_vectors)
        self.compared = sum(
            len(group.containers) + len(group.members) for group in (parts.group, windows.group)
        )
        return _State(
            plan,
            cohesion_measures(plan, of_chunks, cosines),
            coherence_measures(plan, of_windows, values),
        )

    @staticmethod
    def _known_values(old: _State, plan: VectorPlan) -> Values:
        """float64 (k,): the values of unchanged chunks in the order of DCC."""
        values: Values = np.full(len(plan.order), np.nan)
        known = old.dcc.per_chunk[old.plan.order]
        change = changed_passages(old.plan.members, plan.members)
        values[: change.before] = known[: change.before]
        if change.after:
            values[-change.after :] = known[-change.after :]
        return values


def changed_passages(old: SpanPassages, new: SpanPassages) -> Change:
    """Which of the passages are no longer the same, in two lists of spans."""
    if old.pointers is None and new.pointers is None:
        before, after = common_rows(old.spans, new.spans)
    else:
        before, after = common_items(_lists(old), _lists(new))
    return Change(before, after, len(old), len(new))


def known_cosines(old: "_State", plan: VectorPlan) -> Values:
    """float64 (m,): the cosines of the parts of chunks that were there before, nan for others."""
    cosines: Values = np.full(len(plan.parts), np.nan)
    if old.icc.cosines is None:
        return cosines
    before, now = old.plan.parts, plan.parts
    sources = matching_chunks(old.plan.chunks, plan.chunks)[now.owners]
    first_before = np.searchsorted(before.owners, sources, side="left")
    first_now = np.searchsorted(now.owners, now.owners, side="left")
    rows = first_before + np.arange(len(now)) - first_now
    known = sources >= 0
    cosines[known] = old.icc.cosines[rows[known]]
    return cosines


def matching_chunks(old: SpanPassages, new: SpanPassages) -> Indices:
    """int64 (n,): for each new passage an old one of the same spans, −1: there is none."""
    if old.pointers is None and new.pointers is None:
        size = 1 + max(int(spans.max(initial=0)) for spans in (old.spans, new.spans))
        keys = old.spans[:, 0] * size + old.spans[:, 1]
        wanted = new.spans[:, 0] * size + new.spans[:, 1]
        order = np.argsort(keys, kind="stable")
        if not len(order):
            return np.full(len(wanted), -1, np.int64)
        places = order[np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)]
        return np.where(keys[places] == wanted, places, -1)
    known = {spans: index for index, spans in enumerate(_lists(old))}
    return np.array([known.get(spans, -1) for spans in _lists(new)], np.int64)


def stale_members(old: VectorPlan, new: VectorPlan) -> tuple[int, int]:
    """The first and last member, in the new order, whose value may have changed; (0, −1): none.

    Those that changed themselves, and those of windows that are not the same before and after.
    """
    change = changed_passages(old.members, new.members)
    kept, moved = _clean(old.windows, change.before, change.old_end, change.shift)
    clean, _ = _clean(new.windows, change.before, change.new_end, 0)
    size = max(change.old, change.new) + 1
    old_keys = (old.windows.first + moved) * size + old.windows.last + moved
    new_keys = new.windows.first * size + new.windows.last
    same_old = kept & np.isin(old_keys, new_keys[clean])
    same_new = clean & np.isin(new_keys, old_keys[kept])
    edges: list[Indices] = [new.windows.first[~same_new], new.windows.last[~same_new]]
    for column in (old.windows.first, old.windows.last):
        edges.append(_moved(column[~same_old], change))
    if change.before < change.new_end:
        edges.append(np.array([change.before, change.new_end - 1]))
    flat = np.concatenate(edges)
    if not len(flat) or not change.new:
        return 0, -1
    return max(0, int(flat.min())), min(change.new - 1, int(flat.max()))


def _clean(windows: Windows, before: int, end: int, shift: int) -> tuple[Mask, Indices]:
    """Windows wholly before or behind the changed range; how far each moves."""
    ahead = windows.last < before
    behind = windows.first >= end
    return ahead | behind, np.where(behind, shift, 0)


def _moved(places: Indices, change: Change) -> Indices:
    """Places in the old order as places in the new one; the changed range as a whole."""
    behind = places >= change.old_end
    inside = np.clip(places, change.before, max(change.before, change.new_end - 1))
    return np.where(places < change.before, places, np.where(behind, places + change.shift, inside))


def _lists(passages: SpanPassages) -> list[bytes]:
    if passages.pointers is None:
        return [row.tobytes() for row in passages.spans]
    edges = passages.pointers.tolist()
    return [passages.spans[a:b].tobytes() for a, b in pairwise(edges)]
