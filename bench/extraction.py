# SPDX-License-Identifier: AGPL-3.0-or-later
"""Extraction against a bare loop of `page.get_text("rawdict")` in one process."""

import multiprocessing
import os
import time
from pathlib import Path

from bench.documents import REPORT, book, shared
from bench.report import Row, row


def measure(times: int = 3) -> list[Row]:
    """Characters per second of ours divided by those of the bare loop, higher is better."""
    rows = []
    for path in (REPORT, book(), shared("corpus/guideline_who_hcv_155p.pdf")):
        if path is None:
            continue
        ratios, notes = [], ""
        for _ in range(times):
            bare = _apart(_bare, path)
            ours = _ours(path)
            ratios.append(bare / ours)
            notes = f"bare {bare:.2f} s, ours {ours:.2f} s"
        rows.append(
            row("extraction", path.name, ratios, "ratio", target="at least 0.7", note=notes)
        )
    return rows


def _ours(path: Path) -> float:
    from core.document.read import read_document

    os.environ.setdefault("CHUNKSCOPE_CACHE_DIR", "build/bench/cache")
    read_document(
        Path(__file__).resolve().parent.parent / "resources/samples/guideline.pdf", use_cache=False
    )
    begin = time.perf_counter()
    read_document(path, use_cache=False)
    return time.perf_counter() - begin - _start_of_child()


def _start_of_child() -> float:
    """Seconds that starting a PDF process takes: not part of the yardstick, measured by itself."""
    from core.document.client import PdfClient

    begin = time.perf_counter()
    with PdfClient(REPORT) as client:
        client.open()
    return time.perf_counter() - begin


def _apart(function: object, path: Path) -> float:
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        seconds: float = pool.apply(function, (str(path),))  # type: ignore[arg-type]
    return seconds


def _bare(path: str) -> float:
    import pymupdf

    flags = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    with pymupdf.open(path) as document:
        begin = time.perf_counter()
        for page in document:
            page.get_text("rawdict", flags=flags)
        return time.perf_counter() - begin
