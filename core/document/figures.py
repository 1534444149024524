# SPDX-License-Identifier: AGPL-3.0-or-later
"""Figures: pictures and drawings of a page, with the labels that belong to them.

A figure's area is a picture, or a cluster of drawn shapes that is no table. Text in the area is
part of the figure, and so are small labels beside it. Where an area holds running text, it is a
background and no figure.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.document.blocks import Draft, Fonts, ends_sentence
from core.document.composer import line_box
from core.document.raw import RawPage

_SMALLEST = 30.0  # points, either side of a picture
_LARGEST = 0.75  # of the page's area
_FEWEST_SHAPES = 5  # in a drawing
_MOST_SHAPES = 500  # looked at one by one
_BESIDE = 14.0  # points between a figure and its labels
_MOST_PROSE = 0.3  # of the characters in a figure's area
_LABEL_LENGTH = 70  # characters
_ROUNDS = 3
_FEWEST_ROWS = 6  # of a table without drawn lines

Box = NDArray[np.float64]  # x0, y0, x1, y1


def gather_figures(drafts: list[Draft], page: RawPage, fonts: Fonts) -> list[Draft]:
    """Join the text of each figure of a page into one block, at the place of its first label."""
    if not drafts or not (len(page.images) or len(page.drawings) >= _FEWEST_SHAPES):
        return drafts
    if not _find_areas(page, ()):
        return drafts
    boxes = [_draft_box(draft) for draft in drafts]
    tables = [box for box, draft in zip(boxes, drafts, strict=True) if _is_table(draft)]
    areas = _find_areas(page, tables)
    owner = np.full(len(drafts), -1)
    for number, area in enumerate(areas):
        members = _members(area, drafts, boxes, fonts)
        if members and all(owner[i] < 0 for i in members):
            owner[members] = number
    return _joined(drafts, owner, areas)


def _draft_box(draft: Draft) -> Box:
    sides = np.array([line_box(line) for line in draft.lines])
    return np.concatenate((sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)))


def _is_table(draft: Draft) -> bool:
    """Say whether a table is sure: drawn as one, or with many rows of mostly filled cells."""
    if draft.is_drawn or len(draft.rows) < _FEWEST_ROWS:
        return draft.is_drawn
    filled = [sum(bool(cell) for cell in row) / len(row) for row in draft.rows]
    return len(draft.gutters) >= 2 and float(np.median(filled)) > 0.6


def _find_areas(page: RawPage, tables: Sequence[Box]) -> list[Box]:
    """Return the areas of pictures and drawings, larger first."""
    limit = _LARGEST * page.width * page.height
    areas: list[Box] = []
    images = page.images.astype(np.float64)
    if len(images):
        sides = images[:, 2:] - images[:, :2]
        kept = (sides.min(axis=1) >= _SMALLEST) & (sides.prod(axis=1) < limit)
        areas += list(_clusters(images[kept], 1.0))
    shapes = page.drawings.astype(np.float64)
    if len(shapes) >= _FEWEST_SHAPES:
        sides = shapes[:, 2:] - shapes[:, :2]
        rules = (sides.min(axis=1) < 3) & (sides.max(axis=1) > 0.4 * page.width)
        shapes = shapes[~rules & (sides.prod(axis=1) < limit)][:_MOST_SHAPES]
        areas += [
            box
            for box in _clusters(shapes, 6.0)
            if (box[2:] - box[:2]).min() >= _SMALLEST
            and _narrow_shapes(shapes, box) >= _FEWEST_SHAPES
        ]
    areas = [area for area in areas if not any(_shared(area, table) > 0.4 for table in tables)]
    return sorted(areas, key=lambda area: -float((area[2:] - area[:2]).prod()))


def _narrow_shapes(shapes: Box, area: Box) -> int:
    """Count the shapes of an area that are no bands or rules across it, as tables have."""
    inside = (shapes[:, :2] >= area[:2] - 0.1).all(axis=1)
    inside &= (shapes[:, 2:] <= area[2:] + 0.1).all(axis=1)
    narrow = shapes[:, 2] - shapes[:, 0] < 0.7 * (area[2] - area[0])
    return int((inside & narrow).sum())


def _clusters(boxes: Box, gap: float) -> Box:
    """Join boxes that are within `gap` of each other; return the hulls."""
    while len(boxes) > 1:
        near = (
            (boxes[:, None, 0] <= boxes[None, :, 2] + gap)
            & (boxes[None, :, 0] <= boxes[:, None, 2] + gap)
            & (boxes[:, None, 1] <= boxes[None, :, 3] + gap)
            & (boxes[None, :, 1] <= boxes[:, None, 3] + gap)
        )
        label = np.argmax(near, axis=1)  # the first box that each is near to
        label = label[label]
        unique, group = np.unique(label, return_inverse=True)
        if len(unique) == len(boxes):
            break
        hull = np.empty((len(unique), 4))
        hull[:, :2], hull[:, 2:] = np.inf, -np.inf
        np.minimum.at(hull[:, :2], group, boxes[:, :2])
        np.maximum.at(hull[:, 2:], group, boxes[:, 2:])
        boxes = hull
    return boxes


def _shared(area: Box, other: Box) -> float:
    """Return the share of an area that another box covers."""
    width = min(area[2], other[2]) - max(area[0], other[0])
    height = min(area[3], other[3]) - max(area[1], other[1])
    whole = float((area[2:] - area[:2]).prod())
    return float(max(0.0, width) * max(0.0, height)) / max(whole, 1e-6)


def _members(area: Box, drafts: Sequence[Draft], boxes: Sequence[Box], fonts: Fonts) -> list[int]:
    """Return the blocks of a figure; `area` grows over the labels. Empty: it is no figure."""
    inside = [i for i, box in enumerate(boxes) if _holds(area, box, 2.0)]
    total = sum(len(drafts[i].text) for i in inside)
    prose = sum(len(drafts[i].text) for i in inside if _is_prose(drafts[i]))
    if prose > _MOST_PROSE * total:
        return []
    members = {i for i in inside if drafts[i].kind not in {"caption", "footnote"}}
    for _ in range(_ROUNDS):
        before = len(members)
        for i, box in enumerate(boxes):
            if i not in members and _is_label(drafts[i], fonts) and _is_beside(area, box):
                members.add(i)
        for i in members:
            area[:2] = np.minimum(area[:2], boxes[i][:2])
            area[2:] = np.maximum(area[2:], boxes[i][2:])
        if len(members) == before:
            break
    return sorted(members)


def _holds(area: Box, box: Box, margin: float) -> bool:
    """Say whether the middle of `box` lies in the area."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return bool(
        area[0] - margin <= x <= area[2] + margin and area[1] - margin <= y <= area[3] + margin
    )


