# SPDX-License-Identifier: AGPL-3.0-or-later
"""The inspector: what is selected, with its text, sizes, reasons and neighbours."""

import math
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from core.document.model import Document
from core.strategies.chunks import LEVELS, Chunks, Reason
from gui.panels.behind import Behind
from gui.state import Selection, SlotResult, State
from gui.theme import Theme

LONGEST_TEXT = 20_000  # characters shown of one chunk
EMPTY = "Point at a chunk or a cut line."


@dataclass(frozen=True, slots=True)
class Subject:
    """What the inspector is about."""

    document: Document
    chunks: Chunks
    result: SlotResult
    index: int


class Inspector(QWidget):
    """Follows the selection.

    Signals:
        chunk_asked: index of a neighbour to select.
    """

    chunk_asked = Signal(int)

    def __init__(self, state: State, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self._state = state
        self._theme = theme
        self._is_pinned = False
        self._text = QTextBrowser()
        self._text.setOpenLinks(False)
        self._text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self._text.setAccessibleName("Inspector")
        self._text.anchorClicked.connect(self._on_link)
        self._copy = QPushButton("Copy text")
        self._copy.clicked.connect(self._copy_text)
        self._pin = QPushButton("Pin")
        self._pin.setCheckable(True)
        self._pin.setToolTip("Keep this in the inspector when the selection changes")
        self._pin.toggled.connect(self._on_pin)
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 4)
        row.addWidget(self._copy)
        row.addWidget(self._pin)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._text, 1)
        column.addLayout(row)
        self._behind = Behind(self._show, self)
        state.selection_changed.connect(self._on_selection)
        state.chunks_changed.connect(self._on_result)
        state.scores_changed.connect(self._on_result)
        state.chosen_changed.connect(self._on_selection)
        state.current_changed.connect(self._on_selection)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self._show()

    def _on_selection(self, _: object) -> None:
        if not self._is_pinned:
            self._show()

    def _on_result(self, document: str, slot: int) -> None:
        current = self._state.current
        is_shown = current is not None and current.id == document
        if is_shown and slot == self._state.selection.slot and not self._is_pinned:
            self._behind.ask()

    def _on_pin(self, is_on: bool) -> None:
        self._is_pinned = is_on
        if not is_on:
            self._show()

    def _subject(self) -> Subject | None:
        current, selected = self._state.current, self._state.selection
        if current is None or current.document is None or selected.kind not in ("chunk", "cut"):
            return None
        result = current.result(selected.slot)
        if result.chunks is None:
            return None
        index = selected.ids[0] if selected.ids else -1
        if not 0 <= index < len(result.chunks):
            return None
        return Subject(current.document, result.chunks, result, index)

    def _show(self) -> None:
        subject, selected = self._subject(), self._state.selection
        self._copy.setEnabled(subject is not None)
        self._pin.setEnabled(subject is not None or self._is_pinned)
        if subject is None:
            self._text.setHtml(f"<p style='color:{self._theme.muted.name()}'>{EMPTY}</p>")
        elif selected.kind == "cut":
            self._text.setHtml(cut_html(subject, self._theme))
        elif len(selected.ids) > 1:
            self._text.setHtml(several_html(subject, selected, self._theme))
        else:
            self._text.setHtml(chunk_html(subject, self._theme))

    def _copy_text(self) -> None:
        from PySide6.QtGui import QGuiApplication

        subject = self._subject()
        if subject is not None:
            text = subject.chunks.text_of(subject.index, subject.document.text)
            QGuiApplication.clipboard().setText(text)

    def _on_link(self, link: QUrl) -> None:
        self.chunk_asked.emit(int(link.toString()))


def chunk_html(subject: Subject, theme: Theme) -> str:
    """A chunk: where, how large, why its edges are there, its text."""
    chunks, index, document = subject.chunks, subject.index, subject.document
    text = chunks.text_of(index, document.text)
    first = document.page_of(int(chunks.starts[index])) + 1
    last = document.page_of(max(0, int(chunks.ends[index]) - 1)) + 1
    rows = [
        ("Pages", str(first) if first == last else f"{first} to {last}"),
        ("Characters", f"{len(text):,}"),
        ("Words", f"{len(text.split()):,}"),
        *_score_rows(subject),
        ("Offsets", ", ".join(f"{a:,} to {b:,}" for a, b in chunks.spans_of(index).tolist())),
    ]
    level = LEVELS[chunks.levels[index]]
    if level != "chunk":
        rows.insert(0, ("Level", level))
    if chunks.parents[index] >= 0:
        parent = int(chunks.parents[index])
        rows.insert(1, ("Parent", f"<a href='{parent}'>chunk {parent + 1}</a>"))
    reasons = (
        ("Begins", chunks.start_reasons[index], "the document begins here"),
        ("Ends", chunks.end_reasons[index], "the document ends here"),
    )
    header = chunks.headers[index] if chunks.headers else ""
    return "".join(
        [
            _title(f"Chunk {index + 1} of {len(chunks)}", _steps(index, len(chunks)), theme),
            _table(rows, theme),
            _reasons(reasons, theme),
            f"<p><b>+ header</b> {escape(header)}</p>" if header else "",
            _body(text, theme),
        ]
    )


