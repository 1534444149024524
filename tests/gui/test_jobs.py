# SPDX-License-Identifier: AGPL-3.0-or-later
"""Jobs beside the UI thread: the newest wins, what is cancelled is never delivered."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication, QThread
from PySide6.QtWidgets import QWidget

from core.errors import EngineEnded
from gui.jobs import Jobs, Shared

WAIT = 60_000  # for what must come, however busy the machine is


@pytest.fixture
def jobs(qtbot):
    made = Jobs()
    yield made
    made.close()


class Gate:
    """Work that waits until the test lets it go."""

    def __init__(self, value: object = None) -> None:
        self.value = value
        self.begun, self.open = threading.Event(), threading.Event()

    def __call__(self, token: object) -> object:
        self.begun.set()
        assert self.open.wait(60)
        token.check()
        return self.value


def test_a_result_arrives_in_the_ui_thread(jobs, qtbot):
    arrived = []
    jobs.request(
        "a", "python", lambda token: 7, lambda r: arrived.append((r, QThread.currentThread()))
    )
    qtbot.waitUntil(lambda: bool(arrived), timeout=WAIT)
    assert arrived == [(7, QCoreApplication.instance().thread())]


def test_the_newest_request_of_a_slot_wins(jobs, qtbot):
    first, arrived = Gate("old"), []
    jobs.request("a", "python", first, arrived.append)
    assert first.begun.wait(60)
    jobs.request("a", "python", lambda token: "new", arrived.append)
    first.open.set()
    qtbot.waitUntil(lambda: not jobs.is_busy(), timeout=WAIT)
    assert arrived == ["new"]


def test_what_waits_and_is_replaced_never_starts(jobs, qtbot):
    gate, ran = Gate(), []
    jobs.request("gate", "python", gate, lambda _: None)
    assert gate.begun.wait(60)
    jobs.request("a", "python", lambda token: ran.append("first"), lambda _: None)
    jobs.request("a", "python", lambda token: ran.append("second"), lambda _: None)
    gate.open.set()
    qtbot.waitUntil(lambda: not jobs.is_busy(), timeout=WAIT)
    assert ran == ["second"]


def test_what_is_cancelled_is_never_delivered(jobs, qtbot):
    gate, arrived = Gate("late"), []
    jobs.request("a", "python", gate, arrived.append, failed=arrived.append)
    assert gate.begun.wait(60)
    jobs.cancel("a")
    gate.open.set()
    jobs.request("b", "python", lambda token: "after", arrived.append)
    qtbot.waitUntil(lambda: bool(arrived), timeout=WAIT)
    assert arrived == ["after"]


def test_a_result_that_arrived_but_was_not_delivered_is_dropped_by_a_newer_request(jobs, qtbot):
    arrived = []
    done = threading.Event()
    jobs.request("a", "python", lambda token: done.set() or "old", arrived.append)
    assert done.wait(60)  # its delivery waits in the event loop
    jobs.request("a", "python", lambda token: "new", arrived.append)
    qtbot.waitUntil(lambda: not jobs.is_busy(), timeout=WAIT)
    assert arrived == ["new"]


def test_requests_run_by_priority_then_in_their_order(jobs, qtbot):
    gate, order = Gate(), []
    jobs.request("gate", "python", gate, lambda _: None)
    assert gate.begun.wait(60)
    for name, priority in (("late", 5), ("first", 0), ("second", 0)):
        jobs.request(
            name, "python", lambda token, n=name: order.append(n), lambda _: None, priority=priority
        )
    gate.open.set()
    qtbot.waitUntil(lambda: not jobs.is_busy(), timeout=WAIT)
    assert order == ["first", "second", "late"]


def test_what_comes_after_a_frame_begins_when_the_window_is_painted(jobs, qtbot):
    happened = []

    class Page(QWidget):
        def paintEvent(self, event):
            happened.append("painted")

    page = Page()
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    qtbot.waitUntil(lambda: bool(happened), timeout=WAIT)
    happened.clear()
    jobs.request(
        "a", "python", lambda token: happened.append("worked"), lambda _: None, after_frame=True
    )
    page.update()
    assert jobs.is_asked("a")
    qtbot.waitUntil(lambda: not jobs.is_busy(), timeout=WAIT)
    assert happened == ["painted", "worked"]


def test_what_waits_for_a_frame_can_be_replaced_and_cancelled(jobs, qtbot):
    ran = []
    for name in ("first", "second"):
        jobs.request(
            "a", "python", lambda token, n=name: ran.append(n), lambda _: None, after_frame=True
        )
    jobs.request("b", "python", lambda token: ran.append("b"), lambda _: None, after_frame=True)
    jobs.cancel("b")
    qtbot.waitUntil(lambda: not jobs.is_busy(), timeout=WAIT)
    assert ran == ["second"]


def test_an_error_goes_to_its_own_handler_or_to_the_signal(jobs, qtbot):
    def fail(token: object) -> object:
        raise ValueError("size is 0")

    errors = []
    jobs.request("a", "python", fail, errors.append, failed=errors.append)
    qtbot.waitUntil(lambda: bool(errors), timeout=WAIT)
    assert str(errors[0]) == "size is 0"
    with qtbot.waitSignal(jobs.failed, timeout=WAIT) as told:
        jobs.request("b", "python", fail, errors.append)
    assert told.args[0] == "b"


def test_progress_is_told_with_the_slot(jobs, qtbot):
    with qtbot.waitSignal(jobs.progressed, timeout=WAIT) as told:
        jobs.request("a", "python", lambda t: t.progress(3, 3, "pages"), lambda _: None)
    assert told.args == ["a", 3, 3, "pages"]


def test_an_unknown_lane_is_refused(jobs):
    with pytest.raises(ValueError, match="there is no lane 'fast'"):
        jobs.request("a", "fast", lambda token: None, lambda _: None)


def test_a_lane_does_its_ending_last_and_in_its_own_thread(qtbot):
    jobs, names = Jobs(), []

    def note(token: object = None) -> None:
        names.append(threading.current_thread().name)

    jobs.request("a", "pages", note, lambda _: None)
    jobs.close({"pages": note, "layout": note})
    assert names.count("lane pages") >= 1
    assert "MainThread" in names  # the lane that was never used


class Held:
    """Tells where it is freed."""

    def __init__(self, freed: list[threading.Thread]) -> None:
        self.freed = freed

    def __del__(self) -> None:
        self.freed.append(threading.current_thread())


@pytest.mark.parametrize("closes", [False, True])
@pytest.mark.parametrize("fails", [False, True])
def test_what_a_request_holds_is_never_freed_in_a_lane(qtbot, jobs, closes, fails):
    made, freed, held = Jobs(), [], [None]
    gate = Gate()

    def ask():
        mine = Held(freed)

        def work(token):
            gate(token)
            if fails:
                raise ValueError(str(mine))

        made.request("a", "python", work, lambda _: str(mine), failed=lambda _: str(mine))

    ask()
    assert gate.begun.wait(60)
    if closes:
        made.close(timeout_seconds=0.0)
    else:
        made.cancel("a")
    gate.open.set()
    lane = next(each for each in threading.enumerate() if each.name == "lane python")
    held.clear()
    if closes:
        lane.join(60)
    else:
        made.request("b", "python", lambda token: None, lambda _: held.append("b"))
        qtbot.waitUntil(lambda: held == ["b"], timeout=WAIT)
    jobs.request("c", "query", lambda token: None, lambda _: held.append("c"))
    qtbot.waitUntil(lambda: "c" in held and bool(freed), timeout=WAIT)
    assert freed == [threading.main_thread()]
    made.close()


def test_after_closing_nothing_is_taken(qtbot):
    jobs, arrived = Jobs(), []
    jobs.close()
    jobs.request("a", "python", arrived.append, arrived.append)
    assert not jobs.is_busy() and not arrived


@pytest.mark.parametrize("deaths", [1, 2])
def test_work_whose_engine_ended_is_asked_once_more_and_no_more(jobs, qtbot, deaths):
    left, arrived, failures, told = [None] * deaths, [], [], []

    def work(token):
        if left:
            left.pop()
            raise EngineEnded("it ended")
        return "answer"

    jobs.engine_ended.connect(lambda message, again: told.append(again))
    jobs.engine_back.connect(lambda: told.append("back"))
    jobs.request("a", "model", work, arrived.append, failed=failures.append)
    qtbot.waitUntil(lambda: not jobs.is_busy(), timeout=WAIT)
    if deaths == 1:
        assert (arrived, failures, told) == (["answer"], [], [True, "back"])
    else:
        assert (arrived, len(failures), told) == ([], 1, [True, False])


def test_what_two_lanes_want_is_made_once(jobs, qtbot):
    shared, gate, got = Shared(2), Gate("made"), []

    def work(token):
        return shared.get("key", lambda: gate(token))

    jobs.request("a", "python", work, got.append)
    assert gate.begun.wait(60)
    gate.begun.clear()
    jobs.request("b", "query", work, got.append)
    gate.open.set()
    qtbot.waitUntil(lambda: len(got) == 2, timeout=WAIT)
    assert got == ["made", "made"]
    assert not gate.begun.is_set()


def test_a_result_that_failed_is_made_again_and_old_ones_are_let_go():
    shared = Shared(2)
    with pytest.raises(ZeroDivisionError):
        shared.get("a", lambda: 1 // 0)
    assert shared.get("a", lambda: 1) == 1
    assert shared.get("b", lambda: 2) == 2
    assert shared.get("a", lambda: 3) == 1
    assert shared.get("c", lambda: 4) == 4
    assert shared.get("b", lambda: 5) == 5
    shared.clear()
    assert shared.get("b", lambda: 6) == 6
