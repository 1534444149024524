# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rows: order, keys, what is left out."""

from dataclasses import replace

import numpy as np

from core.search.rows import join_rows, rows_of, searched_chunks, usable
from core.strategies.chunks import LEVELS, one_span_chunks
from tests.core.search.pools import document_of, rows_at, two_documents, unit_vectors


def chunks_at(*spans):
    return one_span_chunks(np.array(spans, np.int64))


def test_rows_are_in_the_order_of_start_and_end():
    chunks = chunks_at((40, 60), (0, 20), (0, 10))

    rows = rows_of("a", document_of(5), chunks, unit_vectors(3))

    assert rows.chunks.tolist() == [2, 1, 0]
    assert rows.starts.tolist() == [0, 0, 40]


def test_a_row_keeps_the_vector_and_text_of_its_chunk():
    document, vectors = document_of(5), unit_vectors(2)

    rows = rows_of("a", document, chunks_at((40, 60), (0, 20)), vectors)

    assert np.array_equal(rows.vectors, vectors[[1, 0]])
    assert rows.texts == (document.text[0:20], document.text[40:60])


def test_the_key_of_a_chunk_does_not_depend_on_the_other_chunks():
    one = rows_at([0, 20, 40])
    other = rows_at([20, 60, 100, 140])

    assert one.keys[1] == other.keys[0]


def test_keys_differ_by_document_text_span_header_and_level():
    document, vectors = document_of(5), unit_vectors(1)
    plain = chunks_at((0, 20))
    keys = [
        rows_of("a", document, plain, vectors).keys[0],
        rows_of("b", document, plain, vectors).keys[0],
        rows_of("a", document_of(6), plain, vectors).keys[0],
        rows_of("a", document, chunks_at((0, 21)), vectors).keys[0],
        rows_of("a", document, replace(plain, headers=("Dose",)), vectors).keys[0],
        rows_of("a", document, replace(plain, levels=np.array([2], np.int8)), vectors).keys[0],
    ]

    assert len(set(keys)) == len(keys)


def test_equal_chunks_have_keys_of_their_own_that_are_always_the_same():
    rows = rows_at([0, 0, 0])

    assert len(set(rows.keys.tolist())) == 3
    assert sorted(rows.keys.tolist()) == sorted(rows_at([0, 0, 0]).keys.tolist())


def test_a_chunk_without_a_vector_is_left_out_and_named():
    vectors = unit_vectors(3)
    vectors[1], vectors[2, 0] = 0.0, np.nan

    rows = rows_of("a", document_of(5), chunks_at((0, 20), (20, 40), (40, 60)), vectors)

    assert rows.chunks.tolist() == [0]
    assert rows.without_vector.tolist() == [1, 2]


def test_children_are_searched_unless_parents_are_wanted():
    levels = np.array([LEVELS.index("parent"), LEVELS.index("child")], np.int8)
    chunks = replace(chunks_at((0, 40), (0, 20)), levels=levels)

    found = [searched_chunks(chunks, index).tolist() for index in ("children", "parents", "both")]

    assert found == [[1], [0], [0, 1]]


def test_documents_are_joined_by_name():
    rows = two_documents()

    assert rows.documents == ("a", "b")
    assert rows.names[0] == "a" and rows.names[-1] == "b"
    assert len(rows) == 150 and rows.vectors.shape == (150, 16)


def test_no_documents_make_no_rows():
    assert len(join_rows([])) == 0


def test_pages_of_a_row_are_those_of_its_first_and_last_character():
    rows = rows_at([180, 190], length=20)

    assert rows.first_pages.tolist() == [0, 0]
    assert rows.last_pages.tolist() == [0, 1]


def test_rows_without_vectors_are_usable_for_full_text():
    rows = rows_of("a", document_of(5), chunks_at((0, 20)), None)

    assert rows.dimension == 0 and usable(rows.vectors).all()
