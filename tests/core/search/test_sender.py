# SPDX-License-Identifier: AGPL-3.0-or-later
"""Sending only changed rows to the engine: what is sent, and that the answers are the same."""

from dataclasses import replace

import numpy as np
import pytest

from core.engine_process import EngineProcess
from core.search import serve
from core.search.index import Space
from core.search.rows import ChangedRows
from core.search.sender import RowSender
from core.search.serve import Question, Where, exact_hits
from tests.core.search.pools import rows_at, unit_vectors

QUERY = unit_vectors(1, 5)[0]
FIRST = rows_at(range(0, 4000, 20))
STATES = (
    FIRST,
    rows_at([*range(0, 3900, 20), 3905, 3925]),  # a few new
    rows_at([*range(5, 1000, 20), *range(1000, 4000, 20)]),  # many
    rows_at(range(3, 4000, 20)),  # all
    rows_at(range(0, 2000, 20)),  # only gone
)


@pytest.fixture(scope="module")
def engine():
    made = EngineProcess()
    yield made
    made.close()


def test_only_new_texts_and_vectors_are_told():
    changed = ChangedRows.of(STATES[1], FIRST.keys)
    assert changed.rows.texts == STATES[1].texts[-2:]
    assert changed.rows.vectors.shape == (2, FIRST.dimension)


@pytest.mark.parametrize("state", range(1, len(STATES)))
def test_the_rows_are_made_whole_again_from_what_is_there(state):
    rows = STATES[state]
    whole = ChangedRows.of(rows, FIRST.keys).whole(FIRST)
    assert whole.texts == rows.texts
    assert np.array_equal(whole.vectors, rows.vectors)
    assert np.array_equal(whole.keys, rows.keys)


def test_rows_that_are_not_there_are_not_guessed():
    assert ChangedRows.of(STATES[1], FIRST.keys).whole(STATES[2]) is None


def test_hits_of_every_state_are_those_of_the_exact_product(engine, tmp_path):
    sender, where = RowSender(), Where("pool", Space("toy", "late"), str(tmp_path / "index"))
    question = Question("", QUERY)
    for rows in (*STATES, FIRST):
        found = sender.ask(engine, where, rows, question)
        assert found.rows == len(rows)
        assert [(h.start, h.end, h.chunk) for h in found.hits] == [
            (h.start, h.end, h.chunk) for h in exact_hits(rows, question)
        ]


def test_an_engine_that_has_forgotten_is_sent_everything(engine, tmp_path):
    sender, where = RowSender(), Where("pool", Space("toy", "late"), str(tmp_path / "index"))
    sender.ask(engine, where, FIRST, Question("", QUERY))
    engine.call(serve.forget)
    found = sender.ask(engine, where, STATES[1], Question("", QUERY))
    assert (found.rows, found.written) == (len(STATES[1]), 2 + 5)


class Listening:
    """An engine that notes what it is asked to do."""

    def __init__(self, engine):
        self.engine, self.called = engine, []

    def call_urgent(self, function, *arguments, **more):
        self.called.append(function.__name__)
        return self.engine.call_urgent(function, *arguments, **more)


def test_another_question_about_the_same_rows_sends_none_of_them(engine, tmp_path):
    sender, where = RowSender(), Where("pool", Space("toy", "late"), str(tmp_path / "index"))
    listening = Listening(engine)
    sender.ask(listening, where, FIRST, Question("", QUERY))
    other = Question("", unit_vectors(1, 6)[0])
    found = sender.ask(listening, where, FIRST, other)
    assert listening.called == ["update_and_search", "search_again"]
    assert [(h.start, h.end, h.chunk) for h in found.hits] == [
        (h.start, h.end, h.chunk) for h in exact_hits(FIRST, other)
    ]
    engine.call(serve.forget)
    assert sender.ask(listening, where, FIRST, other).rows == len(FIRST)
    assert listening.called[2:] == ["search_again", "update_and_search"]


def test_rows_with_other_chunk_numbers_are_other_rows():
    renumbered = replace(FIRST, chunks=FIRST.chunks + 1)
    assert renumbered.digest() != FIRST.digest() == replace(FIRST).digest()


@pytest.mark.filterwarnings("error")
def test_a_pool_that_becomes_empty_and_full_again_is_sent(engine, tmp_path):
    sender, where = RowSender(), Where("pool", Space("toy", "late"), str(tmp_path / "index"))
    question = Question("", QUERY)
    for rows in (FIRST, rows_at(range(0)), FIRST):
        assert sender.ask(engine, where, rows, question).rows == len(rows)
