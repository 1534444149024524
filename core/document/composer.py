# SPDX-License-Identifier: AGPL-3.0-or-later
"""Writes blocks as text: plain, or as markdown."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.document.blocks import BULLET, Draft, TextLine
from core.document.hyphens import join_lines
from core.document.model import Block, TextSettings
from core.document.page_layout import PageLayout
from core.document.writer import TextWriter


@dataclass(slots=True, eq=False)
class Composer:
    """Writes blocks, and keeps the offsets where pages begin."""

    layouts: Sequence[PageLayout]
    writer: TextWriter
    bases: list[int]
    words: frozenset[str]
    settings: TextSettings
    page_starts: dict[int, int] = field(default_factory=dict)
    _glyphs: dict[int, tuple[list[int], list[int]]] = field(init=False)  # first, after the last

    def __post_init__(self) -> None:
        self._glyphs = {
            layout.page.index: (
                (layout.fragments.first + base).tolist(),
                (layout.fragments.last + base).tolist(),
            )
            for layout, base in zip(self.layouts, self.bases, strict=True)
        }

    def write(self, draft: Draft, *, first: bool) -> Block:
        """Write one block, after a blank line unless it is the first."""
        if not first:
            self.writer.add_literal("\n\n")
        start = self.writer.offset
        rows: list[tuple[int, int]] = []
        if draft.rows:
            rows = self._write_table(draft)
        else:
            for index, piece in enumerate(draft.pieces or [draft.lines]):
                if index:
                    self.writer.add_literal("\n")
                self._write_lines(piece, draft)
        return Block(
            start=start,
            end=self.writer.offset,
            kind=draft.kind,
            level=draft.level,
            page=draft.page,
            boxes=((draft.page, *draft.area),) if draft.area else _block_boxes(draft.lines),
            source=draft.source,
            rows=tuple(rows),
            header_rows=draft.header_rows,
        )

    def _write_lines(self, lines: Sequence[TextLine], draft: Draft) -> None:
        """Write the lines of a block, joined as `join_lines` says; lines of code stay apart."""
        skip = self._write_marker(draft, lines[0])
        for index, line in enumerate(lines):
            following = lines[index + 1] if index + 1 < len(lines) else None
            cut, joint = 0, ""
            if following is not None and line.mono and following.mono and draft.kind == "paragraph":
                joint = "\n"
            elif following is not None:
                cut, joint = join_lines(line.text, following.text, self.words)
            elif line.text.endswith("\u00ad"):
                cut = 1
            self._write_line(line, skip, cut)
            self.writer.add_literal(joint)
            skip = 0

    def _write_marker(self, draft: Draft, line: TextLine) -> int:
        """Write what markdown puts before a block; return the glyphs that it stands for."""
        if self.settings.form != "markdown":
            return 0
        if draft.kind == "heading":
            self.writer.add_literal("#" * max(1, draft.level) + " ")
        elif draft.kind == "list_item" and (bullet := BULLET.match(line.text)):
            self.writer.add_literal("- ")
            return bullet.end()
        return 0

    def _write_line(self, line: TextLine, skip: int = 0, cut: int = 0) -> None:
        """Write the glyphs of a line without its first `skip` and last `cut` characters."""
        if line.page not in self.page_starts:
            self.page_starts[line.page] = self.writer.offset
        firsts, ends = self._glyphs[line.page]
        last = len(line.fragments) - 1
        for index, fragment in enumerate(line.fragments):
            begin, end = firsts[fragment], ends[fragment]
            taken = min(skip, end - begin)
            skip -= taken
            if cut and index == last and end - begin > 1:
                self.writer.swallow(end - 2, end - 1)
                end -= 1
            self.writer.add_glyphs(begin + taken, end)
            if index < last:
                if skip and line.gaps[index]:
                    skip -= 1
                elif line.gaps[index]:
                    self.writer.add_literal(line.gaps[index])

    def _write_table(self, draft: Draft) -> list[tuple[int, int]]:
        """Write the rows of a table and return their spans."""
        markdown = self.settings.form == "markdown"
        width = max(len(row) for row in draft.rows)
        used = [c for c in range(width) if any(c < len(row) and row[c] for row in draft.rows)]
        spans: list[tuple[int, int]] = []
        for number, row in enumerate(draft.rows):
            if number:
                self.writer.add_literal("\n")
            start = self.writer.offset
            if markdown:
                self.writer.add_literal("| ")
            for column in used:
                if column != used[0]:
                    self.writer.add_literal(" | " if markdown else "\t")
                if column < len(row) and row[column]:
                    self._write_lines(row[column], draft)
            if markdown:
                self.writer.add_literal(" |")
            spans.append((start, self.writer.offset))
            if markdown and number == max(0, draft.header_rows - 1):
                self.writer.add_literal("\n|" + " --- |" * len(used))
        return spans


def _block_boxes(
    lines: Sequence[TextLine],
) -> tuple[tuple[int, float, float, float, float], ...]:
    """Return the box of the lines in each column they stand in: page, x0, y0, x1, y1."""
    boxes: list[list[float]] = []
    last: TextLine | None = None
    for line in lines:
        x0, y0, x1, y1 = line_box(line)
        if last is not None and last.page == line.page and line.v >= last.v - 2 * line.size:
            box = boxes[-1]
            box[1:] = [min(box[1], x0), min(box[2], y0), max(box[3], x1), max(box[4], y1)]
        else:
            boxes.append([line.page, x0, y0, x1, y1])
        last = line
    return tuple([(int(b[0]), b[1], b[2], b[3], b[4]) for b in boxes])


def line_box(line: TextLine) -> tuple[float, float, float, float]:
    """Return the upright box of a line in the display frame, points."""
    dx, dy = line.direction
    across = (line.sign * line.top, line.sign * line.bottom)
    if (dx, dy) == (1.0, 0.0):
        return line.u0, min(across), line.u1, max(across)
    xs = [u * dx - v * dy for u in (line.u0, line.u1) for v in across]
    ys = [u * dy + v * dx for u in (line.u0, line.u1) for v in across]
    return min(xs), min(ys), max(xs), max(ys)
