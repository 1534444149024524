# SPDX-License-Identifier: AGPL-3.0-or-later
"""Vectors by key in one SQLite file.

It survives a kill at any moment, and several processes may share it. What is damaged is dropped;
nothing here raises for a file that cannot be read or written, because a cache may forget.
"""

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Found = dict[bytes, NDArray[np.float32]]

# A row must fit four times, or it takes pages of its own: 4,096 bytes made the file twice as big.
PAGE_BYTES = 16_384
TRIM_TO = 0.8  # of the limit, so that not every write has to trim
WAIT_SECONDS = 10  # for another process
_BATCH = 900  # SQLite takes at most 999 variables in one statement on old builds
_TABLE = (
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL,"
    " used INTEGER NOT NULL) WITHOUT ROWID"
)


def read_vectors(path: Path, keys: Sequence[bytes]) -> Found:
    """The vectors of `keys` that the file has, float32 (d,) each."""
    found: Found = {}
    with _database(path) as database:
        if database is not None:
            _select(database, keys, found)
    return found


def read_shipped(path: Path, keys: Sequence[bytes]) -> Found:
    """The same from a file that nobody writes, and that may lie where nobody can write."""
    found: Found = {}
    if path.is_file():
        address = f"{path.as_uri()}?immutable=1"  # no lock and no journal
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(address, uri=True)) as database,
        ):
            _select(database, keys, found)
    return found


def write_vectors(path: Path, vectors: Mapping[bytes, NDArray[np.float32]], *, most: int) -> None:
    """Add vectors, float32 (d,) each; past `most` bytes the oldest are dropped."""
    now = int(time.time())
    rows = [(k, np.ascontiguousarray(v, np.float32).tobytes(), now) for k, v in vectors.items()]
    with _database(path) as database:
        if database is not None:
            database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            _trim(database, most)


def copy_compact(path: Path, target: Path) -> None:
    """Write what the file holds to `target`, without gaps and without times."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE vectors SET used = 0")
        database.commit()
        database.execute("VACUUM INTO ?", (str(target),))


def drop_file(path: Path) -> None:
    """Remove the file and what SQLite keeps beside it."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


@contextlib.contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection, or None where there can be none; an error inside ends the `with` silently."""
    connection = _connect(path)
    if connection is None:
        yield None
        return
    try:
        with connection:
            yield connection
    except sqlite3.OperationalError:  # locked for too long, disk full
        pass
    except sqlite3.DatabaseError:
        connection.close()
        drop_file(path)
    finally:
        connection.close()


def _connect(path: Path) -> sqlite3.Connection | None:
    """A connection to the file, which is made if need be; None where that is not possible."""
    for _ in range(2):  # a damaged file is dropped, and made again at the second try
        connection = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=WAIT_SECONDS)
            connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode=WAL")
            # a killed process loses nothing; after a power cut a damaged file is made again
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute(_TABLE)
        except (OSError, sqlite3.OperationalError):
            if connection is not None:
                connection.close()
            return None
        except sqlite3.DatabaseError:
            if connection is not None:
                connection.close()
            drop_file(path)
        else:
            return connection
    return None


def _select(database: sqlite3.Connection, keys: Sequence[bytes], found: Found) -> None:
    """Add to `found` the vectors of `keys` that are there and are numbers."""
    for low in range(0, len(keys), _BATCH):
        some = keys[low : low + _BATCH]
        marks = ",".join("?" * len(some))
        for key, blob in database.execute(
            f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some
        ):
            if len(blob) % 4 == 0 and len(blob):
                vector = np.frombuffer(blob, np.float32)
                if np.isfinite(vector).all():
                    found[key] = vector


def _trim(database: sqlite3.Connection, most: int) -> None:
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    (free,) = database.execute("PRAGMA freelist_count").fetchone()
    (page_bytes,) = database.execute("PRAGMA page_size").fetchone()
    used = (pages - free) * page_bytes
    if used <= most:
        return
    (rows,) = database.execute("SELECT count(*) FROM vectors").fetchone()
    surplus = int(rows * (1 - TRIM_TO * most / used))
    database.execute(
        "DELETE FROM vectors WHERE key IN (SELECT key FROM vectors ORDER BY used LIMIT ?)",
        (surplus,),
    )
