# SPDX-License-Identifier: AGPL-3.0-or-later
"""A workspace as a file: open documents, strategies with parameters, view, query."""

import os
from pathlib import Path
from typing import Any

import msgspec

from core.errors import ChunkscopeError, DocumentError
from core.whole_file import whole_file

VERSION = 1
SUFFIX = ".chunkscope.json"
_SET_ASIDE = 100  # damaged files that are kept


class WorkspaceError(ChunkscopeError):
    """A workspace file cannot be read or written."""


class ViewOf(msgspec.Struct, frozen=True, kw_only=True):
    """Where a document is looked at; `x` and `y` are points on the page, 1 is 96 dpi."""

    page: int = 0
    x: float = 0.0
    y: float = 0.0
    zoom: float = 1.0
    fit: str = "width"


class OpenFile(msgspec.Struct, frozen=True, kw_only=True):
    """An open document."""

    path: str
    view: ViewOf = ViewOf()


class ShownStrategy(msgspec.Struct, frozen=True, kw_only=True):
    """A visible strategy: its one-word recipe and how it is shown."""

    recipe: str
    is_visible: bool = True
    is_pinned: bool = False


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """All that is restored. Indices are those of `strategies`; −1 is none."""

    version: int
    documents: tuple[OpenFile, ...] = ()
    current: str = ""  # path of the document shown
    strategies: tuple[ShownStrategy, ...] = ()
    chosen: int = -1
    compared: int = -1
    query: str = ""
    questions: dict[str, Any] | None = None  # a query set that is not saved as a file
    question: int = -1  # the one looked at
    tags: dict[str, tuple[str, ...]] = {}  # of documents, by path
    top_k: int = 5
    layers: tuple[str, ...] = ()
    rotation: int = 0  # degrees clockwise
    two_pages: bool = False


def encode(workspace: Workspace) -> bytes:
    """The workspace as JSON that a person can read.

    A path that is not UTF-8 is written as a URI, which
    `gui.workspace_place.path_of` reads.
    """
    try:
        content = msgspec.json.encode(workspace)
    except UnicodeEncodeError:
        content = msgspec.json.encode(_in_utf8(msgspec.to_builtins(workspace)))
    return msgspec.json.format(content, indent=1) + b"\n"


def _in_utf8(value: Any) -> Any:
    """The same value where every text can be written: JSON holds no lone surrogates."""
    if isinstance(value, dict):
        return {_in_utf8(key): _in_utf8(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_in_utf8(each) for each in value]
    if not isinstance(value, str) or value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return _without_surrogates(value)
    return value


def _without_surrogates(text: str) -> str:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:  # no bytes of a file name are behind it
        return text.encode(errors="replace").decode()
    is_path = Path(text).is_absolute()
    return Path(text).as_uri() if is_path else os.fsencode(text).decode(errors="replace")


def read(path: Path) -> Workspace:
    """Read a workspace file.

    Raises:
        WorkspaceError: it cannot be read, is damaged, or was made by a later version.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"{path.name} cannot be read: {error.strerror}") from error
    try:
        workspace = msgspec.json.decode(content, type=Workspace)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WorkspaceError(f"{path.name} is not a workspace, or is damaged: {error}") from error
    if workspace.version > VERSION:
        raise WorkspaceError(
            f"{path.name} has version {workspace.version}, but this program reads versions up to "
            f"{VERSION}: open it with a newer Chunkscope"
        )
    return workspace


def write(path: Path, content: bytes) -> None:
    """Replace a file in one step, so that a crash leaves the old one or the new one.

    Raises:
        WorkspaceError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as new:
            new.write_bytes(content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise WorkspaceError(f"the workspace cannot be saved to {path}: {reason}") from error
    except DocumentError as error:
        raise WorkspaceError(f"the workspace cannot be saved to {path}: {error}") from error


def set_aside(path: Path) -> Path:
    """Rename a damaged file, so that it can be looked at and is not written over."""
    for number in range(1, _SET_ASIDE):
        kept = path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")
        if not kept.exists():
            break
    path.replace(kept)
    return kept
