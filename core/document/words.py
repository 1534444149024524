# SPDX-License-Identifier: AGPL-3.0-or-later
"""The word, sentence or block around a character: what a double or triple click selects."""

import regex

from core.document.model import Document

_WORD = regex.compile(r"\w+(?:['’\-]\w+)*|\S")
_SENTENCE_END = regex.compile(r"(?<=[.!?。！？])[\"'”’)\]]*\s+|\n{2,}")
_REACH = 2_000  # characters looked at on each side; a sentence is shorter


def word_at(text: str, offset: int) -> tuple[int, int]:
    """Span of the word that holds the character at `offset`; of the character itself, if none."""
    low = max(0, offset - _REACH)
    for found in _WORD.finditer(text, low, min(len(text), offset + _REACH)):
        if found.start() <= offset < found.end():
            return int(found.start()), int(found.end())
        if found.start() > offset:
            break
    return offset, min(offset + 1, len(text))


def sentence_at(text: str, offset: int) -> tuple[int, int]:
    """Span of the sentence around `offset`, by its end marks and blank lines."""
    low, high = max(0, offset - _REACH), min(len(text), offset + _REACH)
    start, end = low, high
    for found in _SENTENCE_END.finditer(text, low, high):
        if found.end() <= offset:
            start = found.end()
        elif found.start() > offset:
            end = found.start()
            break
    return start, end


def block_at(document: Document, offset: int) -> tuple[int, int]:
    """Span of the layout block that holds `offset`; of the sentence, if there is none."""
    for block in document.blocks:
        if block.start <= offset < block.end:
            return block.start, block.end
    return sentence_at(document.text, offset)
