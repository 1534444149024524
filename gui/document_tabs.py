# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tabs of the open documents over the pages; hidden while there is one."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabBar, QWidget

from gui.state import OpenDocument, State


class DocumentTabs(QTabBar):
    """One tab a document, in the order of opening.

    Signals:
        shown_asked, close_asked: document id.
    """

    shown_asked = Signal(str)
    close_asked = Signal(str)

    def __init__(self, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("documentTabs")
        self.setAccessibleName("Documents")
        self.setDocumentMode(True)
        self.setTabsClosable(True)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setDrawBase(False)
        self._state = state
        self.currentChanged.connect(self._on_tab)
        self.tabCloseRequested.connect(self._on_close)
        state.documents_changed.connect(self._refill)
        state.current_changed.connect(self._on_current)
        self.hide()

    def _refill(self) -> None:
        self.blockSignals(True)
        wanted = list(self._state.documents.values())
        known = [self.tabData(place) for place in range(self.count())]
        ids = [opened.id for opened in wanted]
        for place in reversed(range(len(known))):
            if known[place] not in ids:
                self.removeTab(place)
        for opened in wanted:
            if opened.id not in known:
                place = self.addTab(opened.name)
                self.setTabData(place, opened.id)
                self.setTabToolTip(place, str(opened.path))
        self.blockSignals(False)
        self.setVisible(len(wanted) > 1)
        self._on_current(self._state.current)

    def _on_current(self, opened: OpenDocument | None) -> None:
        for place in range(self.count()):
            if opened is not None and self.tabData(place) == opened.id:
                self.blockSignals(True)
                self.setCurrentIndex(place)
                self.blockSignals(False)

    def _on_tab(self, place: int) -> None:
        if place >= 0:
            self.shown_asked.emit(self.tabData(place))

    def _on_close(self, place: int) -> None:
        self.close_asked.emit(self.tabData(place))
