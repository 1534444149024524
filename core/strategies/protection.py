# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which parts of a page stay whole: tables, figures, footnotes and lists (decision 31)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.arrays import Offsets, Spans, as_spans
from core.document.model import Block, Document

Protect = Literal["off", "tables", "blocks"]


@dataclass(frozen=True, slots=True, eq=False)
class ProtectedParts:
    """Spans that are not cut while they fit, int64 (p, 2), ascending and disjoint.

    openings: for each, where it may be cut when it is larger than a chunk, int64, ascending: the
        starts of a table's rows or of a list's items. Nothing: anywhere.
    """

    spans: Spans
    openings: tuple[Offsets, ...]


def protected_parts(document: Document, what: Protect) -> ProtectedParts:
    """Find what `what` protects.

    tables: each table. blocks: also figures, footnotes and lists; a caption beside a table or
    figure belongs to it, list items that follow each other are one list.
    """
    parts: list[list[Block]] = []
    for block in sorted(document.blocks, key=lambda block: block.start):
        if _belongs(block, what):
            if parts and what == "blocks" and _continues(parts[-1][-1], block, document.text):
                parts[-1].append(block)
            elif not parts or block.start >= parts[-1][-1].end:
                parts.append([block])
    whole = [part for part in parts if any(block.kind != "caption" for block in part)]
    spans = as_spans([(part[0].start, part[-1].end) for part in whole])
    return ProtectedParts(spans, tuple(_openings(part) for part in whole))


def _belongs(block: Block, what: Protect) -> bool:
    if what == "tables":
        return block.kind == "table"
    return block.kind in ("table", "figure", "caption", "footnote", "list_item")


def _continues(before: Block, block: Block, text: str) -> bool:
    """True if the two stand side by side and belong together."""
    if before.end > block.start or text[before.end : block.start].strip():
        return False
    kinds = {before.kind, block.kind}
    return kinds == {"list_item"} or ("caption" in kinds and bool(kinds & {"table", "figure"}))


def _openings(part: list[Block]) -> Offsets:
    rows = [start for block in part for start, _ in block.rows]
    starts = [block.start for block in part]
    inner = {*rows, *starts} - {part[0].start}
    return np.array(sorted(inner), dtype=np.int64)
