# SPDX-License-Identifier: AGPL-3.0-or-later
"""SBC, SGC, LAC, PBC, PGC and CDAC: whole units, and the joined view behind them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Block, Document
from core.strategies.density import own_limit_cuts
from core.strategies.groups import join_units
from core.strategies.run import parse_recipe, run
from core.strategies.sentence_groups import cut_values, filled_cuts
from core.strategies.source import Units
from core.units.tokens import piece_counter
from tests.strategies import texts

TEXT = "One is here. Two is there.\n\nThree is far. Four."


def chunks_of(text, word, **settings):
    document = text if isinstance(text, Document) else Document(text)
    return run(parse_recipe(word, settings), document, Units())


# --- the joined view -----------------------------------------------------------------------------


def plain_place(text, units, glue, x, y):
    """`spec/strategies.md` 1.2, character by character."""
    left, right, joined = [], [], ""
    for k, (a, b) in enumerate(units):
        for offset in range(a, b):
            left.append(offset)
            right.append(offset + 1)
        joined += text[a:b]
        if k + 1 < len(units):
            left += [b] * len(glue)
            right += [units[k + 1][0]] * len(glue)
            joined += glue
    start, end = left[x], right[y - 1]
    if text[start:end] != joined[x:y]:
        piece = text[start:end]
        stripped = piece.strip()
        start += len(piece) - len(piece.lstrip()) if stripped else 0
        end = start + len(stripped)
    return [start, end]


@st.composite
def units_of_texts(draw):
    text = draw(texts.filter(lambda each: len(each) > 3))
    edges = draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=12, unique=True))
    edges = sorted(edges)[: len(edges) // 2 * 2]
    return text, np.array(edges).reshape(-1, 2)


@given(case=units_of_texts(), glue=st.sampled_from([" ", "\n\n", ""]), data=st.data())
def test_pieces_of_the_joined_string_are_placed_as_defined(case, glue, data):
    text, units = case
    joined = join_units(text, units, glue)
    first = data.draw(st.integers(0, len(units) - 1))
    last = data.draw(st.integers(first + 1, len(units)))
    length = len(joined.group_text(first, last))
    x = data.draw(st.integers(0, length - 1))
    y = data.draw(st.integers(x + 1, length))

    placed = joined.place(np.array([[x, y]]) + joined.starts[first])

    assert placed.tolist() == [plain_place(text, units[first:last].tolist(), glue, x, y)]
    whole = joined.group_spans(np.array([first]), np.array([last]))
    assert whole.tolist() == [plain_place(text, units[first:last].tolist(), glue, 0, length)]
    assert joined.group_lengths(np.array([first]), np.array([last])).tolist() == [length]


# --- greedy groups -------------------------------------------------------------------------------


def plain_groups(lengths, limits):
    """Close before the unit that would pass its limit, unless the group is empty."""
    cuts, n, count = [], 0, 0
    for i, (length, limit) in enumerate(zip(lengths, limits, strict=True)):
        if n + length > limit and count:
            cuts.append(i)
            n = count = 0
        n += length
        count += 1
    return cuts


lengths = st.lists(st.integers(0, 40), max_size=30)


@given(lengths=lengths, limit=st.integers(1, 90))
def test_groups_up_to_one_limit_are_those_of_the_loop(lengths, limit):
    sums = np.append(0, np.cumsum(lengths)).astype(np.int64)

    cuts = filled_cuts(sums, limit)

    assert cuts.tolist() == plain_groups(lengths, [limit] * len(lengths))
    assert (cut_values(sums, cuts) > limit).all()


@given(units=st.lists(st.tuples(st.integers(0, 40), st.floats(1, 90)), max_size=30))
def test_groups_up_to_own_limits_are_those_of_the_loop(units):
    lengths, limits = [u[0] for u in units], [u[1] for u in units]
    sums = np.append(0, np.cumsum(lengths)).astype(np.int64)

    assert own_limit_cuts(sums, np.array(limits)).tolist() == plain_groups(lengths, limits)


# --- the strategies ------------------------------------------------------------------------------


def test_each_sentence_is_a_chunk():
    assert chunks_of(TEXT, "SBC").all_texts(TEXT) == [
        "One is here.",
        "Two is there.",
        "Three is far.",
        "Four.",
    ]


def test_groups_of_sentences_are_slices_with_their_line_ends():
    texts = chunks_of(TEXT, "SGC:sentences=3,overlap=1").all_texts(TEXT)

    assert texts == ["One is here. Two is there.\n\nThree is far.", "Three is far. Four."]


def test_a_length_in_characters_leaves_the_spaces_out():
    # 12 + 13 characters without the space between
    assert chunks_of(TEXT, "LAC:target=25,tolerance=0").all_texts(TEXT)[0].endswith("there.")
    assert chunks_of(TEXT, "LAC:target=24,tolerance=0").all_texts(TEXT)[0].endswith("here.")


def test_the_reason_of_a_length_is_what_the_next_sentence_would_make():
    reason = chunks_of(TEXT, "LAC:target=24,tolerance=0").end_reasons[0]

    assert (reason.value, reason.threshold, reason.margin) == (25, 24, 1)
    assert reason.words == "with the next sentence 25 characters, more than 24"


def test_a_length_in_tokens_has_both_limits():
    text = "The dose is halved in renal failure. Take the level. Then wait for two days. " * 9
    count = piece_counter("cl100k").count

    pieces = chunks_of(text, "LAC:target=40,tolerance=8,length_unit=cl100k").all_texts(text)

    for piece, after in pairwise(pieces):
        first = after.split(". ")[0] + "."
        sentences = [each.strip(".") + "." for each in piece.split(". ")]
        assert sum(map(count, sentences)) <= 48
        assert sum(map(count, sentences)) >= 32 or sum(map(count, [*sentences, first])) > 48


def test_a_text_without_sentence_end_is_one_chunk_and_said_so():
    chunks = chunks_of("no end " * 50, "SBC")

    assert len(chunks) == 1
    assert chunks.notices[0].message == "one sentence of 349 characters"


def test_paragraphs_come_from_the_page_where_asked():
    text = "Title\nBody of it.\nMore."
    blocks = (Block(0, 5, "heading", 1, 0), Block(6, 23, "paragraph", 0, 0))
    document = Document(text, blocks=blocks)

    assert len(chunks_of(document, "PBC")) == 1
    assert chunks_of(document, "PBC", **{"paragraphs.rule": "layout"}).spans.tolist() == [
        [0, 5],
        [6, 23],
    ]


@pytest.mark.parametrize(
    ("law", "limit"), [("linear", 20 * (1.5 - 6 / 7)), ("inverse", 20 * 7 / 6)]
)
def test_the_limit_of_density_belongs_to_the_incoming_sentence(law, limit):
    # 7 words with the full stop, 6 of them unique: "the" twice
    text = "A first sentence stands here. Let the fox see the dog."

    chunks = chunks_of(text, f"CDAC:base=20,law={law}")

    assert len(chunks) == 2
    assert chunks.end_reasons[0].threshold == pytest.approx(limit)
