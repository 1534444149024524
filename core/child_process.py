# SPDX-License-Identifier: AGPL-3.0-or-later
"""Starting processes of our own, which Ctrl+C in a terminal does not reach."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess


def start_shielded(process: BaseProcess) -> None:
    """Start a process that never sees Ctrl+C, not even while it imports: that is its parent's.

    A terminal sends the signal to all its processes. A handler in the child would come too late,
    after seconds of imports; a blocked signal is inherited.
    """
    with _interrupts_blocked():
        process.start()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it unblocks the signal when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
