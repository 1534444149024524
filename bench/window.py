# SPDX-License-Identifier: AGPL-3.0-or-later
"""The window, driven in place: slider to overlay, scores, hits, scrolling, memory."""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from PySide6.QtCore import QTimer

from bench.documents import REPORT, book
from bench.report import Row, row

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

EVENTS = 60
FRAMES = 200
FRAME_SECONDS = 1 / 60  # a drag moves the slider once a frame
HEARTBEAT_MILLISECONDS = 5
PATIENCE_SECONDS = 600.0
FIRST_STRATEGIES = 2  # that a new window shows
QUIET_SECONDS = 2.0


def measure() -> list[Row]:
    """All rows of this file; each document in a process of its own, with empty caches."""
    rows = measure_apart(REPORT, "50 pages", "16 ms", "33 ms")
    long = book()
    if long is not None:
        rows += measure_apart(long, "350 pages", "50 ms", "50 ms")
    return rows


def measure_apart(path: Path, name: str, instant: str, embedding: str) -> list[Row]:
    """The rows of one document, from a fresh window."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_measure_fresh, path, name, instant, embedding).result()


def _measure_fresh(path: Path, name: str, instant: str, embedding: str) -> list[Row]:
    with tempfile.TemporaryDirectory() as home:
        for variable in ("CONFIG", "CACHE", "DATA", "STATE"):
            os.environ[f"XDG_{variable}_HOME"] = f"{home}/{variable.lower()}"
        from gui.start import start

        application, window = start(["bench"])
        bench = _Window(application, window)
        window.resize(1366, 768)
        rows = bench.measure_document(path, name, instant, embedding)
        rows += [bench.memory(name)]
        window.close()
        return rows


class _Window:
    """Drives the window and waits for what it announces."""

    def __init__(self, application: object, window: object) -> None:
        self.app = application
        self.window = window
        self.gaps: list[float] = []  # ms between two beats of the event loop
        self._last = time.perf_counter()
        self._heart = QTimer()
        self._heart.setInterval(HEARTBEAT_MILLISECONDS)
        self._heart.timeout.connect(self._beat)
        self._heart.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps.append((now - self._last) * 1000)
        self._last = now

    def wait(self, condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> float:
        """Run the event loop until a condition holds; milliseconds that took, nan if never."""
        begin = time.perf_counter()
        while not condition():
            self.app.processEvents()  # type: ignore[attr-defined]
            if time.perf_counter() - begin > seconds:
                return float("nan")
            time.sleep(0.001)
        return (time.perf_counter() - begin) * 1000

    def measure_document(self, path: Path, name: str, instant: str, embedding: str) -> list[Row]:
        window = self.window
        self.wait(lambda: False, 0.1)
        self.gaps = []
        begin = time.perf_counter()
        window.open_path(path)  # type: ignore[attr-defined]
        state = window.state  # type: ignore[attr-defined]
        self.wait(lambda: _is_final(state, path))
        self.wait(lambda: len(state.slots) == FIRST_STRATEGIES)  # until then nothing to choose
        while state.slots:
            state.remove_slot(state.slots[0].id)
        from core.strategies.recipe import make_recipe

        slot = state.add_slot(make_recipe("FC", {"size": 200}))
        self.wait(lambda: _has_chunks(state))
        self.wait(lambda: _has_scores(state, "late", "exact", "pooled"))
        first = time.perf_counter() - begin
        gaps = list(self.gaps)
        rows = [
            row("first scores from cold", name, [first], "s", target="20 s"),
            row(
                "event-loop gap meanwhile",
                name,
                [max(gaps, default=0.0)],
                "ms",
                target="50 ms",
            ),
        ]
        rows += self._ticks("instant class", name, slot, "size", range(201, 201 + EVENTS), instant)
        state.set_recipe(slot, make_recipe("SSTC", {"threshold": 0.4}))
        self.wait(lambda: _is_code(state, "SSTC"))
        values = [0.20 + 0.01 * k for k in range(EVENTS)]
        rows += self._ticks("embedding class", name, slot, "threshold", values, embedding)
        rows += [self._scores(name, slot), *self._hits(name, slot), self._scroll(name)]
        return rows

    def rest(self) -> None:
        """Wait until nothing has been running for a while."""
        jobs, quiet = self.window.jobs, time.monotonic()  # type: ignore[attr-defined]
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < min(end, quiet + QUIET_SECONDS):
            self.app.processEvents()  # type: ignore[attr-defined]
            if jobs.is_busy():
                quiet = time.monotonic()
            time.sleep(0.005)

    def _ticks(  # noqa: PLR0917 - the columns of a row
        self, kind: str, name: str, slot: int, parameter: str, values: object, target: str
    ) -> list[Row]:
        state, pages = self.window.state, self.window.pages  # type: ignore[attr-defined]
        spent = []
        field = self.window.workbench.strategy.row(parameter).field  # type: ignore[attr-defined]
        for value in values:  # type: ignore[attr-defined]
            before = state.chosen_result.chunks
            begin = time.perf_counter()
            field.setValue(value)
            self.wait(lambda before=before: state.chosen_result.chunks is not before, 5)
            pages.viewport().repaint()
            spent.append((time.perf_counter() - begin) * 1000)
            self.wait(lambda end=begin + FRAME_SECONDS: time.perf_counter() >= end)
        return [
            row("slider event → overlay painted", f"{kind}, {name}", spent, "ms", target=target)
        ]

    def _scores(self, name: str, slot: int) -> Row:
        state = self.window.state  # type: ignore[attr-defined]
        spent = []
        for k in range(EVENTS // 2):
            before = state.chosen_result.scores
            threshold = 0.3 + 0.005 * k
            state.set_recipe(slot, state.slot(slot).recipe.with_settings({"threshold": threshold}))
            spent.append(
                self.wait(lambda before=before: state.chosen_result.scores is not before, 10)
            )
        return row("scores after a tick", name, spent, "ms", target="100 ms")

    def _hits(self, name: str, slot: int) -> list[Row]:
        state = self.window.state  # type: ignore[attr-defined]
        busy, ticks = self._queries(slot, "time"), []
        self.rest()
        fresh = self._queries(slot, "money")
        for k in range(EVENTS // 2):
            before = state.chosen_result.hits
            threshold = 0.3 + 0.005 * k
            state.set_recipe(slot, state.slot(slot).recipe.with_settings({"threshold": threshold}))
            ticks.append(
                self.wait(lambda before=before: state.chosen_result.hits is not before, 10)
            )
        state.set_query("")
        return [
            row("hits after a new query", name, fresh, "ms", target="100 ms"),
            row("the same, while vectors are being made", name, busy, "ms", target="100 ms"),
            row("hits after a tick", name, ticks, "ms", target="100 ms"),
        ]

    def _queries(self, slot: int, about: str) -> list[float]:
        state = self.window.state  # type: ignore[attr-defined]
        spent = []
        for k in range(EVENTS // 3):
            state.set_query(f"What does section {k} say about cost and {about}?")
            spent.append(self.wait(lambda: bool(state.chosen_result.hits), 20))
            for opened in state.documents.values():
                opened.result(slot).hits = ()
        return spent

    def _scroll(self, name: str) -> Row:
        from core.strategies.recipe import make_recipe

        state, pages = self.window.state, self.window.pages  # type: ignore[attr-defined]
        added = [state.add_slot(make_recipe("RC")), state.add_slot(make_recipe("SGC"))]
        self.wait(lambda: all(state.current.result(a).chunks is not None for a in added), 60)
        bar = pages.verticalScrollBar()
        step = max(1, bar.maximum() // FRAMES)
        spent = []
        for k in range(FRAMES):
            begin = time.perf_counter()
            bar.setValue(k * step)
            pages.viewport().repaint()
            spent.append((time.perf_counter() - begin) * 1000)
            self.app.processEvents()  # type: ignore[attr-defined]
        return row(
            "frame while scrolling, 3 overlays",
            name,
            spent,
            "ms",
            target="20 ms, none over 100",
            note=f"longest {max(spent):.0f} ms",
        )

    def memory(self, name: str) -> Row:
        """Memory of all processes with three strategies and all vectors, shared pages once."""
        import psutil

        self.rest()
        me = psutil.Process()
        used = [p.memory_full_info() for p in (me, *me.children(recursive=True))]
        sizes = [getattr(each, "pss", each.rss) / 1e9 for each in used]
        note = " + ".join(f"{size:.2f}" for size in sizes if size >= 0.02)
        return row("memory of all processes", name, [sum(sizes)], "GB", target="2.5 GB", note=note)


def _is_final(state: object, path: Path) -> bool:
    current = state.current  # type: ignore[attr-defined]
    document = current.document if current is not None and current.path == path else None
    return document is not None and document.final


def _has_chunks(state: object) -> bool:
    result = state.chosen_result  # type: ignore[attr-defined]
    return result is not None and result.chunks is not None


def _has_scores(state: object, *states: str) -> bool:
    result = state.chosen_result  # type: ignore[attr-defined]
    return result is not None and result.scores is not None and result.scores["DCC"].state in states


def _is_code(state: object, code: str) -> bool:
    slot, result = state.chosen_slot, state.chosen_result  # type: ignore[attr-defined]
    if slot is None or slot.recipe.code != code or result is None or result.chunks is None:
        return False
    rules = {rule.name for rule in result.chunks.start_reasons.rules}
    return not any("token" in rule or "window" in rule for rule in rules)
