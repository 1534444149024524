# SPDX-License-Identifier: AGPL-3.0-or-later
"""Questions from files and into files: the dialogs, and what is said when it fails."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

from core.errors import ChunkscopeError
from core.search.query_import import export_queries, import_queries
from gui.questions import QuestionBook

FILES = "Query sets (*.json *.jsonl *.csv *.txt *.topics);;All files (*)"
SAVED = "Query sets (*.json)"
EXPORTED = "Benchmark CSV (*.csv);;JSON lines (*.jsonl);;Query set (*.json)"


class QuestionFiles(QToolButton):
    """A menu button.

    Signals:
        failed: what went wrong.
        removal_asked: the selected questions are to be removed.
    """

    failed = Signal(str)
    removal_asked = Signal()

    def __init__(self, book: QuestionBook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._book = book
        menu = QMenu("Questions", self)
        for text, method in (
            ("Import file…", self._import),
            ("Import BEIR folder…", self._import_folder),
            ("Import TREC topics with qrels…", self._import_judged),
            ("Save…", self._save),
            ("Export…", self._export),
            ("Remove selected", self.removal_asked.emit),
        ):
            menu.addAction(text).triggered.connect(method)
        self.setText("Questions")
        self.setToolTip("Import, save, export, remove")
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def import_file(self, path: Path, judged: Path | None = None) -> None:
        """Import questions from a file or folder of any known form."""
        try:
            self._book.replace_all(import_queries(path, judged=judged), f"import {path.name}")
        except ChunkscopeError as error:
            self.failed.emit(str(error))

    def write(self, work: Callable[[], None]) -> None:
        """Do what writes a file, and tell when that fails."""
        try:
            work()
        except (ChunkscopeError, OSError) as error:
            self.failed.emit(str(error))

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Import questions", "", FILES)
        if name:
            self.import_file(Path(name))

    def _import_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Import a BEIR folder")
        if name:
            self.import_file(Path(name))

    def _import_judged(self) -> None:
        topics, _ = QFileDialog.getOpenFileName(self, "TREC topics", "", "All files (*)")
        if topics:
            judged, _ = QFileDialog.getOpenFileName(self, "TREC qrels", "", "All files (*)")
            self.import_file(Path(topics), Path(judged) if judged else None)

    def _save(self) -> None:
        suggested = str(self._book.path or "questions.queries.json")
        name, _ = QFileDialog.getSaveFileName(self, "Save questions", suggested, SAVED)
        if name:
            self.write(lambda: self._book.save(with_ending(Path(name), (".json",))))

    def _export(self) -> None:
        name, form = QFileDialog.getSaveFileName(
            self, "Export questions", "questions.csv", EXPORTED
        )
        if name:
            path = with_ending(Path(name), (".csv", ".jsonl", ".json"), form)
            self.write(lambda: export_queries(self._book.set, path))


def with_ending(path: Path, endings: tuple[str, ...], form: str = "") -> Path:
    """A path with the ending of the chosen form, where its name has none; else the first."""
    if path.suffix:
        return path
    chosen = (each for each in endings if f"*{each})" in form)
    return path.with_name(path.name + next(chosen, endings[0]))
