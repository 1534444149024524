# SPDX-License-Identifier: AGPL-3.0-or-later
"""The left pane: pages, outline, find."""

from PySide6.QtWidgets import QTabWidget, QWidget

from gui.jobs import Jobs
from gui.pages.images import PageImages
from gui.panels.find import FindPanel
from gui.panels.outline import Outline
from gui.panels.thumbnails import Thumbnails
from gui.state import State
from gui.theme import Theme


class LeftPane(QTabWidget):
    """Tabs of the left pane."""

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        images: PageImages,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("leftPane")
        self.setDocumentMode(True)
        self.thumbnails = Thumbnails(state, images, theme)
        self.outline = Outline(state)
        self.finder = FindPanel(state, jobs)
        self.addTab(self.thumbnails, "Pages")
        self.addTab(self.outline, "Outline")
        self.addTab(self.finder, "Find")

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.thumbnails.set_theme(theme)

    def show_find(self) -> None:
        """Bring the find box to the front."""
        self.setCurrentWidget(self.finder)
        self.finder.box.setFocus()
        self.finder.box.selectAll()
