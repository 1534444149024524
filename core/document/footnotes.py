# SPDX-License-Identifier: AGPL-3.0-or-later
"""Footnotes: small blocks at the foot of a column that open with a mark."""

import re
from collections.abc import Sequence

from core.document.blocks import Draft, Fonts

MARK = re.compile(r"^(?:[\d¹²³⁴-⁹⁰]{1,3}|[*†‡§¶∗]{1,3}|[a-z](?=\s))\s?(?=[^\s\d.)])")
_FOOT = 0.4  # the part of the page, from its top, above which no footnote begins


def find_footnotes(drafts: Sequence[Draft], fonts: Fonts, height: float) -> list[Draft]:
    """Mark the footnotes among the blocks of one page, and return the blocks with them last.

    A footnote is set smaller than the body, opens with a mark, and has nothing but footnotes
    below it in its column.
    """
    notes: list[Draft] = []
    kept: list[Draft] = []
    for index, draft in enumerate(drafts):
        if _is_note(draft, fonts, height) or _goes_on(draft, drafts[index - 1] if index else None):
            draft.kind, draft.level = "footnote", 0
            notes.append(draft)
        else:
            kept.append(draft)
    return [*kept, *notes]


def _is_note(draft: Draft, fonts: Fonts, height: float) -> bool:
    if draft.kind not in {"paragraph", "list_item"} or not draft.lines or draft.lines[0].angle:
        return False
    line = draft.lines[0]
    size = max(each.size for each in draft.lines)
    small = size <= 0.93 * fonts.size
    return small and line.v > _FOOT * height and bool(MARK.match(line.text))


def _goes_on(draft: Draft, before: Draft | None) -> bool:
    """Say whether a small paragraph without a mark goes on with the footnote above it."""
    if before is None or before.kind != "footnote" or draft.kind not in {"paragraph", "list_item"}:
        return False
    last, line = before.lines[-1], draft.lines[0] if draft.lines else None
    return (
        line is not None
        and abs(line.size - last.size) < 0.6
        and 0 < line.v - last.v < 2.2 * line.size
        and line.angle == last.angle
    )
