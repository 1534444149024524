# SPDX-License-Identifier: AGPL-3.0-or-later
"""The panes around the pages: docks, their sizes at first, and the focus that goes round."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

NAMES = ("left", "right", "bottom")
LEFT_WIDTH, RIGHT_WIDTH, BOTTOM_HEIGHT = 200, 330, 220
LARGE_WIDTH, LARGE_SIZES = 1_900, (260, 380, 280)  # a window that wide has room for more
_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


def make_docks(window: QMainWindow) -> dict[str, QDockWidget]:
    """Empty docks of their final size, by name."""
    window.setDockNestingEnabled(True)
    window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
    docks = {}
    for name in NAMES:
        dock = QDockWidget(name.capitalize(), window)
        dock.setObjectName(f"dock {name}")
        dock.setTitleBarWidget(QWidget())  # the tabs inside say what it is
        dock.setWidget(QWidget())
        window.addDockWidget(_AREAS[name], dock)
        docks[name] = dock
    return docks


def size_docks(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """Give the docks their sizes of the first start."""
    left, right, bottom = (LEFT_WIDTH, RIGHT_WIDTH, BOTTOM_HEIGHT)
    if window.width() >= LARGE_WIDTH:
        left, right, bottom = LARGE_SIZES
    window.resizeDocks([docks["left"], docks["right"]], [left, right], Qt.Orientation.Horizontal)
    window.resizeDocks([docks["bottom"]], [bottom], Qt.Orientation.Vertical)


def reset_docks(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """Put the docks where they were at first."""
    for name, dock in docks.items():
        dock.setFloating(False)
        window.addDockWidget(_AREAS[name], dock)
        dock.show()
    size_docks(window, docks)


def move_focus(pages: QWidget, docks: dict[str, QDockWidget], step: int) -> None:
    """Give the next (1) or previous (−1) visible pane the focus; the pages are one of them."""
    shown = [dock.widget() for dock in docks.values() if dock.isVisible()]
    panes: list[QWidget] = [pages, *(pane for pane in shown if pane is not None)]
    focused = QApplication.focusWidget()
    here = next((k for k, pane in enumerate(panes) if focused and pane.isAncestorOf(focused)), 0)
    target = panes[(here + step) % len(panes)]
    (_first_focusable(target) or target).setFocus(Qt.FocusReason.TabFocusReason)


def _first_focusable(pane: QWidget) -> QWidget | None:
    if pane.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return pane
    return next(
        (
            each
            for each in pane.findChildren(QWidget)
            if each.focusPolicy() & Qt.FocusPolicy.TabFocus
            and each.isVisibleTo(pane)
            and each.isEnabled()
        ),
        None,
    )
