# SPDX-License-Identifier: AGPL-3.0-or-later
"""Everything that needs strategies, scores and models: made after the first page is painted."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QUndoGroup
from PySide6.QtWidgets import QSplitter, QWidget

from core.engine_process import EngineProcess
from core.pipeline import Pipeline
from core.strategies.chunks import Chunks
from core.strategies.recipe import make_recipe
from core.vectors.remote import RemoteEmbedder
from gui.actions import fill_menus, make_actions
from gui.commands import Commands
from gui.controllers.anchoring import Anchoring
from gui.controllers.chunking import Chunking
from gui.controllers.keeping import Keeping
from gui.controllers.model_choice import ModelChoice
from gui.controllers.own_strategies import OwnStrategies
from gui.controllers.scoring import Scoring
from gui.controllers.searching import Searching
from gui.controllers.watching import Watching
from gui.history import History
from gui.key_sheet import KeySheet
from gui.main_window import MainWindow
from gui.notices import NoticeList
from gui.page_menus import LayerMenu, PointedMenu, RecentMenu
from gui.panels.bottom_pane import BottomPane
from gui.panels.inspector import Inspector
from gui.panels.left_pane import LeftPane
from gui.panels.picker import StrategyPicker
from gui.panels.strategy_panel import StrategyPanel
from gui.questions import QuestionBook
from gui.state import Selection
from gui.theme import Theme
from gui.toolbar import ToolBar

if TYPE_CHECKING:
    from gui.panels.plots import Plots
    from gui.retrieval import Retrieval
    from gui.study import Study

STRATEGY_HEIGHT, INSPECTOR_HEIGHT = 420, 260
MODEL = "minilm"


class Workbench(QObject):
    """Controllers and panels, connected with the window. `build` makes them step by step."""

    left: LeftPane
    strategy: StrategyPanel
    inspector: Inspector
    bottom: BottomPane
    picker: StrategyPicker
    toolbar: ToolBar

    def __init__(self, window: MainWindow, *, model: str = MODEL) -> None:
        """`model` is loaded at the end; with none, strategies and scores by rules still work."""
        super().__init__(window)
        self._window = window
        self._model = model
        state, jobs = window.state, window.jobs
        self.engine = EngineProcess()
        self.pipeline = Pipeline(None, self.engine)
        self.chunking = Chunking(state, jobs, self.pipeline, self)
        self.scoring = Scoring(state, jobs, self.pipeline, self)
        self.scoring.waits_for_model = True  # until the strategies are there, too
        self._is_restored, self._is_model_settled = False, not model
        self.searching = Searching(state, jobs, self.pipeline, self)
        self.anchoring = Anchoring(state, self)
        self.own_strategies = OwnStrategies(self)
        self.models = ModelChoice(state, jobs, self.pipeline, self.engine, self)
        self.history = History(state, window.pages)
        self.book = QuestionBook(state, jobs, self)
        self.undo_group = QUndoGroup(self)
        self.keeping = Keeping(window, self.book)
        self.watching = Watching(window)
        self.commands = Commands(self, window)
        self.actions: dict[str, QAction] = {}
        self.panes: dict[str, QWidget] = {}
        self.plots: Plots | None = None
        self.study: Study | None = None
        self.retrieval: Retrieval | None = None
        window.workbench = self

    def build(self) -> Iterator[None]:
        """Make everything; between two steps the event loop may turn."""
        self._make_menus()
        yield
        self._make_left()
        yield
        yield from self._make_right()
        yield from self._make_bottom()
        self._connect()
        self._window.fit_docks()
        yield
        self._load_model()  # early: the engine's imports take longer than the panels
        yield
        self._tell_what_happened()
        yield
        self.own_strategies.load_quietly()
        yield
        yield from self.keeping.restore(documents=self._window.restores_documents)
        self._is_restored = True
        self._go_on_with_scores()
        yield
        yield from self.make_plots()
        yield
        yield from self.make_study()
        yield from self.make_retrieval()

    def _make_menus(self) -> None:
        window = self._window
        self.actions = make_actions(self.commands, window, window.pages)
        self.layers = LayerMenu(window.pages, window)
        self.recent = RecentMenu(window)
        self.pointed = PointedMenu(self.actions, window)
        self.keys = KeySheet(window)
        self.notices = NoticeList(window)
        self.toolbar = ToolBar(window.state, self.actions, self.layers, window.theme)
        window.addToolBar(self.toolbar)
        self.menus = fill_menus(window.menuBar(), self.actions)
        self.menus["File"].insertMenu(self.actions["file.sample"], self.recent)
        self.menus["View"].insertMenu(self.actions["view.layers"], self.layers)

    def _make_left(self) -> None:
        window = self._window
        self.left = LeftPane(window.state, window.jobs, window.images, window.theme)
        self._put_pane("left", self.left)

    def _make_right(self) -> Iterator[None]:
        window = self._window
        self.strategy = StrategyPanel(window.state, window.theme)
        yield
        self.inspector = Inspector(window.state, window.theme)
        self.picker = StrategyPicker(window)
        yield
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(self.strategy)
        right.addWidget(self.inspector)
        right.setSizes([STRATEGY_HEIGHT, INSPECTOR_HEIGHT])
        self._put_pane("right", right)
        yield

    def _make_bottom(self) -> Iterator[None]:
        self.bottom = BottomPane(self._window.state, self._window.theme)
        yield from self.bottom.build()
        self._put_pane("bottom", self.bottom)
        yield

    def _put_pane(self, name: str, pane: QWidget) -> None:
        self.panes[name] = pane
        self._window.docks[name].setWidget(pane)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours everywhere."""
        for panel in (self.left, self.strategy, self.inspector, self.bottom, self.toolbar):
            panel.set_theme(theme)
        if self.plots is not None:
            self.plots.set_theme(theme)
        if self.study is not None:
            self.study.set_theme(theme)
        if self.retrieval is not None:
            self.retrieval.set_theme(theme)

    def make_study(self) -> Iterator[None]:
        """Make what helps to choose and judge strategies."""
        from gui.study import Study

        study = Study(self, self._window)
        yield
        yield from study.build()
        self.study = study
        yield

    def make_retrieval(self) -> Iterator[None]:
        """Make what belongs to questions, gold and evaluations."""
        from gui.retrieval import Retrieval

        retrieval = Retrieval(self, self._window)
        yield
        yield from retrieval.build()
        self.retrieval = retrieval
        yield

    def make_plots(self) -> Iterator[None]:
        """Make the plots."""
        from gui.panels.plots import Plots, SizePlot, ValuePlot

        sizes = SizePlot(self._window.theme)
        yield
        values = ValuePlot(self._window.theme)
        yield
        self.plots = Plots(self._window.state, sizes, values)
        self.plots.chunks_asked.connect(self._select_chunks)
        self.bottom.scores.add_plots(self.plots)

    def pick_strategy(self, slot: int) -> None:
        """Open the list of strategies, for a slot id or −1 for a new slot."""
        self.picker.move(self._window.geometry().center() - self.picker.rect().center())
        self.picker.open_for(slot)

    def close(self) -> None:
        """End the engine; called last in the lane of the models."""
        self.engine.close()

    def _connect(self) -> None:
        window, pages, camera = self._window, self._window.pages, self._window.pages.camera
        camera.page_changed.connect(self.toolbar.show_page)
        camera.page_changed.connect(self.left.thumbnails.show_page)
        camera.zoom_changed.connect(self.toolbar.show_zoom)
        pages.mouse.activated.connect(self._on_activated)
        pages.menu_asked.connect(self._on_menu)
        pages.sheets.set_more_wanted(self.left.thumbnails.wanted)
        self.left.thumbnails.images_wanted.connect(pages.refresh)
        self.toolbar.page_asked.connect(self._go_to_page)
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
        self.scoring.vectors_ready.connect(self._on_vectors)
        window.jobs.engine_ended.connect(self._on_engine_ended)
        window.jobs.engine_back.connect(self._on_engine_back)
        self.recent.path_asked.connect(self._open)
        self.notices.page_asked.connect(self._go_to_page)
        window.status.notices_asked.connect(self._show_notices)
        window.empty.open_asked.connect(self.commands.open_document)
        window.empty.sample_asked.connect(self.commands.open_sample)
        self.watching.strip.reload_asked.connect(self.commands.reload)
        window.closing.connect(self.keeping.save_now)

    def _tell_what_happened(self) -> None:
        """Tell the panels what happened before they were there."""
        state, camera = self._window.state, self._window.pages.camera
        state.documents_changed.emit()
        state.current_changed.emit(state.current)
        for opened in state.documents.values():
            if opened.document is not None:
                state.text_changed.emit(opened.id)
        self.toolbar.show_page(camera.page)
        self.toolbar.show_zoom(camera.zoom)
        self._window.pages.setFocus()

    def _load_model(self) -> None:
        if not self._model:
            return
        self.models.loading.connect(self._on_model_loading)
        self.models.ready.connect(self._on_model)
        self.models.failed.connect(self._on_no_model)
        if self._model == MODEL:
            self.models.load_remembered()
        else:
            self.models.load(self._model)

    def _on_model_loading(self, name: str) -> None:
        short = name.rsplit("/", maxsplit=1)[-1]
        self.toolbar.show_lamp("○ loading model", f"{short}; what is shown stays until it is ready")

    def _on_model(self, embedder: RemoteEmbedder) -> None:
        self.toolbar.show_lamp("● model ready", embedder.id)
        self._is_model_settled = True
        if self._chosen_waits_for_model():
            self.chunking.make_again()
            self._go_on_with_scores()
        else:  # vectors first: the scores of what is shown need them
            self._go_on_with_scores()
            self.chunking.make_again()
        self.scoring.score_all()
        self.searching.ask_again()

    def _go_on_with_scores(self) -> None:
        """Make vectors; look for references once strategies that need the model were asked for."""
        if self._is_restored and self._is_model_settled:
            self.scoring.waits_for_model = False
        self.scoring.start()

    def _chosen_waits_for_model(self) -> bool:
        chosen = self._window.state.chosen_slot
        kinds = ("embedding", "model")
        return chosen is not None and chosen.recipe.strategy.declaration.strategy_class in kinds

    def _on_no_model(self, message: str) -> None:
        is_there = self.models.current is not None
        self.toolbar.show_lamp("● model ready" if is_there else "✕ no model", message)
        self._is_model_settled = True
        self._go_on_with_scores()

    def _on_engine_ended(self, message: str, is_asked_again: bool) -> None:
        self.toolbar.show_lamp("○ engine restarts" if is_asked_again else "✕ engine ended", message)
        again = "The engine process ended while it worked; it is started and asked again."
        self._window.say(again if is_asked_again else message)

    def _on_engine_back(self) -> None:
        if self.models.current is not None:
            self.toolbar.show_lamp("● model ready", self.models.current.id)

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
        if selection.kind == "chunk":
            self.history.leave()
            self._window.pages.navigator.zoom_to_span(selection.start, selection.end)
        elif selection.kind != "nothing":
            self._window.show_pane("right")

    def _on_menu(self, selection: Selection, place: QPoint) -> None:
        if selection.kind != "nothing" and selection.ids[0] not in self._window.state.selection.ids:
            self._window.state.select(selection)
        self.pointed.open_for(selection, place)

    def _show_notices(self) -> None:
        current, status = self._window.state.current, self._window.status
        if current is not None:
            self.notices.open_with(current.notices, status.mapToGlobal(status.rect().topRight()))

    def _open(self, path: Path) -> None:
        self._window.open_path(path)

    def _go_to_page(self, page: int) -> None:
        self.history.leave()
        self._window.pages.camera.go_to_page(page)
        self._window.pages.setFocus()

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
