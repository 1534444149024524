# SPDX-License-Identifier: AGPL-3.0-or-later
"""Recipes: what is set, what is refused, and the one-word form."""

import pytest

from core.errors import ParameterError
from core.strategies.recipe import make_recipe, parse_recipe


def test_what_is_not_set_has_its_default():
    recipe = make_recipe("FC", {"size": 400})

    assert recipe.parameters == {"size": 400, "overlap": 0}
    assert recipe.shared["snap"] == "grapheme"


def test_values_may_be_text():
    recipe = make_recipe("fc", {"size": "400", "tail.rule": "merge", "reg": "on"})

    assert (recipe.code, recipe.parameters["size"]) == ("FC", 400)
    assert (recipe.shared["tail.rule"], recipe.shared["reg"]) == ("merge", True)


def test_an_own_parameter_comes_before_a_shared_option_of_its_name():
    recipe = make_recipe("SGC", {"sentences": 5})

    assert recipe.parameters["sentences"] == 5
    assert recipe.shared["sentences"] == "default"


def test_aliases_become_full_names():
    assert make_recipe("FC", {"tokenizer": "o200k"}).shared["tokenizer"] == "o200k_base"


@pytest.mark.parametrize(
    ("code", "settings", "message"),
    [
        ("FX", {}, "there is no strategy 'FX'"),
        ("FC", {"sise": 4}, "FC has no parameter 'sise'.*did you mean 'size'"),
        ("FC", {"tail.rul": 4}, "did you mean 'tail.rule'"),
        ("FC", {"size": 0}, "size is 0 tokens, but must be at least 1"),
        ("FC", {"size": 5, "overlap": 5}, "overlap is 5 tokens, but must be .*at most 4"),
        ("RC", {"size": 40}, r"overlap is 50 .*at most 39 \(size - 1\): choose .* range$"),
        ("RC", {"overlap": -1}, "overlap is -1 .*in that range or reset it to 50$"),
        ("K2", {"seed": 2**32}, "seed is 4294967296, but must be .*at most 4294967295"),
        ("FC", {"snap": "words"}, "snap is 'words', but must be one of .*did you mean 'word'"),
        ("FC", {"tail.min": 100}, "tail.min is 100 percent, but must be .*at most 99"),
        ("FC", {"reg.max": 50, "reg.min": 60}, "reg.min is 60 tokens.*at most 50"),
        ("FC", {"mode": "reference", "snap": "word"}, "snap is 'word', but must be 'none'"),
        ("HYB", {"primary": "HFCF"}, "HFCF cannot be a stage of a hybrid"),
    ],
)
def test_what_cannot_be_is_refused_with_value_and_bound(code, settings, message):
    with pytest.raises(ParameterError, match=message):
        make_recipe(code, settings)


def test_reference_mode_has_the_bounds_of_the_released_code():
    assert make_recipe("FC", {"mode": "reference", "size": 5, "overlap": 9}).is_reference
    assert make_recipe("RC", {"mode": "reference", "size": 5, "overlap": 5}).is_reference
    with pytest.raises(ParameterError, match="overlap is 6"):
        make_recipe("RC", {"mode": "reference", "size": 5, "overlap": 6})
    assert make_recipe("PAGE", {"mode": "reference"}).parameters["keep_empty"] is True


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("FC:size=400,overlap=200", "overlap", 200),
        ("FC", "size", 50),
        ("K4:linkers=for,until,min_words=0", "linkers", ("for", "until")),
        ("RGX:pattern=a{1,2},attach=end", "pattern", "a{1,2}"),
        (r"RGX:pattern=a\,b=,min_chars=3", "pattern", "a,b="),
        ("HRC:gate=0,primary.size=300", "primary.size", 300),
    ],
)
def test_the_one_word_form_is_read(word, name, value):
    assert parse_recipe(word).parameters[name] == value


@pytest.mark.parametrize("word", ["FC:size", "FC:=4", "FC:"])
def test_a_word_of_another_form_is_refused(word):
    with pytest.raises(ParameterError, match="NAME=VALUE"):
        parse_recipe(word)


@pytest.mark.parametrize(
    "word",
    [
        "FC:size=400,overlap=200,tail.rule=merge",
        r"RGX:pattern=a\,b=,attach=end,reg=on",
        "K4:linkers=for,until",
        "HYB:primary=SGC,secondary=SWC,primary.sentences=5,gate=300",
        "SGC:sentences=4,mode=reference",
    ],
)
def test_the_word_of_a_recipe_makes_it_again(word):
    recipe = parse_recipe(word)

    assert parse_recipe(recipe.word) == recipe


def test_the_words_own_settings_come_before_those_of_the_command():
    recipe = parse_recipe("FC:size=400", {"size": 100, "mode": "reference"})

    assert recipe.parameters["size"] == 400
    assert recipe.is_reference


def test_changing_some_settings_keeps_the_others():
    recipe = parse_recipe("FC:size=400,overlap=200,snap=word")

    changed = recipe.with_settings({"size": 300})

    assert changed.parameters == {"size": 300, "overlap": 200}
    assert changed.shared["snap"] == "word"


def test_another_stage_of_the_generic_hybrid_brings_its_own_parameters():
    recipe = parse_recipe("HYB:primary=SGC,secondary=FC,primary.sentences=5,gate=300")

    changed = recipe.with_settings({"primary": "FCC"})

    assert "primary.size" in changed.parameters
    assert "primary.sentences" not in changed.parameters
    assert changed.parameters["gate"] == 300


def test_the_splitter_of_a_strategy_with_a_parameter_of_that_name_stays_when_others_change():
    recipe = make_recipe("SGC", {"sentences": 4}, options={"sentences": "regex"})

    changed = recipe.with_settings({"overlap": 2})

    assert changed.parameters == {"sentences": 4, "overlap": 2}
    assert changed.shared["sentences"] == "regex"


def test_a_length_unit_has_the_aliases_of_tokenizers():
    assert make_recipe("LAC", {"length_unit": "cl100k"}).parameters["length_unit"] == "cl100k_base"
