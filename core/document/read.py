# SPDX-License-Identifier: AGPL-3.0-or-later
"""Reads a file from beginning to end into a document: for the command line and for tests.

The window reads the same pages step by step (`gui/controllers/opening.py`).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.cancel import NEVER, CancelToken, Progress, silent
from core.document import cache
from core.document.assemble import assemble, upgrade_blocks
from core.document.client import PdfClient
from core.document.model import Document, Notice, Page, TextSettings
from core.document.pdf_values import PdfInfo
from core.document.prepared import Preparation
from core.document.raw import LayoutBox, RawPage
from core.document.text_blocks import with_form_feed_pages, with_markdown_blocks
from core.document.text_files import read_text_document
from core.errors import DocumentError

MARKDOWN_ENDINGS = frozenset({".md", ".markdown"})
TEXT_ENDINGS = MARKDOWN_ENDINGS | {".txt", ".text"}


def read_document(
    path: Path | str,
    settings: TextSettings | None = None,
    *,
    password: str = "",
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
    use_cache: bool = True,
) -> Document:
    """Read a PDF, `.txt` or `.md` file.

    Args:
        path: the file.
        settings: form, boilerplate, layout and pages; the defaults without. All pages are read
            whichever are named, so that a page has the same text in every choice of pages.
        password: of an encrypted PDF. What a password protects is never written to the cache.
        progress: told after each page.
        cancel: asked before each page.
        use_cache: whether results on disk are read and written.

    Raises:
        PasswordError: the password is missing or wrong.
        DocumentError: the file cannot be read, or lacks the pages that are asked for.
        core.errors.Cancelled: `cancel` says so.
    """
    path, settings = Path(path), settings or TextSettings()
    _require_file(path)
    if path.suffix.lower() in TEXT_ENDINGS:
        document = with_form_feed_pages(read_text_document(path, settings))
        is_markdown = path.suffix.lower() in MARKDOWN_ENDINGS
        return with_markdown_blocks(document) if is_markdown else document
    name = cache.entry_name("document", _digest(path), path.name, settings)
    found = cache.load(name) if use_cache and not password else None
    if isinstance(found, Document):
        progress(len(found.pages), len(found.pages), "pages")
        return found
    document, protected = _read_pdf(
        path,
        settings,
        password=password,
        progress=progress,
        cancel=cancel,
        use_cache=use_cache,
    )
    if use_cache and not protected:
        cache.save(name, document)
    return document


def _require_file(path: Path) -> None:
    if not path.exists():
        raise DocumentError(f"{path} does not exist: check the name and the folder")
    if not path.is_file():
        raise DocumentError(f"{path} is not a file: choose a PDF, .txt or .md file")


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or error
        raise DocumentError(
            f"{path.name} cannot be read ({reason}): check its permissions"
        ) from None


def _read_pdf(
    path: Path,
    settings: TextSettings,
    *,
    password: str,
    progress: Progress,
    cancel: CancelToken,
    use_cache: bool,
) -> tuple[Document, bool]:
    """Read a PDF; also say whether a password protects it."""
    with PdfClient(path) as client:
        info = client.open(password)
        _require_pages(settings, info, path)
        wanted = range(info.page_count)  # all: what runs shows only on the whole document
        pages: list[RawPage] = []
        preparation = Preparation()
        for page in client.raw_pages(wanted):
            cancel.check()
            preparation.add(page)
            pages.append(page)
            progress(len(pages), len(wanted), "pages")
        preparation.finish()
    document = assemble(
        pages,
        settings,
        name=info.name,
        source_sha256=info.source_sha256,
        outline=info.outline,
        shapes=_shapes(info),
    )
    document = replace(document, notices=info.notices + document.notices)
    if settings.layout == "model":
        keep = use_cache and not info.needs_password
        if settings.pages is not None:
            pages = [page for page in pages if page.index in settings.pages]
        pages, notices = _with_layout(
            path, pages, password=password, progress=progress, cancel=cancel, use_cache=keep
        )
        document = upgrade_blocks(document, pages)
        document = replace(document, notices=document.notices + notices)
    return document, info.needs_password


def _require_pages(settings: TextSettings, info: PdfInfo, path: Path) -> None:
    beyond = [page + 1 for page in settings.pages or () if not 0 <= page < info.page_count]
    if beyond:
        raise DocumentError(
            f"page {beyond[0]} is asked for, but {path.name} has pages 1 to {info.page_count}: "
            "choose pages in that range"
        )


def _shapes(info: PdfInfo) -> list[Page]:
    return [
        Page(index, size.width, size.height, size.rotation, 0, 0, size.label)
        for index, size in enumerate(info.pages)
    ]


def _with_layout(
    path: Path,
    pages: Sequence[RawPage],
    *,
    password: str,
    progress: Progress,
    cancel: CancelToken,
    use_cache: bool,
) -> tuple[list[RawPage], tuple[Notice, ...]]:
    """Run the layout model on each page with text; a page where it fails stays without."""
    name = cache.entry_name("layout", _digest(path))
    stored = cache.load(name) if use_cache else None
    known: dict[int, tuple[LayoutBox, ...]] = dict(stored) if isinstance(stored, dict) else {}
    missing = [page.index for page in pages if len(page.glyphs) and page.index not in known]
    notices: list[Notice] = []
    if missing:
        with PdfClient(path, role="layout") as client:
            client.open(password)
            for done, index in enumerate(missing):
                cancel.check()
                try:
                    known[index] = client.layout(index)
                except DocumentError as error:
                    notices.append(Notice(index, "layout", f"Layout by font rules only: {error}"))
                progress(done + 1, len(missing), "layouts")
        if use_cache:
            cache.save(name, known)
    return [replace(page, layout=known.get(page.index)) for page in pages], tuple(notices)
