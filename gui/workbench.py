# SPDX-License-Identifier: AGPL-3.0-or-later
"""Everything that needs strategies, scores and models: made after the first page is painted."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QWidget

from core.engine_process import EngineProcess
from core.pipeline import Pipeline
from core.strategies.chunks import Chunks
from core.strategies.recipe import make_recipe, parse_recipe
from core.vectors.remote import RemoteEmbedder, remote_embedder
from gui import settings
from gui.actions import fill_menus, make_actions
from gui.commands import Commands
from gui.controllers.chunking import Chunking
from gui.controllers.scoring import Scoring
from gui.controllers.searching import Choices, Searching
from gui.history import History
from gui.jobs import JobToken
from gui.key_sheet import KeySheet
from gui.main_window import MainWindow
from gui.panels.bottom_pane import BottomPane
from gui.panels.inspector import Inspector
from gui.panels.left_pane import LeftPane
from gui.panels.picker import StrategyPicker
from gui.panels.strategy_panel import StrategyPanel
from gui.state import Selection
from gui.theme import Theme
from gui.toolbar import ToolBar

if TYPE_CHECKING:
    from gui.panels.plots import Plots

PLOTS_AFTER_MILLISECONDS = 300
FIRST_STRATEGIES = ("SSTC:threshold=0.4", "RC:size=1000,overlap=0")
MODEL = "minilm"


class Workbench(QObject):
    """Makes controllers and panels and connects them with the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        state, jobs, theme = window.state, window.jobs, window.theme
        self.engine = EngineProcess()
        self.pipeline = Pipeline(None, self.engine)
        self.chunking = Chunking(state, jobs, self.pipeline, self)
        self.scoring = Scoring(state, jobs, self.pipeline, self)
        self.searching = Searching(state, jobs, self.pipeline, self)
        self.history = History(state, window.pages)
        self.left = LeftPane(state, jobs, window.images, theme)
        self.strategy = StrategyPanel(state, theme)
        self.inspector = Inspector(state, theme)
        self.bottom = BottomPane(state, theme)
        self.picker = StrategyPicker(window)
        self.keys = KeySheet(window)
        self.commands = Commands(self, window)
        self.actions: dict[str, QAction] = make_actions(self.commands, window, window.pages)
        self.toolbar = ToolBar(state, self.actions)
        right = QSplitter()
        right.setOrientation(right.orientation().Vertical)
        right.addWidget(self.strategy)
        right.addWidget(self.inspector)
        right.setSizes([420, 260])
        self.panes: dict[str, QWidget] = {"left": self.left, "right": right, "bottom": self.bottom}
        window.addToolBar(self.toolbar)
        self.menus = fill_menus(window.menuBar(), self.actions)
        self.plots: Plots | None = None
        self._connect()
        window.attach(self)
        self._restore_strategies()
        self._load_model()
        QTimer.singleShot(PLOTS_AFTER_MILLISECONDS, self.make_plots)
        for opened in state.documents.values():  # what happened before the panels were there
            state.documents_changed.emit()
            state.current_changed.emit(state.current)
            if opened.document is not None:
                state.text_changed.emit(opened.id)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours everywhere."""
        for panel in (self.left, self.strategy, self.inspector, self.bottom):
            panel.set_theme(theme)
        if self.plots is not None:
            self.plots.set_theme(theme)

    def make_plots(self) -> None:
        """Make the plots; later than the rest, since their library takes long to import."""
        from gui.panels.plots import Plots

        self.plots = Plots(self._window.state, self._window.theme)
        self.plots.chunks_asked.connect(self._select_chunks)
        self.bottom.scores.add_plots(self.plots)

    def pick_strategy(self, slot: int) -> None:
        """Open the list of strategies, for a slot id or −1 for a new slot."""
        self.picker.move(self._window.geometry().center() - self.picker.rect().center())
        self.picker.open_for(slot)

    def close(self) -> None:
        """Remember the strategies and end the engine."""
        words = [slot.recipe.word for slot in self._window.state.slots]
        settings.write(settings.SHOWN_STRATEGIES, "\n".join(words))
        self.engine.close()

    def _connect(self) -> None:
        window, pages = self._window, self._window.pages
        pages.camera.page_changed.connect(self.toolbar.show_page)
        pages.camera.page_changed.connect(self.left.thumbnails.show_page)
        pages.camera.zoom_changed.connect(self.toolbar.show_zoom)
        pages.mouse.activated.connect(self._on_activated)
        pages.sheets.set_more_wanted(self.left.thumbnails.wanted)
        self.toolbar.page_asked.connect(self._go_to_page)
        self.toolbar.document_asked.connect(window.state.set_current)
        self.left.thumbnails.page_asked.connect(self._go_to_page)
        self.left.outline.place_asked.connect(self._go_to_place)
        self.left.finder.found.connect(pages.set_matches)
        self.strategy.picker_asked.connect(self.pick_strategy)
        self.picker.picked.connect(self._on_picked)
        self.chunking.refused.connect(self.strategy.show_refusal)
        self.inspector.chunk_asked.connect(self._select_chunk)
        self.bottom.scores.chunks_asked.connect(self._select_run)
        self.bottom.queries.asked.connect(window.state.set_query)
        self.bottom.queries.top_k_changed.connect(self.searching.set_top_k)
        self.searching.failed.connect(self.bottom.queries.say)
        self.searching.told.connect(self.bottom.queries.say)
        self.bottom.queries.choices_changed.connect(self._on_choices)
        self.scoring.vectors_ready.connect(self._on_vectors)
        window.empty.open_asked.connect(self.commands.open_document)
        window.empty.sample_asked.connect(self.commands.open_sample)
        self.toolbar.show_zoom(pages.camera.zoom)

    def _restore_strategies(self) -> None:
        words = [w for w in settings.read(settings.SHOWN_STRATEGIES).splitlines() if w]
        for word in words or FIRST_STRATEGIES:
            try:
                self._window.state.add_slot(parse_recipe(word))
            except Exception as error:  # a strategy of another version: the others still open
                self._window.say(f"{word} cannot be shown again: {error}")

    def _load_model(self) -> None:
        def work(token: JobToken) -> object:
            return remote_embedder(MODEL, self.engine, cancel=token)

        def done(embedder: object) -> None:
            assert isinstance(embedder, RemoteEmbedder), "the engine's model"
            self.pipeline.set_embedder(embedder)
            self.toolbar.show_lamp("● model ready", embedder.id)
            self.chunking.make_again()
            self.scoring.start()
            self.searching.ask_again()

        def failed(error: Exception) -> None:
            self.toolbar.show_lamp("✕ no model", str(error))

        self.toolbar.show_lamp("○ loading model", "Scores without vectors are shown already")
        self._window.jobs.request(
            "model", "model", work, done, failed=failed, title="Loading model"
        )

    def _on_choices(self, mode: str, vectors: str, all_documents: bool) -> None:
        self.searching.set_choices(Choices(mode, vectors, all_documents))  # type: ignore[arg-type]

    def _on_vectors(self, document: str) -> None:
        del document
        self.searching.search_all()

    def _on_picked(self, slot: int, code: str) -> None:
        recipe = make_recipe(code)
        if slot < 0:
            added = self._window.state.add_slot(recipe)
            if added >= 0:
                self._window.state.set_chosen(added)
        else:
            self._window.state.set_recipe(slot, recipe)

    def _on_activated(self, selection: Selection) -> None:
        if selection.kind != "nothing":
            self._window.show_pane("right")

    def _go_to_page(self, page: int) -> None:
        self.history.leave()
        self._window.pages.camera.go_to_page(page)

    def _go_to_place(self, page: int, y: float) -> None:
        self.history.leave()
        self._window.pages.camera.go_to_page(page, y)

    def _chunks(self) -> Chunks | None:
        result = self._window.state.chosen_result
        return result.chunks if result is not None else None

    def _select_chunk(self, index: int) -> None:
        self._select_run(index, index)

    def _select_run(self, first: int, last: int) -> None:
        self._select_chunks(tuple(range(first, last + 1)))

    def _select_chunks(self, ids: tuple[int, ...]) -> None:
        chunks, state = self._chunks(), self._window.state
        if chunks is None or not ids or not 0 <= ids[0] <= ids[-1] < len(chunks):
            return
        start, end = int(chunks.starts[ids[0]]), int(chunks.ends[ids[0]])
        state.select(Selection("chunk", ids, state.chosen, start, end, "scores"))
