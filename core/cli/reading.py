# SPDX-License-Identifier: AGPL-3.0-or-later
"""Reading what flags name: documents and JSON files."""

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from core.cli.printing import Printed
from core.document.model import Document, Form, TextSettings
from core.document.text_blocks import with_form_feed_pages
from core.errors import DocumentError, ParameterError

PASSWORD_VARIABLE = "CHUNKSCOPE_PASSWORD"
MOST_PAGES = 1_000_000  # above, a range is taken for a slip of the finger


def settings_of(namespace: argparse.Namespace) -> TextSettings:
    """How files are read, from flags."""
    return TextSettings(
        form=cast(Form, namespace.form),
        boilerplate=namespace.boilerplate,
        layout=namespace.layout,
        pages=parse_pages(namespace.pages) if namespace.pages else None,
    )


def parse_pages(text: str) -> tuple[int, ...]:
    """Indices of pages from "1-3,7".

    Raises:
        ParameterError: not of that form, or below 1.
    """
    pages: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last) if dash else int(first)
        except ValueError:
            raise ParameterError(
                f"pages is '{text}', but must be numbers and ranges such as 1-3,7"
            ) from None
        if not 1 <= low <= high:
            raise ParameterError(
                f"pages is '{text}', but ranges must rise from 1 up: write for example 1-3,7"
            )
        if high > MOST_PAGES:
            raise ParameterError(
                f"pages is '{text}', but at most {MOST_PAGES:,} can be named: choose fewer"
            )
        pages.extend(range(low - 1, high))
    return tuple(sorted(set(pages)))


def read(path: Path, namespace: argparse.Namespace, progress: Printed) -> Document:
    """Read one file as the flags say.

    Raises:
        DocumentError: it cannot be read, or is a text file without text.
    """
    from core.document.read import TEXT_ENDINGS, read_document

    password = namespace.password or os.environ.get(PASSWORD_VARIABLE, "")
    document = read_document(
        path,
        settings_of(namespace),
        password=password,
        progress=progress,
        use_cache=not namespace.no_cache,
    )
    progress.end()
    if path.suffix.lower() not in TEXT_ENDINGS:
        return document
    if not document.text:
        raise DocumentError(f"{path.name} is empty: choose a file with text")
    return document if namespace.pages is None else _with_pages(document, path)


def _with_pages(document: Document, path: Path) -> Document:
    """A text file's chosen pages, which form feeds divide; without any it is one page.

    Raises:
        DocumentError: a page is asked for that is not there.
    """
    chosen = document.settings.pages or ()
    count = max(1, len(document.pages))
    beyond = [page + 1 for page in chosen if page >= count]
    if beyond:
        raise DocumentError(
            f"page {beyond[0]} is asked for, but {path.name} has pages 1 to {count} (form feeds "
            "divide the pages of a text file): choose pages in that range, or leave --pages out"
        )
    if len(chosen) == count:
        return document
    text = "".join(document.text[p.start : p.end] for p in map(document.pages.__getitem__, chosen))
    return with_form_feed_pages(replace(document, text=text, pages=(), blocks=()))


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        DocumentError: it is not there or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise DocumentError(f"{path} does not exist: check the name and the folder") from None
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"{path} is not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise DocumentError(f"{path} has lists inside lists too deep to be read") from None
    except ValueError:  # of Python, about a number of more than 4,300 digits
        raise DocumentError(
            f"{path} has a number too long to be read: shorten it to 4,300 digits or fewer"
        ) from None
