# SPDX-License-Identifier: AGPL-3.0-or-later
"""Going to places of the text: spans, chunks, cuts, and back to where a document was left."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from core.arrays import as_spans
from gui.pages.camera import Anchor, Camera, Fit
from gui.pages.composer import Composer
from gui.pages.painters import mapped
from gui.pages.steps import next_chunk, next_cut
from gui.state import State


@dataclass(frozen=True, slots=True)
class Place:
    """Where the view was, and how large the pages were."""

    anchor: Anchor
    zoom: float
    fit: Fit


class Navigator:
    """Moves the camera to what is meant by offsets of the text."""

    def __init__(self, state: State, camera: Camera, composer: Composer) -> None:
        self._state = state
        self._camera = camera
        self._composer = composer
        self._left: dict[str, Place] = {}  # where documents were left
        self._before_zoom: Place | None = None

    @property
    def place(self) -> Place:
        """Where the view is."""
        return Place(self._camera.anchor, self._camera.zoom, self._camera.fit)

    def go_to(self, place: Place) -> None:
        """Return to a place, with its zoom."""
        self._camera.set_zoom(place.zoom)
        self._camera.set_fit(place.fit)
        self._camera.go_to(place.anchor)

    def leave(self, document: str) -> None:
        """Remember where a document was left."""
        self._left[document] = self.place

    def place_of(self, document: str) -> Place | None:
        """Where a document was left, if it was shown before."""
        return self._left.get(document)

    def set_place(self, document: str, place: Place) -> None:
        """Let a document begin at a place when it is shown."""
        self._left[document] = place

    def forget_zoom(self) -> None:
        """Let the next `zoom_to_span` zoom, not return."""
        self._before_zoom = None

    def show_span(self, start: int, end: int, *, always: bool = False) -> None:
        """Scroll so that a span of the text is at a third of the height, unless it is in view."""
        found = self._span_box(start, end)
        if found is not None:
            self._camera.show_box(found[1], always=always)

    def zoom_to_span(self, start: int, end: int) -> None:
        """Fill the view with a span of the text; again returns to the place before."""
        if self._before_zoom is not None:
            place, self._before_zoom = self._before_zoom, None
            self.go_to(place)
            return
        found = self._span_box(start, end)
        if found is not None:
            before = self.place
            self._camera.zoom_to_box(found[1], found[0])
            self._before_zoom = before

    def step_chunk(self, step: int) -> None:
        """Select the next (1) or previous (−1) chunk of the chosen strategy."""
        selection = next_chunk(self._state, step, self._first_offset())
        if selection is not None:
            self._state.select(selection)

    def step_cut(self, step: int) -> bool:
        """Select the next or previous cut; False past the last one."""
        selection = next_cut(self._state, step, self._first_offset())
        if selection is not None:
            self._state.select(selection)
        return selection is not None

    def _span_box(self, start: int, end: int) -> tuple[int, QRectF] | None:
        """The page on which a span begins, and its place there on the canvas."""
        maker = self._composer.maker()
        if maker is None or not 0 <= start <= end:
            return None
        end = max(end, start + 1)  # a cut between chunks that touch has no length
        found = maker.cut_path(start)
        if found is None:
            return None
        page, path = found
        pieces = maker.span_overlay(as_spans([(start, end)]), page)
        quads = pieces.quads if len(pieces) else path[None]
        points = mapped(quads, self._camera.layout.transform(page)).reshape(-1, 2)
        (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        return page, QRectF(left, top, max(1.0, right - left), max(1.0, bottom - top))

    def _first_offset(self) -> int:
        """The first character of the page at the upper third."""
        maker, page = self._composer.maker(), self._camera.page
        if maker is None or page >= len(maker.document.pages):
            return 0
        return maker.document.pages[page].start
