# SPDX-License-Identifier: AGPL-3.0-or-later
"""Sentence splitters."""

import numpy as np
import pytest
from hypothesis import given

from core.document.model import Block, Document
from core.errors import Cancelled, ParameterError
from core.units import sentences
from core.units.sentences import SPLITTERS, split_sentences
from tests.hostile import HOSTILE_TEXTS
from tests.strategies import texts

QUICK = tuple(name for name in SPLITTERS if name != "spacy")


def split(text, name, language="en", **options):
    document = Document(text, language=language)
    return [text[a:b] for a, b in split_sentences(document, name, **options).tolist()]


def test_punkt_takes_the_time_that_a_long_text_needs(monkeypatch):
    redos = type(sentences.punkt()).span_tokenize.__globals__["redos"]
    monkeypatch.setattr(redos, "DEFAULT_TIMEOUT", 0.1)  # seconds; of all its patterns
    sentence = "The tide turns twice a day, and the boats wait. "
    assert len(split(sentence * 20_000, "punkt")) == 20_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Dr. Lee met Prof. Kim. Then they left.",
            ["Dr. Lee met Prof. Kim.", "Then they left."],
            id="titles end no sentence",
        ),
        pytest.param("  One. Two.  ", ["  One.", "Two."], id="white space before stays"),
        pytest.param('He said "Go." Then left.', ['He said "Go."', "Then left."], id="realigned"),
        pytest.param(" \n ", [], id="white space is no sentence"),
    ],
)
def test_punkt_gives_spans_as_nltk_does(text, expected):
    assert split(text, "punkt") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("One. Two?  Three", ["One.", "Two?", "Three"], id="after end marks"),
        pytest.param(" One. Two ", [" One.", "Two "], id="not trimmed"),
        pytest.param("One. ", ["One.", ""], id="an empty one after a last end mark"),
        pytest.param(" ", [" "], id="white space is one"),
        pytest.param("", [], id="no text, none"),
    ],
)
def test_regex_sentences_are_what_lies_between_matches(text, expected):
    assert split(text, "regex") == expected


def test_blank_sentences_are_trimmed_paragraphs_of_any_blank_line():
    assert split("One.\n \nTwo\r\n\r\n Three ", "blank") == ["One.", "Two", "Three"]


@pytest.mark.slow
def test_spacy_sentences_run_from_the_first_to_the_last_word():
    assert split("\nOne is here. \n\n Two is there. ", "spacy") == ["One is here.", "Two is there."]


