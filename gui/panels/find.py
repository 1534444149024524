# SPDX-License-Identifier: AGPL-3.0-or-later
"""Find in the text: across line ends, and with a mark where a match crosses a cut."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.arrays import Spans, as_spans
from core.document.find import FindError, Matches, find_all
from gui.jobs import Jobs, JobToken
from gui.panels.behind import Behind
from gui.state import OpenDocument, State

TYPING_MILLISECONDS = 120
MOST_LISTED = 500
BEFORE, AFTER = 12, 60  # characters shown around a match


class FindPanel(QWidget):
    """A box, switches and a list of matches.

    Signals:
        found: the matches, int64 (n, 2), and the index of the one to look at, −1 for none.
    """

    found = Signal(object, int)

    def __init__(self, state: State, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._matches: Spans = as_spans([])
        self._current = -1
        self.box = QLineEdit()
        self.box.setPlaceholderText("Type to search the text")
        self.box.setClearButtonEnabled(True)
        self.box.setAccessibleName("Find")
        self.box.returnPressed.connect(self.next)
        self._case = QCheckBox("Case")
        self._word = QCheckBox("Word")
        self._pattern = QCheckBox("Regex")
        self._count = QLabel()
        self._count.setObjectName("muted")
        self._list = QListWidget()
        self._list.setFrameShape(QListWidget.Shape.NoFrame)
        self._list.setUniformItemSizes(True)
        self._list.currentRowChanged.connect(self._on_row)
        switches = QHBoxLayout()
        for switch in (self._case, self._word, self._pattern):
            switch.toggled.connect(self._search)
            switches.addWidget(switch)
        switches.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self.box)
        column.addLayout(switches)
        column.addWidget(self._count)
        column.addWidget(self._list, 1)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MILLISECONDS)
        self._typing.timeout.connect(self._search)
        self.box.textChanged.connect(self._on_typed)
        state.current_changed.connect(self._on_document)
        state.text_changed.connect(self._on_text)
        state.chosen_changed.connect(self._relist)
        self._behind = Behind(self._relist, self)
        state.chunks_changed.connect(self._behind.ask)

    def next(self) -> None:
        """Go to the next match."""
        self._step(1)

    def previous(self) -> None:
        """Go to the match before."""
        self._step(-1)

    def _step(self, step: int) -> None:
        if len(self._matches):
            self._current = (self._current + step) % len(self._matches)
            self.found.emit(self._matches, self._current)
            if self._current < self._list.count():
                self._list.blockSignals(True)
                self._list.setCurrentRow(self._current)
                self._list.blockSignals(False)

    def _on_typed(self, _: str) -> None:
        self._typing.start()

    def _on_document(self, opened: OpenDocument | None) -> None:
        del opened
        self._search()

    def _on_text(self, document: str) -> None:
        current = self._state.current
        if self.box.text() and current is not None and current.id == document:
            self._search()

    def _search(self, *_: object) -> None:
        current, wanted = self._state.current, self.box.text()
        document = current.document if current is not None else None
        if document is None or not wanted:
            self._put(as_spans([]), "")
            return
        case, word, pattern = (s.isChecked() for s in (self._case, self._word, self._pattern))

        def work(token: JobToken) -> object:
            return find_all(
                document.text, wanted, case=case, word=word, pattern=pattern, cancel=token
            )

        def done(result: object) -> None:
            assert isinstance(result, Matches), "finding gives matches"
            more = "+" if result.is_cut_short else ""
            self._put(result.spans, f"{len(result.spans):,}{more} found")

        self._jobs.request("find", "python", work, done, failed=self._on_error, priority=-1)

    def _on_error(self, error: Exception) -> None:
        text = str(error) if isinstance(error, FindError) else f"cannot search: {error}"
        self._count.setText(text)  # the last good matches stay

    def _put(self, matches: Spans, words: str) -> None:
        self._matches, self._current = matches, -1
        self._count.setText(words)
        self._relist()
        self.found.emit(matches, -1)

    def _relist(self, *_: object) -> None:
        current = self._state.current
        self._list.clear()
        if current is None or current.document is None:
            return
        for start, end in self._matches[:MOST_LISTED].tolist():
            text = current.document.text
            snippet = text[max(0, start - BEFORE) : end + AFTER].replace("\n", " ")
            mark = _mark(self._state, start, end)
            page = (current.shown or current.document).page_of(start) + 1
            item = QListWidgetItem(f"{mark} {page}: {snippet}")
            item.setToolTip("crosses a cut" if mark == "⟂" else "inside one chunk")
            self._list.addItem(item)

    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self._matches):
            self._current = row
            self.found.emit(self._matches, row)

    def keyPressEvent(self, event: object) -> None:
        """Escape empties the box."""
        if event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            self.box.clear()


def _mark(state: State, start: int, end: int) -> str:
    """○ inside one chunk, ⟂ across a cut, blank without chunks."""
    result = state.chosen_result
    if result is None or result.chunks is None:
        return " "
    spans = result.chunks.spans
    is_inside = bool(((spans[:, 0] <= start) & (spans[:, 1] >= end)).any())
    return "○" if is_inside else "⟂"
