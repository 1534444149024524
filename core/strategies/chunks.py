# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks and the reasons of their boundaries, as arrays, so that a drag makes no objects."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Offsets, Spans, Values
from core.document.model import Notice

STEPS = ("strategy", "snap", "protect", "tail", "reg", "cap", "user")
LEVELS = ("chunk", "parent", "child", "answer", "rest")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that makes boundaries, and its words for the user.

    `words` is a format string over value, threshold, margin and detail, for example
    "cosine {value:.3f} is below {threshold:.3f}".
    """

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a boundary is where it is. Numbers are None where nothing is compared."""

    rule: str
    value: float | None
    threshold: float | None
    margin: float | None  # |value − threshold|: how far the value is from flipping
    step: str
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """The reasons of n boundaries, struct of arrays.

    rule: int32 (n,), index into `rules`; −1 at the document's start and end (no reason).
    values, thresholds: float64 (n,), nan where nothing is compared.
    steps: int8 (n,), index into `STEPS`.
    details: one string a boundary, or None when no rule has any.
    """

    rules: tuple[Rule, ...]
    rule: NDArray[np.int32]
    values: Values
    thresholds: Values
    steps: NDArray[np.int8]
    details: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.rule)

    @property
    def margins(self) -> Values:
        """float64 (n,): |value − threshold|, nan where nothing is compared."""
        return np.where(self.rule < 0, np.nan, np.abs(self.values - self.thresholds))

    def __getitem__(self, index: int) -> Reason | None:
        """The reason of one boundary, None at the document's ends."""
        if self.rule[index] < 0:
            return None
        rule = self.rules[self.rule[index]]
        value, threshold = float(self.values[index]), float(self.thresholds[index])
        margin = abs(value - threshold)
        detail = self.details[index] if self.details else ""
        words = rule.words.format(value=value, threshold=threshold, margin=margin, detail=detail)
        return Reason(
            rule.name,
            _known(value),
            _known(threshold),
            _known(margin),
            STEPS[self.steps[index]],
            words,
        )

    def take(self, indices: Indices) -> "Reasons":
        """The reasons at `indices`, int64 (m,), in that order; −1 gives "no reason"."""
        rule = (
            np.where(indices < 0, np.int32(-1), self.rule[indices])
            if len(self)
            else indices * 0 - 1
        )
        details = self.details and tuple(
            self.details[i] if i >= 0 else "" for i in indices.tolist()
        )
        pick = (
            (lambda column: column[indices])
            if len(self)
            else (lambda column: np.zeros(len(indices), column.dtype))
        )
        return Reasons(
            self.rules,
            rule.astype(np.int32),
            pick(self.values),
            pick(self.thresholds),
            pick(self.steps),
            details or None,
        )


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def reasons(
    rule: Rule | Sequence[Rule],
    n: int,
    *,
    which: Indices | None = None,
    values: Values | float = float("nan"),
    thresholds: Values | float = float("nan"),
    step: str = "strategy",
    details: Sequence[str] | None = None,
) -> Reasons:
    """Make the reasons of `n` boundaries.

    Args:
        rule: one rule for all, or the rules that `which` points into.
        n: how many boundaries.
        which: int64 (n,), index into the rules, −1 for "no reason"; None: the first rule for all.
        values: float64 (n,), or one number for all; nan where nothing is compared.
        thresholds: likewise.
        step: a name of `STEPS`, the same for all.
        details: one string a boundary, for the words.
    """
    rules = (rule,) if isinstance(rule, Rule) else tuple(rule)
    return Reasons(
        rules,
        np.zeros(n, np.int32) if which is None else which.astype(np.int32),
        np.broadcast_to(np.asarray(values, np.float64), (n,)),
        np.broadcast_to(np.asarray(thresholds, np.float64), (n,)),
        np.full(n, STEPS.index(step), np.int8),
        None if details is None else tuple(details),
    )


def no_reasons(n: int) -> Reasons:
    """`n` boundaries without a reason: the ends of the document."""
    return reasons(Rule("end of the document", ""), n, which=np.full(n, -1, np.int64))


def join_reasons(parts: Sequence[Reasons]) -> Reasons:
    """The reasons of several lists, one after the other, with their rules side by side."""
    rules: list[Rule] = []
    columns = []
    for part in parts:
        columns.append(np.where(part.rule < 0, -1, part.rule + len(rules)))
        rules.extend(part.rules)
    details = None
    if any(part.details for part in parts):
        details = tuple(d for part in parts for d in (part.details or ("",) * len(part)))
    return Reasons(
        tuple(rules),
        np.concatenate([np.asarray(c, np.int32) for c in columns] or [np.empty(0, np.int32)]),
        np.concatenate([part.values for part in parts] or [np.empty(0)]),
        np.concatenate([part.thresholds for part in parts] or [np.empty(0)]),
        np.concatenate([part.steps for part in parts] or [np.empty(0, np.int8)]),
        details,
    )


def laid_over(below: Reasons, above: Reasons) -> Reasons:
    """The reasons of `above` where it has any, and those of `below` elsewhere; equally many."""
    n = len(below)
    rows = np.where(above.rule >= 0, np.arange(n, 2 * n), np.arange(n))
    return join_reasons([below, above]).take(rows)


