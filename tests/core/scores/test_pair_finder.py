# SPDX-License-Identifier: AGPL-3.0-or-later
"""The pair finder on spaCy: what it finds, what it passes over, and how well."""

import itertools

import numpy as np
import pytest

from core.arrays import as_spans
from core.cancel import Never
from core.errors import Cancelled, DocumentError
from core.scores.antecedents import RULES
from core.scores.mentions import BLOCK_CHARACTERS, text_blocks
from core.scores.pair_finder import SpacyPairFinder
from core.scores.pairs import pairs_from_json

BAR = {"precision": 0.87, "recall": 0.97, "antecedent": 0.48}
GREATEST_ERROR = {"RC mean": 0.030, "RC weighted": 0.032, "RC greatest": 0.10}


def found(text: str, finder: SpacyPairFinder | None = None) -> list[tuple[str, str]]:
    pairs = (finder or SpacyPairFinder()).find(text, "en").pairs
    return [(text[a:b], text[c:d]) for a, b, c, d in pairs.tolist()]


@pytest.mark.parametrize("rule", RULES)
def test_a_pronoun_is_paired_with_what_it_stands_for(rule: str):
    text = "The committee published a report. It was read by many."
    finder = SpacyPairFinder(rule)

    assert found(text, finder)[0][1] == "It"


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        pytest.param(
            "The nurses signed the form because they had read the rules.",
            ("The nurses", "they"),
            id="plural",
        ),
        pytest.param(
            "Each patient keeps a diary. They write in it daily.",
            ("Each patient", "They"),
            id="they for one person",
        ),
        pytest.param(
            "Maria Lopez leads the clinic. She opened a second ward.",
            ("Maria Lopez", "She"),
            id="named person",
        ),
        pytest.param("The company raised its prices.", ("The company", "its"), id="possessive"),
    ],
)
def test_number_and_kind_agree(text: str, pair: tuple[str, str]):
    assert pair in found(text)


@pytest.mark.parametrize(
    ("between", "entity"),
    [
        pytest.param(" ", "The old tower", id="same paragraph"),
        pytest.param("\n\n", "a lamp", id="another paragraph"),
        pytest.param("\n\nLights\n\n", "a lamp", id="a heading between"),
    ],
)
def test_a_pronoun_seldom_reaches_into_the_paragraph_before(between: str, entity: str):
    text = f"The old tower serves the town.{between}Beside a lamp it stands."

    assert found(text) == [(entity, "it")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The law is old. It is clear that nobody reads.", id="it is clear that"),
        pytest.param("The law is old. It seems that nobody reads.", id="it seems"),
        pytest.param("The law is old. It was found that nobody reads.", id="it was found that"),
        pytest.param("The report names the law itself.", id="the law itself"),
        pytest.param('A token such as "he" is counted by the model.', id="a word spoken of"),
    ],
)
def test_a_pronoun_that_stands_for_nothing_is_passed_over(text: str):
    assert found(text) == []


def test_first_persons_are_found_only_when_asked_for():
    text = "The authors thank the clinic. We are grateful."

    assert all(pronoun != "We" for _, pronoun in found(text))
    assert any(p == "We" for _, p in found(text, SpacyPairFinder(persons="all")))


def test_pairs_keep_the_rules_of_the_interface():
    text = "The Board met in May. It agreed, and its members told their staff about it. " * 20

    result = SpacyPairFinder().find(text, "en")

    entity_start, entity_end, start, _end = result.pairs.T
    assert (entity_start < entity_end).all()
    assert (entity_end <= start).all()
    assert len(np.unique(start)) == len(start)
    assert all(text[a:b] == text[a:b].strip() for a, b, _, _ in result.pairs.tolist())
    assert ((result.confidences > 0) & (result.confidences <= 1)).all()
    assert len(result.rules) == len(result.pairs)


def test_another_language_is_not_measurable_and_says_so():
    result = SpacyPairFinder().find("Der Rat tagte. Er beschloss viel.", "de")

    assert len(result.pairs) == 0
    assert "English only" in result.reason


def test_boilerplate_gives_neither_mention_nor_pronoun():
    text = "The Agency Report\n\nThe table is large. It has rows.\n\nIt is page 3."
    boilerplate = as_spans([(0, 17), (text.index("It is page"), len(text))])

    pairs = SpacyPairFinder().find(text, "en", boilerplate=boilerplate).pairs

    assert [(text[a:b], c) for a, b, c, _ in pairs.tolist()] == [
        ("The table", text.index("It has"))
    ]


def test_a_text_is_read_once():
    finder = SpacyPairFinder()
    text = "The Board met. It agreed."

    assert finder.find(text, "en") is finder.find(text, "en")


def test_pairs_arrive_block_by_block_and_earlier_ones_stay():
    text = "The Board met in May. It agreed on the budget for the year.\n\n" * 200
    steps = [each.pairs for each in SpacyPairFinder().find_step_by_step(text)]

    assert len(steps) > 2
    for fewer, more in itertools.pairwise(steps):
        np.testing.assert_array_equal(more[: len(fewer)], fewer)


def test_reading_stops_when_nobody_wants_it_any_more():
    class Impatient(Never):
        def check(self) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        SpacyPairFinder().find("The Board met. It agreed.", "en", cancel=Impatient())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("\n\n \n\n", id="blank"),
        pytest.param("word " * 5_000, id="no paragraph"),
        pytest.param("One.\n\n" * 3_000, id="many paragraphs"),
    ],
)
def test_blocks_tile_the_text(text: str):
    blocks = list(text_blocks(text))

    assert "".join(text[a:b] for a, b in blocks) == text
    assert all(b - a <= 3 * BLOCK_CHARACTERS for a, b in blocks)


def test_pairs_are_read_from_a_file_in_the_published_form():
    assert pairs_from_json([[[0, 3], [5, 7]]], 10).tolist() == [[0, 3, 5, 7]]


@pytest.mark.parametrize("data", [[[[0, 3]]], "pairs", [[[0, 3], [5, 99]]], None])
def test_pairs_that_cannot_be_are_refused(data):
    with pytest.raises(DocumentError):
        pairs_from_json(data, 10)


@pytest.mark.slow
def test_the_finder_passes_the_bar_on_the_stored_documents(shared):
    from bench.quality_pairs import compare, figures, stored_documents

    finder = SpacyPairFinder()
    documents = stored_documents(shared / "data" / "pairs")

    result = figures([compare(each, finder.find(each.text, "en").pairs) for each in documents])

    assert all(result[name] >= value for name, value in BAR.items())
    assert all(result[name] <= value for name, value in GREATEST_ERROR.items())
    assert result["antecedent"] >= 0.6
    assert result["RC weighted"] <= 0.021 and result["Spearman"] >= 0.85
