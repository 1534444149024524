# SPDX-License-Identifier: AGPL-3.0-or-later
"""Running headers, footers and page numbers: what repeats at the edges of the pages.

A line is boilerplate when it stands at the page's edge with only boilerplate between it and the
edge, and either repeats there on other pages (digits masked, left and right pages apart) or is
nothing but a page number. What repeats inside the body, such as a table heading, is not.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.document.blocks import TextLine
from core.document.model import BlockKind

_NUMBER = re.compile(
    r"^\W{0,3}(?:page|seite|p\.|pg\.|s\.|página|pagina)?\s*"
    r"(?:\d{1,4}|[ivxlc]{1,7}|[a-z]?-?\d{1,4})(?:\s*(?:of|von|de|/|sur|di)\s*\d{1,4})?\W{0,3}$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"\b[ivxl]{1,7}\b")
_ZONE = 0.14  # of the page's height, at the top and at the bottom
_SAME_PLACE = 9.0  # points


def is_page_number(text: str) -> bool:
    """Say whether `text` is only a page number."""
    return bool(_NUMBER.match(text))


def find_boilerplate(
    pages: Sequence[Sequence[TextLine]], heights: Sequence[float], *, repeated: bool
) -> dict[int, BlockKind]:
    """Find the boilerplate among the upright lines of the pages.

    Args:
        pages: the lines of each page that are not in a table.
        heights: of the pages, points.
        repeated: whether all pages are there, so that repetition can be seen.

    Returns:
        The kind of each boilerplate line by the `id` of its value.
    """
    zones = [_zones(lines, height) for lines, height in zip(pages, heights, strict=True)]
    places = _repeated_places(zones) if repeated else {}
    found: dict[int, BlockKind] = {}
    for top, bottom in zones:
        for lines, kind in ((top, "header"), (bottom, "footer")):
            _take_edge(lines, "header" if kind == "header" else "footer", places, found)
    return found


def find_stamps(pages: Sequence[Sequence[TextLine]]) -> set[int]:
    """Return the `id`s of turned lines that stand at one place of many pages, as in a margin."""
    seen: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for lines in pages:
        for line in lines:
            seen[mask(line.text)].append((line.v, line.page))
    least = max(3, len(pages) // 10)
    places = {
        text: _crowded(sorted(spots), least) for text, spots in seen.items() if len(spots) >= least
    }
    return {
        id(line)
        for lines in pages
        for line in lines
        if _stands_at(line, places.get(mask(line.text), []))
    }


def _stands_at(line: TextLine, spots: Sequence[float]) -> bool:
    """Say whether a line lies in one of the stretches, given as pairs of baselines."""
    return any(spots[i] - 1 <= line.v <= spots[i + 1] + 1 for i in range(0, len(spots), 2))


def mask(text: str) -> str:
    """Return `text` with its numbers masked, so that running lines of all pages are equal."""
    return _ROMAN.sub("#", _DIGITS.sub("#", text.lower())).replace(" ", "")


def _zones(lines: Sequence[TextLine], height: float) -> tuple[list[TextLine], list[TextLine]]:
    """Return the lines near the top and near the bottom, each from the edge inwards."""
    top = sorted((each for each in lines if each.v < _ZONE * height), key=lambda each: each.v)
    bottom = sorted(
        (each for each in lines if each.v > (1 - _ZONE) * height), key=lambda each: -each.v
    )
    return top, bottom


def _repeated_places(
    zones: Sequence[tuple[list[TextLine], list[TextLine]]],
) -> Mapping[str, list[float]]:
    """Return for each masked text the baselines where it stands on at least three pages."""
    seen: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for top, bottom in zones:
        for line in (*top, *bottom):
            seen[mask(line.text)].append((line.v, line.page))
    least = 3 if len(zones) > 2 else 2
    places: dict[str, list[float]] = {}
    for text, spots in seen.items():
        if len(spots) < least or not text:
            continue
        spots.sort()
        places[text] = _crowded(spots, least)
    return places


def _crowded(spots: list[tuple[float, int]], least: int) -> list[float]:
    """Return the baselines with `least` pages within reach; `spots` is sorted."""
    kept: list[float] = []
    start = 0
    for index in range(1, len(spots) + 1):
        if index < len(spots) and spots[index][0] - spots[index - 1][0] <= _SAME_PLACE:
            continue
        group = spots[start:index]
        if len({page for _, page in group}) >= least:
            kept += [group[0][0], group[-1][0]]
        start = index
    return kept


def _take_edge(
    lines: list[TextLine],
    kind: BlockKind,
    places: Mapping[str, list[float]],
    found: dict[int, BlockKind],
) -> None:
    """Mark lines from the edge inwards as long as they are boilerplate."""
    reached = None
    for line in lines:
        number = is_page_number(line.text)
        again = _stands_at(line, places.get(mask(line.text), []))
        if number or again:
            found[id(line)] = "page_number" if number else kind
            reached = line.v
        elif reached is None or abs(line.v - reached) > 0.5 * line.size:
            return
