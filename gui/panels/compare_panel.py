# SPDX-License-Identifier: AGPL-3.0-or-later
"""Compare: what to compare, the table as it grows, plots, and which chunking wins."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.declaration import Parameter
from core.scores.mean import CODES
from core.scores.selection import CLOSE, LATE_FOR_ALL, PROVISIONAL, CorpusSelection, Selection
from core.strategies.recipe import Recipe
from core.strategies.variants import (
    Variant,
    ablations,
    grid,
    preset_variants,
    range_values,
    short_name,
    with_and_without_reg,
)
from gui.controllers.comparing import Comparing, Comparison
from gui.panels.compare_plots import ComparePlots
from gui.panels.compare_table import MEAN, NAME, CompareModel, Fact, SortedRows
from gui.panels.documents_table import DocumentsTable
from gui.panels.tables import make_sortable, row_table, signed
from gui.state import OpenDocument, State
from gui.theme import Theme

PRESETS = "All presets"
REG = "All, without and with REG"
VISIBLE = "The visible strategies"
ABLATIONS = "Ablations of A"
SWEEP = "Sweep of A"
SCOPES = (PRESETS, REG, VISIBLE, ABLATIONS, SWEEP)
WHAT = {
    PRESETS: "every preset",
    REG: "every preset, without and with REG",
    VISIBLE: "the visible strategies",
    ABLATIONS: "strategy A and A without each of its parts",
    SWEEP: "strategy A over a range of a parameter",
}
NO_SECOND = "no second"
EXACT_TIP = "Exact vectors for all rows, so that a winner may be named"
WIDTHS = {0: 44, 1: 200, 2: 58, 3: 66, 9: 92, 10: 74, 11: 56, 12: 48}
SCORE_WIDTH = 58
LINEAR_TOP = 20  # a range longer than this many times the value is swept around the value only
USUAL_WHOLE = 50.0  # the value of a whole number that is 0


class ComparePanel(QWidget):
    """The tab.

    Signals:
        recipe_asked: the Recipe of a row that is to be shown on the pages.
    """

    recipe_asked = Signal(object)

    def __init__(
        self,
        state: State,
        comparing: Comparing,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("comparePanel")
        self._state = state
        self._comparing = comparing
        self._swept: tuple[str, ...] = ()
        self._shown = ""  # document
        self._make_controls()
        self.model = CompareModel(theme)
        self.rows = SortedRows()
        self.rows.setSourceModel(self.model)
        widths = [WIDTHS.get(k, SCORE_WIDTH) for k in range(self.model.columnCount())]
        self.table = row_table(self.rows, "compareTable", "Strategies", widths, one_row=True)
        self._connect_table()
        self.plots = ComparePlots(theme)
        self.plots.row_asked.connect(self.select_row)
        self.documents = DocumentsTable()
        self.plots.addTab(self.documents, "Documents")
        self.says = QLabel()
        self.says.setWordWrap(True)
        self.says.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.table)
        split.addWidget(self.plots)
        split.setSizes([640, 380])
        self.hint = QLabel()
        self.hint.setObjectName("empty")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setWordWrap(True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.hint)
        self._stack.addWidget(split)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 0)
        column.setSpacing(4)
        column.addLayout(self._controls)
        column.addWidget(self.says)
        column.addWidget(self._stack, 1)
        comparing.started.connect(self._on_started)
        comparing.row_added.connect(self._on_row_added)
        comparing.rows_changed.connect(self._on_rows_changed)
        comparing.progressed.connect(self._on_progress)
        comparing.finished.connect(self._on_finished)
        state.chosen_changed.connect(self._list_parameters)
        state.slots_changed.connect(self._list_parameters)
        state.current_changed.connect(self._on_current)
        state.documents_changed.connect(self._on_documents)
        self._list_parameters()
        self._on_scope()
        self._on_documents()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.model.set_theme(theme)
        self.plots.set_theme(theme)

    def minimumSizeHint(self) -> QSize:
        """Small: the pane decides, and what does not fit is reached by scrolling."""
        return QSize(320, 120)

    # controls

    def _make_controls(self) -> None:
        self.scope = QComboBox()
        self.scope.setAccessibleName("What to compare")
        self.scope.addItems(SCOPES)
        self.scope.currentTextChanged.connect(self._on_scope)
        self.first, self.second = QComboBox(), QComboBox()
        self.first.setAccessibleName("Parameter")
        self.second.setAccessibleName("Second parameter")
        self.steps = QSpinBox()
        self.steps.setRange(2, 200)
        self.steps.setValue(15)
        self.steps.setSuffix(" steps")
        self.steps.setAccessibleName("Steps")
        self.all_documents = QCheckBox("all open documents")
        self.run = QPushButton("Compare")
        self.run.clicked.connect(self.start)
        self.exact = QPushButton("Exact scores")
        self.exact.setToolTip(EXACT_TIP)
        self.exact.clicked.connect(self._on_exact)
        self.exact.setEnabled(False)
        self.bar = QProgressBar()
        self.bar.setMaximumWidth(150)
        self.bar.hide()
        self._controls = QHBoxLayout()
        for widget in (self.scope, self.first, self.second, self.steps, self.all_documents):
            self._controls.addWidget(widget)
        self._controls.addWidget(self.run)
        self._controls.addWidget(self.exact)
        self._controls.addWidget(self.bar)
        self._controls.addStretch(1)

    def _connect_table(self) -> None:
        make_sortable(self.table)
        self.table.sortByColumn(MEAN, Qt.SortOrder.DescendingOrder)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        # A long name ends with what tells it from others, such as "+ REG".
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setToolTip("Double-click or Enter shows the chunking on the pages")
        self.table.horizontalHeader().setSectionsMovable(True)
        self.table.activated.connect(self._on_activated)
        self.table.selectionModel().currentRowChanged.connect(self._on_selected)

    def _on_scope(self, *_: object) -> None:
        is_sweep = self.scope.currentText() == SWEEP
        for widget in (self.first, self.second, self.steps):
            widget.setVisible(is_sweep)
        self._show_hint()

    def _show_hint(self) -> None:
        """Say what there would be to see, in place of an empty table and plots."""
        what = WHAT[self.scope.currentText()]
        if self._state.current is None:
            self.hint.setText("Open a document to compare chunkings of it.")
        else:
            self.hint.setText(f"No comparison yet: Compare scores {what} on this document.")
        is_empty = not self.model.rowCount() and not self._comparing.is_running
        self._stack.setCurrentIndex(0 if is_empty else 1)

    def _list_parameters(self, *_: object) -> None:
        chosen = self._state.chosen_slot
        numbers = [] if chosen is None else [p.name for p in _numbers(chosen.recipe)]
        known = [self.first.itemText(k) for k in range(self.first.count())]
        if numbers == known:
            return
        self.first.clear()
        self.first.addItems(numbers)
        self.second.clear()
        self.second.addItems([NO_SECOND, *numbers])

    def _on_documents(self) -> None:
        self.all_documents.setVisible(len(self._state.documents) > 1)

    # running

    def start(self) -> None:
        """Compare what is chosen; while that runs, stop it."""
        if self._comparing.is_running:
            self._comparing.cancel()
            return
        documents = self._documents()
        self._swept = ()
        variants = self.variants()
        if not documents or not variants:
            self.says.setText("Open a document and choose a strategy first.")
            return
        self._comparing.start(variants, documents)

    def variants(self) -> list[Variant]:
        """What is to be compared, by the controls."""
        scope, chosen = self.scope.currentText(), self._state.chosen_slot
        with_model = self._comparing.has_model
        if scope == PRESETS:
            return preset_variants(with_model=with_model)
        if scope == REG:
            return with_and_without_reg(preset_variants(with_model=with_model))
        if scope == VISIBLE:
            return named([slot.recipe for slot in self._state.slots])
        if chosen is None:
            return []
        return ablations(chosen.recipe) if scope == ABLATIONS else self._sweep(chosen.recipe)

    def _sweep(self, recipe: Recipe) -> list[Variant]:
        names = [self.first.currentText()]
        if self.second.currentText() not in ("", NO_SECOND, names[0]):
            names.append(self.second.currentText())
        if not names[0]:
            return []
        ranges = {}
        for parameter in _numbers(recipe):
            if parameter.name in names:
                low, high = sweep_range(parameter, recipe)
                ranges[parameter.name] = range_values(parameter, low, high, self.steps.value())
        self._swept = tuple(names)
        return grid(recipe, {name: ranges[name] for name in names})

    def _documents(self) -> list[OpenDocument]:
        ready = [each for each in self._state.documents.values() if each.document is not None]
        if self.all_documents.isChecked():
            return ready
        return [each for each in ready if each is self._state.current]

    def _on_exact(self) -> None:
        self._comparing.score_exactly(self._shown)

    # showing

    def _on_started(self, steps: int) -> None:
        self.run.setText("Stop")
        self.exact.setEnabled(False)
        self.bar.setRange(0, steps)
        self.bar.setValue(0)
        self.bar.show()
        self.says.hide()
        self._on_current()
        if self.model.rowCount():
            return  # the rows that are there are scored anew
        if self._swept:
            self.plots.show_tab("Sweep")
        elif self.plots.front == "Sweep":
            self.plots.show_tab("Scatter")

    def _on_current(self, *_: object) -> None:
        current = self._state.current
        self._shown = current.id if current is not None else ""
        self._show()

    def _on_row_added(self, document: str, place: int) -> None:
        del place
        if document == self._shown:
            self.model.add_rows()
            self._show_hint()
            self._show_plots()

    def _on_rows_changed(self, document: str) -> None:
        if document == self._shown:
            self._show()

    def _on_progress(self, done: int, total: int) -> None:
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.bar.setVisible(done < total)

    def _on_finished(self, is_complete: bool) -> None:
        del is_complete
        self.run.setText("Compare")
        self.bar.hide()
        self._show_hint()
        if len(self._comparing.comparisons) > 1:
            self._show()  # of one document, the rows were shown when they were ranked
        self._allow_exact()

    def _comparison(self) -> Comparison | None:
        return self._comparing.comparisons.get(self._shown)

    def _show(self) -> None:
        chosen = self._fact(self.table.currentIndex())
        name = chosen.row.candidate.name if chosen is not None else ""
        self.model.show_comparison(self._comparison(), self._comparing.weights)
        for row in range(self.model.rowCount()):
            fact = self.model.fact(row)
            if fact is not None and fact.row.candidate.name == name:
                self.select_row(row)
        self._show_hint()
        self._show_plots()
        comparison = self._comparison()
        self._allow_exact()
        lines = [] if comparison is None else [winner_words(comparison)]
        over = self._comparing.over_documents()
        self.documents.show_comparisons(list(self._comparing.comparisons.values()), over)
        if over is not None:
            lines.append(corpus_words(over, len(self._comparing.comparisons)))
        self.says.setText("\n".join(line for line in lines if line))
        self.says.setVisible(bool(self.says.text()))

    def _allow_exact(self) -> None:
        why_not = self._comparing.why_not_exactly(self._shown)
        self.exact.setEnabled(not why_not and not self._comparing.is_running)
        self.exact.setToolTip(why_not or EXACT_TIP)

    def _show_plots(self) -> None:
        facts = [f for row in range(self.model.rowCount()) if (f := self.model.fact(row))]
        place = self.rows.mapToSource(self.table.currentIndex()).row()
        self.plots.show_facts(facts, place, self._swept)

    def select_row(self, place: int) -> None:
        """Mark a row, by its place among the rows as they were computed."""
        index = self.rows.mapFromSource(self.model.index(place, NAME))
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)

    def _on_selected(self, index: QModelIndex, before: QModelIndex) -> None:
        del index, before
        self._show_plots()

    def _fact(self, index: QModelIndex) -> Fact | None:
        return self.model.fact(self.rows.mapToSource(index).row())

    def _on_activated(self, index: QModelIndex) -> None:
        fact = self._fact(index)
        if fact is not None:
            self.recipe_asked.emit(fact.row.variant.recipe)


def sweep_range(parameter: Parameter, recipe: Recipe) -> tuple[float, float]:
    """Where a parameter is swept: its whole range, or around its value where that is endless."""
    low, high = parameter.bounds(dict(recipe.shared.values) | recipe.parameters)
    value = float(recipe.parameters[parameter.name])  # type: ignore[arg-type]  # a number
    least = low if low is not None else 0.0
    top = max(value * 3, least + 1)
    usual = max(value, USUAL_WHOLE if parameter.type == "integer" else 1.0)
    if high is None or high > LINEAR_TOP * usual:
        return max(least, value / 4), top
    return least, high


def winner_words(comparison: Comparison) -> str:
    """Which chunking wins and how far that can be trusted, in sentences.

    For example "Best: STM:size=1100 + REG with a mean of 0.912. Next: PAGE with 0.908."
    """
    selection = comparison.selection
    if selection is None:
        return ""
    if selection.winner is None:
        return f"No winner: {selection.reason}."
    draws = comparison.uncertainty
    share = None if draws is None else draws.wins.get(selection.winner)
    return ". ".join([*_ranking_words(selection, share), *_caution_words(selection)]) + "."


def _ranking_words(selection: Selection, share: float | None) -> list[str]:
    """The first and the second; `share` of the draws in which the winner is first."""
    ranked = [each for each in selection.standings if each.value is not None]
    is_final = _is_final(selection)
    mark = "" if is_final else "≈ "
    mean = f"with a mean of {mark}{ranked[0].value:.3f}"
    if len(selection.ties) > 1:
        said = [f"Tied: {' and '.join(selection.ties)}, each {mean}"]
    else:
        said = [f"{'Best' if is_final else 'Ahead so far'}: {selection.winner} {mean}"]
    if ranked[0].measured < len(CODES):
        said[0] += f" of the {ranked[0].measured} scores that can be measured"
    if len(ranked) > 1 and len(selection.ties) == 1:
        if share is not None:
            said.append(f"It stays first in {share:.0%} of random draws of the chunks")
        said.append(f"Next: {ranked[1].candidate.name} with {mark}{ranked[1].value:.3f}")
    return said


def _caution_words(selection: Selection) -> list[str]:
    """What speaks against the winner."""
    said, other = [], selection.common_winner
    if len(selection.ties) == 1 and selection.margin is not None and selection.margin < CLOSE:
        said.append(f"The lead is small, below {CLOSE}")
    if other is not None and other != selection.winner:
        codes = ", ".join(selection.common_scores)
        said.append(f"By the scores that every strategy has ({codes}), {other} would be first")
    for warning in selection.warnings:
        kind, _, words = warning.partition(": ")
        if kind == "mixed":
            said.append(words[0].upper() + words[1:])
    failed = sum(warning.startswith("failed") for warning in selection.warnings)
    if failed:
        said.append(f"{failed} {'strategy' if failed == 1 else 'strategies'} failed")
    if not _is_final(selection):
        said.append("Values with ≈ are from late vectors: press Exact scores to decide")
    if LATE_FOR_ALL in selection.warnings:
        said.append(
            "Some chunks are longer than the model reads, so all are compared by late vectors"
        )
    return said


def _is_final(selection: Selection) -> bool:
    return PROVISIONAL not in selection.warnings


def corpus_words(over: CorpusSelection, documents: int) -> str:
    """Choosing per document against the best single strategy."""
    best = over.best_single
    if best is None or best.mean is None or over.adaptive.mean is None or over.gain is None:
        return ""
    return (
        f"Over {documents} documents, the best strategy for each has a mean of "
        f"{over.adaptive.mean:.4f}; the best one for all ({best.name}) has {best.mean:.4f}: "
        f"choosing per document changes it by {signed(over.gain, 4)}."
    )


def _numbers(recipe: Recipe) -> Sequence[Parameter]:
    declared = recipe.strategy.declaration.parameters
    return [each for each in declared if each.type in ("integer", "number")]


def named(recipes: Sequence[Recipe]) -> list[Variant]:
    """Recipes under their short names, none twice."""
    found: dict[str, Variant] = {}
    for recipe in recipes:
        found.setdefault(recipe.word, Variant(short_name(recipe), recipe))
    return list(found.values())
