# SPDX-License-Identifier: AGPL-3.0-or-later
"""Compare all in the window: every preset on 50 pages, vectors and references ready.

The loop is measured by the time of the window's own thread as well: that stays true on a machine
that does other work, where the time on the wall does not.
"""

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.documents import REPORT
from bench.report import Row, row

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

PATIENCE_SECONDS = 600.0
DRAG_SECONDS = 0.05  # between two moves of the slider


def measure() -> list[Row]:
    """All rows of this file, in one window with empty caches."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        for variable in ("CONFIG", "CACHE", "DATA", "STATE"):
            os.environ[f"XDG_{variable}_HOME"] = f"{home}/{variable.lower()}"
        return _measure()


def _measure() -> list[Row]:
    from core.strategies.recipe import make_recipe
    from gui.start import start

    application, window = start(["bench"])
    window.resize(1366, 768)
    loop = _Loop(application)
    state = window.state
    window.open_path(REPORT)
    loop.run(lambda: _is_read(state))
    while state.slots:
        state.remove_slot(state.slots[0].id)
    slot = state.add_slot(make_recipe("FC", {"size": 200}))
    loop.run(lambda: window.workbench is not None and window.workbench.study is not None)
    study = window.workbench.study
    pipeline = window.workbench.pipeline
    loop.run(lambda: pipeline.has_token_vectors(state.current.document))
    loop.run(lambda: pipeline.has_pairs(state.current.document))
    loop.run(lambda: not window.jobs.is_busy())
    window.workbench.bottom.show_tab("compare")
    rows = _compare(loop, study, "some vectors still to be made", None)
    rows += _compare(loop, study, "at rest, vectors ready", None)
    sizes = iter(range(200, 100_000))

    def drag() -> None:
        state.set_recipe(slot, make_recipe("FC", {"size": next(sizes)}))
        window.pages.viewport().repaint()

    rows += _compare(loop, study, "while a slider is dragged", drag)
    window.close()
    return rows


@dataclass
class _Loop:
    """Runs the event loop, and notes how long each pass held the window."""

    application: object
    walls: list[float] = field(default_factory=list)  # ms
    own: list[float] = field(default_factory=list)  # ms of this thread
    moves: list[float] = field(default_factory=list)  # ms of this thread, of a move of the slider

    def run(self, condition: Callable[[], bool], drag: Callable[[], None] | None = None) -> float:
        """Until the condition holds; seconds."""
        begin = last = time.perf_counter()
        while not condition():
            wall, own = time.perf_counter(), time.thread_time()
            self.application.processEvents()  # type: ignore[attr-defined]
            self.walls.append((time.perf_counter() - wall) * 1000)
            self.own.append((time.thread_time() - own) * 1000)
            if drag is not None and time.perf_counter() - last > DRAG_SECONDS:
                last, own = time.perf_counter(), time.thread_time()
                drag()
                self.moves.append((time.thread_time() - own) * 1000)
            if time.perf_counter() - begin > PATIENCE_SECONDS:
                return float("nan")
            time.sleep(0.001)
        return time.perf_counter() - begin


def _compare(loop: _Loop, study: object, what: str, drag: Callable[[], None] | None) -> list[Row]:
    panel, comparing = study.compare, study.comparing  # type: ignore[attr-defined]
    done: list[bool] = []
    comparing.finished.connect(done.append)
    loop.walls, loop.own, loop.moves = [], [], []
    panel.run.click()
    total = panel.bar.maximum()
    first = loop.run(lambda: panel.model.rowCount() > 0, drag)
    whole = first + loop.run(lambda: bool(done), drag)
    comparing.finished.disconnect(done.append)
    longest = f"longest {max(loop.own):.1f} ms of its own, {max(loop.walls):.0f} ms on the wall"
    rows = [
        row("compare all", f"first row, {what}", [first], "s", target="1 s"),
        row("compare all", f"all {total} rows, {what}", [whole], "s", target="20 s"),
        row(
            "compare all",
            f"passes of the loop, {what}",
            loop.own,
            "ms",
            target="16 ms",
            note=longest,
        ),
    ]
    if drag is not None:
        note = f"longest {max(loop.moves):.1f} ms"
        rows.append(
            row("compare all", "a move of the slider", loop.moves, "ms", target="16 ms", note=note)
        )
    slow = sorted(_rows(comparing), key=lambda each: -each[1])[:6]
    print("slowest: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in slow))
    return rows


def _rows(comparing: object) -> list[tuple[str, float]]:
    rows = [r for each in comparing.comparisons.values() for r in each.rows]  # type: ignore[attr-defined]
    return [(r.candidate.name, r.seconds) for r in rows]


def _is_read(state: object) -> bool:
    current = state.current  # type: ignore[attr-defined]
    document = current.document if current is not None and current.path == REPORT else None
    return document is not None and document.final
