# SPDX-License-Identifier: AGPL-3.0-or-later
"""The five scores as declared, and the options of a scoring, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.declaration import Declaration, Parameter, Value
from core.errors import ParameterError, nearest
from core.scores.blocks import BI
from core.scores.coherence import DCC
from core.scores.cohesion import ICC
from core.scores.mean import EQUAL_WEIGHTS, check_weights
from core.scores.references import RC
from core.scores.sizes import SC

MODES = ("default", "reference")
Mode = Literal["default", "reference"]
SCORES: tuple[Declaration, ...] = (RC, ICC, DCC, BI, SC)
PARAMETERS: tuple[Parameter, ...] = tuple(each for score in SCORES for each in score.parameters)
_UNIT_ALIASES = {"o200k_base": "o200k", "word": "words"}


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """What changes the scores, besides text and chunks. Names are those of the declarations."""

    mode: Mode = "default"
    unit: str = "o200k"
    sc_min: int = 100
    sc_max: int = 1100
    bi_tolerance: int = 5
    dcc_window: int = 3000
    dcc_step: int = 1
    icc_parts: str = "sentences"
    weights: Mapping[str, float] = field(default_factory=lambda: dict(EQUAL_WEIGHTS))

    @property
    def tokenizer(self) -> str:
        """The unit's name among tokenizers."""
        return "o200k_base" if self.unit == "o200k" else self.unit

    def parameters(self) -> dict[str, Value]:
        """The declared options by name."""
        return {each.name: getattr(self, each.name) for each in PARAMETERS}


def score_options(
    values: Mapping[str, object] | None = None,
    *,
    mode: str = "default",
    weights: Mapping[str, float] | None = None,
) -> ScoreOptions:
    """Options from values by name: those given, and defaults for the others.

    Raises:
        ParameterError: an unknown option, or a value out of its range; names the bound.
    """
    if mode not in MODES:
        raise ParameterError(
            f"mode is '{mode}', but must be default or reference{nearest(mode, MODES)}"
        )
    given = dict(values or {})
    if isinstance(given.get("unit"), str):
        given["unit"] = _UNIT_ALIASES.get(str(given["unit"]).lower(), given["unit"])
    all_scores = Declaration("score", "scores", "score", "instant", "", "", PARAMETERS)
    checked = all_scores.check(given)
    return ScoreOptions(
        mode=mode,  # type: ignore[arg-type]  # one of the two, tested above
        weights=check_weights(weights or {}),
        **checked,  # type: ignore[arg-type]  # each in its declared type
    )
