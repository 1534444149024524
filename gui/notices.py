# SPDX-License-Identifier: AGPL-3.0-or-later
"""The list of notices of the document shown; a click goes to the page."""

import re
from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.document.model import Notice
from core.document.page_notices import name_pages

WIDTH, MOST_HEIGHT = 460, 320
_PAGE = Qt.ItemDataRole.UserRole
_OF_ITS_PAGE = re.compile(r"^Page \d+ | of page \d+")  # said once more in the message


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
        for message, page in rows_of(notices):
            item = QListWidgetItem(f"▲ {message}")
            item.setData(_PAGE, page)
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


def rows_of(notices: Iterable[Notice]) -> list[tuple[str, int | None]]:
    """What is said, and the page to go to; the same of many pages is one row."""
    rows: dict[tuple[str, str], list[int]] = {}
    for notice in notices:
        message = _OF_ITS_PAGE.sub("", notice.message) if notice.page is not None else ""
        pages = rows.setdefault((notice.kind, message or notice.message), [])
        if notice.page is not None:
            pages.append(notice.page)
    return [
        (f"{_capital(name_pages(pages))}: {message}", min(pages)) if pages else (message, None)
        for (_, message), pages in rows.items()
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
