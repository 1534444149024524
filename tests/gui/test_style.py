# SPDX-License-Identifier: AGPL-3.0-or-later
"""Qt's own widgets in the themes' colours: what is chosen can be read."""

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QComboBox, QMenu
from pytestqt.qtbot import QtBot

from gui.style import style_sheet
from gui.theme import DARK, LIGHT, Theme, palette

NEAR = 24  # of a colour's parts, which smoothed letters only come near to


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Theme:
    before = qapp.palette(), qapp.styleSheet()
    qapp.setPalette(palette(request.param))
    qapp.setStyleSheet(style_sheet(request.param))
    yield request.param
    qapp.setPalette(before[0])
    qapp.setStyleSheet(before[1])


def has(image: QImage, colour: QColor) -> bool:
    """Whether some pixel is nearly of a colour."""
    parts = colour.red(), colour.green(), colour.blue()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return any(
        all(abs(one - two) < NEAR for one, two in zip(pixel.getRgb()[:3], parts, strict=True))
        for pixel in pixels
    )


def test_a_menu_entry_under_the_pointer_is_legible(theme: Theme, qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    entry = menu.addAction("HILL")
    menu.addAction("other")
    menu.popup(menu.pos())
    menu.setActiveAction(entry)

    image = menu.grab(menu.actionGeometry(entry).adjusted(2, 2, -2, -2)).toImage()

    assert has(image, theme.accent) and has(image, theme.base)
    assert not has(image, theme.text)


def test_the_chosen_row_of_a_list_of_choices_is_legible(theme: Theme, qtbot: QtBot) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["HILL", "other"])
    box.show()
    box.showPopup()
    view = box.view()

    image = view.viewport().grab(view.visualRect(view.currentIndex())).toImage()

    box.hidePopup()
    assert has(image, theme.accent) and has(image, theme.base)
    assert not has(image, theme.text)
