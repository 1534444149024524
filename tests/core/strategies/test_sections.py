# SPDX-License-Identifier: AGPL-3.0-or-later
"""S1: sections, blocks, tables, overlap, and what may never happen to them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Block, Document
from core.errors import ParameterError
from core.strategies.registry import find
from core.strategies.section_blocks import section_blocks
from core.strategies.source import Options, Source
from core.units.tokens import piece_counter
from tests.strategies import prose, texts

COUNT = piece_counter("cl100k_base").count
WORDS = piece_counter("words").count
S1 = find("S1")

markdown = st.lists(
    st.one_of(
        st.integers(1, 6).map(lambda level: "#" * level + " Title of it\n\n"),
        st.integers(1, 30).map(lambda n: "Some words of a sentence. " * n + "\n\n"),
        st.integers(1, 9).map(lambda n: "| a | b |\n|---|---|\n" + "| one 1 | two |\n" * n + "\n"),
        prose,
        st.just("```\n# no heading\n| no | table |\n```\n\n"),
        st.integers(40, 90).map(lambda n: "# " + "Words of a long title " * n + "\n\n"),
        st.integers(40, 90).map(lambda n: "| " + "long row " * n + "|\n\n"),
        st.integers(300, 900).map(lambda n: "w" * n + "\n\n"),
    ),
    max_size=8,
).map("".join)


def chunks(document: Document | str, *, tokenizer: str = "words", **parameters):
    if isinstance(document, str):
        document = Document(document)
    slow, fast = S1.split(S1.declaration.check(parameters))
    source = Source(document, Options(headings_end_sentences=True), tokenizer=tokenizer)
    return S1.cut(S1.prepare(source, **slow), **fast)


def texts_of(document: str, **parameters) -> list[str]:
    return chunks(document, **parameters).all_texts(document)


def words(n: int, word: str = "word") -> str:
    return " ".join([word] * n)


def test_each_section_that_fits_is_one_chunk():
    text = "Before.\n\n# One\n\nText one.\n\n## Two\n\nText two.\n\n"

    assert texts_of(text) == ["Before.", "# One\n\nText one.", "## Two\n\nText two."]


def test_deeper_headings_do_not_open_a_section():
    text = "# One\n\nText.\n\n### Three\n\nMore."

    assert texts_of(text, level=2) == [text]


def test_a_line_with_a_hash_in_a_code_fence_is_no_heading():
    text = "# A\n\n```\n# not a head\n```\n\n## B\n\ntext"

    assert texts_of(text) == ["# A\n\n```\n# not a head\n```", "## B\n\ntext"]


def test_a_bare_title_is_joined_to_the_section_after_it():
    text = "# Part\n\n## Chapter\n\nText.\n\n# Last"

    assert texts_of(text) == ["# Part\n\n## Chapter\n\nText.", "# Last"]
    assert texts_of(text, join_title=False) == ["# Part", "## Chapter\n\nText.", "# Last"]


def test_a_long_section_is_filled_with_its_paragraphs():
    text = f"# Title\n\n{words(30)}.\n\n{words(15)}.\n\n{words(20)}."

    found = chunks(text, cap=50, overlap=0)

    assert [WORDS(each) for each in found.all_texts(text)] == [47, 20]
    reason = found.end_reasons[0]
    assert (reason.value, reason.threshold) == (67, 50)
    assert reason.words == "with the next paragraph 67 tokens > 50"


def test_a_heading_is_never_the_last_block_of_a_chunk():
    text = f"# Title\n\n{words(46)}.\n\n### Deep\n\n{words(30)}."

    found = chunks(text, cap=50, overlap=0, level=1)

    assert found.all_texts(text)[1].startswith("### Deep")
    assert found.end_reasons[0].rule == "heading moved"


def test_a_heading_that_would_stay_alone_takes_the_first_sentences():
    text = f"# Title\n\n{words(25)}. {words(24)}."

    assert [WORDS(each) for each in texts_of(text, cap=50, overlap=0)] == [27, 24]


def table(rows: int) -> str:
    return "| drug | dose |\n|---|---|\n" + "".join(f"| d{n} | {n} |\n" for n in range(rows))


def test_a_table_that_fits_is_not_cut():
    text = f"# Title\n\n{words(40)}.\n\n{table(6)}\n{words(10)}."

    found = texts_of(text, cap=50, overlap=0)

    assert found[1] == table(6) + "\n" + words(10) + "."


def test_a_table_above_the_cap_is_cut_between_rows_and_its_header_is_known():
    text = f"# Title\n\n{table(30)}"

    found = chunks(text, cap=50, overlap=0)

    for start, end in found.spans[1:].tolist():
        assert text[start] == "|"
        assert text[end - 1] == "|"
    assert found.headers[0] == ""
    assert set(found.headers[1:]) == {"| drug | dose |\n|---|---|"}
    assert found.embedded_texts(np.array([1]), text)[0].startswith(
        "| drug | dose |\n|---|---|\n| d"
    )
    assert found.end_reasons[0].words.startswith("with the next row ")


def test_a_row_above_the_cap_is_treated_as_text():
    row = f"| {words(40)}. {words(40)}. |"
    text = f"| a |\n|---|\n{row}\n{row}\n"

    assert all(WORDS(each) <= 50 for each in texts_of(text, cap=50, overlap=0))


def test_a_table_of_one_row_above_the_cap_is_treated_as_text():
    text = "| " + "wo rd " * 100 + "|\n"
    assert max(WORDS(piece) for piece in chunks(text, cap=50, overlap=0).all_texts(text)) == 50


def test_a_heading_above_the_cap_is_cut_like_text():
    text = "# " + "Heading words go on " * 15 + "\n\nText here.\n"
    found = chunks(text, cap=50, overlap=0).all_texts(text)
    assert [WORDS(piece) for piece in found] == [50, 13]
    assert found[-1].endswith("Text here.")


@pytest.mark.parametrize(
    ("behind", "first"), [("w" * 1000, "w" * 44), ("| " + "w" * 1000 + " |", "|")]
)
def test_a_heading_takes_the_beginning_of_a_long_word_behind_it(behind, first):
    text = f"## B\n\n{behind}"
    found = chunks(text, tokenizer="characters", cap=50, overlap=0)
    assert found.all_texts(text)[0] == f"## B\n\n{first}"
    assert [b - a for a, b in found.spans.tolist()][1:3] == [50, 50]
    assert (found.spans[1:, 0] - found.spans[:-1, 1] <= 1).all()


def test_overlap_begins_at_a_word_and_counts_toward_the_cap():
    text = f"{words(45, 'alpha')}.\n\n{words(45, 'omega')}."

    found = chunks(text, cap=50, overlap=20)

    assert found.all_texts(text)[1].startswith("alpha alpha alpha.\n\nomega")
    reason = found.start_reasons[1]
    assert (reason.rule, reason.value, reason.threshold) == ("overlap", 20, 20)


def test_overlap_gives_way_to_a_block_that_would_not_fit_beside_it():
    text = f"{words(45, 'alpha')}.\n\n{words(49, 'omega')}."

    assert texts_of(text, cap=50, overlap=20)[1] == f"alpha.\n\n{words(49, 'omega')}."


def test_overlap_does_not_cross_sections_unless_asked():
    text = "# One\n\nalpha beta.\n\n# Two\n\ngamma."

    assert texts_of(text, overlap=8)[1] == "# Two\n\ngamma."
    assert texts_of(text, overlap=8, overlap_across=True)[1] == "beta.\n\n# Two\n\ngamma."


def test_overlap_into_a_table_begins_with_a_row():
    text = f"{words(20)}.\n\n{table(4)}\n{words(30)}."

    found = chunks(text, cap=50, overlap=25)

    assert found.all_texts(text)[1].startswith("| d")


def test_an_overlap_that_fills_the_cap_alone_is_refused():
    text = f"{words(49, 'a')}.\n\n{words(49, 'a')}.\n\n{words(49, 'a')}."

    with pytest.raises(ParameterError, match=r"overlap is 5000 .* cap is 50 tokens"):
        chunks(text, cap=50, overlap=5000)


def test_a_word_above_the_cap_is_cut_between_grapheme_clusters():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    text = family * 40

    found = chunks(text, tokenizer="cl100k_base", cap=50, overlap=0)

    assert all(start % 5 == 0 for start in found.starts.tolist())
    assert all(COUNT(each) <= 50 for each in found.all_texts(text))


def test_layout_blocks_give_headings_tables_and_text_that_no_block_holds():
    text = "Title\n\nBody one.\n\nloose end\n\nr1\nr2"
    blocks = (
        Block(0, 5, "heading", 1, 0),
        Block(7, 16, "paragraph", 0, 0),
        Block(29, 34, "table", 0, 0, rows=((29, 31), (32, 34)), header_rows=1),
    )

    found = section_blocks(Document(text, blocks=blocks))

    assert [(b.kind, text[b.start : b.end]) for b in found] == [
        ("heading", "Title"),
        ("paragraph", "Body one."),
        ("paragraph", "loose end"),
        ("table", "r1\nr2"),
    ]
    assert texts_of("") == []


@pytest.mark.parametrize("tokenizer", ["words", "cl100k_base", "gpt2"])
@given(text=st.one_of(markdown, texts), cap=st.integers(50, 90), overlap=st.integers(0, 60))
def test_no_chunk_is_above_the_cap_and_no_solid_text_is_lost(text, cap, overlap, tokenizer):
    try:
        found = chunks(text, tokenizer=tokenizer, cap=cap, overlap=overlap)
    except ParameterError as error:
        assert "overlap is" in str(error)
        return

    count = piece_counter(tokenizer).count
    covered = bytearray(len(text))
    for start, end in found.spans.tolist():
        assert start < end
        assert count(text[start:end]) <= cap
        covered[start:end] = b"\1" * (end - start)
    assert not [c for c, has in zip(text, covered, strict=True) if not has and not c.isspace()]


@given(text=markdown, cap=st.integers(50, 90), overlap=st.integers(0, 60))
def test_starts_and_ends_ascend_and_overlap_is_at_most_what_was_asked(text, cap, overlap):
    found = chunks(text, cap=cap, overlap=overlap)

    for (a, b), (c, d) in pairwise(found.spans.tolist()):
        assert a <= c
        assert b < d
        assert b - c <= overlap


@given(text=markdown, cap=st.integers(50, 90))
def test_rows_of_tables_are_never_cut(text, cap):
    rows = [row for block in section_blocks(Document(text)) for row in block.rows]
    found = chunks(text, cap=cap, overlap=30)

    for place in {*found.starts.tolist(), *found.ends.tolist()}:
        assert not [1 for a, b in rows if a < place < b and WORDS(text[a:b]) <= cap]
