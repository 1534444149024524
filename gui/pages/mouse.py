# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the mouse does on the pages, by tool: select chunks, select text, move the pages."""

from typing import Literal

from PySide6.QtCore import QElapsedTimer, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QWidget

from core.document.model import Document
from gui.pages.camera import Camera
from gui.pages.composer import Composer
from gui.pages.pointer import Pointer
from gui.pages.text_selection import TextSelection
from gui.state import Selection

Tool = Literal["chunk", "text", "hand"]

_CURSORS = {"text": Qt.CursorShape.IBeamCursor, "hand": Qt.CursorShape.OpenHandCursor}


class Mouse(QObject):
    """Follows the presses and moves over the viewport of the pages.

    Signals:
        clicked: the point of the view, with no drag; whatever the tool is.
        activated: the Selection that was double-clicked with the chunk tool.
        tool_changed: the tool's name.
    """

    clicked = Signal(QPointF)
    activated = Signal(Selection)
    tool_changed = Signal(str)

    def __init__(
        self,
        viewport: QWidget,
        camera: Camera,
        composer: Composer,
        pointer: Pointer,
        text: TextSelection,
    ) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._camera = camera
        self._composer = composer
        self._pointer = pointer
        self._text = text
        self.tool: Tool = "chunk"
        self._pressed: QPointF | None = None
        self._pan: QPointF | None = None
        self._clicks = 0
        self._last_press = QElapsedTimer()
        self._last_place = QPointF()

    def set_tool(self, tool: Tool) -> None:
        """Choose what a press does."""
        self.tool = tool
        self._viewport.setCursor(_CURSORS.get(tool, Qt.CursorShape.ArrowCursor))
        self.tool_changed.emit(tool)

    def press(self, event: QMouseEvent) -> None:
        """Begin a click, a text selection or a pan."""
        is_left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (is_left and self.tool == "hand"):
            self._pan = event.position()
            self._viewport.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif is_left:
            self._pressed = event.position()
            self._count_click(event.position())
            document = self._document()
            if self.tool == "text" and document is not None:
                offset = self._pointer.under(event.position()).offset
                self._text.press(document, offset, self._clicks)

    def double_click(self, event: QMouseEvent) -> None:
        """With the chunk tool activate what is there; else it is one more press."""
        if self.tool == "chunk" and event.button() == Qt.MouseButton.LeftButton:
            under = self._pointer.under(event.position())
            self.activated.emit(self._pointer.selection_for(under))
        else:
            self.press(event)

    def move(self, event: QMouseEvent) -> None:
        """Pan, select text, or tell what is pointed at."""
        if self._pan is not None:
            self._camera.scroll_by(self._pan - event.position())
            self._pan = event.position()
        elif self.tool == "text" and self._pressed is not None:
            document = self._document()
            is_drag = self._has_moved(event.position()) or self._text.span is not None
            if document is not None and is_drag:
                self._text.drag(document, self._pointer.under(event.position()).offset)
        elif self.tool == "chunk":
            is_on_cut = self._pointer.hover(event.position()).cut > 0
            shape = Qt.CursorShape.PointingHandCursor if is_on_cut else Qt.CursorShape.ArrowCursor
            self._viewport.setCursor(shape)

    def release(self, event: QMouseEvent) -> None:
        """End a pan, or select what was clicked."""
        if self._pan is not None:
            self._pan = None
            self.set_tool(self.tool)
        elif event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            has_moved = self._has_moved(event.position())
            self._pressed = None
            if not has_moved:
                self.clicked.emit(event.position())
            if not has_moved and self.tool == "chunk":
                self._pointer.click(event.position(), event.modifiers())

    def _document(self) -> Document | None:
        maker = self._composer.maker()
        return maker.document if maker is not None else None

    def _has_moved(self, position: QPointF) -> bool:
        if self._pressed is None:
            return False
        moved = (position - self._pressed).manhattanLength()
        return moved >= QGuiApplication.styleHints().startDragDistance()

    def _count_click(self, position: QPointF) -> None:
        """Count presses at one place that follow each other quickly."""
        hints, timer = QGuiApplication.styleHints(), self._last_press
        is_quick = timer.isValid() and timer.elapsed() < hints.mouseDoubleClickInterval()
        is_near = (position - self._last_place).manhattanLength() < hints.startDragDistance()
        self._clicks = self._clicks + 1 if is_quick and is_near else 1
        timer.start()
        self._last_place = position
