# SPDX-License-Identifier: AGPL-3.0-or-later
"""The list of notices of the document shown; a click goes to the page."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.document.model import Notice

WIDTH, MOST_HEIGHT = 460, 320
_PAGE = Qt.ItemDataRole.UserRole


class NoticeList(QWidget):
    """Pops up over the status bar.

    Signals:
        page_asked: index of the page of a notice.
    """

    page_asked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("noticeList")
        self._list = QListWidget()
        self._list.setWordWrap(True)
        self._list.setAccessibleName("Notices")
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemClicked.connect(self._go)
        self._list.itemActivated.connect(self._go)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(self._list)

    def open_with(self, notices: tuple[Notice, ...], corner: QPoint) -> None:
        """Show notices; `corner` is where the right bottom corner goes, on the screen."""
        self._list.clear()
        for notice in notices:
            where = "" if notice.page is None else f"Page {notice.page + 1}: "
            item = QListWidgetItem(f"▲ {where}{notice.message}")
            item.setData(_PAGE, notice.page)
            self._list.addItem(item)
        self.resize(WIDTH, MOST_HEIGHT)
        rows = sum(self._list.sizeHintForRow(row) + 2 for row in range(self._list.count()))
        self.resize(WIDTH, min(MOST_HEIGHT, rows + 12))
        self.move(corner - QPoint(self.width(), self.height()))
        self.show()
        self._list.setFocus()

    def _go(self, item: QListWidgetItem) -> None:
        page = item.data(_PAGE)
        if page is not None:
            self.hide()
            self.page_asked.emit(int(page))
