# SPDX-License-Identifier: AGPL-3.0-or-later
"""The status bar: where one is, what is being computed, what was noticed."""

from PySide6.QtCore import QElapsedTimer, QTimer, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from gui.jobs import Jobs
from gui.state import Selection, State

SHOWN_AFTER_MILLISECONDS = 400  # a shorter job shows nothing


class StatusBar(QStatusBar):
    """Stands at the bottom of the window.

    Signals:
        notices_asked: the user wants to read the notices.
    """

    notices_asked = Signal()

    def __init__(self, state: State, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._page = 0
        self._running: dict[str, tuple[str, QElapsedTimer, str]] = {}
        self._place = QLabel()
        self._job = QLabel()
        self._bar = QProgressBar()
        self._bar.setFixedWidth(120)
        self._bar.setTextVisible(False)
        self._cancel = QToolButton()
        self._cancel.setText("✕")
        self._cancel.setAutoRaise(True)
        self._cancel.setToolTip("Cancel what is being computed")
        self._cancel.clicked.connect(self._on_cancel)
        self._notices = QToolButton()
        self._notices.setAutoRaise(True)
        self._notices.clicked.connect(self.notices_asked)
        self.addWidget(self._place)
        for widget in (self._job, self._bar, self._cancel, self._notices):
            self.addPermanentWidget(widget)
        self._tick = QTimer(self)
        self._tick.setInterval(100)
        self._tick.timeout.connect(self._show_job)
        jobs.started.connect(self._on_started)
        jobs.progressed.connect(self._on_progress)
        jobs.ended.connect(self._on_ended)
        state.selection_changed.connect(self._show_place)
        state.current_changed.connect(self._on_current)
        state.chunks_changed.connect(self._on_chunks)
        state.chunks_outdated.connect(self._on_chunks)
        state.chosen_changed.connect(self._on_chunks)
        state.notices_changed.connect(self._show_notices)
        self._show_job()
        self._on_current(None)

    def show_page(self, page: int) -> None:
        """Tell which page the view is at."""
        self._page = page
        self._show_place(self._state.selection)

    def _on_current(self, _: object) -> None:
        self._show_place(self._state.selection)
        self._show_notices("")

    def _on_chunks(self, *news: object) -> None:
        del news
        self._show_place(self._state.selection)

    def _show_place(self, selection: Selection) -> None:
        parts = [f"p {self._page + 1}"] if self._state.current is not None else []
        current, result = self._state.current, self._state.chosen_result
        selected = current.result(selection.slot) if current is not None else None
        if result is not None and result.is_outdated:
            parts.append("no chunks" if result.error else "chunks are being made")
            result = None
        is_selected = selection.kind in ("chunk", "cut") and bool(selection.ids)
        if is_selected and selected is not None and selected.chunks is not None:
            parts.append(_selected_words(selection, len(selected.chunks)))
        elif result is not None and result.chunks is not None:
            total = len(result.chunks)
            parts.append(f"{total:,} chunk{'' if total == 1 else 's'}")
        self._place.setText("  ·  ".join(parts))

    def _show_notices(self, _: str) -> None:
        current = self._state.current
        count = len(current.notices) if current is not None else 0
        self._notices.setVisible(count > 0)
        self._notices.setText(f"▲ {count} notice{'s' if count != 1 else ''}")
        if current is not None:
            self._notices.setToolTip("\n".join(n.message for n in current.notices[:12]))

    def _on_started(self, slot: str, title: str) -> None:
        timer = QElapsedTimer()
        timer.start()
        self._running[slot] = (title, timer, "")
        self._tick.start()

    def _on_progress(self, slot: str, done: int, total: int, what: str) -> None:
        if slot in self._running:
            title, timer, _ = self._running[slot]
            self._running[slot] = (title, timer, f"{done:,} of {total:,} {what}|{done}|{total}")

    def _on_ended(self, slot: str) -> None:
        self._running.pop(slot, None)
        if not self._running:
            self._tick.stop()
            self._show_job()

    def _show_job(self) -> None:
        old = [
            (title, detail)
            for title, timer, detail in self._running.values()
            if timer.elapsed() >= SHOWN_AFTER_MILLISECONDS
        ]
        with_detail = [each for each in old if each[1]] or old
        for widget in (self._job, self._bar, self._cancel):
            widget.setVisible(bool(with_detail))
        if not with_detail:
            return
        title, detail = with_detail[0]
        words, _, numbers = detail.partition("|")
        self._job.setText(f"{title}: {words}" if words else f"{title}…")
        done, _, total = numbers.partition("|")
        self._bar.setRange(0, int(total or 0))
        self._bar.setValue(int(done or 0))

    def _on_cancel(self) -> None:
        for slot in list(self._running):
            self._jobs.cancel(slot)


def _selected_words(selection: Selection, total: int) -> str:
    """For example "chunk 6 of 209", or "cut 5│6 of 209" between the fifth and the sixth."""
    number = selection.ids[0]
    name = f"{number}│{number + 1}" if selection.kind == "cut" else f"{number + 1}"
    return f"{selection.kind} {name} of {total:,}"
