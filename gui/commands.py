# SPDX-License-Identifier: AGPL-3.0-or-later
"""What each action does: one method an action, in the order of the menus."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from core import VERSION
from core.strategies.recipe import make_recipe
from gui import settings, workspace

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from gui.workbench import Workbench

SAMPLES = Path(__file__).resolve().parent.parent / "resources" / "samples"
WORKSPACE_FILTER = f"Workspaces (*{workspace.SUFFIX});;All files (*)"
CHUNK_FILTER = "Chunks (*.json *.jsonl);;All files (*)"
FILTER = "Documents (*.pdf *.txt *.md);;PDF (*.pdf);;Text (*.txt *.md);;All files (*)"


class Commands:
    """The actions' handlers. They call panels and controllers of the window."""

    def __init__(self, workbench: "Workbench", window: "MainWindow") -> None:
        self._bench = workbench
        self._window = window

    # File

    def open_document(self) -> None:
        folder = settings.read(settings.FOLDER)
        names, _ = QFileDialog.getOpenFileNames(self._window, "Open", folder, FILTER)
        for name in names:
            self._window.open_path(Path(name))

    def open_sample(self) -> None:
        self._window.open_path(SAMPLES / "guideline.pdf")

    def open_report(self) -> None:
        self._window.open_path(SAMPLES / "report.pdf")

    def reload(self) -> None:
        current = self._window.state.current
        if current is not None:
            place = self._window.pages.navigator.place
            document = self._window.opening.reload(current.id)
            self._window.pages.navigator.set_place(document, place)

    def close_document(self) -> None:
        current = self._window.state.current
        if current is not None:
            self._window.opening.close(current.id)

    def open_workspace(self) -> None:
        folder = settings.read(settings.FOLDER)
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open workspace", folder, WORKSPACE_FILTER
        )
        if name:
            self._bench.keeping.open(Path(name))

    def save_workspace(self) -> None:
        if self._bench.keeping.file is None:
            self.save_workspace_as()
        else:
            self._bench.keeping.save_as(self._bench.keeping.file)

    def save_workspace_as(self) -> None:
        folder = settings.read(settings.FOLDER)
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save workspace as", folder, WORKSPACE_FILTER
        )
        if name:
            path = Path(name)
            named = path if path.suffix else path.with_name(path.name + workspace.SUFFIX)
            self._bench.keeping.save_as(named)

    def quit(self) -> None:
        self._window.close()

    # Edit

    def undo(self) -> None:
        self._bench.undo_group.undo()

    def redo(self) -> None:
        self._bench.undo_group.redo()

    def copy(self) -> None:
        state, selected = self._window.state, self._window.pages.text.span
        current = state.current
        if current is None or current.document is None:
            return
        text = current.document.text
        result = state.chosen_result
        if selected is not None and selected[1] > selected[0]:
            QGuiApplication.clipboard().setText(text[selected[0] : selected[1]])
        elif state.selection.kind == "chunk" and result is not None and result.chunks is not None:
            parts = [result.chunks.text_of(i, text) for i in state.selection.ids]
            QGuiApplication.clipboard().setText("\n\n".join(parts))

    def find(self) -> None:
        self._window.show_pane("left")
        self._bench.left.show_find()

    def find_next(self) -> None:
        self._bench.left.finder.next()

    def find_previous(self) -> None:
        self._bench.left.finder.previous()

    # View

    def zoom_in(self) -> None:
        self._window.pages.camera.zoom_in()

    def zoom_out(self) -> None:
        self._window.pages.camera.zoom_out()

    def zoom_actual(self) -> None:
        self._window.pages.camera.set_zoom(1.0)

    def fit_width(self) -> None:
        self._window.pages.camera.set_fit("width")

    def fit_page(self) -> None:
        self._window.pages.camera.set_fit("page")

    def fit_chunk(self) -> None:
        selected = self._window.state.selection
        if selected.kind != "nothing":
            self._window.pages.navigator.zoom_to_span(selected.start, selected.end)

    def two_pages(self, is_on: bool) -> None:
        self._window.pages.camera.set_two_pages(is_on)

    def rotate_right(self) -> None:
        self._window.pages.camera.rotate(90)

    def rotate_left(self) -> None:
        self._window.pages.camera.rotate(-90)

    def layers(self) -> None:
        self._bench.toolbar.open_layers()

    def theme_light(self) -> None:
        self._window.set_theme("light")

    def theme_dark(self) -> None:
        self._window.set_theme("dark")

    def theme_system(self) -> None:
        self._window.set_theme("system")

    def full_screen(self, is_on: bool) -> None:
        if is_on:
            self._window.showFullScreen()
        else:
            self._window.showNormal()

    # Go

    def go_to_page(self) -> None:
        self._bench.toolbar.page_box.setFocus()
        self._bench.toolbar.page_box.selectAll()

    def first_page(self) -> None:
        self._bench.history.leave()
        self._window.pages.camera.go_to_page(0)

    def last_page(self) -> None:
        current = self._window.state.current
        if current is not None:
            self._bench.history.leave()
            self._window.pages.camera.go_to_page(len(current.page_sizes) - 1)

    def back(self) -> None:
        self._bench.history.back()

    def forward(self) -> None:
        self._bench.history.forward()

    def next_chunk(self) -> None:
        self._window.pages.navigator.step_chunk(1)

    def previous_chunk(self) -> None:
        self._window.pages.navigator.step_chunk(-1)

    def to_pages(self) -> None:
        pages = self._window.pages
        if pages.hasFocus():
            pages.clear_selection()
        else:
            pages.setFocus()

    # Strategy

    def choose_strategy(self) -> None:
        self._bench.pick_strategy(self._window.state.chosen)

    def add_strategy(self) -> None:
        self._bench.pick_strategy(-1)

    def reset_strategy(self) -> None:
        chosen = self._window.state.chosen_slot
        if chosen is not None:
            self._window.state.set_recipe(chosen.id, make_recipe(chosen.recipe.code))

    # Evaluate

    def focus_query(self) -> None:
        self._window.show_pane("bottom")
        self._bench.bottom.show_tab("queries")

    def pin_baseline(self) -> None:
        self._bench.bottom.scores.pin_baseline()

    def mark_gold(self) -> None:
        if self._bench.retrieval is not None:
            self._bench.retrieval.labelling.mark_selection(grade=2)

    def mark_gold_in_part(self) -> None:
        if self._bench.retrieval is not None:
            self._bench.retrieval.labelling.mark_selection(grade=1)

    def next_question(self) -> None:
        if self._bench.retrieval is not None:
            self._bench.retrieval.labelling.step(1)

    def last_question(self) -> None:
        if self._bench.retrieval is not None:
            self._bench.retrieval.labelling.step(-1)

    def mark_hit(self, rank: int) -> None:
        if self._bench.retrieval is not None:
            self._bench.retrieval.labelling.mark_hit(rank)

    def show_questions(self) -> None:
        self._window.show_pane("bottom")
        self._bench.bottom.show_tab("gold")

    def show_tags(self) -> None:
        if self._bench.retrieval is not None:
            self._bench.retrieval.show_tags()

    def compare_all(self) -> None:
        if self._bench.study is not None:
            self._window.show_pane("bottom")
            self._bench.study.compare_all()

    def show_blame(self) -> None:
        if self._bench.study is not None:
            self._window.show_pane("bottom")
            self._bench.study.show_blame()

    def import_chunks(self) -> None:
        folder = settings.read(settings.FOLDER)
        name, _ = QFileDialog.getOpenFileName(self._window, "Import chunks", folder, CHUNK_FILTER)
        if name and self._bench.study is not None:
            self._bench.study.import_chunks(Path(name))

    def new_strategy(self) -> None:
        path = self._bench.own_strategies.new_from_template()
        self._window.say(f"{path} was made: change it, save it, then load it here")
        self.open_strategies_folder()  # not the file: some desktops would run it

    def open_strategies_folder(self) -> None:
        folder = self._bench.own_strategies.folder()
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    # Tools

    def tool_chunk(self) -> None:
        self._window.pages.mouse.set_tool("chunk")

    def tool_text(self) -> None:
        self._window.pages.mouse.set_tool("text")

    def tool_hand(self) -> None:
        self._window.pages.mouse.set_tool("hand")

    # Window

    def toggle_left(self) -> None:
        self._window.toggle_pane("left")

    def toggle_right(self) -> None:
        self._window.toggle_pane("right")

    def toggle_bottom(self) -> None:
        self._window.toggle_pane("bottom")

    def next_pane(self) -> None:
        self._window.move_focus(1)

    def previous_pane(self) -> None:
        self._window.move_focus(-1)

    def reset_layout(self) -> None:
        self._window.reset_layout()

    # Help

    def show_keys(self) -> None:
        self._bench.keys.open_with(self._bench.actions)

    def about(self) -> None:
        name = QCoreApplication.applicationName()
        self._window.say(f"{name} {VERSION}, free software under the AGPL 3.0 or later")


def mark_hit(rank: int) -> Callable[[Commands], None]:
    """The handler of the action that marks the hit of a rank."""

    def run(commands: Commands) -> None:
        commands.mark_hit(rank)

    return run