def _is_beside(area: Box, box: Box) -> bool:
    """Say whether a box is next to the area: near it on one axis, along it on the other."""
    across = max(area[0] - box[2], box[0] - area[2])
    down = max(area[1] - box[3], box[1] - area[3])
    return bool(max(across, down) <= _BESIDE and min(across, down) < 0)


def _is_prose(draft: Draft) -> bool:
    text = draft.text
    if draft.kind not in {"paragraph", "list_item"} or len(text) < 35 * len(draft.lines):
        return False
    return len(text) > 150 or (len(text) > 80 and ends_sentence(text))


def _is_label(draft: Draft, fonts: Fonts) -> bool:
    if draft.kind in {"caption", "footnote", "table"} or len(draft.text) > _LABEL_LENGTH:
        return False
    small = max(line.size for line in draft.lines) < 0.93 * fonts.size
    return small and not ends_sentence(draft.text)


def _joined(drafts: Sequence[Draft], owner: NDArray[np.int64], areas: Sequence[Box]) -> list[Draft]:
    """Return the blocks with those of each figure made one."""
    result: list[Draft] = []
    figures: dict[int, Draft] = {}
    for draft, number in zip(drafts, owner.tolist(), strict=True):
        if number < 0:
            result.append(draft)
            continue
        rows = [[line for cell in row for line in cell] for row in draft.rows]
        pieces = rows or [draft.lines]
        figure = figures.get(number)
        if figure is None:
            x0, y0, x1, y1 = areas[number].tolist()
            figure = Draft(page=draft.page, lines=[], kind="figure", area=(x0, y0, x1, y1))
            figures[number] = figure
            result.append(figure)
        figure.pieces += [piece for piece in pieces if piece]
        figure.lines += draft.lines
    return result
