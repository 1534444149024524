# SPDX-License-Identifier: AGPL-3.0-or-later
"""What holds for every registered strategy, on texts as hostile as they come."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.scores.adaptive_judge  # noqa: F401 - ADAPT chooses by scores
from core.declaration import Parameter
from core.document.model import Document
from core.errors import ParameterError
from core.strategies.registry import find, strategies
from core.strategies.run import make_recipe, run
from core.strategies.source import Units
from core.units.graphemes import grapheme_table
from core.vectors.toy import ToyEmbedder
from tests.hostile import HOSTILE_TEXTS
from tests.strategies import texts

CODES = tuple(code for code, found in strategies().items() if not found.declaration.model_made)
NESTED = frozenset({"PCC"})
NOT_CONTIGUOUS = frozenset({"K2"})
# the parser is slow and takes seconds for these; the same splitter reads all the others
SLOW_TO_PARSE = frozenset(
    {"same paragraph a thousand times", "one long word", "only sentence ends"}
)
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
PROSE = (
    "# Storage\n\nStore the vials at 2 to 8 °C. Do not freeze them! Has a vial been frozen?\n\n"
    "Then discard it, unless Dr. Lee says so. A thawed vial looks clear. It has lost strength.\n\n"
    "## Doses\n\nGive 3.5 mg twice a day. After two days take the level. Halve it if high.\n"
)


@lru_cache(maxsize=len(HOSTILE_TEXTS))
def opened(name):
    """A hostile text with the units that all strategies share."""
    return Document(HOSTILE_TEXTS[name]), Units()


def settings_for(code, name):
    if find(code).declaration.sentences == "spacy" and name in SLOW_TO_PARSE:
        return {"sentences": "punkt"}
    return {}


@lru_cache(maxsize=len(HOSTILE_TEXTS) * 50)
def chunked(code, name):
    document, units = opened(name)
    recipe = make_recipe(code, settings_for(code, name))
    return run(recipe, document, units, embedder=ToyEmbedder(), allow_many=True)


every_strategy = pytest.mark.parametrize("code", CODES)
every_text = pytest.mark.parametrize("name", HOSTILE_TEXTS)


@every_strategy
@every_text
def test_spans_lie_inside_the_text_and_ascend(code, name):
    text, chunks = HOSTILE_TEXTS[name], chunked(code, name)
    spans = chunks.spans

    assert (spans[:, 0] >= 0).all() and (spans[:, 1] <= len(text)).all()
    assert (spans[:, 0] < spans[:, 1]).all()
    if code not in NESTED:
        assert (np.diff(chunks.starts) >= 0).all()
    for row in chunks.rows():
        assert np.all(np.diff(np.ravel(row)) >= 0), "spans of one chunk ascend without overlap"


@every_strategy
@every_text
def test_no_character_is_lost_but_white_space(code, name):
    text, chunks = HOSTILE_TEXTS[name], chunked(code, name)
    covered = np.zeros(len(text) + 1, np.int64)
    np.add.at(covered, chunks.spans[:, 0], 1)
    np.add.at(covered, chunks.spans[:, 1], -1)
    outside = np.flatnonzero(np.cumsum(covered[:-1]) == 0)

    assert_nothing_to_see("".join(text[k] for k in outside.tolist()))


def assert_nothing_to_see(lost):
    """White space and zero-width characters between chunks are in none."""
    assert not "".join(mark for mark in lost if mark not in INVISIBLE).strip()


@every_strategy
@every_text
def test_no_chunk_is_blank(code, name):
    assert all(text.strip() for text in chunked(code, name).all_texts(HOSTILE_TEXTS[name]))


@every_strategy
@every_text
def test_no_cut_splits_a_visible_character(code, name):
    clusters = grapheme_table(HOSTILE_TEXTS[name])

    assert clusters.is_edge(chunked(code, name).spans.ravel()).all()


@every_strategy
@every_text
def test_every_boundary_has_its_reason_except_the_ends_of_the_document(code, name):
    text, chunks = HOSTILE_TEXTS[name], chunked(code, name)
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    for index in range(0, len(chunks), max(1, len(chunks) // 200)):
        start, end = chunks.start_reasons[index], chunks.end_reasons[index]
        assert start is not None or chunks.starts[index] <= first or code in NOT_CONTIGUOUS
        assert end is not None or chunks.ends[index] >= last or code in NOT_CONTIGUOUS
        for reason in (start, end):
            assert reason is None or (reason.rule and reason.words and "{value" not in reason.words)


@every_strategy
@every_text
def test_a_second_run_gives_the_same_chunks_cold_and_warm(code, name):
    document, units = opened(name)
    recipe = make_recipe(code, settings_for(code, name))
    first = chunked(code, name)

    warm = run(recipe, document, units, embedder=ToyEmbedder(), allow_many=True)

    assert warm.key == first.key
    if len(document.text) < 5_000:
        copy = Document(document.text)
        cold = run(recipe, copy, Units(), embedder=ToyEmbedder(), allow_many=True)
        assert cold.key == first.key


@every_strategy
@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t \u00a0\u2003"])
def test_an_empty_or_blank_text_has_no_chunks(code, text):
    assert len(run(make_recipe(code), Document(text), Units(), embedder=ToyEmbedder())) == 0


def numeric_limits():
    """Each numeric parameter at its least and greatest value."""
    for code in CODES:
        for parameter in find(code).declaration.parameters:
            low, high = parameter.bounds(defaults_of(code))
            for value in (low, high):
                if value is not None:
                    yield pytest.param(
                        code, parameter, value, id=f"{code} {parameter.name} {value:.12g}"
                    )


def defaults_of(code):
    return make_recipe(code).parameters


@pytest.mark.parametrize(("code", "parameter", "value"), numeric_limits())
def test_each_parameter_works_at_its_limits(code, parameter: Parameter, value):
    recipe = make_recipe(code, lenient(code, {parameter.name: value}))

    chunks = run(recipe, Document(PROSE), Units(), embedder=ToyEmbedder())

    assert len(chunks) and all(text.strip() for text in chunks.all_texts(PROSE))


def lenient(code, settings):
    """The settings, and parameters that they bound at a value that the bound allows."""
    values = defaults_of(code) | settings
    for _ in range(3):  # a bound may depend on a parameter that has a bound itself
        for parameter in find(code).declaration.parameters:
            low, high = parameter.bounds(values)
            if high is not None and values[parameter.name] > high:
                values[parameter.name] = high
            elif low is not None and values[parameter.name] < low:
                values[parameter.name] = low
    return values


@pytest.mark.parametrize(("code", "parameter", "value"), numeric_limits())
def test_a_value_past_a_limit_is_refused_with_its_name_value_and_bound(code, parameter, value):
    low, _ = parameter.bounds(defaults_of(code))
    past = value - 1 if value == low else value + 1

    with pytest.raises(ParameterError) as refused:
        make_recipe(code, {parameter.name: past})

    message = str(refused.value)
    assert parameter.name in message and f"{past:.12g}" in message and f"{value:.12g}" in message


ASKS_A_MODEL = {("K4", "headers", "model")}


def all_choices():
    for code in CODES:
        for parameter in find(code).declaration.parameters:
            name = parameter.name
            for choice in (True, False) if parameter.type == "boolean" else parameter.choices:
                if (code, name, choice) not in ASKS_A_MODEL:
                    yield pytest.param(code, name, choice, id=f"{code} {name} {choice}")


@pytest.mark.parametrize(("code", "name", "choice"), all_choices())
def test_each_choice_gives_chunks(code, name, choice):
    recipe = make_recipe(code, {name: choice})

    assert len(run(recipe, Document(PROSE), Units(), embedder=ToyEmbedder()))


@pytest.mark.parametrize(
    ("code", "preset"),
    [(code, preset) for code in CODES for preset in find(code).declaration.presets],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_each_preset_gives_chunks(code, preset):
    recipe = make_recipe(code, preset.parameters)

    assert len(run(recipe, Document(PROSE), Units(), embedder=ToyEmbedder()))


@every_strategy
def test_the_declaration_says_what_a_user_needs(code):
    declaration = find(code).declaration

    assert declaration.name and declaration.family and declaration.source and declaration.help
    for parameter in declaration.parameters:
        assert parameter.help, parameter.name
    assert all(other in strategies() for other in declaration.same_as)


FAST_TO_RUN = tuple(
    code
    for code in CODES
    if find(code).declaration.sentences != "spacy" and code not in {"K1b", "K2"}
)


@given(text=texts, code=st.sampled_from(FAST_TO_RUN), size=st.integers(1, 50), data=st.data())
def test_any_text_keeps_all_its_characters_at_any_size(text, code, size, data):
    settings = small_settings(code, size, data)

    chunks = run(make_recipe(code, settings), Document(text), Units(), embedder=ToyEmbedder())

    covered = np.zeros(len(text), bool)
    for start, end in chunks.spans.tolist():
        assert 0 <= start < end <= len(text)
        covered[start:end] = True
    assert_nothing_to_see("".join(text[k] for k in np.flatnonzero(~covered)))
    assert grapheme_table(text).is_edge(chunks.spans.ravel()).all()


def small_settings(code, size, data):
    """A small size and a smaller overlap, where the strategy has them."""
    names = {parameter.name for parameter in find(code).declaration.parameters}
    settings = {}
    if "size" in names:
        settings = {"size": size}
        if "overlap" in names:
            settings["overlap"] = data.draw(st.integers(0, size - 1))
        if "min_tokens" in names:
            settings["min_tokens"] = 0
    elif {"window", "step"} <= names:
        settings = {"window": size, "step": data.draw(st.integers(1, size))}
    elif {"min", "max"} <= names:
        settings = {"max": size, "min": data.draw(st.integers(0, size))}
    return settings
