# SPDX-License-Identifier: AGPL-3.0-or-later
"""The parent's side of the process that reads a PDF.

PyMuPDF is not thread-safe, and a hostile file may hang or crash it, so it lives in a process of
its own. Requests are synchronous, with a deadline; when the process dies or is late, it is
started again, and the page at fault is reported. A client is used by one thread at a time.
"""

import atexit
import contextlib
import multiprocessing
import os
import sys
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from shutil import disk_usage
from types import TracebackType
from typing import Any, Literal, NoReturn, Self

import numpy as np

from core.child_process import start_shielded, work_behind_others
from core.document.pdf_values import (
    Annotation,
    Box,
    FormField,
    Link,
    PageImage,
    PageMarks,
    PageSize,
    PdfInfo,
)
from core.document.raw import LayoutBox, RawPage, RawTable, no_glyphs
from core.errors import DocumentError, PasswordError

Role = Literal["pages", "layout"]

OPEN_DEADLINE = 30.0  # seconds; the start of the process is in it
PAGE_DEADLINE = 20.0
IMAGE_DEADLINE = 20.0
LAYOUT_DEADLINE = 60.0  # the first call loads the model
MARKS_DEADLINE = 300.0  # of a whole document
IMAGE_MEMORY = 14_000_000  # bytes: 4.6 million pixels; larger pictures come through the pipe
LINUX_MEMORY = "/dev/shm"  # where Linux keeps shared memory; small in containers
LAYOUT_MODULES = ("pymupdf.layout", "pymupdf4llm")
BATCH = 8  # pages in one request: an abandoned iteration wastes at most twice as many


class PageError(DocumentError):
    """A page cannot be read; the message says which, counted from 1, and why."""


class _Lost(Exception):
    """The process died or was late; the message is the reason."""


class _Died(_Lost):
    """The process died."""


class _ReaderEnded(PageError):
    """The process died before it answered for a page; asked again, it starts anew."""


