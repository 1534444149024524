# SPDX-License-Identifier: AGPL-3.0-or-later
"""Selecting text on the pages: drag, word, sentence, block."""

from PySide6.QtCore import QObject, Signal

from core.document.model import Document
from core.document.words import block_at, sentence_at, word_at

WORD, SENTENCE, BLOCK = 2, 3, 4  # clicks


class TextSelection(QObject):
    """A span of the text that the text tool selects.

    Signals:
        changed: start and end, half-open; equal for none.
    """

    changed = Signal(int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.span: tuple[int, int] | None = None
        self._origin: tuple[int, int] | None = None  # what the press selected
        self._clicks = 1

    def clear(self) -> None:
        """Select nothing."""
        self._origin = None
        self._set(None)

    def press(self, document: Document, offset: int, clicks: int) -> None:
        """Begin at a character: one click selects nothing yet, more a word, sentence or block."""
        self._clicks = min(clicks, BLOCK)
        self._origin = self._unit(document, offset) if offset >= 0 else None
        is_unit = self._origin is not None and self._clicks >= WORD
        self._set(self._origin if is_unit else None)

    def drag(self, document: Document, offset: int) -> None:
        """Extend to a character, by words, sentences or blocks after more than one click."""
        if self._origin is None or offset < 0:
            return
        start, end = self._unit(document, offset)
        self._set((min(start, self._origin[0]), max(end, self._origin[1])))

    def _unit(self, document: Document, offset: int) -> tuple[int, int]:
        if self._clicks == WORD:
            return word_at(document.text, offset)
        if self._clicks == SENTENCE:
            return sentence_at(document.text, offset)
        if self._clicks >= BLOCK:
            return block_at(document, offset)
        return offset, offset + 1

    def _set(self, span: tuple[int, int] | None) -> None:
        if span != self.span:
            self.span = span
            self.changed.emit(*(span or (0, 0)))
