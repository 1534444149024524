# SPDX-License-Identifier: AGPL-3.0-or-later
"""The continuous view of pages: scrolls, zooms, asks for images, and tells what is pointed at."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from core.arrays import Spans
from core.document.words import block_at, sentence_at, word_at
from gui.pages.composer import Composer, Shown, slot_at_lane
from gui.pages.hit_test import Under, character_at, chunk_at, cut_at, tab_at
from gui.pages.images import PageImages, Tile, tiles_of
from gui.pages.layout import GREATEST_ZOOM, LEAST_ZOOM, PageLayout, page_sizes
from gui.pages.painters import Label
from gui.state import NOTHING, OpenDocument, Selection, State
from gui.theme import GRAB, GUTTER, PAGE_GAP, Theme

Tool = Literal["chunk", "text", "hand"]
Fit = Literal["none", "width", "page"]

ZOOM_STEP = 1.2
LINE_SCROLL = 40
SETTLE_MILLISECONDS = 120  # after the last zoom step the sharp image is asked for


class PageView(QAbstractScrollArea):
    """Shows the pages of the current document with overlays.

    Signals:
        page_changed: index of the page at the upper third of the view.
        zoom_changed: the zoom, 1 is 96 dpi.
        tool_changed: its name.
        activated: the Selection that was double-clicked.
        menu_asked: the Selection under the pointer, the global position.
        text_selected: start and end of the text selection; equal for none.
    """

    page_changed = Signal(int)
    zoom_changed = Signal(float)
    tool_changed = Signal(str)
    activated = Signal(object)
    menu_asked = Signal(object, object)
    text_selected = Signal(int, int)

    def __init__(
        self, state: State, images: PageImages, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("pageView")
        self.setAccessibleName("Pages")
        self._state = state
        self._images = images
        self._theme = theme
        self.shown = Shown()
        self._composer = Composer(state, self.shown)
        self._layout = PageLayout(page_sizes([]), margin=GUTTER)
        self._zoom = 1.0
        self._fit: Fit = "width"
        self._rotation = 0
        self._columns = 1
        self._tool: Tool = "chunk"
        self._labels: list[Label] = []
        self._page = -1
        self._pressed: QPointF | None = None
        self._drag_start = -1
        self._pan: QPointF | None = None
        self._extra_images: Callable[[], list[tuple[Tile, QRectF, int]]] = list
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self.viewport().update)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)
        self.verticalScrollBar().setSingleStep(LINE_SCROLL)
        self.horizontalScrollBar().setSingleStep(LINE_SCROLL)
        self._connect()

    def _connect(self) -> None:
        state = self._state
        state.current_changed.connect(self._show_document)
        state.sizes_known.connect(self._on_sizes)
        for signal in (state.chunks_changed, state.hits_changed):
            signal.connect(self._on_result)
        for changed in (state.text_changed, state.slots_changed, state.chosen_changed):
            changed.connect(self._repaint)
        state.selection_changed.connect(self._on_selection)
        state.hover_changed.connect(self._repaint)
        self._images.arrived.connect(self._on_image)
        self._images.failed.connect(self._on_image)

    # what is shown

    def set_theme(self, theme: Theme) -> None:
        """Use other colours; nothing moves."""
        self._theme = theme
        self.viewport().update()

    @property
    def page(self) -> int:
        """Index of the page at the upper third of the view."""
        return max(0, self._page)

    @property
    def zoom(self) -> float:
        """The zoom; 1 is 96 dpi."""
        return self._zoom

    @property
    def fit(self) -> Fit:
        """Whether the zoom follows the size of the view."""
        return self._fit

    @property
    def tool(self) -> Tool:
        """What a press of the mouse does."""
        return self._tool

    @property
    def layout_of_pages(self) -> PageLayout:
        """Where the pages lie."""
        return self._layout

    @property
    def rotation(self) -> int:
        """Rotation of the view, degrees clockwise."""
        return self._rotation

    def set_tool(self, tool: Tool) -> None:
        """Choose what a press of the mouse does."""
        self._tool = tool
        cursors = {"text": Qt.CursorShape.IBeamCursor, "hand": Qt.CursorShape.OpenHandCursor}
        self.viewport().setCursor(cursors.get(tool, Qt.CursorShape.ArrowCursor))
        self.tool_changed.emit(tool)

    def set_zoom(self, zoom: float, about: QPointF | None = None) -> None:
        """Zoom so that the point `about` of the viewport (default: its middle) stays."""
        self._fit = "none"
        self._apply_zoom(zoom, about)

    def zoom_in(self) -> None:
        """One step larger."""
        self.set_zoom(self._zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step smaller."""
        self.set_zoom(self._zoom / ZOOM_STEP)

    def set_fit(self, fit: Fit) -> None:
        """Let the zoom follow the size of the view."""
        self._fit = fit
        self._refit()

    def rotate(self, degrees: int) -> None:
        """Turn the view, not the file, by a multiple of 90°."""
        page = self.page
        self._rotation = (self._rotation + degrees) % 360
        self._relayout()
        self._refit()
        self.go_to_page(page)

    def set_two_pages(self, is_on: bool) -> None:
        """Show two pages side by side, or one below the other."""
        page = self.page
        self._columns = 2 if is_on else 1
        self._relayout()
        self._refit()
        self.go_to_page(page)

    @property
    def shows_two_pages(self) -> bool:
        """True while two pages are side by side."""
        return self._columns == 2

    def set_clean(self, is_clean: bool) -> None:
        """Hide or show everything but the page images."""
        self.shown.is_clean = is_clean
        self.viewport().update()

    def set_matches(self, matches: Spans, current: int) -> None:
        """Show find results, int64 (n, 2); `current` is the index of the one looked at, or −1."""
        self.shown.matches, self.shown.match = matches, current
        if 0 <= current < len(matches):
            self.show_span(*matches[current].tolist())
        self.viewport().update()

    def set_extra_images(self, wanted: Callable[[], list[tuple[Tile, QRectF, int]]]) -> None:
        """Ask for these images too, behind those of the pages: thumbnails."""
        self._extra_images = wanted

    # moving

    def go_to_page(self, page: int, y: float = 0.0) -> None:
        """Scroll to a page; `y` is points from its top."""
        if 0 <= page < len(self._layout.sizes):
            point = self._layout.transform(page).map(QPointF(0, y))
            top = self._layout.rectangle(page).top() if not y else point.y()
            self.verticalScrollBar().setValue(round(top - PAGE_GAP / 2))

    def show_span(self, start: int, end: int, *, always: bool = False) -> None:
        """Scroll so that a span of the text is at a third of the height, unless it is in view."""
        maker = self._composer.maker()
        if maker is None or start < 0:
            return
        found = maker.cut_path(start)
        if found is None:
            return
        page, path = found
        x, y = path[2].tolist()
        point = self._layout.transform(page).map(QPointF(x, y))
        view = self._view_box()
        last = maker.cut_path(max(start, end - 1)) or found
        lowest = self._layout.transform(last[0]).map(QPointF(*last[1][1].tolist()))
        is_seen = view.top() <= point.y() and lowest.y() <= view.bottom()
        is_part_seen = view.top() <= point.y() <= view.bottom() - view.height() / 4
        if always or not (is_seen or is_part_seen):
            self.verticalScrollBar().setValue(round(point.y() - view.height() / 3))
        if not view.left() <= point.x() <= view.right():
            self.horizontalScrollBar().setValue(round(point.x() - view.width() / 3))

    def step_chunk(self, step: int) -> None:
        """Select the next (1) or previous (−1) chunk of the chosen strategy."""
        result, slot = self._state.chosen_result, self._state.chosen
        if result is None or result.chunks is None or not len(result.chunks):
            return
        selected = self._state.selection
        if selected.kind in ("chunk", "cut") and selected.slot == slot and selected.ids:
            index = selected.ids[-1] + step
        else:
            index = max(0, chunk_at(result.chunks, self._first_offset()))
        if 0 <= index < len(result.chunks):
            self._select_chunk(index)

    def step_cut(self, step: int) -> bool:
        """Select the next or previous cut; False past the last one."""
        result, slot = self._state.chosen_result, self._state.chosen
        if result is None or result.chunks is None:
            return False
        selected = self._state.selection
        if selected.kind == "cut" and selected.slot == slot and selected.ids:
            index = selected.ids[0] + step
        elif selected.kind == "chunk" and selected.ids:
            index = selected.ids[0] + (step > 0)
        else:
            index = max(1, chunk_at(result.chunks, self._first_offset()) + 1)
        if not 1 <= index < len(result.chunks):
            return False
        self._select_cut(index)
        self.show_span(int(result.chunks.starts[index]), int(result.chunks.starts[index]) + 1)
        return True

    # layout

    def _show_document(self, opened: OpenDocument | None) -> None:
        self.shown.text_selection = None
        self.set_matches(self.shown.matches[:0], -1)
        self._page = -1
        self._relayout()
        self._refit()
        self.verticalScrollBar().setValue(0)
        self._announce_page()
        self._repaint()
        del opened

    def _on_sizes(self, document: str) -> None:
        if self._state.current is not None and self._state.current.id == document:
            self._relayout()
            self._refit()
            self._announce_page()

    def _relayout(self) -> None:
        opened = self._state.current
        self._layout = PageLayout(
            page_sizes(opened.page_sizes if opened else []),
            zoom=self._zoom,
            rotation=self._rotation,
            columns=self._columns,
            gap=PAGE_GAP,
            margin=GUTTER,
            least_width=self.viewport().width(),
        )
        view = self.viewport().size()
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(0, round(self._layout.height) - view.height()))
        vertical.setPageStep(view.height())
        horizontal.setRange(0, max(0, round(self._layout.width) - view.width()))
        horizontal.setPageStep(view.width())
        self.viewport().update()

    def _apply_zoom(self, zoom: float, about: QPointF | None) -> None:
        zoom = min(max(zoom, LEAST_ZOOM), GREATEST_ZOOM)
        about = about or QPointF(self.viewport().width() / 2, self.viewport().height() / 3)
        canvas = about + self._offset()
        place = self._place(canvas)
        self._zoom = zoom
        self._relayout()
        if place is not None:
            page, point = place
            moved = self._layout.transform(page).map(point)
            self.verticalScrollBar().setValue(round(moved.y() - about.y()))
            self.horizontalScrollBar().setValue(round(moved.x() - about.x()))
        self._settle.start()
        self.zoom_changed.emit(zoom)

    def _place(self, canvas: QPointF) -> tuple[int, QPointF] | None:
        """The nearest page to a point of the canvas, and the point on it."""
        if not len(self._layout.sizes):
            return None
        page = self._layout.page_at(canvas.y())
        back, _ = self._layout.transform(page).inverted()
        return page, back.map(canvas)

    def _refit(self) -> None:
        if self._fit == "none" or not len(self._layout.sizes):
            return
        view, page = self.viewport().size(), self.page
        if self._fit == "width":
            zoom = self._layout.zoom_for_width(view.width(), page)
        else:
            zoom = self._layout.zoom_for_page(view.width(), view.height(), page)
        if abs(zoom - self._zoom) > 1e-3:
            self._apply_zoom(zoom, None)

    def _offset(self) -> QPointF:
        return QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def _view_box(self) -> QRectF:
        size = self.viewport().size()
        offset = self._offset()
        return QRectF(offset.x(), offset.y(), size.width(), size.height())

    def _announce_page(self) -> None:
        view = self._view_box()
        page = self._layout.page_at(view.top() + view.height() / 3)
        if page != self._page:
            self._page = page
            self.page_changed.emit(page)

    def _first_offset(self) -> int:
        """The first character of the page at the upper third."""
        maker = self._composer.maker()
        if maker is None or self.page >= len(maker.document.pages):
            return 0
        return maker.document.pages[self.page].start

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pages in view."""
        del event
        painter = QPainter(self.viewport())
        try:
            self._paint(painter)
        finally:  # a painter that outlives its widget's paint event crashes the program
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        painter.fillRect(self.viewport().rect(), self._theme.window)
        view = self._view_box()
        pages = self._layout.visible(view.top(), view.bottom())
        painter.translate(-view.topLeft())
        self._labels = []
        wanted: list[tuple[Tile, QRectF, int]] = []
        for page in pages:
            box = self._layout.rectangle(page)
            self._paint_page(painter, page, box, view, wanted)
            self._labels += self._composer.paint(
                painter,
                page,
                self._layout.transform(page),
                box,
                theme=self._theme,
                font=self._label_font(),
            )
        self._want_images(wanted, pages)
        self._composer.keep_only(range(pages.start - 2, pages.stop + 2))

    def _label_font(self) -> QFont:
        font = self.font()
        font.setPointSizeF(max(7.5, font.pointSizeF() * 0.85))
        return font

    def _paint_page(
        self,
        painter: QPainter,
        page: int,
        box: QRectF,
        view: QRectF,
        wanted: list[tuple[Tile, QRectF, int]],
    ) -> None:
        opened = self._state.current
        assert opened is not None, "pages are those of a document"
        painter.fillRect(box.adjusted(-1, -1, 1, 2), self._theme.page_shadow)
        painter.fillRect(box, self._theme.page)
        error = self._images.error(opened.id, page)
        if error:
            painter.setPen(self._theme.bad)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignCenter, f"✕ Page {page + 1} cannot be drawn: {error}"
            )
            return
        transform = self._layout.transform(page)
        width, height = self._layout.sizes[page].tolist()
        scale = self._layout.scale * self.devicePixelRatioF()
        back, _ = transform.inverted()
        part = back.mapRect(box.intersected(view))
        tiles = tiles_of(opened.id, page, width=width, height=height, scale=scale, view=part)
        painter.save()
        painter.setTransform(transform, combine=True)
        if not all(self._images.get(tile) is not None for tile in tiles):
            self._paint_nearest(painter, opened.id, page, QRectF(0, 0, width, height), scale)
        for tile in tiles:
            clip = tile.clip(width, height)
            image = self._images.get(tile)
            if image is not None:
                painter.drawImage(clip, image, QRectF(image.rect()))
            else:
                wanted.append((tile, clip, 0))
        painter.restore()

    def _paint_nearest(
        self, painter: QPainter, document: str, page: int, box: QRectF, scale: float
    ) -> None:
        found = self._images.nearest(document, page, scale)
        if found is not None:
            tile, image = found
            painter.drawImage(tile.clip(box.width(), box.height()), image, QRectF(image.rect()))

    def _want_images(self, wanted: list[tuple[Tile, QRectF, int]], pages: range) -> None:
        opened = self._state.current
        if opened is None or not len(self._layout.sizes):
            return
        if self._settle.isActive():  # zooming: the nearest images are scaled until it rests
            return
        scale = self._layout.scale * self.devicePixelRatioF()
        for page in (pages.stop, pages.start - 1):
            if 0 <= page < len(self._layout.sizes):
                width, height = self._layout.sizes[page].tolist()
                whole = QRectF(0, 0, width, height)
                tiles = tiles_of(
                    opened.id, page, width=width, height=height, scale=scale, view=whole
                )
                if len(tiles) == 1:
                    wanted.append((tiles[0], tiles[0].clip(width, height), 20))
        self._images.want([*wanted, *self._extra_images()])

    def _repaint(self, *_: object) -> None:
        self.viewport().update()

    def _on_result(self, document: str, slot: int) -> None:
        del slot
        if self._state.current is not None and self._state.current.id == document:
            self.viewport().update()

    def _on_image(self, document: str, page: int, message: str = "") -> None:
        del message
        view = self._view_box()
        shown = self._layout.visible(view.top(), view.bottom())
        if self._state.current is not None and self._state.current.id == document and page in shown:
            self.viewport().update()

    def _on_selection(self, selection: Selection) -> None:
        if selection.kind != "nothing" and selection.origin != "pages":
            self.show_span(selection.start, selection.end)
        self.viewport().update()

    # events

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the text under the eye where it is."""
        super().resizeEvent(event)
        place = self._place(QPointF(self._layout.width / 2, self._view_box().top()))
        self._relayout()
        self._refit()
        if place is not None and event.oldSize().isValid():
            top = self._layout.transform(place[0]).map(place[1])
            self.verticalScrollBar().setValue(round(top.y()))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaint at the new place."""
        del dx, dy
        self._announce_page()
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl zoom about the pointer, with Shift go sideways."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y() / 120
            self.set_zoom(self._zoom * ZOOM_STEP**steps, event.position())
            event.accept()
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - (event.angleDelta().y() or event.angleDelta().x()))
            event.accept()
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Pinch zooms about the fingers."""
        if event.type() == QEvent.Type.Gesture:
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if pinch is not None:
                centre = QPointF(self.viewport().mapFromGlobal(pinch.centerPoint().toPoint()))
                self.set_zoom(self._zoom * pinch.scaleFactor(), centre)
                return True
        if event.type() == QEvent.Type.NativeGesture:
            return self._on_native_gesture(event)
        if event.type() == QEvent.Type.Leave:
            self._state.hover(NOTHING)
            self.shown.hovered_lane = -1
        return super().viewportEvent(event)

    def _on_native_gesture(self, event: QNativeGestureEvent) -> bool:
        if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self.set_zoom(self._zoom * (1 + event.value()), event.position())
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click, a text selection or a pan."""
        if event.button() == Qt.MouseButton.MiddleButton or self._tool == "hand":
            self._pan = event.position()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position()
            if self._tool == "text":
                self._drag_start = self.under(event.position()).offset
                self._select_text(self._drag_start, self._drag_start)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, select text, or tell what is pointed at."""
        if self._pan is not None:
            moved = event.position() - self._pan
            self._pan = event.position()
            self.horizontalScrollBar().setValue(
                round(self.horizontalScrollBar().value() - moved.x())
            )
            self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() - moved.y()))
        elif self._tool == "text" and self._pressed is not None:
            offset = self.under(event.position()).offset
            if offset >= 0 and self._drag_start >= 0:
                self._select_text(self._drag_start, offset)
        else:
            self._hover(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a pan, or select what was clicked."""
        if self._pan is not None:
            self._pan = None
            self.set_tool(self._tool)
        elif event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            moved = (event.position() - self._pressed).manhattanLength()
            self._pressed = None
            if self._tool == "chunk" and moved < QGuiApplication.styleHints().startDragDistance():
                self._click(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """With the text tool select a word; else tell what was double-clicked."""
        under = self.under(event.position())
        document = self._state.current.document if self._state.current else None
        if self._tool == "text" and document is not None and under.offset >= 0:
            self._select_text(*word_at(document.text, under.offset))
        else:
            self.activated.emit(self._selection_for(under))

    def select_sentence(self, offset: int) -> None:
        """Select the sentence around a character."""
        document = self._state.current.document if self._state.current else None
        if document is not None:
            self._select_text(*sentence_at(document.text, offset))

    def select_block(self, offset: int) -> None:
        """Select the layout block around a character."""
        document = self._state.current.document if self._state.current else None
        if document is not None:
            self._select_text(*block_at(document, offset))

    def contextMenuEvent(self, event: object) -> None:
        """Ask for the menu of what is under the pointer."""
        under = self.under(QPointF(event.pos()))  # type: ignore[attr-defined]
        self.menu_asked.emit(self._selection_for(under), event.globalPos())  # type: ignore[attr-defined]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that belong to the pages and to nothing else."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self.set_clean(True)
        elif event.key() == Qt.Key.Key_Escape:
            self._state.select(NOTHING)
            self._select_text(-1, -1)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Show the overlays again when Space is let go."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self.set_clean(False)
        else:
            super().keyReleaseEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from cut to cut, and past the last one to the next pane."""
        return self.step_cut(1 if forward else -1) or super().focusNextPrevChild(forward)

    # pointing and selecting

    def under(self, position: QPointF) -> Under:
        """What is under a point of the viewport."""
        canvas = position + self._offset()
        tab = tab_at(self._labels, "cut", canvas)
        result = self._state.chosen_result
        if tab >= 0:
            return Under(cut=tab)
        place = self._layout.to_page(canvas.x(), canvas.y())
        maker = self._composer.maker()
        if place is None or maker is None:
            return Under()
        page, x, y = place
        offset = character_at(maker.document, page, x, y)
        if result is None or result.chunks is None:
            return Under(offset=offset)
        overlay = self._composer.overlay(self._state.chosen, page)
        cut = -1
        if overlay is not None:
            cut = cut_at(overlay.cuts, self._layout.transform(page), canvas, GRAB)
        return Under(cut, chunk_at(result.chunks, offset), offset)

    def _hover(self, position: QPointF) -> None:
        canvas = position + self._offset()
        page = self._layout.page_at(canvas.y())
        lane = -1
        if len(self._layout.sizes):
            box = self._layout.rectangle(page)
            lane = slot_at_lane(box, self._state.slots, canvas.x(), canvas.y())
        if lane != self.shown.hovered_lane:
            self.shown.hovered_lane = lane
            self.viewport().update()
        under = self.under(position)
        self._state.hover(self._selection_for(under))
        if self._tool == "chunk":
            shape = (
                Qt.CursorShape.PointingHandCursor if under.cut > 0 else Qt.CursorShape.ArrowCursor
            )
            self.viewport().setCursor(shape)

    def _click(self, event: QMouseEvent) -> None:
        canvas = event.position() + self._offset()
        rank = tab_at(self._labels, "hit", canvas)
        result = self._state.chosen_result
        if rank > 0 and result is not None:
            hit = next((hit for hit in result.hits if hit.rank == rank), None)
            if hit is not None:
                self._select_chunk(hit.chunk)
                return
        selection = self._selection_for(self.under(event.position()))
        old = self._state.selection
        extends = event.modifiers() & (
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        )
        if extends and selection.kind == old.kind == "chunk":
            selection = _extended(
                old, selection, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            )
        self._state.select(selection)

    def _selection_for(self, under: Under) -> Selection:
        result, slot = self._state.chosen_result, self._state.chosen
        if result is None or result.chunks is None:
            return NOTHING
        chunks = result.chunks
        if 0 <= under.cut < len(chunks):
            at = int(chunks.starts[under.cut])
            return Selection("cut", (under.cut,), slot, at, at + 1, "pages")
        if 0 <= under.chunk < len(chunks):
            start, end = int(chunks.starts[under.chunk]), int(chunks.ends[under.chunk])
            return Selection("chunk", (under.chunk,), slot, start, end, "pages")
        return NOTHING

    def _select_chunk(self, index: int) -> None:
        result = self._state.chosen_result
        assert result is not None and result.chunks is not None, "a chunk is one of a result"
        start, end = int(result.chunks.starts[index]), int(result.chunks.ends[index])
        self._state.select(Selection("chunk", (index,), self._state.chosen, start, end, "keys"))

    def _select_cut(self, index: int) -> None:
        self._state.select(self._selection_for(Under(cut=index)))

    def _select_text(self, start: int, end: int) -> None:
        is_empty = start < 0 or end < 0
        low, high = (start, end) if start <= end else (end, start)
        self.shown.text_selection = (
            None if is_empty else (low, high + (start != end and high == end))
        )
        if is_empty:
            self.text_selected.emit(0, 0)
        else:
            self.text_selected.emit(*self.shown.text_selection)  # type: ignore[misc]
        self.viewport().update()


def _extended(old: Selection, new: Selection, is_run: bool) -> Selection:
    if is_run:
        first, last = min(old.ids[0], new.ids[0]), max(old.ids[-1], new.ids[0])
        ids = tuple(range(first, last + 1))
    else:
        ids = tuple(sorted(set(old.ids) ^ set(new.ids))) or new.ids
    start, end = min(old.start, new.start), max(old.end, new.end)
    return Selection("chunk", ids, new.slot, start, end, "pages")
