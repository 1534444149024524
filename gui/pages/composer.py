# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is painted over one page, layer by layer, from the state."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QTransform

from core.arrays import Spans, as_spans
from core.document.model import Document
from core.strategies.chunks import Chunks
from gui.heat import heat_colour, heat_values
from gui.pages import painters
from gui.pages.overlay import NO_PIECES, OverlayMaker, PageOverlay, Pieces
from gui.pages.painters import Label
from gui.state import NOTHING, Hit, OpenDocument, Selection, Slot, SlotResult, State
from gui.theme import (
    CUT_WIDTH,
    DASHES,
    HATCH_PITCH_OVERLAP,
    HATCH_PITCH_TAIL,
    LANE,
    Theme,
)

LAYERS = (
    "ignored",
    "tint",
    "heat",
    "overlap",
    "tail",
    "blocks",
    "gold",
    "hits",
    "references",
    "find",
    "cuts",
    "lanes",
    "selection",
)
LINES_OF_ALL_UP_TO = 4  # visible strategies; above, a lane's lines show while hovered or pinned
FILL_PADDING_DIP = 3.0
TAIL_INK, TAIL_HATCH = QColor(168, 0, 60), QColor(168, 0, 60, 120)  # on a white page
TAIL_DASH = (4, 3)
BLOCK_INK, IGNORED_INK = QColor("#3B4FB0"), QColor("#565B66")
LEAST_WIDTH = 0.5  # of a cut line on a small page, where full width would hide the text
REFERENCE_KEPT, REFERENCE_LOST = QColor("#565B66"), QColor("#A8003C")  # on a white page


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """Pairs of a mention and the pronoun for it: int64 (n, 4), and which no chunk holds, bool."""

    pairs: NDArray[np.int64]
    are_lost: NDArray[np.bool_]


NO_REFERENCES = References(np.empty((0, 4), np.int64), np.empty(0, np.bool_))


@dataclass(slots=True)
class Shown:
    """What the view shows beside the state: layers, text selection, find results."""

    layers: set[str] = field(
        default_factory=lambda: set(LAYERS) - {"ignored", "blocks", "references"}
    )
    is_clean: bool = False  # while Space is held
    text_selection: tuple[int, int] | None = None
    matches: Spans = field(default_factory=lambda: as_spans([]))
    match: int = -1  # the current one
    gold: Spans = field(default_factory=lambda: as_spans([]))
    references: References = NO_REFERENCES  # set by whoever knows them
    hovered_lane: int = -1  # slot whose lane the pointer is on


