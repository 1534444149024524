# SPDX-License-Identifier: AGPL-3.0-or-later
"""The documents that are measured on: the bundled ones, and the shared ones where they are."""

import os
from pathlib import Path

from bench.report import ROOT

GUIDELINE = ROOT / "resources" / "samples" / "guideline.pdf"
REPORT = ROOT / "resources" / "samples" / "report.pdf"


def shared(name: str) -> Path | None:
    """A file of the shared folder, or None where it is absent."""
    base = Path(os.environ.get("CHUNKSCOPE_SHARED", ROOT.parent / "shared"))
    path = base / name
    return path if path.exists() else None


def book() -> Path | None:
    """The 350-page book."""
    return shared("corpus/long_freeculture_352p.pdf")
