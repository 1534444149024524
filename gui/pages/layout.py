# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where pages lie on the canvas: one column or two pages side by side, at a zoom and rotation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTransform

Sizes = NDArray[np.float64]  # (n, 2): width and height of pages, points

DIP_PER_POINT = 96 / 72  # at zoom 1
LEAST_ZOOM, GREATEST_ZOOM = 0.25, 8.0
LEAST_FIT = 0.02  # a page may be 5 m wide, and fits the view all the same


@dataclass(frozen=True, eq=False)
class PageLayout:
    """Places of n pages on a canvas, in dip. Pages never move when chunks change.

    sizes: float64 (n, 2): width and height as shown without view rotation, points.
    """

    sizes: Sizes
    zoom: float = 1.0
    rotation: int = 0  # of the view, degrees clockwise, a multiple of 90
    columns: int = 1
    gap: float = 16.0  # above, between and below the pages
    spread: float = 16.0  # between two pages side by side, for the tabs and lanes of both
    margin: float = 64.0  # on both sides, for lanes and tabs
    least_width: float = 0.0  # of the viewport: a narrower canvas is centred in it

    @property
    def scale(self) -> float:
        """Dip per point."""
        return self.zoom * DIP_PER_POINT

    @cached_property
    def shown_sizes(self) -> NDArray[np.float64]:
        """float64 (n, 2): width and height on the canvas, dip."""
        turned = self.sizes[:, ::-1] if self.rotation % 180 else self.sizes
        return turned * self.scale

    @cached_property
    def boxes(self) -> NDArray[np.float64]:
        """float64 (n, 4): left, top, right, bottom of each page on the canvas, dip."""
        n = len(self.sizes)
        rows = np.arange(n) // self.columns
        heights = np.zeros(int(rows[-1]) + 1 if n else 0)
        np.maximum.at(heights, rows, self.shown_sizes[:, 1])
        tops = self.gap + np.concatenate([[0.0], np.cumsum(heights + self.gap)])[:-1]
        middle = self.width / 2
        lefts = middle - self.shown_sizes[:, 0] / 2
        if self.columns == 2:
            is_left = np.arange(n) % 2 == 0
            lefts = np.where(
                is_left, middle - self.spread / 2 - self.shown_sizes[:, 0], middle + self.spread / 2
            )
        corners = np.stack([lefts, tops[rows]], axis=1)
        return np.concatenate([corners, corners + self.shown_sizes], axis=1)

    @cached_property
    def width(self) -> float:
        """Width of the canvas, dip."""
        if not len(self.sizes):
            return self.least_width
        widest = float(self.shown_sizes[:, 0].max()) * self.columns + self.spread * (
            self.columns - 1
        )
        return max(self.least_width, widest + 2 * self.margin)

    @property
    def height(self) -> float:
        """Height of the canvas, dip."""
        return float(self.boxes[:, 3].max()) + self.gap if len(self.sizes) else 0.0

    def visible(self, top: float, bottom: float) -> range:
        """Pages that show between two heights of the canvas."""
        if not len(self.sizes):
            return range(0)
        # Bottoms rise row by row; two pages of a row may differ, so whole rows are taken.
        ends = np.maximum.accumulate(self.boxes[:, 3])
        first = int(np.searchsorted(ends, top, side="right")) // self.columns * self.columns
        last = int(np.searchsorted(self.boxes[:, 1], bottom, side="left"))
        return range(first, max(first, last))

    def page_at(self, y: float) -> int:
        """The page nearest to a height of the canvas; 0 without pages."""
        if not len(self.sizes):
            return 0
        centres = np.abs(np.clip(y, self.boxes[:, 1], self.boxes[:, 3]) - y)
        return int(np.argmin(centres))

    def rectangle(self, page: int) -> QRectF:
        """A page's place on the canvas."""
        left, top, right, bottom = self.boxes[page].tolist()
        return QRectF(left, top, right - left, bottom - top)

    def transform(self, page: int) -> QTransform:
        """From points of the page (as shown without view rotation) to the canvas."""
        box = self.rectangle(page)
        turn = QTransform()
        turn.translate(box.center().x(), box.center().y())
        turn.rotate(self.rotation)
        turn.scale(self.scale, self.scale)
        turn.translate(-self.sizes[page, 0] / 2, -self.sizes[page, 1] / 2)
        return turn

    def to_page(self, x: float, y: float) -> tuple[int, float, float] | None:
        """The page under a point of the canvas and the point on it; None between the pages."""
        for page in self.visible(y, y + 0.01):
            if self.rectangle(page).contains(QPointF(x, y)):
                back, _ = self.transform(page).inverted()
                point = back.map(QPointF(x, y))
                return page, point.x(), point.y()
        return None

    def zoom_for_width(self, viewport_width: float, page: int) -> float:
        """The zoom at which a page (or a pair) fills the viewport's width."""
        width = self._unit_size(page)[0] * self.columns
        free = viewport_width - 2 * self.margin - self.spread * (self.columns - 1)
        return _clamped(free / (width * DIP_PER_POINT))

    def zoom_for_page(self, viewport_width: float, viewport_height: float, page: int) -> float:
        """The zoom at which a whole page fits into the viewport."""
        height = self._unit_size(page)[1]
        fitting = (viewport_height - 2 * self.gap) / (height * DIP_PER_POINT)
        return _clamped(min(fitting, self.zoom_for_width(viewport_width, page)))

    def _unit_size(self, page: int) -> tuple[float, float]:
        width, height = self.sizes[page].tolist()
        return (height, width) if self.rotation % 180 else (width, height)


def _clamped(zoom: float) -> float:
    return min(max(zoom, LEAST_FIT), GREATEST_ZOOM)


def page_sizes(sizes: Sequence[tuple[float, float]]) -> Sizes:
    """float64 (n, 2) from pairs of width and height."""
    return np.asarray(sizes, dtype=np.float64).reshape(-1, 2)
