# SPDX-License-Identifier: AGPL-3.0-or-later
"""Two fingers on a touchpad or a touch screen zoom about themselves."""

import pytest
from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice
from PySide6.QtWidgets import QGestureEvent, QPinchGesture


def canvas_point(view, point):
    """The page and the place on it that a point of the view shows."""
    canvas = point + view.camera.offset
    return view.camera.layout.to_page(canvas.x(), canvas.y())


def send_native(view, value, point):
    place = QPointF(view.viewport().mapToGlobal(point.toPoint()))
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture,
        QPointingDevice.primaryPointingDevice(),
        2,
        point,
        point,
        place,
        value,
        QPointF(),
    )
    QCoreApplication.sendEvent(view.viewport(), event)


def send_pinch(view, factor, point):
    pinch = QPinchGesture()
    pinch.setScaleFactor(factor)
    pinch.setCenterPoint(QPointF(view.viewport().mapToGlobal(point.toPoint())))
    QCoreApplication.sendEvent(view.viewport(), QGestureEvent([pinch]))


@pytest.mark.parametrize(
    ("send", "amount"), [(send_native, 0.25), (send_pinch, 1.25)], ids=["touchpad", "screen"]
)
def test_a_pinch_zooms_about_the_fingers(desk, send, amount):
    view = desk.view
    desk.picture()
    before, fingers = view.camera.zoom, QPointF(400, 300)
    page, x, y = canvas_point(view, fingers)

    send(view, amount, fingers)

    assert view.camera.zoom == pytest.approx(1.25 * before)
    assert canvas_point(view, fingers) == pytest.approx((page, x, y), abs=1.0)


def test_pinching_stops_at_the_limits(desk):
    for _ in range(30):
        send_native(desk.view, 0.5, QPointF(400, 300))
    assert desk.view.camera.zoom == pytest.approx(8)
