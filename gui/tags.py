# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tags of documents: what is searched together, filtered and compared by. Undone with the gold."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from gui.state import OpenDocument, State

Tags = tuple[str, ...]


class _Change(QUndoCommand):
    """One step: other tags of one document."""

    def __init__(
        self, opened: OpenDocument, old: Tags, new: Tags, put: Callable[..., None]
    ) -> None:
        super().__init__(f"tag {opened.name}")
        self._path, self._old, self._new, self._put = str(opened.path), old, new, put

    def redo(self) -> None:
        """Put the new tags."""
        self._put(self._path, self._new)

    def undo(self) -> None:
        """Put the old ones back."""
        self._put(self._path, self._old)


class DocumentTags(QObject):
    """The tags of each document by its path, so that they outlive its being closed.

    Signals:
        changed: the tags of some document.
    """

    changed = Signal()

    def __init__(self, state: State, stack: QUndoStack, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._stack = stack
        self._by_path: dict[str, Tags] = {}

    def of(self, opened: OpenDocument) -> Tags:
        """The tags of an open document."""
        return self._by_path.get(str(opened.path), ())

    def all(self) -> list[str]:
        """The tags of all open documents, in their order."""
        return sorted({tag for each in self._state.documents.values() for tag in self.of(each)})

    def named(self, names: Mapping[str, str]) -> dict[str, Tags]:
        """The tags of the open documents by the names that evaluations know them by.

        Args:
            names: name by document id.
        """
        opened = self._state.documents
        return {name: self.of(opened[each]) for each, name in names.items() if each in opened}

    def set(self, opened: OpenDocument, tags: Tags) -> None:
        """Give an open document other tags."""
        old = self.of(opened)
        if tags != old:
            self._stack.push(_Change(opened, old, tags, self._put))

    def kept(self) -> dict[str, Tags]:
        """What a workspace keeps."""
        return dict(self._by_path)

    def restore(self, kept: Mapping[str, Tags]) -> None:
        """Put back what a workspace kept."""
        self._by_path = {path: tags for path, tags in kept.items() if tags}
        self.changed.emit()

    def _put(self, path: str, tags: Tags) -> None:
        self._by_path[path] = tags
        if not tags:
            del self._by_path[path]
        self.changed.emit()


def tags_in(words: str) -> Tags:
    """Tags as they are typed, separated by commas; each once."""
    parts = (" ".join(part.split()) for part in words.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))
