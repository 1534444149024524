# SPDX-License-Identifier: AGPL-3.0-or-later
"""Text that goes on elsewhere: paragraphs over columns and pages, tables over a page break.

Where a float (figure, table, caption, footnote, turned text) stands between the two parts of a
paragraph, it gives way: on the page of the first part it is put before the paragraph, on a later
page or on the same page after it. So a sentence stays in one piece, and every page is still one
span of the text.
"""

import re
from collections.abc import Sequence

from core.document.blocks import Draft, TextLine, ends_sentence
from core.document.hyphens import HYPHENS, is_spaceless

_FLOATS = frozenset({"figure", "caption", "table", "footnote"})
_TEXT = frozenset({"paragraph", "list_item"})
_OPENING = re.compile(r"^[\"'“‘(«\[]?[^\W\d_]")
_CLOSE = 1.6  # ems between baselines of one paragraph
_SAME_COLUMN = 15.0  # points between the middles of gutters of two parts of one table
_SAME_SIDE = 8.0  # points between the sides of such gutters


def join_flow(drafts: Sequence[Draft], *, across_pages: bool) -> list[Draft]:
    """Join what goes on in another column or, when `across_pages`, on the next page."""
    result: list[Draft] = []
    for draft in drafts:
        place = _beginning(result, draft, across_pages)
        if place is None:
            result.append(draft)
            continue
        before, between = result[place], result[place + 1 :]
        page = before.lines[-1].page
        first = [each for each in between if each.page == page != draft.page]
        later = [each for each in between if each not in first]
        before.lines += draft.lines
        before.rows += draft.rows
        result[place:] = [*first, before, *later]
    return result


def _beginning(result: Sequence[Draft], draft: Draft, across_pages: bool) -> int | None:
    """Return the index of the block that `draft` goes on with, or None."""
    if draft.kind == "table":
        return _table_beginning(result, draft, across_pages)
    if draft.kind != "paragraph" or draft.is_turned:
        return None
    for index in range(len(result) - 1, -1, -1):
        before = result[index]
        if before.kind in _TEXT and not before.is_turned:
            return index if _goes_on(before, draft, across_pages) else None
        if (
            before.kind == "caption"
            and before.page == draft.page
            and _goes_on(before, draft, False)
        ):
            return index
        if before.kind not in _FLOATS and not before.is_turned:
            return None
    return None


def _table_beginning(result: Sequence[Draft], draft: Draft, across_pages: bool) -> int | None:
    """Return the index of the table that `draft` goes on with; only notes may lie between."""
    for index in range(len(result) - 1, -1, -1):
        before = result[index]
        if before.kind == "table":
            near = draft.page - before.lines[-1].page <= (1 if across_pages else 0)
            return index if near and _same_columns(before, draft) else None
        if before.kind != "footnote":
            return None
    return None


def _goes_on(before: Draft, draft: Draft, across_pages: bool) -> bool:
    """Say whether the sentence at the end of `before` goes on in `draft`."""
    last, line = before.lines[-1], draft.lines[0]
    if line.page - last.page > (1 if across_pages else 0):
        return False
    if not _look_alike(last, line) or ends_sentence(last.text):
        return False
    below = last.page == line.page and line.v > last.v and _side_by_side(last, line)
    if below and (before.part == draft.part or line.v - last.v > _CLOSE * line.size):
        return False
    broken = last.text[-1] in HYPHENS and len(last.text) > 1 and last.text[-2].isalpha()
    opening = _OPENING.match(line.text)
    if broken or (opening is not None and opening[0][-1].islower()):
        return True
    return _is_full(before, last) and (below or _is_flush(draft, line))


def _look_alike(last: TextLine, line: TextLine) -> bool:
    """Say whether two lines are set in one direction, size and weight of a running text."""
    if last.angle != line.angle or abs(last.size - line.size) > 0.06 * last.size:
        return False
    return last.bold == line.bold and not last.mono and not line.mono


def _side_by_side(last: TextLine, line: TextLine) -> bool:
    """Say whether two lines share most of their place along the text."""
    shared = min(last.u1, line.u1) - max(last.u0, line.u0)
    return shared > 0.5 * min(last.u1 - last.u0, line.u1 - line.u0)


def _is_full(draft: Draft, line: TextLine) -> bool:
    """Say whether `line` reaches the end of its column, so that the text may go on."""
    rows = sum(each.page == line.page for each in draft.lines)
    return rows >= 2 and draft.column[1] - line.u1 < 1.5 * line.size


def _is_flush(draft: Draft, line: TextLine) -> bool:
    """Say whether a block opens without an indent and with a letter or digit of running text."""
    flush = line.u0 - draft.column[0] < 0.6 * line.size
    opens = line.text[0].isalnum() or line.text[0] in "(“‘\"'[" or is_spaceless(line.text[0])
    return flush and opens and len(draft.lines) >= 2


def _same_columns(before: Draft, draft: Draft) -> bool:
    """Say whether two tables have the same columns."""
    if len(before.gutters) != len(draft.gutters) or before.is_turned != draft.is_turned:
        return False
    near = [
        abs(a[0] - b[0]) <= _SAME_SIDE
        or abs(a[1] - b[1]) <= _SAME_SIDE
        or abs(sum(a) - sum(b)) <= 2 * _SAME_COLUMN
        for a, b in zip(before.gutters, draft.gutters, strict=True)
    ]
    return sum(near) >= 0.7 * len(near)