class Composer:
    """Paints the layers of a page for one open document."""

    def __init__(self, state: State, shown: Shown) -> None:
        self._state = state
        self._shown = shown
        self._maker: OverlayMaker | None = None
        self._kept: dict[tuple[int, int], tuple[Chunks, PageOverlay, object]] = {}

    def maker(self) -> OverlayMaker | None:
        """The maker of overlays for the text shown; None while there is no text on pages."""
        opened = self._state.current
        document = (opened.shown or opened.document) if opened else None
        if document is None or document.geometry is None:
            return None
        if self._maker is None or self._maker.document is not document:
            self._maker = OverlayMaker(document)
            self._kept.clear()
        return self._maker

    def keep_only(self, pages: Collection[int]) -> None:
        """Forget the overlays of pages out of view."""
        self._kept = {key: value for key, value in self._kept.items() if key[1] in pages}

    def overlay(self, slot: int, page: int) -> PageOverlay | None:
        """The overlay of one slot on one page, if its chunks are there."""
        opened, maker = self._state.current, self.maker()
        if opened is None or maker is None:
            return None
        result = opened.result(slot)
        if result.chunks is None or not _fits(result.chunks, maker.document):
            return None
        kept = self._kept.get((slot, page))
        if kept is None or kept[0] is not result.chunks or kept[2] is not result.tail_starts:
            kept = (
                result.chunks,
                maker.overlay(result.chunks, page, result.tail_starts),
                result.tail_starts,
            )
            self._kept[(slot, page)] = kept
        return kept[1]

    def paint(
        self,
        painter: QPainter,
        page: int,
        transform: QTransform,
        box: QRectF,
        *,
        theme: Theme,
        font: QFont,
    ) -> list[Label]:
        """Paint all layers over a page; `box` is its place, `transform` leads there from points."""
        opened, maker = self._state.current, self.maker()
        if opened is None or maker is None or self._shown.is_clean:
            return []
        canvas = _Canvas(painter, page, transform, box, theme, font)
        labels: list[Label] = []
        chosen = self._state.chosen_slot
        if chosen is not None and (overlay := self.overlay(chosen.id, page)) is not None:
            self._paint_chosen(canvas, overlay, opened.result(chosen.id))
        self._paint_marks(canvas, maker)
        self._paint_others(canvas)
        if chosen is not None and (overlay := self.overlay(chosen.id, page)) is not None:
            labels += self._paint_cuts(canvas, overlay)
            self._paint_tail_lines(canvas, overlay, labels)
            labels += self._paint_hits(canvas, opened, opened.result(chosen.id))
        self._paint_pointed(canvas, maker)
        return labels

    def _paint_chosen(self, canvas: "_Canvas", overlay: PageOverlay, result: SlotResult) -> None:
        layers, theme = self._shown.layers, canvas.theme
        padding = FILL_PADDING_DIP / canvas.scale
        chunks = result.chunks
        assert chunks is not None, "an overlay is made from chunks"
        if "tint" in layers:
            fills = Pieces(painters.grown(overlay.fills.quads, padding), overlay.fills.owners)
            canvas.painter.save()  # the padding must not leave the page either
            canvas.painter.setClipRect(canvas.box, Qt.ClipOperation.IntersectClip)
            shades = chunks.labels[fills.owners]
            which = np.where(shades >= 0, shades, fills.owners) % 2
            if (shades > 1).any():
                which = shades % len(theme.strategies)
                tints = [_tint(colour) for colour in theme.strategies]
                painters.paint_fills(canvas.painter, fills, canvas.transform, tints, which)
            else:
                painters.paint_fills(canvas.painter, fills, canvas.transform, theme.parity, which)
            canvas.painter.restore()
            parents = Pieces(painters.grown(overlay.parents.quads, padding), overlay.parents.owners)
            painters.paint_bars(canvas.painter, parents, canvas.transform, theme.cut, 4)
        heat = heat_values(self._state, result)
        if "heat" in layers and heat is not None:
            owners = np.unique(overlay.fills.owners).tolist()
            colours = {owner: heat_colour(theme, float(heat[owner])) for owner in owners}
            painters.paint_margin(
                canvas.painter, overlay.fills, canvas.transform, canvas.box, colours
            )
        if "overlap" in layers:
            painters.paint_hatch(
                canvas.painter,
                overlay.overlaps,
                canvas.transform,
                QColor(0, 0, 0, 90),
                pitch=HATCH_PITCH_OVERLAP,
                falling=False,
            )
        if "tail" in layers:
            painters.paint_hatch(
                canvas.painter,
                overlay.tails,
                canvas.transform,
                TAIL_HATCH,
                pitch=HATCH_PITCH_TAIL,
                falling=True,
            )

    def _paint_marks(self, canvas: "_Canvas", maker: OverlayMaker) -> None:
        shown = self._shown
        if "ignored" in shown.layers:
            self._paint_ignored(canvas, maker)
        if "blocks" in shown.layers:
            painters.paint_boxes(
                canvas.painter,
                maker.blocks(canvas.page),
                canvas.transform,
                ink=BLOCK_INK,
                font=canvas.font,
            )
        if "find" in shown.layers and len(shown.matches):
            found = maker.span_overlay(shown.matches, canvas.page)
            tints = (QColor(255, 213, 0, 110), QColor(255, 120, 0, 150))
            which = (found.owners == shown.match).astype(np.int64)
            painters.paint_fills(canvas.painter, found, canvas.transform, tints, which)
        if "gold" in shown.layers and len(shown.gold):
            gold = maker.span_overlay(shown.gold, canvas.page)
            painters.paint_underlines(canvas.painter, gold, canvas.transform, canvas.theme.gold)
        if "references" in shown.layers and len(shown.references.pairs):
            self._paint_references(canvas, maker)
        if shown.text_selection is not None:
            span = as_spans([sorted(shown.text_selection)])
            chosen = maker.span_overlay(span, canvas.page)
            tint = QColor(canvas.theme.accent)
            tint.setAlphaF(0.35)
            painters.paint_fills(canvas.painter, chosen, canvas.transform, (tint,), chosen.owners)

    def _paint_ignored(self, canvas: "_Canvas", maker: OverlayMaker) -> None:
        """Dots around the text of the page that is in no chunk."""
        result = self._state.chosen_result
        if result is None or result.chunks is None or not _fits(result.chunks, maker.document):
            return
        pieces = maker.span_overlay(maker.outside(result.chunks, canvas.page), canvas.page)
        painters.paint_dots(canvas.painter, pieces, canvas.transform, IGNORED_INK)

    def _paint_references(self, canvas: "_Canvas", maker: OverlayMaker) -> None:
        """Arcs from pronouns to what they stand for, red where a cut lies between."""
        references = self._shown.references
        start, end = maker.document.pages[canvas.page].start, maker.document.pages[canvas.page].end
        pairs = references.pairs
        met = np.flatnonzero(
            ((pairs[:, 0] < end) & (pairs[:, 1] > start))
            | ((pairs[:, 2] < end) & (pairs[:, 3] > start))
        )
        ends = [
            maker.pieces(pairs[met, column : column + 2], np.arange(len(met)), canvas.page)
            for column in (0, 2)
        ]
        painters.paint_arcs(
            canvas.painter,
            ends[0],
            ends[1],
            canvas.transform,
            canvas.box,
            are_lost=references.are_lost[met],
            colours=(REFERENCE_KEPT, REFERENCE_LOST),
        )

    def _paint_others(self, canvas: "_Canvas") -> None:
        visible = [slot for slot in self._state.slots if slot.is_visible]
        are_all_shown = len(visible) <= LINES_OF_ALL_UP_TO
        lanes = canvas.lanes(len(visible))
        for slot, lane in zip(visible, lanes, strict=True):
            overlay = self.overlay(slot.id, canvas.page)
            if overlay is None:
                continue
            is_pointed = slot.is_pinned or slot.id == self._shown.hovered_lane
            colour = canvas.theme.strategies[slot.colour]
            if "lanes" in self._shown.layers and len(visible) > 1:
                painters.paint_lane(
                    canvas.painter,
                    overlay.cuts,
                    canvas.transform,
                    lane,
                    colour,
                    is_strong=is_pointed,
                )
            is_chosen = slot.id == self._state.chosen
            if "cuts" in self._shown.layers and not is_chosen and (are_all_shown or is_pointed):
                painters.paint_cuts(
                    canvas.painter,
                    overlay.cuts,
                    canvas.transform,
                    painters.for_paper(colour),
                    width=CUT_WIDTH if is_pointed else 1.4,
                    dash=DASHES[slot.colour] or (8, 2),
                )

    def _paint_cuts(self, canvas: "_Canvas", overlay: PageOverlay) -> list[Label]:
        if "cuts" not in self._shown.layers:
            return []
        pointed = self._pointed_cut()
        painters.paint_cuts(
            canvas.painter,
            overlay.cuts,
            canvas.transform,
            canvas.theme.cut,
            width=canvas.line_width,
            strong=pointed,
        )
        return painters.paint_tabs(
            canvas.painter,
            overlay.cuts,
            canvas.transform,
            canvas.box,
            ink=canvas.theme.text,
            paper=canvas.theme.base,
            font=canvas.font,
            strong=pointed,
        )

    def _paint_tail_lines(
        self, canvas: "_Canvas", overlay: PageOverlay, tabs: Sequence[Label]
    ) -> None:
        """Say where the embedder stops reading: the hatch alone explains nothing."""
        if "tail" not in self._shown.layers or not len(overlay.tail_lines):
            return
        painters.paint_cuts(
            canvas.painter,
            overlay.tail_lines,
            canvas.transform,
            TAIL_INK,
            width=canvas.line_width,
            dash=TAIL_DASH,
        )
        painters.paint_flags(
            canvas.painter,
            overlay.tail_lines,
            canvas.transform,
            canvas.box,
            "not embedded",
            ink=TAIL_INK,
            paper=QColor("white"),
            font=canvas.font,
            beside=tabs,
        )

    def _pointed_cut(self) -> int:
        for each in (self._state.hovered, self._state.selection):
            if each.kind == "cut" and each.slot == self._state.chosen and each.ids:
                return each.ids[0]
        return -1

    def _paint_hits(
        self, canvas: "_Canvas", opened: OpenDocument, result: SlotResult
    ) -> list[Label]:
        if "hits" not in self._shown.layers or not result.hits or result.chunks is None:
            return []
        maker = self.maker()
        assert maker is not None, "hits are painted over text"
        places: dict[int, tuple[float, float]] = {}
        for hit in result.hits:
            pieces = self._hit_pieces(maker, opened, hit, result.chunks, canvas.page)
            if not len(pieces):
                continue
            bar = painters.for_paper(canvas.theme.accent)
            painters.paint_bars(canvas.painter, pieces, canvas.transform, bar, 3)
            first = painters.mapped(pieces.quads[:1], canvas.transform)[0].mean(axis=0)
            x = canvas.box.left() - painters.BADGE
            y = float(first[1])
            while any(abs(y - other) < painters.BADGE + 2 for _, other in places.values()):
                y += painters.BADGE + 2
            places[hit.rank] = (x, y)
        return painters.paint_badges(
            canvas.painter,
            places,
            ink=canvas.theme.accent,
            paper=canvas.theme.base,
            font=canvas.font,
            is_exact=result.hits_exactness in ("exact", "pooled"),
        )

    @staticmethod
    def _hit_pieces(
        maker: OverlayMaker, opened: OpenDocument, hit: Hit, chunks: Chunks, page: int
    ) -> Pieces:
        if hit.document != opened.id or hit.chunk >= len(chunks):
            return NO_PIECES
        spans = chunks.spans_of(hit.chunk)
        return maker.pieces(spans, np.full(len(spans), hit.chunk), page)

    def _paint_pointed(self, canvas: "_Canvas", maker: OverlayMaker) -> None:
        if "selection" not in self._shown.layers:
            return
        selected, hovered = self._state.selection, self._state.hovered
        pairs = ((self._parents_of(hovered), 1.0), (selected, 2.0), (hovered, 1.0))
        for pointed, width in pairs:
            pieces = self._pointed_pieces(pointed, maker, canvas.page)
            painters.paint_outline(
                canvas.painter,
                pieces,
                canvas.transform,
                painters.for_paper(canvas.theme.accent),
                width,
            )

    def _parents_of(self, pointed: Selection) -> Selection:
        """The chunks that hold the nested ones under the pointer."""
        opened = self._state.current
        if pointed.kind != "chunk" or opened is None or pointed.slot < 0:
            return NOTHING
        chunks = opened.result(pointed.slot).chunks
        if chunks is None:
            return NOTHING
        found = [int(chunks.parents[i]) for i in pointed.ids if i < len(chunks)]
        return replace(pointed, ids=tuple(i for i in found if i >= 0))

    def _pointed_pieces(self, pointed: Selection, maker: OverlayMaker, page: int) -> Pieces:
        opened = self._state.current
        if pointed.kind not in ("chunk", "hit", "block", "gold") or opened is None:
            return NO_PIECES
        chunks = opened.result(pointed.slot).chunks if pointed.slot >= 0 else None
        if pointed.kind == "chunk" and chunks is not None:
            spans = [chunks.spans_of(i) for i in pointed.ids if i < len(chunks)]
            joined = np.concatenate(spans) if spans else as_spans([])
        else:
            joined = as_spans([(pointed.start, pointed.end)] if pointed.end > pointed.start else [])
        pieces = maker.span_overlay(joined, page)
        return Pieces(painters.grown(pieces.quads, 2.0), pieces.owners)


