# SPDX-License-Identifier: AGPL-3.0-or-later
"""The strategy card: what is visible, what the chosen strategy is, and its parameters."""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.declaration import Declaration, Parameter, Value
from core.errors import ChunkscopeError
from core.strategies.recipe import Recipe
from core.strategies.shared_options import SHARED_OPTIONS
from gui.controllers.chunking import Chunking
from gui.controllers.ghosting import Curve, Ghosting, counted_parameters
from gui.panels.parameter_row import ParameterRow
from gui.panels.preset_box import PresetBox
from gui.panels.slot_list import SlotList
from gui.panels.slot_names import slot_names
from gui.state import Slot, SlotResult, State
from gui.theme import Theme

HIDDEN_OPTIONS = frozenset({"query"})  # the query box sets it
SPEED_HELP = "Measured on this document and machine: ⚡ in the same frame, ◔ under 150 ms, ◑ longer"

BUTTON_MARGIN = 20  # between a button's edges and its text, both sides


class StrategyPanel(QWidget):
    """Shows the chosen slot's recipe and lets the user change it.

    Signals:
        picker_asked: the user wants to choose a strategy for a slot id, −1 for a new one.
        drag_ended: the slot id; a slider was let go.
    """

    picker_asked = Signal(int)
    drag_ended = Signal(int)

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strategyPanel")
        self._state = state
        self._theme = theme
        self._chunking: Chunking | None = None
        self._ghosting: Ghosting | None = None
        self._rows: dict[str, ParameterRow] = {}
        self._shown_code = ""
        self._slots = SlotList(state, theme)
        self._slots.add_asked.connect(self._ask_new)
        self._name = _ElidedButton("Choose a strategy…")
        self._name.setObjectName("strategyName")
        self._name.setToolTip("Choose another strategy (Ctrl+K, S)")
        self._name.clicked.connect(self._ask_change)
        self._help = QLabel()
        self._help.setWordWrap(True)
        self._help.setObjectName("muted")
        self._facts = QLabel()
        self._facts.setObjectName("chunkCount")
        self._error = QLabel()
        self._error.setObjectName("fieldError")
        self._error.setWordWrap(True)
        self._error.hide()
        self._notes = QLabel()
        self._notes.setObjectName("muted")
        self._notes.setWordWrap(True)
        self._notes.hide()
        self._presets = PresetBox()
        self._presets.recipe_asked.connect(self._apply)
        self._own = _Column()
        self._shared = _Column()
        self._shared_switch = QToolButton()
        self._shared_switch.setText("Options shared by all strategies")
        self._shared_switch.setCheckable(True)
        self._shared_switch.setArrowType(Qt.ArrowType.RightArrow)
        self._shared_switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._shared_switch.setAutoRaise(True)
        self._shared_switch.toggled.connect(self._show_shared)
        self._build()
        self._shared.hide()
        state.slots_changed.connect(self._refresh)
        state.chosen_changed.connect(self._on_chosen)
        state.current_changed.connect(self._on_chosen)
        state.chunks_changed.connect(self._on_chunks)
        state.chunks_outdated.connect(self._on_chunks)
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self._slots.set_theme(theme)
        for row in self._rows.values():
            if row.strip is not None:
                row.strip.set_theme(theme)

    def attach(self, chunking: Chunking, ghosting: Ghosting) -> None:
        """Show how quick the strategy is, and what other values of its numbers would do."""
        self._chunking, self._ghosting = chunking, ghosting
        chunking.speed_noted.connect(self._show_facts)
        ghosting.counted.connect(self._on_counted)
        self._refresh()

    def row(self, name: str) -> ParameterRow | None:
        """The controls of a parameter of the chosen strategy."""
        return self._rows.get(name)

    def show_refusal(self, slot: int, message: str) -> None:
        """Say that a recipe was refused; the last valid chunks stay."""
        if slot == self._state.chosen:
            self._error.setText(message)
            self._error.setVisible(bool(message))

    def _build(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(6)
        column.addWidget(self._slots)
        column.addWidget(_rule())
        column.addWidget(self._name)
        column.addWidget(self._help)
        column.addWidget(self._facts)
        column.addWidget(self._error)
        column.addWidget(self._notes)
        column.addWidget(self._presets)
        column.addWidget(self._own)
        column.addWidget(self._shared_switch)
        column.addWidget(self._shared)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    # showing

    def _on_chosen(self, _: object) -> None:
        self._refresh()

    def _refresh(self) -> None:
        chosen = self._state.chosen_slot
        for widget in (self._help, self._presets, self._own, self._shared_switch):
            widget.setVisible(chosen is not None)
        if chosen is None:
            self._name.show_text("Choose a strategy…")
            self._shown_code = ""
            return
        recipe = chosen.recipe
        declaration = recipe.strategy.declaration
        if self._shown_code != _shape(declaration):
            self._make_rows(declaration, recipe)
        self._name.show_text(f"{declaration.code} · {declaration.name}")
        self._help.setText(declaration.help)
        self._help.setToolTip(f"Source: {declaration.source}")
        self._presets.show_recipe(recipe)
        self._show_values(recipe)
        self._show_facts()

    def _make_rows(self, declaration: Declaration, recipe: Recipe) -> None:
        self._shown_code = _shape(declaration)
        self._rows.clear()
        self._own.clear()
        self._shared.clear()
        counted = {parameter.name for parameter in counted_parameters(recipe)}
        for parameter in declaration.parameters:
            self._add_row(parameter, self._own, counted)
        if self._shared_switch.isChecked():
            self._make_shared_rows(declaration, recipe)

    def _make_shared_rows(self, declaration: Declaration, recipe: Recipe) -> None:
        """Rows that are rarely opened; they would be half of what a change of strategy costs."""
        own = {parameter.name for parameter in declaration.parameters}
        counted = {parameter.name for parameter in counted_parameters(recipe)}
        for parameter in SHARED_OPTIONS:
            if parameter.name not in own and parameter.name not in HIDDEN_OPTIONS:
                self._add_row(parameter, self._shared, counted)

    def _add_row(self, parameter: Parameter, column: "_Column", counted: Collection[str]) -> None:
        row = ParameterRow(parameter)
        row.changed.connect(self._on_changed)
        row.released.connect(self._on_released)
        if parameter.name in counted:
            row.add_strip(self._theme)
        if self._ghosting is not None:
            row.show_curve(self._ghosting.curve(parameter.name))
        self._rows[parameter.name] = row
        column.add(row)

    def _show_values(self, recipe: Recipe) -> None:
        values: dict[str, Value] = dict(recipe.shared.values) | recipe.parameters
        for name, row in self._rows.items():
            row.show_value(values[name], values)
            row.setEnabled(matters(name, values))

    def _on_counted(self, slot: int, name: str, curve: object) -> None:
        if slot == self._state.chosen and name in self._rows:
            assert isinstance(curve, Curve), "counting makes curves"
            self._rows[name].show_curve(curve)

    def _on_chunks(self, document: str, slot: int) -> None:
        del slot  # the chunks of another strategy may be the same as ours
        current = self._state.current
        if current is not None and current.id == document:
            self._show_facts()

    def _show_facts(self, *_: object) -> None:
        """How many chunks, how quick, the same as which other, and what the strategy tells."""
        chosen, result = self._state.chosen_slot, self._state.chosen_result
        if chosen is None or result is None or self._state.current is None:
            self._facts.clear()
            return
        self._error.setText(result.error)
        self._error.setVisible(bool(result.error))
        chunks = result.chunks
        if chunks is None or result.is_outdated:
            self._facts.setText(self._waiting_words(chosen, result))
            self._notes.hide()
            return
        word = "chunk" if len(chunks) == 1 else "chunks"
        said = f"{len(chunks):,} {word}{' so far' if result.is_provisional else ''}"
        if self._chunking is not None:
            speed = self._chunking.speed(self._state.current.id, chosen.recipe.code)
            if speed is not None:
                said += f"  ·  {speed.glyph} {speed.words}"
                self._facts.setToolTip(SPEED_HELP)
        self._facts.setText(said)
        told = sorted(chunks.notices, key=lambda notice: notice.kind != "adaptive")
        notes = [notice.message for notice in told]
        same = same_chunks(self._state)
        if same:
            notes.insert(0, f"Same chunks as {', '.join(same)}")
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))

    def _waiting_words(self, chosen: Slot, result: SlotResult) -> str:
        """What is awaited; chunks of before stay on the pages, and are not passed off as new."""
        waits = self._chunking is not None and self._chunking.waits_for_model(chosen)
        said = "not made" if result.error else "being made…"
        said, before = "waiting for the model" if waits else said, result.chunks
        return said if before is None else f"{said}  ·  {len(before):,} of before are shown"

    def _show_shared(self, is_on: bool) -> None:
        chosen = self._state.chosen_slot
        if is_on and chosen is not None and self._shared.is_empty:
            self._make_shared_rows(chosen.recipe.strategy.declaration, chosen.recipe)
            self._show_values(chosen.recipe)
        self._shared.setVisible(is_on)
        if self._ghosting is not None:
            self._ghosting.set_with_shared(is_on)
        arrow = Qt.ArrowType.DownArrow if is_on else Qt.ArrowType.RightArrow
        self._shared_switch.setArrowType(arrow)

    # changing

    def _on_changed(self, name: str, value: object) -> None:
        self._change({name: value})

    def _apply(self, recipe: object) -> None:
        assert isinstance(recipe, Recipe), "presets are recipes"
        self._state.set_recipe(self._state.chosen, recipe)

    def _change(self, settings: Mapping[str, object]) -> None:
        chosen = self._state.chosen_slot
        if chosen is None:
            return
        try:
            recipe = chosen.recipe.with_settings(settings)
        except ChunkscopeError as error:
            for name in settings:
                self._rows[name].show_error(str(error))
            return
        for name in settings:
            self._rows[name].show_error("")
        self._state.set_recipe(chosen.id, recipe)

    def _on_released(self, name: str) -> None:
        del name
        self.drag_ended.emit(self._state.chosen)

    def _ask_change(self) -> None:
        self.picker_asked.emit(self._state.chosen)

    def _ask_new(self) -> None:
        self.picker_asked.emit(-1)


