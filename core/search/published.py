# SPDX-License-Identifier: AGPL-3.0-or-later
"""Numbers that others have published, to be looked at beside own results and never among them."""

from functools import lru_cache
from pathlib import Path

import msgspec

_FILE = Path(__file__).resolve().parents[2] / "resources" / "published.json"


class PublishedTable(msgspec.Struct, frozen=True):
    """A table of a publication as it stands there, with how it was measured."""

    name: str
    source: str
    how: str
    note: str
    header: list[str]
    rows: list[list[str]]


@lru_cache(maxsize=1)
def published_tables() -> tuple[PublishedTable, ...]:
    """All tables, in the order of `spec/evaluation.md` 17."""
    return msgspec.json.decode(_FILE.read_bytes(), type=tuple[PublishedTable, ...])
