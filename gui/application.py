# SPDX-License-Identifier: AGPL-3.0-or-later
"""Starting the window: the PDF process first, then Qt, the page, and only then all the rest."""

import gc
import sys
from pathlib import Path

from core.document.client import PdfClient

SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "samples" / "guideline.pdf"


def run(path: Path | None) -> int:
    """Open the window on a file, or on the sample, and return the exit status."""
    first = path or SAMPLE
    client = None
    if first.suffix.lower() == ".pdf" and first.is_file():
        client = PdfClient(first)
        client.start()  # it imports the PDF library while this process imports Qt
    from gui.start import start

    # Qt objects that another thread frees crash the program, so only the window's timer collects.
    gc.disable()
    application, window = start(sys.argv[:1])
    window.open_path(first, client)
    return application.exec()
