# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rows of a measurement: what, how often, median and p95, and the target beside it."""

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "bench"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing. Numbers are in `unit`."""

    group: str
    what: str
    n: int
    median: float
    p95: float
    unit: str
    target: str = ""
    note: str = ""


def row(
    group: str, what: str, values: Sequence[float], unit: str, *, target: str = "", note: str = ""
) -> Row:
    """A row from measured values."""
    if not len(values):
        return Row(group, what, 0, float("nan"), float("nan"), unit, target, note or "not measured")
    median, p95 = np.percentile(values, [50, 95])
    return Row(group, what, len(values), float(median), float(p95), unit, target, note)


def timed(work: Callable[[], object], times: int, *, warm_up: int = 1) -> list[float]:
    """Milliseconds of each of `times` calls, after `warm_up` more."""
    for _ in range(warm_up):
        work()
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        spent.append((time.perf_counter() - begin) * 1000)
    return spent


def machine() -> dict[str, object]:
    """What the numbers were measured on."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def print_rows(rows: Sequence[Row]) -> None:
    """A Markdown table."""
    print("| group | what | n | median | p95 | unit | target | note |")
    print("|---|---|---|---|---|---|---|---|")
    for each in rows:
        print(
            f"| {each.group} | {each.what} | {each.n} | {each.median:,.2f} | {each.p95:,.2f} | "
            f"{each.unit} | {each.target} | {each.note} |"
        )


def write(name: str, rows: Sequence[Row]) -> Path:
    """Write the rows as JSON and say where."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{name}.json"
    content = {"machine": machine(), "rows": [asdict(each) for each in rows]}
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path
