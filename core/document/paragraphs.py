# SPDX-License-Identifier: AGPL-3.0-or-later
"""Cuts the lines of a column into blocks where the page shows a break."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.document.blocks import LIST_MARKER, TAG_KINDS, Draft, TextLine, ends_sentence
from core.document.hyphens import HYPHENS

_WIDE_STEP = 1.3  # times the usual distance of baselines: more begins a block
_GOES_ON = re.compile(r"[\-–—(\w]")


@dataclass(frozen=True, slots=True)
class _Column:
    """The sides of a column (u) and its usual distance of baselines, points."""

    left: float
    right: float
    leading: float


def find_breaks(lines: Sequence[TextLine]) -> tuple[int, ...]:
    """Return which lines of one column, from top to bottom, begin a block."""
    if not lines:
        return ()
    column = _Column(*_sides(lines), _leading(lines))
    breaks, block = [0], [lines[0]]
    for index in range(1, len(lines)):
        following = lines[index + 1] if index + 1 < len(lines) else None
        if _begins(block, lines[index], following, column):
            breaks.append(index)
            block = []
        block.append(lines[index])
    return tuple(breaks)


def split_paragraphs(lines: Sequence[TextLine], breaks: Sequence[int]) -> list[Draft]:
    """Cut the lines of one column into blocks at `breaks`, as `find_breaks` gives them."""
    if not lines:
        return []
    sides = _sides(lines)
    return [
        Draft(page=lines[0].page, lines=list(lines[begin:end]), column=sides)
        for begin, end in pairwise([*breaks, len(lines)])
    ]


def _sides(lines: Sequence[TextLine]) -> tuple[float, float]:
    """Return where a column begins and ends, u."""
    return min([line.u0 for line in lines]), max([line.u1 for line in lines])


def _leading(lines: Sequence[TextLine]) -> float:
    """Return the usual distance of baselines, in points."""
    steps = sorted(
        [b.v - a.v for a, b in pairwise(lines) if 0.5 * b.size < b.v - a.v < 2.2 * b.size]
    )
    return steps[len(steps) // 2] if steps else 1.25 * lines[0].size


def _begins(
    block: list[TextLine], line: TextLine, following: TextLine | None, column: _Column
) -> bool:
    """Say whether `line` begins a new block after the lines of `block`."""
    last = block[-1]
    step = line.v - last.v
    if step > _WIDE_STEP * max(column.leading, 1.05 * line.size) or step < 0:
        return True
    if _unfinished_word(last, line) and 0.8 < line.size / max(last.size, 0.1) < 1.25:
        return False
    if _looks_other(last, line, column):
        return True
    if last.mono and line.mono:
        return False
    return _opens(block, line, following, column)


def _looks_other(last: TextLine, line: TextLine, column: _Column) -> bool:
    """Say whether the font or the tag changes between two lines, as at a heading."""
    ratio = line.size / max(last.size, 0.1)
    if not 0.89 <= ratio <= 1.12 and min(len(line.text), len(last.text)) > 2:
        return True
    if last.bold != line.bold and not (last.mono and line.mono):
        return not _inside_sentence(last, line, column) or not line.text[0].islower()
    return TAG_KINDS.get(last.tag) != TAG_KINDS.get(line.tag)


def _opens(
    block: list[TextLine], line: TextLine, following: TextLine | None, column: _Column
) -> bool:
    """Say whether a marker, an indent or the end of the line before shows a new block."""
    last = block[-1]
    if last.is_entry:
        return True
    if LIST_MARKER.match(line.text) and not _inside_sentence(last, line, column):
        return True
    return _is_indented(block, line, following) or _ended_early(last, line, column)


def _unfinished_word(last: TextLine, line: TextLine) -> bool:
    """Say whether a word broken at the end of `last` goes on in `line`."""
    text = last.text
    return text[-1] in HYPHENS and len(text) > 1 and text[-2].isalpha() and line.text[0].islower()


def _inside_sentence(last: TextLine, line: TextLine, column: _Column) -> bool:
    """Say whether a line that looks like a new block only goes on with a sentence."""
    full = column.right - last.u1 < 2 * line.size
    return full and not ends_sentence(last.text) and bool(_GOES_ON.match(line.text))


def _is_indented(block: list[TextLine], line: TextLine, following: TextLine | None) -> bool:
    """Say whether the indent of `line` shows a new paragraph."""
    last, em = block[-1], line.size
    shift = line.u0 - last.u0
    if abs(line.u0 + line.u1 - last.u0 - last.u1) < 0.8 * em and abs(shift) > 0.5 * em:
        return False  # centred lines
    if 0.8 * em < shift < 6 * em or (shift >= 6 * em and ends_sentence(last.text)):
        if len(block) >= 2 and abs(block[-2].u0 - last.u0) < 0.5 * em:
            return True
        returns = following is not None and following.u0 < line.u0 - 0.8 * em
        return returns and not LIST_MARKER.match(block[0].text)
    return shift < -0.6 * em and _is_outdented(block, line)


def _is_outdented(block: list[TextLine], line: TextLine) -> bool:
    """Say whether a line further left than the one before begins a block.

    It does where it is left of an indented block, or where a hanging indent ends.
    """
    em, last = line.size, block[-1]
    marked = len(block) >= 2 or LIST_MARKER.match(block[0].text)
    leftmost = min([each.u0 for each in block])
    if marked and ends_sentence(last.text) and line.u0 < leftmost - 0.6 * em:
        return True
    hanging = len(block) >= 2 and block[0].u0 < last.u0 - 0.6 * em
    return hanging and abs(line.u0 - block[0].u0) < 0.5 * em


def _ended_early(last: TextLine, line: TextLine, column: _Column) -> bool:
    """Say whether the first word of `line` had room on the line before, after a sentence."""
    word = line.text.split(" ", 1)[0]
    room = column.right - last.u1
    per_character = (last.u1 - last.u0) / max(1, len(last.text))
    if room < 1.4 * per_character * (len(word) + 1) + 0.5 * line.size:
        return False
    return ends_sentence(last.text) and not line.text[:1].islower()
