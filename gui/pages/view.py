# SPDX-License-Identifier: AGPL-3.0-or-later
"""The continuous view of pages: paints them and passes the user's gestures on."""

from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QGestureEvent, QPinchGesture, QWidget

from core.arrays import Spans
from gui.pages.camera import ZOOM_STEP, Camera
from gui.pages.composer import LAYERS, Composer, Shown
from gui.pages.hover_card import HoverCard
from gui.pages.images import PageImages
from gui.pages.layout import page_sizes
from gui.pages.mouse import Mouse
from gui.pages.navigator import Navigator
from gui.pages.pointer import Pointer
from gui.pages.sheets import Sheets
from gui.pages.text_selection import TextSelection
from gui.state import NOTHING, OpenDocument, Selection, State
from gui.theme import Theme

TAP_MILLISECONDS = 200  # Space held longer shows the clean page, a tap scrolls


class PageView(QAbstractScrollArea):
    """Shows the pages of the current document with overlays.

    Its parts: `camera` (what is seen), `sheets` (page images), `navigator` (places of the text),
    `mouse` (tools), `pointer` (what is under the pointer), `text` (selected text), `card` (what is
    said of the thing under the pointer).

    Signals:
        menu_asked: the Selection under the pointer, the global position.
        layers_changed: `shown.layers` are others.
    """

    menu_asked = Signal(object, object)
    layers_changed = Signal()

    def __init__(
        self, state: State, images: PageImages, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("pageView")
        self.setAccessibleName("Pages")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)
        self._state = state
        self._theme = theme
        self.shown = Shown()
        self.camera = Camera(self)
        self.sheets = Sheets(images, self.camera)
        self.text = TextSelection(self)
        self._composer = Composer(state, self.shown)
        self.pointer = Pointer(state, self.camera, self._composer, self.shown)
        self.navigator = Navigator(state, self.camera, self._composer)
        self.mouse = Mouse(self.viewport(), self.camera, self._composer, self.pointer, self.text)
        self.card = HoverCard(state, self.viewport())
        self._document = ""
        self._space = QElapsedTimer()
        self._connect(images)

    def _connect(self, images: PageImages) -> None:
        state = self._state
        state.current_changed.connect(self._show_document)
        state.sizes_known.connect(self._on_sizes)
        for result_changed in (state.chunks_changed, state.hits_changed, state.tails_changed):
            result_changed.connect(self._on_result)
        for changed in (state.text_changed, state.slots_changed, state.chosen_changed):
            changed.connect(self._repaint)
        state.selection_changed.connect(self._on_selection)
        state.hover_changed.connect(self._repaint)
        images.arrived.connect(self._on_image)
        images.failed.connect(self._on_image)
        self.camera.layout_changed.connect(self._repaint)
        self.sheets.settled.connect(self._repaint)
        self.text.changed.connect(self._on_text_selected)
        self.mouse.clicked.connect(self._retry)

    # what is shown

    def set_theme(self, theme: Theme) -> None:
        """Use other colours; nothing moves."""
        self._theme = theme
        self._repaint()

    def set_clean(self, is_clean: bool) -> None:
        """Hide or show everything but the page images."""
        self.shown.is_clean = is_clean
        self._repaint()

    def set_layers(self, layers: set[str]) -> None:
        """Choose what is drawn over the pages."""
        self.shown.layers = layers & set(LAYERS)
        self.layers_changed.emit()
        self._repaint()

    def set_matches(self, matches: Spans, current: int) -> None:
        """Show find results, int64 (n, 2); `current` is the index of the one looked at, or −1."""
        self.shown.matches, self.shown.match = matches, current
        if 0 <= current < len(matches):
            self.navigator.show_span(*matches[current].tolist())
        self._repaint()

    # news

    def _show_document(self, opened: OpenDocument | None) -> None:
        document = opened.id if opened is not None else ""
        if document and document == self._document:
            self._repaint()
            return
        if self._document in self._state.documents:
            self.navigator.leave(self._document)
        self._document = document
        self.text.clear()
        self.set_matches(self.shown.matches[:0], -1)
        self.navigator.forget_zoom()
        self._lay_out(opened)

    def _lay_out(self, opened: OpenDocument | None) -> None:
        self.camera.set_pages(page_sizes(opened.page_sizes if opened else []))
        place = self.navigator.place_of(self._document)
        if place is not None and opened is not None and opened.page_sizes:
            self.navigator.go_to(place)

    def _on_sizes(self, document: str) -> None:
        current = self._state.current
        if current is not None and current.id == document:
            self._lay_out(current)

    def _on_result(self, document: str, slot: int) -> None:
        del slot
        if self._document == document:
            self._repaint()

    def _on_image(self, document: str, page: int, message: str = "") -> None:
        del message
        if self._document == document and page in self.camera.visible_pages:
            self._repaint()

    def _on_selection(self, selection: Selection) -> None:
        self.navigator.forget_zoom()
        if selection.kind != "nothing" and selection.origin != "pages":
            self.navigator.show_span(selection.start, selection.end)
        self._repaint()

    def _on_text_selected(self, start: int, end: int) -> None:
        self.shown.text_selection = (start, end) if end > start else None
        self._repaint()

    def refresh(self) -> None:
        """Paint again, and ask for the images that are wanted now."""
        self.viewport().update()

    def _repaint(self, *_: object) -> None:
        self.viewport().update()

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pages in view, as far as they must be painted again."""
        painter = QPainter(self.viewport())
        try:
            self._paint(painter, QRectF(event.rect()))
        finally:  # a painter that outlives its widget's paint event crashes the program
            painter.end()

    def _paint(self, painter: QPainter, part: QRectF) -> None:
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        painter.fillRect(part, self._theme.window)
        opened, labels = self._state.current, self.pointer.labels
        if opened is None:
            labels.clear()
            return
        painter.translate(-self.camera.offset)
        clip = part.translated(self.camera.offset)
        painter.setClipRect(clip)
        layout, ratio = self.camera.layout, self.devicePixelRatioF()
        for page in layout.visible(clip.top(), clip.bottom()):
            self.sheets.paint(painter, opened, page, theme=self._theme, ratio=ratio)
            if self.sheets.error(opened, page):
                labels[page] = []
                continue
            labels[page] = self._composer.paint(
                painter,
                page,
                layout.transform(page),
                layout.rectangle(page),
                theme=self._theme,
                font=self._label_font(),
            )
        pages = self.camera.visible_pages
        for page in [page for page in labels if page not in pages]:
            del labels[page]
        self.sheets.ask(opened, pages, ratio)
        self._composer.keep_only(range(pages.start - 2, pages.stop + 2))

    def _label_font(self) -> QFont:
        font = self.font()
        font.setPointSizeF(max(7.5, font.pointSizeF() * 0.85))
        return font

    # gestures

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the text under the eye where it is."""
        super().resizeEvent(event)
        self.camera.follow_size()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move what is painted, and paint what comes into view."""
        self.card.dismiss()
        self.viewport().scroll(dx, dy)
        self.camera.announce_page()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl zoom about the pointer, with Shift go sideways."""
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            zoom = self.camera.zoom * ZOOM_STEP ** (turned.y() / 120)
            self.camera.set_zoom(zoom, event.position())
            event.accept()
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.camera.scroll_by(QPointF(-(turned.y() or turned.x()), 0))
            event.accept()
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Pinch zooms about the fingers."""
        if isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                centre = QPointF(self.viewport().mapFromGlobal(pinch.centerPoint().toPoint()))
                self.camera.set_zoom(self.camera.zoom * pinch.scaleFactor(), centre)
                return True
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.camera.set_zoom(self.camera.zoom * (1 + event.value()), event.position())
                return True
        elif event.type() == QEvent.Type.Leave:
            self.pointer.leave()
            self._repaint()
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A tool's press."""
        self.card.dismiss()
        self.mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A tool's double click."""
        self.mouse.double_click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A tool's move."""
        lane = self.shown.hovered_lane
        self.card.follow(event.position())
        self.mouse.move(event)
        if self.shown.hovered_lane != lane:
            self._repaint()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A tool's release."""
        self.mouse.release(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of what is under the pointer."""
        under = self.pointer.under(QPointF(event.pos()))
        self.menu_asked.emit(self.pointer.selection_for(under), event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space held shows the clean page."""
        if event.key() != Qt.Key.Key_Space:
            super().keyPressEvent(event)
        elif not event.isAutoRepeat():
            self._space.start()
            self.set_clean(True)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Show the overlays again when Space is let go; a tap scrolls one screen."""
        if event.key() != Qt.Key.Key_Space:
            super().keyReleaseEvent(event)
        elif not event.isAutoRepeat():
            self.set_clean(False)
            if self._space.isValid() and self._space.elapsed() < TAP_MILLISECONDS:
                is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                step = self.viewport().height() * (-0.9 if is_back else 0.9)
                self.camera.scroll_by(QPointF(0, step))

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from cut to cut, and past the last one to the next pane."""
        return self.navigator.step_cut(1 if forward else -1) or super().focusNextPrevChild(forward)

    def clear_selection(self) -> None:
        """Select nothing, neither chunk nor text."""
        self._state.select(NOTHING)
        self.text.clear()

    def _retry(self, position: QPointF) -> None:
        """Try a failed page again that was clicked."""
        opened, page = self._state.current, self.pointer.page_under(position)
        if opened is not None and page >= 0 and self.sheets.error(opened, page):
            self.sheets.retry(opened, page)
