# SPDX-License-Identifier: AGPL-3.0-or-later
"""The real program with a hand on it: `driven.py FILE` drags a slider, asks a query, closes.

Everything is as `main.py FILE` makes it; a timer only sends the events that a user would.
It prints a line for each thing that was seen to happen.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def drive(window) -> None:
    """Let a script run in the window's own event loop."""
    from PySide6.QtCore import QTimer

    script = steps(window)

    def turn() -> None:
        try:
            next(script)
        except StopIteration:
            window.close()
        else:
            timer.start(50)

    timer = QTimer(window)
    timer.setSingleShot(True)
    timer.timeout.connect(turn)
    timer.start(50)


def steps(window):
    """What the user does; each `yield` lets the window work."""
    from PySide6.QtCore import QEvent, QPoint, Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QSlider, QStyleOptionSlider

    state = window.state
    while window.workbench is None or window.workbench.plots is None:
        yield
    print("panels", flush=True)
    slot = next(slot for slot in state.slots if slot.recipe.code == "RC")
    state.set_chosen(slot.id)
    while state.chosen_result is None or state.chosen_result.chunks is None:
        yield
    while state.chosen_result.is_provisional:
        yield
    before = len(state.chosen_result.chunks)
    print("chunks", flush=True)

    slider = window.workbench.strategy.row("size").findChild(QSlider)
    while not slider.isVisible():
        yield
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    style = slider.style()
    handle = style.subControlRect(
        style.ComplexControl.CC_Slider, option, style.SubControl.SC_SliderHandle, slider
    ).center()
    mouse(slider, QEvent.Type.MouseButtonPress, handle)
    for step in range(1, 16):
        mouse(slider, QEvent.Type.MouseMove, handle - QPoint(step * 4, 0))
        yield
    mouse(slider, QEvent.Type.MouseButtonRelease, handle - QPoint(60, 0))
    while len(state.chosen_result.chunks) <= before:
        yield
    print("smaller chunks", flush=True)

    while window.workbench.pipeline.embedder is None:
        yield
    box = window.workbench.bottom.queries.box
    window.workbench.bottom.show_tab("queries")
    QTest.keyClicks(box, "When is warfarin stopped?")
    QTest.keyClick(box, Qt.Key.Key_Return)
    while not state.chosen_result.hits:
        yield
    print("hits", flush=True)


def mouse(widget, kind, place) -> None:
    """Send an event of the left button, which stays pressed until it is released."""
    from PySide6.QtCore import QEvent, QPointF, Qt
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    held = Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else held
    buttons = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else held
    at, on_screen = QPointF(place), QPointF(widget.mapToGlobal(place))
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(widget, QMouseEvent(kind, at, on_screen, button, buttons, none))


def main(arguments: list[str]) -> int:
    """Run the program on a file."""
    import gui.start
    import main as program

    original = gui.start.start

    def started(names):
        application, window = original(names)
        drive(window)
        return application, window

    gui.start.start = started
    return program.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
