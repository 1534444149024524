# SPDX-License-Identifier: AGPL-3.0-or-later
"""Lists of recipes that are worth comparing."""

import pytest

from core.errors import ParameterError
from core.strategies.recipe import make_recipe, parse_recipe
from core.strategies.registry import strategies
from core.strategies.variants import (
    ablations,
    grid,
    preset_variants,
    range_values,
    short_name,
    with_and_without_reg,
)


def test_every_published_preset_is_there_once() -> None:
    made = preset_variants(with_model=True)
    recipes = [each.recipe for each in made]
    assert len(set(recipes)) == len(recipes)
    assert len({each.name for each in made}) == len(made)
    for strategy in strategies().values():
        declaration = strategy.declaration
        if declaration.code in ("HYB", "ADAPT") or declaration.strategy_class == "model":
            continue
        for preset in declaration.presets:
            assert make_recipe(declaration.code, preset.parameters) in recipes


def test_without_a_model_no_strategy_asks_for_vectors() -> None:
    classes = {
        each.recipe.strategy.declaration.strategy_class
        for each in preset_variants(with_model=False)
    }
    assert classes == {"instant", "layout"}


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("RC", "RC"),
        ("STM:size=600", "STM:size=600"),
        ("STM:size=600,reg=on", "STM:size=600 + REG"),
        ("PAGE:reg=on", "PAGE + REG"),
    ],
)
def test_a_short_name_says_what_differs(word: str, name: str) -> None:
    assert short_name(parse_recipe(word)) == name


def test_reg_stands_behind_each() -> None:
    both = with_and_without_reg(preset_variants(with_model=False)[:3])
    assert [dict(each.recipe.shared.values)["reg"] for each in both] == [False, True] * 3


def test_ablations_change_one_thing_each() -> None:
    base = parse_recipe("RC:size=400,overlap=40")
    made = ablations(base)
    assert made[0].recipe == base
    for each in made[1:]:
        changed = [k for k in base.settings if each.recipe.settings.get(k) != base.settings[k]]
        added = [k for k in each.recipe.settings if k not in base.settings]
        assert len(changed) + len(added) == 1


def test_a_grid_leaves_out_what_is_not_allowed() -> None:
    base = parse_recipe("FC:size=50,overlap=0")
    made = grid(base, {"size": [10, 50], "overlap": [0, 20]})
    assert [each.name for each in made] == [
        "FC:size=10,overlap=0",
        "FC:size=50,overlap=0",
        "FC:size=50,overlap=20",
    ]


def test_a_grid_that_is_too_large_is_refused() -> None:
    values = list(range(1, 202))
    with pytest.raises(ParameterError, match="40,401 points"):
        grid(parse_recipe("FC"), {"size": values, "overlap": values})


def test_whole_numbers_come_once_each() -> None:
    sentences = parse_recipe("SGC").strategy.declaration.parameter("sentences")
    assert range_values(sentences, 1, 4, 20) == [1, 2, 3, 4]
