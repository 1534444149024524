# SPDX-License-Identifier: AGPL-3.0-or-later
"""The bottom pane: scores, chunks, queries and hits."""

from collections.abc import Iterator

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabWidget, QWidget

from gui.panels.chunk_panel import ChunkPanel
from gui.panels.queries_panel import QueriesPanel
from gui.panels.scores_panel import ScoresPanel
from gui.state import State
from gui.theme import Theme

HEIGHT = 240


class BottomPane(QTabWidget):
    """Tabs of the bottom pane."""

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bottomPane")
        self.setDocumentMode(True)
        self._state, self._theme = state, theme
        self._tabs: dict[str, QWidget] = {}

    def build(self) -> Iterator[None]:
        """Make the first tabs; between two steps the event loop may turn."""
        self.scores = ScoresPanel(self._state, self._theme)
        self.add("scores", "Scores", self.scores)
        yield
        self.chunks = ChunkPanel(self._state, self._theme)
        self.add("chunks", "Chunks", self.chunks)
        yield
        self.queries = QueriesPanel(self._state)
        self.add("queries", "Queries && hits", self.queries)
        yield

    def minimumSizeHint(self) -> QSize:
        """The dock decides, not the widest of the tabs."""
        return QSize(320, 120)

    def add(self, name: str, title: str, panel: QWidget) -> None:
        """One more tab."""
        self._tabs[name] = panel
        self.addTab(panel, title)

    def sizeHint(self) -> QSize:
        """The same whatever tabs come: a tab that is added does not take room from the pages."""
        return QSize(super().sizeHint().width(), HEIGHT)

    def show_tab(self, name: str) -> None:
        """Bring a tab to the front."""
        self.setCurrentWidget(self._tabs[name])
        if name == "queries":
            self.queries.box.setFocus()
            self.queries.box.selectAll()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.scores.set_theme(theme)
        self.chunks.set_theme(theme)
