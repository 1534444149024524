# SPDX-License-Identifier: AGPL-3.0-or-later
"""What is evaluated and how: strategies, k, retrieval, vectors, pool, models."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import ChunkscopeError, ParameterError
from core.search.evaluation import Options
from core.strategies.recipe import Recipe
from gui.controllers.evaluating import Wanted
from gui.panels.evaluation import candidates
from gui.panels.search_options import MODES, VECTORS
from gui.state import State

WHICH = (
    ("Shown strategies", "shown"),
    ("All presets", "presets"),
    ("Typed list", "typed"),
    ("Parameter range", "range"),
)
THIS = "this"
POOLS = (
    ("one pool", "all", "All open documents are searched together"),
    ("each document", "document", "Each document is searched by itself"),
    ("each tag", "tag", "The documents of each tag are searched together"),
    ("this document", THIS, "Only the document shown; questions of others are left out"),
)
POOL_WORDS = {
    "all": "{all} searched together, as one pool",
    "document": "{all} searched each by itself",
    "tag": "{all} searched together where they share a tag",
    THIS: "only {name} is searched",
}
VECTOR_WORDS = {
    "ordinary": "ordinary vectors, as a pipeline would store them (Queries & hits: {queries})",
    "late": "late vectors, pooled from the document",
    "windows": "window vectors",
}
WIDEST_VALUE = 1e9
LEAST_CHARACTERS = 7  # of a choice that is squeezed
LONGER = 13  # of those whose words are longer


class Setup(QWidget):
    """One row of choices, and a second one for a typed list or a range.

    Signals:
        run_asked: a `Wanted`.
        cancel_asked: stop what runs.
        refused: why nothing can be run.
        tags_asked: the tags of documents are to be typed.
        hint_changed: `hint`, what the choices mean, reads otherwise.
    """

    run_asked = Signal(object)
    cancel_asked = Signal()
    refused = Signal(str)
    tags_asked = Signal()
    hint_changed = Signal()

    def __init__(self, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.which = _combo("Strategies", WHICH)
        self.typed = QLineEdit()
        self.typed.setPlaceholderText("RC:size=1000,overlap=200 SGC:group=3 …")
        self.typed.setAccessibleName("Strategies as one-word recipes")
        self.parameter = QComboBox()
        self.parameter.setAccessibleName("Parameter")
        self.low, self.high = _number("From"), _number("to")
        self.count = QSpinBox()
        self.count.setRange(2, candidates.MOST_VALUES)
        self.count.setValue(6)
        self.count.setSuffix(" values")
        self.k = QSpinBox()
        self.k.setRange(1, 50)
        self.k.setValue(state.top_k)
        self.k.setPrefix("top ")
        self.k.setAccessibleName("Hits that count")
        self.retrieval = _combo("Retrieval", MODES)
        self.vectors = _combo("Vectors", VECTORS)
        self.vectors.setCurrentIndex(self.vectors.findData("ordinary"))
        for box in (self.which, self.vectors):
            box.setMinimumContentsLength(LONGER)
        self._make_pool()
        self.intrinsic = QCheckBox("intrinsic")
        self.intrinsic.setToolTip("Also RC, ICC, DCC, BI and SC of each strategy")
        self.without_duplicates = QCheckBox("ignore duplicates")
        self.without_duplicates.setToolTip(
            "A hit that nearly repeats a higher one is taken out of the ranking"
        )
        self.models = QMenu(self)
        self._models_button = QToolButton()
        self._models_button.setMenu(self.models)
        self._models_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._models_button.setAccessibleName("Models")
        self.run = QPushButton("Run")
        self.run.setDefault(True)
        self.cancel = QPushButton("Cancel")
        self.cancel.hide()
        self._build()
        self._fill_models()
        self._connect()
        self._on_which()
        self._show_hint()

    def _make_pool(self) -> None:
        """What is searched together, and the sentence that says so."""
        self.pool = _combo("Pool", POOLS)
        for place, (_, _, tip) in enumerate(POOLS):
            self.pool.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)
        self.hint = ""
        self._searched_vectors = VECTORS[0][0]
        self.tags = QToolButton()
        self.tags.setText("Tags…")
        self.tags.setToolTip("Tags of documents, for a pool for each tag")
        self.tags.clicked.connect(self.tags_asked)

    def _connect(self) -> None:
        self.which.currentIndexChanged.connect(self._on_which)
        self.pool.currentIndexChanged.connect(self._on_which)
        self.parameter.currentIndexChanged.connect(self._on_parameter)
        self.run.clicked.connect(self.ask)
        self.cancel.clicked.connect(self.cancel_asked)
        self._state.chosen_changed.connect(self._on_which)
        self._state.slots_changed.connect(self._on_which)
        for box in (self.pool, self.vectors, self.retrieval):
            box.currentIndexChanged.connect(self._show_hint)
        self._state.documents_changed.connect(self._show_hint)
        self._state.current_changed.connect(self._show_hint)

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(4)
        for widget in (self.which, self.k, self.retrieval, self.vectors, self.pool, self.tags):
            row.addWidget(widget)
        for other in (self._models_button, self.intrinsic, self.without_duplicates):
            row.addWidget(other)
        row.addStretch(1)
        row.addWidget(self.run)
        row.addWidget(self.cancel)
        second = QHBoxLayout()
        second.addWidget(self.typed, 1)
        for part in (self.parameter, self.low, self.high, self.count):
            second.addWidget(part)
        self._second = QWidget()
        self._second.setLayout(second)
        second.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._second)

    def _fill_models(self) -> None:
        for entry in candidates.models_here():
            self.offer_model(entry.id)
        self.models.actions()[0].setChecked(True)

    def offer_model(self, name: str) -> None:
        """Offer one more model: of a folder or endpoint of the user's, or one that was fetched."""
        if any(each.data() == name for each in self.models.actions()):
            return
        action = QAction(name.rsplit("/", maxsplit=1)[-1], self.models)
        action.setToolTip(name)
        action.setCheckable(True)
        action.setData(name)
        action.toggled.connect(self._show_models)
        self.models.addAction(action)
        self._show_models()

    @property
    def chosen_models(self) -> tuple[str, ...]:
        """The models that are ticked."""
        return tuple(str(each.data()) for each in self.models.actions() if each.isChecked())

    def _show_models(self, *_: object) -> None:
        chosen = self.chosen_models
        words = chosen[0].split("/")[-1] if len(chosen) == 1 else f"{len(chosen)} models"
        self._models_button.setText(words)

    def _on_which(self, *_: object) -> None:
        which = self.which.currentData()
        self.tags.setVisible(self.pool.currentData() == "tag")
        self._second.setVisible(which in ("typed", "range"))
        self.typed.setVisible(which == "typed")
        for widget in (self.parameter, self.low, self.high, self.count):
            widget.setVisible(which == "range")
        if which == "range":
            self._fill_parameters()

    def show_searched_vectors(self, kind: str) -> None:
        """Which kind of vectors the tab of queries uses, for the sentence that names both."""
        self._searched_vectors = next(words for words, each, _ in VECTORS if each == kind)
        self._show_hint()

    def _show_hint(self, *_: object) -> None:
        """Say what is searched, and with which vectors, beside where it is chosen."""
        current, count = self._state.current, len(self._state.documents)
        every = f"all {count} open documents are"
        name = current.name if current is not None else "the document shown"
        pool = self.pool.currentData() if count > 1 else THIS
        parts = [POOL_WORDS[pool].format(all=every, name=name)]
        if self.retrieval.currentData() != "text":
            words = VECTOR_WORDS[self.vectors.currentData()]
            parts.append(words.format(queries=self._searched_vectors))
        text = "  ·  ".join(parts) if count else ""
        self.hint = text[:1].upper() + text[1:]
        self.hint_changed.emit()

    def _fill_parameters(self) -> None:
        slot = self._state.chosen_slot
        names = [each.name for each in candidates.numbers_of(slot.recipe)] if slot else []
        if names != [self.parameter.itemText(k) for k in range(self.parameter.count())]:
            self.parameter.clear()
            self.parameter.addItems(names)

    def _on_parameter(self, *_: object) -> None:
        slot, name = self._state.chosen_slot, self.parameter.currentText()
        if slot is None or not name:
            return
        parameter = slot.recipe.strategy.declaration.parameter(name)
        low, high = parameter.bounds(slot.recipe.parameters)
        value = float(slot.recipe.parameters[name])  # type: ignore[arg-type]
        is_whole = parameter.type == "integer"
        ends = (value / 2, value * 2) if is_whole or high is None else (low or 0.0, high)
        for box, end in zip((self.low, self.high), ends, strict=True):
            box.setDecimals(0 if is_whole else 3)
            box.setValue(
                min(max(end, low if low is not None else end), end if high is None else high)
            )

    def recipes(self) -> list[Recipe]:
        """The strategies that are chosen.

        Raises:
            ParameterError: what was typed is no recipe, or a value is not allowed.
        """
        which, slot = self.which.currentData(), self._state.chosen_slot
        if which == "presets":
            return candidates.all_presets()
        if which == "typed":
            return candidates.typed_recipes(self.typed.text())
        if which == "range":
            if slot is None or not self.parameter.currentText():
                raise ParameterError("the chosen strategy has no number to change: choose another")
            ends = (self.low.value(), self.high.value())
            name = self.parameter.currentText()
            return candidates.ranged_recipes(slot.recipe, name, *ends, self.count.value())
        return candidates.shown_recipes(self._state)

    def options(self) -> Options:
        """How is evaluated."""
        return Options(
            k=self.k.value(),
            retrieval=self.retrieval.currentData(),
            vectors=self.vectors.currentData(),
            pool="all" if self.pool.currentData() == THIS else self.pool.currentData(),
            without_duplicates=self.without_duplicates.isChecked(),
        )

    def ask(self) -> None:
        """Ask for the evaluation that is set up."""
        try:
            recipes = tuple(self.recipes())
        except ChunkscopeError as error:
            self.refused.emit(str(error))
            return
        current = self._state.current if self.pool.currentData() == THIS else None
        wanted = Wanted(
            recipes,
            self.options(),
            self.chosen_models,
            intrinsic=self.intrinsic.isChecked(),
            only=current.id if current is not None else "",
        )
        self.run_asked.emit(wanted)

    def show_running(self, is_running: bool) -> None:
        """Offer to run or to cancel."""
        self.run.setVisible(not is_running)
        self.cancel.setVisible(is_running)


def _combo(name: str, options: Sequence[tuple[str, ...]]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    combo.setMinimumContentsLength(LEAST_CHARACTERS)
    for words, value, *_ in options:
        combo.addItem(words, value)
    return combo


def _number(name: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setAccessibleName(name)
    box.setPrefix(f"{name.lower()} ")
    box.setRange(-WIDEST_VALUE, WIDEST_VALUE)
    return box
