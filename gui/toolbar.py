# SPDX-License-Identifier: AGPL-3.0-or-later
"""The tool bar: open, history, page, zoom, tools, and how exact the numbers are."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSizePolicy, QToolBar, QWidget

from gui.state import OpenDocument, State

TOOLS = ("tools.chunk", "tools.text", "tools.hand")


class ToolBar(QToolBar):
    """Stands below the menus.

    Signals:
        page_asked: index of a page.
        document_asked: id of an open document.
    """

    page_asked = Signal(int)
    document_asked = Signal(str)

    def __init__(
        self, state: State, actions: dict[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__("Tool bar", parent)
        self.setObjectName("toolBar")
        self.setMovable(False)
        self._state = state
        self.page_box = QLineEdit()
        self.page_box.setFixedWidth(52)
        self.page_box.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.page_box.setAccessibleName("Page")
        self.page_box.setToolTip("Page number or label (Ctrl+G)")
        self.page_box.returnPressed.connect(self._on_page)
        self._count = QLabel("/ –")
        self._zoom = QLabel("100 %")
        self._zoom.setMinimumWidth(52)
        self._zoom.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lamp = QLabel()
        self._lamp.setObjectName("lamp")
        self._documents = QComboBox()
        self._documents.setMinimumContentsLength(18)
        self._documents.setAccessibleName("Document")
        self._documents.setToolTip("The document shown")
        self._documents.activated.connect(self._on_document)
        self._fill(actions)
        state.documents_changed.connect(self._refill)
        state.current_changed.connect(self._on_current)
        state.sizes_known.connect(self._on_sizes)

    def show_page(self, page: int) -> None:
        """Show which page the view is at."""
        if not self.page_box.hasFocus():
            self.page_box.setText(str(page + 1))

    def show_zoom(self, zoom: float) -> None:
        """Show the zoom."""
        self._zoom.setText(f"{zoom:.0%}".replace("%", " %"))

    def show_lamp(self, text: str, tip: str) -> None:
        """Show how exact the numbers are."""
        self._lamp.setText(text)
        self._lamp.setToolTip(tip)

    def _fill(self, actions: dict[str, QAction]) -> None:
        for name in ("file.open", "go.back", "go.forward"):
            self.addAction(_labelled(actions[name]))
        self.addSeparator()
        self.addWidget(self.page_box)
        self.addWidget(self._count)
        self.addSeparator()
        self.addAction(_labelled(actions["view.zoom_out"]))
        self.addWidget(self._zoom)
        for name in ("view.zoom_in", "view.fit_width", "view.fit_page"):
            self.addAction(_labelled(actions[name]))
        self.addSeparator()
        group = QActionGroup(self)
        for name in TOOLS:
            actions[name].setCheckable(True)
            group.addAction(actions[name])
            self.addAction(_labelled(actions[name]))
        actions[TOOLS[0]].setChecked(True)
        self.addSeparator()
        self.addWidget(self._documents)
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
        self.addWidget(self._lamp)

    def _on_page(self) -> None:
        current = self._state.current
        page = page_for(self.page_box.text(), current) if current is not None else None
        if page is not None:
            self.page_asked.emit(page)
        self.page_box.clearFocus()

    def _on_document(self, place: int) -> None:
        self.document_asked.emit(self._documents.itemData(place))

    def _refill(self) -> None:
        self._documents.clear()
        for opened in self._state.documents.values():
            self._documents.addItem(opened.name, opened.id)
        self._on_current(self._state.current)

    def _on_current(self, opened: OpenDocument | None) -> None:
        self._documents.setEnabled(len(self._state.documents) > 1)
        if opened is not None:
            self._documents.setCurrentIndex(self._documents.findData(opened.id))
            self._on_sizes(opened.id)
        else:
            self._count.setText("/ –")
            self.page_box.clear()

    def _on_sizes(self, document: str) -> None:
        current = self._state.current
        if current is not None and current.id == document:
            self._count.setText(f"/ {len(current.page_sizes)}")


_SHORT = {
    "file.open": "Open",
    "go.back": "◀",
    "go.forward": "▶",
    "view.zoom_out": "−",
    "view.zoom_in": "+",
    "view.fit_width": "Width",
    "view.fit_page": "Page",
    "tools.chunk": "Chunk",
    "tools.text": "Text",
    "tools.hand": "Hand",
}


def _labelled(action: QAction) -> QAction:
    action.setIconText(_SHORT[action.objectName()])
    return action


def page_for(text: str, opened: OpenDocument) -> int | None:
    """The page that a number or a printed label means, or None."""
    wanted = text.strip()
    document = opened.document
    if document is not None:
        for page in document.pages:
            if page.label and page.label == wanted and page.label != str(page.index + 1):
                return page.index
    if wanted.isdigit() and 1 <= int(wanted) <= len(opened.page_sizes):
        return int(wanted) - 1
    return None
