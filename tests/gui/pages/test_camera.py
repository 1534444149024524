# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is seen: zoom, fit, rotation, two pages, and places that survive them."""

import pytest
from PySide6.QtCore import QPointF

from gui.pages.camera import Anchor
from gui.pages.layout import GREATEST_ZOOM, LEAST_ZOOM, page_sizes


@pytest.mark.parametrize("zoom", [0.3, 0.9, 2.0, 7.5])
def test_zooming_keeps_the_point_under_the_pointer(desk, zoom):
    camera, pointer = desk.view.camera, QPointF(410, 240)
    camera.set_zoom(1.0)
    camera.go_to(Anchor(1, 100, 200))
    before = camera.layout.to_page(*(pointer + camera.offset).toTuple())
    camera.set_zoom(zoom, pointer)
    after = camera.layout.to_page(*(pointer + camera.offset).toTuple())
    assert after[0] == before[0]
    assert after[2] == pytest.approx(before[2], abs=1.5 / camera.layout.scale + 0.5)


@pytest.mark.parametrize(
    ("asked", "given"), [(0.001, LEAST_ZOOM), (100.0, GREATEST_ZOOM)], ids=["small", "large"]
)
def test_the_zoom_stays_within_its_limits(desk, asked, given):
    desk.view.camera.set_zoom(asked)
    assert desk.view.camera.zoom == given


def test_fit_width_follows_the_size_of_the_view(desk):
    camera = desk.view.camera
    camera.set_fit("width")
    narrow = camera.zoom
    desk.view.resize(1200, 620)
    assert camera.zoom > narrow
    box = camera.layout.rectangle(0)
    assert box.left() >= 0 and box.right() <= desk.view.viewport().width()


@pytest.mark.parametrize("fit", ["width", "page"])
def test_a_huge_page_fits_all_the_same(desk, fit):
    camera = desk.view.camera
    camera.set_pages(page_sizes([(8400, 8400)]))
    camera.set_fit(fit)
    box, view = camera.layout.rectangle(0), camera.box
    assert view.left() <= box.left() and box.right() <= view.right()

    camera.zoom_out()
    fitting = camera.zoom
    camera.zoom_in()

    assert camera.zoom == pytest.approx(1.2 * fitting)


def test_fit_page_shows_a_whole_page(desk):
    camera = desk.view.camera
    camera.go_to_page(2)
    camera.set_fit("page")
    box, view = camera.layout.rectangle(2), camera.box
    assert view.contains(box)


def test_resizing_keeps_the_text_at_the_top(desk):
    camera = desk.view.camera
    camera.set_fit("none")
    camera.go_to(Anchor(1, 0, 300))
    desk.view.resize(900, 500)
    assert camera.anchor.page == 1
    assert camera.anchor.y == pytest.approx(300, abs=1.5)


def test_turning_the_view_by_four_quarters_changes_nothing(desk):
    camera = desk.view.camera
    camera.go_to_page(1)
    before = camera.layout.boxes.tolist()
    for _ in range(4):
        camera.rotate(90)
        assert camera.page == 1
    assert camera.layout.boxes.tolist() == before


def test_a_quarter_turn_lays_the_pages_on_their_side(desk):
    desk.view.camera.rotate(90)
    box = desk.view.camera.layout.rectangle(0)
    assert box.width() > box.height()


def test_two_pages_stand_side_by_side_with_room_for_tabs_between(desk):
    camera = desk.view.camera
    camera.set_two_pages(True)
    left, right = camera.layout.rectangle(0), camera.layout.rectangle(1)
    assert left.top() == right.top()
    assert right.left() - left.right() > 80


def test_page_changed_tells_the_page_at_the_upper_third(desk):
    with desk.qtbot.waitSignal(desk.view.camera.page_changed) as told:
        desk.view.camera.go_to_page(2)
    assert told.args == [2]


def test_zooming_to_a_span_fills_the_view_and_again_returns(desk):
    desk.add("FCC:size=400,overlap=0")
    navigator, camera = desk.view.navigator, desk.view.camera
    before = navigator.place
    navigator.zoom_to_span(400, 800)
    assert camera.zoom > before.zoom
    assert 0 <= desk.point_of(401).y() <= desk.view.viewport().height()
    navigator.zoom_to_span(400, 800)
    assert navigator.place.zoom == pytest.approx(before.zoom)
    assert navigator.place.anchor.y == pytest.approx(before.anchor.y, abs=1.0)
