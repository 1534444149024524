# SPDX-License-Identifier: AGPL-3.0-or-later
"""The vector cache: by exact content, in memory and, if a folder is given, on disk.

Vectors of texts are rows of `vector_file.py`. Token vectors of whole documents are folders of
`.npy` files, written under a temporary name and renamed; a damaged one is made again.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from core.arrays import Vectors, frozen
from core.vectors.vector_file import (
    copy_compact,
    drop_file,
    read_shipped,
    read_vectors,
    write_vectors,
)

MEMORY_BYTES = 256 << 20
DISK_BYTES = 4 << 30
SHIPPED_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "vectors"
CACHE_VARIABLE = "CHUNKSCOPE_CACHE_DIR"
_FILE = "vectors-1.sqlite"  # the number is the format's version
_FOLDER = "tokens-1"


@dataclass(frozen=True, slots=True)
class Space:
    """What makes the vectors of equal texts equal: model, version, window, prefix, type, kind."""

    model: str
    revision: str
    window: int | None
    prefix: str = ""
    dtype: str = "float32"
    kind: str = "ordinary"

    def key(self, text: str) -> bytes:
        """The key of one exact text in this space, 32 bytes."""
        digest = hashlib.sha256(repr(self).encode())
        digest.update(b"\0" + text.encode("utf-8"))
        return digest.digest()


@dataclass(frozen=True, slots=True, eq=False)
class VectorCache:
    """Vectors by key. `folder` None: memory only (`--no-cache`).

    `shipped` is a folder of the same form that came with the program, made by `pack`; it is only
    read, and only where there is a disk cache too.
    """

    folder: Path | None = None
    memory_bytes: int = MEMORY_BYTES
    disk_bytes: int = DISK_BYTES
    shipped: Path | None = None
    _memory: OrderedDict[bytes, NDArray[np.float32]] = field(default_factory=OrderedDict)

    def find(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are known, float32 (d,), by key."""
        found = {}
        for key in keys:
            vector = self._memory.get(key)
            if vector is not None:
                self._memory.move_to_end(key)
                found[key] = vector
        for folder, read in ((self.folder, read_vectors), (self.shipped, read_shipped)):
            missing = [key for key in keys if key not in found]
            if missing and self.folder is not None and folder is not None:
                more = read(folder / _FILE, missing)
                self._remember(more)
                found |= more
        return found

    def put(self, vectors: dict[bytes, NDArray[np.float32]]) -> None:
        """Keep `vectors`, float32 (d,) each."""
        self._remember(vectors)
        if self.folder is not None and vectors:
            write_vectors(self.folder / _FILE, vectors, most=self.disk_bytes // 2)

    def find_arrays(self, key: bytes, valid: Callable[[Path], bool]) -> Path | None:
        """The folder of arrays under `key`, if it is there and `valid`."""
        if self.folder is None:
            return None
        for base in (self.folder, self.shipped):
            place = base / _FOLDER / key.hex() if base else None
            if place is not None and place.is_dir() and valid(place):
                return place
        return None

    def arrays(
        self, key: bytes, make: Callable[[Path], None], valid: Callable[[Path], bool]
    ) -> Path | None:
        """The folder of arrays under `key`, made by `make` when absent or not `valid`.

        Returns:
            None without a disk: the caller keeps its arrays itself.
        """
        if self.folder is None:
            return None
        found = self.find_arrays(key, valid)
        if found is not None:
            with contextlib.suppress(OSError):
                os.utime(found)
            return found
        place = self.folder / _FOLDER / key.hex()
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix="new-", dir=place.parent))
        try:
            make(fresh)
            with contextlib.suppress(OSError):  # another process was quicker: its copy is as good
                fresh.rename(place)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        self._trim_arrays(keep=place)
        return place

    def size(self) -> int:
        """Bytes on disk."""
        return 0 if self.folder is None else _bytes_below(self.folder)

    def clear(self) -> None:
        """Forget everything, in memory and on disk."""
        self._memory.clear()
        if self.folder is not None:
            drop_file(self.folder / _FILE)
            shutil.rmtree(self.folder / _FOLDER, ignore_errors=True)

    def _remember(self, vectors: dict[bytes, NDArray[np.float32]]) -> None:
        for key, vector in vectors.items():
            self._memory[key] = frozen(np.array(vector, np.float32))
        while self._memory and len(self._memory) * _vector_bytes(self._memory) > self.memory_bytes:
            self._memory.popitem(last=False)

    def _trim_arrays(self, keep: Path) -> None:
        """Drop the folders of arrays that were not used for longest, past half of the limit."""
        folders = [each for each in keep.parent.iterdir() if each.is_dir()]
        sizes = {each: _bytes_below(each) for each in folders}
        surplus = sum(sizes.values()) - self.disk_bytes // 2
        for folder in sorted(folders, key=_last_used):
            if surplus <= 0:
                return
            if folder != keep:
                shutil.rmtree(folder, ignore_errors=True)
                surplus -= sizes[folder]


def pack(folder: Path, target: Path) -> None:
    """Write the cache in `folder` to `target`, as one to ship: small, and only to be read."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    copy_compact(folder / _FILE, target / _FILE)
    if (folder / _FOLDER).is_dir():
        shutil.copytree(folder / _FOLDER, target / _FOLDER)


def cache_folder() -> Path:
    """The user's cache folder, or the one that `CHUNKSCOPE_CACHE_DIR` names."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) if named else user_cache_path("chunkscope", appauthor=False)


def shared_cache() -> VectorCache:
    """The cache on disk that all embedders of this process share."""
    return _cache_in(cache_folder() / "vectors")


@lru_cache(maxsize=4)
def _cache_in(folder: Path) -> VectorCache:
    return VectorCache(folder, shipped=SHIPPED_FOLDER)


def encode_through(
    cache: VectorCache,
    space: Space,
    texts: Sequence[str],
    compute: Callable[[list[str], Callable[[list[str], Vectors], None]], None],
    *,
    dimension: int,
) -> Vectors:
    """Vectors, float32 (n, d), of `texts`: each unique text from the cache, or else computed.

    Args:
        cache: where to look and to keep.
        space: what the vectors depend on besides the text.
        texts: any texts, repeated or not.
        compute: is given the unknown unique texts and a function that takes finished batches,
            so that what is done is kept even if the rest is cancelled.
        dimension: d.
    """
    unique = list(dict.fromkeys(texts))
    keys = {text: space.key(text) for text in unique}
    found = cache.find(list(keys.values()))

    def keep(batch: list[str], vectors: Vectors) -> None:
        fresh = {keys[text]: vector for text, vector in zip(batch, vectors, strict=True)}
        cache.put(fresh)
        found.update(fresh)

    missing = [text for text in unique if _unknown(found.get(keys[text]), dimension)]
    if missing:
        compute(missing, keep)
    vectors = np.empty((len(texts), dimension), np.float32)
    for row, text in enumerate(texts):
        vectors[row] = found[keys[text]]
    return vectors


def _unknown(vector: NDArray[np.float32] | None, dimension: int) -> bool:
    return vector is None or len(vector) != dimension


def _vector_bytes(memory: OrderedDict[bytes, NDArray[np.float32]]) -> int:
    """Bytes of an entry, with what Python adds: entries of one run differ little."""
    return int(next(reversed(memory.values())).nbytes) + 300


def _bytes_below(folder: Path) -> int:
    total = 0
    for each in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += each.stat().st_size if each.is_file() else 0
    return total


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
