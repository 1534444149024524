# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the window remembers between starts: one table, read and written here only."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings

T = TypeVar("T")
MOST_RECENT = 10


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One remembered value."""

    key: str
    type: type[T]
    default: T


THEME = Setting("view/theme", str, "system")
GEOMETRY = Setting("window/geometry", QByteArray, QByteArray())
DOCKS = Setting("window/docks", QByteArray, QByteArray())
HINT_CLOSED = Setting("window/hint_closed", bool, False)
FOLDER = Setting("files/folder", str, "")
RECENT = Setting("files/recent", str, "")  # paths, separated by newlines
OWN_PRESETS = Setting("strategies/presets", str, "")  # JSON: code -> name -> one-word recipe
STARRED = Setting("strategies/starred", str, "")  # codes, separated by commas
LAYOUT_MODEL = Setting("documents/layout_model", bool, True)
MODEL = Setting("search/model", str, "")  # name and window, separated by a newline
ENDPOINT_HOSTS = Setting("search/endpoint_hosts", str, "")  # that the user agreed to
RERANKER = Setting("search/reranker", str, "")  # a cross-encoder's folder or name
INDEX_URI = Setting("search/index_uri", str, "")  # a LanceDB database of the user's
TOP_K = Setting("search/top_k", int, 5)


def store() -> QSettings:
    """The file of settings; its folder can be set by CHUNKSCOPE_CONFIG_DIR."""
    folder = os.environ.get("CHUNKSCOPE_CONFIG_DIR")
    if folder:
        return QSettings(str(Path(folder) / "chunkscope.ini"), QSettings.Format.IniFormat)
    return QSettings("chunkscope", "chunkscope")


def read(setting: Setting[T]) -> T:
    """The remembered value, or its default; a damaged one counts as absent."""
    value = store().value(setting.key, setting.default)
    if setting.type is bool:
        return str(value).lower() in ("true", "1")  # type: ignore[return-value]
    try:
        return value if isinstance(value, setting.type) else setting.type(value)  # type: ignore[call-arg]
    except (TypeError, ValueError):
        return setting.default


def write(setting: Setting[T], value: T) -> None:
    """Remember a value."""
    store().setValue(setting.key, value)


def recent_files() -> list[Path]:
    """The files opened last, newest first; those that are gone are left out."""
    paths = [Path(line) for line in read(RECENT).splitlines() if line]
    return [path for path in paths if path.exists()]


def add_recent(path: Path) -> None:
    """Remember a file as opened last."""
    paths = [path, *(each for each in recent_files() if each != path)][:MOST_RECENT]
    write(RECENT, "\n".join(str(each) for each in paths))