def cut_html(subject: Subject, theme: Theme) -> str:
    """A cut: why it is there, and the text on both sides."""
    chunks, index = subject.chunks, subject.index
    reason = chunks.start_reasons[index]
    text = subject.document.text
    before = text[max(0, int(chunks.starts[index]) - 200) : int(chunks.starts[index])]
    after = text[int(chunks.starts[index]) : int(chunks.starts[index]) + 200]
    rows = []
    if reason is not None:
        rows = [("Rule", escape(reason.rule)), ("Step", reason.step)]
        if reason.value is not None:
            rows.append(("Value", f"{reason.value:,.4g}"))
        if reason.threshold is not None:
            rows.append(("Threshold", f"{reason.threshold:,.4g}"))
        if reason.margin is not None:
            rows.append(("Margin", f"{reason.margin:,.4g}"))
    return "".join(
        [
            _title(f"Cut {index}│{index + 1}", _steps(index, len(chunks)), theme),
            f"<p>{escape(_words(reason, 'the document begins here'))}</p>",
            _table(rows, theme),
            f"<p style='color:{theme.muted.name()}'>… {escape(before)}</p>",
            f"<p style='color:{theme.accent.name()}'>──────── cut ────────</p>",
            f"<p>{escape(after)} …</p>",
        ]
    )


def several_html(subject: Subject, selected: Selection, theme: Theme) -> str:
    """Several chunks: how many, and their sizes together."""
    texts = [subject.chunks.text_of(i, subject.document.text) for i in selected.ids]
    rows = [
        ("Chunks", ", ".join(str(i + 1) for i in selected.ids[:30])),
        ("Characters", f"{sum(map(len, texts)):,}"),
        ("Words", f"{sum(len(text.split()) for text in texts):,}"),
    ]
    return _title(f"{len(selected.ids)} chunks selected", "", theme) + _table(rows, theme)


def _score_rows(subject: Subject) -> list[tuple[str, str]]:
    scores = subject.result.scores
    if scores is None or subject.index >= len(scores.units):
        return []
    rows = [("Tokens", f"{int(scores.units[subject.index]):,}")]
    for code in ("ICC", "DCC"):
        value = float(scores[code].clipped_per_chunk[subject.index])
        mark = "≈ " if scores[code].state == "late" else ""
        rows.append((code, "not measured" if math.isnan(value) else f"{mark}{value:.3f}"))
    return rows


def _title(text: str, extra: str, theme: Theme) -> str:
    return f"<h3 style='color:{theme.text.name()}'>{escape(text)}&nbsp; <small>{extra}</small></h3>"


def _steps(index: int, count: int) -> str:
    before = f"<a href='{index - 1}'>◀ {index}</a>" if index > 0 else ""
    after = f"<a href='{index + 1}'>{index + 2} ▶</a>" if index + 1 < count else ""
    return f"{before} &nbsp; {after}"


def _table(rows: list[tuple[str, str]], theme: Theme) -> str:
    cells = "".join(
        f"<tr><td style='color:{theme.muted.name()};padding-right:12px'>{name}</td>"
        f"<td>{value}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def _reasons(reasons: tuple[tuple[str, Reason | None, str], ...], theme: Theme) -> str:
    rows = [(name, escape(_words(reason, otherwise))) for name, reason, otherwise in reasons]
    return _table(rows, theme)


def _words(reason: Reason | None, otherwise: str) -> str:
    return otherwise if reason is None else reason.words


def _body(text: str, theme: Theme) -> str:
    shown = escape(text[:LONGEST_TEXT]).replace("\n", "<br>")
    more = f" … {len(text) - LONGEST_TEXT:,} characters more" if len(text) > LONGEST_TEXT else ""
    return (
        f"<p style='background-color:{theme.window.name()};color:{theme.text.name()}'>"
        f"{shown}{more}</p>"
    )
