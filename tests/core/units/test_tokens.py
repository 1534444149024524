# SPDX-License-Identifier: AGPL-3.0-or-later
"""Token tables and counters of pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParameterError
from core.units.tokens import (
    TOKENIZERS,
    canonical_tokenizer,
    piece_counter,
    piece_tables,
    token_table,
)
from tests.hostile import HOSTILE_TEXTS
from tests.strategies import texts

BYTE_PAIRS = ("cl100k_base", "o200k_base", "gpt2")
every_unit = pytest.mark.parametrize("name", TOKENIZERS)
every_byte_pair = pytest.mark.parametrize("name", BYTE_PAIRS)


@pytest.mark.parametrize(
    ("alias", "full"),
    [("cl100k", "cl100k_base"), ("O200K", "o200k_base"), (" gpt2 ", "gpt2"), ("words", "words")],
)
def test_aliases_have_one_full_name(alias, full):
    assert canonical_tokenizer(alias) == full


def test_an_unknown_unit_is_refused_with_the_nearest_name():
    with pytest.raises(ParameterError, match=r"'cl100', but must be one of .*cl100k"):
        canonical_tokenizer("cl100")


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        # the vocabularies' own published numbers
        ("cl100k_base", "hello world", [15339, 1917]),
        ("gpt2", "hello world", [31373, 995]),
        ("wordpiece", "hello world", [7592, 2088]),
        ("characters", "hé", [104, 233]),
    ],
)
def test_ids_are_those_of_the_vocabulary(name, text, ids):
    assert token_table(text, name).ids.tolist() == ids


@every_byte_pair
def test_a_special_token_in_the_text_is_ordinary_text(name):
    table = token_table("<|endoftext|>", name)

    assert len(table) > 1
    assert table.cuts[-1] == len("<|endoftext|>")


def test_a_word_piece_model_reads_its_special_tokens_as_text():
    assert len(token_table("[SEP]", "wordpiece")) == 3


def test_a_boundary_inside_a_character_has_no_offset_but_a_floor():
    table = token_table("a🧪b", "cl100k")

    assert table.cuts.tolist() == [0, 1, -1, -1, 2, 3]
    assert table.floors.tolist() == [0, 1, 1, 1, 2, 3]
    assert table.byte_ends.tolist() == [0, 1, 3, 4, 5, 6]


def test_words_are_runs_of_what_is_not_white_space():
    table = token_table("  two\u00a0words\n", "words")

    assert table.starts.tolist() == [2, 6]
    assert table.ends.tolist() == [5, 11]
    assert not table.tiles


@every_byte_pair
@given(text=texts)
def test_byte_pairs_tile_the_bytes_of_the_text(name, text):
    table = token_table(text, name)

    assert table.byte_ends[-1] == len(text.encode())
    known = np.flatnonzero(table.cuts >= 0)
    prefixes = [len(text[:cut].encode()) for cut in table.cuts[known].tolist()]
    assert prefixes == table.byte_ends[known].tolist()
    for boundary in np.flatnonzero(table.cuts < 0).tolist():
        floor = int(table.floors[boundary])
        before, after = len(text[:floor].encode()), len(text[: floor + 1].encode())
        assert before < table.byte_ends[boundary] < after


@given(text=texts)
def test_words_are_those_of_split(text):
    table = token_table(text, "words")

    assert [text[a:b] for a, b in zip(table.starts, table.ends, strict=True)] == text.split()


@every_unit
@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=list(HOSTILE_TEXTS))
def test_a_counter_counts_what_the_table_holds(name, text):
    assert piece_counter(name).count(text) == len(token_table(text, name))


@every_unit
@given(pieces=st.lists(texts, max_size=6))
def test_counting_many_pieces_is_counting_each(name, pieces):
    counter = piece_counter(name)

    counts = counter.counts(pieces + pieces)

    fresh = piece_counter(name)
    assert counts.tolist() == [fresh.count(piece) for piece in pieces + pieces]


@every_unit
@given(pieces=st.lists(texts, max_size=6))
def test_a_table_of_pieces_is_the_tables_of_each_put_together(name, pieces):
    table, edges = piece_tables(pieces, name)

    shift = 0
    for piece, low, high in zip(pieces, edges[:-1], edges[1:], strict=True):
        alone = token_table(piece, name)
        assert table.ids[low:high].tolist() == alone.ids.tolist()
        assert (table.starts[low:high] - shift).tolist() == alone.starts.tolist()
        assert (table.ends[low:high] - shift).tolist() == alone.ends.tolist()
        shift += len(piece)


def test_the_token_of_a_character_is_the_one_that_holds_it():
    text = "one two"
    table = token_table(text, "words")

    assert table.token_at(np.array([0, 2, 4, 6])).tolist() == [0, 0, 1, 1]
    assert table.first_token_from(np.array([0, 1, 4, 5])).tolist() == [0, 1, 1, 2]
