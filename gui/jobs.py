# SPDX-License-Identifier: AGPL-3.0-or-later
"""Work beside the UI thread: the only module that knows threads.

A request has a slot ("chunks 3", "page 12"). A newer request for a slot replaces the older one:
that is cancelled if it runs, never started if it waits, and its late result is dropped.
"""

import heapq
import itertools
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.errors import Cancelled, EngineEnded

LANES = ("pages", "layout", "python", "apart", "model", "query")
# Python's default of 5 ms lets a worker hold the interpreter for a third of a frame.
SWITCH_INTERVAL_SECONDS = 0.001
PROGRESS_INTERVAL_SECONDS = 0.05


class JobToken:
    """Cancels one request, and passes its progress to the UI thread. Made by `Jobs`."""

    def __init__(self, announce: Callable[[int, int, str], None]) -> None:
        self._cancelled = threading.Event()
        self._announce = announce
        self._last = 0.0

    def cancel(self) -> None:
        """Make the next `check` raise `Cancelled`."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        """True once somebody cancelled."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise `Cancelled` if the request was cancelled."""
        if self._cancelled.is_set():
            raise Cancelled

    def progress(self, done: int, total: int, what: str) -> None:
        """Tell how far the work is; at most 20 times a second reach the window."""
        self.check()
        now = time.monotonic()
        if done >= total or now - self._last >= PROGRESS_INTERVAL_SECONDS:
            self._last = now
            self._announce(done, total, what)


Result = TypeVar("Result")
Work = Callable[[JobToken], object]
Done = Callable[[object], None]
Failed = Callable[[Exception], None]
Ending = Callable[[], None]


@dataclass(order=True)
class _Request:
    priority: int
    number: int
    slot: str = field(compare=False)
    work: Work = field(compare=False)
    token: JobToken = field(compare=False)
    done: Done = field(compare=False)
    failed: Failed | None = field(compare=False)
    title: str = field(compare=False)
    lane: str = field(compare=False)
    is_again: bool = field(compare=False, default=False)  # the engine ended at the first time


# Requests, each in a list of its own, that lanes are done with. One may be the last that holds a
# window, and Qt's objects crash when a lane frees them: only the UI thread empties these lists.
_spent: deque[list[_Request]] = deque()
_late: list["_Lane"] = []  # that did not end in time: kept, for they hold a `Jobs`


@dataclass(slots=True, eq=False)
class _Entry(Generic[Result]):
    lock: threading.Lock = field(default_factory=threading.Lock)
    results: list[Result] = field(default_factory=list)  # one, once it is made


class Shared(Generic[Result]):
    """The latest results that several lanes want, each made once.

    A lane that asks for what another one is making waits for it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, _Entry[Result]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """The result of `key`, from `make` if it is not at hand; what `make` raises is raised."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.results:
                entry.results.append(make())
            return entry.results[0]

    def clear(self) -> None:
        """Let go of all results."""
        with self._lock:
            self._entries.clear()


class _Lane:
    """One thread that takes requests in the order of their priority, then of their arrival."""

    def __init__(
        self, name: str, arrived: Callable[[_Request, object, Exception | None], None]
    ) -> None:
        self._arrived = arrived
        self._waiting: list[_Request] = []
        self._ready = threading.Condition()
        self._closed = False
        self._ending: Ending | None = None
        self._thread = threading.Thread(target=self._run, name=f"lane {name}", daemon=True)
        self._thread.start()

    def submit(self, request: _Request) -> None:
        with self._ready:
            heapq.heappush(self._waiting, request)
            self._ready.notify()

    def close(self, ending: Ending | None) -> None:
        with self._ready:
            self._closed = True
            self._ending = ending
            self._waiting.clear()
            self._ready.notify()

    def join(self, timeout_seconds: float) -> bool:
        """True if the thread has ended."""
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def _next(self) -> list[_Request]:
        with self._ready:
            while not self._waiting and not self._closed:
                self._ready.wait()
            return [] if self._closed else [heapq.heappop(self._waiting)]

    def _run(self) -> None:
        while held := self._next():
            self._work(held[0])
            _spent.append(held)
        if self._ending is not None:
            self._ending()

    def _work(self, request: _Request) -> None:
        if request.token.is_cancelled:
            return
        try:
            result: object = request.work(request.token)
        except Cancelled:
            return
        except Exception as error:
            self._tell(request, None, error)
        else:
            self._tell(request, result, None)

    def _tell(self, request: _Request, result: object, error: Exception | None) -> None:
        if not self._closed:  # the window may be gone
            self._arrived(request, result, error)


