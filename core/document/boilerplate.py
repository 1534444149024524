# SPDX-License-Identifier: AGPL-3.0-or-later
"""Running headers, footers, page numbers and margin stamps: what repeats at the edges of pages.

A line is boilerplate when it stands at the page's edge with only boilerplate between it and the
edge, and repeats there on other pages (digits masked, so left and right pages are alike), or is
nothing but a page number, or stands beside a number that counts with the pages. What repeats
inside the body, such as a table heading, is not.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from core.document.lines import Fragments
from core.document.model import BlockKind

_NUMBER = re.compile(
    r"^[-–—.·|•~\s]{0,3}(?:page|seite|p\.|pg\.|s\.|página|pagina)?\s*"
    r"(?:\d{1,4}|[ivxlc]{1,7}|[a-z]-?\d{1,4})(?:\s*(?:of|von|de|/|sur|di)\s*\d{1,4})?[-–—.·|•~\s]{0,3}$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"\b[ivxl]{1,7}\b")
_ZONE = 0.14  # of the page's height, at the top and at the bottom
_SAME_PLACE = 9.0  # points
_WIDE = 2.0  # ems between the pieces of a line
_FEWEST = 3  # pages on which a running line stands; 2 in a document of two pages
_MOST_PIECES = 3  # in a line whose title most pages have
_MOST_PAGES = 0.4  # of the document: left and right pages may differ
_EVERYWHERE = "\0"  # added to a masked text: the places where most pages have it
_FEW_PAGES = 6  # in a document where two page numbers that count with the pages are enough
_WIDEST_BESIDE = 0.6  # of the page: a wider piece beside a page number is text
ALL = slice(None)


@dataclass(frozen=True, slots=True, eq=False)
class EdgePiece:
    """A piece of a line near an edge of a page, in the frame of its angle.

    `v` is its baseline; it runs from `u0` to `u1`. Wide gaps divide a line into pieces. `key` is
    what it shares with the running lines of other pages.
    """

    page: int
    angle: int
    is_top: bool
    v: float
    u0: float
    u1: float
    is_wide: bool
    fragments: tuple[int, ...]
    text: str
    key: "Key"


Edge = tuple[int, bool]  # angle, is it the top
Key = tuple[int, bool, str]  # angle, is it the top, masked text
Places = Mapping[Key, list[tuple[float, float]]]
Counting = set[tuple[int, bool, int, int]]  # edge, baseline, number less page


def is_page_number(text: str) -> bool:
    """Say whether `text` is only a page number."""
    return bool(_NUMBER.match(text))


def mask(text: str) -> str:
    """Return `text` with its numbers masked, so that running lines of all pages are equal."""
    return _ROMAN.sub("#", _DIGITS.sub("#", text.lower())).replace(" ", "")


def find_edge_pieces(page: int, fragments: Fragments, size: tuple[float, float]) -> list[EdgePiece]:
    """Return the pieces of lines near the edges of a page, each edge from outside inwards.

    Args:
        page: its index.
        fragments: of the page.
        size: width and height, points.
    """
    found: list[EdgePiece] = []
    if not len(fragments):
        return found
    for angle in np.unique(fragments.angle).tolist():
        members = np.flatnonzero(fragments.angle == angle)
        dx, dy = float(fragments.dx[members[0]]), float(fragments.dy[members[0]])
        corners = [y * dx - x * dy for x in (0.0, size[0]) for y in (0.0, size[1])]
        low, high = min(corners), max(corners)
        width = size[0] if abs(dx) > abs(dy) else size[1]
        v = fragments.v[members]
        zone = _ZONE * (high - low)
        for is_top, inside, sign in ((True, v < low + zone, 1), (False, v > high - zone, -1)):
            near = members[inside]
            order = near[np.lexsort((fragments.u0[near], sign * fragments.v[near]))]
            for place, group in _pieces(fragments, order.tolist()):
                u0, u1 = float(fragments.u0[group[0]]), float(fragments.u1[group[-1]])
                text = " ".join([fragments.text[index] for index in group])
                found.append(
                    EdgePiece(
                        page=page,
                        angle=angle,
                        is_top=is_top,
                        v=place,
                        u0=u0,
                        u1=u1,
                        is_wide=u1 - u0 > _WIDEST_BESIDE * width,
                        fragments=tuple(group),
                        text=text,
                        key=(angle, is_top, mask(text)),
                    )
                )
    return found


def _pieces(fragments: Fragments, order: Sequence[int]) -> list[tuple[float, list[int]]]:
    """Group fragments on one baseline that no wide gap parts; `order` is from the edge inwards.

    Returns:
        The baseline of the line and the fragments of each piece.
    """
    lines: list[list[int]] = []
    for index in order:
        size = float(fragments.size[index])
        if lines and abs(float(fragments.v[index] - fragments.v[lines[-1][0]])) < 0.35 * size:
            lines[-1].append(index)
        else:
            lines.append([index])
    pieces: list[tuple[float, list[int]]] = []
    for line in lines:
        place = float(fragments.v[line[0]])
        line.sort(key=lambda i: float(fragments.u0[i]))
        pieces.append((place, [line[0]]))
        for before, index in pairwise(line):
            gap = float(fragments.u0[index] - fragments.u1[before])
            if gap > _WIDE * float(fragments.size[index]):
                pieces.append((place, [index]))
            else:
                pieces[-1][1].append(index)
    return pieces


def find_boilerplate(
    pages: Sequence[Sequence[EdgePiece]], *, repeated: bool, asked: slice = ALL
) -> list[list[tuple[EdgePiece, BlockKind]]]:
    """Find the boilerplate among the edge pieces of each page.

    Args:
        pages: the edge pieces of each page, from the edges inwards.
        repeated: whether all pages are there, so that repetition can be seen.
        asked: the pages whose boilerplate is wanted; the others only show what repeats.

    Returns:
        For each page that is asked for its boilerplate pieces and their kinds.
    """
    places = _repeated_places(pages) if repeated else {}
    counting = _counting(pages) if repeated else set()
    return [_of_page(pieces, places, counting) for pieces in pages[asked]]


def _repeated_places(pages: Sequence[Sequence[EdgePiece]]) -> Places:
    """Return for each masked text the stretches of v where enough pages have it."""
    seen: dict[Key, list[tuple[float, int]]] = defaultdict(list)
    for pieces in pages:
        for piece in pieces:
            seen[piece.key].append((piece.v, piece.page))
    least = min(_FEWEST, max(2, len(pages)))
    most = max(least, int(_MOST_PAGES * len(pages)))
    places: dict[Key, list[tuple[float, float]]] = {}
    for key, spots in seen.items():
        if len(spots) >= least and key[2].strip("#."):
            places[key] = _crowded(spots, least)
            places[*key[:2], key[2] + _EVERYWHERE] = _crowded(spots, most)
    return places


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


def _repeats(piece: EdgePiece, places: Places) -> bool:
    """Say whether the piece stands here on other pages too."""
    return any(low <= piece.v <= high for low, high in places.get(piece.key, ()))


def _is_everywhere(piece: EdgePiece, places: Places) -> bool:
    """Say whether most pages, or most left or right pages, have the piece here."""
    key = (*piece.key[:2], piece.key[2] + _EVERYWHERE)
    return any(low <= piece.v <= high for low, high in places.get(key, ()))


def _counting(pages: Sequence[Sequence[EdgePiece]]) -> Counting:
    """Return where numbers count with the pages: edge, baseline in points, number less page."""
    holders: dict[tuple[int, bool, int, int], set[int]] = defaultdict(set)
    for pieces in pages:
        for piece in pieces:
            if piece.text.isdecimal():
                offset = int(piece.text) - piece.page
                holders[piece.angle, piece.is_top, round(piece.v), offset].add(piece.page)
    least = _FEWEST if len(pages) > _FEW_PAGES else 2
    return {
        (angle, is_top, place + near, offset)
        for (angle, is_top, place, offset), found in holders.items()
        if len(found) >= least
        for near in (-1, 0, 1)
    }


def _counts(piece: EdgePiece, counting: Counting) -> bool:
    """Say whether the piece is a number that counts with the pages."""
    if not piece.text.isdecimal():
        return False
    place = round(piece.v), int(piece.text) - piece.page
    return (piece.angle, piece.is_top, *place) in counting


def _of_page(
    pieces: Sequence[EdgePiece], places: Places, counting: Counting
) -> list[tuple[EdgePiece, BlockKind]]:
    """Return the boilerplate of a page: what text of the body does not part from the edge."""
    found: list[tuple[EdgePiece, BlockKind]] = []
    body: dict[Edge, list[EdgePiece]] = defaultdict(list)
    for (angle, is_top, _), group in groupby(pieces, key=lambda p: (p.angle, p.is_top, p.v)):
        line = list(group)
        before = body[angle, is_top]
        chosen = [
            piece
            for piece in _running_pieces(line, places, counting, is_first=not before)
            if not any(piece.u0 < each.u1 and each.u0 < piece.u1 for each in before)
        ]
        found += [(piece, _kind(piece)) for piece in chosen]
        before += [piece for piece in line if piece not in chosen]
    return found


def _running_pieces(
    line: Sequence[EdgePiece], places: Places, counting: Counting, *, is_first: bool
) -> Sequence[EdgePiece]:
    """Return the pieces of one line that are boilerplate.

    As a rule the whole line is or is not: in a row of a table some cells repeat. Only a line of
    the body, which is wide, may have a running piece in the margin beside it. `is_first`: no text
    of the body lies further out; then what stands beside the page's number, or beside a title that
    most pages have, is boilerplate too, such as the name of the section.
    """
    own = [piece for piece in line if _repeats(piece, places) or _counts(piece, counting)]
    others = [piece for piece in line if piece not in own and not is_page_number(piece.text)]
    if not others and (own or (is_first and len(line) == 1 and line[0].angle == 0)):
        return line
    if all(piece.is_wide for piece in others):
        return [p for p in own if _counts(p, counting) or len(_LETTER.findall(p.text)) > 2]
    sure = any(_counts(piece, counting) for piece in line) or (
        len(line) <= _MOST_PIECES and any(_is_everywhere(piece, places) for piece in own)
    )
    if is_first and sure and not any(piece.is_wide for piece in others):
        return line
    return ()


def _kind(piece: EdgePiece) -> BlockKind:
    if is_page_number(piece.text) and piece.angle == 0:
        return "page_number"
    return "header" if piece.is_top and piece.angle == 0 else "footer"
