# SPDX-License-Identifier: AGPL-3.0-or-later
"""PDFs that tests make for themselves, in a process of their own, and the text of raw pages."""

import subprocess
import sys
from pathlib import Path

from core.document.raw import RawPage

_PROGRAM = """
import sys
import pymupdf
document = pymupdf.open()
{body}
document.save(sys.argv[1]{save})
"""


def make_pdf(path: Path, body: str, save: str = "") -> Path:
    """Write a PDF with PyMuPDF statements that fill `document`; return its path."""
    program = _PROGRAM.format(body=body, save=f", {save}" if save else "")
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=60)
    return path


def page_text(page: RawPage) -> str:
    """All characters of a page in file order, without anything between lines."""
    return "".join(map(chr, page.glyphs.codes.tolist()))


def page_lines(page: RawPage) -> list[str]:
    """The lines of the PDF library as text."""
    lines: dict[int, str] = {}
    for code, run in zip(page.glyphs.codes.tolist(), page.glyphs.run.tolist(), strict=True):
        number = int(page.runs.line[run])
        lines[number] = lines.get(number, "") + chr(code)
    return list(lines.values())


def word_box(page: RawPage, word: str, nth: int = 0) -> tuple[float, float, float, float]:
    """Upright box of the nth occurrence of a word: display frame, rounded to points."""
    text, at = page_text(page), -1
    for _ in range(nth + 1):
        at = text.index(word, at + 1)
    corners = []
    for index in range(at, at + len(word)):
        run = page.glyphs.run[index]
        runs = page.runs
        dx, dy = float(runs.dx[run]), float(runs.dy[run])
        for along in (page.glyphs.start[index], page.glyphs.end[index]):
            for up in (runs.ascent[run], -runs.descent[run]):
                corners.append(
                    (runs.x[run] + along * dx + up * dy, runs.y[run] + along * dy - up * dx)
                )
    xs, ys = zip(*corners, strict=True)
    return (round(min(xs)), round(min(ys)), round(max(xs)), round(max(ys)))
