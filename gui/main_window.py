# SPDX-License-Identifier: AGPL-3.0-or-later
"""The window: makes its parts and connects them. What a part does is in the part."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QMimeData, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.document.client import PdfClient
from gui import settings
from gui.controllers.opening import Opening
from gui.jobs import Jobs
from gui.pages.images import PageImages
from gui.pages.view import PageView
from gui.state import State
from gui.status_bar import StatusBar
from gui.strips import EmptyState, MessageStrip, PasswordStrip
from gui.style import style_sheet
from gui.theme import Theme, palette, theme_for

if TYPE_CHECKING:
    from gui.workbench import Workbench

DEFAULT_SIZE = (1366, 768)
LEFT_WIDTH, RIGHT_WIDTH, BOTTOM_HEIGHT = 200, 330, 220
PANES = ("left", "right", "bottom")
_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


class MainWindow(QMainWindow):
    """Pages in the middle; the panels come with the workbench, after the first page is painted."""

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
        self.docks: dict[str, QDockWidget] = {}
        self.workbench: Workbench | None = None
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
        for widget in (self.message, self.password, self._middle):
            column.addWidget(widget)
        self.setCentralWidget(centre)
        self.setStatusBar(self.status)
        self.setDockNestingEnabled(True)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        for name in PANES:
            self.docks[name] = self._dock(name)
        self._size_docks()

    def _dock(self, name: str) -> QDockWidget:
        dock = QDockWidget(name.capitalize(), self)
        dock.setObjectName(f"dock {name}")
        dock.setTitleBarWidget(QWidget())  # the tabs inside say what it is
        dock.setWidget(QWidget())
        self.addDockWidget(_AREAS[name], dock)
        return dock

    def _size_docks(self) -> None:
        horizontal = [self.docks["left"], self.docks["right"]]
        self.resizeDocks(horizontal, [LEFT_WIDTH, RIGHT_WIDTH], Qt.Orientation.Horizontal)
        self.resizeDocks([self.docks["bottom"]], [BOTTOM_HEIGHT], Qt.Orientation.Vertical)

    def _connect(self) -> None:
        self.opening.failed.connect(self._on_failed)
        self.opening.password_needed.connect(self._on_password_needed)
        self.password.given.connect(self.opening.try_password)
        self.state.current_changed.connect(self._on_current)
        self.pages.camera.page_changed.connect(self.status.show_page)
        self.jobs.failed.connect(self._on_job_failed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme)

    def attach(self, workbench: "Workbench") -> None:
        """Take over the panels, once they are made."""
        self.workbench = workbench
        for name, pane in workbench.panes.items():
            self.docks[name].setWidget(pane)
        self._size_docks()
        self.restoreState(settings.read(settings.DOCKS))

    # opening

    def open_path(self, path: Path, client: PdfClient | None = None) -> None:
        """Open a file beside what is open."""
        self.message.hide()
        if path.is_file():
            settings.add_recent(path)
            settings.write(settings.FOLDER, str(path.parent))
        self.opening.open(path, client)

    def say(self, message: str) -> None:
        """Show a message above the pages."""
        self.message.say(message)

    def _on_failed(self, path: Path, message: str) -> None:
        self.say(message if path.name in message else f"{path.name}: {message}")
        self._on_current(self.state.current)

    def _on_job_failed(self, slot: str, error: Exception) -> None:
        if slot != "scores":  # the panel of scores says what it has not
            self.say(str(error))

    def _on_password_needed(self, document: str, message: str) -> None:
        self.password.ask(document, self.state.documents[document].name, message)

    def _on_current(self, opened: object) -> None:
        current = self.state.current
        self._middle.setCurrentWidget(self.pages if current is not None else self.empty)
        self.setWindowTitle(f"{current.name} – Chunkscope" if current else "Chunkscope")
        del opened

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
        for name in PANES:
            self.docks[name].setFloating(False)
            self.addDockWidget(_AREAS[name], self.docks[name])
            self.docks[name].show()
        self._size_docks()

    def move_focus(self, step: int) -> None:
        """Give the next or previous visible pane the focus."""
        shown = [self.docks[name].widget() for name in PANES if self.docks[name].isVisible()]
        panes: list[QWidget] = [self.pages, *(pane for pane in shown if pane is not None)]
        focused = QApplication.focusWidget()
        here = next(
            (k for k, pane in enumerate(panes) if focused and pane.isAncestorOf(focused)), 0
        )
        target = panes[(here + step) % len(panes)]
        inner = target.nextInFocusChain() if target is not self.pages else target
        (inner or target).setFocus(Qt.FocusReason.TabFocusReason)

    # theme

    def _chosen_theme(self) -> Theme:
        name = settings.read(settings.THEME)
        scheme = QGuiApplication.styleHints().colorScheme()
        return theme_for(name if name in ("light", "dark") else "system", scheme)

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
        if self.workbench is not None:
            settings.write(settings.DOCKS, QByteArray(self.saveState()))
            self.workbench.close()
        self.jobs.close()
        self.opening.close_all()
        super().closeEvent(event)

    def restore(self) -> None:
        """Size and place as they were left."""
        geometry = settings.read(settings.GEOMETRY)
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)

    def later(self, milliseconds: int, method: object) -> None:
        """Call a bound method once, after a while."""
        QTimer.singleShot(milliseconds, method)  # type: ignore[arg-type]  # any callable


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
