# SPDX-License-Identifier: AGPL-3.0-or-later
"""Starting the window: the PDF process first, then Qt, the page, and only then all the rest."""

import sys
from pathlib import Path

from core.document.client import PdfClient
from gui.workspace_place import last_document, last_workspace

SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "samples" / "guideline.pdf"


def run(path: Path | None) -> int:
    """Open the window and return the exit status.

    Args:
        path: the document to show; None: what was open last, at the first start the sample.
    """
    first = path or last_document()
    if first is None and not last_workspace().is_file():
        first = SAMPLE
    client = None
    if first is not None and first.suffix.lower() == ".pdf" and first.is_file():
        client = PdfClient(first)
        client.start()  # it imports the PDF library while this process imports Qt
    from gui.start import start

    application, window = start(sys.argv[:1])
    window.restores_documents = path is None
    if first is None:
        window.show_current()
    else:
        window.open_path(first, client)
    return application.exec()