class PdfClient:
    """A PDF that is read in a process of its own, which starts with the first request.

    `role` says what the process is for: "pages" answers the window, "layout" runs the slow
    model. Close it, or use it in `with`; at the latest it ends with this process.
    """

    def __init__(self, path: Path, *, role: Role = "pages") -> None:
        self.path = Path(path)
        self.role = role
        self.restarts = 0
        self.info: PdfInfo | None = None
        self._password = ""
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None
        self._stream: _PageStream | None = None
        self._memory: SharedMemory | None = None  # through which pictures come
        _clients.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Process number of the child, None while there is none."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process now, so that it is there when the first request comes."""
        self._start()

    # --- requests ------------------------------------------------------------------------------

    def open(self, password: str = "", *, deadline: float = OPEN_DEADLINE) -> PdfInfo:
        """Open the file and read sizes, labels, outline and the like of all pages.

        Raises:
            PasswordError: the file is locked and `password` is empty or wrong.
            DocumentError: the file cannot be read, or has no readable page.
        """
        try:
            info: PdfInfo = self._ask("open", (password,), deadline)
        except _Lost as lost:
            raise DocumentError(f"{self.path.name} cannot be opened: reading {lost}") from None
        self._password, self.info = password, info
        return info

    def raw_page(self, index: int, deadline: float = PAGE_DEADLINE) -> RawPage:
        """Extract the text of one page.

        Raises:
            PageError: the page cannot be read, or not before the deadline (seconds).
        """
        page: RawPage = self._ask_page("raw_page", index, (), deadline)
        return page

    def raw_pages(
        self, indices: Iterable[int], deadline: float = PAGE_DEADLINE
    ) -> Iterator[RawPage]:
        """Extract pages in the given order; a page that fails comes with its `error`.

        `deadline` is for each page. The process works ahead while a page is used; other requests
        may be made between two pages.
        """
        for index in (asked := list(indices)):
            self._check(index)
        stream = _PageStream(self, asked, deadline)
        return stream.pages()

    def image(
        self,
        index: int,
        scale: float,
        clip: Box | None = None,
        rotation: int = 0,
        deadline: float = IMAGE_DEADLINE,
    ) -> PageImage:
        """Draw a page, or the part `clip` (points, display frame), at `scale` pixels a point.

        `rotation` turns the view clockwise, a multiple of 90 degrees. `PageImage.scale` is lower
        than asked where the picture would have too many pixels. A process that has died is
        started again once, since something else than this page may have ended it.
        """
        try:
            return self._draw(index, scale, clip, rotation, deadline)
        except _ReaderEnded:
            return self._draw(index, scale, clip, rotation, deadline)

    def _draw(
        self, index: int, scale: float, clip: Box | None, rotation: int, deadline: float
    ) -> PageImage:
        self._yield_pipe(None)  # it may lose the process, and the memory with it
        self._memory = self._memory or _new_memory()
        name = self._memory.name if self._memory else ""
        drawn: PageImage = self._ask_page("image", index, (scale, clip, rotation, name), deadline)
        if drawn.data or not self._memory or not self._memory.buf:
            return drawn
        return replace(drawn, data=bytes(self._memory.buf[: drawn.stride * drawn.height]))

    def layout(self, index: int, deadline: float = LAYOUT_DEADLINE) -> tuple[LayoutBox, ...]:
        """Find the regions of a page with the layout model, about 0.2 s a page."""
        found: tuple[LayoutBox, ...] = self._ask_page("layout", index, (), deadline)
        return found

    def tables(self, index: int, deadline: float = LAYOUT_DEADLINE) -> tuple[RawTable, ...]:
        """Find the tables of a page with their cells, about 1 s where there is one."""
        found: tuple[RawTable, ...] = self._ask_page("tables", index, (), deadline)
        return found

    def links(self, index: int, deadline: float = PAGE_DEADLINE) -> tuple[Link, ...]:
        """Read the active areas of a page."""
        found: tuple[Link, ...] = self._ask_page("links", index, (), deadline)
        return found

    def annotations(self, index: int, deadline: float = PAGE_DEADLINE) -> tuple[Annotation, ...]:
        """Read the annotations of a page."""
        found: tuple[Annotation, ...] = self._ask_page("annotations", index, (), deadline)
        return found

    def form_fields(self, index: int, deadline: float = PAGE_DEADLINE) -> tuple[FormField, ...]:
        """Read the filled fields of a page; values that it does not draw are marked."""
        found: tuple[FormField, ...] = self._ask_page("form_fields", index, (), deadline)
        return found

    def marked_document(
        self, marks: Sequence[PageMarks], deadline: float = MARKS_DEADLINE
    ) -> bytes:
        """The whole PDF with chunks drawn on its pages.

        Raises:
            DocumentError: it cannot be drawn on or written.
        """
        try:
            made: bytes = self._ask("marked_document", (self._password, tuple(marks)), deadline)
        except _Lost as lost:
            raise DocumentError(f"{self.path.name} cannot be drawn on: reading {lost}") from None
        return made

    def marked_page(
        self, marks: PageMarks, kind: Literal["pdf", "png", "svg"], deadline: float = PAGE_DEADLINE
    ) -> bytes:
        """One page with chunks drawn on it.

        Raises:
            PageError: the page cannot be read, or not before the deadline (seconds).
        """
        arguments = (self._password, marks, kind)
        made: bytes = self._ask_page("marked_page", marks.page, arguments, deadline)
        return made

    def close(self) -> None:
        """End the process. A later request starts it again."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection:
            connection.close()
        if self._memory:
            self._memory.close()
            self._memory.unlink()
            self._memory = None
        if process:
            process.join(0.5)  # it ends by itself when the pipe is closed, unless it hangs
            if process.is_alive():
                process.kill()
                process.join()
            # A thread that starts a process looks after all that have ended, and may have heard of
            # the end of this one and not noted it yet.
            with contextlib.suppress(ValueError):
                process.close()

    # --- the pipe ------------------------------------------------------------------------------

    def _start(self) -> Connection:
        """Start the process if it does not run, and return the pipe to it."""
        if self._connection:
            return self._connection
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(
            target=_serve,
            args=(there, str(self.path), self.role),
            name=f"pdf-{self.role}",
            daemon=True,
        )
        start_shielded(process)
        there.close()
        self._process, self._connection = process, here
        return here

    def _running(self) -> Connection:
        """Return the pipe to a process that has the document open, also after a restart."""
        if self._connection is None and self.info is not None:
            self._ask("open", (self._password,), OPEN_DEADLINE)
        return self._start()

    def _ask(self, method: str, arguments: tuple[Any, ...], deadline: float) -> Any:
        self._yield_pipe(None)
        connection = self._start() if method == "open" else self._running()
        self._send(connection, (method, arguments))
        return self._receive(deadline)

    def _send(self, connection: Connection, request: tuple[str, tuple[Any, ...]]) -> None:
        try:
            connection.send(request)
        except (BrokenPipeError, ConnectionResetError, OSError):
            self._lose(_Died("stopped"))

    def _receive(self, deadline: float) -> Any:
        """Wait for one answer; end the process when it does not come."""
        connection = self._start()
        try:
            if not connection.poll(deadline):
                self._lose(_Lost(f"took longer than {deadline:g} s"))
            kind, value = connection.recv()
        except (EOFError, ConnectionResetError, OSError):
            self._lose(_Died("stopped the reader"))
        if kind == "value":
            return value
        raise {"PasswordError": PasswordError, "PageFault": PageError}.get(kind, DocumentError)(
            value
        )

    def _lose(self, reason: _Lost) -> NoReturn:
        """End the process, so that the next request starts a new one."""
        process = self._process
        if process and process.is_alive():
            process.kill()
        self.close()
        self.restarts += 1
        raise reason

    def _ask_page(
        self, method: str, index: int, arguments: tuple[Any, ...], deadline: float
    ) -> Any:
        self._check(index)
        try:
            return self._ask(method, (index, *arguments), deadline)
        except (PageError, _Lost) as fault:
            kind = _ReaderEnded if isinstance(fault, _Died) else PageError
            raise kind(f"Page {index + 1} of {self.path.name} cannot be read: {fault}") from None

    def _check(self, index: int) -> PdfInfo:
        if self.info is None:
            raise ValueError("a page was asked for before the document was opened")
        if not 0 <= index < self.info.page_count:
            raise ValueError(f"page {index} of {self.info.page_count}")
        return self.info

    def _yield_pipe(self, stream: "_PageStream | None") -> None:
        """Take in what is still to come for another stream, so that the next answer is ours."""
        if self._stream is not None and self._stream is not stream:
            self._stream.settle()
        self._stream = stream

    def _send_batch(self, stream: "_PageStream", indices: Sequence[int]) -> None:
        connection = self._running()
        self._stream = stream
        self._send(connection, ("raw_pages", (tuple(indices),)))

    def _page_answer(self, index: int, deadline: float) -> RawPage:
        """Wait for a page of a batch; a page that cannot be read comes with its error."""
        try:
            page: RawPage = self._receive(deadline)
        except DocumentError as fault:
            return self._failed(index, str(fault))
        return page

    def _failed(self, index: int, reason: str) -> RawPage:
        return failed_page(index, self._check(index).pages[index], reason)


class _PageStream:
    """Pages that are asked for in batches, one batch ahead of what is used."""

    def __init__(self, client: PdfClient, indices: Iterable[int], deadline: float) -> None:
        self._client = client
        self._deadline = deadline
        self._left = deque(indices)
        self._asked: deque[int] = deque()
        self._done: deque[RawPage] = deque()

    def pages(self) -> Iterator[RawPage]:
        """Yield the pages in order."""
        while self._left or self._asked or self._done:
            if not self._done:
                self._client._yield_pipe(self)
                self._take()
            yield self._done.popleft()

    def settle(self) -> None:
        """Take in all that was asked for."""
        while self._asked:
            self._done.append(self._answer())

    def _take(self) -> None:
        """Take one page in, and keep the process busy with the next ones."""
        self._ask_ahead()
        if self._asked:
            self._done.append(self._answer())
            self._ask_ahead()

    def _ask_ahead(self) -> None:
        while self._left and len(self._asked) <= BATCH:
            batch = list(islice(self._left, BATCH))
            try:
                self._client._send_batch(self, batch)
            except _Lost as lost:
                self._ask_again()
                self._done.append(self._client._failed(self._left.popleft(), str(lost)))
                return
            self._asked.extend(batch)
            for _ in batch:
                self._left.popleft()

    def _answer(self) -> RawPage:
        index = self._asked[0]
        try:
            page = self._client._page_answer(index, self._deadline)
        except _Lost as lost:
            page = self._client._failed(index, str(lost))
            self._asked.popleft()
            self._ask_again()
            return page
        self._asked.popleft()
        return page

    def _ask_again(self) -> None:
        """After the process was lost: ask once more for what it had not answered."""
        self._left.extendleft(reversed(self._asked))
        self._asked.clear()


def _new_memory() -> SharedMemory | None:
    """Make memory that is shared with the process; None where the system has too little."""
    if Path(LINUX_MEMORY).exists() and disk_usage(LINUX_MEMORY).free < 4 * IMAGE_MEMORY:
        return None  # writing beyond what is free would end the process
    try:
        return SharedMemory(create=True, size=IMAGE_MEMORY)
    except OSError:
        return None


def failed_page(index: int, size: PageSize, error: str) -> RawPage:
    """Return a page without text that says why it could not be read."""
    glyphs, runs = no_glyphs()
    none = np.empty((0, 4), np.float32)
    return RawPage(
        index=index,
        width=size.width,
        height=size.height,
        rotation=size.rotation,
        label=size.label,
        glyphs=glyphs,
        runs=runs,
        images=none,
        drawings=none,
        error=error,
    )


def _serve(connection: Connection, path: str, role: str) -> None:
    """Run in the child: only there is PyMuPDF imported."""
    if role == "pages":
        # WORKAROUND: PyMuPDF 2.0 loads its layout model with itself, which takes thrice its own
        # time. This makes it believe that there is none; `pdf_layout` loads it when it is needed.
        for module in LAYOUT_MODULES:
            sys.modules[module] = None  # type: ignore[assignment]  # as the import system allows
    else:  # behind the window and the vectors, from its first import on
        work_behind_others()
    from core.document.pdf_process import serve

    serve(connection, path, role)
    os._exit(0)  # nothing to save; taking the interpreter down would take as long as ten pages


_clients: "weakref.WeakSet[PdfClient]" = weakref.WeakSet()


@atexit.register
def close_all() -> None:
    """End the processes of all clients; also called when this process ends."""
    for client in list(_clients):
        client.close()
