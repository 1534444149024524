# SPDX-License-Identifier: AGPL-3.0-or-later
"""Lists of recipes that are worth comparing: presets, with and without REG, ablations, grids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from core.declaration import Declaration, Parameter, Value
from core.errors import ChunkscopeError, ParameterError
from core.strategies.recipe import Recipe, make_recipe
from core.strategies.registry import strategies

MOST_POINTS = 10_000
# HYB is what the twelve hybrids are made of, ADAPT chooses among the others
_LEFT_OUT = frozenset({"HYB", "ADAPT"})


@dataclass(frozen=True, slots=True)
class Variant:
    """A recipe under a name that is unique in its list."""

    name: str
    recipe: Recipe


def short_name(recipe: Recipe) -> str:
    """What differs from the defaults, REG at the end: "STM:size=600 + REG"."""
    plain = make_recipe(recipe.code).settings
    changed = {k: v for k, v in recipe.settings.items() if plain.get(k) != v and k != "mode"}
    is_regular = bool(changed.pop("reg", False))
    values = ",".join(f"{name}={_written(value)}" for name, value in changed.items())
    return f"{recipe.code}{':' if values else ''}{values}{' + REG' if is_regular else ''}"


def preset_variants(*, with_model: bool) -> list[Variant]:
    """Every strategy as published and at each of its presets, none twice.

    Strategies that ask a language model are left out, and those of the embedding class too unless
    `with_model`.
    """
    made: dict[Recipe, Variant] = {}
    for strategy in strategies().values():
        declaration = strategy.declaration
        if declaration.code in _LEFT_OUT or declaration.model_made:
            continue
        if declaration.strategy_class == "model" or (
            declaration.strategy_class == "embedding" and not with_model
        ):
            continue
        for name, recipe in _presets(declaration):
            made.setdefault(recipe, Variant(name, recipe))
    return list(made.values())


def _presets(declaration: Declaration) -> list[tuple[str, Recipe]]:
    code = declaration.code
    found = [(code, make_recipe(code))]
    for preset in declaration.presets:
        try:
            found.append((f"{code} · {preset.name}", make_recipe(code, preset.parameters)))
        except ChunkscopeError:  # of the user's, and no longer valid
            continue
    return found


def with_and_without_reg(variants: Sequence[Variant]) -> list[Variant]:
    """Each variant without and with regularisation, one after the other: the paper's table."""
    both = []
    for each in variants:
        for is_on in (False, True):
            recipe = each.recipe.with_settings({"reg": is_on})
            name = each.name.removesuffix(" + REG")
            both.append(Variant(f"{name} + REG" if is_on else name, recipe))
    return both


def ablations(recipe: Recipe) -> list[Variant]:
    """The recipe, and the recipe with one of its additions off or on: overlap, headers, REG."""
    changes: dict[str, dict[str, Value]] = {}
    is_regular = bool(dict(recipe.shared.values)["reg"])
    changes["without REG" if is_regular else "with REG"] = {"reg": not is_regular}
    for name, value in recipe.own:
        if name.rpartition(".")[2] == "overlap" and value:
            changes[f"without {name}"] = {name: 0}
        elif isinstance(value, bool):
            changes[f"{name} {'off' if value else 'on'}"] = {name: not value}
        elif "header" in name and value not in ("none", "off", ""):
            changes.update(_without_header(recipe, name))
    made = [Variant(short_name(recipe), recipe)]
    for words, change in changes.items():
        try:
            made.append(Variant(f"{recipe.code} {words}", recipe.with_settings(change)))
        except ChunkscopeError:  # not allowed together with the other values
            continue
    return made


def _without_header(recipe: Recipe, name: str) -> dict[str, dict[str, Value]]:
    choices = recipe.strategy.declaration.parameter(name).choices
    off = [each for each in choices if each in ("none", "off")]
    return {f"without {name}": {name: off[0]}} if off else {}


def range_values(parameter: Parameter, low: float, high: float, steps: int) -> list[float]:
    """Evenly spread values; whole numbers for a whole parameter, none twice."""
    values = np.linspace(low, high, max(1, steps)).tolist()
    if parameter.type == "integer":
        return [int(value) for value in dict.fromkeys(round(each) for each in values)]
    return [round(each, 10) for each in values]


def grid(recipe: Recipe, ranges: Mapping[str, Sequence[float]]) -> list[Variant]:
    """The recipe at every combination of values; combinations that are not allowed are left out.

    Raises:
        ParameterError: there are too many.
    """
    count = int(np.prod([len(values) for values in ranges.values()]))
    if count > MOST_POINTS:
        raise ParameterError(
            f"the ranges make {count:,} points, but at most {MOST_POINTS:,} are computed: "
            "choose fewer steps"
        )
    made = []
    for values in product(*ranges.values()):
        settings = dict(zip(ranges, values, strict=True))
        try:
            tried = recipe.with_settings(settings)
        except ParameterError:
            continue
        name = ",".join(f"{name}={value:.12g}" for name, value in settings.items())
        made.append(Variant(f"{recipe.code}:{name}", tried))
    return made


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
