# SPDX-License-Identifier: AGPL-3.0-or-later
"""What belongs to retrieval, put together: questions, gold, evaluations, indexes and models.

Kept apart from the workbench, which shows documents and chunks without any of it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.arrays import Spans
from core.vectors.models import find_model
from core.vectors.remote import RemoteEmbedder
from gui import settings
from gui.controllers.evaluating import Evaluating, Wanted
from gui.controllers.labelling import Labelling
from gui.controllers.storing import Storing
from gui.panels.evaluation.panel import EvaluatePanel
from gui.panels.gold_panel import GoldPanel
from gui.panels.index_panel import IndexPanel
from gui.panels.tag_table import TagTable
from gui.state import Selection
from gui.theme import Theme

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from gui.workbench import Workbench

TOLD_MILLISECONDS = 5_000


class Retrieval(QObject):
    """Made by the workbench when its panels are there."""

    def __init__(self, bench: "Workbench", window: "MainWindow") -> None:
        super().__init__(bench)
        self._bench = bench
        self._window = window
        self._tag_table: TagTable | None = None
        state, book = window.state, bench.book
        self.labelling = Labelling(state, window.pages, book, self)
        self.evaluating = Evaluating(state, window.jobs, book, bench.engine, self)
        self.storing = Storing(state, window.jobs, book, bench.pipeline, bench.engine, self)

    def build(self) -> Iterator[None]:
        """Make the panels; between two steps the event loop may turn."""
        bench, window = self._bench, self._window
        state, book = window.state, bench.book
        self.gold = GoldPanel(state, book, window.theme)
        self.gold.edits.set_text_source(self.labelling.selected_text)
        bench.bottom.add("gold", "Gold", self.gold)
        bench.undo_group.addStack(book.undo_stack)
        bench.undo_group.setActiveStack(book.undo_stack)
        bench.undo_group.undoTextChanged.connect(self._name_undo)
        bench.undo_group.redoTextChanged.connect(self._name_redo)
        yield
        self.evaluation = EvaluatePanel(state, window.theme)
        self.evaluation.set_quotes(self._quote)
        bench.bottom.add("evaluate", "Evaluate", self.evaluation)
        yield
        self.index = IndexPanel(window.theme)
        bench.bottom.add("index", "Index && models", self.index)
        yield
        self._connect()
        self._connect_index()
        state.documents_changed.emit()

    def _connect(self) -> None:
        bench, window = self._bench, self._window
        panel, evaluating = self.evaluation, self.evaluating
        panel.setup.run_asked.connect(self._run)
        panel.setup.cancel_asked.connect(self._cancel)
        panel.passage_asked.connect(self._go)
        panel.setup.tags_asked.connect(self.show_tags)
        evaluating.arrived.connect(panel.put)
        evaluating.stepped.connect(panel.step)
        evaluating.skipped.connect(panel.skip)
        evaluating.failed.connect(panel.fail)
        evaluating.finished.connect(panel.end)
        self.gold.gold_changed.connect(self._show_gold)
        self.gold.failed.connect(window.say)
        bench.book.failed.connect(window.say)
        self.labelling.told.connect(self._tell)
        bench.bottom.queries.set_book(bench.book)
        bench.bottom.queries.options.changed.connect(bench.searching.choose)
        bench.bottom.queries.options.vectors_changed.connect(panel.setup.show_searched_vectors)
        bench.searching.set_tags(bench.book.tags)
        bench.searching.set_makers(bench.chunking, bench.scoring)
        for name, action in bench.actions.items():
            if name.startswith("evaluate.mark_"):
                for widget in (self.gold.table, bench.bottom.queries.table):
                    widget.addAction(action)

    def _connect_index(self) -> None:
        index, storing, models = self.index, self.storing, self._bench.models
        index.model_asked.connect(self._use_model)
        index.download_asked.connect(models.download)
        index.host_confirmed.connect(models.confirm)
        index.look_asked.connect(storing.look)
        index.duplicates_asked.connect(storing.find_duplicates)
        index.clear_asked.connect(self._clear)
        index.corpora_asked.connect(storing.clear_indexes)
        index.repeats_switched.connect(self._bench.searching.set_without_repeats)
        index.passage_asked.connect(self._go)
        index.refused.connect(self._window.say)
        storing.seen.connect(index.show_stored)
        storing.duplicates_found.connect(index.show_duplicates)
        storing.failed.connect(self._window.say)
        models.loading.connect(self._on_loading)
        models.failed.connect(self._on_model_failed)
        models.consent_needed.connect(index.ask_consent)
        index.search.reranker_given.connect(self._use_reranker)
        index.search.place_given.connect(self._use_place)
        index.search.show_kept(settings.read(settings.RERANKER), settings.read(settings.INDEX_URI))
        models.ready.connect(self._on_model)
        if models.current is not None:
            self._on_model(models.current)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.gold.set_theme(theme)
        self.evaluation.set_theme(theme)
        self.index.set_theme(theme)

    def show_tags(self) -> None:
        """Show where the tags of documents are typed."""
        if self._tag_table is None:
            self._tag_table = TagTable(self._window.state, self._bench.book, self._window)
        self._tag_table.show()
        self._tag_table.raise_()
        self._tag_table.activateWindow()

    # index and models

    def _use_reranker(self, model: str) -> None:
        settings.write(settings.RERANKER, model)
        self._bench.searching.set_reranker(model)

    def _use_place(self, uri: str) -> None:
        settings.write(settings.INDEX_URI, uri)
        self._bench.searching.set_uri(uri)

    def _use_model(self, name: str, window: int) -> None:
        self._bench.models.load(name, window or None)

    def _on_model(self, embedder: RemoteEmbedder) -> None:
        self.index.show_model(embedder)
        self.evaluation.setup.offer_model(find_model(embedder.name).id)

    def _on_loading(self, name: str) -> None:
        self.index.show_model_note(
            f"○ Loading {name.rsplit('/', maxsplit=1)[-1]}; the results stay until then"
        )

    def _on_model_failed(self, message: str) -> None:
        self.index.show_model_note(f"✕ {message}")

    def _clear(self, what: str) -> None:
        clearers = {
            "vectors": self.storing.clear_vectors,
            "documents": self.storing.clear_documents,
            "evaluations": self.storing.clear_evaluations,
        }
        clearers[what]()

    # evaluations

    def _run(self, wanted: Wanted) -> None:
        questions = {query.id: query.question for query in self._bench.book.queries}
        self.evaluation.set_questions(questions)
        self.evaluation.begin()
        options = replace(wanted.options, reranker=self._bench.searching.choices.reranker)
        tags = self._bench.book.tags.named(self._bench.book.names())
        self.evaluating.run(replace(wanted, options=options), tags)

    def _cancel(self) -> None:
        self.evaluating.cancel()
        self.evaluation.end()

    def _quote(self, document: str, start: int, end: int) -> str:
        opened = self._bench.book.opened(document)
        return opened.document.text[start:end] if opened and opened.document else ""

    def _go(self, document: str, start: int, end: int) -> None:
        """Show a passage on its page."""
        state, opened = self._window.state, self._bench.book.opened(document)
        if opened is None:
            return
        if state.current is not opened:
            state.set_current(opened.id)
        self._bench.history.leave()
        state.select(Selection("gold", (), state.chosen, start, end, "evaluation"))

    # gold

    def _name_undo(self, text: str) -> None:
        self._bench.actions["edit.undo"].setText(f"&Undo {text}".rstrip())

    def _name_redo(self, text: str) -> None:
        self._bench.actions["edit.redo"].setText(f"&Redo {text}".rstrip())

    def _tell(self, message: str) -> None:
        self._window.status.showMessage(message, TOLD_MILLISECONDS)

    def _show_gold(self, spans: Spans) -> None:
        self._window.pages.shown.gold = spans
        self._window.pages.refresh()
