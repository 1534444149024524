# SPDX-License-Identifier: AGPL-3.0-or-later
"""Back and forward between places in the documents."""

from dataclasses import dataclass

from gui.pages.camera import Anchor
from gui.pages.view import PageView
from gui.state import State

MOST_PLACES = 100


@dataclass(frozen=True, slots=True)
class Place:
    """Where the view was: a document and a place on its pages."""

    document: str
    anchor: Anchor


class History:
    """Places that were left by a jump."""

    def __init__(self, state: State, pages: PageView) -> None:
        self._state = state
        self._pages = pages
        self._before: list[Place] = []
        self._after: list[Place] = []

    def leave(self) -> None:
        """Remember the place before a jump."""
        here = self._here()
        if here is not None and (not self._before or self._before[-1] != here):
            self._before = [*self._before[-MOST_PLACES:], here]
            self._after.clear()

    def back(self) -> None:
        """Go to the place that was left last."""
        self._move(self._before, self._after)

    def forward(self) -> None:
        """Return to the place that `back` left."""
        self._move(self._after, self._before)

    def _move(self, come_from: list[Place], put_to: list[Place]) -> None:
        here = self._here()
        while come_from:
            place = come_from.pop()
            if place.document in self._state.documents and place != here:
                if here is not None:
                    put_to.append(here)
                self._go(place)
                return

    def _here(self) -> Place | None:
        current = self._state.current
        if current is None:
            return None
        return Place(current.id, self._pages.camera.anchor)

    def _go(self, place: Place) -> None:
        current = self._state.current
        if current is None or current.id != place.document:
            self._state.set_current(place.document)
        self._pages.camera.go_to(place.anchor)
