# SPDX-License-Identifier: AGPL-3.0-or-later
"""The hybrids: HYB pairs any two strategies; the twelve of the study are pairs with a name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.declaration import Bound, Declaration, Parameter, Preset, Value
from core.errors import ParameterError
from core.strategies.chunks import Chunks
from core.strategies.density import CDAC
from core.strategies.dynamic import DFC
from core.strategies.paragraph_groups import PBC, PGC
from core.strategies.recursive import RC
from core.strategies.registry import Strategy, find, strategy
from core.strategies.semantic import SEBC, SVAC
from core.strategies.sentence_groups import SBC, SGC
from core.strategies.source import Source
from core.strategies.stages import TwoStages, cut_stages, prepare_stages
from core.strategies.windows import (
    FC,
    FCC,
    OFC,
    SOURCE,
    SWC,
    token_overlap,
    token_size,
    token_step,
    token_window,
)

GENERIC = "HYB"
PRIMARY, SECONDARY = "primary.", "secondary."

GATE = Parameter(
    "gate",
    default=1000,
    minimum=0,
    maximum=100_000,
    step=50,
    unit="characters",
    help="Chunks of the first stage longer than this are cut again; 0: all, the paper's formula",
)
FIXED = (token_size(200), token_overlap(20))
SLIDING = (token_window(50), token_step(25))


@dataclass(frozen=True, slots=True)
class Pair:
    """A published hybrid: both stages, and the secondary's parameters with their defaults."""

    code: str
    name: str
    primary: Declaration
    secondary: Declaration = FC
    parameters: tuple[Parameter, ...] = FIXED
    same_as: tuple[str, ...] = ()  # pairs that always coincide, by the primary's published size


PAIRS = (
    Pair("HSmFC", "Hybrid semantic fixed token", SEBC),
    Pair("HSSC", "Hybrid semantic sliding window", SEBC, SWC, SLIDING),
    Pair("HSVFC", "Hybrid semantic variance fixed token", SVAC),
    Pair("HSnFC", "Hybrid sentence fixed token", SBC),
    Pair("HSGC", "Hybrid sentence group fixed token", SGC),
    Pair("HPFC", "Hybrid paragraph fixed token", PBC),
    Pair("HPGC", "Hybrid paragraph group fixed token", PGC),
    Pair("HRC", "Hybrid recursive fixed token", RC, same_as=("RC",)),
    Pair("HFCF", "Hybrid fixed char fixed token", FCC, same_as=("FCC",)),
    Pair("HOFC", "Hybrid overlapping fixed token", OFC),
    Pair("HDFC", "Hybrid dynamic fixed token", DFC),
    Pair("HCDC", "Hybrid content density fixed token", CDAC),
)


def hybrid_declaration(primary: str, secondary: str) -> Declaration:
    """The declaration of HYB for a pair of strategies, with the parameters of both.

    Raises:
        ParameterError: one of them does not exist, or cannot be a stage.
    """
    return _pair_declaration(_stage(primary).declaration, _stage(secondary).declaration)


def _pair_declaration(first: Declaration, second: Declaration) -> Declaration:
    return Declaration(
        code=GENERIC,
        name="Hybrid of two strategies",
        family="hybrids",
        strategy_class=first.strategy_class
        if first.strategy_class != "instant"
        else second.strategy_class,
        source=SOURCE,
        help="Any strategy, and any other inside its chunks above the gate. The released code runs "
        "the second stage above 1,000 characters only; the paper's formula everywhere (gate 0).",
        parameters=(
            _choice("primary", first.code),
            _choice("secondary", second.code),
            GATE,
            *prefixed(first, PRIMARY),
            *prefixed(second, SECONDARY),
        ),
        tokenizer=second.tokenizer or first.tokenizer,
        sentences=first.sentences or second.sentences,
    )


def generic_strategy(primary: str, secondary: str) -> Strategy:
    """HYB with the declaration that it has for this pair."""
    return replace(find(GENERIC), declaration=hybrid_declaration(primary, secondary))


