# SPDX-License-Identifier: AGPL-3.0-or-later
"""From process start to the painted first page, and what was imported by then."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from bench.documents import GUIDELINE, book
from bench.report import ROOT, Row, row

CHILD = """
import json, sys, time
from pathlib import Path
started = {started!r}
sys.path.insert(0, {root!r})
from core.document.client import PdfClient
path = Path({path!r})
client = PdfClient(path)
client.start()
from gui.start import start
application, window = start(["chunkscope"])
def painted(document, page):
    if page == 0:
        window.pages.viewport().repaint()
        heavy = [m for m in ("torch", "spacy", "lancedb", "pyqtgraph") if m in sys.modules]
        print(json.dumps({{"seconds": time.time() - started, "heavy": heavy}}), flush=True)
        window.close()
        application.exit(0)
window.images.arrived.connect(painted)
window.open_path(path, client)
application.exec()
"""


def measure(times: int = 7) -> list[Row]:
    """Rows for the sample and for the book."""
    rows = []
    for name, path, target in (("sample", GUIDELINE, "1.5 s"), ("350-page book", book(), "2 s")):
        seconds = [_start(path) for _ in range(times)] if path is not None else []
        rows.append(row("start", f"first page painted, {name}", seconds, "s", target=target))
    return rows


def _start(path: Path) -> float:
    program = CHILD.format(root=str(ROOT), path=str(path), started=time.time())
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", _as_module(program)],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=120,
    )
    answer = json.loads(done.stdout.decode().splitlines()[0])
    assert not answer["heavy"], f"imported before the first page: {answer['heavy']}"
    return float(answer["seconds"])


def _as_module(program: str) -> str:
    """The spawned PDF process imports the main module again, so it must do nothing then."""
    body = "\n".join(f"    {line}" for line in program.splitlines())
    return f"def main():\n{body}\nif __name__ == '__main__':\n    main()\n"
