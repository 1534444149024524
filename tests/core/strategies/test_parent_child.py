# SPDX-License-Identifier: AGPL-3.0-or-later
"""PCC: the parents are RC's chunks, the children are RC's chunks of each parent alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.units.tokens import piece_counter
from tests.core.strategies.plain_recursive import plain_recursive
from tests.core.strategies.test_recursive import DEFAULT, chunks
from tests.strategies import texts


@st.composite
def sizes(draw):
    parent = draw(st.integers(2, 60))
    child = draw(st.integers(1, parent - 1))
    return {"parent": parent, "child": child, "overlap": draw(st.integers(0, child - 1))}


def plain(text, *, parent, child, overlap, length):
    rows = []
    for a, b in plain_recursive(text, DEFAULT, size=parent, overlap=overlap, length=length):
        inner = plain_recursive(text[a:b], DEFAULT, size=child, overlap=overlap, length=length)
        rows += [(1, a, b), *((2, a + x, a + y) for x, y in inner)]
    return rows


@pytest.mark.parametrize("unit", ["characters", "cl100k_base", "words"])
@given(text=texts, size=sizes())
def test_children_are_made_from_their_parents_text_alone(text, size, unit):
    found = chunks("PCC", text, length_unit=unit, **size)

    rows = zip(found.levels.tolist(), *found.spans.T.tolist(), strict=True)
    assert list(rows) == plain(text, **size, length=piece_counter(unit).count)


@given(text=texts, size=sizes())
def test_a_child_names_its_parent_and_follows_it(text, size):
    found = chunks("PCC", text, **size)

    for place, (level, parent) in enumerate(zip(found.levels, found.parents, strict=True)):
        if level == 1:
            assert parent == -1
        else:
            assert parent < place
            assert set(found.levels[parent + 1 : place]) <= {2}
            assert found.spans[parent, 0] <= found.spans[place, 0]
            assert found.spans[place, 1] <= found.spans[parent, 1]


def test_the_last_child_ends_for_its_parents_reason():
    found = chunks("PCC", "aa bb cc dd ee ff gg", parent=9, child=4, overlap=0)

    parent, child = 0, 3
    assert found.levels[:4].tolist() == [1, 2, 2, 2]
    assert found.spans[parent, 1] == found.spans[child, 1]
    assert found.end_reasons[child] == found.end_reasons[parent]


def test_a_child_of_the_parents_size_is_refused_with_the_bound():
    with pytest.raises(Exception, match=r"child is 500.*at most 499 \(parent - 1\)"):
        chunks("PCC", "a b", parent=500, child=500)
