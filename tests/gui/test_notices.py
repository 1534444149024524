# SPDX-License-Identifier: AGPL-3.0-or-later
"""The list of notices: one row for what is true of many pages."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QListWidget

from core.document.model import Notice
from gui.notices import NoticeList, rows_of


def garbled(page: int) -> Notice:
    return Notice(page, "garbled", f"Text of page {page + 1} is not readable (no character map)")


def test_the_same_of_many_pages_is_one_row():
    notices = [Notice(None, "control", "Control characters, removed: 5")]
    notices += [garbled(page) for page in (1, 2, 3, 7)]

    assert rows_of(notices) == [
        ("Control characters, removed: 5", None),
        ("Pages 2–4, 8: Text is not readable (no character map)", 1),
    ]


def test_a_notice_of_one_page_names_it_once():
    assert rows_of([garbled(4)]) == [("Page 5: Text is not readable (no character map)", 4)]


def test_different_reasons_stay_apart():
    reasons = [Notice(p, "page_failed", f"Page {p + 1} cannot be read: {p}") for p in (0, 1)]
    assert len(rows_of(reasons)) == 2


def test_a_click_goes_to_the_first_page(qtbot):
    popup = NoticeList()
    qtbot.addWidget(popup)
    popup.open_with(tuple(garbled(page) for page in (5, 6)), QPoint(500, 500))
    rows = popup.findChild(QListWidget)

    with qtbot.waitSignal(popup.page_asked) as asked:
        rows.itemClicked.emit(rows.item(0))

    assert asked.args == [5]
