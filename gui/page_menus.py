# SPDX-License-Identifier: AGPL-3.0-or-later
"""Menus that belong to the pages: layers, what is under the pointer, files opened last."""

from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gui import settings
from gui.pages.composer import LAYERS
from gui.pages.view import PageView
from gui.state import Selection

LAYER_NAMES = {
    "ignored": "Text in no chunk",
    "tint": "Chunk colours",
    "heat": "Heat of a score",
    "overlap": "Overlap hatch",
    "tail": "Part the model does not read",
    "blocks": "Layout blocks",
    "gold": "Gold passages",
    "hits": "Hits",
    "references": "References as arcs",
    "find": "Find results",
    "cuts": "Cut lines",
    "lanes": "Lanes in the margin",
    "selection": "Selection",
}
_CHUNK_ACTIONS = ("view.fit_chunk", "edit.copy", "go.previous_chunk", "go.next_chunk")
_PAGE_ACTIONS = ("view.fit_width", "view.fit_page", "view.rotate_right", "view.rotate_left")


_LOOKS = {"tint", "overlap", "tail", "cuts", "lanes", "selection"}
LAYER_PRESETS = {
    "Cuts only": {"cuts", "lanes", "selection"},
    "Chunks": _LOOKS | {"heat", "gold", "hits", "find"},
    "Retrieval": {"gold", "hits", "find", "cuts", "tail", "selection"},
    "Blocks": {"blocks", "ignored", "cuts", "selection"},
    "Everything": set(LAYERS),
    "Clean page": set(),
}


class LayerMenu(QMenu):
    """One switch a layer, and sets of layers."""

    def __init__(self, pages: PageView, parent: QWidget | None = None) -> None:
        super().__init__("&Layers", parent)
        self._pages = pages
        self._switches: dict[str, QAction] = {}
        self._presets: list[QAction] = []
        for name, layers in LAYER_PRESETS.items():
            preset = self.addAction(name)
            preset.setData(sorted(layers))
            self._presets.append(preset)
        self.addSeparator()
        for layer in LAYERS:
            switch = self.addAction(LAYER_NAMES.get(layer, layer.capitalize()))
            switch.setCheckable(True)
            switch.setData(layer)
            self._switches[layer] = switch
        self.triggered.connect(self._on_switch)
        pages.layers_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        for layer, switch in self._switches.items():
            switch.setChecked(layer in self._pages.shown.layers)

    def _on_switch(self, switch: QAction) -> None:
        if switch in self._presets:
            self._pages.set_layers(set(switch.data()))
            return
        self._pages.set_layers(self._pages.shown.layers ^ {switch.data()})


class PointedMenu(QMenu):
    """What can be done with the chunk, cut or page under the pointer."""

    def __init__(self, actions: dict[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions

    def open_for(self, selection: Selection, place: QPoint) -> None:
        """Show the menu at a place of the screen."""
        self.clear()
        if selection.kind != "nothing":
            for name in _CHUNK_ACTIONS:
                self.addAction(self._actions[name])
            self.setDefaultAction(self._actions[_CHUNK_ACTIONS[0]])
            self.addSeparator()
        for name in _PAGE_ACTIONS:
            self.addAction(self._actions[name])
        self.popup(place)


class RecentMenu(QMenu):
    """The files opened last.

    Signals:
        path_asked: the file to open.
    """

    path_asked = Signal(Path)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Open &recent", parent)
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self._fill)
        self.triggered.connect(self._on_file)

    def _fill(self) -> None:
        self.clear()
        paths = settings.recent_files()
        for number, path in enumerate(paths, start=1):
            action = self.addAction(f"&{number % 10} {path.name}".replace("&10", "1&0"))
            action.setToolTip(str(path))
            action.setData(str(path))
        if not paths:
            self.addAction("No file yet").setEnabled(False)

    def _on_file(self, action: QAction) -> None:
        if action.data():
            self.path_asked.emit(Path(action.data()))
