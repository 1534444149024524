# SPDX-License-Identifier: AGPL-3.0-or-later
"""One parameter as controls made from its declaration: slider and field, choice, switch or text."""

import math
import re
from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontDatabase, QKeyEvent, QValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSlider,
    QToolButton,
    QWidget,
)

from core.declaration import Parameter, Value
from core.errors import ParameterError
from gui.controllers.ghosting import Curve
from gui.panels.ghost_strip import GhostStrip
from gui.scale import Scale
from gui.theme import Theme

STEPS = 1000  # positions of a slider
FIELD_WIDTH = 96
COMBO_WIDTH = 90
LONG_LABEL = 12  # characters: beyond, the row would be wider than the pane
CODES = ("RC", "ICC", "DCC", "BI", "SC", "REG")


class ArithmeticField(QDoubleSpinBox):
    """A number field that also takes sums, such as 512-30."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift makes ten steps of one."""
        arrows = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        if event.key() in arrows and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.stepBy(10 * arrows[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let the signs of arithmetic be typed."""
        allowed = set("0123456789.,+-*/() ")
        if text.strip("−") and set(text) <= allowed:
            return QValidator.State.Acceptable, text, position
        return super().validate(text, position)

    def valueFromText(self, text: str) -> float:
        """The value of the sum."""
        from core.declaration import evaluate_bound

        try:
            value = evaluate_bound(text.replace(",", "").strip() or "0", {})
        except (SyntaxError, ValueError, ZeroDivisionError):
            value = None
        return self.value() if value is None else float(value)


class ParameterRow(QWidget):
    """The controls of one parameter.

    Signals:
        changed: its name, its new value.
        pressed, released: its name; a drag of the slider begins and ends.
    """

    changed = Signal(str, object)
    pressed = Signal(str)
    released = Signal(str)

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"parameter {parameter.name}")
        self.parameter = parameter
        self._value: Value = parameter.default
        self._others: Mapping[str, Value] = {}
        self._is_setting = False
        self._shown: object = None  # what the controls show, None once the user changed one
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 2, 0, 2)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        label = QLabel(label_words(parameter.name))
        label.setWordWrap(len(label.text()) > LONG_LABEL)
        unit = f" ({parameter.unit})" if parameter.unit else ""
        tip = f"{parameter.help}{unit}"
        label.setToolTip(tip)
        self.setToolTip(tip)
        self._grid.addWidget(label, 0, 0)
        self._reset = QToolButton()
        self._reset.setAutoRaise(True)
        self._reset.setText("○")
        self._reset.setToolTip(f"Reset to {parameter.default}")
        self._reset.setAccessibleName(f"Reset {label_words(parameter.name)}")
        self._reset.clicked.connect(self._on_reset)
        self._grid.addWidget(self._reset, 0, 3)
        self._error = QLabel()
        self._error.setObjectName("fieldError")
        self._error.setWordWrap(True)
        self._error.hide()
        self._grid.addWidget(self._error, 3, 0, 1, 4)
        self._slider: QSlider | None = None
        self._field: QDoubleSpinBox | None = None
        self._combo: QComboBox | None = None
        self._box: QCheckBox | None = None
        self._line: QLineEdit | None = None
        self._scale: Scale | None = None
        self._strip: GhostStrip | None = None
        self._build(label)

    @property
    def value(self) -> Value:
        """The value in force."""
        return self._value

    @property
    def slider(self) -> QSlider | None:
        """The slider, if the parameter is a number."""
        return self._slider

    @property
    def field(self) -> QDoubleSpinBox | None:
        """The number field, if the parameter is a number."""
        return self._field

    @property
    def scale(self) -> Scale | None:
        """Between the slider's positions and values."""
        return self._scale

    @property
    def strip(self) -> GhostStrip | None:
        """The strip under the slider, if there is one."""
        return self._strip

    def add_strip(self, theme: Theme) -> None:
        """Put a strip under the slider that shows what other values would do."""
        if self._slider is None or self._field is None or self._strip is not None:
            return
        self._strip = GhostStrip(theme, self._slider)
        self._strip.value_asked.connect(self._announce)
        self._grid.addWidget(self._strip, 2, 0, 1, 4)
        for control in (self._slider, self._field):
            control.installEventFilter(self)

    def show_curve(self, curve: Curve | None) -> None:
        """Show what was counted over the range."""
        if self._strip is not None:
            self._strip.show_curve(curve)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Alt with an arrow key goes to where something changes; not to the page before."""
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or event.modifiers() != Qt.KeyboardModifier.AltModifier:
            return super().eventFilter(watched, event)
        event.accept()
        value = self._strip.neighbour(step) if self._strip is not None else None
        if event.type() == QEvent.Type.KeyPress and value is not None:
            self._announce(value)
        return True

    def show_value(self, value: Value, others: Mapping[str, Value]) -> None:
        """Show a value that came from elsewhere; `others` decide its bounds."""
        shown = (value, self.parameter.default_at(others), self.parameter.bounds(others))
        self._value, self._others = value, others
        if shown == self._shown:
            return
        self._shown = shown
        self._is_setting = True
        try:
            self._show()
        finally:
            self._is_setting = False

    def show_error(self, message: str) -> None:
        """Say below the field why a value is refused; the last valid one stays in force."""
        self._error.setText(message)
        self._error.setVisible(bool(message))

    def _build(self, label: QLabel) -> None:
        kind = self.parameter.type
        if kind in ("integer", "number"):
            self._build_number(label)
        elif kind == "choice":
            self._combo = QComboBox()
            self._combo.addItems(self.parameter.choices)
            self._combo.setEditable(self.parameter.open_choice)
            self._combo.setAccessibleName(label_words(self.parameter.name))
            self._combo.setMinimumWidth(COMBO_WIDTH)
            self._combo.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            self._combo.textActivated.connect(self._on_text)
            self._grid.addWidget(self._combo, 0, 1, 1, 2)
            label.setBuddy(self._combo)
        elif kind == "boolean":
            self._box = QCheckBox()
            self._box.setAccessibleName(label_words(self.parameter.name))
            self._box.toggled.connect(self._on_toggled)
            self._grid.addWidget(self._box, 0, 1, 1, 2)
            label.setBuddy(self._box)
        else:
            self._line = QLineEdit()
            self._line.setAccessibleName(label_words(self.parameter.name))
            if kind == "pattern":
                fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
                self._line.setFont(fixed)
            self._line.editingFinished.connect(self._on_line)
            self._grid.addWidget(self._line, 1, 0, 1, 4)
            label.setBuddy(self._line)
        self._grid.setColumnStretch(1, 1)

    def _build_number(self, label: QLabel) -> None:
        self._field = ArithmeticField()
        self._field.setKeyboardTracking(False)
        self._field.setFixedWidth(FIELD_WIDTH)
        self._field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._field.setAccessibleName(label_words(self.parameter.name))
        self._field.setGroupSeparatorShown(True)
        whole = self.parameter.type == "integer"
        decimals = 0 if whole else max(2, -math.floor(math.log10(min(1, self.parameter.step))))
        self._field.setDecimals(decimals)
        self._field.setSingleStep(self.parameter.step)
        self._field.valueChanged.connect(self._on_number)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(0, STEPS)
        self._slider.setPageStep(STEPS // 20)
        self._slider.setAccessibleName(label_words(self.parameter.name))
        self._slider.valueChanged.connect(self._on_slider)
        self._slider.sliderPressed.connect(self._on_pressed)
        self._slider.sliderReleased.connect(self._on_released)
        self._grid.addWidget(self._field, 0, 2)
        self._grid.addWidget(self._slider, 1, 0, 1, 4)
        label.setBuddy(self._field)

    def _show(self) -> None:
        default = self.parameter.default_at(self._others)
        is_default = self._value == default
        self._reset.setText("○" if is_default else "●")
        self._reset.setEnabled(not is_default)
        self._reset.setToolTip(f"Reset to {_shown(default)}")
        if self._field is not None and self._slider is not None:
            low, high = self.parameter.bounds(self._others)
            low, high = low if low is not None else 0.0, high if high is not None else 1e6
            self._scale = Scale(self.parameter, low, high)
            self._field.setRange(low, high)
            self._field.setValue(float(self._value))  # type: ignore[arg-type]  # a number
            if not self._slider.isSliderDown():
                position = self._scale.position(float(self._value))  # type: ignore[arg-type]
                self._slider.setValue(round(position * STEPS))
            if self._strip is not None:
                self._strip.show_value(self._scale, float(self._value))  # type: ignore[arg-type]
        elif self._combo is not None:
            text = self._value if isinstance(self._value, str) else ", ".join(self._value)  # type: ignore[arg-type]
            self._combo.setCurrentText(text)
        elif self._box is not None:
            self._box.setChecked(bool(self._value))
        elif self._line is not None:
            shown = self._value if isinstance(self._value, str) else ", ".join(self._value)  # type: ignore[arg-type]
            if shown != self._line.text():
                self._line.setText(shown)
                self._line.setCursorPosition(0)

    def _announce(self, value: object) -> None:
        if self._is_setting:
            return
        self._shown = None
        try:
            checked = self.parameter.check(value, self._others)
        except ParameterError as error:
            self.show_error(str(error))
            return
        self.show_error("")
        if checked != self._value:
            self._value = checked
            self.changed.emit(self.parameter.name, checked)

    def _on_number(self, value: float) -> None:
        self._announce(value)

    def _on_slider(self, position: int) -> None:
        if self._scale is not None and not self._is_setting:
            self._announce(self._scale.value(position / STEPS))

    def _on_pressed(self) -> None:
        self.pressed.emit(self.parameter.name)

    def _on_released(self) -> None:
        self.released.emit(self.parameter.name)

    def _on_text(self, text: str) -> None:
        self._announce(text)

    def _on_toggled(self, is_on: bool) -> None:
        self._announce(is_on)

    def _on_line(self) -> None:
        assert self._line is not None, "the signal comes from the line"
        self._announce(self._line.text())

    def _on_reset(self) -> None:
        self._announce(self.parameter.default_at(self._others))


def label_words(name: str) -> str:
    """A parameter's name as words: "tail.rule" is "tail rule", "sc_min" is "SC min"."""
    words = re.split(r"[._]", name)
    return " ".join(word.upper() if word.upper() in CODES else word for word in words)


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(value) if isinstance(value, tuple) else f"{value}"
