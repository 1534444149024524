# SPDX-License-Identifier: AGPL-3.0-or-later
"""The tool bar: open, history, page, zoom, tools, layers, and how exact the numbers are."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from gui.icons import icon
from gui.state import OpenDocument, State
from gui.theme import Theme

TOOLS = ("tools.chunk", "tools.text", "tools.hand")
# The icon of an action and the words beside it; actions with an icon alone are named by their tip.
LOOKS = {
    "file.open": ("folder", "Open"),
    "go.back": ("left", ""),
    "go.forward": ("right", ""),
    "view.zoom_out": ("minus", ""),
    "view.zoom_in": ("plus", ""),
    "view.fit_width": ("fit width", ""),
    "view.fit_page": ("fit page", ""),
    "tools.chunk": ("chunk", "Chunk"),
    "tools.text": ("text", "Text"),
    "tools.hand": ("hand", "Hand"),
}


class ToolBar(QToolBar):
    """Stands below the menus.

    Signals:
        page_asked: index of a page.
    """

    page_asked = Signal(int)

    def __init__(
        self,
        state: State,
        actions: dict[str, QAction],
        layers: QMenu,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Tool bar", parent)
        self.setObjectName("toolBar")
        self.setMovable(False)
        self.setIconSize(QSize(16, 16))
        self._state = state
        self._actions = actions
        self.page_box = QLineEdit()
        self.page_box.setObjectName("pageBox")
        self.page_box.setFixedWidth(52)
        self.page_box.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.page_box.setAccessibleName("Page")
        self.page_box.setToolTip("Page number or label (Ctrl+G)")
        self.page_box.returnPressed.connect(self._on_page)
        self._page = 0
        self._count = QLabel("/ –")
        self._zoom = QLabel("100 %")
        self._zoom.setObjectName("zoom")
        self._zoom.setMinimumWidth(52)
        self._zoom.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layers = QToolButton()
        self._layers.setText("Layers")
        self._layers.setToolTip("What is drawn over the pages (L)")
        self._layers.setMenu(layers)
        self._layers.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._layers.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._lamp = QLabel()
        self._lamp.setObjectName("lamp")
        self._fill(actions)
        self.set_theme(theme)
        state.current_changed.connect(self._on_current)
        state.sizes_known.connect(self._on_sizes)
        state.text_changed.connect(self._on_sizes)

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in other colours."""
        for name, (drawn, _) in LOOKS.items():
            self._actions[name].setIcon(icon(drawn, theme))
        self._layers.setIcon(icon("layers", theme))

    def show_page(self, page: int) -> None:
        """Show which page the view is at."""
        self._page = page
        current = self._state.current
        if current is None:
            return
        label, count = page_label(page, current), len(current.page_sizes)
        is_number = label == str(page + 1)
        self._count.setText(f"/ {count}" if is_number else f"({page + 1} / {count})")
        if not self.page_box.hasFocus():
            self.page_box.setText(label)

    def show_zoom(self, zoom: float) -> None:
        """Show the zoom."""
        self._zoom.setText(f"{zoom:.0%}".replace("%", " %"))

    def show_lamp(self, text: str, tip: str) -> None:
        """Show how exact the numbers are."""
        self._lamp.setText(text)
        self._lamp.setToolTip(tip)

    def open_layers(self) -> None:
        """Open the menu of layers."""
        self._layers.showMenu()

    def _fill(self, actions: dict[str, QAction]) -> None:
        self._add(actions, "file.open", "go.back", "go.forward")
        self.addSeparator()
        self.addWidget(self.page_box)
        self.addWidget(self._count)
        self.addSeparator()
        self._add(actions, "view.zoom_out")
        self.addWidget(self._zoom)
        self._add(actions, "view.zoom_in", "view.fit_width", "view.fit_page")
        self.addSeparator()
        group = QActionGroup(self)
        for name in TOOLS:
            actions[name].setCheckable(True)
            group.addAction(actions[name])
        self._add(actions, *TOOLS)
        actions[TOOLS[0]].setChecked(True)
        self.addSeparator()
        self.addWidget(self._layers)
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
        self.addWidget(self._lamp)

    def _add(self, actions: dict[str, QAction], *names: str) -> None:
        for name in names:
            action, words = actions[name], LOOKS[name][1]
            action.setIconVisibleInMenu(False)
            self.addAction(action)
            button = self.widgetForAction(action)
            if words and isinstance(button, QToolButton):
                action.setIconText(words)
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def _on_page(self) -> None:
        current = self._state.current
        page = page_for(self.page_box.text(), current) if current is not None else None
        self.page_box.clearFocus()
        if page is not None:
            self.page_asked.emit(page)
        self.show_page(self._page if page is None else page)

    def _on_current(self, opened: OpenDocument | None) -> None:
        self.page_box.setEnabled(opened is not None)
        if opened is not None:
            self._on_sizes(opened.id)
        else:
            self._count.setText("/ –")
            self.page_box.clear()

    def _on_sizes(self, document: str) -> None:
        current = self._state.current
        if current is not None and current.id == document:
            self.show_page(self._page)


def page_label(page: int, opened: OpenDocument) -> str:
    """The printed label of a page, or else its number."""
    document = opened.document
    if document is not None and page < len(document.pages) and document.pages[page].label:
        return document.pages[page].label
    return str(page + 1)


def page_for(text: str, opened: OpenDocument) -> int | None:
    """The page that a printed label or a number means, or None."""
    wanted = text.strip()
    document = opened.document
    if document is not None:
        for page in document.pages:
            if page.label and page.label.lower() == wanted.lower():
                return page.index
    if wanted.isdigit() and 1 <= int(wanted) <= len(opened.page_sizes):
        return int(wanted) - 1
    return None
