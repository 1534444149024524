# SPDX-License-Identifier: AGPL-3.0-or-later
"""Pointing at chunks, cuts and hits on the pages, and selecting them."""

from PySide6.QtCore import QPointF, Qt

from gui.pages.camera import Camera
from gui.pages.composer import Composer, Shown, slot_at_lane
from gui.pages.hit_test import Under, character_at, chunk_at, cut_at, tab_at
from gui.pages.painters import Label
from gui.state import NOTHING, Selection, State
from gui.theme import GRAB

_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class Pointer:
    """Finds what is under a point of the view. `labels` are the tabs and badges by page."""

    def __init__(self, state: State, camera: Camera, composer: Composer, shown: Shown) -> None:
        self._state = state
        self._camera = camera
        self._composer = composer
        self._shown = shown
        self.labels: dict[int, list[Label]] = {}

    def under(self, position: QPointF) -> Under:
        """What is under a point of the view."""
        canvas = position + self._camera.offset
        tab = self._label_under("cut", canvas)
        if tab >= 0:
            return Under(cut=tab)
        layout = self._camera.layout
        place = layout.to_page(canvas.x(), canvas.y())
        maker = self._composer.maker()
        if place is None or maker is None:
            return Under()
        page, x, y = place
        offset = character_at(maker.document, page, x, y)
        result = self._state.chosen_result
        if result is None or result.chunks is None:
            return Under(offset=offset)
        overlay = self._composer.overlay(self._state.chosen, page)
        cut = -1
        if overlay is not None and not self._shown.is_clean:
            cut = cut_at(overlay.cuts, layout.transform(page), canvas, GRAB)
        return Under(cut, chunk_at(result.chunks, offset), offset)

    def page_under(self, position: QPointF) -> int:
        """The page under a point of the view, or −1."""
        canvas = position + self._camera.offset
        place = self._camera.layout.to_page(canvas.x(), canvas.y())
        return -1 if place is None else place[0]

    def selection_for(self, under: Under) -> Selection:
        """The selection that stands for what is under the pointer."""
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

    def hover(self, position: QPointF) -> Under:
        """Point at what is there; nothing scrolls."""
        under = self.under(position)
        self._shown.hovered_lane = self._lane_under(position + self._camera.offset)
        self._state.hover(self.selection_for(under))
        return under

    def leave(self) -> None:
        """Point at nothing."""
        self._shown.hovered_lane = -1
        self._state.hover(NOTHING)

    def click(self, position: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Select what is there; with Shift extend to a run, with Ctrl add or take away."""
        selection = self._hit_under(position) or self.selection_for(self.under(position))
        old = self._state.selection
        is_more = selection.kind == old.kind == "chunk" and old.ids and old.slot == selection.slot
        if modifiers & (_SHIFT | _CTRL) and is_more:
            selection = self._extended(old, selection, is_run=bool(modifiers & _SHIFT))
        self._state.select(selection)

    def _label_under(self, kind: str, canvas: QPointF) -> int:
        found = (tab_at(labels, kind, canvas) for labels in self.labels.values())
        return max(found, default=-1)

    def _hit_under(self, position: QPointF) -> Selection | None:
        rank = self._label_under("hit", position + self._camera.offset)
        result = self._state.chosen_result
        if rank <= 0 or result is None:
            return None
        hit = next((hit for hit in result.hits if hit.rank == rank), None)
        return None if hit is None else self.selection_for(Under(chunk=hit.chunk))

    def _lane_under(self, canvas: QPointF) -> int:
        layout, slots = self._camera.layout, self._state.slots
        for page in layout.visible(canvas.y(), canvas.y() + 0.01):
            slot = slot_at_lane(layout.rectangle(page), slots, canvas.x(), canvas.y())
            if slot >= 0:
                return slot
        return -1

    def _extended(self, old: Selection, new: Selection, *, is_run: bool) -> Selection:
        result = self._state.chosen_result
        assert result is not None and result.chunks is not None, "a chunk is one of a result"
        if is_run:
            first, last = min(old.ids[0], new.ids[0]), max(old.ids[-1], new.ids[0])
            ids = tuple(range(first, last + 1))
        else:
            ids = tuple(sorted(set(old.ids) ^ set(new.ids)))
        if not ids:
            return NOTHING
        chosen = list(ids)
        start = int(result.chunks.starts[chosen].min())
        end = int(result.chunks.ends[chosen].max())
        return Selection("chunk", ids, new.slot, start, end, "pages")
