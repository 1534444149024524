# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where pages lie: plain arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.pages.layout import DIP_PER_POINT, PageLayout, page_sizes

A4 = (595.0, 842.0)
sizes = st.lists(st.tuples(st.floats(50, 2_000), st.floats(50, 2_000)), min_size=1, max_size=12)


def test_pages_of_one_column_lie_below_each_other_with_gaps():
    layout = PageLayout(page_sizes([A4, A4]), gap=10, margin=20)
    first, second = layout.rectangle(0), layout.rectangle(1)
    assert first.top() == 10
    assert second.top() == pytest.approx(first.bottom() + 10)
    assert first.height() == pytest.approx(842 * DIP_PER_POINT)
    assert layout.width == pytest.approx(595 * DIP_PER_POINT + 40)


def test_a_canvas_narrower_than_the_view_is_centred():
    layout = PageLayout(page_sizes([A4]), least_width=2_000)
    assert layout.rectangle(0).center().x() == pytest.approx(1_000)


@given(sizes=sizes, rotation=st.sampled_from([0, 90, 180, 270]), columns=st.sampled_from([1, 2]))
def test_a_point_of_a_page_comes_back_from_the_canvas(sizes, rotation, columns):
    layout = PageLayout(page_sizes(sizes), zoom=1.3, rotation=rotation, columns=columns)
    for page, (width, height) in enumerate(sizes):
        x, y = width * 0.25, height * 0.75
        point = layout.transform(page).map(x, y)
        found = layout.to_page(*point)
        assert found is not None and found[0] == page
        assert found[1:] == pytest.approx((x, y), abs=1e-6)


@given(sizes=sizes, columns=st.sampled_from([1, 2]))
def test_pages_never_overlap(sizes, columns):
    boxes = [
        PageLayout(page_sizes(sizes), columns=columns).rectangle(page) for page in range(len(sizes))
    ]
    for one in range(len(boxes)):
        for other in range(one):
            assert not boxes[one].intersects(boxes[other])


@given(sizes=sizes, at=st.floats(0, 1), columns=st.sampled_from([1, 2]))
def test_the_visible_pages_are_those_that_meet_the_view(sizes, at, columns):
    layout = PageLayout(page_sizes(sizes), columns=columns)
    top = at * layout.height
    bottom = top + 400
    meets = [
        page
        for page in range(len(sizes))
        if layout.rectangle(page).top() < bottom and layout.rectangle(page).bottom() > top
    ]
    assert set(meets) <= set(layout.visible(top, bottom))


def test_without_pages_nothing_is_visible():
    layout = PageLayout(page_sizes([]))
    assert list(layout.visible(0, 100)) == []
    assert layout.page_at(50) == 0
    assert layout.to_page(1, 1) is None
    assert np.array_equal(layout.boxes, np.empty((0, 4)))
