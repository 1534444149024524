# SPDX-License-Identifier: AGPL-3.0-or-later
"""All actions in one table: menus, shortcuts, tool bar and the list of keys are made from it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MethodType
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from gui.commands import Commands, mark_hit

MENUS = ("File", "Edit", "View", "Go", "Strategy", "Evaluate", "Tools", "Window", "Help")


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action. `id` names it in key bindings, logs and tests."""

    id: str
    text: str
    keys: tuple[str, ...]
    menu: str  # "View" or "View/Zoom"
    tip: str
    run: Callable[..., Any]
    is_checkable: bool = False
    pages_only: bool = False  # a single letter: works only while the pages have the focus
    begins_group: bool = False


def _spec(  # noqa: PLR0917 - the columns of the table
    id_: str,
    text: str,
    keys: str,
    menu: str,
    tip: str,
    run: Callable[..., Any],
    **more: bool,
) -> ActionSpec:
    return ActionSpec(id_, text, tuple(keys.split("  ")) if keys else (), menu, tip, run, **more)


C = Commands
RETRIEVAL: tuple[ActionSpec, ...] = (
    _spec(
        "evaluate.gold",
        "Mark as &gold",
        "G",
        "Evaluate",
        "The selected text answers the question; once more takes it back",
        C.mark_gold,
        pages_only=True,
        begins_group=True,
    ),
    _spec(
        "evaluate.gold_part",
        "Mark as gold in &part",
        "Shift+G",
        "Evaluate",
        "The selected text answers the question in part",
        C.mark_gold_in_part,
        pages_only=True,
    ),
    _spec("evaluate.next", "Ne&xt question", "Alt+Down", "Evaluate", "Ask it", C.next_question),
    _spec(
        "evaluate.previous", "Pre&vious question", "Alt+Up", "Evaluate", "Ask it", C.last_question
    ),
    *(
        _spec(
            f"evaluate.mark_{rank}",
            f"Hit &{rank}",
            str(rank),
            "Evaluate/Mark hit",
            "The chunk of this hit is gold; once more takes it back",
            mark_hit(rank),
            pages_only=True,
        )
        for rank in range(1, 10)
    ),
    _spec(
        "evaluate.questions",
        "&Questions and gold",
        "",
        "Evaluate",
        "Show the questions",
        C.show_questions,
        begins_group=True,
    ),
    _spec(
        "evaluate.tags",
        "&Tags of documents…",
        "",
        "Evaluate",
        "Documents with one tag are searched and evaluated together",
        C.show_tags,
    ),
)
STUDY: tuple[ActionSpec, ...] = (
    _spec(
        "evaluate.compare",
        "&Compare all strategies",
        "Ctrl+Shift+E",
        "Evaluate",
        "Score every preset on this document",
        C.compare_all,
    ),
    _spec("evaluate.blame", "&Blame", "", "Evaluate", "What costs the scores most", C.show_blame),
    _spec(
        "tools.new_strategy",
        "&New strategy from template…",
        "",
        "Tools",
        "A Python file in your folder of strategies",
        C.new_strategy,
        begins_group=True,
    ),
    _spec(
        "tools.strategies_folder",
        "&Open folder of own strategies",
        "",
        "Tools",
        "Files in it are offered as strategies once you agree",
        C.open_strategies_folder,
    ),
)
ACTIONS: tuple[ActionSpec, ...] = (
    _spec("file.open", "&Open…", "Ctrl+O", "File", "Open a PDF or text file", C.open_document),
    _spec("file.sample", "Open &sample", "", "File", "Open the bundled guideline", C.open_sample),
    _spec(
        "file.report", "Open sample &report", "", "File", "Open the bundled report", C.open_report
    ),
    _spec(
        "file.open_workspace",
        "Open &workspace…",
        "",
        "File",
        "Documents, strategies and view from a file",
        C.open_workspace,
        begins_group=True,
    ),
    _spec(
        "file.save_workspace",
        "&Save workspace",
        "Ctrl+S",
        "File",
        "Save to the file chosen last",
        C.save_workspace,
    ),
    _spec(
        "file.save_workspace_as",
        "Save workspace &as…",
        "",
        "File",
        "Documents, strategies and view to a file",
        C.save_workspace_as,
    ),
    _spec(
        "file.import_chunks",
        "&Import chunks…",
        "",
        "File",
        "Chunks that another tool made, from JSON",
        C.import_chunks,
        begins_group=True,
    ),
    _spec(
        "file.reload", "&Reload", "F5", "File", "Read the file again", C.reload, begins_group=True
    ),
    _spec(
        "file.close",
        "&Close",
        "Ctrl+W",
        "File",
        "Close this document",
        C.close_document,
        begins_group=True,
    ),
    _spec("file.quit", "&Quit", "Ctrl+Q", "File", "Close the window", C.quit),
    _spec("edit.undo", "&Undo", "Ctrl+Z", "Edit", "Take back the last change", C.undo),
    _spec("edit.redo", "&Redo", "Ctrl+Shift+Z  Ctrl+Y", "Edit", "Do it again", C.redo),
    _spec(
        "edit.copy", "&Copy", "Ctrl+C", "Edit", "Copy the selected text", C.copy, begins_group=True
    ),
    _spec("edit.find", "&Find…", "Ctrl+F", "Edit", "Find in the text", C.find, begins_group=True),
    _spec("edit.find_next", "Find &next", "F3", "Edit", "Go to the next match", C.find_next),
    _spec(
        "edit.find_previous",
        "Find &previous",
        "Shift+F3",
        "Edit",
        "Go to the match before",
        C.find_previous,
    ),
    _spec("view.zoom_in", "Zoom &in", "Ctrl++  Ctrl+=", "View/Zoom", "Larger", C.zoom_in),
    _spec("view.zoom_out", "Zoom &out", "Ctrl+-", "View/Zoom", "Smaller", C.zoom_out),
    _spec("view.zoom_actual", "&100 %", "Ctrl+0", "View/Zoom", "96 dots an inch", C.zoom_actual),
    _spec(
        "view.fit_width",
        "Fit &width",
        "Ctrl+1",
        "View/Zoom",
        "Pages as wide as the view",
        C.fit_width,
    ),
    _spec("view.fit_page", "Fit &page", "Ctrl+2", "View/Zoom", "A whole page", C.fit_page),
    _spec(
        "view.fit_chunk",
        "Fit selected &chunk",
        "Z",
        "View/Zoom",
        "Zoom to the selected chunk",
        C.fit_chunk,
        pages_only=True,
    ),
    _spec(
        "view.two_pages",
        "&Two pages",
        "",
        "View",
        "Two pages side by side",
        C.two_pages,
        is_checkable=True,
    ),
    _spec("view.rotate_right", "Rotate &right", "", "View/Rotate", "Turn the view", C.rotate_right),
    _spec("view.rotate_left", "Rotate &left", "", "View/Rotate", "Turn the view", C.rotate_left),
    _spec(
        "view.layers", "&Layers…", "L", "View", "Choose what is drawn", C.layers, pages_only=True
    ),
    _spec(
        "view.light", "&Light", "", "View/Theme", "Light colours", C.theme_light, begins_group=True
    ),
    _spec("view.dark", "&Dark", "", "View/Theme", "Dark colours", C.theme_dark),
    _spec(
        "view.system", "As the &system", "", "View/Theme", "The desktop's colours", C.theme_system
    ),
    _spec(
        "view.full_screen",
        "&Full screen",
        "F11",
        "View",
        "Use the whole screen",
        C.full_screen,
        is_checkable=True,
    ),
    _spec("go.page", "&Page…", "Ctrl+G  Ctrl+Alt+G", "Go", "Go to a page", C.go_to_page),
    _spec(
        "go.first",
        "&First page",
        "Home",
        "Go",
        "Go to the beginning",
        C.first_page,
        pages_only=True,
    ),
    _spec("go.last", "&Last page", "End", "Go", "Go to the end", C.last_page, pages_only=True),
    _spec("go.back", "&Back", "Alt+Left", "Go", "Where you were", C.back, begins_group=True),
    _spec("go.forward", "&Forward", "Alt+Right", "Go", "Where you came from", C.forward),
    _spec(
        "go.next_chunk",
        "Next &chunk",
        ".",
        "Go",
        "Select the next chunk",
        C.next_chunk,
        pages_only=True,
        begins_group=True,
    ),
    _spec(
        "go.previous_chunk",
        "Pre&vious chunk",
        ",",
        "Go",
        "Select the chunk before",
        C.previous_chunk,
        pages_only=True,
    ),
    _spec(
        "strategy.choose",
        "&Choose…",
        "Ctrl+K, S",
        "Strategy",
        "Choose another strategy",
        C.choose_strategy,
    ),
    _spec(
        "strategy.add", "&Show another…", "Ctrl+K, A", "Strategy", "Show one more", C.add_strategy
    ),
    _spec("strategy.reset", "&Reset", "Ctrl+R", "Strategy", "As published", C.reset_strategy),
    _spec(
        "evaluate.query",
        "&New query",
        "/",
        "Evaluate",
        "Ask a question of the documents",
        C.focus_query,
        pages_only=True,
    ),
    _spec(
        "evaluate.baseline",
        "&Pin baseline",
        "P",
        "Evaluate",
        "Show changes against the scores of now",
        C.pin_baseline,
        pages_only=True,
    ),
    *STUDY,
    *RETRIEVAL,
    _spec(
        "tools.chunk",
        "&Chunk tool",
        "C",
        "Tools",
        "Select chunks and cuts",
        C.tool_chunk,
        pages_only=True,
    ),
    _spec("tools.text", "&Text tool", "T", "Tools", "Select text", C.tool_text, pages_only=True),
    _spec("tools.hand", "&Hand tool", "H", "Tools", "Move the pages", C.tool_hand, pages_only=True),
    _spec("window.left", "&Left pane", "F7", "Window", "Show or hide", C.toggle_left),
    _spec("window.right", "&Right pane", "F9", "Window", "Show or hide", C.toggle_right),
    _spec("window.bottom", "&Bottom pane", "Ctrl+J", "Window", "Show or hide", C.toggle_bottom),
    _spec(
        "window.next_pane",
        "&Next pane",
        "F6",
        "Window",
        "Move the focus",
        C.next_pane,
        begins_group=True,
    ),
    _spec(
        "window.previous_pane",
        "&Previous pane",
        "Shift+F6",
        "Window",
        "Move the focus back",
        C.previous_pane,
    ),
    _spec("window.reset", "&Reset layout", "", "Window", "Panes as at first", C.reset_layout),
    _spec(
        "go.pages",
        "To the p&ages",
        "Escape",
        "Go",
        "Give the pages the focus; there, select nothing",
        C.to_pages,
        begins_group=True,
    ),
    _spec(
        "help.commands",
        "Find &commands…",
        "Ctrl+Shift+P  F1",
        "Help",
        "All commands and their keys",
        C.show_keys,
    ),
    _spec("help.keys", "&Keys", "?", "Help", "All shortcuts", C.show_keys, pages_only=True),
    _spec("help.about", "&About", "", "Help", "Version and licence", C.about),
)


