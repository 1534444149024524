# SPDX-License-Identifier: AGPL-3.0-or-later
"""Footnotes: small blocks at the foot of a column that open with a mark."""

import re
from collections.abc import Sequence

from core.document.blocks import Draft, Fonts

MARK = re.compile(r"^(?:[\d¹²³⁴-⁹⁰]{1,3}|[*†‡§¶∗]{1,3}|[a-z](?=\s))\s?(?=[^\s\d.)])")
_RAISED = re.compile(r"[¹²³⁰⁴-⁹]+")
_RAISE = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_FOOT = 0.4  # the part of the page, from its top, above which no footnote begins


def find_footnotes(drafts: Sequence[Draft], fonts: Fonts, height: float) -> list[Draft]:
    """Mark the footnotes among the blocks of one page, and return the blocks with them last.

    A footnote stands in the lower part of the page and opens with a mark. It is set smaller than
    the body, or its mark stands raised in the text above it.
    """
    raised = {
        number
        for draft in drafts
        for line in draft.lines
        if not line.text.isascii()
        for number in _RAISED.findall(line.text)
    }
    notes: list[Draft] = []
    kept: list[Draft] = []
    for index, draft in enumerate(drafts):
        before = drafts[index - 1] if index else None
        if _is_note(draft, fonts, height, raised) or _goes_on(draft, before):
            draft.kind, draft.level = "footnote", 0
            notes.append(draft)
        else:
            kept.append(draft)
    return [*kept, *notes]


def _is_note(draft: Draft, fonts: Fonts, height: float, raised: set[str]) -> bool:
    if draft.kind not in {"paragraph", "list_item"} or not draft.lines or draft.is_turned:
        return False
    line = draft.lines[0]
    if draft.lines[-1].is_entry:
        return False
    mark = MARK.match(line.text)
    if not mark or line.v < _FOOT * height:
        return False
    if max(each.size for each in draft.lines) <= 0.93 * fonts.size:
        return True
    return mark[0].strip().isdigit() and mark[0].strip().translate(_RAISE) in raised


def _goes_on(draft: Draft, before: Draft | None) -> bool:
    """Say whether a small paragraph without a mark goes on with the footnote above it."""
    if before is None or before.kind != "footnote" or draft.kind not in {"paragraph", "list_item"}:
        return False
    if not draft.lines or draft.is_turned != before.is_turned:
        return False
    last, line = before.lines[-1], draft.lines[0]
    near = 0 < line.v - last.v < 2.2 * line.size
    return near and abs(line.size - last.size) < 0.6 and not MARK.match(line.text)