@pytest.mark.slow
def test_a_long_text_is_parsed_in_pieces_that_end_at_paragraphs(monkeypatch):
    text = "The dose is halved. Take the level.\n\n" * 30
    whole = split(text, "spacy")

    monkeypatch.setattr(sentences, "PARSED_AT_ONCE", 300)

    assert split(text, "spacy") == whole


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "ja",
            "猫が好き。犬も好き。鳥は？はい！",
            ["猫が好き。", "犬も好き。", "鳥は？", "はい！"],
        ),
        ("ja", "「そうだ。」（はい。）次", ["「そうだ。」", "（はい。）", "次"]),
        ("zh", "他说：“你好。”然后走了……再见！", ["他说：“你好。”", "然后走了……", "再见！"]),
        ("ar", "الجرعة ٢٥ ملغ؟ نعم. تمام۔ حسنا", ["الجرعة ٢٥ ملغ؟", "نعم.", "تمام۔", "حسنا"]),
        ("he", "המינון 2.5 מ״ג. פעמיים ביום! כן?", ["המינון 2.5 מ״ג.", "פעמיים ביום!", "כן?"]),
        ("hi", "रोगी को दवा दें। फिर देखें।", ["रोगी को दवा दें।", "फिर देखें।"]),
        (
            "de",
            "Er kam am 3. Mai, z.B. um 10 Uhr. Dr. Müller sagte Nein! Dann ging er.",
            ["Er kam am 3. Mai, z.B. um 10 Uhr.", "Dr. Müller sagte Nein!", "Dann ging er."],
        ),
        (
            "fr",
            "M. Dupont est venu. « Non ! » dit-il. Est-ce vrai ? Oui.",
            ["M. Dupont est venu.", "« Non ! »", "dit-il.", "Est-ce vrai ?", "Oui."],
        ),
        (
            "fr",
            "Il a 5 m. 12 Russes suivent (cf. p. 12). J.-P. Sartre part. Voir l'art. 3.",
            ["Il a 5 m.", "12 Russes suivent (cf. p. 12).", "J.-P. Sartre part.", "Voir l'art. 3."],
        ),
        ("el", "Τι κάνεις; Καλά.", ["Τι κάνεις;", "Καλά."]),
        ("en", "It is 3.5 mg. What?! Yes... no.", ["It is 3.5 mg.", "What?!", "Yes... no."]),
        ("en", "See No. 7. He said no. Then left.", ["See No. 7.", "He said no.", "Then left."]),
        (
            "en",
            "Dr. Lee et al. met e.g. Prof. Kim. W. B. Yeats left.",
            ["Dr. Lee et al. met e.g. Prof. Kim.", "W. B. Yeats left."],
        ),
    ],
)
def test_other_languages_are_split_at_their_own_end_marks(language, text, expected):
    assert split(text, "unicode", language) == expected


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=list(HOSTILE_TEXTS))
def test_only_white_space_lies_between_sentences(name, text):
    assert_only_white_space_is_lost(text, name)


@given(text=texts)
def test_only_white_space_lies_between_sentences_of_any_text(text):
    for name in QUICK:
        assert_only_white_space_is_lost(text, name)


def assert_only_white_space_is_lost(text, name):
    spans = split_sentences(Document(text), name)
    edges = np.concatenate([[0], spans.ravel(), [len(text)]])
    assert (np.diff(edges) >= 0).all()
    gaps = edges.reshape(-1, 2).tolist()
    assert not "".join(text[a:b] for a, b in gaps).strip()


def test_an_unknown_splitter_is_refused_with_the_nearest_name():
    with pytest.raises(ParameterError, match=r"'punct', but must be one of .*'punkt'"):
        split_sentences(Document("a"), "punct")


def test_a_heading_runs_into_the_next_paragraph_unless_it_ends_a_sentence():
    text = "Intro. No end\n\n## 1. Storage at home\n\nKeep it cold. Always."

    alone = split(text, "punkt", headings_end_sentences=True)

    assert split(text, "punkt")[1] == "No end\n\n## 1."
    assert alone == ["Intro.", "No end", "## 1. Storage at home", "Keep it cold.", "Always."]


def test_headings_come_from_blocks_where_there_are_any():
    text = "Storage\n\nKeep it cold."
    document = Document(
        text, blocks=(Block(0, 7, "heading", 1, 0), Block(9, 22, "paragraph", 0, 0))
    )

    spans = split_sentences(document, "punkt", headings_end_sentences=True)

    assert spans.tolist() == [[0, 7], [9, 22]]


def test_a_line_with_a_hash_in_a_fence_is_no_heading():
    text = "Run.\n```\n# not a heading\n```\nDone."

    assert split(text, "punkt", headings_end_sentences=True) == split(text, "punkt")


def test_spacy_tells_how_far_it_has_read_and_stops_when_its_sentences_are_not_wanted(monkeypatch):
    monkeypatch.setattr(sentences, "PARSED_AT_ONCE", 40)
    text, told = "One apple falls.\n\nTwo pears fall.\n\n" * 4, []

    class After:
        def check(self):
            if len(told) == 2:
                raise Cancelled

    with pytest.raises(Cancelled):
        sentences.spacy_sentences(text, cancel=After(), progress=lambda *words: told.append(words))
    assert [(of, unit) for _, of, unit in told] == [(len(text), "characters")] * 2
    assert 0 == told[0][0] < told[1][0] < len(text)
