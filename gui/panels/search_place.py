# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where the index is kept, and who orders the first hits again."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)


class SearchPlace(QWidget):
    """Two fields; what is typed holds from Enter on.

    Signals:
        reranker_given: folder or name of a cross-encoder, empty for none.
        place_given: a path or URI of a LanceDB database, empty for the data folder.
    """

    reranker_given = Signal(str)
    place_given = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reranker = _field(
            "none: folder or name of a cross-encoder",
            "The first 50 hits are ordered again by this sentence-transformers cross-encoder, "
            "in queries and evaluations. It must be on this machine.",
        )
        self.place = _field(
            "this program's folder, or a path, s3://…, db://…",
            "The LanceDB database that holds the index. What is in it is never deleted.",
        )
        self._told = {self.reranker: "", self.place: ""}
        self.reranker.editingFinished.connect(self._tell_reranker)
        self.place.editingFinished.connect(self._tell_place)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for words, field, choose in (
            ("Re-rank by", self.reranker, self._choose_reranker),
            ("Index in", self.place, self._choose_place),
        ):
            button = QPushButton("Folder…")
            button.clicked.connect(choose)
            row.addWidget(QLabel(words))
            row.addWidget(field, 1)
            row.addWidget(button)

    def show_kept(self, reranker: str, place: str) -> None:
        """Begin with what was given the last time."""
        self.reranker.setText(reranker)
        self.place.setText(place)
        self._tell_reranker()
        self._tell_place()

    def _tell_reranker(self) -> None:
        if self._is_new(self.reranker):
            self.reranker_given.emit(self.reranker.text().strip())

    def _tell_place(self) -> None:
        if self._is_new(self.place):
            self.place_given.emit(self.place.text().strip())

    def _is_new(self, field: QLineEdit) -> bool:
        words = field.text().strip()
        is_new = words != self._told[field]
        self._told[field] = words
        return is_new

    def _choose_reranker(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of a cross-encoder")
        if name:
            self.reranker.setText(name)
            self._tell_reranker()

    def _choose_place(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of the index")
        if name:
            self.place.setText(name)
            self._tell_place()


def _field(empty: str, tip: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(empty)
    field.setToolTip(tip)
    field.setClearButtonEnabled(True)
    return field
