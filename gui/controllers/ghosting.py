# SPDX-License-Identifier: AGPL-3.0-or-later
"""How many chunks there would be at every value of a parameter, counted behind, coarse to fine.

Samples of the whole range come first; then each two neighbours whose chunks differ are halved
until a value at which they change is found exactly. A curve depends on everything but its own
parameter, so a drag of one slider keeps its own curve and only the others are counted anew, once
the slider rests.
"""

import time
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import pairwise

from PySide6.QtCore import QObject, QTimer, Signal

from core.declaration import Parameter, Value
from core.document.model import Document
from core.errors import ChunkscopeError
from core.pipeline import Pipeline
from core.strategies.recipe import Recipe
from core.strategies.shared_options import SHARED_OPTIONS
from gui.jobs import Jobs, JobToken
from gui.scale import Scale, coarse_to_fine
from gui.state import State

REST_MILLISECONDS = 350
BATCH_SECONDS = 0.02  # one step of the work; whatever is more urgent comes between two
SLOW_BUDGET_SECONDS = 2.5  # for a parameter that prepares anew at each value
HALVING_BUDGET_SECONDS = 4.0  # for all of a quick one, samples included; these are always finished
PRIORITY = 30
MOST_KEPT = 48
JOB = "ghosts"
SHARED_NUMBERS = tuple(p for p in SHARED_OPTIONS if p.type in ("integer", "number"))


@dataclass(slots=True, eq=False)
class Curve:
    """Number of chunks by value.

    values: the samples of the range, ascending. is_exact: they are all of its steps.
    step: the least distance of two values. is_estimate: from late vectors, where exact ones would
    have to be made for every value. counts: chunks by value; keys tell which values give the very
    same chunks.
    """

    values: list[float]
    is_exact: bool
    step: float = 1.0
    is_estimate: bool = False
    counts: dict[float, int] = field(default_factory=dict)
    keys: dict[float, str] = field(default_factory=dict)
    seconds: float = 0.0
    is_done: bool = False
    _tried: list[float] = field(default_factory=list)
    _known: list[tuple[float, int]] = field(default_factory=list)
    _changes: list[float] = field(default_factory=list)
    _exact_changes: set[float] = field(default_factory=set)

    def add(self, found: dict[float, tuple[int, str]], seconds: float) -> None:
        """Take what was counted at some values, and how long that took."""
        self.counts.update({value: each[0] for value, each in found.items()})
        self.keys.update({value: each[1] for value, each in found.items()})
        self.seconds += seconds
        self._tried = sorted(self.counts)
        self._known = [(value, self.counts[value]) for value in self._tried]
        keys, near = self.keys, 1.5 * self.step
        pairs = [(a, b) for a, b in pairwise(self._tried) if keys[a] != keys[b]]
        self._changes = [b for _, b in pairs]
        self._exact_changes = {b for a, b in pairs if b - a <= near}

    def wanted(self) -> list[float]:
        """The values to try next: samples coarse to fine, then middles; none: all is known."""
        samples = [self.values[k] for k in coarse_to_fine(len(self.values))]
        missing = [value for value in samples if value not in self.counts]
        if missing or self.is_exact:
            return missing
        pairs = [pair for pair in pairwise(self.values) if self.keys[pair[0]] != self.keys[pair[1]]]
        middles = [self._open_middle(a, b, side) for a, b in pairs for side in (0, 1)]
        return list(dict.fromkeys(value for value in middles if value is not None))

    def _open_middle(self, low: float, high: float, side: int) -> float | None:
        """Where the first change between two samples is looked for next, or the last (side 1).

        None: it is found, at one step between two values.
        """
        ends = self.keys[low], self.keys[high]
        while high - low > 1.5 * self.step:
            middle = round(low + round((high - low) / 2 / self.step) * self.step, 10)
            if middle not in self.keys:
                return middle
            is_beyond = (self.keys[middle] == ends[side]) == bool(side)
            low, high = (low, middle) if is_beyond else (middle, high)
        return None

    def known(self) -> list[tuple[float, int]]:
        """Values that were tried and their numbers of chunks, ascending."""
        return self._known

    def changes(self) -> list[float]:
        """Values at which the chunks are not those of the value tried before it."""
        return self._changes

    def exact_changes(self) -> set[float]:
        """Those changes that lie at this very value: one step before, the chunks are others."""
        return self._exact_changes

    def nearest(self, value: float) -> float:
        """The value that was tried and is nearest; of two as near, the lesser. One must be."""
        return self._tried[self._nearest(value)]

    def _nearest(self, value: float) -> int:
        tried = self._tried
        after = min(bisect_left(tried, value), len(tried) - 1)
        before = max(after - 1, 0)
        return before if value - tried[before] <= tried[after] - value else after

    def plateau(self, value: float) -> tuple[float, float] | None:
        """The least and greatest value around `value` that were tried and have the same chunks."""
        tried = self._tried
        if not tried:
            return None
        low = high = self._nearest(value)
        key = self.keys[tried[low]]
        while low > 0 and self.keys[tried[low - 1]] == key:
            low -= 1
        while high + 1 < len(tried) and self.keys[tried[high + 1]] == key:
            high += 1
        return tried[low], tried[high]


