# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where English words may be divided, by the patterns that MuPDF carries.

MuPDF applies its patterns only while it lays out HTML, so each word is laid out in a
column too narrow for it and the divisions are read off the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO

import pymupdf

_STYLE = "margin: 0; font-size: 10px; hyphens: auto; text-align: justify"
_LEAST_BEFORE, _LEAST_AFTER, _SHORTEST = 3, 3, 7


def divide(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each word of at least seven letters with its syllables, as far as it may be divided."""
    wanted = sorted({word for word in words if len(word) >= _SHORTEST and word.isalpha()})
    html = "".join(f'<p lang="en" style="{_STYLE}">= {word}</p>' for word in wanted)
    story = pymupdf.Story(html, user_css="body {margin: 0}")
    buffer = BytesIO()
    writer = pymupdf.DocumentWriter(buffer)
    more = 1
    while more:
        device = writer.begin_page(pymupdf.Rect(0, 0, 200, 14000))
        more, _ = story.place(pymupdf.Rect(0, 0, 22, 14000))
        story.draw(device)
        writer.end_page()
    writer.close()
    text = "".join(page.get_text() for page in pymupdf.open("pdf", buffer.getvalue()))
    divided = {}
    for lines in text.split("="):
        parts = [part.strip().removesuffix("-") for part in lines.split("\n") if part.strip()]
        if parts:
            divided["".join(parts)] = _comfortable(parts)
    return {word: divided.get(word, (word,)) for word in wanted}


def words_of(text: str) -> set[str]:
    """The words of a text that may be looked up in `divide`."""
    return set(re.findall(r"[^\W\d_]+", text))


def _comfortable(parts: list[str]) -> tuple[str, ...]:
    """Syllables joined so that no division leaves fewer than three letters on a line."""
    parts = list(parts)
    while len(parts) > 1 and len(parts[0]) < _LEAST_BEFORE:
        parts[0:2] = [parts[0] + parts[1]]
    while len(parts) > 1 and len(parts[-1]) < _LEAST_AFTER:
        parts[-2:] = [parts[-2] + parts[-1]]
    return tuple(parts)
