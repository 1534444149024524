# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a configuration costs, and which ones nothing else beats (`spec/evaluation.md` 13)."""

import contextlib
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from core.arrays import Indices

RUNS = 3
LEAST_TIMINGS = 20
_CLEAR = Path("/proc/self/clear_refs")
_LIBRARIES = ("numpy", "torch", "sentence-transformers", "lancedb", "pyarrow", "scipy")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Axis:
    """A number of a configuration, and whether more of it is better."""

    name: str
    more_is_better: bool


DEFAULT_AXES = (Axis("ndcg", True), Axis("index_bytes", False))


def timed(work: Callable[[], Value], *, runs: int = RUNS) -> tuple[Value, float]:
    """The value of some work, and the median of its wall times in seconds."""
    times = []
    for _ in range(runs):
        began = perf_counter()
        value = work()
        times.append(perf_counter() - began)
    return value, statistics.median(times)


def latency(milliseconds: Sequence[float]) -> dict[str, float | None]:
    """p50 and p95 of query times; no p95 of fewer than 20 distinct timings."""
    if not len(milliseconds):
        return {"p50": None, "p95": None}
    p50, p95 = np.percentile(np.asarray(milliseconds), [50, 95], method="linear").tolist()
    return {"p50": p50, "p95": p95 if len(set(milliseconds)) >= LEAST_TIMINGS else None}


def size_summary(counts: Indices) -> dict[str, float]:
    """Mean, median and greatest of some sizes, int64 (n,)."""
    if not len(counts):
        return {"mean": 0.0, "median": 0.0, "max": 0.0}
    return {
        "mean": float(counts.mean()),
        "median": float(np.median(counts)),
        "max": float(counts.max()),
    }


def pareto_front(
    points: Mapping[str, Mapping[str, float]], axes: Sequence[Axis] = DEFAULT_AXES
) -> list[str]:
    """The configurations that no other dominates, in their order; those with a gap are left out.

    One dominates another if it is at least as good in every axis and better in one.
    """
    complete = {
        name: np.array([values[a.name] * (1 if a.more_is_better else -1) for a in axes])
        for name, values in points.items()
        if all(values.get(a.name) is not None and np.isfinite(values[a.name]) for a in axes)
    }
    return [
        name
        for name, values in complete.items()
        if not any(
            bool((other >= values).all() and (other > values).any()) for other in complete.values()
        )
    ]


def machine() -> dict[str, Any]:
    """What the timings were made on, with the load; "busy" if more runs than there are cores."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": platform.processor() or platform.machine(),
        "system": platform.platform(),
        "cores": cores,
        "threads": os.environ.get("OMP_NUM_THREADS", str(cores)),
        "load": load,
        "busy": load is not None and load > cores,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


class PeakMemory:
    """The greatest memory of this process and its children from now on.

    Linux can forget an earlier peak; elsewhere it is the greatest since the process began.
    `before` are the bytes that were resident at the start: models and libraries.
    """

    def __init__(self) -> None:
        import psutil

        self._process = psutil.Process()
        self.before = self._sum(self._resident)
        with contextlib.suppress(OSError):
            _CLEAR.write_text("5", encoding="ascii")  # proc_pid_clear_refs(5): the peak begins anew

    def bytes(self) -> int:
        """The greatest resident size of the process, and what its children had at most."""
        return max(self.before, self._sum(_peak_of))

    def _sum(self, size_of: Callable[[Any], int]) -> int:
        total = size_of(self._process)
        for child in self._process.children(recursive=True):
            with contextlib.suppress(*_gone()):
                total += size_of(child)
        return total

    @staticmethod
    def _resident(process: Any) -> int:
        return int(process.memory_info().rss)


def _gone() -> tuple[type[Exception], ...]:
    import psutil

    return (psutil.Error, OSError)  # it ended meanwhile


def _peak_of(process: Any) -> int:
    """Bytes: the greatest resident size of a process, or its present one where that is unknown."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process.pid}/status").read_text("ascii", "replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    memory = process.memory_info()
    if getattr(memory, "peak_wset", 0):  # Windows
        return int(memory.peak_wset)
    if process.pid == os.getpid():
        import resource  # macOS counts bytes

        return max(int(memory.rss), int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
    return int(memory.rss)
