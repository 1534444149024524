# SPDX-License-Identifier: AGPL-3.0-or-later
"""Weights of the mean and options of the scores, made from their declarations."""

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from core.declaration import Parameter
from core.errors import ChunkscopeError
from core.scores.mean import CODES
from core.scores.options import MODES, PARAMETERS, ScoreOptions, score_options
from gui.panels.parameter_row import ParameterRow

MODE = Parameter(
    "mode",
    "default",
    "default: defects of the released program are put right; reference: equal to it",
    type="choice",
    choices=MODES,
)
WEIGHT_PRESETS: Mapping[str, tuple[float, ...]] = {
    "Equal, as published": (1, 1, 1, 1, 1),
    "Without a model: RC, BI, SC": (1, 0, 0, 1, 1),
    "Meaning: ICC, DCC": (0, 1, 1, 0, 0),
    "Structure: RC, BI": (1, 0, 0, 1, 0),
    "Retrieval: references and cohesion first": (2, 2, 1, 1, 1),
}
OWN_WEIGHTS = "Own weights"


class ScoreSettings(QFrame):
    """A panel that drops down below its button.

    Signals:
        options_changed: the ScoreOptions.
    """

    options_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("scoreSettings")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._options = ScoreOptions()
        self.presets = QComboBox()
        self.presets.setAccessibleName("Weights")
        self.presets.addItems([*WEIGHT_PRESETS, OWN_WEIGHTS])
        self.presets.textActivated.connect(self._on_preset)
        self.weights = {code: ParameterRow(_weight(code)) for code in CODES}
        self.rows = {each.name: ParameterRow(each) for each in (MODE, *PARAMETERS)}
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(QLabel("Weights of the mean"))
        left.addWidget(self.presets)
        right.addWidget(QLabel("Options"))
        for row in self.weights.values():
            row.changed.connect(self._on_weight)
            left.addWidget(row)
        for row in self.rows.values():
            row.changed.connect(self._on_option)
            right.addWidget(row)
        left.addStretch(1)
        right.addStretch(1)
        grid.addLayout(left, 0, 0)
        grid.addLayout(right, 0, 1)
        self.setLayout(grid)
        self.setMinimumWidth(640)
        self.show_options(self._options)

    def show_options(self, options: ScoreOptions) -> None:
        """Show what is in force."""
        self._options = options
        for code, row in self.weights.items():
            row.show_value(options.weights[code], {})
        values = options.parameters() | {"mode": options.mode}
        for name, row in self.rows.items():
            row.show_value(values[name], values)
        mine = tuple(options.weights[code] for code in CODES)
        known = [name for name, weights in WEIGHT_PRESETS.items() if weights == mine]
        self.presets.setCurrentText(known[0] if known else OWN_WEIGHTS)

    def _on_preset(self, name: str) -> None:
        if name in WEIGHT_PRESETS:
            self._weigh(dict(zip(CODES, WEIGHT_PRESETS[name], strict=True)))

    def _on_weight(self, code: str, value: object) -> None:
        self._weigh(dict(self._options.weights) | {code: float(value)})  # type: ignore[arg-type]

    def _weigh(self, weights: dict[str, float]) -> None:
        self._change(replace(self._options, weights=weights))

    def _on_option(self, name: str, value: object) -> None:
        values: dict[str, object] = dict(self._options.parameters())
        mode = self._options.mode
        if name == "mode":
            mode = str(value)  # type: ignore[assignment]  # one of the choices
        else:
            values[name] = value
        try:
            made = score_options(values, mode=mode, weights=self._options.weights)
        except ChunkscopeError as error:
            self.rows[name].show_error(str(error))
            return
        self._change(made)

    def _change(self, options: ScoreOptions) -> None:
        self.show_options(options)
        self.options_changed.emit(options)


def _weight(code: str) -> Parameter:
    return Parameter(
        code,
        1.0,
        f"Weight of {code} in the mean; 0 leaves it out",
        type="number",
        minimum=0,
        maximum=5,
        step=0.1,
    )
