# SPDX-License-Identifier: AGPL-3.0-or-later
"""The card beside the pointer: why a cut is here, or which chunk this is. It moves nothing."""

import math

import numpy as np
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

from core.document.model import Document
from core.strategies.chunks import LEVELS, Chunks
from gui.panels.tables import number_words
from gui.state import NOTHING, Selection, SlotResult, State

DELAY_MILLISECONDS = 250
NOTE_ORDER = "Footnotes are read after the rest of their page; chunks are numbered as they are read"
WIDEST = 380  # dip
BESIDE, BELOW, EDGE = 14, 20, 6  # dip, from the pointer and from the edges of the view


class HoverCard(QLabel):
    """Shows itself once the pointer has rested on a cut or a chunk of the pages.

    It takes no mouse events, so that what lies below it can be pointed at.
    """

    def __init__(self, state: State, viewport: QWidget) -> None:
        super().__init__(viewport)
        self.setObjectName("hoverCard")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._state, self._viewport = state, viewport
        self._about: Selection = NOTHING
        self._pointer = QPointF()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(DELAY_MILLISECONDS)
        self._rest.timeout.connect(self._show_now)
        state.hover_changed.connect(self._on_hover)
        self.hide()

    def follow(self, position: QPointF) -> None:
        """Remember where the pointer is in the view; a card that is shown stays in its place."""
        self._pointer = position

    def dismiss(self) -> None:
        """Hide until something else is pointed at."""
        self._rest.stop()
        self.hide()

    def _on_hover(self, hovered: Selection) -> None:
        self.dismiss()
        self._about = hovered
        if hovered.kind in ("chunk", "cut") and hovered.origin == "pages":
            self._rest.start()

    def _show_now(self) -> None:
        opened, about = self._state.current, self._about
        if opened is None or opened.document is None or not about.ids:
            return
        result = opened.result(about.slot)
        if result.chunks is None or not 0 <= about.ids[0] < len(result.chunks):
            return
        describe = cut_words if about.kind == "cut" else chunk_words
        self.setText(describe(opened.document, result.chunks, about.ids[0], result))
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        """Stand below the pointer, or above it where the view ends; never on its line."""
        view = self._viewport.rect()
        self.setMaximumWidth(min(WIDEST, view.width() - 2 * EDGE))
        self.setMinimumWidth(0)
        wanted = self.fontMetrics().horizontalAdvance(max(self.text().split("\n"), key=len)) + 24
        self.resize(min(wanted, self.maximumWidth()), 10)
        self.resize(self.width(), self.heightForWidth(self.width()))
        x, y = round(self._pointer.x()) + BESIDE, round(self._pointer.y()) + BELOW
        if y + self.height() > view.height() - EDGE:
            y = round(self._pointer.y()) - BELOW - self.height()
        self.move(max(EDGE, min(x, view.width() - self.width() - EDGE)), max(EDGE, y))


def cut_words(document: Document, chunks: Chunks, index: int, result: SlotResult) -> str:
    """Why the cut before chunk `index` is there, in one line."""
    del result
    reason = chunks.start_reasons[index]
    if reason is None:
        return f"Cut {index}│{index + 1}: the document begins here"
    words = f"Cut {index}│{index + 1}: {reason.words}"
    words += "" if reason.margin is None else f" · margin {number_words(reason.margin)}"
    return f"{words}\n{NOTE_ORDER}" if in_footnote(document, int(chunks.starts[index])) else words


def in_footnote(document: Document, offset: int) -> bool:
    """True inside a footnote: on the page, its number is out of the order of those around it."""
    place = int(np.searchsorted(document.block_spans[:, 0], offset, side="right")) - 1
    block = document.blocks[place] if place >= 0 else None
    return block is not None and block.kind == "footnote" and offset < block.end


def chunk_words(document: Document, chunks: Chunks, index: int, result: SlotResult) -> str:
    """Number, size and pages of a chunk, and below what the scores say of it."""
    first = document.page_of(int(chunks.starts[index])) + 1
    last = document.page_of(max(0, int(chunks.ends[index]) - 1)) + 1
    pages = f"page {first}" if first == last else f"pages {first}–{last}"
    parts = part_words(chunks, index)
    pages += f" · {parts}" if parts else ""
    scores = result.scores
    if scores is None or index >= len(scores.units):
        length = sum(end - start for start, end in chunks.spans_of(index).tolist())
        return f"Chunk {index + 1} of {len(chunks)} · {length:,} characters · {pages}"
    said = [f"Chunk {index + 1} of {len(chunks)} · {int(scores.units[index]):,} tokens · {pages}"]
    values = []
    for code in ("ICC", "DCC"):
        value = float(scores[code].clipped_per_chunk[index])
        mark = "≈ " if scores[code].state == "late" else ""
        if not math.isnan(value):
            values.append(f"{code} {mark}{value:.3f}")
    if values:
        said.append(" · ".join(values))
    return "\n".join(said)


def part_words(chunks: Chunks, index: int) -> str:
    """How a chunk is nested or how many parts it has; nothing for one that is in one piece."""
    level = LEVELS[chunks.levels[index]]
    if level == "child":
        return f"child of {chunks.parents[index] + 1}"
    if level == "parent":
        count = int((chunks.parents == index).sum())
        return f"parent of {count} {'child' if count == 1 else 'children'}"
    parts = int(chunks.pointers[index + 1] - chunks.pointers[index])
    return "" if parts == 1 else f"{parts} parts"
