# SPDX-License-Identifier: AGPL-3.0-or-later
"""Stops code of the user's that does not end by itself: an endless loop, say.

Python raises an exception in another thread when asked, between two steps of that thread's code; a
long call into a library ends first.
"""

import ctypes
import threading  # noqa: TID251 - the thread that is watched cannot look at the clock itself
import time
from collections.abc import Iterator
from contextlib import contextmanager

from core.cancel import NEVER, CancelToken
from core.errors import Cancelled

GRACE_SECONDS = 1.0  # from a cancel to the exception: code that looks at the token ends by itself
LOOK_SECONDS = 0.1


class TookTooLong(RuntimeError):
    """The code ran longer than it may."""


@contextmanager
def watched(*, cancel: CancelToken = NEVER, seconds: float = float("inf")) -> Iterator[None]:
    """Run the body for `seconds` at most, and not much longer than until `cancel` is set.

    Raises:
        TookTooLong: the time was over.
        Cancelled: `cancel` was set and the body did not notice.
    """
    here, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def stop(error: type[Exception]) -> None:
        with lock:
            if not over.is_set():
                _raise_in(here, error)

    def watch() -> None:
        end = time.monotonic() + seconds
        while not over.wait(LOOK_SECONDS):  # again, if the code catches what it is told
            if time.monotonic() >= end:
                stop(TookTooLong)
            elif _is_cancelled(cancel) and not over.wait(GRACE_SECONDS):
                stop(Cancelled)

    threading.Thread(target=watch, daemon=True, name="watch").start()
    try:
        yield
    finally:
        with lock:  # from here on nothing is raised any more
            over.set()
            _raise_in(here, None)


def _is_cancelled(cancel: CancelToken) -> bool:
    try:
        cancel.check()
    except Cancelled:
        return True
    return False


def _raise_in(thread: int, error: type[Exception] | None) -> None:
    """Raise an exception in a thread at its next step; None: take back one that still waits."""
    kind = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), kind)
