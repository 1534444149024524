# SPDX-License-Identifier: AGPL-3.0-or-later
"""Gains that a person or a model has given to chunks (`spec/evaluation.md` 3).

A judgement belongs to a chunk's exact span. No judgement is not a gain of 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from core.errors import SearchError
from core.search.query_sets import write_whole

FORMAT, VERSION = "chunkscope-judgements", 1
GAINS = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One gain. `gain` is None where a judge failed: unjudged, never 0."""

    question: str  # its id
    document: str
    start: int
    end: int
    gain: int | None
    strategy: str = ""
    source: str = ""  # a person or a model
    time: str = ""  # ISO 8601


@dataclass(frozen=True, slots=True)
class Judgements:
    """Judgements by question and span; the last one of a span counts."""

    rows: tuple[Judgement, ...] = ()
    by_place: Mapping[tuple[str, str, int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.by_place)

    def gain(self, question: str, document: str, start: int, end: int) -> int | None:
        """The judged gain of a chunk, or None."""
        return self.by_place.get((question, document, start, end))

    def has(self, question: str) -> bool:
        """True if any chunk was judged for the question."""
        return any(place[0] == question for place in self.by_place)


def judgements_of(rows: Iterable[Judgement]) -> Judgements:
    """Judgements in the order in which they were made."""
    kept = tuple(rows)
    by_place: dict[tuple[str, str, int, int], int] = {}
    for row in kept:
        place = (row.question, row.document, row.start, row.end)
        if row.gain is None:
            by_place.pop(place, None)
        else:
            by_place[place] = row.gain
    return Judgements(kept, by_place)


def gain_from(answer: object) -> int | None:
    """The gain in a judge's answer; None for all that is not 0, 1 or 2."""
    word = str(answer).strip()
    return int(word) if word in ("0", "1", "2") else None


def load_judgements(path: Path) -> Judgements:
    """Read a file of judgements: JSON with `format`, or JSONL with one judgement a line.

    Raises:
        SearchError: it cannot be read, or a row is wrong; the message says which.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SearchError(
            f"the judgements '{path}' cannot be read: {error.strerror or error}"
        ) from error
    try:
        rows = _rows(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SearchError(f"{path.name} is neither JSON nor JSONL: {error}") from error
    return judgements_of(_checked(row, f"{path.name}: row {i + 1}") for i, row in enumerate(rows))


def save_judgements(judgements: Judgements, path: Path) -> None:
    """Write all judgements to a temporary name, and rename it.

    Raises:
        SearchError: it cannot be written; what was there stays.
    """
    rows = [asdict(row) for row in judgements.rows]
    whole = {"format": FORMAT, "version": VERSION, "judgements": rows}
    write_whole(path, msgspec.json.format(msgspec.json.encode(whole)).decode() + "\n")


def _rows(data: bytes) -> Sequence[Any]:
    text = data.removeprefix(b"\xef\xbb\xbf")
    try:
        whole = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return [msgspec.json.decode(line) for line in text.splitlines() if line.strip()]
    if isinstance(whole, dict) and "judgements" in whole:
        whole = whole["judgements"]
    return whole if isinstance(whole, list) else [whole]


def _checked(row: Any, where: str) -> Judgement:
    if not isinstance(row, dict):
        raise SearchError(f"{where} is not an object: write question, document, start, end, gain")
    try:
        values = [str(row["question"]), str(row.get("document", row.get("doc", "")))]
        start, end = int(row["start"]), int(row["end"])
    except (KeyError, TypeError, ValueError) as error:
        raise SearchError(f"{where} lacks a question, or a start and end: {error}") from error
    extra = {name: str(row.get(name, "")) for name in ("strategy", "source", "time")}
    return Judgement(values[0], values[1], start, end, gain_from(row.get("gain")), **extra)
