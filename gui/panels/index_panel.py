# SPDX-License-Identifier: AGPL-3.0-or-later
"""The tab of index and models: the model in force, tables, caches, near-duplicates."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.errors import ChunkscopeError
from core.search.duplicate_report import AlikeChunks, DuplicateReport, Place
from core.search.stored import Stored
from core.vectors.embedder import Embedder
from core.vectors.models import ModelEntry, find_model, model_folder, models
from gui.panels.evaluation.grid import Grid
from gui.panels.evaluation.shown import MISSING, bytes_words, share
from gui.panels.search_place import SearchPlace
from gui.theme import Theme

DUPLICATES_FROM = 0.02
MOST_PAIRS = 500
LEAST_HEIGHT, LEAST_WIDTH = 60, 240
TITLES = ("Corpus", "Model", "Vectors", "Rows", "Dim.", "Size")
TIPS = ("", "", "The kind of vectors", "", "Dimension of the vectors", "On the disk")
NO_ENDPOINT = (
    "'{words}' is no endpoint: write its address, a # and the name of the model, such as "
    "http://localhost:8080/v1#nomic-embed"
)
NO_ROWS = "select the indexes in the table first"
_PLACE = Qt.ItemDataRole.UserRole


class IndexPanel(QWidget):
    """Shows what there is; what is done is asked for by signals.

    Signals:
        model_asked: name, window or 0 for the library's own.
        download_asked: name.
        host_confirmed: host, name of the model.
        look_asked, duplicates_asked: measure again, look for near-duplicates.
        clear_asked: "vectors", "documents" or "evaluations".
        corpora_asked: names of corpora whose indexes are to be cleared, a tuple.
        repeats_switched: whether hits that repeat a higher one are left out.
        passage_asked: name of a document, start and end.
        refused: why nothing is done.
    """

    model_asked = Signal(str, int)
    download_asked = Signal(str)
    host_confirmed = Signal(str, str)
    look_asked = Signal()
    duplicates_asked = Signal()
    clear_asked = Signal(str)
    corpora_asked = Signal(object)
    repeats_switched = Signal(bool)
    passage_asked = Signal(str, int, int)
    refused = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("indexPanel")
        self._theme = theme
        self._window = 0
        self._own_names: list[str] = []  # folders and endpoints of the user's
        self._corpora: list[str] = []
        split = QSplitter()
        self.search = SearchPlace()
        for part in (self._make_models(), self._make_tables(), self._make_duplicates()):
            part.setMinimumWidth(LEAST_WIDTH)
            split.addWidget(part)
        split.setSizes([330, 420, 330])
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 4)
        column.setSpacing(2)
        column.addWidget(split, 1)
        column.addWidget(self.search)
        self._fill_models()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme

    def showEvent(self, event: object) -> None:
        """Measure when it is looked at."""
        del event
        self.look_asked.emit()

    # models

    def _make_models(self) -> QWidget:
        box = QGroupBox("Embedding model")
        self.model = QComboBox()
        self.model.setAccessibleName("Embedding model")
        self.model.setMinimumContentsLength(12)
        self.model.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.model.currentIndexChanged.connect(self._on_model)
        self.window_size = QComboBox()
        self.window_size.setAccessibleName("Window of the model")
        self.window_size.setMinimumContentsLength(9)
        self.use = QPushButton("Use")
        self.use.clicked.connect(self._on_use)
        folder = QPushButton("Folder…")
        folder.setToolTip("A sentence-transformers or model2vec model on this machine")
        folder.clicked.connect(self._on_folder)
        endpoint = QPushButton("Endpoint…")
        endpoint.setToolTip("An embeddings endpoint with OpenAI's API: URL#MODEL")
        endpoint.clicked.connect(self._on_endpoint)
        self.model_facts = QLabel()
        self.model_facts.setObjectName("muted")
        self.model_facts.setWordWrap(True)
        self.model_note = QLabel()
        self.model_note.setWordWrap(True)
        row = QHBoxLayout()
        for widget in (self.window_size, folder, endpoint):
            row.addWidget(widget)
        first = QHBoxLayout()
        first.addWidget(self.model, 1)
        first.addWidget(self.use)
        column = QVBoxLayout(box)
        column.addLayout(first)
        column.addLayout(row)
        column.addWidget(self.model_note)
        column.addWidget(self.model_facts)
        column.addStretch(1)
        return box

    def _fill_models(self) -> None:
        before = self.model.currentData()
        self.model.blockSignals(True)
        self.model.clear()
        names = [entry.id for entry in models() if entry.kind != "toy"]
        for name in [*names, *self._own_names]:
            self.model.addItem(_title(find_model(name)), name)
        self.model.setCurrentIndex(max(0, self.model.findData(before)))
        self.model.blockSignals(False)
        self._on_model()

    def _entry(self) -> ModelEntry:
        return find_model(str(self.model.currentData()))

    def _on_model(self, *_: object) -> None:
        entry = self._entry()
        self.window_size.clear()
        for size in _windows(entry):
            words = f"reads {size:,}" if size else "reads all"
            own = " (its own)" if size == entry.window else ""
            self.window_size.addItem(words + own, size or 0)
        is_here = _is_here(entry)
        self.use.setText("Use" if is_here else "Download…")
        self.model_facts.setText(_facts(entry))

    def _on_use(self) -> None:
        entry = self._entry()
        if _is_here(entry):
            size = int(self.window_size.currentData() or 0)
            self.model_asked.emit(entry.id, 0 if size == entry.window else size)
            return
        question = (
            f"Download {entry.id} ({entry.licence or 'licence unknown'}) from the model hub into "
            "this program's data folder? Nothing of your documents is sent."
        )
        if self._agrees("Download model", question):
            self.download_asked.emit(entry.id)

    def _on_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of a model")
        if name:
            self.add_own(name)

    def _on_endpoint(self) -> None:
        text, is_given = QInputDialog.getText(
            self, "Endpoint", "Address and model, such as http://localhost:8080/v1#nomic-embed"
        )
        words = text.strip()
        base, _, name = words.partition("#")
        is_address = base.startswith(("http://", "https://")) and name
        if is_given and words and not is_address:
            self.show_model_note(f"✕ {NO_ENDPOINT.format(words=words)}")
        elif is_given and words:
            self.add_own(words)

    def add_own(self, name: str) -> None:
        """Offer a folder or an endpoint of the user's, and use it."""
        try:
            find_model(name)
        except ChunkscopeError as error:
            self.show_model_note(f"✕ {error}")
            return
        if name not in self._own_names:
            self._own_names.append(name)
            self._fill_models()
        self.model.setCurrentIndex(self.model.findData(find_model(name).id))
        self.model_asked.emit(name, 0)

    def ask_consent(self, host: str, name: str) -> None:
        """Ask whether text may go to a host; once a host."""
        question = (
            f"The text of the open documents and your questions would be sent to {host} to be "
            "embedded. Allow this for this host, now and later?"
        )
        if self._agrees("Send text to another machine", question):
            self.host_confirmed.emit(host, name)

    def _agrees(self, title: str, question: str) -> bool:
        box = QMessageBox(QMessageBox.Icon.Question, title, question, parent=self)
        box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        agrees = box.exec() == QMessageBox.StandardButton.Yes
        box.deleteLater()
        return agrees

    def show_model(self, embedder: Embedder) -> None:
        """Tell which model is in force."""
        window = f"reads {embedder.window:,} word pieces" if embedder.window else "reads all"
        late = "late vectors" if embedder.has_token_vectors else "no late vectors"
        self.show_model_note(
            f"● In force: {embedder.id.split('/')[-1]}, {embedder.dimension} dimensions, "
            f"{window}, {late}"
        )
        self._fill_models()

    def show_model_note(self, words: str) -> None:
        """Say what happens with models."""
        self.model_note.setText(words)
        self.model_note.setToolTip(words)

    # tables and caches

    def _make_tables(self) -> QWidget:
        box = QGroupBox("Indexes and caches on this machine")
        self.tables = Grid("Tables of the indexes")
        self.tables.fill(TITLES, [], TIPS)
        self.tables.setMinimumHeight(LEAST_HEIGHT)
        self.sizes: dict[str, QLabel] = {}
        grid = QGridLayout()
        for place, (name, words) in enumerate(
            (
                ("indexes", "Indexes"),
                ("vectors", "Vectors"),
                ("documents", "Documents"),
                ("evaluations", "Evaluations"),
            )
        ):
            size = QLabel(MISSING)
            size.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.sizes[name] = size
            line, side = place // 2, 3 * (place % 2)  # two a line
            grid.addWidget(QLabel(words), line, side)
            grid.addWidget(size, line, side + 1)
            button = QPushButton("Clear")
            button.setToolTip(
                "Delete the indexes of the corpora selected above"
                if name == "indexes"
                else f"{words}: delete them from the disk; they are made again when needed"
            )
            button.setObjectName(f"clear {name}")
            button.clicked.connect(self._clearer(name))
            grid.addWidget(button, line, side + 2)
        column = QVBoxLayout(box)
        column.addWidget(self.tables, 1)
        column.addLayout(grid)
        return box

    def _clearer(self, name: str) -> object:
        def clear() -> None:
            if name == "indexes":
                self._clear_corpora()
            else:
                self.clear_asked.emit(name)

        return clear

    def show_stored(self, stored: Stored) -> None:
        """Show tables and sizes."""
        self._corpora = [table.corpus for table in stored.tables]
        rows = [
            (
                table.corpus[:18],
                (table.model.split("/")[-1].split("@")[0] or "full text"),
                table.kind if table.model else MISSING,
                f"{table.rows:,}",
                str(table.dimension) if table.dimension else MISSING,
                bytes_words(table.size),
            )
            for table in stored.tables
        ]
        self.tables.fill(TITLES, rows, TIPS)
        for name in self.sizes:
            self.sizes[name].setText(bytes_words(getattr(stored, name)))

    def _clear_corpora(self) -> None:
        rows = {index.row() for index in self.tables.selectedIndexes()}
        names = tuple(dict.fromkeys(self._corpora[row] for row in sorted(rows)))
        if names:
            self.corpora_asked.emit(names)
        else:
            self.refused.emit(NO_ROWS)

    # duplicates

    def _make_duplicates(self) -> QWidget:
        box = QGroupBox("Near-duplicates of the corpus")
        find = QPushButton("Find")
        find.setToolTip("Among the chunks of strategy A in all open documents")
        find.clicked.connect(self.duplicates_asked)
        self.leave_out = QCheckBox("leave repeats out of hits")
        self.leave_out.setToolTip("A hit that nearly repeats a higher one is taken out")
        self.leave_out.toggled.connect(self.repeats_switched)
        self.duplicate_note = QLabel("Not looked for yet.")
        self.duplicate_note.setWordWrap(True)
        self.pairs = QListWidget()
        self.pairs.setAccessibleName("Near-duplicates")
        self.pairs.setMinimumHeight(LEAST_HEIGHT)
        self.pairs.itemClicked.connect(self._on_pair)
        row = QHBoxLayout()
        row.addWidget(find)
        row.addWidget(self.leave_out)
        row.addStretch(1)
        column = QVBoxLayout(box)
        column.addLayout(row)
        column.addWidget(self.duplicate_note)
        column.addWidget(self.pairs, 1)
        return box

    def show_duplicates(self, report: DuplicateReport) -> None:
        """List the pairs, those of documents first."""
        mark = "▲ " if report.share >= DUPLICATES_FROM else ""
        self.duplicate_note.setText(
            f"{mark}{share(report.share)} of {report.chunks:,} chunks nearly repeat an earlier one "
            f"(pairs of chunks: {len(report.pairs):,}, of documents: {len(report.documents):,})"
        )
        self.pairs.clear()
        for pair in report.documents:
            words = "the same text" if pair.same_text else f"{pair.share:.0%} of it"
            item = QListWidgetItem(f"▲ {pair.part} is in {pair.whole}: {words}")
            item.setData(_PLACE, [(pair.part, first, last) for first, last, *_ in pair.passages])
            self.pairs.addItem(item)
        for alike in report.pairs[:MOST_PAIRS]:
            item = QListWidgetItem(_pair_words(alike))
            item.setData(
                _PLACE, [(each.document, each.start, each.end) for each in (alike.one, alike.other)]
            )
            self.pairs.addItem(item)

    def _on_pair(self, item: QListWidgetItem) -> None:
        """Go to the one place, and at the next click to the other."""
        places = list(item.data(_PLACE) or [])
        if places:
            self.passage_asked.emit(*places[0])
            item.setData(_PLACE, [*places[1:], places[0]])


