# SPDX-License-Identifier: AGPL-3.0-or-later
"""The visible strategies: colour, name, chunks; choose, hide, pin, compare, remove."""

import functools

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from gui.icons import icon
from gui.panels.slot_names import elided, slot_names
from gui.state import MOST_SLOTS, Slot, State
from gui.theme import DASHES, Theme

SWATCH = QSize(22, 12)
OUTDATED = "Its chunks are being made; those of before stay on the pages until then"


class SlotList(QWidget):
    """One row a visible strategy.

    Signals:
        add_asked: the user wants one more.
    """

    add_asked = Signal()

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        self._rows: dict[int, _Row] = {}
        self._names: dict[int, str] = {}
        self._add = QToolButton()
        self._add.setText("+ Show another strategy")
        self._add.setToolTip(f"Up to {MOST_SLOTS} strategies are shown at once")
        self._add.setAutoRaise(True)
        self._add.clicked.connect(self.add_asked)
        self._column.addWidget(self._add)
        state.slots_changed.connect(self._refresh)
        state.chosen_changed.connect(self._on_change)
        state.compared_changed.connect(self._on_change)
        state.chunks_changed.connect(self._on_chunks)
        state.chunks_outdated.connect(self._on_chunks)
        state.current_changed.connect(self._on_change)
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        for slot_id in list(self._rows):
            self._drop(slot_id)
        self._refresh()

    def _refresh(self) -> None:
        wanted = {slot.id for slot in self._state.slots}
        for slot_id in [each for each in self._rows if each not in wanted]:
            self._drop(slot_id)
        self._names = slot_names(self._state.slots)
        for place, slot in enumerate(self._state.slots):
            if slot.id not in self._rows:
                row = _Row(self._state, slot.id, slot.colour, self._theme)
                self._rows[slot.id] = row
                self._column.insertWidget(place, row)
            self._rows[slot.id].show_slot(slot, self._names[slot.id])
        self._add.setVisible(len(self._state.slots) < MOST_SLOTS)

    def _drop(self, slot_id: int) -> None:
        row = self._rows.pop(slot_id)
        row.hide()
        row.deleteLater()

    def _on_change(self, _: object) -> None:
        self._refresh()

    def _on_chunks(self, document: str, slot: int) -> None:
        del document
        shown = self._state.slot(slot)
        if shown is not None and slot in self._rows:
            self._rows[slot].show_slot(shown, self._names[slot])


class _Row(QWidget):
    """One visible strategy."""

    def __init__(self, state: State, slot: int, colour: int, theme: Theme) -> None:
        super().__init__()
        self._state = state
        self._slot = slot
        self._name = QToolButton()
        self._name.setCheckable(True)
        self._name.setAutoRaise(True)
        self._name.setIcon(swatch(theme, colour))
        self._name.setIconSize(SWATCH)
        self._name.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._name.setObjectName("slotName")
        self._name.clicked.connect(self._choose)
        self._count = QLabel()
        self._count.setObjectName("muted")
        self._shown = _switch("", "Show its lines and lane on the pages", self._show)
        self._shown.setIcon(icon("eye", theme, name_off="closed eye"))
        self._pin = _switch("", "Keep its lines across the text", self._pin_it)
        self._pin.setIcon(icon("pin", theme))
        self._compare = _switch("B", "Compare the chosen strategy (A) with this one", self._as_b)
        self._remove = QToolButton()
        self._remove.setIcon(icon("cross", theme))
        self._remove.setAccessibleName("Remove from the pages")
        self._remove.setAutoRaise(True)
        self._remove.setToolTip("Remove from the pages")
        self._remove.clicked.connect(self._remove_it)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._name, 1)
        row.addWidget(self._count)
        for button in (self._shown, self._pin, self._compare, self._remove):
            row.addWidget(button)

    def show_slot(self, slot: Slot, name: str) -> None:
        """Show its name, marks and number of chunks."""
        is_chosen = slot.id == self._state.chosen
        mark = "A  " if is_chosen else ""
        self._name.setText(f"{mark}{elided(name, self._name.fontMetrics())}")
        self._name.setToolTip(f"{slot.recipe.strategy.declaration.name}\n{slot.recipe.word}")
        self._name.setChecked(is_chosen)
        self._shown.setChecked(slot.is_visible)
        self._pin.setChecked(slot.is_pinned)
        self._compare.setChecked(slot.id == self._state.compared)
        self._compare.setEnabled(not is_chosen)
        current = self._state.current
        result = current.result(slot.id) if current is not None else None
        chunks = result.chunks if result is not None else None
        count, tip = "" if chunks is None else f"{len(chunks):,}", "Chunks"
        if result is not None and result.is_outdated:
            count, tip = ("✕", result.error) if result.error else ("…", OUTDATED)
        self._count.setText(count)
        self._count.setToolTip(tip)

    def _choose(self) -> None:
        self._state.set_chosen(self._slot)

    def _show(self, is_on: bool) -> None:
        self._state.set_slot_visible(self._slot, is_on)

    def _pin_it(self, is_on: bool) -> None:
        self._state.set_slot_pinned(self._slot, is_on)

    def _as_b(self, is_on: bool) -> None:
        self._state.set_compared(self._slot if is_on else -1)

    def _remove_it(self) -> None:
        self._state.remove_slot(self._slot)


def _switch(text: str, tip: str, toggled: object) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.clicked.connect(toggled)
    return button


def swatch(theme: Theme, colour: int) -> QIcon:
    """A strategy's colour and dash as an icon."""
    return _swatch(theme.strategies[colour].rgba(), colour)


@functools.cache
def _swatch(ink: int, colour: int) -> QIcon:
    pixmap = QPixmap(SWATCH * 2)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    pen = QPen(QColor.fromRgba(ink), 3)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if DASHES[colour]:
        pen.setDashPattern([max(0.8, length / 2) for length in DASHES[colour]])
    painter.setPen(pen)
    middle = SWATCH.height() / 2
    painter.drawLine(QPointF(1, middle), QPointF(SWATCH.width() - 1, middle))
    painter.end()
    return QIcon(pixmap)
