# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which strategies an evaluation compares: those shown, all presets, a list, or a range."""

import numpy as np

from core.declaration import Parameter
from core.errors import ChunkscopeError
from core.strategies.recipe import Recipe, make_recipe, parse_recipe
from core.strategies.registry import strategies
from core.vectors.models import ModelEntry, model_folder, models
from gui.state import State

MOST_VALUES = 25  # of a range
GEOMETRIC_FROM = 10  # a range this many times its least value is walked in equal ratios


def shown_recipes(state: State) -> list[Recipe]:
    """The strategies that are shown."""
    return [slot.recipe for slot in state.slots]


def all_presets() -> list[Recipe]:
    """Every strategy as it is by default and with each of its presets, no two alike.

    Strategies that ask a language model are left out.
    """
    found: dict[str, Recipe] = {}
    for strategy in strategies().values():
        declaration = strategy.declaration
        if declaration.model_made:
            continue
        for settings in ({}, *(preset.parameters for preset in declaration.presets)):
            try:
                recipe = make_recipe(declaration.code, settings)
            except ChunkscopeError:  # a preset that needs a value of the user's, such as a pattern
                continue
            found.setdefault(recipe.word, recipe)
    return list(found.values())


def typed_recipes(text: str) -> list[Recipe]:
    """Recipes in the form of the command line, separated by white space or line ends.

    Raises:
        ParameterError: one of them is no recipe.
    """
    return [parse_recipe(word) for word in text.split()]


def ranged_recipes(recipe: Recipe, name: str, low: float, high: float, count: int) -> list[Recipe]:
    """A recipe at values of one parameter, low to high.

    Raises:
        ParameterError: the strategy has no such parameter, or a value is not allowed.
    """
    parameter = recipe.strategy.declaration.parameter(name)
    steps = max(2, min(count, MOST_VALUES))
    if low > 0 and high > GEOMETRIC_FROM * low:
        values = np.geomspace(low, high, steps)
    else:
        values = np.linspace(low, high, steps)
    is_whole = parameter.type == "integer"
    rounded = [round(value) if is_whole else round(value, 6) for value in values.tolist()]
    return [recipe.with_settings({name: value}) for value in dict.fromkeys(rounded)]


def numbers_of(recipe: Recipe) -> list[Parameter]:
    """The parameters of a recipe that are numbers."""
    declaration = recipe.strategy.declaration
    return [each for each in declaration.parameters if each.type in ("integer", "number")]


def models_here() -> list[ModelEntry]:
    """The models that are on this machine, the packaged one first; those for tests left out."""
    return [
        entry
        for entry in models()
        if entry.kind in ("sentence-transformers", "model2vec") and model_folder(entry) is not None
    ]
