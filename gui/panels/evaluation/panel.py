# SPDX-License-Identifier: AGPL-3.0-or-later
"""The tab of evaluations: what is run above, the views in a list at the side."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.errors import ChunkscopeError
from core.search.evaluation import COMPARED, Evaluation
from core.search.measures import MEASURES
from gui.panels.evaluation.boxes import Boxes
from gui.panels.evaluation.correlation import Correlation
from gui.panels.evaluation.costs import Costs
from gui.panels.evaluation.downstream import Downstream
from gui.panels.evaluation.duplicate_effect import DuplicateEffect
from gui.panels.evaluation.export import ask_and_export
from gui.panels.evaluation.gold_matrix import GoldMatrix
from gui.panels.evaluation.halves import Halves
from gui.panels.evaluation.heat_maps import HeatMaps
from gui.panels.evaluation.leaderboard import Leaderboard
from gui.panels.evaluation.not_found import NotFound
from gui.panels.evaluation.published import Published
from gui.panels.evaluation.ranks import Ranks
from gui.panels.evaluation.sensitivity import Sensitivity
from gui.panels.evaluation.setup import Setup
from gui.panels.evaluation.shown import Shown, measure_words, part_words, parts_of
from gui.panels.evaluation.significance import Significance
from gui.panels.evaluation.view import EvaluationView
from gui.state import State
from gui.theme import Theme

DUPLICATES_FROM = 0.02  # pairs to a chunk; a notice stands above all comparisons then
SIDE_WIDTH = 190
VIEWS: tuple[type[EvaluationView], ...] = (
    Leaderboard,
    GoldMatrix,
    NotFound,
    Ranks,
    Costs,
    Boxes,
    HeatMaps,
    Correlation,
    Significance,
    Downstream,
    Sensitivity,
    Halves,
    DuplicateEffect,
    Published,
)


class EvaluatePanel(QWidget):
    """Sets up, runs and shows evaluations.

    Signals:
        passage_asked: name of a document, start and end.
    """

    passage_asked = Signal(str, int, int)

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("evaluatePanel")
        self.evaluation: Evaluation | None = None
        self.setup = Setup(state)
        self.views: dict[str, EvaluationView] = {}  # made one by one, by title
        self._theme = theme
        self._quote_of: Callable[[str, int, int], str] | None = None
        self._questions: dict[str, str] = {}
        self.side = QListWidget()
        self.side.setAccessibleName("Views of the evaluation")
        self.side.setSpacing(2)
        self.side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.stack = QStackedWidget()
        self.part = QComboBox()
        self.part.setAccessibleName("Model and pool")
        self.part.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.part.hide()  # until there is a run whose parts it names
        self.measure = QComboBox()
        self.measure.setAccessibleName("Measure")
        self.note = QLabel()
        self.note.setObjectName("muted")
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.bar = QProgressBar()
        self.bar.setFixedWidth(140)
        self.bar.setTextVisible(False)
        self.bar.hide()
        self._duplicates = self._strip()
        self._failure = ""
        self._ran = ""  # what the choices of the last run meant
        self._skipped: dict[str, str] = {}
        self._build()
        self._connect()
        self._on_hint()

    def _build(self) -> None:
        self.side.addItems([view.title for view in VIEWS])
        for name in dict.fromkeys((*COMPARED, *(each.name for each in MEASURES))):
            self.measure.addItem(measure_words(name, self.setup.k.value()), name)
            tip = next(each.words for each in MEASURES if each.name == name)
            self.measure.setItemData(self.measure.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.measure.setCurrentIndex(self.measure.findData("ndcg"))
        export = QPushButton("Export…")
        export.setToolTip("This view as PNG, SVG or CSV")
        export.clicked.connect(self._export)
        row = QHBoxLayout()
        for widget in (self.measure, self.part):
            row.addWidget(widget)
        row.addWidget(self.note, 1)
        row.addWidget(self.bar)
        row.addWidget(export)
        split = QSplitter()
        split.addWidget(self.side)
        split.addWidget(self.stack)
        split.setStretchFactor(1, 1)
        split.setSizes([SIDE_WIDTH, 1000])
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 4)
        column.setSpacing(4)
        column.addWidget(self.setup)
        column.addLayout(row)
        column.addWidget(self._duplicates)
        column.addWidget(split, 1)

    def _strip(self) -> QWidget:
        strip = QWidget()
        strip.setObjectName("strip")
        self._duplicate_words = QLabel()
        ignore = QPushButton("Ignore duplicates in ranking")
        ignore.clicked.connect(self._ignore_duplicates)
        row = QHBoxLayout(strip)
        row.setContentsMargins(8, 2, 8, 2)
        row.addWidget(self._duplicate_words, 1)
        row.addWidget(ignore)
        strip.hide()
        return strip

    def _connect(self) -> None:
        self.side.currentRowChanged.connect(self._on_side)
        self.part.currentIndexChanged.connect(self._show)
        self.measure.currentIndexChanged.connect(self._show)
        self.setup.refused.connect(self.fail)
        self.setup.hint_changed.connect(self._on_hint)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the first view when the panel is first looked at, the others when they are."""
        super().showEvent(event)
        if self.side.currentRow() < 0:
            self.side.setCurrentRow(0)

    def view(self, title: str) -> EvaluationView:
        """The view of that title, made if it is not there yet."""
        if title not in self.views:
            made = next(kind for kind in VIEWS if kind.title == title)(self._theme)
            made.passage_asked.connect(self.passage_asked)
            made.why_asked.connect(self._on_why)
            self.views[title] = made
            self.stack.addWidget(made)
            self._tell_texts(made)
            made.show_part(*self._part_shown())
        return self.views[title]

    def _tell_texts(self, view: EvaluationView) -> None:
        if isinstance(view, GoldMatrix | NotFound) and self._quote_of is not None:
            view.quote_of = self._quote_of
        if isinstance(view, Ranks):
            view.question_of = self._questions

    def set_quotes(self, quote_of: Callable[[str, int, int], str]) -> None:
        """Where the text of a passage is asked for."""
        self._quote_of = quote_of
        for view in self.views.values():
            self._tell_texts(view)

    def set_questions(self, words: dict[str, str]) -> None:
        """The words of the questions by their ids."""
        self._questions = words
        for view in self.views.values():
            self._tell_texts(view)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        for view in self.views.values():
            view.set_theme(theme)

    # news of a run

    def begin(self) -> None:
        """A run has begun: what was there stays until the first row arrives."""
        self._failure, self._skipped, self._ran = "", {}, self.setup.hint
        self.setup.show_running(True)
        self.bar.setRange(0, 0)
        self.bar.show()
        self._tell("Evaluating…")
        if self.evaluation is None:
            self._show()

    def step(self, done: int, total: int, running: str) -> None:
        """So many strategies are finished, and one runs."""
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)
        self._tell(f"{done} of {total} strategies" + (f", now {running}" if running else ""))

    def put(self, evaluation: Evaluation) -> None:
        """Show what is done."""
        self.evaluation = evaluation
        self._fill_parts(evaluation)
        self._show_duplicates(evaluation)
        for place in range(self.measure.count()):
            name = self.measure.itemData(place)
            self.measure.setItemText(place, measure_words(name, evaluation.options.k))
        self._show()

    def skip(self, word: str, message: str) -> None:
        """A strategy has no row."""
        self._skipped[word] = message

    def fail(self, message: str) -> None:
        """The run failed; what was shown stays."""
        self._failure = message
        self.end()
        if self.evaluation is None:
            self._show()

    def end(self) -> None:
        """Nothing runs any more."""
        self.setup.show_running(False)
        self.bar.hide()
        if self._failure:
            self._tell(f"✕ {self._failure}")
        else:
            self._on_hint()

    # inside

    def _on_hint(self) -> None:
        """Say what was run, and what the choices mean where they are others."""
        if not self.bar.isHidden():
            return
        parts = [self._facts(self.evaluation)] if self.evaluation is not None else []
        if not parts or self.setup.hint != self._ran:
            parts.append(f"Next run: {self.setup.hint}" if parts else self.setup.hint)
        self._tell("  ·  ".join(parts))

    def _tell(self, words: str) -> None:
        self.note.setText(words)
        evaluation = self.evaluation
        lines = list(evaluation.warnings) if evaluation is not None else []
        lines += [f"{word}: {message}" for word, message in self._skipped.items()]
        self.note.setToolTip("\n".join(lines) or words)

    def _facts(self, evaluation: Evaluation) -> str:
        parts = [f"{_counted(evaluation.used, 'question')}, {_searched(evaluation)}"]
        if evaluation.left_out:
            parts.append(f"{_counted(len(evaluation.left_out), 'question')} left out")
        if self._skipped:
            count = len(self._skipped)
            parts.append("▲ 1 strategy failed" if count == 1 else f"▲ {count} strategies failed")
        if evaluation.warnings:
            parts.append(f"▲ {evaluation.warnings[0]}")
        if len(evaluation.warnings) > 1:
            parts.append(f"and {len(evaluation.warnings) - 1} more")
        return "  ·  ".join(parts)

    def _fill_parts(self, evaluation: Evaluation) -> None:
        parts, before = parts_of(evaluation), self.part.currentText()
        self.part.blockSignals(True)
        self.part.clear()
        for part in parts:
            self.part.addItem(part_words(part))
        self.part.setCurrentIndex(max(0, self.part.findText(before)))
        self.part.blockSignals(False)
        self.part.setEnabled(len(parts) > 1)
        self.part.setVisible(bool(parts))

    def _show_duplicates(self, evaluation: Evaluation) -> None:
        counts = [
            (result.record.duplicates.get("near_duplicates", 0), max(1, result.record.chunks))
            for result in evaluation.results
        ]
        pairs, chunks = max(counts, key=lambda count: count[0] / count[1], default=(0, 1))
        is_counted = not evaluation.options.without_duplicates
        self._duplicate_words.setText(
            f"▲ {pairs:,} pairs among {chunks:,} indexed chunks are near-duplicates. "
            "Rankings below count them twice."
        )
        self._duplicates.setVisible(pairs / chunks >= DUPLICATES_FROM and is_counted)

    def _ignore_duplicates(self) -> None:
        self.setup.without_duplicates.setChecked(True)
        self.setup.ask()

    def _show(self, *_: object) -> None:
        part = self._part_shown()
        for view in self.views.values():
            view.show_part(*part)

    def _part_shown(self) -> tuple[Shown | None, str]:
        """What the views show, or the sentence that says why there is nothing."""
        evaluation = self.evaluation
        shown = None
        if evaluation is not None and evaluation.results:
            embedder, pool = parts_of(evaluation)[max(0, self.part.currentIndex())]
            shown = Shown(evaluation, embedder, pool, str(self.measure.currentData()))
        message = f"✕ {self._failure}" if self._failure else ""
        if not message and not self.bar.isHidden():
            message = "Evaluating: the first row appears when the first strategy is done."
        return shown, message

    def _on_side(self, row: int) -> None:
        view = self.view(VIEWS[row].title)
        self.stack.setCurrentWidget(view)
        self.measure.setEnabled(view.uses_measure)

    def show_view(self, title: str) -> None:
        """Bring a view to the front."""
        self.side.setCurrentRow([view.title for view in VIEWS].index(title))

    def _on_why(self, name: str, question: str, number: int) -> None:
        view = self.view(NotFound.title)
        assert isinstance(view, NotFound), "the view of that title"
        view.ask(name, question, number)
        self.show_view(NotFound.title)

    def _export(self) -> None:
        view = self.view(VIEWS[max(0, self.side.currentRow())].title)
        try:
            name = ask_and_export(view, self)
        except ChunkscopeError as error:
            self._tell(f"✕ {error}")
            return
        if name:
            self._tell(f"Written to {name}")


def _searched(evaluation: Evaluation) -> str:
    """What was searched together, with which vectors."""
    options, documents = evaluation.options, _counted(len(evaluation.documents), "document")
    pools = {"all": "", "document": ", each by itself", "tag": ", by tag"}
    vectors = "full text" if options.retrieval == "text" else f"{options.vectors} vectors"
    return f"{documents}{pools[options.pool]}, {vectors}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
