# SPDX-License-Identifier: AGPL-3.0-or-later
"""Better kinds and levels of blocks, from the boxes of the layout model. Text and order stay."""

from collections.abc import Sequence
from dataclasses import replace

from core.document.model import Block, BlockKind, Document
from core.document.raw import LayoutBox, RawPage

# Class names of the layout model, and what they may change. Marks in the text speak louder than
# the model: a page number, a caption's label, a note's mark and the rows of a table stay.
_KINDS: dict[str, BlockKind] = {
    "text": "paragraph",
    "paragraph": "paragraph",
    "title": "heading",
    "section-header": "heading",
    "list-item": "list_item",
    "caption": "caption",
    "picture": "figure",
    "figure": "figure",
    "formula": "formula",
    "footnote": "footnote",
    "page-header": "header",
    "page-footer": "footer",
}
_CHANGEABLE = frozenset({"paragraph", "heading", "formula", "list_item", "figure"})
_COVERED = 0.6  # of a block's area, so that a box of the model speaks for it


def upgraded_blocks(document: Document, pages: Sequence[RawPage]) -> tuple[Block, ...]:
    """Return the blocks of `document` with the kinds of the layout boxes of `pages`."""
    regions = {page.index: page.layout for page in pages if page.layout}
    return tuple([_upgraded(block, regions) for block in document.blocks])


def _upgraded(block: Block, regions: dict[int, tuple[LayoutBox, ...]]) -> Block:
    found = [
        match for box in block.boxes if (match := _covering(box, regions.get(int(box[0]), ())))
    ]
    if not found or block.source in {"tags", "user"}:
        return block
    best = max(found, key=lambda region: region.confidence)
    kind = _KINDS.get(best.kind.lower())
    if kind is None or not _may_become(block, kind):
        return block
    level = 0
    if kind == "heading":
        level = 1 if best.kind.lower() == "title" else max(1, block.level)
    elif kind == "list_item":
        level = max(1, block.level)
    return replace(block, kind=kind, level=level, source="model", confidence=best.confidence)


def _may_become(block: Block, kind: BlockKind) -> bool:
    """Say whether the model's kind may replace what marks in the text have shown."""
    if kind == block.kind:
        return True
    if block.kind == "list_item":
        return kind != "paragraph"
    return block.kind in _CHANGEABLE


def _covering(
    box: tuple[int, float, float, float, float], regions: Sequence[LayoutBox]
) -> LayoutBox | None:
    """Return the smallest region that covers most of `box`."""
    _, x0, y0, x1, y1 = box
    area = max((x1 - x0) * (y1 - y0), 1e-6)
    covering = []
    for region in regions:
        width = min(x1, region.x1) - max(x0, region.x0)
        height = min(y1, region.y1) - max(y0, region.y0)
        if width > 0 and height > 0 and width * height >= _COVERED * area:
            covering.append(region)
    return min(
        covering, key=lambda region: (region.x1 - region.x0) * (region.y1 - region.y0), default=None
    )
