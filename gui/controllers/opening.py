# SPDX-License-Identifier: AGPL-3.0-or-later
"""Opening a document: sizes first, page 1, what is visible, then the rest; layout behind.

Page images go before text in the lane of the PDF process, so that a picture never waits.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from PySide6.QtCore import QObject, QRectF, QTimer, Signal
from PySide6.QtGui import QImage

from core.document.client import PdfClient
from core.document.model import Document, Notice, Page, TextSettings
from core.document.pdf_values import PdfInfo
from core.document.raw import RawPage
from core.errors import DocumentError, PasswordError
from gui.jobs import Jobs, JobToken
from gui.pages.images import Tile
from gui.pages.text_pages import paint_text_page, typeset
from gui.state import OpenDocument, State

TEXT_SUFFIXES = frozenset({".txt", ".md", ".markdown", ".text"})
FIRST_BATCH, LARGEST_BATCH = 1, 16  # pages a request; images go between two requests
GROWTH = 3  # a provisional text is made when three times as many pages are there
FEW_CORES = 4  # with so few the layout model and vectors would only slow each other
LAYOUT_STEP = 8  # pages of the layout model between two upgrades
NO_TEXT = Notice(None, "no_text", "The file has no text. Chunks need text.")
_TEXT, _LAYOUT, _AHEAD = 10, 0, 30  # priorities


@dataclass(slots=True, eq=False)
class _Session:
    """What one open PDF needs while it is open."""

    client: PdfClient
    layout_client: PdfClient | None = None
    info: PdfInfo | None = None
    password: str = ""
    is_shown: bool = True  # when it is open
    raw: dict[int, RawPage] = field(default_factory=dict)
    batch: int = FIRST_BATCH
    assembled_pages: int = 0
    layout_pages: set[int] = field(default_factory=set)


class Opening(QObject):
    """Opens and closes documents.

    Signals:
        opening: path, before anything is known of it.
        failed: path, message: nothing was opened, and nothing that was open is lost.
        password_needed: document id, message.
        finished: document id; its text is final.
    """

    opening = Signal(object)
    failed = Signal(object, str)
    password_needed = Signal(str, str)
    finished = Signal(str)

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        visible_pages: Callable[[], range],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._visible_pages = visible_pages
        self._sessions: dict[str, _Session] = {}
        self._texts: dict[str, Path] = {}  # text files that are being read
        self._waiting_layouts: dict[str, _Session] = {}  # until vectors are made
        jobs.ended.connect(self._on_job_ended)
        self._numbers = count()
        self.settings = TextSettings()
        self.uses_layout_model = True
        # True while vectors are being made or are about to be; they go before the layout model.
        self.layout_waits: Callable[[], bool] = _never

    def open(
        self,
        path: Path,
        client: PdfClient | None = None,
        *,
        is_shown: bool = True,
        password: str = "",
    ) -> str:
        """Open a PDF or text file beside what is open; one that is open is shown.

        Args:
            path: the file.
            client: a process that was started for it already.
            is_shown: False opens it behind the document that is shown.
            password: of a locked PDF, where it is known already.

        Returns:
            The document's id; it is in the state once the file could be opened.
        """
        path = path.absolute()
        if known := self.id_of(path) or self._id_of_awaited(path):
            if is_shown and known in self._state.documents:
                self._state.set_current(known)
            return known
        document = f"document {next(self._numbers)}"
        self.opening.emit(path)
        if path.suffix.lower() in TEXT_SUFFIXES:
            self._open_text(document, path, is_shown=is_shown)
        else:
            session = _Session(client or PdfClient(path), is_shown=is_shown, password=password)
            self._sessions[document] = session
            self._open_pdf(document, path, session)
        return document

    def id_of(self, path: Path) -> str:
        """The id of the open document with that path, or nothing."""
        documents = self._state.documents.values()
        return next((each.id for each in documents if each.path == path.absolute()), "")

    def _id_of_awaited(self, path: Path) -> str:
        """The id of the document with that path that is on its way, or nothing."""
        paths = self._texts | {key: each.client.path for key, each in self._sessions.items()}
        return next((key for key, each in paths.items() if each == path), "")

    def try_password(self, document: str, password: str) -> None:
        """Open a locked PDF with a password."""
        session = self._sessions[document]
        session.password = password
        self._open_pdf(document, self._state.documents[document].path, session)

    def close(self, document: str) -> None:
        """Close a document and end its processes, each in the lane that uses it."""
        self._jobs.cancel(f"open {document}")
        self._texts.pop(document, None)
        self._jobs.cancel(f"layout {document}")
        self._jobs.cancel_all(f"text {document} ")
        self._jobs.cancel_all(f"image {document} ")
        session = self._sessions.pop(document, None)
        self._state.remove_document(document)
        if session is not None:
            self._close_beside(f"close {document}", "pages", session.client)
            self._end_layout(document, session)

    def _end_layout(self, document: str, session: _Session) -> None:
        if session.layout_client is not None:
            self._close_beside(f"close layout {document}", "layout", session.layout_client)
            session.layout_client = None

    def _close_beside(self, slot: str, lane: str, client: PdfClient) -> None:
        def work(token: JobToken) -> object:
            del token  # it must be closed in any case
            client.close()
            return None

        self._jobs.request(slot, lane, work, _nothing)

    def close_readers(self) -> None:
        """End the processes that answer the window; called last in their lane."""
        for session in list(self._sessions.values()):
            session.client.close()

    def close_layouts(self) -> None:
        """End the processes of the layout model; called last in their lane."""
        for session in list(self._sessions.values()):
            if session.layout_client is not None:
                session.layout_client.close()
                session.layout_client = None

    def set_settings(self, settings: TextSettings) -> None:
        """Make the texts of all open PDFs anew with other settings."""
        self.settings = settings
        for document, session in self._sessions.items():
            if session.info is not None and len(session.raw) == session.info.page_count:
                self._assemble(document, session, is_final=True)

    def reload(self, document: str) -> str:
        """Read a file again that has changed; its id is another one then.

        A document whose file is gone stays as it is.
        """
        path = self._state.documents[document].path
        if not path.is_file():
            self.failed.emit(path, "the file is no longer there; what was read of it stays open")
            return document
        session = self._sessions.get(document)
        self.close(document)
        return self.open(path, password=session.password if session is not None else "")

    def render(self, tile: Tile, clip: QRectF, token: JobToken) -> QImage:
        """Draw a tile; runs in the lane of the PDF process."""
        token.check()
        opened = self._state.documents.get(tile.document)
        if opened is not None and opened.shown is not None:
            return paint_text_page(opened.shown, tile.page, tile.scale, clip)
        session = self._sessions.get(tile.document)
        if session is None:
            raise DocumentError("the document was closed")
        box = (clip.left(), clip.top(), clip.right(), clip.bottom())
        image = session.client.image(tile.page, tile.scale, box)
        shared = QImage(
            image.data, image.width, image.height, image.stride, QImage.Format.Format_RGB888
        )
        return shared.convertToFormat(QImage.Format.Format_RGB32)

    # PDF files

    def _open_pdf(self, document: str, path: Path, session: _Session) -> None:
        def work(token: JobToken) -> object:
            del token
            return session.client.open(session.password)

        def done(info: object) -> None:
            assert isinstance(info, PdfInfo), "the client gives what is known of the file"
            self._on_info(document, path, session, info)

        def failed(error: Exception) -> None:
            self._on_open_failed(document, path, session, error)

        self._jobs.request(f"open {document}", "pages", work, done, failed=failed, priority=-10)

    def _on_info(self, document: str, path: Path, session: _Session, info: PdfInfo) -> None:
        session.info = info
        opened = self._state.documents.get(document) or OpenDocument(
            document, path, _shown_name(path)
        )
        opened.page_sizes = tuple((page.width, page.height) for page in info.pages)
        opened.needs_password = False
        opened.notices = info.notices
        opened.outline = info.outline
        if document in self._state.documents:
            self._state.sizes_known.emit(document)
            self._state.notices_changed.emit(document)
        else:
            self._state.add_document(opened, is_shown=session.is_shown)
        self._read_more(document, session)

    def _on_open_failed(
        self, document: str, path: Path, session: _Session, error: Exception
    ) -> None:
        if isinstance(error, PasswordError):
            if document not in self._state.documents:
                locked = OpenDocument(document, path, _shown_name(path), needs_password=True)
                self._state.add_document(locked, is_shown=session.is_shown)
            self.password_needed.emit(document, str(error) if session.password else "")
            return
        if document not in self._state.documents:  # a locked one stays, and may be tried again
            self._sessions.pop(document, None)
            self._close_beside(f"close {document}", "pages", session.client)
            self._end_layout(document, session)
        self.failed.emit(path, str(error))

    def _read_more(self, document: str, session: _Session) -> None:
        assert session.info is not None, "pages are read after the file is opened"
        unread = [page for page in range(session.info.page_count) if page not in session.raw]
        if not unread:
            self._assemble(document, session, is_final=True)
            return
        batch = self._next_batch(document, session, unread)
        session.batch = min(session.batch * 2, LARGEST_BATCH)

        def work(token: JobToken) -> object:
            from core.document.prepared import prepare_page  # numpy and regex, after the first page

            token.check()
            pages = list(session.client.raw_pages(batch))
            for page in pages:  # a page's own work is kept with it and not done again
                prepare_page(page)
            return pages

        def done(pages: object) -> None:
            assert isinstance(pages, list), "the client gives pages"
            session.raw.update({page.index: page for page in pages})
            is_due = len(session.raw) >= GROWTH * session.assembled_pages
            if is_due and len(session.raw) < len(unread) + len(session.raw) - len(batch):
                self._assemble(document, session, is_final=False)
            self._read_more(document, session)

        def failed(error: Exception) -> None:
            for page in batch:
                session.raw[page] = _unreadable(session, page, str(error))
            self._read_more(document, session)

        self._jobs.request(
            f"text {document} read",
            "pages",
            work,
            done,
            failed=failed,
            priority=_TEXT,
            title="Reading pages" if session.info.page_count > LARGEST_BATCH else "",
        )
        done_pages = len(session.raw)
        if session.info.page_count > LARGEST_BATCH:
            slot = f"text {document} read"
            self._jobs.progressed.emit(slot, done_pages, session.info.page_count, "pages")

    def _next_batch(self, document: str, session: _Session, unread: list[int]) -> list[int]:
        """Page 1, then what is visible, then the rest."""
        current = self._state.current
        if session.raw and current is not None and current.id == document:
            seen = [page for page in self._visible_pages() if page in set(unread)]
            if seen:
                return seen[: session.batch]
        return unread[: session.batch]

    def _assemble(self, document: str, session: _Session, *, is_final: bool) -> None:
        assert session.info is not None, "text is made after the file is opened"
        pages = [session.raw[index] for index in sorted(session.raw)]
        session.assembled_pages = len(pages)
        info, settings = session.info, self.settings

        def work(token: JobToken) -> object:
            from core.document.assemble import assemble  # numpy and regex, after the first page

            token.check()
            made = assemble(
                pages,
                settings,
                name=info.name,
                source_sha256=info.source_sha256,
                outline=info.outline,
                final=is_final,
                shapes=_shapes(info),
            )
            from gui.pages.overlay import prepare_overlays

            prepare_overlays(made)
            return replace(made, notices=info.notices + made.notices)

        def done(text: object) -> None:
            assert isinstance(text, Document), "assembling makes a document"
            self._state.put_text(document, text, len(pages))
            if is_final:
                self.finished.emit(document)
                if any(session.raw[page.index] is not page for page in pages):
                    self._upgrade(document, session, is_last=True)  # layouts came meanwhile
                self._find_layout(document, session)

        def failed(error: Exception) -> None:
            opened = self._state.documents.get(document)
            if opened is not None:
                opened.error = str(error)
                self.failed.emit(opened.path, f"its text cannot be made: {error}")

        self._jobs.request(f"text {document} assemble", "python", work, done, failed=failed)

    # the layout model

    def _find_layout(self, document: str, session: _Session) -> None:
        opened = self._state.documents.get(document)
        if not self.uses_layout_model or opened is None or session.info is None:
            return
        todo = [
            page
            for page, raw in sorted(session.raw.items())
            if page not in session.layout_pages and len(raw.glyphs)
        ]
        if not todo:
            self._end_layout(document, session)
            return
        if (os.cpu_count() or 1) <= FEW_CORES and self.layout_waits():
            self._waiting_layouts[document] = session
            return
        nearest = sorted(todo, key=lambda page: abs(page - self._visible_pages().start))
        batch = nearest[:LAYOUT_STEP]
        if session.layout_client is None:
            session.layout_client = PdfClient(opened.path, role="layout")
        client = session.layout_client
        slot, total = f"layout {document}", len(session.raw)
        before = total - len(todo)

        def work(token: JobToken) -> object:
            client.open(session.password)
            found = {}
            for done_pages, page in enumerate(batch):
                token.progress(before + done_pages, total, "pages")
                found[page] = client.layout(page)
            return found

        def done(found: object) -> None:
            assert isinstance(found, dict), "layout boxes by page"
            for page, boxes in found.items():
                session.raw[page] = replace(session.raw[page], layout=boxes)
            session.layout_pages.update(batch)
            self._upgrade(document, session, is_last=len(todo) <= len(batch))
            self._find_layout(document, session)

        def failed(error: Exception) -> None:
            del error  # the blocks by font rules stay; the page is not tried again
            session.layout_pages.update(batch)
            self._find_layout(document, session)

        self._jobs.request(slot, "layout", work, done, failed=failed, title="Finding the layout")

    def _on_job_ended(self, slot: str) -> None:
        del slot
        if self._waiting_layouts:
            QTimer.singleShot(0, self._go_on_with_layouts)  # another one may be asked in its place

    def _go_on_with_layouts(self) -> None:
        if self.layout_waits():
            return
        waiting, self._waiting_layouts = self._waiting_layouts, {}
        for document, session in waiting.items():
            if self._sessions.get(document) is session:
                self._find_layout(document, session)

    def _upgrade(self, document: str, session: _Session, *, is_last: bool) -> None:
        opened = self._state.documents.get(document)
        if opened is None or opened.document is None:
            return
        if not is_last and len(session.layout_pages) % (4 * LAYOUT_STEP):
            return
        text = opened.document
        pages = [session.raw[index] for index in sorted(session.layout_pages)]

        def work(token: JobToken) -> object:
            from core.document.assemble import upgrade_blocks

            token.check()
            return upgrade_blocks(text, pages)

        def done(upgraded: object) -> None:
            assert isinstance(upgraded, Document), "an upgrade makes a document"
            if opened.document is text:
                self._state.put_text(document, upgraded, opened.pages_read)

        self._jobs.request(f"text {document} blocks", "python", work, done)

    # text files

    def _open_text(self, document: str, path: Path, *, is_shown: bool) -> None:
        def work(token: JobToken) -> object:
            from core.document.read import read_document
            from gui.pages.overlay import prepare_overlays

            text = read_document(path, cancel=token)
            shown = typeset(text)
            prepare_overlays(shown)
            return text, shown

        def done(made: object) -> None:
            assert isinstance(made, tuple), "reading makes the text, and its pages for the eye"
            text, shown = made
            if not text.text.strip():
                text = replace(text, notices=(*text.notices, NO_TEXT))
            del self._texts[document]
            opened = OpenDocument(document, path, _shown_name(path), shown=shown)
            opened.page_sizes = tuple((page.width, page.height) for page in shown.pages)
            self._state.add_document(opened, is_shown=is_shown)
            self._state.put_text(document, text, len(text.pages))
            self.finished.emit(document)

        def failed(error: Exception) -> None:
            del self._texts[document]
            self.failed.emit(path, str(error))

        self._texts[document] = path
        self._jobs.request(f"open {document}", "python", work, done, failed=failed)


def _never() -> bool:
    """Nothing goes before the layout model."""
    return False


def _shown_name(path: Path) -> str:
    """The name of a file, where bytes that are not UTF-8 are escaped."""
    return os.fsencode(path.name).decode(errors="backslashreplace")


def _nothing(_: object) -> None:
    """A job whose end nobody waits for."""


def _shapes(info: PdfInfo) -> list[Page]:
    """Sizes of all pages, for those whose text has not arrived."""
    return [
        Page(index, size.width, size.height, size.rotation, 0, 0, size.label)
        for index, size in enumerate(info.pages)
    ]


def _unreadable(session: _Session, page: int, error: str) -> RawPage:
    from core.document.raw import unreadable_page

    assert session.info is not None, "pages are those of an opened file"
    size = session.info.pages[page]
    return unreadable_page(page, size.width, size.height, error)
