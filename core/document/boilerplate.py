# SPDX-License-Identifier: AGPL-3.0-or-later
"""Running headers, footers, page numbers and margin stamps: what repeats at the edges of pages.

A line is boilerplate when it stands at the page's edge with only boilerplate between it and the
edge, and repeats there on other pages (digits masked, so left and right pages are alike), or is
nothing but a page number, or holds a page number where other pages have boilerplate. What repeats
inside the body, such as a table heading, is not.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.document.lines import Fragments
from core.document.model import BlockKind

_NUMBER = re.compile(
    r"^\W{0,3}(?:page|seite|p\.|pg\.|s\.|página|pagina)?\s*"
    r"(?:\d{1,4}|[ivxlc]{1,7}|[a-z]-?\d{1,4})(?:\s*(?:of|von|de|/|sur|di)\s*\d{1,4})?\W{0,3}$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"\b[ivxl]{1,7}\b")
_ZONE = 0.14  # of the page's height, at the top and at the bottom
_SAME_PLACE = 9.0  # points
_WIDE = 2.0  # ems between the pieces of a running line
_FEWEST = 3  # pages on which a running line stands; 2 in a document of two pages


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line near an edge of a page, in the frame of its angle; `place` is its baseline v."""

    page: int
    angle: int
    is_top: bool
    place: float
    size: float
    fragments: tuple[int, ...]
    pieces: tuple[str, ...]  # what stands between wide gaps

    @property
    def text(self) -> str:
        """The pieces joined."""
        return " ".join(self.pieces)


def is_page_number(text: str) -> bool:
    """Say whether `text` is only a page number."""
    return bool(_NUMBER.match(text))


def mask(text: str) -> str:
    """Return `text` with its numbers masked, so that running lines of all pages are equal."""
    return _ROMAN.sub("#", _DIGITS.sub("#", text.lower())).replace(" ", "")


def find_edge_lines(page: int, fragments: Fragments, size: tuple[float, float]) -> list[EdgeLine]:
    """Return the lines near the edges of a page, each edge from outside inwards.

    Args:
        page: its index.
        fragments: of the page.
        size: width and height, points.
    """
    found: list[EdgeLine] = []
    if not len(fragments):
        return found
    for angle in np.unique(fragments.angle).tolist():
        members = np.flatnonzero(fragments.angle == angle)
        dx, dy = float(fragments.dx[members[0]]), float(fragments.dy[members[0]])
        corners = [y * dx - x * dy for x in (0.0, size[0]) for y in (0.0, size[1])]
        low, high = min(corners), max(corners)
        v = fragments.v[members]
        zone = _ZONE * (high - low)
        for is_top, inside, sign in ((True, v < low + zone, 1), (False, v > high - zone, -1)):
            near = members[inside]
            order = near[np.argsort(sign * fragments.v[near], kind="stable")]
            found += _lines(page, angle, is_top, fragments, order.tolist())
    return found


def _lines(
    page: int, angle: int, is_top: bool, fragments: Fragments, order: Sequence[int]
) -> list[EdgeLine]:
    """Group fragments on one baseline."""
    groups: list[list[int]] = []
    for index in order:
        size = float(fragments.size[index])
        near = groups and abs(float(fragments.v[index] - fragments.v[groups[-1][0]])) < 0.35 * size
        if near:
            groups[-1].append(index)
        else:
            groups.append([index])
    return [_edge_line(page, angle, is_top, fragments, group) for group in groups]


def _edge_line(
    page: int, angle: int, is_top: bool, fragments: Fragments, group: list[int]
) -> EdgeLine:
    group.sort(key=lambda i: float(fragments.u0[i]))
    first = group[0]
    size = float(fragments.size[first])
    pieces = [fragments.text[first]]
    for before, index in zip(group, group[1:], strict=False):
        gap = float(fragments.u0[index] - fragments.u1[before])
        if gap > _WIDE * size:
            pieces.append(fragments.text[index])
        else:
            pieces[-1] += (" " if gap > 0.15 * size else "") + fragments.text[index]
    return EdgeLine(
        page, angle, is_top, float(fragments.v[first]), size, tuple(group), tuple(pieces)
    )


