# SPDX-License-Identifier: AGPL-3.0-or-later
"""The sheets under the overlays: images of pages, or why one cannot be drawn."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QTransform

from gui.pages.camera import Camera
from gui.pages.images import PageImages, Tile, tiles_of
from gui.state import OpenDocument
from gui.theme import LIGHT, Theme

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
        self._more_wanted: Callable[[], Wanted] = _none_wanted
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self.settled)
        camera.zoom_changed.connect(self._on_zoom)

    def set_more_wanted(self, wanted: Callable[[], Wanted]) -> None:
        """Ask for these images too, behind those of the pages: thumbnails."""
        self._more_wanted = wanted

    @property
    def is_zooming(self) -> bool:
        """True until zooming has come to rest: the nearest images are scaled meanwhile."""
        return self._settle.isActive()

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
        _paint_shadow(painter, box, theme)
        error = self.error(opened, page)
        if error:
            painter.fillRect(box, theme.page)
            painter.setPen(LIGHT.bad)  # on a white page
            words = f"✕ Page {page + 1} cannot be drawn: {error}\n\nClick to try again."
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            seen = box.intersected(self._camera.box).adjusted(24, 24, -24, -24)
            painter.drawText(seen, int(flags), words)
            return
        transform = layout.transform(page)
        width, height = layout.sizes[page].tolist()
        scale = layout.scale * ratio
        tiles = self._tiles_in_view(opened, page, scale)
        images = [self._images.get(tile) for tile in tiles]
        if any(image is None for image in images):
            painter.fillRect(box, theme.page)
            self._paint_nearest(painter, opened.id, page, scale)
        for tile, image in zip(tiles, images, strict=True):
            if image is not None and layout.rotation == 0:
                place = transform.map(tile.clip(width, height).topLeft())
                _paint_sharp(painter, image, place, ratio)
            elif image is not None:
                _paint_scaled(painter, image, tile.clip(width, height), transform)

    def ask(self, opened: OpenDocument, pages: range, ratio: float) -> None:
        """Ask for the images in view that are not at hand, and for the pages around."""
        if self.is_zooming:
            return
        layout = self._camera.layout
        scale = layout.scale * ratio
        wanted: Wanted = []
        for page in pages:
            width, height = layout.sizes[page].tolist()
            tiles = self._tiles_in_view(opened, page, scale)
            wanted += [(tile, tile.clip(width, height), 0) for tile in tiles]
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

    def _tiles_in_view(self, opened: OpenDocument, page: int, scale: float) -> list[Tile]:
        layout = self._camera.layout
        width, height = layout.sizes[page].tolist()
        back, _ = layout.transform(page).inverted()
        part = back.mapRect(layout.rectangle(page).intersected(self._camera.box))
        return tiles_of(opened.id, page, width=width, height=height, scale=scale, view=part)

    def _paint_nearest(self, painter: QPainter, document: str, page: int, scale: float) -> None:
        found = self._images.nearest(document, page, scale)
        if found is not None:
            tile, image = found
            width, height = self._camera.layout.sizes[page].tolist()
            transform = self._camera.layout.transform(page)
            _paint_scaled(painter, image, tile.clip(width, height), transform)

    def _on_zoom(self, zoom: float) -> None:
        del zoom
        self._settle.start()


def _paint_shadow(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """Draw a thin edge around a page; its inside is covered by the page.

    Without antialiasing: smooth ends of such long thin bars cost 2 ms a frame.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for edge in (
        QRectF(box.left() - 1, box.top() - 1, 1, box.height() + 3),
        QRectF(box.right(), box.top() - 1, 1, box.height() + 3),
        QRectF(box.left(), box.top() - 1, box.width(), 1),
        QRectF(box.left(), box.bottom(), box.width(), 2),
    ):
        painter.fillRect(edge, theme.page_shadow)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _paint_sharp(painter: QPainter, image: QImage, place: QPointF, ratio: float) -> None:
    """Draw an image pixel by pixel, at the device pixel nearest to a place of the canvas.

    Scaling it by the fraction of a pixel that its size is rounded by would blur it, and takes
    five times as long.
    """
    image.setDevicePixelRatio(ratio)
    painter.drawImage(
        QPointF(round(place.x() * ratio) / ratio, round(place.y() * ratio) / ratio), image
    )


def _paint_scaled(painter: QPainter, image: QImage, clip: QRectF, transform: QTransform) -> None:
    """Draw an image over its part of the page, `clip` in points, however it must be turned."""
    painter.save()
    painter.setTransform(transform, combine=True)
    painter.drawImage(clip, image, QRectF(image.rect()))
    painter.restore()
