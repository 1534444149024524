# SPDX-License-Identifier: AGPL-3.0-or-later
"""Keeps the workspace: saved soon after each change, restored at the start, also as a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from core.errors import ChunkscopeError
from core.strategies.recipe import parse_recipe
from gui import workspace
from gui.application import SAMPLE
from gui.jobs import JobToken
from gui.pages.camera import Anchor, Fit
from gui.pages.navigator import Place
from gui.workspace import OpenFile, ShownStrategy, ViewOf, Workspace, WorkspaceError
from gui.workspace_place import last_workspace, path_of

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from gui.questions import QuestionBook
    from gui.state import OpenDocument

SAVE_AFTER_MILLISECONDS = 2_000
FIRST_STRATEGIES = ("SSTC:threshold=0.4", "RC:size=1000,overlap=0")
_FITS: dict[str, Fit] = {"none": "none", "width": "width", "page": "page"}


class Keeping(QObject):
    """Takes the workspace from the window, and puts it back."""

    def __init__(self, window: "MainWindow", book: "QuestionBook") -> None:
        super().__init__(window)
        self._window = window
        self._book = book
        self._saved = b""
        self._is_on = False
        self.file: Path | None = None  # where the user keeps it, beside the automatic copy
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._save_beside)
        state = window.state
        for changed in (
            state.documents_changed,
            state.current_changed,
            state.slots_changed,
            state.chosen_changed,
            state.compared_changed,
            state.query_changed,
            book.changed,
            book.chosen,
            book.tags.changed,
            window.pages.camera.zoom_changed,
            window.pages.camera.layout_changed,
            window.pages.verticalScrollBar().valueChanged,
            window.pages.layers_changed,
        ):
            changed.connect(self._on_change)

    # automatic

    def restore(self, *, documents: bool) -> Iterator[None]:
        """Put back what was there at the last end, in steps; `documents`: also open them."""
        place = last_workspace()
        found = Workspace(version=workspace.VERSION)
        if place.is_file():
            try:
                found = workspace.read(place)
            except WorkspaceError as error:
                self._set_aside(place, error)
        yield from self._put(found, documents=documents)
        self._is_on = True
        self._on_change()

    def save_now(self) -> None:
        """Save at the end of the program, if something changed."""
        self._timer.stop()
        content = workspace.encode(self.take())
        if self._is_on and content != self._saved:
            try:
                workspace.write(last_workspace(), content)
            except WorkspaceError as error:
                self._window.say(str(error))

    def _set_aside(self, place: Path, error: WorkspaceError) -> None:
        try:
            kept = workspace.set_aside(place)
        except OSError:
            self._window.say(f"The last workspace is not restored: {error}")
        else:
            self._window.say(f"The last workspace is not restored: {error}. It is kept as {kept}")

    def _on_change(self, *_: object) -> None:
        if self._is_on and not self._timer.isActive():
            self._timer.start()

    def _save_beside(self) -> None:
        content = workspace.encode(self.take())
        if content == self._saved:
            return

        def work(token: JobToken) -> object:
            token.check()
            workspace.write(last_workspace(), content)
            return None

        def done(_: object) -> None:
            self._saved = content

        self._window.jobs.request("workspace", "query", work, done, priority=9)

    # by the user

    def save_as(self, path: Path) -> None:
        """Save to a file of the user's."""
        try:
            workspace.write(path, workspace.encode(self.take()))
        except WorkspaceError as error:
            self._window.say(str(error))
            return
        self.file = path
        self._window.say(f"Workspace saved as {path}")

    def open(self, path: Path) -> None:
        """Replace all that is open by what a file holds."""
        try:
            found = workspace.read(path)
        except WorkspaceError as error:
            self._window.say(str(error))
            return
        state = self._window.state
        for document in list(state.documents):
            self._window.opening.close(document)
        for slot in state.slots:
            state.remove_slot(slot.id)
        self.file = path
        for _ in self._put(found, documents=True):
            pass

    # both ways

    def take(self) -> Workspace:
        """What the window shows now."""
        state, camera = self._window.state, self._window.pages.camera
        places = [slot.id for slot in state.slots]
        return Workspace(
            version=workspace.VERSION,
            documents=tuple(self._open_file(each) for each in state.documents.values()),
            current=str(state.current.path) if state.current is not None else "",
            strategies=tuple(
                ShownStrategy(
                    recipe=slot.recipe.word, is_visible=slot.is_visible, is_pinned=slot.is_pinned
                )
                for slot in state.slots
            ),
            chosen=places.index(state.chosen) if state.chosen in places else -1,
            compared=places.index(state.compared) if state.compared in places else -1,
            query=state.query,
            questions=self._book.kept(),
            question=self._book.index,
            tags=self._book.tags.kept(),
            top_k=state.top_k,
            layers=tuple(sorted(self._window.pages.shown.layers)),
            rotation=camera.rotation,
            two_pages=camera.shows_two_pages,
        )

    def _open_file(self, opened: "OpenDocument") -> OpenFile:
        navigator = self._window.pages.navigator
        is_current = opened is self._window.state.current
        place = navigator.place if is_current else navigator.place_of(opened.id)
        if place is None:
            return OpenFile(path=str(opened.path))
        anchor = place.anchor
        view = ViewOf(
            page=anchor.page,
            x=round(anchor.x, 1),
            y=round(anchor.y, 1),
            zoom=round(place.zoom, 4),
            fit=place.fit,
        )
        return OpenFile(path=str(opened.path), view=view)

    def _put(self, found: Workspace, *, documents: bool) -> Iterator[None]:
        state, pages = self._window.state, self._window.pages
        if found.layers:
            pages.set_layers(set(found.layers))
        if found.rotation % 90 == 0 and found.rotation != pages.camera.rotation:
            pages.camera.rotate(found.rotation - pages.camera.rotation)
        if found.two_pages != pages.camera.shows_two_pages:
            pages.camera.set_two_pages(found.two_pages)
        yield from self._put_strategies(found)
        state.top_k = found.top_k
        state.set_query(found.query)
        self._put_documents(found, documents=documents)
        self._book.tags.restore({path_of(path): tags for path, tags in found.tags.items()})
        try:
            self._book.restore(found.questions, found.question)
        except ChunkscopeError as error:
            self._window.say(f"The questions are not restored: {error}")

    def _first(self) -> tuple[str, ...]:
        """For the first start; what needs vectors is first only where vectors are shipped."""
        current = self._window.state.current
        is_sample = current is None or current.path == SAMPLE
        return FIRST_STRATEGIES if is_sample else FIRST_STRATEGIES[::-1]

    def _put_strategies(self, found: Workspace) -> Iterator[None]:
        state = self._window.state
        shown = found.strategies or tuple(ShownStrategy(recipe=word) for word in self._first())
        ids = []
        for each in shown:
            try:
                slot = state.add_slot(parse_recipe(each.recipe))
            except ChunkscopeError as error:  # of another version: the others are still shown
                self._window.say(f"{each.recipe} cannot be shown again: {error}")
                slot = -1
            ids.append(slot)
            if slot >= 0 and not each.is_visible:
                state.set_slot_visible(slot, is_visible=False)
            if slot >= 0 and each.is_pinned:
                state.set_slot_pinned(slot, is_pinned=True)
            yield
        if 0 <= found.chosen < len(ids) and ids[found.chosen] >= 0:
            state.set_chosen(ids[found.chosen])
        if 0 <= found.compared < len(ids) and ids[found.compared] >= 0:
            state.set_compared(ids[found.compared])

    def _put_documents(self, found: Workspace, *, documents: bool) -> None:
        opening = self._window.opening
        gone = []
        for each in found.documents:
            path = Path(path_of(each.path))
            document = opening.id_of(path)
            if not document and documents:
                if not path.is_file():
                    gone.append(path.name)
                    continue
                document = opening.open(path, is_shown=each.path == found.current)
            if document:
                self._put_view(document, each.view)
        if gone:
            self._window.say(f"Not opened again, since the file is gone: {', '.join(gone)}")

    def _put_view(self, document: str, view: ViewOf) -> None:
        pages, current = self._window.pages, self._window.state.current
        place = Place(Anchor(view.page, view.x, view.y), view.zoom, _FITS.get(view.fit, "width"))
        pages.navigator.set_place(document, place)
        is_shown = current is not None and current.id == document and bool(current.page_sizes)
        if is_shown and pages.verticalScrollBar().value() == 0:  # not moved since it was opened
            pages.navigator.go_to(place)
