# SPDX-License-Identifier: AGPL-3.0-or-later
"""The outline: the file's bookmarks, or headings that were found, with their chunks."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QStackedLayout, QTreeWidget, QTreeWidgetItem, QWidget

from core.document.model import Document, OutlineItem
from gui.state import OpenDocument, State

LONGEST_TITLE = 120
_TARGET = Qt.ItemDataRole.UserRole


class Outline(QWidget):
    """A tree of headings.

    Signals:
        place_asked: page, points from its top.
    """

    place_asked = Signal(int, float)

    def __init__(self, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._shown: tuple[OutlineItem, ...] | None = None
        self._tree = QTreeWidget()
        self._tree.setObjectName("outline")
        self._tree.setHeaderHidden(True)
        self._tree.setUniformRowHeights(True)
        self._tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        self._tree.itemActivated.connect(self._go)
        self._tree.itemClicked.connect(self._go)
        self._empty = QLabel("This document has no bookmarks and no headings were found.")
        self._empty.setWordWrap(True)
        self._empty.setObjectName("empty")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._tree)
        self._stack.addWidget(self._empty)
        self._stack.setCurrentWidget(self._empty)
        state.current_changed.connect(self._on_document)
        state.text_changed.connect(self._on_text)

    def _on_document(self, opened: OpenDocument | None) -> None:
        self._fill(outline_of(opened) if opened is not None else ())

    def _on_text(self, document: str) -> None:
        current = self._state.current
        if current is not None and current.id == document:
            self._fill(outline_of(current))

    def _fill(self, items: tuple[OutlineItem, ...]) -> None:
        if items == self._shown:
            return
        self._shown = items
        self._tree.clear()
        parents: list[tuple[int, QTreeWidgetItem]] = []
        for item in items:
            while parents and parents[-1][0] >= item.level:
                parents.pop()
            made = QTreeWidgetItem([item.title[:LONGEST_TITLE]])
            made.setToolTip(0, item.title)
            made.setData(0, _TARGET, None if item.page is None else (item.page, item.y))
            if item.page is None:
                made.setDisabled(True)
            if item.detected:
                font = made.font(0)
                font.setItalic(True)
                made.setFont(0, font)
            if parents:
                parents[-1][1].addChild(made)
            else:
                self._tree.addTopLevelItem(made)
            parents.append((item.level, made))
        if len(items) <= 300:
            self._tree.expandToDepth(1)
        self._stack.setCurrentWidget(self._tree if items else self._empty)

    def _go(self, item: QTreeWidgetItem, column: int) -> None:
        del column
        target = item.data(0, _TARGET)
        if target is not None:
            self.place_asked.emit(int(target[0]), float(target[1]))


def outline_of(opened: OpenDocument) -> tuple[OutlineItem, ...]:
    """The file's outline, or else the headings of the text."""
    if opened.outline:
        return opened.outline
    document = opened.shown or opened.document
    return headings(document) if document is not None else ()


def headings(document: Document) -> tuple[OutlineItem, ...]:
    """The headings as outline entries."""
    items = []
    for block in document.blocks:
        if block.kind == "heading":
            title = " ".join(document.text[block.start : block.end].split()).lstrip("# ")
            page = document.page_of(block.start)
            y = block.boxes[0][2] if block.boxes else 0.0
            items.append(OutlineItem(title, max(1, block.level), page, y, detected=True))
    return tuple(items)