def make_actions(
    commands: Commands, owner: QWidget, pages: QWidget, specs: Iterable[ActionSpec] = ACTIONS
) -> dict[str, QAction]:
    """The actions of the table, by id. Those of a single letter belong to the pages."""
    actions = {}
    for spec in specs:
        action = QAction(spec.text, owner)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
        action.setToolTip(spec.tip)
        action.setStatusTip(spec.tip)
        action.setCheckable(spec.is_checkable)
        if spec.pages_only:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            pages.addAction(action)
        else:
            owner.addAction(action)
        action.triggered.connect(MethodType(_without_arguments(spec), commands))
        actions[spec.id] = action
    return actions


def _without_arguments(spec: ActionSpec) -> Callable[..., None]:
    """Leave out the `checked` that Qt passes, except where the action is a switch."""
    if spec.is_checkable:
        return spec.run

    def run(commands: Commands, *_: object) -> None:
        spec.run(commands)

    return run


def fill_menus(bar: QMenuBar, actions: dict[str, QAction]) -> dict[str, QMenu]:
    """The menus of the table, by path."""
    menus = {name: bar.addMenu(f"&{name}") for name in MENUS}
    for spec in ACTIONS:
        parent, _, child = spec.menu.partition("/")
        if child and spec.menu not in menus:
            menus[spec.menu] = menus[parent].addMenu(child)
        menu = menus[spec.menu]
        if spec.begins_group and not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(actions[spec.id])
    return menus
