# SPDX-License-Identifier: AGPL-3.0-or-later
"""Images of pages and their tiles: asked of the PDF process, kept by bytes, nearest one at hand."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QImage

from gui.jobs import Jobs, JobToken

TILE_PIXELS = 2048  # a page up to this size is one tile
KEPT_BYTES = 160 * 1024 * 1024  # some 28 pages across a window of usual width


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of a page at a scale: pixels per point, and which tile of the page."""

    document: str
    page: int
    scale: float
    column: int
    row: int

    def clip(self, width: float, height: float) -> QRectF:
        """Its place on a page of that size, points."""
        side = TILE_PIXELS / self.scale
        left, top = self.column * side, self.row * side
        return QRectF(left, top, min(side, width - left), min(side, height - top))


Render = Callable[[Tile, QRectF, JobToken], QImage]  # runs in the lane "pages"


class PageImages(QObject):
    """Keeps page images and asks for missing ones, those in view first.

    Signals:
        arrived: document, page.
        failed: document, page, message.
    """

    arrived = Signal(str, int)
    failed = Signal(str, int, str)

    def __init__(self, jobs: Jobs, render: Render, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._render = render
        self._kept: OrderedDict[Tile, QImage] = OrderedDict()
        self._bytes = 0
        self._asked: dict[Tile, int] = {}
        self._broken: dict[tuple[str, int], str] = {}

    def get(self, tile: Tile) -> QImage | None:
        """The image of a tile, if it is at hand."""
        image = self._kept.get(tile)
        if image is not None:
            self._kept.move_to_end(tile)
        return image

    def nearest(self, document: str, page: int, scale: float) -> tuple[Tile, QImage] | None:
        """A whole-page image of another scale, the one nearest to `scale`."""
        best: Tile | None = None
        for tile in self._kept:
            if (tile.document, tile.page) != (document, page) or (tile.column, tile.row) != (0, 0):
                continue
            if best is None or abs(tile.scale - scale) < abs(best.scale - scale):
                best = tile
        return None if best is None else (best, self._kept[best])

    def error(self, document: str, page: int) -> str:
        """Why a page cannot be drawn; empty if it can."""
        return self._broken.get((document, page), "")

    def want(self, wanted: Iterable[tuple[Tile, QRectF, int]]) -> None:
        """Ask for tiles with their clips and priorities; those no longer wanted are cancelled."""
        tiles = {tile: (clip, priority) for tile, clip, priority in wanted}
        for tile in [tile for tile in self._asked if tile not in tiles]:
            self._jobs.cancel(_slot(tile))
            del self._asked[tile]
        for tile, (clip, priority) in tiles.items():
            if tile in self._kept or tile in self._asked:
                continue
            if (tile.document, tile.page) in self._broken:
                continue
            self._asked[tile] = priority
            _Request(self, tile, clip).send(self._jobs, self._render, priority)

    def keep_only(self, documents: Collection[str]) -> None:
        """Drop all images of documents that are no longer open."""
        for tile in [tile for tile in self._kept if tile.document not in documents]:
            self._bytes -= self._kept.pop(tile).sizeInBytes()
        for tile in [tile for tile in self._asked if tile.document not in documents]:
            self._jobs.cancel(_slot(tile))
            del self._asked[tile]
        self._broken = {key: why for key, why in self._broken.items() if key[0] in documents}

    def retry(self, document: str, page: int) -> None:
        """Try a page again that could not be drawn."""
        self._broken.pop((document, page), None)
        self.arrived.emit(document, page)

    def put(self, tile: Tile, image: QImage) -> None:
        """Keep an image, and drop those that were not used for longest."""
        self._asked.pop(tile, None)
        if tile in self._kept:
            self._bytes -= self._kept[tile].sizeInBytes()
        self._kept[tile] = image
        self._bytes += image.sizeInBytes()
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= dropped.sizeInBytes()
        self.arrived.emit(tile.document, tile.page)

    def put_error(self, tile: Tile, error: Exception) -> None:
        """Remember that a page cannot be drawn."""
        self._asked.pop(tile, None)
        self._broken[(tile.document, tile.page)] = str(error)
        self.failed.emit(tile.document, tile.page, str(error))


@dataclass(frozen=True, slots=True)
class _Request:
    images: PageImages
    tile: Tile
    clip: QRectF

    def send(self, jobs: Jobs, render: Render, priority: int) -> None:
        def work(token: JobToken) -> object:
            return render(self.tile, self.clip, token)

        jobs.request(
            _slot(self.tile), "pages", work, self.arrived, failed=self.failed, priority=priority
        )

    def arrived(self, image: object) -> None:
        assert isinstance(image, QImage)
        self.images.put(self.tile, image)

    def failed(self, error: Exception) -> None:
        self.images.put_error(self.tile, error)


def _slot(tile: Tile) -> str:
    return f"image {tile.document} {tile.page} {tile.scale:.4f} {tile.column} {tile.row}"


def tiles_of(
    document: str, page: int, *, width: float, height: float, scale: float, view: QRectF
) -> list[Tile]:
    """The tiles of a page (points) at `scale` (pixels per point) that meet `view` (points)."""
    side = TILE_PIXELS / scale
    columns = range(
        max(0, int(view.left() // side)), int(min(view.right(), width - 1e-3) // side) + 1
    )
    rows = range(
        max(0, int(view.top() // side)), int(min(view.bottom(), height - 1e-3) // side) + 1
    )
    return [Tile(document, page, scale, column, row) for row in rows for column in columns]