@dataclass(frozen=True, eq=False)
class Chunks:
    """n chunks over one text, in the order in which the strategy makes them.

    spans: int64 (m, 2). Chunk i has the spans `pointers[i]:pointers[i + 1]`, ascending. It has
        none only in reference mode, when a token boundary splits a character; then `texts` has
        its string.
    levels: int8 (n,), index into `LEVELS`. parents: int64 (n,), index of the parent chunk or −1.
    primaries: int64 (n,), index of the primary chunk of a hybrid, or −1.
    labels: int64 (n,), topic or cluster number for colours, or −1.
    headers: what is put before the text for the model, "" for nothing; never part of the text.
    """

    spans: Spans
    pointers: Indices
    start_reasons: Reasons
    end_reasons: Reasons
    levels: NDArray[np.int8]
    parents: Indices
    primaries: Indices
    labels: Indices
    headers: tuple[str, ...] | None = None
    texts: Mapping[int, str] = field(default_factory=dict)
    scores: Values | None = None  # of the query-time reading: rank value of each chunk
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.pointers) - 1

    @cached_property
    def is_contiguous(self) -> bool:
        """True if each chunk has exactly one span; then `spans[i]` is chunk i."""
        return len(self.spans) == len(self) and bool((np.diff(self.pointers) == 1).all())

    @cached_property
    def starts(self) -> Offsets:
        """int64 (n,): start of each chunk's first span, −1 for a chunk without a span."""
        return self._edge(self.pointers[:-1], 0)

    @cached_property
    def ends(self) -> Offsets:
        """int64 (n,): end of each chunk's last span, −1 for a chunk without a span."""
        return self._edge(self.pointers[1:] - 1, 1)

    def _edge(self, row: Indices, column: int) -> Offsets:
        has_span = np.diff(self.pointers) > 0
        edges = np.full(len(self), -1, np.int64)
        edges[has_span] = self.spans[row[has_span], column]
        return edges

    @cached_property
    def owners(self) -> Indices:
        """int64 (m,): the chunk of each span."""
        return np.repeat(np.arange(len(self)), np.diff(self.pointers))

    def spans_of(self, index: int) -> Spans:
        """int64 (k, 2): the spans of one chunk."""
        return self.spans[self.pointers[index] : self.pointers[index + 1]]

    def text_of(self, index: int, text: str) -> str:
        """The chunk's text: its slices, joined by one space (`spec/strategies.md` 1.1)."""
        if index in self.texts:
            return self.texts[index]
        return " ".join(text[a:b] for a, b in self.spans_of(index).tolist())

    def all_texts(self, text: str) -> list[str]:
        """The text of every chunk."""
        if self.is_contiguous and not self.texts:
            return [text[a:b] for a, b in self.spans.tolist()]
        return [self.text_of(index, text) for index in range(len(self))]

    def embedded_texts(self, chosen: Indices, text: str) -> list[str]:
        """What the model is given of each chosen chunk, int64 (k,): header, newline, its text."""
        if self.is_contiguous and not self.texts:  # 20,000 of them take 5 ms instead of 80
            bodies = [text[a:b] for a, b in self.spans[chosen].tolist()]
        else:
            bodies = [self.text_of(index, text) for index in chosen.tolist()]
        if not self.headers:
            return bodies
        headers = [self.headers[index] for index in chosen.tolist()]
        return [
            f"{header}\n{body}" if header else body
            for header, body in zip(headers, bodies, strict=True)
        ]

    def rows(self) -> Iterator[list[list[int]]]:
        """The spans of each chunk as plain lists."""
        for low, high in zip(self.pointers[:-1].tolist(), self.pointers[1:].tolist(), strict=True):
            yield self.spans[low:high].tolist()

    @cached_property
    def key(self) -> str:
        """Content key: equal for equal spans, levels and headers."""
        digest = hashlib.sha256(np.ascontiguousarray(self.spans).tobytes())
        digest.update(np.ascontiguousarray(self.pointers).tobytes() + self.levels.tobytes())
        digest.update(repr(self.headers).encode() + repr(sorted(self.texts.items())).encode())
        return digest.hexdigest()

    def with_notices(self, *notices: Notice) -> "Chunks":
        """The same chunks with more notices."""
        return replace(self, notices=self.notices + notices)


def one_span_chunks(
    spans: Spans,
    start_reasons: Reasons | None = None,
    end_reasons: Reasons | None = None,
    *,
    levels: NDArray[np.int8] | None = None,
    parents: Indices | None = None,
    primaries: Indices | None = None,
    labels: Indices | None = None,
    headers: tuple[str, ...] | None = None,
    notices: tuple[Notice, ...] = (),
) -> Chunks:
    """Chunks of one span each, int64 (n, 2). Missing reasons mean the document's ends."""
    n = len(spans)
    return Chunks(
        spans,
        np.arange(n + 1),
        no_reasons(n) if start_reasons is None else start_reasons,
        no_reasons(n) if end_reasons is None else end_reasons,
        np.zeros(n, np.int8) if levels is None else levels,
        np.full(n, -1, np.int64) if parents is None else parents,
        np.full(n, -1, np.int64) if primaries is None else primaries,
        np.full(n, -1, np.int64) if labels is None else labels,
        headers,
        notices=notices,
    )
