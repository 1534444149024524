# SPDX-License-Identifier: AGPL-3.0-or-later
import pytest

from core.arrays import as_spans
from core.document.model import Block, Document
from core.strategies.headers import (
    NO_HEADER,
    find_headings,
    find_noun_phrases,
    noun_phrase_headers,
    structure_headers,
)
from core.strategies.source import Source

MARKDOWN = "# Guide\nIntro.\n\n## Dose\nGive one.\n\n### Elderly\nHalve.\n\n## Storage\nCool.\n"


def header_of(text, chunk):
    start = text.index(chunk)
    spans = as_spans([(start, start + len(chunk))])
    return structure_headers(text, spans, find_headings(Document(text)))[0]


@pytest.mark.parametrize(
    ("chunk", "header"),
    [
        ("Intro.", "Guide"),
        ("Give one.", "Guide > Dose"),
        ("Halve.", "Guide > Dose > Elderly"),
        ("Cool.", "Guide > Storage"),
        ("## Storage\nCool.", "Guide"),
        ("# Guide\nIntro.", ""),
    ],
)
def test_a_header_is_the_titles_above_the_start_that_are_not_in_the_text(chunk, header):
    assert header_of(MARKDOWN, chunk) == header


def test_titles_come_from_the_blocks_where_there_are_any():
    text = "Dose\n\nGive one."
    blocks = (Block(0, 4, "heading", 1, 0), Block(6, 15, "paragraph", 0, 0))
    found = find_headings(Document(text, blocks=blocks))
    assert structure_headers(text, as_spans([(6, 15)]), found) == ("Dose",)


def test_without_headings_there_is_no_header():
    assert header_of("Just a text.", "a text") == ""


TEXT = (
    "The renal function is measured. It is low. The renal function is measured again by "
    "an experienced nurse. They wait."
)


def noun_phrases(*chunks):
    spans = as_spans([(TEXT.index(chunk), TEXT.index(chunk) + len(chunk)) for chunk in chunks])
    return noun_phrase_headers(Source(Document(TEXT)), spans)


def test_the_most_frequent_noun_phrase_is_the_header():
    assert noun_phrases(TEXT) == ("The renal function",)


def test_a_tie_is_won_by_the_first_and_the_initial_is_a_capital():
    assert noun_phrases("an experienced nurse. They wait.") == ("An experienced nurse",)


def test_pronouns_and_single_words_are_no_headers():
    assert noun_phrases("It is low.", "They wait.") == (NO_HEADER, NO_HEADER)


def test_noun_phrases_lie_where_they_stand_however_the_text_is_read(monkeypatch):
    from core.strategies import headers

    text = (TEXT + " ") * 5
    for size in (50_000, 150):
        monkeypatch.setattr(headers, "PARSED_AT_ONCE", size)
        found = find_noun_phrases(Source(Document(text)))
        assert [text[a:b] for a, b in found.spans] == list(found.texts)
        assert len(found.texts) == 15
