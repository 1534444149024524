# SPDX-License-Identifier: AGPL-3.0-or-later
"""Paragraphs: spans of the text between blank lines, or of the layout's blocks."""

from collections.abc import Iterable

from core.arrays import Spans, as_spans
from core.document.model import PARAGRAPH_KINDS, Document


def strict_paragraphs(document: Document) -> Spans:
    r"""Spans, int64 (n, 2), of what stands between two newlines in a row, white space trimmed.

    `\n \n` and `\r\n\r\n` do not separate (`spec/strategies.md` 2.3).
    """
    spans, start = [], 0
    for piece in document.text.split("\n\n"):
        spans.append((start, start + len(piece)))
        start += len(piece) + 2
    return trimmed_spans(document.text, spans)


def layout_paragraphs(document: Document) -> Spans:
    """int64 (n, 2): one paragraph a block of text, in reading order; strict without blocks."""
    blocks = [b for b in document.blocks if b.kind in PARAGRAPH_KINDS]
    if not blocks:
        return strict_paragraphs(document)
    return trimmed_spans(document.text, ((block.start, block.end) for block in blocks))


def trimmed_spans(text: str, spans: Iterable[tuple[int, int]]) -> Spans:
    """int64 (n, 2): the spans without white space at their ends; empty ones are dropped."""
    trimmed = []
    for start, end in spans:
        piece = text[start:end]
        inner = piece.strip()
        if inner:
            first = start + len(piece) - len(piece.lstrip())
            trimmed.append((first, first + len(inner)))
    return as_spans(trimmed)
