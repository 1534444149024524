# SPDX-License-Identifier: AGPL-3.0-or-later
"""ADAPT: on each document the chunks of the best candidate."""

import pytest

from core.document.model import Document
from core.errors import ParameterError
from core.pipeline import Pipeline
from core.strategies.adaptive_choice import candidate_words
from core.strategies.recipe import parse_recipe
from core.vectors.toy import ToyEmbedder

SENTENCE = "The board met on Monday and it decided on the price of the ticket for the year. "
TEXT = "\n\n".join(SENTENCE * 12 for _ in range(8))
WORD = r"ADAPT:candidates=FCC:size=40\,overlap=0 STM:size=400\,reg=on"


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(ToyEmbedder())


def test_the_chunks_are_those_of_the_winner(pipeline: Pipeline) -> None:
    document = Document(TEXT)
    chosen = pipeline.chunk(parse_recipe(WORD), document)
    winner = pipeline.chunk(parse_recipe("STM:size=400,reg=on"), document)
    assert chosen.spans.tolist() == winner.spans.tolist()


def test_the_reason_names_the_winner_and_the_next_with_their_means(pipeline: Pipeline) -> None:
    chunks = pipeline.chunk(parse_recipe(WORD), Document(TEXT))
    words = [each.message for each in chunks.notices if each.kind == "adaptive"]
    assert len(words) == 1
    assert words[0].startswith("STM:size=400 + REG: 1.000")
    assert ", next FCC:size=40,overlap=0: 0." in words[0]


def test_other_weights_choose_anew_without_scoring_again(pipeline: Pipeline) -> None:
    document = Document(TEXT)
    pipeline.chunk(parse_recipe(WORD), document)
    only_icc = WORD + "".join(f",weight.{code}=0" for code in ("RC", "DCC", "BI", "SC"))
    recipe = parse_recipe(only_icc)
    assert pipeline.is_prepared(recipe, document)
    values = {
        word: pipeline.score(document, pipeline.chunk(parse_recipe(word), document)).values["ICC"]
        for word in ("FCC:size=40,overlap=0", "STM:size=400,reg=on")
    }
    best = max(values, key=lambda word: values[word] or 0.0)
    expected = pipeline.chunk(parse_recipe(best), document)
    assert pipeline.chunk(recipe, document).spans.tolist() == expected.spans.tolist()


def test_a_candidate_that_fails_is_named_and_cannot_win(pipeline: Pipeline) -> None:
    recipe = parse_recipe(r"ADAPT:candidates=RGX:pattern=(((( STM:size=400")
    chunks = pipeline.chunk(recipe, Document(TEXT))
    assert "failed: RGX" in chunks.notices[-1].message


def test_identical_candidates_are_told() -> None:
    chunks = Pipeline(ToyEmbedder()).chunk(
        parse_recipe(r"ADAPT:candidates=SGC:sentences=1\,overlap=0 SBC"), Document(TEXT)
    )
    assert "the same chunks as" in chunks.notices[-1].message


def test_its_word_makes_the_same_recipe_again() -> None:
    recipe = parse_recipe(WORD)
    assert parse_recipe(recipe.word) == recipe
    assert parse_recipe(parse_recipe("ADAPT").word) == parse_recipe("ADAPT")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("STM:size=600,reg=on RC", "PAGE"), ["STM:size=600,reg=on", "RC", "PAGE"]),
        (("FC:size=400", "overlap=20 RC"), ["FC:size=400,overlap=20", "RC"]),
        (("RC", "PAGE"), ["RC", "PAGE"]),
    ],
)
def test_candidates_stand_apart_by_spaces_or_commas(
    given: tuple[str, ...], words: list[str]
) -> None:
    assert candidate_words(given) == words


def test_itself_and_nothing_are_refused() -> None:
    with pytest.raises(ParameterError, match="itself"):
        candidate_words(("RC ADAPT:weight.RC=2",))
    with pytest.raises(ParameterError, match="at least one"):
        candidate_words(())
