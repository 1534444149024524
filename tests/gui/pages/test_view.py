# SPDX-License-Identifier: AGPL-3.0-or-later
"""The pages under mouse and keys: seen in the state, and in the pixels."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.state import NOTHING

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def pixels(image: QImage) -> np.ndarray:
    """uint8 (h, w, 3): red, green, blue."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(image.constBits(), np.uint8)
    shaped = data.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width()]
    return shaped[..., 2::-1].astype(int)


def wheel(desk, point: QPointF, turned: int, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    port = desk.view.viewport()
    event = QWheelEvent(
        point,
        QPointF(port.mapToGlobal(point.toPoint())),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(port, event)


@pytest.fixture
def slow_clicks():
    """Clicks count as one after another, however long this machine takes between two."""
    before = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(60_000)
    yield
    QApplication.setDoubleClickInterval(before)


def test_a_click_selects_the_chunk_under_the_pointer(desk):
    desk.add("FCC:size=400,overlap=0")
    desk.click(650)
    assert desk.state.selection.ids == (1,)
    assert (desk.state.selection.start, desk.state.selection.end) == (400, 800)


def test_a_click_beside_the_text_of_a_page_selects_the_nearest_chunk(desk):
    desk.add("FCC:size=400,overlap=0")
    box = desk.view.camera.layout.rectangle(0)
    point = QPointF(box.left() + 6, desk.point_of(200).y())
    desk.qtbot.mouseClick(desk.view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert desk.state.selection.ids == (0,)


def test_shift_click_extends_to_a_run_of_chunks(desk):
    desk.add("FCC:size=400,overlap=0")
    desk.click(100)
    desk.click(1300, modifier=SHIFT)
    assert desk.state.selection.ids == (0, 1, 2, 3)
    assert desk.state.selection.end == 1600


def test_ctrl_click_adds_a_chunk_and_takes_it_away_again(desk):
    desk.add("FCC:size=400,overlap=0")
    desk.click(100)
    desk.click(1300, modifier=CTRL)
    assert desk.state.selection.ids == (0, 3)
    desk.click(1300, modifier=CTRL)
    assert desk.state.selection.ids == (0,)
    desk.click(100, modifier=CTRL)
    assert desk.state.selection == NOTHING


def test_hovering_names_the_chunk_and_leaving_forgets_it(desk):
    desk.add("FCC:size=400,overlap=0")
    desk.qtbot.mouseMove(desk.view.viewport(), desk.point_of(900).toPoint())
    assert desk.state.hovered.ids == (2,)
    desk.view.pointer.leave()
    assert desk.state.hovered == NOTHING


def test_a_click_on_a_cut_line_selects_the_cut(desk):
    desk.add("FCC:size=400,overlap=0")
    before, after = desk.point_of(399), desk.point_of(400)
    point = QPointF((before.x() + after.x()) / 2, before.y())
    desk.qtbot.mouseClick(desk.view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert (desk.state.selection.kind, desk.state.selection.ids) == ("cut", (1,))


def test_a_click_on_a_tab_in_the_margin_selects_its_cut(desk):
    desk.add("FCC:size=400,overlap=0")
    desk.picture()
    tab = next(tab for tab in desk.view.pointer.labels[0] if tab.index == 2)
    point = tab.box.center() - desk.view.camera.offset
    desk.qtbot.mouseClick(desk.view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert (desk.state.selection.kind, desk.state.selection.ids) == ("cut", (2,))


def test_tab_goes_from_cut_to_cut_and_leaves_after_the_last(desk):
    desk.add("FCC:size=3000,overlap=0")
    total = len(desk.chunks)
    for expected in range(1, total):
        desk.qtbot.keyClick(desk.view, Qt.Key.Key_Tab)
        assert desk.state.selection.ids == (expected,)
    assert not desk.view.navigator.step_cut(1)
    desk.qtbot.keyClick(desk.view, Qt.Key.Key_Backtab)
    assert desk.state.selection.ids == (total - 2,)


def test_stepping_to_a_chunk_out_of_view_brings_it_into_view(desk):
    desk.add("FCC:size=400,overlap=0")
    for _ in range(12):
        desk.view.navigator.step_chunk(1)
    chosen = desk.state.selection
    assert chosen.ids == (11,)
    assert 0 <= desk.point_of(chosen.start).y() <= desk.view.viewport().height()


def test_space_held_shows_the_clean_page(desk, monkeypatch):
    monkeypatch.setattr("gui.pages.view.TAP_MILLISECONDS", 0)  # however quick: it was held
    desk.add("FCC:size=400,overlap=0")
    with_overlays = pixels(desk.picture())
    desk.qtbot.keyPress(desk.view, Qt.Key.Key_Space)
    clean = pixels(desk.picture())
    desk.qtbot.keyRelease(desk.view, Qt.Key.Key_Space)
    assert not np.array_equal(with_overlays, clean)
    colourful = np.ptp(clean, axis=2).max(axis=1) > 40
    assert not colourful.any()
    assert desk.view.verticalScrollBar().value() == 0


def test_a_tap_on_space_scrolls(desk, monkeypatch):
    monkeypatch.setattr("gui.pages.view.TAP_MILLISECONDS", 60_000)  # however slow: a tap
    desk.qtbot.keyClick(desk.view, Qt.Key.Key_Space)
    assert desk.view.verticalScrollBar().value() > 300


def test_the_wheel_scrolls_and_with_ctrl_zooms_about_the_pointer(desk):
    wheel(desk, QPointF(300, 300), -240)
    assert desk.view.verticalScrollBar().value() > 0
    before = desk.view.camera.layout.to_page(*_canvas(desk, QPointF(300, 300)))
    wheel(desk, QPointF(300, 300), 120 * 3, CTRL)
    after = desk.view.camera.layout.to_page(*_canvas(desk, QPointF(300, 300)))
    assert desk.view.camera.zoom > 1.4
    assert before[0] == after[0]
    assert after[1:] == pytest.approx(before[1:], abs=1.0)


def _canvas(desk, point: QPointF) -> tuple[float, float]:
    canvas = point + desk.view.camera.offset
    return canvas.x(), canvas.y()


def test_the_hand_tool_moves_the_pages_with_the_mouse(desk):
    desk.view.mouse.set_tool("hand")
    port = desk.view.viewport()
    desk.qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(300, 500))
    desk.qtbot.mouseMove(port, QPoint(300, 380))
    desk.qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=QPoint(300, 380))
    assert desk.view.verticalScrollBar().value() == 120


def test_dragging_with_the_text_tool_selects_characters(desk):
    desk.view.mouse.set_tool("text")
    port = desk.view.viewport()
    desk.qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=desk.point_of(4).toPoint())
    desk.qtbot.mouseMove(port, desk.point_of(14).toPoint())
    desk.qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=desk.point_of(14).toPoint())
    start, end = desk.view.text.span
    assert desk.state.current.document.text[start:end] == "tide turns "


@pytest.mark.parametrize(
    ("clicks", "selected"),
    [
        pytest.param(1, None, id="one: nothing"),
        pytest.param(2, "tide", id="two: the word"),
        pytest.param(3, "The tide turns twice a day, and the boats wait for it.", id="sentence"),
    ],
)
def test_more_clicks_with_the_text_tool_select_more(desk, slow_clicks, clicks, selected):
    desk.view.mouse.set_tool("text")
    port, point = desk.view.viewport(), desk.point_of(5).toPoint()
    for number in range(clicks):
        act = desk.qtbot.mouseDClick if number % 2 else desk.qtbot.mousePress
        act(port, Qt.MouseButton.LeftButton, pos=point)
        desk.qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=point)
    span = desk.view.text.span
    text = desk.state.current.document.text
    assert (text[slice(*span)].strip() if span else None) == selected


