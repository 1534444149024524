# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where the last workspace lies, and which document it showed: read before Qt is there."""

import json
import os
from pathlib import Path
from urllib.parse import unquote_to_bytes

from platformdirs import user_config_path

FOLDER_VARIABLE = "CHUNKSCOPE_CONFIG_DIR"
FILE_NAME = "workspace.json"
_URI = "file://"


def config_folder() -> Path:
    """The folder of what the program remembers."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_config_path("chunkscope", appauthor=False)


def last_workspace() -> Path:
    """The file in which the workspace is kept between starts."""
    return config_folder() / FILE_NAME


def last_document() -> Path | None:
    """The document that was shown last, if its file is still there.

    A damaged file counts as none here; `gui/workspace.py` sets it aside and says so.
    """
    try:
        shown = Path(path_of(json.loads(last_workspace().read_bytes())["current"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return shown if shown.is_file() else None


def path_of(text: str) -> str:
    """The path that a workspace file holds, plain or as a URI."""
    if not text.startswith(_URI):
        return text
    return os.fsdecode(unquote_to_bytes(text.removeprefix(_URI)))
