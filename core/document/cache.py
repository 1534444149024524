# SPDX-License-Identifier: AGPL-3.0-or-later
"""Documents and layout results on disk, under the user's cache folder.

An entry is written to a temporary name and renamed. It begins with the SHA-256 of the rest, so a
damaged entry is seen before it is read; it is dropped and made again. The name of an entry holds
a digest of this package's code: a new version never reads the values of an old one. The folder
stays below a limit; what was not read for longest goes first.
"""

import hashlib
import os
import pickle
from functools import lru_cache
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from core.errors import DocumentError
from core.whole_file import whole_file

CACHE_VARIABLE = "CHUNKSCOPE_CACHE_DIR"
LIMIT_BYTES = 1 << 30
_DIGEST_LENGTH = 32


def cache_folder() -> Path:
    """Return the folder for documents: the user's, or below `CHUNKSCOPE_CACHE_DIR`."""
    named = os.environ.get(CACHE_VARIABLE)
    base = Path(named) if named else user_cache_path("chunkscope", appauthor=False)
    return base / "documents"


def entry_name(*parts: object) -> str:
    """Return the name of the entry that is known by `parts` (their `repr`) and by this code."""
    known_by = "|".join([_code_digest(), *map(repr, parts)])
    return hashlib.sha256(known_by.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def load(name: str) -> Any | None:
    """Return the value of an entry, or None when there is none or it is damaged."""
    path = cache_folder() / name
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, payload = data[:_DIGEST_LENGTH], data[_DIGEST_LENGTH:]
    if hashlib.sha256(payload).digest() != digest:
        path.unlink(missing_ok=True)
        return None
    try:
        value = pickle.loads(payload)
        os.utime(path)
    except (pickle.UnpicklingError, AttributeError, ImportError, EOFError, TypeError, OSError):
        path.unlink(missing_ok=True)
        return None
    return value


def save(name: str, value: object) -> None:
    """Write an entry; a full disk or a folder that cannot be written is no error."""
    folder = cache_folder()
    payload = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(folder / name) as fresh, fresh.open("wb") as file:
            file.write(hashlib.sha256(payload).digest())
            file.write(payload)
        _trim(folder, keep=name)
    except (OSError, DocumentError):
        return


def _trim(folder: Path, *, keep: str) -> None:
    """Remove the entries that were not read for longest until the folder is below its limit."""
    entries = [(path.stat(), path) for path in folder.iterdir() if path.name != keep]
    surplus = sum(state.st_size for state, _ in entries) - LIMIT_BYTES
    for state, path in sorted(entries, key=lambda entry: entry[0].st_mtime):
        if surplus <= 0:
            return
        path.unlink(missing_ok=True)
        surplus -= state.st_size


@lru_cache(maxsize=1)
def _code_digest() -> str:
    """Return a digest of the source of this package."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
