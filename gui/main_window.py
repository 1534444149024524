# SPDX-License-Identifier: AGPL-3.0-or-later
"""The window: makes its parts and connects them. What a part does is in the part."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QMimeData, QPoint, QSize, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from core.document.client import PdfClient
from gui import settings
from gui.controllers.opening import Opening
from gui.document_tabs import DocumentTabs
from gui.jobs import Jobs
from gui.pages.images import PageImages
from gui.pages.view import PageView
from gui.panes import make_docks, move_focus, reset_docks, size_docks
from gui.state import OpenDocument, State
from gui.status_bar import StatusBar
from gui.strips import EmptyState, MessageStrip, PasswordStrip
from gui.style import style_sheet
from gui.theme import Theme, palette, theme_for

if TYPE_CHECKING:
    from gui.workbench import Workbench

DEFAULT_SIZE = (1366, 768)
FRAME = 30  # height of the title bar, before the desktop says it


class MainWindow(QMainWindow):
    """Pages in the middle; the panels come with the workbench, after the first page is painted.

    Signals:
        closing: the window is about to end everything.
    """

    closing = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Chunkscope")
        self.setAcceptDrops(True)
        self.resize(*DEFAULT_SIZE)
        self.theme = self._chosen_theme()
        self.state = State(self)
        self.jobs = Jobs(self)
        self.opening = Opening(self.state, self.jobs, self._visible_pages, self)
        self.images = PageImages(self.jobs, self.opening.render, self)
        self.pages = PageView(self.state, self.images, self.theme)
        self.status = StatusBar(self.state, self.jobs)
        self.message = MessageStrip()
        self.password = PasswordStrip()
        self.empty = EmptyState()
        self.tabs = DocumentTabs(self.state)
        self.docks = make_docks(self)
        self.workbench: Workbench | None = None
        self.restores_documents = False  # when the workspace is restored
        self._middle = QStackedWidget()
        self._build()
        self._connect()
        self._apply_theme()

    def _build(self) -> None:
        self._middle.addWidget(self.pages)
        self._middle.addWidget(self.empty)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.tabs, self.message, self.password, self._middle):
            column.addWidget(widget)
        self.setCentralWidget(centre)
        self.setStatusBar(self.status)
        size_docks(self, self.docks)

    def _connect(self) -> None:
        self.opening.failed.connect(self._on_failed)
        self.opening.password_needed.connect(self._on_password_needed)
        self.password.given.connect(self.opening.try_password)
        self.tabs.shown_asked.connect(self.state.set_current)
        self.tabs.close_asked.connect(self.opening.close)
        self.state.current_changed.connect(self._on_current)
        self.state.documents_changed.connect(self._on_documents)
        self.pages.camera.page_changed.connect(self.status.show_page)
        self.jobs.failed.connect(self._on_job_failed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme)

    def fit_docks(self) -> None:
        """Give the panes their sizes, once the panels are in them."""
        size_docks(self, self.docks)
        self.restoreState(settings.read(settings.DOCKS))

    # opening

    def open_path(self, path: Path, client: PdfClient | None = None) -> None:
        """Open a file beside what is open."""
        self.message.hide()
        if path.is_file():
            settings.add_recent(path.absolute())
            settings.write(settings.FOLDER, str(path.absolute().parent))
        self.opening.open(path, client)

    def add_strip(self, strip: QWidget) -> None:
        """One more strip above the pages."""
        centre = self._middle.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout), "strips stand one below the other"
        column.insertWidget(column.indexOf(self.message) + 1, strip)

    def say(self, message: str) -> None:
        """Show a message above the pages."""
        self.message.say(message)

    def _on_failed(self, path: Path, message: str) -> None:
        self.say(message if path.name in message else f"{path.name}: {message}")
        self.show_current()

    def _on_job_failed(self, slot: str, error: Exception) -> None:
        if slot != "scores":  # the panel of scores says what it has not
            self.say(str(error))

    def _on_password_needed(self, document: str, message: str) -> None:
        self.password.ask(document, self.state.documents[document].name, message)
        self.show_current()

    def show_current(self) -> None:
        """Show the pages of the current document, or how to open one."""
        self._on_current(self.state.current)

    def _on_current(self, opened: OpenDocument | None) -> None:
        self._middle.setCurrentWidget(self.pages if opened is not None else self.empty)
        self.setWindowTitle(f"{opened.name} – Chunkscope" if opened else "Chunkscope")
        self.password.show_for(opened.id if opened is not None else "")

    def _on_documents(self) -> None:
        self.images.keep_only(self.state.documents)

    def _visible_pages(self) -> range:
        return self.pages.camera.visible_pages

    # panes

    def toggle_pane(self, name: str) -> None:
        """Show or hide a pane."""
        self.docks[name].setVisible(self.docks[name].isHidden())

    def show_pane(self, name: str) -> None:
        """Show a pane."""
        self.docks[name].show()

    def reset_layout(self) -> None:
        """Put the panes where they were at first."""
        reset_docks(self, self.docks)

    def move_focus(self, step: int) -> None:
        """Give the next or previous visible pane the focus."""
        move_focus(self.pages, self.docks, step)

    # theme

    def _chosen_theme(self) -> Theme:
        scheme = QGuiApplication.styleHints().colorScheme()
        return theme_for(settings.read(settings.THEME), scheme)

    def set_theme(self, name: str) -> None:
        """Use another theme; nothing moves."""
        settings.write(settings.THEME, name)
        self._apply_theme()

    def _on_scheme(self, scheme: object) -> None:
        del scheme
        self._apply_theme()

    def _apply_theme(self) -> None:
        self.theme = self._chosen_theme()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.setPalette(palette(self.theme))
            application.setStyleSheet(style_sheet(self.theme))
        self.pages.set_theme(self.theme)
        if self.workbench is not None:
            self.workbench.set_theme(self.theme)

    # events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if _files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the files that were dropped."""
        for path in _files(event.mimeData()):
            self.open_path(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the window and end all work."""
        settings.write(settings.GEOMETRY, QByteArray(self.saveGeometry()))
        self.closing.emit()
        if self.workbench is not None:
            settings.write(settings.DOCKS, QByteArray(self.saveState()))
        self.hide()  # ending the processes takes a moment
        endings = {"pages": self.opening.close_readers, "layout": self.opening.close_layouts}
        if self.workbench is not None:
            endings["model"] = self.workbench.close
        self.jobs.close(endings)
        super().closeEvent(event)

    def restore(self) -> None:
        """Size and place as they were left."""
        geometry = settings.read(settings.GEOMETRY)
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        self._keep_on_screen()

    def _keep_on_screen(self) -> None:
        """Shrink and move the window to a screen that is smaller than the one it was left on."""
        room = self.screen().availableGeometry()
        if not room.contains(self.geometry().adjusted(0, -FRAME, 0, 0)):
            self.resize(self.size().boundedTo(room.size() - QSize(0, FRAME)))
            self.move(room.center() - QPoint(self.width() // 2, (self.height() + FRAME) // 2))


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
