# SPDX-License-Identifier: AGPL-3.0-or-later
"""Size compliance (SC): the share of chunks whose length is within the bounds."""

from core.arrays import Indices, Mask
from core.declaration import Declaration, Parameter

UNITS = ("o200k", "words")
UNIT = Parameter(
    "unit",
    default="o200k",
    type="choice",
    choices=UNITS,
    help="What lengths are counted in: tokens of o200k_base, or words",
)
SC_MIN = Parameter(
    "sc_min", default=100, minimum=0, maximum="sc_max", unit="units", help="The least good length"
)
SC_MAX = Parameter(
    "sc_max",
    default=1100,
    minimum="sc_min",
    maximum=100_000,
    unit="units",
    help="The greatest good length",
)
SC = Declaration(
    code="SC",
    name="Size compliance",
    family="score",
    strategy_class="instant",
    source="de Moura Júnior, Lelong and Blangero 2026 (arXiv 2603.25333)",
    help="The share of chunks that are neither too short nor too long.",
    parameters=(UNIT, SC_MIN, SC_MAX),
)


def bad_sizes(units: Indices, least: int, greatest: int) -> Mask:
    """Mask, bool (n,): chunks of fewer than `least` or more than `greatest` units."""
    return (units < least) | (units > greatest)
