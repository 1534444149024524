# SPDX-License-Identifier: AGPL-3.0-or-later
"""Joining of small neighbours, as split-then-merge and regularisation both do it.

`spec/metrics.md` 15.3 and 16, step 3. The text says "look at i again" over a list; here the groups
that are settled in a pass lie on a stack, so a pass is linear.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Toward = Literal["next", "previous"]
Measure = Callable[[int, int], int]  # first and last + 1 of the old items -> size of their group


@dataclass(frozen=True, slots=True)
class Join:
    """One joining: the group behind the item `boundary - 1` and the one before it became one.

    size: what the small group had. together: the sum of both. direction: where it went.
    """

    boundary: int
    size: int
    together: int
    direction: Toward


@dataclass(frozen=True, slots=True)
class Groups:
    """n groups of neighbouring items.

    edges: n + 1 numbers of items; group k is the items `edges[k]` to `edges[k + 1]`, half-open.
    sizes: of the n groups. joins: what was done, in order.
    """

    edges: tuple[int, ...]
    sizes: tuple[int, ...]
    joins: tuple[Join, ...]


def join_small(
    sizes: Sequence[int],
    *,
    least: int,
    most: int,
    measure: Measure | None = None,
    adds_up: Sequence[bool] = (),
    toward: Toward = "next",
) -> Groups:
    """Join each group below `least` with a neighbour while both together have at most `most`.

    Args:
        sizes: of the items, in order.
        least: a group of fewer units is small.
        most: the greatest sum of two groups that are joined.
        measure: the size of a joined group; None: the sum.
        adds_up: for each item, True if sizes on both sides of its beginning add up, so that
            `measure` need not be asked; may be left out.
        toward: which neighbour is tried first.
    """
    work = _Joining(len(sizes), least, most, toward, measure=measure, adds_up=adds_up)
    groups = [(number, size) for number, size in enumerate(sizes)]
    changed = len(groups) > 1
    while changed:
        before = len(work.joins)
        groups = work.one_pass(groups)
        changed = len(work.joins) > before
    edges = (*(low for low, _ in groups), len(sizes)) if groups else (0,)
    return Groups(edges, tuple(size for _, size in groups), tuple(work.joins))


Group = tuple[int, int]  # its first item, its size


class _Joining:
    """One run of `join_small`: its limits and what it did."""

    def __init__(
        self,
        items: int,
        least: int,
        most: int,
        toward: Toward,
        *,
        measure: Measure | None,
        adds_up: Sequence[bool],
    ) -> None:
        self.items, self.least, self.most = items, least, most
        self.measure = measure
        self.adds_up = adds_up or [measure is None] * items
        self.order: tuple[Toward, ...] = (toward, "previous" if toward == "next" else "next")
        self.joins: list[Join] = []

    def one_pass(self, groups: list[Group]) -> list[Group]:
        """Go once through the groups, which lie on `waiting` with the next one on top."""
        settled: list[Group] = []
        waiting = groups[::-1]
        while waiting:
            group = waiting.pop()
            direction = self.direction(group, settled, waiting) if group[1] < self.least else None
            if direction == "next":
                waiting.append(self.join(group, waiting.pop(), waiting, direction))
            elif direction == "previous":
                settled.append(self.join(settled.pop(), group, waiting, direction))
            else:
                settled.append(group)
        return settled

    def direction(self, group: Group, settled: list[Group], waiting: list[Group]) -> Toward | None:
        """Where a small group goes; None if no neighbour has room."""
        for direction in self.order:
            neighbours = waiting if direction == "next" else settled
            if neighbours and group[1] + neighbours[-1][1] <= self.most:
                return direction
        return None

    def join(self, first: Group, second: Group, waiting: list[Group], direction: Toward) -> Group:
        """The two groups as one."""
        together = first[1] + second[1]
        small = first if direction == "next" else second
        self.joins.append(Join(second[0], small[1], together, direction))
        if self.measure is None or self.adds_up[second[0]]:
            return first[0], together
        end = waiting[-1][0] if waiting else self.items
        return first[0], self.measure(first[0], end)
