# SPDX-License-Identifier: AGPL-3.0-or-later
"""A process for slow work, so that the window never imports or waits for a model.

Importing torch, spaCy or LanceDB holds Python's interpreter lock for up to a second at a time,
whatever thread does it. So functions that need them run in one spawned process, by their name.
They are given `cancel` and `progress` by keyword, and look at `cancel` between their steps.

Three pipes lead there, with a thread of the engine at the end of each. Long work goes over the
first and lets the second go first between its steps, so that a query is answered while vectors are
still being made. Only one of the two works at a time: models and open tables are shared. Over the
third goes what uses neither, such as reading a text with spaCy, which need not wait for vectors.
Long work gives way to the window on a small machine; what somebody waits for does not.
"""

import contextlib
import ctypes
import itertools
import multiprocessing
import os
import threading  # noqa: TID251 - two lanes of the window may ask at once, and are served so
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from core.cancel import NEVER, CancelToken, Progress, silent
from core.child_process import start_shielded
from core.errors import Cancelled, ChunkscopeError, EngineEnded, ModelError
from core.openmp import wait_asleep

POLL_SECONDS = 0.02
CLOSE_SECONDS = 1.0
# Glibc keeps what is freed, hundreds of megabytes after long work. Both processes return it after a
# long call, the window's in the lane that called; the engine also when it has nothing to do.
REST_SECONDS = 1.0
LONG_SECONDS = 2.0
NICENESS = 15  # of long work
# A query is encoded and then searched: the second call finds the engine still waiting for it.
FOLLOWED_SECONDS = 0.03

_LONG, _URGENT, _APART = 0, 1, 2
_PIPE_ENDED = (EOFError, BrokenPipeError, ConnectionResetError)
_ENDINGS = (*_PIPE_ENDED, KeyboardInterrupt)

# Number, function (None: cancel), arguments.
Message = tuple[int, Callable[..., Any] | None, tuple[Any, ...]]


