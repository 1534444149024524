# SPDX-License-Identifier: AGPL-3.0-or-later
"""The program in a real window: it starts, works, and ends with status 0 and nothing to say."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("Xvfb"), reason="no Xvfb"),
    pytest.mark.timeout(400),
]
SECONDS = 180


@pytest.fixture(scope="module")
def screen():
    """A screen of 1366 × 768 with a window manager where there is one; its name."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1366x768x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        name = f":{told.readline().strip()}"
    manager = None
    if shutil.which("openbox"):
        manager = subprocess.Popen(
            ["openbox"], env=os.environ | {"DISPLAY": name}, stderr=subprocess.DEVNULL
        )
    yield name
    for process in (manager, server):
        if process is not None:
            process.terminate()
            process.wait(10)


@pytest.fixture
def environment(screen, tmp_path):
    """The environment of a user who starts the program for the first time."""
    return os.environ | {
        "DISPLAY": screen,
        "QT_QPA_PLATFORM": "xcb",
        "CHUNKSCOPE_CONFIG_DIR": str(tmp_path),
    }


def run(command: list[str], environment: dict[str, str], root: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=root,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_opening_dragging_asking_and_closing_leave_nothing_on_standard_error(environment, root):
    sample = str(root / "resources" / "samples" / "guideline.pdf")
    program = run(["tests/end_to_end/driven.py", sample], environment, root)
    seen, said = program.communicate(timeout=SECONDS)
    assert seen.split("\n")[:-1] == ["panels", "chunks", "smaller chunks", "hits"]
    assert said == ""
    assert program.returncode == 0


@pytest.mark.skipif(not shutil.which("xdotool"), reason="no xdotool")
def test_the_first_start_shows_the_sample_and_ctrl_q_ends_it(environment, root, tmp_path):
    program = run(["main.py"], environment, root)
    saved = tmp_path / "workspace.json"
    end = time.monotonic() + SECONDS
    while not saved.exists() and time.monotonic() < end:  # saved soon after the panels are there
        assert program.poll() is None, program.communicate()
        time.sleep(0.1)
    assert Path(json.loads(saved.read_text())["current"]).name == "guideline.pdf"
    while program.poll() is None and time.monotonic() < end:
        move = ["xdotool", "mousemove", "600", "300", "click", "1", "key", "ctrl+q"]
        subprocess.run(move, env=environment, check=False, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
    _, said = program.communicate(timeout=60)
    assert said == ""
    assert program.returncode == 0


def test_a_second_start_opens_what_was_open(environment, root, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("One line about boats.\n")
    (tmp_path / "workspace.json").write_text(
        json.dumps({"version": 1, "documents": [{"path": str(note)}], "current": str(note)})
    )
    code = (
        "import gui.start as s, sys; from PySide6.QtCore import QTimer; old = s.start\n"
        "def start(a):\n"
        "    app, w = old(a)\n"
        "    w.state.text_changed.connect(lambda d: print(w.state.documents[d].name, flush=True))\n"
        "    w.state.text_changed.connect(lambda d: QTimer.singleShot(200, w.close))\n"
        "    return app, w\n"
        "s.start = start\n"
        "import main; sys.exit(main.main([]))"
    )
    program = run(["-c", code], environment, root)
    seen, said = program.communicate(timeout=SECONDS)
    assert seen.split() == ["note.txt"]
    assert said == ""
    assert program.returncode == 0
