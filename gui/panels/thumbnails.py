# SPDX-License-Identifier: AGPL-3.0-or-later
"""Thumbnails of all pages in one painted list, with the density of cuts and the marks of hits."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from gui.heat import heat_colour, heat_values
from gui.pages.images import PageImages, Tile, tiles_of
from gui.panels.behind import Behind
from gui.state import OpenDocument, State
from gui.theme import Theme

WIDTH = 96.0
GAP = 12.0
LABEL = 18.0
LANE = 5.0
PRIORITY = 40  # behind the pages in view and their text


class Thumbnails(QAbstractScrollArea):
    """Shows all pages small; a click goes there.

    Signals:
        page_asked: index of the page.
        images_wanted: other pages are in view; see `wanted`.
    """

    page_asked = Signal(int)
    images_wanted = Signal()

    def __init__(
        self, state: State, images: PageImages, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("thumbnails")
        self.setAccessibleName("Thumbnails")
        self._state = state
        self._images = images
        self._theme = theme
        self._page = 0
        self._tops = np.empty(0)
        self._heights = np.empty(0)
        # behind the pages: a drag must not wait for thumbnails
        self._behind = Behind(self.viewport().update, self)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.verticalScrollBar().setSingleStep(40)
        state.current_changed.connect(self._on_document)
        state.sizes_known.connect(self._on_sizes)
        for signal in (state.chunks_changed, state.hits_changed, state.heat_changed):
            signal.connect(self._behind.ask)
        state.chosen_changed.connect(self._behind.ask)
        images.arrived.connect(self._behind.ask)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.viewport().update()

    def show_page(self, page: int) -> None:
        """Mark the page that the view is at, and keep it in sight."""
        self._page = page
        if 0 <= page < len(self._tops):
            top, bottom = self._tops[page] - GAP, self._tops[page] + self._heights[page] + LABEL
            bar, height = self.verticalScrollBar(), self.viewport().height()
            if top < bar.value():
                bar.setValue(int(top))
            elif bottom > bar.value() + height:
                bar.setValue(int(bottom - height))
        self.viewport().update()

    def _on_document(self, opened: OpenDocument | None) -> None:
        del opened
        self._relayout()

    def _on_sizes(self, document: str) -> None:
        del document
        self._relayout()

    def _relayout(self) -> None:
        opened = self._state.current
        sizes = np.asarray(opened.page_sizes if opened else [], dtype=float).reshape(-1, 2)
        ratios = sizes[:, 1] / np.maximum(sizes[:, 0], 1e-6)
        self._heights = np.clip(WIDTH * ratios, 10, 3 * WIDTH)
        steps = self._heights + LABEL + GAP
        self._tops = GAP + np.concatenate([[0.0], np.cumsum(steps)])[:-1]
        total = float(steps.sum()) + GAP
        self.verticalScrollBar().setRange(0, max(0, int(total) - self.viewport().height()))
        self.verticalScrollBar().setPageStep(self.viewport().height())
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the range of the scroll bar right."""
        super().resizeEvent(event)
        self._relayout()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaint at the new place."""
        del dx, dy
        self.viewport().update()
        self.images_wanted.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the images that were not asked for while hidden."""
        super().showEvent(event)
        self.images_wanted.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the page under the pointer."""
        y = event.position().y() + self.verticalScrollBar().value()
        page = int(np.searchsorted(self._tops, y, side="right")) - 1
        if 0 <= page < len(self._tops):
            self.page_asked.emit(page)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go to the page before and after."""
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        elif 0 <= self._page + step < len(self._tops):
            self.page_asked.emit(self._page + step)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the pages in view."""
        del event
        painter = QPainter(self.viewport())
        try:
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHints(
            QPainter.RenderHint.SmoothPixmapTransform | QPainter.RenderHint.Antialiasing
        )
        painter.fillRect(self.viewport().rect(), self._theme.window)
        opened = self._state.current
        if opened is None or not len(self._tops):
            painter.setPen(self._theme.muted)
            words = "No document." if opened is None else "Locked, or not read yet."
            box = QRectF(self.viewport().rect()).adjusted(12, 24, -12, -12)
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(box, int(flags), words)
            return
        top = self.verticalScrollBar().value()
        first = max(0, int(np.searchsorted(self._tops, top, side="right")) - 1)
        last = int(np.searchsorted(self._tops, top + self.viewport().height(), side="left"))
        cuts = _cut_offsets(self._state)
        heat = _heat(self._state)
        ranks = _best_ranks(self._state, opened)
        left = max(4.0, (self.viewport().width() - WIDTH) / 2 - LANE)
        for page in range(first, last):
            height = float(self._heights[page])
            box = QRectF(left, float(self._tops[page]) - top, WIDTH, height)
            self._paint_page(painter, opened, page, box)
            self._paint_heat(painter, opened, page, box, heat)
            self._paint_density(painter, opened, page, box, cuts)
            self._paint_rank(painter, box, ranks.get(page))

    def _paint_page(self, painter: QPainter, opened: OpenDocument, page: int, box: QRectF) -> None:
        painter.fillRect(box, self._theme.page)
        found = self._images.nearest(opened.id, page, WIDTH / max(1.0, opened.page_sizes[page][0]))
        if found is not None:
            tile, image = found
            width, height = opened.page_sizes[page]
            clip = tile.clip(width, height)
            scale = box.width() / width
            target = QRectF(box.left(), box.top(), clip.width() * scale, clip.height() * scale)
            painter.drawImage(target, image, QRectF(image.rect()))
        is_current = page == self._page
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(
            QPen(self._theme.accent if is_current else self._theme.border, 2 if is_current else 1)
        )
        painter.drawRect(box)
        painter.setPen(self._theme.accent if is_current else self._theme.muted)
        label = QRectF(box.left(), box.bottom() + 1, box.width(), LABEL)
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, str(page + 1))

    def _paint_heat(
        self,
        painter: QPainter,
        opened: OpenDocument,
        page: int,
        box: QRectF,
        heat: tuple[np.ndarray, np.ndarray] | None,
    ) -> None:
        """What each chunk lacks of a score, beside the page; spans, int64 (n, 2), and values."""
        document = opened.shown or opened.document
        if heat is None or document is None or page >= len(document.pages):
            return
        spans, values = heat
        start, end = document.pages[page].start, document.pages[page].end
        scale = box.height() / max(1, end - start)
        met = np.flatnonzero((spans[:, 0] < end) & (spans[:, 1] > start))
        for index in met.tolist():
            top = (max(start, int(spans[index, 0])) - start) * scale
            foot = (min(end, int(spans[index, 1])) - start) * scale
            place = QRectF(box.right() + 3, box.top() + top, LANE, foot - top)
            painter.fillRect(place, heat_colour(self._theme, float(values[index])))

    def _paint_density(
        self,
        painter: QPainter,
        opened: OpenDocument,
        page: int,
        box: QRectF,
        cuts: np.ndarray,
    ) -> None:
        document = opened.shown or opened.document
        if document is None or page >= len(document.pages) or not len(cuts):
            return
        start, end = document.pages[page].start, document.pages[page].end
        low, high = np.searchsorted(cuts, [start, end])
        painter.setPen(QPen(self._theme.text, 1.5))
        length = max(1, end - start)
        for offset in cuts[low:high].tolist():
            y = box.top() + box.height() * (offset - start) / length
            painter.drawLine(QPointF(box.right() + 3, y), QPointF(box.right() + 3 + LANE, y))

    def _paint_rank(self, painter: QPainter, box: QRectF, rank: int | None) -> None:
        if rank is None:
            return
        badge = QRectF(box.right() - 18, box.top() + 3, 16, 16)
        painter.setPen(QPen(self._theme.accent, 1.5))
        painter.setBrush(self._theme.base)
        painter.drawRect(badge)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, str(rank))

    def wanted(self) -> list[tuple[Tile, QRectF, int]]:
        """Images of the pages in view that are not at hand in any size."""
        opened = self._state.current
        if opened is None or not self.isVisible():
            return []
        top = self.verticalScrollBar().value()
        first = max(0, int(np.searchsorted(self._tops, top, side="right")) - 1)
        last = int(np.searchsorted(self._tops, top + self.viewport().height(), side="left"))
        wanted = []
        for page in range(first, last):
            width, height = opened.page_sizes[page]
            scale = WIDTH * self.devicePixelRatioF() / max(1.0, width)
            if self._images.nearest(opened.id, page, scale) is None:
                box = QRectF(0, 0, width, height)
                tiles = tiles_of(opened.id, page, width=width, height=height, scale=scale, view=box)
                wanted += [(tile, tile.clip(width, height), PRIORITY) for tile in tiles]
        return wanted


def _heat(state: State) -> tuple[np.ndarray, np.ndarray] | None:
    result = state.chosen_result
    values = heat_values(state, result)
    if values is None or result is None or result.chunks is None:
        return None
    return result.chunks.spans, values[result.chunks.owners]


def _cut_offsets(state: State) -> np.ndarray:
    result = state.chosen_result
    if result is None or result.chunks is None or not len(result.chunks.spans):
        return np.empty(0, np.int64)
    return np.unique(result.chunks.spans[:, 0])


def _best_ranks(state: State, opened: OpenDocument) -> dict[int, int]:
    result = state.chosen_result
    document = opened.shown or opened.document
    ranks: dict[int, int] = {}
    if result is None or document is None:
        return ranks
    for hit in result.hits:
        if hit.document == opened.id:
            ranks.setdefault(document.page_of(hit.start), hit.rank)
    return ranks
