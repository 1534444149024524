# SPDX-License-Identifier: AGPL-3.0-or-later
"""Notices that the file of an open document has changed on disk."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from gui.strips import ChangedStrip

if TYPE_CHECKING:
    from gui.main_window import MainWindow

SETTLE_MILLISECONDS = 300  # a file is written in steps, or taken away and put back

Stamp = tuple[int, int]  # time of the last change, nanoseconds; bytes


class Watching(QObject):
    """Watches the files of open documents, and shows a strip over one that is another now.

    `strip.reload_asked` is for whoever can read the file again.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._state = window.state
        self.strip = ChangedStrip()
        window.add_strip(self.strip)
        self._read: dict[str, Stamp | None] = {}  # the file as it was read, by document
        self._changed: set[str] = set()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_file)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self._compare)
        self._state.documents_changed.connect(self._on_documents)
        self._state.current_changed.connect(self._show)
        self._on_documents()

    def _on_documents(self) -> None:
        documents = self._state.documents
        for gone in [each for each in self._read if each not in documents]:
            del self._read[gone]
            self._changed.discard(gone)
        for document, opened in documents.items():
            if document not in self._read:
                self._read[document] = _stamp(opened.path)
        self._watch()

    def _watch(self) -> None:
        """Watch what is open; a file that was replaced must be given to the watcher again."""
        wanted = {str(opened.path) for opened in self._state.documents.values()}
        watched = set(self._watcher.files())
        if unwanted := watched - wanted:
            self._watcher.removePaths(sorted(unwanted))
        if missing := [each for each in sorted(wanted - watched) if Path(each).exists()]:
            self._watcher.addPaths(missing)

    def _on_file(self, path: str) -> None:
        del path  # all are compared: several may change at once
        self._settle.start()

    def _compare(self) -> None:
        for document, opened in self._state.documents.items():
            now = _stamp(opened.path)
            if now is not None and now != self._read.get(document):
                self._changed.add(document)
        self._watch()
        self._show()

    def _show(self, _: object = None) -> None:
        current = self._state.current
        is_changed = current is not None and current.id in self._changed
        self.strip.say(f"{current.name} has changed on disk." if is_changed and current else "")


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
