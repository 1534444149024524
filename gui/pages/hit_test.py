# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is under the pointer on a page: a cut line, a chunk, a character."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QTransform

from core.document.geometry import offset_at
from core.document.model import Document
from core.strategies.chunks import LEVELS, Chunks
from gui.pages.overlay import CutLines
from gui.pages.painters import Label, mapped


@dataclass(frozen=True, slots=True)
class Under:
    """What is under the pointer. −1 where nothing is."""

    cut: int = -1  # the chunk that begins at it
    chunk: int = -1
    offset: int = -1


def cut_at(cuts: CutLines, transform: QTransform, point: QPointF, grab: float) -> int:
    """The chunk whose cut line passes within `grab` dip of a point of the canvas, or −1."""
    if not len(cuts):
        return -1
    paths = mapped(cuts.paths, transform)
    a, b = paths[:, :-1], paths[:, 1:]
    p = np.array([point.x(), point.y()])
    along = b - a
    length = np.maximum((along**2).sum(axis=2), 1e-9)
    share = np.clip(((p - a) * along).sum(axis=2) / length, 0, 1)
    nearest = np.linalg.norm(a + share[..., None] * along - p, axis=2).min(axis=1)
    best = int(np.argmin(nearest))
    return int(cuts.chunks[best]) if nearest[best] <= grab and not cuts.is_end[best] else -1


def tab_at(labels: list[Label], kind: str, point: QPointF) -> int:
    """The index of the tab or badge of that kind under a point of the canvas, or −1."""
    return next(
        (each.index for each in labels if each.kind == kind and each.box.contains(point)), -1
    )


def character_at(document: Document, page: int, x: float, y: float) -> int:
    """The character at a point of a page (points), or −1."""
    found = offset_at(document, page, x, y)
    return -1 if found is None else found


def chunk_at(chunks: Chunks, offset: int) -> int:
    """The chunk that holds a character: the smallest, among several the last; or −1."""
    if offset < 0 or not len(chunks.spans):
        return -1
    holds = np.flatnonzero((chunks.spans[:, 0] <= offset) & (chunks.spans[:, 1] > offset))
    if not len(holds):
        return -1
    owners = chunks.owners[holds]
    is_parent = chunks.levels[owners] == LEVELS.index("parent")
    inner = owners[~is_parent] if not is_parent.all() else owners
    return int(inner[-1])
