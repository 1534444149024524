# SPDX-License-Identifier: AGPL-3.0-or-later
"""The user's own regular expression as the delimiter (RGX): `spec/strategies.md` 7.2, ours.

The search runs in a process of its own and ends after 2 seconds: an expression can backtrack
without end, and nothing inside Python's `re` can be interrupted.
"""

import json
import re
import subprocess
import sys
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.arrays import Indices, Spans
from core.declaration import Declaration, Parameter
from core.errors import ParameterError
from core.strategies.chunks import Chunks, Rule, one_span_chunks, reasons
from core.strategies.pattern_child import FINISHED, TOO_MANY
from core.strategies.registry import strategy
from core.strategies.separator_search import attach_parameter
from core.strategies.source import Source

TIME_LIMIT_SECONDS = 2.0
MOST_MATCHES = 200_000
_START_SECONDS = 60.0  # for a busy machine to start the process; the search has its own limit
_CHILD = Path(__file__).with_name("pattern_child.py")

RGX = Declaration(
    code="RGX",
    name="Regular expression",
    family="pattern",
    strategy_class="instant",
    source="Chunkscope; no paper",
    help="Cuts before or behind each match of your own Python regular expression; groups and "
    "look-arounds are allowed. A pattern that needs more than 2 seconds is stopped.",
    parameters=(
        Parameter(
            "pattern",
            default=r"\n{2,}",
            type="pattern",
            slow=True,
            help="A Python regular expression; matches of length 0 are cut points too",
        ),
        attach_parameter("A match begins the chunk behind it, or ends the one before it"),
        Parameter(
            "min_chars",
            default=10,
            minimum=0,
            maximum=10_000,
            step=1,
            unit="characters",
            help="A shorter piece is joined to the one behind it (start) or before it (end)",
        ),
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class PatternCuts:
    """Where a pattern cuts a text: n places inside it, ascending.

    places: int64 (n,). matches: int64 (n, 2), what matched there.
    """

    text: str
    pattern: str
    attach: str
    places: Indices
    matches: Spans


def compiled(pattern: str) -> "re.Pattern[str]":
    """The compiled pattern.

    Raises:
        ParameterError: it does not compile; the message has the position and the reason.
    """
    try:
        return re.compile(pattern)
    except re.error as error:
        at = "" if error.pos is None else f" at position {error.pos}"
        raise ParameterError(
            f"pattern is '{pattern}', but is no regular expression{at}: {error.msg}; mend it there"
        ) from None
    except (OverflowError, RecursionError) as error:
        raise ParameterError(
            f"pattern is '{pattern}', but cannot be compiled: {error}; make it simpler"
        ) from None


def search(pattern: str, text: str, *, seconds: float = TIME_LIMIT_SECONDS) -> Spans:
    """All matches, int64 (n, 2), from left to right without overlap.

    Args:
        pattern: a Python regular expression.
        text: what is searched.
        seconds: time that the search may take.

    Raises:
        ParameterError: the pattern does not compile, takes too long or matches too often.
    """
    compiled(pattern)
    task = json.dumps({"pattern": pattern, "seconds": seconds, "most": MOST_MATCHES})
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-S", str(_CHILD)],
            input=task.encode() + b"\n" + text.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=_START_SECONDS + seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _too_slow(pattern, error.stdout or b"", seconds) from None
    if ended.returncode == FINISHED:
        return _spans(ended.stdout)
    if ended.returncode == TOO_MANY:
        raise ParameterError(
            f"pattern is '{pattern}', which matches more than {MOST_MATCHES:,} times in this "
            "text: choose one that matches less often"
        )
    if b"Timeout" in ended.stderr:
        raise _too_slow(pattern, ended.stdout, seconds)
    last_line = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    raise ParameterError(
        f"pattern is '{pattern}', and its search ended with status {ended.returncode}: "
        f"{''.join(last_line) or 'no message'}; make it simpler"
    )


def _spans(raw: bytes) -> Spans:
    return np.frombuffer(raw[: len(raw) // 16 * 16], np.int64).reshape(-1, 2)


def _too_slow(pattern: str, raw: bytes, seconds: float) -> ParameterError:
    found = _spans(raw)
    place = int(found[-1, 1]) if len(found) else 0
    return ParameterError(
        f"pattern is '{pattern}': this pattern needs too long on this text, more than "
        f"{seconds:g} seconds; it can backtrack without end at character {place:,} or after it: "
        "make it simpler"
    )


def find_pattern(source: Source, *, pattern: str, attach: str) -> PatternCuts:
    """Find the matches in the whole text, and the places at which they cut."""
    matches = search(pattern, source.text)
    places = matches[:, 0 if attach == "start" else 1]
    inside = (places > 0) & (places < len(source.text))
    fresh = np.append(True, np.diff(places) > 0)[: len(places)]
    return PatternCuts(
        source.text, pattern, attach, places[inside & fresh], matches[inside & fresh]
    )


@strategy(RGX, prepare=find_pattern)
def cut_at_pattern(found: PatternCuts, *, min_chars: int) -> Chunks:
    """Cut at each match, but leave no piece of fewer than `min_chars` characters."""
    if not found.text:
        return one_span_chunks(np.empty((0, 2), np.int64))
    if found.attach == "start":
        kept = _kept_before(found.places, min_chars)
    else:
        kept = _kept_behind(found.places, len(found.text), min_chars)
    places = found.places[kept]
    edges = np.concatenate([[0], places, [len(found.text)]])
    spans = np.stack([edges[:-1], edges[1:]], axis=1)
    shown = found.pattern.replace("{", "{{").replace("}", "}}")
    side = "before" if found.attach == "start" else "behind"
    cuts = reasons(
        Rule("pattern", f"cut {side} {{detail}}, which matches {shown}"),
        len(places),
        details=[_quoted(found.text[a:b]) for a, b in found.matches[kept].tolist()],
    )
    n = len(places)
    return one_span_chunks(
        spans, cuts.take(np.arange(-1, n)), cuts.take(np.append(np.arange(n), -1))
    )


def _quoted(matched: str) -> str:
    shown = matched if len(matched) <= 40 else f"{matched[:39]}…"
    return repr(shown) if matched else "a match of length 0"


def _kept_before(places: Indices, least: int) -> Indices:
    """int64: the cuts that remain when a short piece goes to the one behind it."""
    if not len(places) or np.diff(places, prepend=0).min() >= least:
        return np.arange(len(places))
    listed, kept, last = places.tolist(), [], 0
    at = bisect_left(listed, least)
    while at < len(listed):
        kept.append(at)
        last = listed[at]
        at = max(at + 1, bisect_left(listed, last + least))
    return np.array(kept, np.int64)


def _kept_behind(places: Indices, length: int, least: int) -> Indices:
    """int64: the cuts that remain when a short piece goes to the one before it."""
    return np.flatnonzero(np.diff(places, append=length) >= least)
