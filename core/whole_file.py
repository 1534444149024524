# SPDX-License-Identifier: AGPL-3.0-or-later
"""Writing a file at once: who reads it, or a kill, sees the old file or the new one."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import DocumentError

LONGEST_STEM = 40  # characters: the temporary name of a long name is not too long


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary name beside `path`, which becomes `path` when the block ends without an error.

    Raises:
        DocumentError: it cannot be written; what was there stays.
    """
    try:
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.stem[:LONGEST_STEM]}-", suffix=f".part{path.suffix}"
        )
    except OSError as error:
        raise _refused(path, error) from None
    os.close(handle)
    fresh = Path(name)
    try:
        yield fresh
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.chmod(0o666 & ~_umask())
        fresh.replace(path)
    except OSError as error:
        raise _refused(path, error) from None
    finally:
        with suppress(OSError):
            fresh.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 at once, without newline translation.

    Raises:
        DocumentError: it cannot be written; what was there stays.
    """
    with whole_file(path) as fresh:
        fresh.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refused(path: Path, error: OSError) -> DocumentError:
    reason = error.strerror or str(error)
    return DocumentError(f"{path} cannot be written ({reason}): choose another place")
