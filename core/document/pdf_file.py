# SPDX-License-Identifier: AGPL-3.0-or-later
"""Opening a file in MuPDF by whatever name it has. Only for the PDF process."""

from pathlib import Path
from typing import Any

import pymupdf


def open_file(path: Path) -> Any:
    """A file as a PyMuPDF document.

    MuPDF takes a name in UTF-8 only; a file that is named in other bytes is read whole.

    Raises:
        OSError: it cannot be read.
        Exception: MuPDF cannot open it; its errors share no other base.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return pymupdf.open(stream=path.read_bytes(), filetype="pdf")
    return pymupdf.open(path)