def stages_of(declaration: Declaration) -> tuple[str, str]:
    """The codes of a hybrid's two stages."""
    for pair in PAIRS:
        if pair.code == declaration.code:
            return pair.primary.code, pair.secondary.code
    first, second = (declaration.parameter(name).default for name in ("primary", "secondary"))
    return str(first), str(second)


def prefixed(declaration: Declaration, prefix: str) -> tuple[Parameter, ...]:
    """The parameters of a stage under names with its prefix, bounds included."""
    return tuple(_prefixed(parameter, prefix) for parameter in declaration.parameters)


def _prefixed(parameter: Parameter, prefix: str) -> Parameter:
    by = parameter.by and replace(parameter.by, choice=prefix + parameter.by.choice)
    return replace(
        parameter,
        name=prefix + parameter.name,
        minimum=_prefixed_bound(parameter.minimum, prefix),
        maximum=_prefixed_bound(parameter.maximum, prefix),
        by=by,
    )


def _prefixed_bound(bound: Bound | None, prefix: str) -> Bound | None:
    """`size - 1` becomes `primary.size - 1`."""
    if not isinstance(bound, str):
        return bound
    return " ".join(prefix + word if word[:1].isalpha() else word for word in bound.split(" "))


def _stage(code: str) -> Strategy:
    found = find(code)
    if found.declaration.family == "hybrids" or found.declaration.model_made:
        raise ParameterError(f"{code} cannot be a stage of a hybrid: choose another strategy")
    return found


def _choice(name: str, default: str) -> Parameter:
    return Parameter(
        name,
        default=default,
        type="choice",
        open_choice=True,
        slow=True,
        help=f"Code of the {name} strategy; its parameters are those that begin with '{name}.'",
    )


def _stage_values(values: Mapping[str, Value], prefix: str) -> dict[str, Value]:
    """The values of one stage, without the prefix."""
    return {k.removeprefix(prefix): v for k, v in values.items() if k.startswith(prefix)}


def prepare_pair(source: Source, *, primary: str, secondary: str, **slow: Value) -> TwoStages:
    """Prepare both stages; `slow` holds their parameters with prefixes."""
    return prepare_stages(
        source,
        find(primary),
        find(secondary),
        first_slow=_stage_values(slow, PRIMARY),
        second_slow=_stage_values(slow, SECONDARY),
    )


def cut_named(prepared: TwoStages, *, gate: int, **fast: Any) -> Chunks:
    """Cut a named pair: the secondary's parameters have no prefix."""
    second = {name: value for name, value in fast.items() if not name.startswith(PRIMARY)}
    return cut_stages(
        prepared, gate=gate, first_fast=_stage_values(fast, PRIMARY), second_fast=second
    )


def _register(pair: Pair) -> None:
    primary, secondary = pair.primary, pair.secondary
    declaration = Declaration(
        code=pair.code,
        name=pair.name,
        family="hybrids",
        strategy_class=primary.strategy_class,
        source=SOURCE,
        help=f"{primary.code}, and {secondary.code} inside its chunks above the gate. The paper's "
        "formula applies the second stage to everything (gate 0), the released code above 1,000 "
        "characters only.",
        parameters=(GATE, *pair.parameters, *prefixed(primary, PRIMARY)),
        presets=(
            Preset("CB Table 1, as published code", {"gate": 1000}),
            Preset("CB Table 2, the formula", {"gate": 0}),
        ),
        same_as=pair.same_as,
        tokenizer="cl100k_base",
        sentences=primary.sentences,
    )
    prepare = partial(prepare_pair, primary=primary.code, secondary=secondary.code)
    strategy(declaration, prepare=prepare)(cut_named)


for _pair in PAIRS:
    _register(_pair)


@strategy(_pair_declaration(PBC, FC), prepare=prepare_pair)
def cut_generic(prepared: TwoStages, *, gate: int, **fast: Any) -> Chunks:
    """Cut any pair: the parameters of both stages have their prefixes."""
    return cut_stages(
        prepared,
        gate=gate,
        first_fast=_stage_values(fast, PRIMARY),
        second_fast=_stage_values(fast, SECONDARY),
    )
