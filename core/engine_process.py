# SPDX-License-Identifier: AGPL-3.0-or-later
"""The engine in a process of its own, so that the window never imports or waits for a model.

Importing torch, spaCy or LanceDB holds Python's interpreter lock for up to a second at a time,
whatever thread does it. So the slow stages (`core/engine.py`) run in one spawned process, and
the window calls them through `EngineProcess`, which has the same methods.

Two pipes lead there. Long work goes over the first; between its steps the engine serves what
waits on the second, so that a query is answered while vectors are still being made.
"""

import contextlib
import itertools
import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from core.cancel import NEVER, CancelToken, Progress, silent
from core.errors import Cancelled, ChunkscopeError, ModelError

POLL_SECONDS = 0.02
CLOSE_SECONDS = 2.0
NICENESS = 5  # the window goes first on a small machine

_LONG, _URGENT = 0, 1


class EngineProcess:
    """Calls methods of an `Engine` in a child process, which is started on the first call.

    One thread may use `call` and one other `call_urgent` at the same time.
    """

    def __init__(self, make_engine: Callable[..., Any], *arguments: Any) -> None:
        """`make_engine(*arguments)` runs in the child; it must be importable by name."""
        self._make = (make_engine, arguments)
        self._process: BaseProcess | None = None
        self._pipes: list[Connection] = []
        self._numbers = itertools.count()

    def start(self) -> None:
        """Start the child, if it does not run."""
        if self._process is not None and self._process.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        pairs = [context.Pipe() for _ in (_LONG, _URGENT)]
        self._pipes = [ours for ours, _ in pairs]
        theirs = [pipe for _, pipe in pairs]
        self._process = context.Process(
            target=_serve, args=(theirs, *self._make), name="chunkscope engine", daemon=True
        )
        self._process.start()
        for pipe in theirs:
            pipe.close()

    def call(
        self,
        method: str,
        *arguments: Any,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Any:
        """Call a method of the engine and return its value.

        Raises:
            Cancelled: `cancel` said so; the engine stops at its next step.
            ChunkscopeError: what the method raised.
            ModelError: the process died; the next call starts it again.
        """
        return self._ask(_LONG, method, arguments, cancel, progress)

    def call_urgent(self, method: str, *arguments: Any, cancel: CancelToken = NEVER) -> Any:
        """Like `call`, but served between the steps of long work."""
        return self._ask(_URGENT, method, arguments, cancel, silent)

    def close(self) -> None:
        """End the child."""
        for pipe in self._pipes:
            pipe.close()
        if self._process is not None:
            self._process.join(CLOSE_SECONDS)
            if self._process.is_alive():
                self._process.kill()
                self._process.join(CLOSE_SECONDS)
        self._process, self._pipes = None, []

    def _ask(
        self,
        which: int,
        method: str,
        arguments: tuple[Any, ...],
        cancel: CancelToken,
        progress: Progress,
    ) -> Any:
        self.start()
        pipe, number = self._pipes[which], next(self._numbers)
        try:
            pipe.send((number, method, arguments))
            return self._answer(pipe, number, cancel, progress)
        except (EOFError, BrokenPipeError, ConnectionResetError, OSError) as error:
            self.close()
            raise ModelError(
                "the engine process ended while it worked: try again; if it happens again, "
                "the document may need more memory than there is"
            ) from error

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
            pipe.send((number, "cancel", ()))
            raise


class _Steps:
    """Cancel token and progress of the call that the engine works on."""

    def __init__(self, pipe: Connection, number: int, serve_urgent: Callable[[], None]) -> None:
        self._pipe, self._number, self._serve_urgent = pipe, number, serve_urgent
        self.waiting: list[tuple[int, str, tuple[Any, ...]]] = []

    def check(self) -> None:
        self._serve_urgent()
        while self._pipe.poll():
            message = self._pipe.recv()
            if message[:2] == (self._number, "cancel"):
                raise Cancelled
            if message[1] != "cancel":
                self.waiting.append(message)

    def progress(self, done: int, total: int, what: str) -> None:
        self.check()
        self._pipe.send((self._number, "progress", (done, total, what)))


def _serve(
    pipes: list[Connection], make_engine: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """The child's loop; ends when the parent closes its pipes."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    engine = make_engine(*arguments)
    long, urgent = pipes
    try:
        while True:
            ready = wait(pipes)
            if urgent in ready:
                _serve_one(engine, urgent, urgent.recv(), lambda: None)
            elif long in ready:
                waiting = [long.recv()]
                while waiting:
                    waiting += _serve_one(
                        engine, long, waiting.pop(0), lambda: _drain(engine, urgent)
                    )
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return


def _drain(engine: Any, urgent: Connection) -> None:
    while urgent.poll():
        _serve_one(engine, urgent, urgent.recv(), lambda: None)


def _serve_one(
    engine: Any,
    pipe: Connection,
    message: tuple[int, str, tuple[Any, ...]],
    serve_urgent: Callable[[], None],
) -> list[tuple[int, str, tuple[Any, ...]]]:
    """Do one call; return the calls that arrived on the same pipe meanwhile."""
    number, method, arguments = message
    if method == "cancel":  # of a call that has ended
        return []
    steps = _Steps(pipe, number, serve_urgent)
    try:
        value = getattr(engine, method)(*arguments, cancel=steps, progress=steps.progress)
    except Cancelled:
        pass
    except ChunkscopeError as error:
        pipe.send((number, "error", error))
    except MemoryError:
        pipe.send((number, "error", ModelError(f"{method} needs more memory than there is")))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # the child process reports every failure
        message_text = f"{method} failed: {type(error).__name__}: {error}"
        pipe.send((number, "error", ModelError(message_text)))
    else:
        pipe.send((number, "result", value))
    return steps.waiting
