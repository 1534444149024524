# SPDX-License-Identifier: AGPL-3.0-or-later
"""Ctrl+C in a terminal is for the program, not for its processes; which of them stand back."""

import os
import signal
import sys
from pathlib import Path

import pytest

from core.cancel import CancelToken, Progress
from core.document.client import PdfClient
from core.engine_process import EngineProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no masks of signals")


def own_pid(*, cancel: CancelToken, progress: Progress) -> int:
    del cancel, progress
    return os.getpid()


def test_ctrl_c_while_the_reader_imports_ends_and_says_nothing(root: Path, capfd):
    with PdfClient(root / "resources" / "samples" / "guideline.pdf") as client:
        client.start()
        os.kill(client.pid, signal.SIGINT)

        assert len(client.open().pages) == 12
        assert client.restarts == 0
    assert capfd.readouterr().err == ""


def test_ctrl_c_does_not_end_the_engine(capfd):
    engine = EngineProcess()
    pid = engine.call(own_pid)
    os.kill(pid, signal.SIGINT)

    assert engine.call(own_pid) == pid
    engine.close()
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(sys.platform != "linux", reason="a thread's own niceness is Linux's")
def test_the_layout_model_stands_back_with_all_its_threads(root: Path):
    with PdfClient(root / "resources" / "samples" / "guideline.pdf", role="layout") as client:
        client.start()
        client.open()
        stats = [task / "stat" for task in Path(f"/proc/{client.pid}/task").iterdir()]
        niceness = [stat.read_text().rpartition(")")[2].split()[16] for stat in stats]

        assert len(niceness) > 1, "libraries have started threads"
        assert set(niceness) == {"19"}