def matters(name: str, values: Mapping[str, Value]) -> bool:
    """False for a shared option that changes nothing while another one is off."""
    group, _, part = name.partition(".")
    if group == "reg" and part:
        return bool(values["reg"])
    if name == "tail.min":
        return values["tail.rule"] != "keep"
    return name != "cap.length" or bool(values["cap.max"])


def same_chunks(state: State) -> Sequence[str]:
    """Names of other visible strategies whose chunks on this document are those of the chosen."""
    current, chosen = state.current, state.chosen_slot
    if current is None or chosen is None:
        return ()
    own = current.result(chosen.id).chunks
    if own is None or not len(own):
        return ()
    others = [(slot, current.result(slot.id).chunks) for slot in state.slots if slot is not chosen]
    same = [s.id for s, chunks in others if chunks is not None and chunks.key == own.key]
    names = slot_names(state.slots) if same else {}  # a tick of a slider comes by here
    return [names[each] for each in same]


class _ElidedButton(QPushButton):
    """A button whose text ends in … where there is no room for all of it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._whole = text
        self.setMinimumWidth(0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str) -> None:
        """Show another text."""
        self._whole = text
        self.setAccessibleName(text)
        room = self.width() - BUTTON_MARGIN
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the text for the new width."""
        super().resizeEvent(event)
        self.show_text(self._whole)


class _Column(QWidget):
    """Rows of parameters, one below the other."""

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)

    @property
    def is_empty(self) -> bool:
        return not self._column.count()

    def add(self, row: QWidget) -> None:
        self._column.addWidget(row)

    def clear(self) -> None:
        while self._column.count():
            item = self._column.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def _shape(declaration: Declaration) -> str:
    return " ".join([declaration.code, *(parameter.name for parameter in declaration.parameters)])


def _rule() -> QFrame:
    rule = QFrame()
    rule.setFrameShape(QFrame.Shape.HLine)
    rule.setObjectName("rule")
    return rule
