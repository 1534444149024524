# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is open, chosen, selected and known: the one thing that all panels are views of.

Panels read from here and call the `set_…`, `select` and `hover` methods; controllers
(`gui/controllers/`) put results in. Nothing here computes, opens files or runs jobs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from core.document.model import Document, Notice, OutlineItem

if TYPE_CHECKING:
    from pathlib import Path

    from core.scores.results import Scores
    from core.strategies.chunks import Chunks
    from core.strategies.run import Recipe

MOST_SLOTS = 6

SelectionKind = Literal["nothing", "chunk", "cut", "hit", "gold", "block", "text", "query"]
Exactness = Literal["none", "approximate", "exact", "pooled"]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected or hovered.

    `ids` are chunk indices of the slot (for a cut: the chunk after it), ranks of hits, and so
    on. `start` and `end` are its span of the text, by which it survives a re-chunking. `origin`
    is the pane where the user did it; that pane does not scroll itself.
    """

    kind: SelectionKind = "nothing"
    ids: tuple[int, ...] = ()
    slot: int = -1
    start: int = -1
    end: int = -1
    origin: str = ""


NOTHING = Selection()


@dataclass(frozen=True, slots=True)
class Slot:
    """One visible strategy: its recipe, its colour (index into the theme's strategy colours)."""

    id: int
    recipe: "Recipe"
    colour: int
    is_visible: bool = True
    is_pinned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """One retrieved chunk, as the list and the page show it."""

    rank: int  # from 1
    score: float
    document: str  # id of the open document
    chunk: int
    start: int
    end: int
    exactness: Exactness = "exact"


@dataclass(slots=True, eq=False)
class SlotResult:
    """What is known of one slot on one document. Replaced piece by piece as results arrive."""

    chunks: "Chunks | None" = None
    is_provisional: bool = False  # made from the pages that are there so far
    is_outdated: bool = False  # others are being made: these are of the recipe or text of before
    error: str = ""
    scores: "Scores | None" = None
    hits: tuple[Hit, ...] = ()
    hits_exactness: Exactness = "none"
    # chunk -> first offset that the model never reads; None: not known before there are vectors
    tail_starts: "Mapping[int, int] | None" = None


@dataclass(slots=True, eq=False)
class OpenDocument:
    """An open document: its path, sizes of its pages at once, its text as it arrives."""

    id: str
    path: "Path"
    name: str
    page_sizes: tuple[tuple[float, float], ...] = ()  # points, as shown
    document: Document | None = None
    shown: Document | None = None  # of a text file: the same text, set on pages for the eye
    pages_read: int = 0
    error: str = ""
    needs_password: bool = False
    notices: tuple[Notice, ...] = ()
    outline: tuple[OutlineItem, ...] = ()
    results: dict[int, SlotResult] = field(default_factory=dict)

    def result(self, slot: int) -> SlotResult:
        """What is known of a slot here."""
        return self.results.setdefault(slot, SlotResult())


class State(QObject):
    """The state of the window. All changes go through its methods, all news through its signals.

    Signals:
        documents_changed: the list of open documents changed.
        document_closed: document id; work for it has become useless.
        current_changed: the OpenDocument now shown, or None.
        sizes_known: document id; its pages can be laid out.
        text_changed: document id; more text arrived, or a new version of it.
        slots_changed: strategies were added, removed, recoloured, hidden or re-parametrised.
        chosen_changed: id of the chosen slot (A), whose chunks are tinted.
        compared_changed: id of slot B, −1 for none.
        chunks_changed, scores_changed, hits_changed: document id, slot id.
        tails_changed: document id, slot id; it is known where the model stops reading its chunks.
        chunks_outdated: document id, slot id; what is shown is of before, and others take a while.
        selection_changed, hover_changed: the Selection.
        query_changed: the query's text.
        notices_changed: document id.
        heat_changed: code of the score whose parts colour the chunks, "" for none.
    """

    documents_changed = Signal()
    document_closed = Signal(str)
    current_changed = Signal(object)
    sizes_known = Signal(str)
    text_changed = Signal(str)
    slots_changed = Signal()
    chosen_changed = Signal(int)
    compared_changed = Signal(int)
    chunks_changed = Signal(str, int)
    chunks_outdated = Signal(str, int)
    tails_changed = Signal(str, int)
    scores_changed = Signal(str, int)
    hits_changed = Signal(str, int)
    selection_changed = Signal(object)
    hover_changed = Signal(object)
    query_changed = Signal(str)
    notices_changed = Signal(str)
    heat_changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.documents: dict[str, OpenDocument] = {}
        self.current: OpenDocument | None = None
        self.slots: tuple[Slot, ...] = ()
        self.chosen = -1
        self.compared = -1
        self.selection = NOTHING
        self.hovered = NOTHING
        self.query = ""
        self.heat = ""
        self.top_k = 5
        self._next_slot = 0

    # documents

    def add_document(self, opened: OpenDocument, *, is_shown: bool = True) -> None:
        """Put an opened document into the list; show it, if wanted or if none is shown."""
        self.documents[opened.id] = opened
        self.documents_changed.emit()
        if is_shown or self.current is None:
            self.set_current(opened.id)

    def remove_document(self, document: str) -> None:
        """Take a document out of the list; the one opened last is shown."""
        if self.documents.pop(document, None) is None:
            return
        self.documents_changed.emit()
        self.document_closed.emit(document)
        if self.current is not None and self.current.id == document:
            self.set_current(next(reversed(self.documents), ""))

    def set_current(self, document: str) -> None:
        """Show another open document; an unknown id shows none."""
        self.current = self.documents.get(document)
        self.select(NOTHING)
        self.hover(NOTHING)
        self.current_changed.emit(self.current)

    # strategies

    def slot(self, slot: int) -> Slot | None:
        """The visible strategy with this id."""
        return next((each for each in self.slots if each.id == slot), None)

    @property
    def chosen_slot(self) -> Slot | None:
        """The chosen strategy (A)."""
        return self.slot(self.chosen)

    @property
    def chosen_result(self) -> SlotResult | None:
        """What is known of the chosen strategy on the document shown."""
        if self.current is None or self.chosen_slot is None:
            return None
        return self.current.result(self.chosen)

    def add_slot(self, recipe: "Recipe") -> int:
        """Show one more strategy and return its id; −1 when six are shown already."""
        if len(self.slots) >= MOST_SLOTS:
            return -1
        used = {slot.colour for slot in self.slots}
        colour = next(index for index in range(MOST_SLOTS) if index not in used)
        added = Slot(self._next_slot, recipe, colour)
        self._next_slot += 1
        self.slots = (*self.slots, added)
        self.slots_changed.emit()
        if self.chosen_slot is None:
            self.set_chosen(added.id)
        return added.id

    def remove_slot(self, slot: int) -> None:
        """Show one strategy less."""
        self.slots = tuple(each for each in self.slots if each.id != slot)
        for opened in self.documents.values():
            opened.results.pop(slot, None)
        self.slots_changed.emit()
        if slot == self.compared:
            self.set_compared(-1)
        if slot == self.chosen:
            self.set_chosen(self.slots[0].id if self.slots else -1)

    def set_recipe(self, slot: int, recipe: "Recipe") -> None:
        """Give a slot another strategy or other parameters."""
        self._replace_slot(slot, recipe=recipe)

    def set_slot_visible(self, slot: int, is_visible: bool) -> None:
        """Show or hide a slot's lines and lane."""
        self._replace_slot(slot, is_visible=is_visible)

    def set_slot_pinned(self, slot: int, is_pinned: bool) -> None:
        """Keep a lane's lines shown across the text when many are visible."""
        self._replace_slot(slot, is_pinned=is_pinned)

    def _replace_slot(self, slot: int, **changes: object) -> None:
        self.slots = tuple(
            replace(each, **changes) if each.id == slot else each  # type: ignore[arg-type]
            for each in self.slots
        )
        self.slots_changed.emit()

    def set_chosen(self, slot: int) -> None:
        """Make a slot the chosen strategy (A)."""
        self.chosen = slot
        self.chosen_changed.emit(slot)

    def set_compared(self, slot: int) -> None:
        """Make a slot the one that A is compared with (B); −1 for none."""
        self.compared = slot
        self.compared_changed.emit(slot)

    # what the user points at

    def select(self, selection: Selection) -> None:
        """Select something; all panes follow."""
        if selection != self.selection:
            self.selection = selection
            self.selection_changed.emit(selection)

    def hover(self, selection: Selection) -> None:
        """Point at something; nothing scrolls."""
        if selection != self.hovered:
            self.hovered = selection
            self.hover_changed.emit(selection)

    def set_query(self, query: str) -> None:
        """Ask another question of the documents."""
        if query != self.query:
            self.query = query
            self.query_changed.emit(query)

    def set_heat(self, score: str) -> None:
        """Colour the chunks by their part in a score; "" for no heat."""
        if score != self.heat:
            self.heat = score
            self.heat_changed.emit(score)

    # results, put in by controllers

    def put_chunks(self, document: str, slot: int, result: SlotResult) -> None:
        """Replace what is known of a slot by new chunks, or by an error."""
        self.documents[document].results[slot] = result
        self.chunks_changed.emit(document, slot)

    def mark_outdated(self, document: str, slot: int) -> None:
        """Say that the chunks of a slot are no longer those that were asked for."""
        self.documents[document].result(slot).is_outdated = True
        self.chunks_outdated.emit(document, slot)

    def put_tails(self, document: str, slot: int, tail_starts: "Mapping[int, int]") -> None:
        """Add where the model stops reading the chunks of a slot."""
        self.documents[document].result(slot).tail_starts = tail_starts
        self.tails_changed.emit(document, slot)

    def put_scores(self, document: str, slot: int, scores: "Scores") -> None:
        """Replace the scores of a slot."""
        self.documents[document].result(slot).scores = scores
        self.scores_changed.emit(document, slot)

    def put_hits(
        self, document: str, slot: int, hits: tuple[Hit, ...], exactness: Exactness
    ) -> None:
        """Replace the hits of a slot."""
        result = self.documents[document].result(slot)
        result.hits, result.hits_exactness = hits, exactness
        self.hits_changed.emit(document, slot)

    def put_text(self, document: str, text: Document, pages_read: int) -> None:
        """Replace the text by one with more pages, or by a new version."""
        opened = self.documents[document]
        opened.document, opened.pages_read, opened.notices = text, pages_read, text.notices
        self.text_changed.emit(document)
        self.notices_changed.emit(document)
