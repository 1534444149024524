# SPDX-License-Identifier: AGPL-3.0-or-later
"""Levels of headings: by the outline of the file, by their numbers, by the order of their sizes."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from core.document.blocks import NUMBERED, Draft
from core.document.model import OutlineItem

_DEEPEST = 6
_NOT_WORD = re.compile(r"[\W_]+")

Style = tuple[float, bool, bool]  # size in half points, bold, capitals


def set_levels(drafts: Sequence[Draft], outline: Sequence[OutlineItem]) -> None:
    """Set the levels of the headings among `drafts`; those of tags stay.

    A heading that the outline names has its level there. A numbered one ("2.1 Scope") is as deep
    as its number. The others follow headings of their style, or else the order of the styles.
    """
    headings = [draft for draft in drafts if draft.kind == "heading" and draft.source != "tags"]
    listed = _outline_levels(outline)
    known: dict[Style, Counter[int]] = defaultdict(Counter)
    open_ones: list[Draft] = []
    for draft in headings:
        level = listed.get((draft.page, _key(draft.text))) or _number_depth(draft.text)
        if level:
            draft.level = min(_DEEPEST, level)
            known[_style(draft)][draft.level] += 1
        else:
            open_ones.append(draft)
    ranks = _ranks(headings, known)
    for draft in open_ones:
        draft.level = ranks[_style(draft)]


def confirm_headings(drafts: Sequence[Draft], outline: Sequence[OutlineItem]) -> None:
    """Make headings of the short blocks whose whole text is an entry of the outline."""
    listed = _outline_levels(outline)
    for draft in drafts:
        if draft.kind in {"paragraph", "list_item"} and len(draft.lines) <= 4:
            level = listed.get((draft.page, _key(draft.text)))
            if level:
                draft.kind, draft.level = "heading", min(_DEEPEST, level)


def _outline_levels(outline: Sequence[OutlineItem]) -> dict[tuple[int, str], int]:
    return {
        (item.page, _key(item.title)): item.level
        for item in outline
        if item.page is not None and len(item.title) <= 200 and _key(item.title)
    }


def _key(text: str) -> str:
    """Return what is compared of a title: its letters and digits, without its number."""
    numbered = NUMBERED.match(text)
    return _NOT_WORD.sub("", text[numbered.end() :] if numbered else text).casefold()


def _number_depth(text: str) -> int:
    """Return how many parts the number of a heading has; 0 without a number."""
    numbered = NUMBERED.match(text)
    if not numbered or not (numbered[1][0].isdigit() or "." in text[: numbered.end()]):
        return 0
    return numbered[1].count(".") + 1


def _style(draft: Draft) -> Style:
    first = draft.lines[0]
    return round(first.size * 2) / 2, first.bold, draft.text.isupper()


def _ranks(headings: Sequence[Draft], known: dict[Style, Counter[int]]) -> dict[Style, int]:
    """Return a level for each style, larger and heavier styles first."""
    styles = sorted({_style(draft) for draft in headings}, reverse=True)
    ranks: dict[Style, int] = {}
    level = 0
    for style in styles:
        if style in known:
            level = known[style].most_common(1)[0][0]
        else:
            larger = [ranks[each] for each in ranks if each[0] > style[0] + 0.4]
            level = max(level, 1 + max(larger, default=0)) if larger else max(1, level)
        level = min(level, _DEEPEST)
        ranks[style] = level
    return ranks