def test_the_chunk_colours_are_on_the_text_and_not_beside_it(desk):
    desk.add("FCC:size=400,overlap=0")
    shot = desk.picture()
    inside, beside = desk.point_of(200).toPoint(), QPoint(20, 300)
    text = pixels(shot)
    rows = text[inside.y() - 6 : inside.y() + 6, inside.x() - 40 : inside.x() + 40].reshape(-1, 3)
    tint = QColor("#D6E8F3")  # 16 % of #0072B2 on white
    distance = np.abs(rows - np.array([tint.red(), tint.green(), tint.blue()])).sum(axis=1)
    assert (distance < 12).mean() > 0.3
    assert shot.pixelColor(beside) == QColor("#F5F6F8")


def test_neighbouring_chunks_have_different_colours(desk):
    desk.add("FCC:size=500,overlap=0")
    shot = pixels(desk.picture())

    def paper(offset: int) -> np.ndarray:
        point = desk.point_of(offset).toPoint()
        area = shot[point.y() - 7 : point.y() + 7, point.x() - 30 : point.x() + 30]
        return np.median(area.reshape(-1, 3), axis=0)

    assert np.abs(paper(250) - paper(750)).sum() > 40


def test_a_page_that_cannot_be_drawn_says_so_and_is_tried_again_by_a_click(desk):
    desk.picture()
    view = desk.view
    tile = next(tile for tile in view.sheets._images._kept if tile.page == 0)
    view.sheets._images.put_error(tile, RuntimeError("it is torn"))
    assert view.sheets.error(desk.state.current, 0) == "it is torn"
    said = pixels(view.viewport().grab().toImage())[200:420]
    assert (np.abs(said - np.array([0xA8, 0x00, 0x3C])).sum(axis=2) < 60).any()
    desk.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(400, 300))
    assert view.sheets.error(desk.state.current, 0) == ""


