# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where indexes are: a LanceDB folder for each corpus under the data folder, or a user's URI."""

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from core.errors import SearchError
from core.vectors.models import DATA_VARIABLE

LOCK_SECONDS = 30.0
_FOLDER = "indexes-1"  # the number is the format's version
_REMOTE = re.compile(r"^[a-z][a-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Place:
    """A LanceDB database.

    folder: where it is on this machine; None for one elsewhere, which LanceDB's client reaches.
    is_ours: under our data folder: what is damaged there may be deleted and made again.
    """

    uri: str
    folder: Path | None
    is_ours: bool = True

    @contextlib.contextmanager
    def lock(self, table: str) -> Iterator[None]:
        """Let one process at a time write a table; elsewhere LanceDB's own commits see to it.

        Raises:
            SearchError: another process does not let go.
        """
        if self.folder is None:
            yield
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SearchError(
                f"the search index at {self.uri} cannot be made: {error.strerror or error}"
            ) from error
        try:
            with FileLock(self.folder / f"{table}.lock", timeout=LOCK_SECONDS):
                yield
        except Timeout as error:
            raise SearchError(
                f"the search index has been in use by another window for {LOCK_SECONDS:.0f} "
                "seconds: close that window, or search again"
            ) from error


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """An index that is on this machine."""

    name: str
    size: int  # bytes
    changed: float  # seconds since 1970


def indexes_folder() -> Path:
    """Where the indexes of all corpora are."""
    named = os.environ.get(DATA_VARIABLE)
    base = Path(named) if named else user_data_path("chunkscope", appauthor=False)
    return base / _FOLDER


def corpus_place(corpus: str, uri: str = "") -> Place:
    """The database of a corpus: under the data folder, or where the user says.

    Args:
        corpus: its name, as `corpus_name` makes it.
        uri: a path, `s3://…`, `db://…`; empty: the data folder.
    """
    if _REMOTE.match(uri):
        return Place(uri, None, is_ours=False)
    if uri:
        given = Path(uri).expanduser()
        return Place(str(given), given, is_ours=False)
    folder = indexes_folder() / corpus
    return Place(str(folder), folder)


def corpus_name(documents: Iterable[str]) -> str:
    """The name of the corpus of these documents, by their keys or hashes; order is ignored."""
    joined = "\0".join(sorted(documents))
    return hashlib.sha256(joined.encode()).hexdigest()[:24]


def stored_corpora() -> list[StoredCorpus]:
    """The indexes that are on this machine, the newest first."""
    base = indexes_folder()
    folders = [each for each in base.iterdir() if each.is_dir()] if base.is_dir() else []
    found = [
        StoredCorpus(folder.name, folder_size(folder), folder.stat().st_mtime) for folder in folders
    ]
    return sorted(found, key=lambda corpus: -corpus.changed)


def remove_corpus(name: str) -> None:
    """Delete the index of a corpus; it is made again when it is searched.

    Raises:
        SearchError: there is none of that name.
    """
    known = {corpus.name for corpus in stored_corpora()}
    if name not in known:
        raise SearchError(f"there is no index '{name}': it may have been removed already")
    shutil.rmtree(indexes_folder() / name, ignore_errors=True)


def folder_size(folder: Path) -> int:
    """Bytes of all files in a folder; files that vanish meanwhile count nothing."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total
