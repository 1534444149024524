# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strategies of the user's in the window: loaded when agreed to, asked for once a version."""

import shutil
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from core.strategies.user_strategies import (
    UserStrategy,
    agree,
    found,
    load_agreed,
    strategies_folder,
)

TEMPLATE = Path(__file__).resolve().parents[2] / "resources" / "strategy_template.py"
REST_MILLISECONDS = 300  # after a file was written, so that it is read whole


class OwnStrategies(QObject):
    """Watches the user's folder.

    Signals:
        asked: the UserStrategy values that wait for the user's word; empty: none.
        failed: what went wrong, one message a file, with file and line.
        loaded: codes that are registered now.
    """

    asked = Signal(object)
    failed = Signal(object)
    loaded = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._errors: list[str] = []
        self._ignored: set[tuple[str, str]] = set()  # places and versions, until the next start
        self._watcher = QFileSystemWatcher(self)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MILLISECONDS)
        self._rest.timeout.connect(self.load)
        self._watcher.directoryChanged.connect(self._on_change)
        self._watcher.fileChanged.connect(self._on_change)

    def load(self) -> None:
        """Load what was agreed to, and ask for what is new."""
        self.load_quietly()
        self.tell()

    def load_quietly(self) -> None:
        """Load what was agreed to."""
        result = load_agreed()
        self._watch()
        self._errors = [str(error) for error in result.errors]
        self.loaded.emit(result.codes)

    def tell(self) -> None:
        """Say what went wrong, and ask for what is new."""
        self.failed.emit(self._errors)
        self.asked.emit(self.waiting())

    def waiting(self) -> list[UserStrategy]:
        """What was found and neither agreed to nor ignored."""
        return [
            each
            for each in found()
            if not each.agreed and (each.place, each.version) not in self._ignored
        ]

    def agree_to(self, strategies: list[UserStrategy]) -> None:
        """Load these versions, now and at every start."""
        for each in strategies:
            agree(each.place)
        self.load()

    def ignore(self, strategies: list[UserStrategy]) -> None:
        """Ask no more for these versions until the next start."""
        self._ignored.update((each.place, each.version) for each in strategies)
        self.asked.emit(self.waiting())

    def new_from_template(self) -> Path:
        """Put a copy of the template into the folder, under a name that is free."""
        folder = self.folder()
        number = 1
        while (path := folder / f"my_strategy{'' if number == 1 else f'_{number}'}.py").exists():
            number += 1
        shutil.copyfile(TEMPLATE, path)
        self._watch()
        return path

    def folder(self) -> Path:
        """The user's folder, made if it is not there."""
        folder = strategies_folder()
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _watch(self) -> None:
        folder = strategies_folder()
        files = [str(path) for path in folder.glob("*.py")]
        # somebody may make the folder by hand: until it is there, what will hold it is watched
        place = folder if folder.is_dir() else folder.parent
        watched = {*self._watcher.files(), *self._watcher.directories()}
        paths = [str(place), *files] if place.is_dir() else []
        if new := [each for each in paths if each not in watched]:
            self._watcher.addPaths(new)

    def _on_change(self, path: str) -> None:
        del path
        self._rest.start()
