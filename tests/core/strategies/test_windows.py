# SPDX-License-Identifier: AGPL-3.0-or-later
"""FCC, FC, OFC, SWC, DFC: windows and what ends them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Document
from core.strategies.groups import windows
from core.strategies.run import parse_recipe, run
from core.strategies.source import Units
from core.units.tokens import token_table
from tests.strategies import texts

TEXT = "Give 3.5 mg twice a day. After two days take the level. Halve the dose"


def chunks_of(text, word, **settings):
    return run(parse_recipe(word, settings), Document(text), Units())


@given(n=st.integers(0, 60), size=st.integers(1, 20), step=st.integers(1, 20))
def test_windows_are_those_of_the_definition(n, size, step):
    first, last = windows(n, size, step)

    plain = [(s, min(s + size, n)) for s in range(0, n, step)]
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == plain


def test_the_short_windows_at_the_end_are_kept():
    assert chunks_of("abcdefgh", "FCC:size=5,overlap=3").spans.tolist() == [
        [0, 5],
        [2, 7],
        [4, 8],
        [6, 8],
    ]


def test_a_step_above_the_window_skips_text_and_says_how_much():
    chunks = chunks_of("a b c d e f", "SWC:window=1,step=2", tokenizer="words")

    assert chunks.all_texts("a b c d e f") == ["a", "c", "e"]
    assert chunks.notices[0].message == "step 2 is above window 1: 72.7% of the text is in no chunk"


@pytest.mark.parametrize(
    ("tokenizer", "expected"), [("words", "Give 3.5"), ("wordpiece", "Give 3")]
)
def test_words_and_word_pieces_leave_the_space_between_windows(tokenizer, expected):
    assert chunks_of(TEXT, "FC:size=2", tokenizer=tokenizer).all_texts(TEXT)[0] == expected


@given(text=texts, size=st.integers(1, 9))
def test_token_windows_without_overlap_tile_the_text(text, size):
    chunks = chunks_of(text, f"FC:size={size}", mode="reference", snap="none")

    data = text.encode()
    table = token_table(text, "cl100k")
    pieces = chunks.all_texts(text)
    assert len(pieces) == -(-len(table) // size)
    edges = [*table.byte_ends[::size].tolist(), len(data)]
    expected = [data[a:b].decode(errors="replace") for a, b in pairwise(edges)]
    assert pieces == [piece for piece in expected if piece]


def test_the_reasons_of_a_window_are_its_size_and_step():
    chunks = chunks_of(TEXT, "FC:size=6,overlap=2")

    end, start = chunks.end_reasons[0], chunks.start_reasons[1]
    assert (end.rule, end.value, end.threshold, end.margin) == ("window end", 6, 6, 0)
    assert start.words == "starts 4 tokens after the one before"
    assert chunks.start_reasons[0] is None
    assert chunks.end_reasons[len(chunks) - 1] is None


# --- DFC -----------------------------------------------------------------------------------------


def plain_dynamic(text, least, most):
    """The definition, token by token (`spec/strategies.md` 3.17)."""
    table = token_table(text, "cl100k")
    data = text.encode()
    tokens = [
        data[a:b].decode(errors="replace")
        for a, b in zip(table.byte_ends[:-1], table.byte_ends[1:], strict=True)
    ]
    cuts, a, n = [], 0, len(tokens)
    while a < n:
        high, low = min(a + most, n), min(a + least, n)
        marks = (e for e in range(high, low, -1) if set(tokens[e - 1]) & set(".?!\n"))
        a = next(marks, high)
        cuts.append(a)
    return cuts


@given(text=texts, most=st.integers(1, 12), data=st.data())
def test_a_dynamic_chunk_ends_at_the_last_mark_the_size_allows(text, most, data):
    least = data.draw(st.integers(0, most))

    chunks = chunks_of(text, f"DFC:min={least},max={most}", mode="reference")

    byte_ends = token_table(text, "cl100k").byte_ends[plain_dynamic(text, least, most)].tolist()
    strings = chunks.all_texts(text)
    raw = text.encode()
    starts = [0, *byte_ends[:-1]]
    if text.strip() or text:
        expected = [
            raw[a:b].decode(errors="replace") for a, b in zip(starts, byte_ends, strict=True)
        ]
        assert strings == expected


def test_only_sentence_ends_count_where_asked():
    by_mark = chunks_of(TEXT, "DFC:min=0,max=8").all_texts(TEXT)
    by_sentence = chunks_of(TEXT, "DFC:min=0,max=8,marks=sentences").all_texts(TEXT)

    assert by_mark[0] == "Give 3.5 mg twice a"[: len(by_mark[0])]
    assert not any(piece.endswith("3.") for piece in by_sentence)


def test_a_forced_cut_is_named_as_such():
    chunks = chunks_of("word " * 30, "DFC:min=2,max=10")

    assert chunks.end_reasons[0].words == "no end mark after 10 tokens: cut at the greatest size"


def test_dynamic_chunks_cover_the_text():
    chunks = chunks_of(TEXT, "DFC:min=3,max=9")

    assert np.array_equal(chunks.spans[1:, 0], chunks.spans[:-1, 1])