def test_scrolling_paints_the_same_as_painting_anew(desk):
    desk.add("FCC:size=400,overlap=100")
    desk.picture()
    for step in (37, 90, 222, 11):
        desk.view.verticalScrollBar().setValue(desk.view.verticalScrollBar().value() + step)
        desk.qtbot.wait(1)
    moved = pixels(desk.picture())
    desk.view.refresh()
    assert np.array_equal(moved, pixels(desk.picture()))


def test_the_reading_position_stays_when_the_chunks_change(desk):
    slot = desk.add("FCC:size=400,overlap=0")
    desk.view.verticalScrollBar().setValue(700)
    before = desk.view.camera.anchor
    desk.state.set_recipe(slot, desk.state.slot(slot).recipe.with_settings({"size": 130}))
    desk.put(slot)
    desk.picture()
    assert desk.view.camera.anchor == before


def test_every_cut_can_be_counted_in_a_grey_picture(desk):
    """ux.md 2.5: without colours the cut lines still carry the meaning."""
    desk.add("PBC")
    grey = desk.picture().convertToFormat(QImage.Format.Format_Grayscale8)
    data = np.frombuffer(grey.constBits(), np.uint8)
    rows = data.reshape(grey.height(), grey.bytesPerLine())[:, : grey.width()]
    left, right = desk.point_of(0).x(), desk.point_of(0).x() + 300
    dark = (rows[:, int(left) : int(right)] < 90).mean(axis=1) > 0.95
    lines = int(np.count_nonzero(dark[1:] & ~dark[:-1]) + dark[0])
    view = desk.view.camera.box
    tops = [desk.point_of(int(start)).y() for start in desk.chunks.starts[1:].tolist()]
    expected = sum(12 < top < view.height() - 4 for top in tops)
    assert lines == expected > 3


def test_under_the_pointer_a_nested_chunk_lights_up_with_its_parent(desk):
    desk.add("PCC:parent=400,child=100,overlap=0")
    chunks = desk.chunks
    child = int(np.flatnonzero(chunks.levels == 2)[1])
    parent = int(chunks.parents[child])
    corner = desk.point_of(int(chunks.spans[parent, 0]))
    before = pixels(desk.picture())

    desk.qtbot.mouseMove(
        desk.view.viewport(), desk.point_of(int(chunks.spans[child, 0]) + 1).toPoint()
    )

    assert desk.state.hovered.ids == (child,)
    changed = (pixels(desk.picture()) != before).any(axis=2)
    x, y = round(corner.x()), round(corner.y())
    assert changed[y - 14 : y + 14, x - 14 : x + 14].any()
