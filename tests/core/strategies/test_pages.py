# SPDX-License-Identifier: AGPL-3.0-or-later
"""PAGE: groups of pages, with lines of overlap and without."""

import pytest

from core.document.model import Document, Page
from core.strategies.run import parse_recipe, run
from core.strategies.source import Units

TEXT = "Page one.\nIts end.\n\nPage two.\n\nPage three.\nThe end."
SPANS = ((0, 18), (20, 29), (31, 31), (31, 51))


def paged(text=TEXT, spans=SPANS):
    pages = tuple(Page(k, 595, 842, 0, start, end) for k, (start, end) in enumerate(spans))
    return Document(text, pages=pages)


def spans_of(document, word, **settings):
    return run(parse_recipe(word, settings), document, Units()).spans.tolist()


def test_text_between_pages_belongs_to_the_page_before():
    assert spans_of(paged(), "PAGE") == [[0, 20], [20, 31], [31, 51]]


def test_pages_are_taken_together():
    assert spans_of(paged(), "PAGE:pages=2") == [[0, 31], [31, 51]]


@pytest.mark.parametrize("settings", [{"keep_empty": "on"}, {"mode": "reference"}])
def test_an_empty_page_is_a_chunk_where_it_is_kept(settings):
    assert spans_of(paged(), "PAGE", **settings) == [[0, 20], [20, 31], [31, 31], [31, 51]]


def test_the_last_lines_of_the_chunk_before_are_repeated():
    chunks = run(parse_recipe("PAGE:overlap_lines=2"), paged(), Units())

    # the last two lines of page 1 are "Its end." and the blank one
    assert chunks.spans.tolist()[1] == [10, 31]
    assert chunks.start_reasons[1].words == "2 lines of the chunk before are repeated"


def test_the_overlap_counts_lines_of_the_chunk_before_with_its_own():
    text = "a\nb\nc\n"
    document = paged(text, ((0, 2), (2, 4), (4, 6)))

    assert spans_of(document, "PAGE:overlap_lines=2") == [[0, 2], [0, 4], [0, 6]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("one\ftwo\fthree", ["one\f", "two\f", "three"], id="form feeds separate"),
        pytest.param("one two", ["one two"], id="without one, a single page"),
        pytest.param("one\f\f two\f", ["one\f", " two\f"], id="empty pages are left out"),
    ],
)
def test_form_feeds_separate_the_pages_of_a_text_file(text, expected):
    assert [text[a:b] for a, b in spans_of(Document(text), "PAGE")] == expected