class Ghosting(QObject):
    """Counts for the chosen strategy.

    Signals:
        counted: slot id, name of the parameter, its Curve; again and again while it grows.
    """

    counted = Signal(int, str, object)

    def __init__(
        self, state: State, jobs: Jobs, pipeline: Pipeline, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self._curves: OrderedDict[tuple[object, ...], Curve] = OrderedDict()
        self._queue: list[Parameter] = []
        self._with_shared = False
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MILLISECONDS)
        self._rest.timeout.connect(self._start)
        state.slots_changed.connect(self._on_change)
        state.chosen_changed.connect(self._on_change)
        state.current_changed.connect(self._on_change)
        state.chunks_changed.connect(self._on_chunks)
        state.scores_changed.connect(self._on_chunks)  # late vectors may have come

    def set_with_shared(self, with_shared: bool) -> None:
        """Count for the shared options too, while somebody sees them."""
        self._with_shared = with_shared
        self._rest.start()

    def curve(self, name: str) -> Curve | None:
        """What is known of a parameter of the chosen strategy as it is now."""
        chosen, document = self._state.chosen_slot, self._document()
        if chosen is None or document is None:
            return None
        return self._curves.get(_key(document, chosen.recipe, name))

    def _document(self) -> Document | None:
        current = self._state.current
        document = current.document if current is not None else None
        return document if document is not None and document.final else None

    def _on_change(self, *_: object) -> None:
        self._jobs.cancel(JOB)
        self._tell_known()
        self._rest.start()

    def _on_chunks(self, document: str, slot: int) -> None:
        current = self._state.current
        if current is not None and current.id == document and slot == self._state.chosen:
            self._rest.start()

    def _tell_known(self) -> None:
        chosen = self._state.chosen_slot
        if chosen is None:
            return
        for parameter in counted_parameters(chosen.recipe):
            curve = self.curve(parameter.name)
            if curve is not None:
                self.counted.emit(chosen.id, parameter.name, curve)

    def _start(self) -> None:
        chosen, document = self._state.chosen_slot, self._document()
        if chosen is None or document is None or not document.text.strip():
            return
        if not self._pipeline.is_prepared(chosen.recipe, document):
            return  # its chunks are still being made; they start the timer again
        shared = () if self._with_shared else SHARED_NUMBERS
        self._queue = [p for p in counted_parameters(chosen.recipe) if p not in shared]
        self._next(chosen.id, chosen.recipe, document)

    def _next(self, slot: int, recipe: Recipe, document: Document) -> None:
        while self._queue:
            parameter = self._queue[0]
            curve = self._curve_of(document, recipe, parameter)
            if not curve.is_done and self._can_count(curve, document):
                self._ask(slot, recipe, document, parameter, curve)
                return
            self._queue.pop(0)

    def _can_count(self, curve: Curve, document: Document) -> bool:
        return not curve.is_estimate or self._pipeline.has_token_vectors(document)

    def _curve_of(self, document: Document, recipe: Recipe, parameter: Parameter) -> Curve:
        key = _key(document, recipe, parameter.name)
        if key not in self._curves:
            low, high = parameter.bounds(_values(recipe))
            scale = Scale(parameter, low or 0.0, 1e6 if high is None else high)
            step = 1.0 if parameter.type == "integer" else parameter.step
            self._curves[key] = Curve(*scale.samples(), step, asks_model(recipe, parameter))
            while len(self._curves) > MOST_KEPT:
                self._curves.popitem(last=False)
        self._curves.move_to_end(key)
        return self._curves[key]

    def _ask(
        self, slot: int, recipe: Recipe, document: Document, parameter: Parameter, curve: Curve
    ) -> None:
        todo = curve.wanted()

        def work(token: JobToken) -> object:
            begin = time.perf_counter()
            found: dict[float, tuple[int, str]] = {}
            for value in todo:
                token.check()
                found[value] = self._count(recipe, document, parameter, value, token)
                if time.perf_counter() - begin > BATCH_SECONDS:
                    break
            return found, time.perf_counter() - begin

        def done(result: object) -> None:
            assert isinstance(result, tuple), "counts by value, seconds"
            curve.add(*result)
            is_sampled = len(curve.counts) >= len(curve.values)
            is_over = (parameter.slow and curve.seconds > SLOW_BUDGET_SECONDS) or (
                is_sampled and curve.seconds > HALVING_BUDGET_SECONDS
            )
            curve.is_done = is_over or not curve.wanted()
            self.counted.emit(slot, parameter.name, curve)
            self._next(slot, recipe, document)

        def failed(error: Exception) -> None:
            del error  # the strategy's own row says what is wrong with it
            curve.is_done = True
            self._next(slot, recipe, document)

        self._jobs.request(JOB, "python", work, done, failed=failed, priority=PRIORITY)

    def _count(
        self,
        recipe: Recipe,
        document: Document,
        parameter: Parameter,
        value: float,
        token: JobToken,
    ) -> tuple[int, str]:
        """Number of chunks and their key; −1 where the strategy refuses the value."""
        try:
            tried = recipe.with_settings({parameter.name: value})
            chunks = self._pipeline.chunk(
                tried,
                document,
                cancel=token,
                aside=parameter.slow,
                estimate=asks_model(recipe, parameter),
            )
        except ChunkscopeError:
            return -1, "refused"
        return len(chunks), chunks.key


def counted_parameters(recipe: Recipe) -> list[Parameter]:
    """The numbers that may be tried behind: own quick ones, own slow ones, shared ones."""
    declaration = recipe.strategy.declaration
    numbers = [p for p in declaration.parameters if p.type in ("integer", "number")]
    own = sorted(
        (p for p in numbers if not (p.slow and declaration.strategy_class == "model")),
        key=lambda p: p.slow,
    )
    taken = {p.name for p in declaration.parameters}
    return own + [p for p in SHARED_NUMBERS if p.name not in taken]


def asks_model(recipe: Recipe, parameter: Parameter) -> bool:
    """True for a number whose every value needs other vectors: it is estimated from late ones."""
    return parameter.slow and recipe.strategy.declaration.strategy_class == "embedding"


def _values(recipe: Recipe) -> dict[str, Value]:
    return dict(recipe.shared.values) | recipe.parameters


def _key(document: Document, recipe: Recipe, name: str) -> tuple[object, ...]:
    others = tuple((k, v) for k, v in (*recipe.own, *recipe.shared.values) if k != name)
    return document.key, recipe.code, others, name