def find_boilerplate(
    pages: Sequence[Sequence[EdgeLine]], *, repeated: bool
) -> list[list[tuple[EdgeLine, BlockKind]]]:
    """Find the boilerplate among the edge lines of each page.

    Args:
        pages: the edge lines of each page, from the edges inwards.
        repeated: whether all pages are there, so that repetition can be seen.

    Returns:
        For each page its boilerplate lines and their kinds.
    """
    places = _repeated_places(pages) if repeated else {}
    baselines = _baselines(pages, places)
    return [_of_page(lines, places, baselines) for lines in pages]


Key = tuple[int, bool, str]
Places = Mapping[Key, list[tuple[float, float]]]


def _key(line: EdgeLine, text: str) -> Key:
    return line.angle, line.is_top, mask(text)


def _repeated_places(pages: Sequence[Sequence[EdgeLine]]) -> Places:
    """Return for each masked text and piece the stretches of v where enough pages have it."""
    seen: dict[Key, list[tuple[float, int]]] = defaultdict(list)
    for lines in pages:
        for line in lines:
            for text in {line.text, *line.pieces}:
                seen[_key(line, text)].append((line.place, line.page))
    least = min(_FEWEST, max(2, len(pages)))
    return {
        key: crowded
        for key, spots in seen.items()
        if len(spots) >= least and key[2].strip("#.") and (crowded := _crowded(spots, least))
    }


def _crowded(spots: list[tuple[float, int]], least: int) -> list[tuple[float, float]]:
    """Return the stretches of v that hold `least` pages, each spot within reach of the next."""
    spots.sort()
    stretches: list[tuple[float, float]] = []
    start = 0
    for index in range(1, len(spots) + 1):
        if index < len(spots) and spots[index][0] - spots[index - 1][0] <= _SAME_PLACE:
            continue
        group = spots[start:index]
        if len({page for _, page in group}) >= least:
            stretches.append((group[0][0] - 1, group[-1][0] + 1))
        start = index
    return stretches


def _repeats(line: EdgeLine, places: Places) -> bool:
    """Say whether the line, or most of its pieces, stands here on other pages too."""
    known = [text for text in line.pieces if is_page_number(text) or _stands(line, text, places)]
    if _stands(line, line.text, places):
        return True
    repeated = [text for text in known if not is_page_number(text)]
    return bool(repeated) and sum(map(len, known)) >= 0.3 * len(line.text)


def _stands(line: EdgeLine, text: str, places: Places) -> bool:
    stretches = places.get(_key(line, text), ())
    return any(low <= line.place <= high for low, high in stretches)


def _baselines(
    pages: Sequence[Sequence[EdgeLine]], places: Places
) -> Mapping[tuple[int, bool], set[int]]:
    """Return the baselines, in whole points, where at least three pages have running lines."""
    counts: dict[tuple[int, bool, int], set[int]] = defaultdict(set)
    for lines in pages:
        for line in lines:
            if _repeats(line, places):
                counts[line.angle, line.is_top, round(line.place)].add(line.page)
    result: dict[tuple[int, bool], set[int]] = defaultdict(set)
    for (angle, is_top, place), holders in counts.items():
        if len(holders) >= _FEWEST:
            result[angle, is_top] |= {place - 1, place, place + 1}
    return result


def _of_page(
    lines: Sequence[EdgeLine],
    places: Places,
    baselines: Mapping[tuple[int, bool], set[int]],
) -> list[tuple[EdgeLine, BlockKind]]:
    """Return the boilerplate of a page: from each edge inwards as far as it goes."""
    found: list[tuple[EdgeLine, BlockKind]] = []
    reached: dict[tuple[int, bool], float | None] = {}
    closed: set[tuple[int, bool]] = set()
    for line in lines:
        edge = line.angle, line.is_top
        if edge in closed:
            continue
        kind = _kind(line, places, baselines)
        last = reached.get(edge)
        if kind is not None:
            found.append((line, kind))
            reached[edge] = line.place
        elif last is None or abs(line.place - last) > 0.5 * line.size:
            closed.add(edge)
    return found


def _kind(
    line: EdgeLine, places: Places, baselines: Mapping[tuple[int, bool], set[int]]
) -> BlockKind | None:
    numbers = [is_page_number(text) for text in line.pieces]
    if all(numbers) and line.angle == 0:
        return "page_number"
    beside = any(numbers) and round(line.place) in baselines.get((line.angle, line.is_top), ())
    if not beside and not _repeats(line, places):
        return None
    return "header" if line.is_top and line.angle == 0 else "footer"
