# SPDX-License-Identifier: AGPL-3.0-or-later
"""Starting processes of our own, which Ctrl+C in a terminal does not reach; those that wait."""

import contextlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

LEAST_URGENT = 19  # the highest niceness there is


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


def work_behind_others() -> None:
    """Leave the processor to all other processes: for a child that nobody waits for.

    On Linux a niceness is that of one thread, and libraries may have started some already.
    """
    if hasattr(os, "nice"):
        os.nice(LEAST_URGENT)
    threads = Path("/proc/self/task")
    for thread in threads.iterdir() if threads.is_dir() else ():
        with contextlib.suppress(OSError):  # it has ended
            os.setpriority(os.PRIO_PROCESS, int(thread.name), LEAST_URGENT)
