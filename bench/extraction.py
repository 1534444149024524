# SPDX-License-Identifier: AGPL-3.0-or-later
"""Extraction against a bare loop of `page.get_text("rawdict")` in one process.

Ours reads in one process and assembles in another, so the ratio of wall times needs two free
processors; the note gives the processor times, which others on the machine disturb less.
"""

import multiprocessing
import os
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.documents import REPORT, book, shared
from bench.report import Row, row


def measure(times: int = 5) -> list[Row]:
    """Characters per second of ours divided by those of the bare loop, higher is better."""
    rows = []
    for path in (REPORT, book(), shared("corpus/guideline_who_hcv_155p.pdf")):
        if path is None:
            continue
        bare = [_apart(_bare, path) for _ in range(times)]
        ours = [_apart(_ours, path) for _ in range(times)]
        ratios = [a[0] / b[0] for a, b in zip(bare, ours, strict=True)]
        here, reader = (statistics.median([each[k] for each in ours]) for k in (1, 2))
        note = (
            f"processor: bare {statistics.median([each[1] for each in bare]):.2f} s; "
            f"ours {reader:.2f} s reading, {here:.2f} s beside it and after"
        )
        rows.append(row("extraction", path.name, ratios, "ratio", target="at least 0.7", note=note))
    return rows


def _ours(path: str) -> tuple[float, float, float]:
    """Seconds of a reading: wall, processor time here, and in the process that reads."""
    from core.document.read import read_document

    os.environ.setdefault("CHUNKSCOPE_CACHE_DIR", "build/bench/cache")
    read_document(
        Path(__file__).resolve().parent.parent / "resources/samples/guideline.pdf", use_cache=False
    )
    start, start_used = _start_of_child()
    begin, here, used = time.perf_counter(), time.process_time(), _children()
    read_document(path, use_cache=False)
    wall = time.perf_counter() - begin - start
    return wall, time.process_time() - here, _children() - used - start_used


def _children() -> float:
    """Processor time of all processes that this one has started and ended, seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _start_of_child() -> tuple[float, float]:
    """Seconds (wall, processor) of starting a PDF process: no part of the yardstick."""
    from core.document.client import PdfClient

    begin, before = time.perf_counter(), _children()
    with PdfClient(REPORT) as client:
        client.open()
        wall = time.perf_counter() - begin
    return wall, _children() - before


def _apart(function: Callable[[str], tuple[float, ...]], path: Path) -> tuple[float, ...]:
    """Call a function in a new process that may start others."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, str(path)).result()


def _bare(path: str) -> tuple[float, float]:
    """Seconds (wall, processor) of the bare loop."""
    import pymupdf

    flags = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    with pymupdf.open(path) as document:
        begin, here = time.perf_counter(), time.process_time()
        for page in document:
            page.get_text("rawdict", flags=flags)
        return time.perf_counter() - begin, time.process_time() - here
