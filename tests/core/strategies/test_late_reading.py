# SPDX-License-Identifier: AGPL-3.0-or-later
"""LCSI, LCPI and LCTS read with a query."""

import numpy as np
import pytest

from core.document.model import Document
from core.errors import Cancelled
from core.strategies.chunks import LEVELS
from core.strategies.late_reading import relevant_units
from core.strategies.run import parse_recipe, run
from core.strategies.source import Units
from core.vectors.models import load_embedder

GARDEN = (
    "Compost is made of leaves. It takes a year. Turn the heap each month.\n\n"
    "The fox lives in the wood. It hunts at night. Its den is deep.\n\n"
    "Trains leave at noon. A ticket costs two pounds. Seats are numbered.\n\n"
)
ANSWER, REST = LEVELS.index("answer"), LEVELS.index("rest")


@pytest.mark.parametrize(
    ("keep", "context", "expected"),
    [
        (20, 0, [False, True, False, False, False]),
        (20, 1, [True, True, True, False, False]),
        (40, 0, [False, True, False, False, True]),
        (100, 0, [True] * 5),
    ],
)
def test_the_best_units_are_relevant_and_their_neighbours_go_with_them(keep, context, expected):
    cosines = np.array([0.1, 0.9, 0.2, 0.3, 0.8])

    marked, _ = relevant_units(cosines, keep=keep, context=context)

    assert marked.tolist() == expected


def test_without_a_query_the_index_reading_is_shown_and_said():
    chunks = run(parse_recipe("LCSI:reading=query"), Document(GARDEN), Units())

    assert (
        chunks.spans.tolist() == run(parse_recipe("SBC"), Document(GARDEN), Units()).spans.tolist()
    )
    assert "no query" in chunks.notices[0].message


@pytest.fixture(scope="module")
def read():
    embedder, document, units = load_embedder("minilm"), Document(GARDEN), Units()

    def read(word, query):
        recipe = parse_recipe(word, {"query": query, "reading": "query"})
        return run(recipe, document, units, embedder=embedder)

    return read


@pytest.mark.slow
@pytest.mark.parametrize("code", ["LCSI:context=0", "LCPI:context=0", "LCTS:step=8,window=16"])
def test_a_chunk_is_formed_around_what_answers_the_query(read, code):
    chunks = read(code, "Where does the fox live?")

    best = int(np.argmax(chunks.scores))
    assert chunks.levels[best] == ANSWER
    assert "fox" in chunks.text_of(best, GARDEN)


@pytest.mark.slow
def test_another_query_makes_other_chunks(read):
    fox, ticket = (read("LCPI", query) for query in ("fox den", "price of a train ticket"))

    assert fox.key != ticket.key


@pytest.mark.slow
def test_answers_and_the_rest_take_turns_and_lose_nothing(read):
    chunks = read("LCSI:keep=30,context=0", "compost")

    assert set(chunks.levels.tolist()) == {ANSWER, REST}
    assert (np.diff(chunks.levels) != 0).all()
    kept = "".join(chunks.all_texts(GARDEN))
    assert "".join(kept.split()) == "".join(GARDEN.split())
    reason = chunks.end_reasons[0]
    assert reason.value < reason.threshold


@pytest.mark.slow
def test_a_run_is_cut_before_the_unit_that_would_exceed_the_limit(read):
    chunks = read("LCSI:keep=100,max_tokens=16", "compost")

    assert len(chunks) > 1
    assert all(chunks.end_reasons[k].rule == "size" for k in range(len(chunks) - 1))
    assert all(chunks.end_reasons[k].value > 16 for k in range(len(chunks) - 1))


class Cancelling:
    """A cancel token that can be cancelled."""

    def __init__(self):
        self.is_cancelled = False

    def check(self):
        if self.is_cancelled:
            raise Cancelled


@pytest.mark.slow
@pytest.mark.parametrize("word", ["LCSI", "HYB:primary=LCSI,gate=0"])
def test_a_run_that_was_cancelled_long_ago_stops_no_later_one(word):
    embedder, document, units = load_embedder("minilm"), Document(GARDEN), Units()
    name = "primary.reading" if ":" in word else "reading"
    first = Cancelling()
    run(parse_recipe(word, {"query": "fox"}), document, units, embedder=embedder, cancel=first)

    first.is_cancelled = True
    later = parse_recipe(word, {"query": "fox", name: "query"})

    assert len(run(later, document, units, embedder=embedder)) > 1
