# SPDX-License-Identifier: AGPL-3.0-or-later
"""The engine process: long work and urgent work, how both end, and who goes first."""

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from core.cancel import CancelToken, Progress
from core.engine_process import NICENESS, EngineProcess
from core.errors import Cancelled, EngineEnded, ModelError, ParameterError

MOST_STEPS = 50_000_000
PART_BYTES = 64_000  # too small for a mapping of its own
FREED_BYTES = 100_000_000
PATIENCE_SECONDS = 30.0
STAYS: list[bytearray] = []


def work_until(flag: Path, told: Path, *, cancel: CancelToken, progress: Progress) -> int:
    """Steps until somebody else has made the flag."""
    del progress
    told.touch()
    for step in range(MOST_STEPS):
        cancel.check()
        if flag.exists():
            return step
    raise ModelError("nobody made the flag")


def touch(flag: Path, *, cancel: CancelToken, progress: Progress) -> str:
    del cancel, progress
    flag.touch()
    return "touched"


def block(flag: Path, told: Path, *, cancel: CancelToken, progress: Progress) -> str:
    """One long step, as within a library, until somebody else has made the flag."""
    del cancel, progress
    told.touch()
    while not flag.exists():
        time.sleep(0.001)
    return "went on"


def share(told: Path, *, cancel: CancelToken, progress: Progress) -> None:
    """Steps of several threads, each until it is cancelled."""
    del progress

    def steps(_: int) -> None:
        while True:
            cancel.check()

    told.touch()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(steps, range(4)))


def fail(kind: str, *, cancel: CancelToken, progress: Progress) -> None:
    del cancel, progress
    if kind == "end":
        os._exit(3)
    raise ParameterError("k is 0") if kind == "ours" else KeyError("other")


def niceness(*, cancel: CancelToken, progress: Progress) -> int:
    del cancel, progress
    return os.getpriority(os.PRIO_PROCESS, 0)


def leave_much_free(*, cancel: CancelToken, progress: Progress) -> int:
    """Allocate and free, below what stays; return the bytes that the process holds now."""
    del cancel, progress
    passing = [bytearray(PART_BYTES) for _ in range(FREED_BYTES // PART_BYTES)]
    STAYS.append(bytearray(PART_BYTES))  # else the allocator returns the rest by itself
    del passing
    return psutil.Process().memory_info().rss


class Token:
    """Cancels once the work has begun."""

    def __init__(self, begun: Path) -> None:
        self._begun = begun

    def check(self) -> None:
        if self._begun.exists():
            raise Cancelled


@pytest.fixture(scope="module")
def engine():
    made = EngineProcess()
    yield made
    made.close()


def begun_beside(engine, work, flag, begun):
    """Long work that has begun in a thread of its own, and where its value will be."""
    values = []
    long = threading.Thread(
        target=lambda: values.append(engine.call(work, flag, begun)), daemon=True
    )
    long.start()
    while not begun.exists():
        long.join(0.01)
    return long, values


def test_an_urgent_call_is_answered_between_the_steps_of_long_work(engine, tmp_path):
    flag = tmp_path / "flag"
    long, steps = begun_beside(engine, work_until, flag, tmp_path / "begun")
    assert engine.call_urgent(touch, flag) == "touched"
    long.join(60)
    assert len(steps) == 1


def test_what_uses_no_model_is_done_while_a_long_step_goes_on(engine, tmp_path):
    flag = tmp_path / "flag"
    long, told = begun_beside(engine, block, flag, tmp_path / "begun")
    assert engine.call_apart(touch, flag) == "touched"
    long.join(60)
    assert told == ["went on"]


def test_all_threads_that_share_cancelled_work_end_and_the_next_call_is_served(engine, tmp_path):
    for number in range(20):
        begun = tmp_path / f"begun {number}"
        with pytest.raises(Cancelled):
            engine.call_apart(share, begun, cancel=Token(begun))
    assert engine.call_apart(touch, tmp_path / "flag") == "touched"


def test_cancelled_work_ends_at_its_next_step_and_the_next_call_is_served(engine, tmp_path):
    begun = tmp_path / "begun"
    with pytest.raises(Cancelled):
        engine.call(work_until, tmp_path / "never", begun, cancel=Token(begun))
    assert engine.call(touch, tmp_path / "flag") == "touched"


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [("ours", ParameterError, "k is 0"), ("other", ModelError, "fail failed: KeyError")],
)
def test_an_error_of_the_child_is_raised_here(engine, kind, error, words):
    for call in (engine.call, engine.call_apart, engine.call_urgent):
        with pytest.raises(error, match=words):
            call(fail, kind)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other allocators")
@pytest.mark.parametrize("ask", [EngineProcess.call, EngineProcess.call_urgent])
def test_an_engine_at_rest_returns_the_memory_that_its_work_has_freed(engine, ask):
    held = ask(engine, leave_much_free)

    process, end = psutil.Process(engine._process.pid), time.monotonic() + PATIENCE_SECONDS
    while process.memory_info().rss > held - FREED_BYTES // 2 and time.monotonic() < end:
        threading.Event().wait(0.05)
    assert process.memory_info().rss < held - FREED_BYTES // 2


@pytest.mark.skipif(sys.platform != "linux", reason="a thread's own niceness is Linux's")
def test_only_long_work_gives_way_to_the_window(engine):
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert engine.call_urgent(niceness) == own
    assert engine.call(niceness) == min(19, own + NICENESS)
    assert engine.call_apart(niceness) == min(19, own + NICENESS)


def test_an_engine_that_dies_is_told_and_started_again(tmp_path):
    engine = EngineProcess()
    try:
        with pytest.raises(EngineEnded):
            engine.call_urgent(fail, "end")
        assert engine.call(touch, tmp_path / "flag") == "touched"
    finally:
        engine.close()


def test_an_engine_that_works_is_closed_without_waiting_for_the_end(tmp_path):
    engine, begun, ended = EngineProcess(), tmp_path / "begun", []

    def work() -> None:
        with pytest.raises(EngineEnded):
            engine.call(work_until, tmp_path / "never", begun)
        ended.append(True)

    long = threading.Thread(target=work, daemon=True)
    long.start()
    while not begun.exists():
        long.join(0.01)
    engine.close()
    long.join(60)
    assert ended
