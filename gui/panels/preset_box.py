# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which preset the chosen strategy is at: published ones, the user's own, or own values."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from core.strategies.recipe import Recipe, make_recipe
from gui.own_presets import delete_preset, own_presets, save_preset

PUBLISHED = "As published"
OWN_VALUES = "Own values"
MINE = "★ "


class PresetBox(QWidget):
    """A list of presets, and a field to save the values in force under a name.

    Signals:
        recipe_asked: the Recipe of the preset that was chosen.
    """

    recipe_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._recipe: Recipe | None = None
        self._presets: dict[str, Recipe] = {}
        self.box = QComboBox()
        self.box.setAccessibleName("Preset")
        self.box.setMinimumContentsLength(12)
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.textActivated.connect(self._on_chosen)
        self.save = _button("Save", "Save the values in force as a preset of your own")
        self.save.setCheckable(True)
        self.save.toggled.connect(self._ask_name)
        self.delete = _button("Delete", "Delete this preset of your own")
        self.delete.clicked.connect(self._delete)
        self.reset = _button("Reset", "All parameters as published (Ctrl+R)")
        self.reset.clicked.connect(self._reset)
        self.name = QLineEdit()
        self.name.setPlaceholderText("Name of the preset, then Enter")
        self.name.setAccessibleName("Name of the preset")
        self.name.returnPressed.connect(self._save)
        self.name.hide()
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.box, 1)
        for button in (self.save, self.delete, self.reset):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.name)

    def show_recipe(self, recipe: Recipe) -> None:
        """Say which preset the recipe is; while a slider moves only the name changes."""
        if self._recipe is None or self._recipe.code != recipe.code:
            self._list(recipe)
        self._recipe = recipe
        same = [name for name, preset in self._presets.items() if preset == recipe]
        name = same[0] if same else OWN_VALUES
        self.box.setCurrentText(name)
        self.delete.setVisible(name.startswith(MINE))
        self.reset.setEnabled(self._presets[PUBLISHED] != recipe)

    def _list(self, recipe: Recipe) -> None:
        declaration = recipe.strategy.declaration
        self._presets = {PUBLISHED: make_recipe(recipe.code)}
        for preset in declaration.presets:
            self._presets[preset.name] = make_recipe(recipe.code, preset.parameters)
        for name, own in own_presets(recipe.code).items():
            self._presets[MINE + name] = own
        self.box.clear()
        self.box.addItems([*self._presets, OWN_VALUES])
        for place, name in enumerate(self._presets):
            word = self._presets[name].word
            self.box.setItemData(place, word, Qt.ItemDataRole.ToolTipRole)

    def _on_chosen(self, name: str) -> None:
        if name in self._presets:
            self.recipe_asked.emit(self._presets[name])

    def _reset(self) -> None:
        self.recipe_asked.emit(self._presets[PUBLISHED])

    def _ask_name(self, is_on: bool) -> None:
        self.name.setVisible(is_on)
        if is_on:
            self.name.setFocus()

    def _save(self) -> None:
        name = self.name.text().strip()
        if name and self._recipe is not None:
            save_preset(name, self._recipe)
            self._again(self._recipe)
            self.box.setCurrentText(MINE + name)
            self.delete.show()
        self.name.clear()
        self.save.setChecked(False)

    def _delete(self) -> None:
        if self._recipe is not None:
            name = self.box.currentText().removeprefix(MINE)
            delete_preset(name, self._recipe.code)
            self._again(self._recipe)

    def _again(self, recipe: Recipe) -> None:
        self._recipe = None
        self.show_recipe(recipe)


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAutoRaise(True)
    return button
