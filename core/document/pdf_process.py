# SPDX-License-Identifier: AGPL-3.0-or-later
"""The child process that reads a PDF. Only modules named `pdf_*` import PyMuPDF.

`serve` answers requests in order. A request is (method, arguments); an answer is
("value", result) or (class of the error, message). A batch of pages has one answer a page, so
that the parent knows which page was at fault. The parent is `core.document.client`.
"""

import hashlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, TypeVar

import pymupdf

from core.document import pdf_layout, pdf_overlay, pdf_render, pdf_structure
from core.document.page_notices import info_notices
from core.document.pdf_file import open_file
from core.document.pdf_glyphs import raw_page
from core.document.pdf_memory import forget_fonts
from core.document.pdf_values import (
    Annotation,
    Box,
    FormField,
    Link,
    PageImage,
    PageMarks,
    PdfInfo,
)
from core.document.raw import LayoutBox, RawPage, RawTable
from core.errors import DocumentError, PasswordError

MEMORY_LIMIT = 4 << 30  # bytes of address space: a hostile file cannot take the machine's
KEPT_LISTS = 4  # interpreted pages that are kept for the next tile
LAYOUT_MEMORY_LIMIT = 8 << 30  # the model's runtime reserves more than it uses


Result = TypeVar("Result")


class PageFault(Exception):
    """A page cannot be read; the message is the reason."""


class Reader:
    """One open PDF. Every method is a request of the parent."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._document: Any = None
        self._info: PdfInfo | None = None
        self._lists: dict[int, Any] = {}
        self._memory: SharedMemory | None = None
        self._copy: tuple[int, pdf_layout.UprightCopy] | None = None

    def open(self, password: str = "") -> PdfInfo:
        """Open the file, count its pages and load the first readable one."""
        self._document = self._copy = None
        self._lists.clear()
        forget_fonts()
        pymupdf.TOOLS.reset_mupdf_warnings()
        document = _opened(self.path)
        locked = bool(document.needs_pass)
        if locked:
            _unlock(document, password, self.path.name)
        self._document, self._info = document, _describe(document, self.path, locked)
        return self._info

    def raw_page(self, index: int) -> RawPage:
        """Extract one page."""
        info = self._opened_info()
        return self._on_page(
            index,
            lambda page: raw_page(
                page,
                label=info.pages[index].label,
                tagged=info.tagged,
                repaired=info.repaired,
            ),
        )

    def image(
        self, index: int, scale: float, clip: Box | None, rotation: int, memory: str
    ) -> PageImage:
        """Draw a page or a tile of it, into the shared memory of that name if it has one."""
        commands = self._display_list(index)
        shared = self._shared_memory(memory)
        try:
            return pdf_render.image(commands, scale, clip, rotation, shared)
        except Exception as error:  # MuPDF's errors share no base but Exception
            raise PageFault(pdf_structure.reason_of(error)) from error

    def _display_list(self, index: int) -> Any:
        """Interpret a page, or take one of the last that were: tiles come one after another."""
        if index not in self._lists:
            if len(self._lists) >= KEPT_LISTS:
                del self._lists[next(iter(self._lists))]
            self._lists[index] = self._on_page(index, pdf_render.display_list)
        return self._lists[index]

    def _shared_memory(self, name: str) -> SharedMemory | None:
        """Attach to the parent's memory; it keeps the same one."""
        if name and (self._memory is None or self._memory.name != name):
            self._memory = SharedMemory(name)
        return self._memory if name else None

    def links(self, index: int) -> tuple[Link, ...]:
        """Read the active areas of a page."""
        return self._on_page(index, lambda page: pdf_structure.links(self._document, page))

    def annotations(self, index: int) -> tuple[Annotation, ...]:
        """Read the annotations of a page."""
        return self._on_page(index, pdf_structure.annotations)

    def form_fields(self, index: int) -> tuple[FormField, ...]:
        """Read the filled fields of a page."""
        return self._on_page(index, pdf_structure.form_fields)

    def layout(self, index: int) -> tuple[LayoutBox, ...]:
        """Find the regions of a page with the layout model."""
        return self._on_page(index, lambda page: pdf_layout.layout(self._upright(page)))

    def tables(self, index: int) -> tuple[RawTable, ...]:
        """Find the tables of a page."""
        return self._on_page(index, lambda page: pdf_layout.tables(self._upright(page)))

    def marked_document(self, password: str, marks: tuple[PageMarks, ...]) -> bytes:
        """Draw chunks on a copy of the whole file."""
        self._opened_info()
        return pdf_overlay.marked_document(self.path, password, marks)

    def marked_page(self, index: int, password: str, marks: PageMarks, kind: str) -> bytes:
        """Draw chunks on a copy of one page, as pdf, png or svg."""
        return self._on_page(
            index, lambda page: pdf_overlay.marked_page(self.path, password, marks, kind)
        )

    def _upright(self, page: Any) -> pdf_layout.UprightCopy:
        """Copy a page for layout and tables; the last copy is kept, with its regions."""
        if self._copy is None or self._copy[0] != page.number:
            self._copy = (page.number, pdf_layout.upright_copy(self._document, page))
        return self._copy[1]

    def _opened_info(self) -> PdfInfo:
        if self._info is None:
            raise DocumentError(f"{self.path.name} is not open: open it first")
        return self._info

    def _on_page(self, index: int, read: Callable[[Any], Result]) -> Result:
        """Load a page and read it; whatever goes wrong is the fault of this page."""
        self._opened_info()
        try:
            return read(self._document.load_page(index))
        except MemoryError:
            raise PageFault("it needs more memory than is allowed") from None
        except Exception as error:  # MuPDF's errors share no base but Exception
            raise PageFault(pdf_structure.reason_of(error)) from error


