# SPDX-License-Identifier: AGPL-3.0-or-later
"""Stepping with keys from chunk to chunk and from cut to cut."""

from core.strategies.chunks import Chunks
from gui.pages.hit_test import chunk_at
from gui.state import Selection, State


def next_chunk(state: State, step: int, first_offset: int) -> Selection | None:
    """The chunk `step` after the selected one, or the one at `first_offset`; None past the end."""
    chunks, selected = _chunks(state), state.selection
    if chunks is None or not len(chunks):
        return None
    if selected.kind in ("chunk", "cut") and selected.slot == state.chosen and selected.ids:
        index = (selected.ids[-1] if step > 0 else selected.ids[0]) + step
    else:
        index = max(0, chunk_at(chunks, first_offset))
    if not 0 <= index < len(chunks):
        return None
    start, end = int(chunks.starts[index]), int(chunks.ends[index])
    return Selection("chunk", (index,), state.chosen, start, end, "keys")


def next_cut(state: State, step: int, first_offset: int) -> Selection | None:
    """The cut `step` after the selected cut or chunk; None past the last or before the first."""
    chunks, selected = _chunks(state), state.selection
    if chunks is None:
        return None
    if selected.kind == "cut" and selected.slot == state.chosen and selected.ids:
        index = selected.ids[0] + step
    elif selected.kind == "chunk" and selected.slot == state.chosen and selected.ids:
        index = selected.ids[-1] + 1 if step > 0 else selected.ids[0]
    else:
        index = max(1, chunk_at(chunks, first_offset) + (step > 0))
    if not 1 <= index < len(chunks):
        return None
    at = int(chunks.starts[index])
    return Selection("cut", (index,), state.chosen, at, at + 1, "keys")


def _chunks(state: State) -> Chunks | None:
    result = state.chosen_result
    return result.chunks if result is not None else None