@dataclass(frozen=True, slots=True)
class _Canvas:
    """Where one page is painted, and how."""

    painter: QPainter
    page: int
    transform: QTransform
    box: QRectF
    theme: Theme
    font: QFont

    @property
    def scale(self) -> float:
        """Dip per point."""
        origin, unit = self.transform.map(QPointF(0, 0)), self.transform.map(QPointF(1, 0))
        return max(1e-6, ((unit.x() - origin.x()) ** 2 + (unit.y() - origin.y()) ** 2) ** 0.5)

    @property
    def line_width(self) -> float:
        """Width of cut lines, dip: thinner where the page is small."""
        return CUT_WIDTH * min(1.0, max(LEAST_WIDTH, self.scale))

    def lanes(self, count: int) -> list[QRectF]:
        """Places of `count` lanes at the left of the page."""
        return lane_boxes(self.box, count)


def lane_boxes(page_box: QRectF, count: int) -> list[QRectF]:
    """Where the lanes of `count` strategies lie, at the left of a page."""
    left = page_box.left() - 4 - LANE * count
    return [QRectF(left + LANE * k, page_box.top(), LANE, page_box.height()) for k in range(count)]


def slot_at_lane(page_box: QRectF, slots: Collection[Slot], x: float, y: float) -> int:
    """The slot whose lane is under a point of the canvas, or −1."""
    visible = [slot for slot in slots if slot.is_visible]
    if len(visible) < 2:
        return -1
    for slot, lane in zip(visible, lane_boxes(page_box, len(visible)), strict=True):
        if lane.contains(QPointF(x, y)):
            return slot.id
    return -1


def _fits(chunks: Chunks, document: Document) -> bool:
    """False for chunks of another version of the text, until the new ones are there."""
    return not len(chunks.spans) or int(chunks.spans[:, 1].max()) <= len(document.text)


def _tint(colour: QColor) -> QColor:
    made = QColor(colour)
    made.setAlphaF(0.2)
    return made
