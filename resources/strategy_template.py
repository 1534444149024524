# SPDX-License-Identifier: AGPL-3.0-or-later
"""Numbered clauses (MYNCC): one chunk for each clause of a contract or standard.

Copy this file into your strategies folder, change it, and agree to it once: the picker, the sliders
and the command line then know your strategy. `docs/add-a-strategy.md` explains each step.
"""

import re
from dataclasses import dataclass

import numpy as np

from core.arrays import Offsets
from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import Chunks, Rule, one_span_chunks, reasons
from core.strategies.registry import strategy
from core.strategies.source import Source

# A clause begins on a line that opens with a number: "4", "4.2", "4.2.1".
CLAUSE = re.compile(r"^[ \t]*(\d+(?:\.\d+)*)\.?[ \t]+\S", re.MULTILINE)

# 1. What it is, and what can be adjusted. Sliders, flags, checks and help are made from this.
MYNCC = Declaration(
    code="MYNCC",
    name="Numbered clauses",
    family="mine",
    strategy_class="instant",
    source="mine",
    help="Cuts before the numbered clauses of contracts and standards.",
    parameters=(
        Parameter(
            "depth", default=2, minimum=1, maximum=6, unit="levels", help="Deepest number to cut at"
        ),
    ),
    presets=(Preset("Articles only", {"depth": 1}),),
)


@dataclass(frozen=True, slots=True, eq=False)
class Clauses:
    """The n clauses of a text of `length` characters.

    starts: int64 (n,), in code points. depths: int64 (n,), in levels.
    """

    starts: Offsets
    depths: Offsets
    length: int


# 2. What may be slow: runs once a document, and again when a parameter with slow=True changes.
def find_clauses(source: Source) -> Clauses:
    """Find the clauses of every depth, so that a drag of `depth` runs no regex."""
    found = list(CLAUSE.finditer(source.text))
    return Clauses(
        np.array([match.start() for match in found], dtype=np.int64),
        np.array([match[1].count(".") + 1 for match in found], dtype=np.int64),
        len(source.text),
    )


# 3. What must be quick: runs at each tick of a slider. Each boundary says why it is there.
RULE = Rule("clause depth", "a clause of depth {value:.0f} ≤ {threshold:.0f} begins")


@strategy(MYNCC, prepare=find_clauses)
def cut_before_clauses(clauses: Clauses, *, depth: int) -> Chunks:
    """Cut before each clause at most `depth` levels deep."""
    chosen = (clauses.depths <= depth) & (clauses.starts > 0)
    cuts = clauses.starts[chosen]
    edges = np.concatenate([[0], cuts, [clauses.length]]).astype(np.int64)
    boundaries = reasons(
        RULE,
        len(cuts),
        values=clauses.depths[chosen].astype(np.float64),
        thresholds=float(depth),
    )
    n = len(cuts) + 1  # chunks; −1 stands for "no reason": the ends of the document
    return one_span_chunks(
        np.stack([edges[:-1], edges[1:]], axis=1),
        start_reasons=boundaries.take(np.arange(-1, n - 1)),
        end_reasons=boundaries.take(np.append(np.arange(n - 1), -1)),
    )
