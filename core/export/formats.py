# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which ending is written by whom, and writing a file as a whole."""

from collections.abc import Callable, Mapping
from pathlib import Path

from core.errors import DocumentError, ParameterError
from core.export.code import code_bytes
from core.export.data import csv_bytes, json_bytes, jsonl_bytes, parquet_bytes
from core.export.exported import Exported
from core.export.pictures import pdf_bytes, png_bytes, svg_bytes
from core.export.report import report_bytes
from core.whole_file import whole_file

Writer = Callable[[Exported], bytes]

FORMATS: Mapping[str, Writer] = {
    ".json": json_bytes,
    ".jsonl": jsonl_bytes,
    ".csv": csv_bytes,
    ".parquet": parquet_bytes,
    ".html": report_bytes,
    ".pdf": pdf_bytes,
    ".png": png_bytes,
    ".svg": svg_bytes,
    ".py": code_bytes,
}
WITH_SCORES = frozenset({".html"})  # formats that show the five scores


def writer_for(path: Path) -> Writer:
    """Who writes files with this ending.

    Raises:
        ParameterError: nobody does.
    """
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise ParameterError(
            f"the ending of {path.name} is '{ending}', but must be one of {', '.join(FORMATS)}"
        )
    return FORMATS[ending]


def check_target(path: Path, *, force: bool) -> None:
    """Refuse a place that cannot be written, before anything slow is begun.

    Raises:
        ParameterError: the ending is not known.
        DocumentError: a file is there already, or there is no such folder.
    """
    writer_for(path)
    if path.is_dir():
        raise DocumentError(f"{path} is a folder: name a file in it")
    if path.exists() and not force:
        raise DocumentError(f"{path} is there already: choose another name, or give --force")
    if not path.parent.is_dir():
        raise DocumentError(f"the folder {path.parent} does not exist: make it first")


def export(exported: Exported, path: Path, *, force: bool = False) -> None:
    """Write a file; its ending decides what it holds.

    Raises:
        ParameterError, DocumentError: as `check_target`; the pages cannot be drawn on.
    """
    check_target(path, force=force)
    content = writer_for(path)(exported)
    with whole_file(path) as fresh:
        fresh.write_bytes(content)