def _pair_words(pair: AlikeChunks) -> str:
    def at(place: Place) -> str:
        return f"{place.document} {place.chunk + 1}"

    size = pair.jaccard if pair.kind == "near-duplicate" else pair.contained
    relation = "alike" if pair.kind == "near-duplicate" else "of the smaller one in the other"
    return f"{at(pair.one)} · {at(pair.other)}: {size:.0%} {relation}"


def _is_here(entry: ModelEntry) -> bool:
    return entry.kind == "openai" or model_folder(entry) is not None


def _title(entry: ModelEntry) -> str:
    name = entry.id if "#" in entry.id else entry.id.rstrip("/").split("/")[-1]
    if entry.kind == "openai":
        return f"{name} · endpoint"
    return name if _is_here(entry) else f"{name} · not on this machine"


def _windows(entry: ModelEntry) -> list[int | None]:
    """The windows to choose from: the model's own, and its limit."""
    sizes = [entry.window, entry.limit]
    found = sorted({size for size in sizes if size is not None})
    return list(found) or [None]


def _facts(entry: ModelEntry) -> str:
    dimension = f"{entry.dimension} dimensions" if entry.dimension else "dimension by model"
    parts = [dimension, f"{entry.pooling} pooling", entry.tokenizer]
    if entry.query_prefix or entry.document_prefix:
        parts.append(f"prefixes “{entry.query_prefix}” and “{entry.document_prefix}”")
    if entry.licence:
        parts.append(entry.licence)
    if entry.note:
        parts.append(entry.note)
    return "  ·  ".join(parts)
