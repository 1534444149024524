# SPDX-License-Identifier: AGPL-3.0-or-later
"""The sheets under the overlays: images of pages, or why one cannot be drawn."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter

from gui.pages.camera import Camera
from gui.pages.images import PageImages, Tile, tiles_of
from gui.state import OpenDocument
from gui.theme import Theme

SETTLE_MILLISECONDS = 120  # after the last zoom step the sharp image is asked for
_NEXT_PAGE = 20  # priority: the pages before and after the view

Wanted = list[tuple[Tile, QRectF, int]]  # a tile, its clip in points, its priority


def _none_wanted() -> Wanted:
    return []


class Sheets(QObject):
    """Paints page images, and asks for those that are missing.

    Signals:
        settled: zooming has come to rest, so sharp images are wanted now.
    """

    settled = Signal()

    def __init__(self, images: PageImages, camera: Camera) -> None:
        super().__init__(camera)
        self._images = images
        self._camera = camera
        self._wanted: Wanted = []
        self._more_wanted: Callable[[], Wanted] = _none_wanted
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self.settled)
        camera.zoom_changed.connect(self._on_zoom)

    def set_more_wanted(self, wanted: Callable[[], Wanted]) -> None:
        """Ask for these images too, behind those of the pages: thumbnails."""
        self._more_wanted = wanted

    def error(self, opened: OpenDocument, page: int) -> str:
        """Why a page cannot be drawn; empty if it can."""
        return self._images.error(opened.id, page)

    def retry(self, opened: OpenDocument, page: int) -> None:
        """Try to draw a page again."""
        self._images.retry(opened.id, page)

    def paint(
        self, painter: QPainter, opened: OpenDocument, page: int, *, theme: Theme, ratio: float
    ) -> None:
        """Paint one page; `ratio` is device pixels per dip."""
        layout = self._camera.layout
        box = layout.rectangle(page)
        painter.fillRect(box.adjusted(-1, -1, 1, 2), theme.page_shadow)
        painter.fillRect(box, theme.page)
        error = self._images.error(opened.id, page)
        if error:
            painter.setPen(theme.bad)
            words = f"✕ Page {page + 1} cannot be drawn: {error}\n\nClick to try again."
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(box.adjusted(24, 24, -24, -24), int(flags), words)
            return
        transform = layout.transform(page)
        width, height = layout.sizes[page].tolist()
        scale = layout.scale * ratio
        back, _ = transform.inverted()
        part = back.mapRect(box.intersected(self._camera.box))
        tiles = tiles_of(opened.id, page, width=width, height=height, scale=scale, view=part)
        images = [self._images.get(tile) for tile in tiles]
        painter.save()
        painter.setTransform(transform, combine=True)
        if any(image is None for image in images):
            self._paint_nearest(painter, opened.id, page, QRectF(0, 0, width, height), scale)
        for tile, image in zip(tiles, images, strict=True):
            clip = tile.clip(width, height)
            if image is not None:
                painter.drawImage(clip, image, QRectF(image.rect()))
            else:
                self._wanted.append((tile, clip, 0))
        painter.restore()

    def ask(self, opened: OpenDocument, pages: range, ratio: float) -> None:
        """Ask for what was missing in the last painting, and for the pages around."""
        wanted, self._wanted = self._wanted, []
        if self._settle.isActive():  # zooming: the nearest images are scaled until it rests
            return
        layout = self._camera.layout
        scale = layout.scale * ratio
        for page in (pages.stop, pages.start - 1):
            if 0 <= page < len(layout.sizes):
                width, height = layout.sizes[page].tolist()
                whole = QRectF(0, 0, width, height)
                tiles = tiles_of(
                    opened.id, page, width=width, height=height, scale=scale, view=whole
                )
                if len(tiles) == 1:
                    wanted.append((tiles[0], tiles[0].clip(width, height), _NEXT_PAGE))
        self._images.want([*wanted, *self._more_wanted()])

    def _paint_nearest(
        self, painter: QPainter, document: str, page: int, box: QRectF, scale: float
    ) -> None:
        found = self._images.nearest(document, page, scale)
        if found is not None:
            tile, image = found
            painter.drawImage(tile.clip(box.width(), box.height()), image, QRectF(image.rect()))

    def _on_zoom(self, zoom: float) -> None:
        del zoom
        self._settle.start()