class Jobs(QObject):
    """All work beside the UI thread. Results arrive in the UI thread.

    Signals:
        started: slot, title. Only for requests with a title.
        progressed: slot, done, total, what ("chunks").
        ended: slot.
        failed: slot, the exception, when the request gave no handler of its own.
        engine_ended: message, whether the work is asked again: once, without being told to.
        engine_back: work that was asked again is done.
    """

    started = Signal(str, str)
    progressed = Signal(str, int, int, str)
    ended = Signal(str)
    failed = Signal(str, object)
    engine_ended = Signal(str, bool)
    engine_back = Signal()
    _arrived = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
        self._numbers = itertools.count()
        self._current: dict[str, _Request] = {}
        self._lanes: dict[str, _Lane] = {}
        self._closed = False
        self._after_frame: list[_Request] = []
        self._frame = QTimer(self)  # timers that are due come after what waits to be painted
        self._frame.setSingleShot(True)
        self._frame.setInterval(0)
        self._frame.timeout.connect(self._send_after_frame)
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def request(
        self,
        slot: str,
        lane: str,
        work: Work,
        done: Done,
        *,
        failed: Failed | None = None,
        priority: int = 0,
        title: str = "",
        after_frame: bool = False,
    ) -> None:
        """Run `work` for `slot` in place of whatever the slot was doing.

        Args:
            slot: what the result is for; a newer request replaces an older one.
            lane: one of `LANES`.
            work: called in the lane's thread with the token; its value goes to `done`.
            done: called in the UI thread with the result, unless the slot was asked again.
            failed: called in the UI thread with the exception; None: `Jobs.failed` is emitted.
            priority: smaller numbers first within the lane.
            title: shown with the progress when the work takes long, such as "Embedding".
            after_frame: begin once the window has painted what waits to be painted. For what
                follows from what is about to be seen: beside it, both would take turns in the
                interpreter, and a frame would take half as long again.
        """
        if self._closed:
            return
        number, token = next(self._numbers), self._token(slot)
        request = _Request(priority, number, slot, work, token, done, failed, title, lane)
        self._submit(request, after_frame=after_frame)

    def _token(self, slot: str) -> JobToken:
        def announce(made: int, total: int, what: str) -> None:
            self.progressed.emit(slot, made, total, what)

        return JobToken(announce)

    def _submit(self, request: _Request, *, after_frame: bool = False) -> None:
        slot, lane = request.slot, request.lane
        self.cancel(slot)
        self._current[slot] = request
        if request.title:
            self.started.emit(slot, request.title)
        if lane not in self._lanes:
            if lane not in LANES:
                raise ValueError(f"there is no lane '{lane}'; the lanes are {', '.join(LANES)}")
            self._lanes[lane] = _Lane(lane, self._arrived.emit)
        if after_frame:
            self._after_frame.append(request)
            self._frame.start()
        else:
            self._lanes[lane].submit(request)

    def _send_after_frame(self) -> None:
        for request in self._after_frame:
            self._lanes[request.lane].submit(request)
        self._after_frame.clear()

    def cancel(self, slot: str) -> None:
        """Cancel what `slot` is doing, if anything."""
        request = self._current.pop(slot, None)
        if request is not None:
            request.token.cancel()
            self.ended.emit(slot)

    def cancel_all(self, prefix: str = "") -> None:
        """Cancel every slot whose name begins with `prefix`."""
        for slot in [slot for slot in self._current if slot.startswith(prefix)]:
            self.cancel(slot)

    def is_asked(self, slot: str) -> bool:
        """True while exactly this slot waits or runs."""
        return slot in self._current

    def is_busy(self, prefix: str = "") -> bool:
        """True while a slot whose name begins with `prefix` waits or runs."""
        return any(slot.startswith(prefix) for slot in self._current)

    def close(
        self, endings: Mapping[str, Ending] | None = None, timeout_seconds: float = 3.0
    ) -> None:
        """Cancel everything, end the threads, and wait for them a little.

        Args:
            endings: what a lane does last, in its own thread, by name: to end what it works with.
            timeout_seconds: for all lanes together.
        """
        self._closed = True
        self.cancel_all()
        self._frame.stop()
        self._after_frame.clear()
        endings = endings or {}
        for name, lane in self._lanes.items():
            lane.close(endings.get(name))
        for name, ending in endings.items():
            if name not in self._lanes:
                ending()
        deadline = time.monotonic() + timeout_seconds
        for lane in self._lanes.values():
            if not lane.join(max(0.0, deadline - time.monotonic())):
                _late.append(lane)

    def _deliver(self, request: _Request, result: object, error: Exception | None) -> None:
        while _spent:
            _spent.popleft().clear()
        if self._current.get(request.slot) is not request:
            return
        del self._current[request.slot]
        self.ended.emit(request.slot)
        if isinstance(error, EngineEnded):
            self.engine_ended.emit(str(error), not request.is_again)
            if not request.is_again:
                token = self._token(request.slot)
                self._submit(replace(request, token=token, is_again=True))
                return
        if error is None:
            if request.is_again:
                self.engine_back.emit()
            request.done(result)
        elif request.failed is not None:
            request.failed(error)
        else:
            self.failed.emit(request.slot, error)
