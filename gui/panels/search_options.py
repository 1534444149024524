# SPDX-License-Identifier: AGPL-3.0-or-later
"""How and where is searched: mode, vectors, and which documents, tags and pages count."""

from collections.abc import Sequence

from PySide6.QtCore import QRegularExpression, Qt, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from core.search.filters import Filters
from gui.state import State
from gui.tags import DocumentTags

MODES = (
    ("Dense", "dense", "Nearest vectors, exactly"),
    ("Dense, index", "index", "LanceDB's vector index, from 20,000 chunks up"),
    ("Full text", "text", "BM25"),
    ("Hybrid", "hybrid", "Both, joined by reciprocal rank"),
)
VECTORS = (
    ("late vectors", "late", "Pooled from the document's tokens: at once, nothing is cut off"),
    ("ordinary vectors", "ordinary", "As a usual pipeline stores them: long chunks are cut off"),
    ("window vectors", "windows", "Long chunks as the mean of several windows"),
)
THIS, ALL = ("this", ""), ("all", "")
SCOPES = (
    ("this document", THIS, "Only the document shown"),
    ("all open", ALL, "All open documents as one corpus"),
)
PAGES_WIDTH = 84
LEAST_CHARACTERS = 9  # of a choice that is squeezed
_PAGES = QRegularExpression(r"(\d{1,6}(\s*[-–]\s*(\d{1,6})?)?)?")


class SearchOptions(QWidget):
    """One row of choices.

    Signals:
        changed: retrieval mode, kind of vectors, whether all open documents are the corpus, and
            the `Filters` of its hits.
        vectors_changed: kind of vectors.
    """

    changed = Signal(str, str, bool, object)
    vectors_changed = Signal(str)

    def __init__(self, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._tags: DocumentTags | None = None
        self.mode = _choice("Retrieval", MODES)
        self.vectors = _choice("Vectors", VECTORS)
        self.scope = _choice("Where", SCOPES)
        self.pages = QLineEdit()
        self.pages.setPlaceholderText("all pages")
        self.pages.setToolTip("Only chunks that touch these pages, such as 3 or 2-5")
        self.pages.setAccessibleName("Pages")
        self.pages.setValidator(QRegularExpressionValidator(_PAGES, self.pages))
        self.pages.setFixedWidth(PAGES_WIDTH)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for combo in (self.mode, self.vectors, self.scope):
            row.addWidget(combo)
            combo.currentIndexChanged.connect(self._tell)
        row.addWidget(self.pages)
        self.pages.editingFinished.connect(self._tell)
        state.documents_changed.connect(self._fill_scopes)
        self._told = self._chosen()

    def set_tags(self, tags: DocumentTags) -> None:
        """Offer these tags of documents."""
        self._tags = tags
        tags.changed.connect(self._fill_scopes)
        self._fill_scopes()

    def filters(self) -> Filters:
        """Which hits count."""
        what, value = self.scope.currentData()
        pages = pages_in(self.pages.text())
        if what == "tag":
            return Filters(tags=(value,), pages=pages)
        return Filters(documents=(value,) if what == "document" else (), pages=pages)

    def _chosen(self) -> tuple[str, str, bool, Filters]:
        is_all = self.scope.currentData() != THIS
        return self.mode.currentData(), self.vectors.currentData(), is_all, self.filters()

    def _tell(self, *_: object) -> None:
        chosen = self._chosen()
        if chosen != self._told:
            self._told = chosen
            self.changed.emit(*chosen)
            self.vectors_changed.emit(self.vectors.currentData())

    def _fill_scopes(self) -> None:
        before = self.scope.currentData()
        self.scope.blockSignals(True)
        while self.scope.count() > len(SCOPES):
            self.scope.removeItem(len(SCOPES))
        for tag in self._tags.all() if self._tags is not None else ():
            self._add(f"tag {tag}", ("tag", tag), "Of all open documents those with this tag")
        documents = self._state.documents.values()
        for opened in documents if len(documents) > 1 else ():
            tip = "Of the hits in all open documents those in this one"
            self._add(f"in {opened.name}", ("document", opened.id), tip)
        values = [self.scope.itemData(place) for place in range(self.scope.count())]
        self.scope.setCurrentIndex(values.index(before) if before in values else 0)
        self.scope.blockSignals(False)
        self._tell()

    def _add(self, text: str, value: tuple[str, str], tip: str) -> None:
        self.scope.addItem(text, value)
        self.scope.setItemData(self.scope.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)


def pages_in(words: str) -> tuple[int, int] | None:
    """The first and the last page, from 0, as they are typed from 1: `3`, `2-5`, `4-`."""
    first, _, last = words.replace("–", "-").partition("-")
    if not first.strip():
        return None
    begin = max(1, int(first))
    end = begin if "-" not in words.replace("–", "-") else int(last) if last.strip() else 10**6
    return begin - 1, max(begin, end) - 1


def _choice(name: str, options: Sequence[tuple[str, object, str]]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(LEAST_CHARACTERS)
    for place, (text, value, tip) in enumerate(options):
        combo.addItem(text, value)
        combo.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)
    return combo