def _opened(path: Path) -> Any:
    """Open a file as PDF and nothing else."""
    if not path.exists():
        raise DocumentError(f"{path} does not exist: check the name and the folder")
    if not path.is_file():
        raise DocumentError(f"{path} is not a file: choose a PDF, .txt or .md file")
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise DocumentError(f"{path.name} is empty (0 bytes): choose another file")
    except OSError as error:
        reason = error.strerror or error
        raise DocumentError(
            f"{path.name} cannot be read ({reason}): check its permissions"
        ) from None
    try:
        document = open_file(path)
    except Exception as error:  # MuPDF's errors share no base but Exception
        reason = pdf_structure.reason_of(error.__cause__ or error)
        raise DocumentError(
            f"{path.name} cannot be opened ({reason}): it is damaged or not a PDF; "
            "choose a PDF, .txt or .md file"
        ) from None
    if not document.is_pdf:
        raise DocumentError(f"{path.name} is not a PDF: choose a PDF, .txt or .md file")
    return document


def _unlock(document: Any, password: str, name: str) -> None:
    if not password:
        raise PasswordError(f"{name} is locked: enter its password")
    if not document.authenticate(password):
        raise PasswordError(f"The password for {name} is wrong: enter it again")


def _describe(document: Any, path: Path, locked: bool) -> PdfInfo:
    """Count the pages and read all that needs no page's text."""
    try:
        count = document.page_count
        sizes = pdf_structure.page_sizes(document)
    except Exception as error:  # MuPDF's errors share no base but Exception
        reason = pdf_structure.reason_of(error)
        raise DocumentError(f"{path.name} cannot be opened ({reason}): it is too damaged") from None
    if not count or all(size.error for size in sizes):
        raise DocumentError(f"{path.name}: This file has no pages that can be read.")
    metadata = {key: str(value) for key, value in (document.metadata or {}).items() if value}
    outline = pdf_structure.outline(document)
    attached = pdf_structure.attachments(document)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    warnings = pymupdf.TOOLS.mupdf_warnings().splitlines()
    info = PdfInfo(
        name=path.name,
        source_sha256=digest,
        pages=sizes,
        metadata=metadata,
        outline=outline,
        attachments=attached,
        needs_password=locked,
        may_copy=bool(document.permissions & pymupdf.PDF_PERM_COPY),
        may_print=bool(document.permissions & pymupdf.PDF_PERM_PRINT),
        repaired=bool(document.is_repaired),
        warnings=tuple(dict.fromkeys(warnings)),
        tagged=pdf_structure.has_tags(document),
        language=pdf_structure.language(document),
    )
    return replace(info, notices=info_notices(info))


# --- the loop ----------------------------------------------------------------------------------


def serve(connection: Connection, path: str, role: str) -> None:
    """Answer requests until the parent closes its end. This is the process's main function."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's to handle
    _limit_memory(LAYOUT_MEMORY_LIMIT if role == "layout" else MEMORY_LIMIT)
    _silence()
    reader = Reader(Path(path))
    while True:
        try:
            method, arguments = connection.recv()
            if method == "raw_pages":
                for index in arguments[0]:
                    connection.send(_answer(reader, "raw_page", (index,)))
            else:
                connection.send(_answer(reader, method, arguments))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _answer(reader: Reader, method: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "value", getattr(reader, method)(*arguments)
    except (DocumentError, PageFault) as error:
        return type(error).__name__, str(error)
    except MemoryError:
        return "DocumentError", f"{reader.path.name} needs more memory than is allowed"
    except Exception as error:  # reported to the parent, which shows it
        return "DocumentError", f"{reader.path.name}: {pdf_structure.reason_of(error)}"


def _limit_memory(most: int) -> None:
    """Limit the address space where the system can (not on Windows)."""
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or hard > most:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _silence() -> None:
    """Keep the library's messages off the terminal; those that matter are in the answers."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
