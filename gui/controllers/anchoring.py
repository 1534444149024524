# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is selected stays at its place when the chunks change under it, or others are chosen."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject

from core.strategies.chunks import Chunks
from gui.state import Selection, State


class Anchoring(QObject):
    """Gives the selection the numbers that the new chunks have at its place."""

    def __init__(self, state: State, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        state.chunks_changed.connect(self._on_chunks)
        state.chosen_changed.connect(self._on_chosen)

    def _on_chunks(self, document: str, slot: int) -> None:
        current, selected = self._state.current, self._state.selection
        if current is None or current.id != document or selected.slot != slot:
            return
        chunks = current.result(slot).chunks
        if chunks is not None and selected.kind in ("chunk", "cut"):
            self._state.select(anchored(selected, chunks))

    def _on_chosen(self, slot: int) -> None:
        """Another strategy is A: what is selected is the chunk or cut that it has at the place."""
        current, selected = self._state.current, self._state.selection
        if current is None or selected.kind not in ("chunk", "cut") or selected.slot == slot:
            return
        moved, chunks = replace(selected, slot=slot, ids=()), current.result(slot).chunks
        self._state.select(moved if chunks is None else anchored(moved, chunks))


def anchored(selection: Selection, chunks: Chunks) -> Selection:
    """The selected cut or chunk among other chunks; a cut that is gone becomes the chunk there.

    The place itself stays as it was, so that going back to the old chunks goes back to the old
    one. Nothing scrolls.
    """
    kind, index = selection.kind, -1
    if kind == "cut":
        index = _cut_at(selection, chunks)
    if index < 0:
        kind, index = "chunk", _chunk_at(selection, chunks)
    if index < 0 or (kind == selection.kind and selection.ids == (index,)):
        return selection
    return replace(selection, kind=kind, ids=(index,), origin="pages")


def _cut_at(selection: Selection, chunks: Chunks) -> int:
    """The chunk that begins at the place of a cut, or −1."""
    last = max(selection.start, selection.end)
    found = np.flatnonzero((chunks.starts >= selection.start) & (chunks.starts <= last))
    return int(found[0]) if len(found) and found[0] > 0 else -1


def _chunk_at(selection: Selection, chunks: Chunks) -> int:
    """The same chunk, or else the shortest one at its first character, or −1."""
    starts, ends, at = chunks.starts, chunks.ends, selection.start
    same = np.flatnonzero((starts == at) & (ends == selection.end))
    found = same if len(same) else np.flatnonzero((starts <= at) & (at < ends))
    return int(found[(ends - starts)[found].argmin()]) if len(found) else -1