class EngineProcess:
    """Runs functions in a child process, which is started on the first call.

    Any thread may call; calls of one kind wait for each other.
    """

    def __init__(self) -> None:
        self._process: BaseProcess | None = None
        self._pipes: list[Connection] = []
        self._numbers = itertools.count()
        self._starting = threading.Lock()
        self._locks = (threading.Lock(), threading.Lock(), threading.Lock())

    def start(self) -> list[Connection]:
        """Start the child, if it does not run, and return the pipes to it."""
        with self._starting:
            if self._process is not None and self._process.is_alive():
                return self._pipes
            context = multiprocessing.get_context("spawn")
            pairs = [context.Pipe() for _ in (_LONG, _URGENT, _APART)]
            self._pipes = [ours for ours, _ in pairs]
            theirs = [pipe for _, pipe in pairs]
            self._process = context.Process(
                target=_serve, args=(theirs,), name="chunkscope engine", daemon=True
            )
            start_shielded(self._process)
            for pipe in theirs:
                pipe.close()
            return self._pipes

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Any:
        """Run a module's function in the child and return its value.

        Raises:
            Cancelled: `cancel` said so; the engine stops at its next step.
            ChunkscopeError: what the function raised.
            EngineEnded: the process died; the next call starts it again.
        """
        return self._ask(_LONG, function, arguments, cancel, progress)

    def call_apart(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Any:
        """Like `call`, but beside it, for what uses neither models nor indexes."""
        return self._ask(_APART, function, arguments, cancel, progress)

    def call_urgent(
        self, function: Callable[..., Any], *arguments: Any, cancel: CancelToken = NEVER
    ) -> Any:
        """Like `call`, but served between the steps of long work."""
        return self._ask(_URGENT, function, arguments, cancel, silent)

    def close(self) -> None:
        """End the child."""
        # Taken at once: a lane that finds its pipe closed comes here too.
        process, pipes = self._process, self._pipes
        self._process, self._pipes = None, []
        for pipe in pipes:
            pipe.close()
        if process is not None:
            process.join(CLOSE_SECONDS)
            if process.is_alive():
                process.kill()
                process.join(CLOSE_SECONDS)

    def _ask(
        self,
        which: int,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        cancel: CancelToken,
        progress: Progress,
    ) -> Any:
        while not self._locks[which].acquire(timeout=POLL_SECONDS):
            cancel.check()
        pipes: list[Connection] = []
        try:
            pipes = self.start()
            pipe, number = pipes[which], next(self._numbers)
            begin = time.monotonic()
            pipe.send((number, function, arguments))
            value = self._answer(pipe, number, cancel, progress)
        except (EOFError, OSError) as error:
            if self._pipes is pipes:  # else the other lane has started a new one already
                self.close()
            raise EngineEnded(
                "the engine process ended while it worked: try again; if it happens again, "
                "the document may need more memory than there is"
            ) from error
        finally:
            self._locks[which].release()
        if which != _URGENT and time.monotonic() - begin > LONG_SECONDS:
            give_memory_back()
        return value

    def _answer(
        self, pipe: Connection, number: int, cancel: CancelToken, progress: Progress
    ) -> Any:
        while True:
            while not pipe.poll(POLL_SECONDS):
                self._check(pipe, number, cancel)
            answered, kind, value = pipe.recv()
            if answered != number:  # the late end of a cancelled call
                continue
            if kind == "progress":
                progress(*value)
                self._check(pipe, number, cancel)
            elif kind == "error":
                raise value
            else:
                return value

    def _check(self, pipe: Connection, number: int, cancel: CancelToken) -> None:
        try:
            cancel.check()
        except Cancelled:
            pipe.send((number, None, ()))
            raise


class _Turns:
    """Who of the two threads may work: what is urgent goes before the next step of the other."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._none_urgent = threading.Event()
        self._none_urgent.set()

    @contextlib.contextmanager
    def urgent(self) -> Iterator[None]:
        """Work as soon as the long work has ended its step."""
        self._none_urgent.clear()
        try:
            with self._turn:
                yield
        finally:
            self._none_urgent.set()

    @contextlib.contextmanager
    def long(self) -> Iterator[None]:
        """Work when nothing is urgent."""
        self._none_urgent.wait()
        with self._turn:
            yield

    def step(self) -> None:
        """Let what is urgent go first; called within `long`."""
        if not self._none_urgent.is_set():
            self._turn.release()
            self._none_urgent.wait()
            self._turn.acquire()


class _Steps:
    """Cancel token and progress of the call that the engine works on.

    Threads that share the work look one after the other, and all of them learn of a cancel.
    """

    def __init__(self, pipe: Connection, number: int, step: Callable[[], None]) -> None:
        self._pipe, self._number, self._step = pipe, number, step
        self._looking = threading.Lock()
        self._is_cancelled = False
        self.waiting: list[Message] = []

    def check(self) -> None:
        with self._looking:
            self._step()
            while not self._is_cancelled and self._pipe.poll():
                message = self._pipe.recv()
                if message[1] is not None:
                    self.waiting.append(message)
                elif message[0] == self._number:
                    self._is_cancelled = True
        if self._is_cancelled:
            raise Cancelled

    def progress(self, done: int, total: int, what: str) -> None:
        self.check()
        self._pipe.send((self._number, "progress", (done, total, what)))


def _serve(pipes: list[Connection]) -> None:
    """The child; ends when the parent closes its pipes."""
    forget_semaphores()
    wait_asleep()
    turns = _Turns()
    behind = [
        threading.Thread(target=_serve_long, args=arguments, daemon=True)
        for arguments in ((pipes[_LONG], turns), (pipes[_APART], _Turns()))
    ]
    for each in behind:
        each.start()
    with contextlib.suppress(*_ENDINGS):
        _serve_urgent(pipes[_URGENT], turns)
    deadline = time.monotonic() + CLOSE_SECONDS / 2
    for each in behind:
        each.join(max(0.0, deadline - time.monotonic()))
    if any(each.is_alive() for each in behind):  # in a library, which must not see Python end
        os._exit(0)


def _serve_long(pipe: Connection, turns: _Turns) -> None:
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)  # on Linux of this thread and of those that it starts
    with contextlib.suppress(*_ENDINGS):
        while True:
            waiting = [_receive(pipe)]
            while waiting:
                begin = time.monotonic()
                with turns.long():
                    waiting += _serve_one(pipe, waiting.pop(0), turns.step)
                if time.monotonic() - begin > LONG_SECONDS:
                    give_memory_back()


def _receive(pipe: Connection) -> Message:
    """Wait for a call; after a while without one, return the memory that the last ones freed."""
    if not pipe.poll(REST_SECONDS):
        give_memory_back()
    message: Message = pipe.recv()
    return message


def give_memory_back() -> None:
    """Return freed memory to the system, which takes some milliseconds; not in a UI thread."""
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def _serve_urgent(pipe: Connection, turns: _Turns) -> None:
    while True:
        waiting = [_receive(pipe)]
        with turns.urgent():
            while waiting:
                waiting += _serve_one(pipe, waiting.pop(0), _no_step)
                if not waiting and pipe.poll(FOLLOWED_SECONDS):
                    waiting.append(pipe.recv())


def _no_step() -> None:
    """Nothing goes before what is urgent."""


def forget_semaphores() -> None:
    """Let a process that may be killed leave no named semaphores behind.

    Progress bars of libraries make a lock at their import. In a spawned process it has a name,
    which a kill leaves for the resource tracker to complain about; in the forking mode it has
    none. No process is started here in either mode.
    """
    if "fork" in multiprocessing.get_all_start_methods():
        multiprocessing.set_start_method("fork", force=True)


def _serve_one(pipe: Connection, message: Message, step: Callable[[], None]) -> list[Message]:
    """Do one call; return the calls that arrived on the same pipe meanwhile."""
    number, function, arguments = message
    if function is None:  # the end of a call that has ended by itself
        return []
    steps = _Steps(pipe, number, step)
    try:
        value = function(*arguments, cancel=steps, progress=steps.progress)
    except Cancelled:
        pass
    except ChunkscopeError as error:
        pipe.send((number, "error", error))
    except MemoryError:
        pipe.send((number, "error", ModelError("this needs more memory than there is")))
    except _PIPE_ENDED:
        raise
    except Exception as error:  # the child process reports every failure
        what = f"{function.__name__} failed: {type(error).__name__}: {error}"
        pipe.send((number, "error", ModelError(what)))
    else:
        pipe.send((number, "result", value))
    return steps.waiting
