# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which part of the pages is seen: zoom, fit, rotation of the view, place of the scroll bars."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtWidgets import QAbstractScrollArea

from gui.pages.layout import GREATEST_ZOOM, LEAST_ZOOM, PageLayout, Sizes, page_sizes
from gui.theme import GUTTER, PAGE_GAP, SPREAD

Fit = Literal["none", "width", "page"]

ZOOM_STEP = 1.2
LINE_SCROLL = 40  # dip
SAME_ZOOM = 1e-3


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place that survives zoom, rotation and resizing: what is at the view's left top.

    `x` and `y` are points on the page as shown without rotation of the view.
    """

    page: int = 0
    x: float = 0.0
    y: float = 0.0


class Camera(QObject):
    """Moves a scroll area over a layout of pages.

    Signals:
        zoom_changed: the zoom, 1 is 96 dpi.
        page_changed: index of the page at the upper third of the view.
        layout_changed: pages lie elsewhere, or have another size.
    """

    zoom_changed = Signal(float)
    page_changed = Signal(int)
    layout_changed = Signal()

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(area)
        self._area = area
        self._horizontal, self._vertical = area.horizontalScrollBar(), area.verticalScrollBar()
        self._horizontal.setSingleStep(LINE_SCROLL)
        self._vertical.setSingleStep(LINE_SCROLL)
        self._page = -1
        self._columns = 1
        self.layout = PageLayout(page_sizes([]), margin=GUTTER)
        self.zoom = 1.0
        self.fit: Fit = "width"
        self.rotation = 0  # degrees clockwise

    # what is seen

    @property
    def page(self) -> int:
        """Index of the page at the upper third of the view."""
        return max(0, self._page)

    @property
    def shows_two_pages(self) -> bool:
        """True while two pages are side by side."""
        return self._columns == 2

    @property
    def offset(self) -> QPointF:
        """The point of the canvas at the view's left top."""
        return QPointF(self._horizontal.value(), self._vertical.value())

    @property
    def box(self) -> QRectF:
        """The part of the canvas that is seen."""
        size = self._area.viewport().size()
        return QRectF(self.offset.x(), self.offset.y(), size.width(), size.height())

    @property
    def visible_pages(self) -> range:
        """The pages that are seen, at least in part."""
        box = self.box
        return self.layout.visible(box.top(), box.bottom())

    @property
    def anchor(self) -> Anchor:
        """The place that the view is at."""
        return self._anchor_at(self.offset)

    # zoom and layout

    def set_pages(self, sizes: Sizes) -> None:
        """Lay out other pages, float64 (n, 2): width and height, points; and go to the first."""
        self._page = -1
        self._lay_out(sizes)
        self._refit()
        self._vertical.setValue(0)
        self.announce_page()

    def set_zoom(self, zoom: float, about: QPointF | None = None) -> None:
        """Zoom so that the point `about` of the view (default: a third down) stays.

        A zoom below the least one, which fits a huge page, may stay but not go further down.
        """
        self.fit = "none"
        self._apply_zoom(max(zoom, min(LEAST_ZOOM, self.zoom)), about)

    def zoom_in(self) -> None:
        """One step larger."""
        self.set_zoom(self.zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step smaller."""
        self.set_zoom(self.zoom / ZOOM_STEP)

    def set_fit(self, fit: Fit) -> None:
        """Let the zoom follow the size of the view."""
        self.fit = fit
        page = self.page
        self._refit()
        if fit == "page":
            self.go_to_page(page)

    def rotate(self, degrees: int) -> None:
        """Turn the view, not the file, by a multiple of 90°."""
        self.rotation = (self.rotation + degrees) % 360
        self._lay_out_again()

    def set_two_pages(self, is_on: bool) -> None:
        """Show two pages side by side, or one below the other."""
        self._columns = 2 if is_on else 1
        self._lay_out_again()

    def follow_size(self) -> None:
        """Keep the text under the eye where it is, when the view's size has changed."""
        anchor = self.anchor
        self._lay_out(self.layout.sizes)
        self._refit()
        self.go_to(anchor)

    # moving

    def go_to(self, anchor: Anchor) -> None:
        """Bring a place to the view's left top."""
        if 0 <= anchor.page < len(self.layout.sizes):
            self.scroll_to(self.layout.transform(anchor.page).map(QPointF(anchor.x, anchor.y)))

    def go_to_page(self, page: int, y: float = 0.0) -> None:
        """Scroll to a page; `y` is points from its top."""
        if 0 <= page < len(self.layout.sizes):
            box = self.layout.rectangle(page)
            top = self.layout.transform(page).map(QPointF(0, y)).y() if y else box.top()
            self._vertical.setValue(round(top - PAGE_GAP / 2))
            view = self.box
            if box.right() < view.left() or box.left() > view.right():
                self._horizontal.setValue(round(box.left() - GUTTER))

    def scroll_to(self, point: QPointF) -> None:
        """Bring a point of the canvas to the view's left top."""
        self._horizontal.setValue(round(point.x()))
        self._vertical.setValue(round(point.y()))

    def scroll_by(self, moved: QPointF) -> None:
        """Move the view over the canvas, dip."""
        self.scroll_to(self.offset + moved)

    def show_box(self, box: QRectF, *, always: bool = False) -> None:
        """Bring a part of the canvas to a third of the height, unless it is seen."""
        view = self.box
        is_seen = view.top() <= box.top() and box.bottom() <= view.bottom()
        is_begin_seen = view.top() <= box.top() <= view.bottom() - view.height() / 4
        if always or not (is_seen or is_begin_seen):
            self._vertical.setValue(round(box.top() - view.height() / 3))
        if not view.left() <= box.left() <= view.right():
            self._horizontal.setValue(round(box.left() - view.width() / 3))

    def zoom_to_box(self, box: QRectF, page: int) -> None:
        """Fill the view with a part of the canvas on a page, and bring its top into view."""
        back, _ = self.layout.transform(page).inverted()
        part = back.mapRect(box)
        view = self.box
        free = max(1.0, view.width() - 2 * GUTTER)
        zoom = self.zoom * min(free / box.width(), view.height() * 0.9 / box.height())
        self.set_zoom(min(zoom, self.layout.zoom_for_width(view.width(), page) * 3))
        shown = self.layout.transform(page).mapRect(part)
        room = self.box
        left = shown.center().x() - room.width() / 2
        top = shown.center().y() - min(room.height(), shown.height() + 2 * PAGE_GAP) / 2
        self.scroll_to(QPointF(left, top))

    def announce_page(self) -> None:
        """Tell which page is at the upper third, if it is another one now."""
        view = self.box
        page = self.layout.page_at(view.top() + view.height() / 3)
        if page != self._page:
            self._page = page
            self.page_changed.emit(page)

    # inside

    def _anchor_at(self, canvas: QPointF) -> Anchor:
        if not len(self.layout.sizes):
            return Anchor()
        page = self.layout.page_at(canvas.y())
        back, _ = self.layout.transform(page).inverted()
        point = back.map(canvas)
        return Anchor(page, point.x(), point.y())

    def _lay_out_again(self) -> None:
        page = self.page
        self._lay_out(self.layout.sizes)
        self._refit()
        self.go_to_page(page)

    def _lay_out(self, sizes: Sizes) -> None:
        view = self._area.viewport().size()
        self.layout = PageLayout(
            sizes,
            zoom=self.zoom,
            rotation=self.rotation,
            columns=self._columns,
            gap=PAGE_GAP,
            spread=SPREAD,
            margin=GUTTER,
            least_width=view.width(),
        )
        self._vertical.setRange(0, max(0, round(self.layout.height) - view.height()))
        self._vertical.setPageStep(max(1, view.height()))
        self._horizontal.setRange(0, max(0, round(self.layout.width) - view.width()))
        self._horizontal.setPageStep(max(1, view.width()))
        self.layout_changed.emit()

    def _apply_zoom(self, zoom: float, about: QPointF | None) -> None:
        view = self._area.viewport()
        about = about or QPointF(view.width() / 2, view.height() / 3)
        anchor = self._anchor_at(about + self.offset)
        self.zoom = min(zoom, GREATEST_ZOOM)
        self._lay_out(self.layout.sizes)
        if len(self.layout.sizes):
            moved = self.layout.transform(anchor.page).map(QPointF(anchor.x, anchor.y))
            self.scroll_to(moved - about)
        self.zoom_changed.emit(self.zoom)

    def _refit(self) -> None:
        if self.fit == "none" or not len(self.layout.sizes):
            return
        view = self._area.viewport().size()
        if self.fit == "width":
            zoom = self.layout.zoom_for_width(view.width(), self.page)
        else:
            zoom = self.layout.zoom_for_page(view.width(), view.height(), self.page)
        if abs(zoom - self.zoom) > SAME_ZOOM:
            self._apply_zoom(zoom, None)
