# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where the separators of split-then-merge match, and the pieces that they leave.

A separator is matched in the text of the piece alone: a look-behind sees nothing before it
(`spec/strategies.md` 7.1). The published separators are written here in an equal form that starts
with a literal, because Python's `re` then skips with `memchr`: 12 ms a pattern and megabyte
become 1 ms.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from core.declaration import Parameter
from core.errors import ParameterError

Attach = Literal["start", "end"]
Match = tuple[int, int]  # start, end of what matched
Search = Callable[[str, int, int], Iterator[Match]]  # text, start and end of the piece

PAPER_SEPARATORS = (
    r"(?<=\n)#{1}\s",
    r"(?<=\n)#{2}\s",
    r"(?<=\n)#{3}\s",
    r"(?<=\n)#{4}\s",
    r"(?<=\n)#{5}\s",
    r"(?<=\n)#{6}\s",
    r"(?<=\n)\s*\(?[A-Za-z0-9]{1,4}[.)]\s+",
    r"(?<=\n)\s*[-*·•●▪◦‣▸▹○◯‒–—]\s+",
    r"\n{2,}",
    r"\n",
    r"[.!?]\s+",
    r",\s+",
    r"\s+",
    "",
)
LITERAL_SEPARATORS = ("\n\n", "\n", " ", "")
TINY = 10  # characters; shorter pieces are joined to a neighbour
TIME_LIMIT_SECONDS = 2.0


def attach_parameter(words: str) -> Parameter:
    """Where a separator goes: to the piece behind it, or to the one before."""
    return Parameter("attach", "start", words, type="choice", choices=("start", "end"), slow=True)


@dataclass(frozen=True, slots=True)
class SplitSeparator:
    """A separator as the user reads it, and its search; None for the empty one.

    probe: what every match has right before or inside it; a text without it has no match.
    """

    label: str
    search: Search | None
    probe: str = ""


def published(expression: str) -> SplitSeparator:
    """One of `PAPER_SEPARATORS`."""
    if not expression:
        return SplitSeparator("any place", None)
    if expression.startswith(r"(?<=\n)"):
        inner = expression.removeprefix(r"(?<=\n)")
        search = _after_newline(re.compile(rf"\n(?=({inner}))"))
        return SplitSeparator(expression, search, "\n#" if inner.startswith("#") else "\n")
    # `\n\n+` and not `\n{2,}`: only the first is seen to start with a literal
    found = re.compile(expression.replace(r"\n{2,}", r"\n\n+"))
    return SplitSeparator(expression, _plain(found))


def literal_separator(separator: str) -> SplitSeparator:
    """A separator that is searched for as it is written."""
    if not separator:
        return SplitSeparator("any place", None)
    return SplitSeparator(repr(separator), _plain(re.compile(re.escape(separator))))


def own_separator(expression: str, parameter: str = "separators") -> SplitSeparator:
    """A regular expression of the user's; its search is stopped after 2 seconds a piece.

    Raises:
        ParameterError: it is no regular expression; the message names the place.
    """
    import regex

    if not expression:
        return SplitSeparator("any place", None)
    try:
        re.compile(expression)  # Python's own syntax is the measure
        found = regex.compile(expression)
    except (re.error, regex.error) as error:
        raise ParameterError(
            f"{parameter} holds '{expression}', which is no regular expression: {error}"
        ) from None
    return SplitSeparator(expression, _limited(found, expression))


def piece_edges(matches: Sequence[Match], start: int, end: int, *, attach: Attach) -> list[Match]:
    """The places where a piece is cut, `start` and `end` left out.

    Args:
        matches: where the separator matches, ascending, without overlap.
        start: where the piece begins.
        end: where it ends.
        attach: "start": cut before each match; "end": behind it.

    Returns:
        The matches that are cut at. Those that would leave a piece of under 10 characters are
        left out: such a piece goes to the one after it ("start") or before it ("end").
    """
    side = 0 if attach == "start" else 1
    inside = [match for match in matches if start < match[side] < end]
    kept = []
    if attach == "start":
        last = start
        for match in inside:
            if match[0] - last >= TINY:
                kept.append(match)
                last = match[0]
        return kept
    for match, (_, following) in pairwise([*inside, (end, end)]):
        if following - match[1] >= TINY:
            kept.append(match)
    return kept


def _plain(found: "re.Pattern[str]") -> Search:
    def search(text: str, start: int, end: int) -> Iterator[Match]:
        return (match.span() for match in found.finditer(text, start, end))

    return search


def _after_newline(found: "re.Pattern[str]") -> Search:
    """Search a pattern that must follow a newline of the same piece; group 1 is the pattern."""

    def search(text: str, start: int, end: int) -> Iterator[Match]:
        last = start
        for match in found.finditer(text, start, end):
            if match.start(1) >= last:  # else it begins inside the match before
                last = match.end(1)
                yield match.span(1)

    return search


def _limited(found: Any, expression: str) -> Search:
    def search(text: str, start: int, end: int) -> Iterator[Match]:
        try:
            for match in found.finditer(
                text[start:end], timeout=TIME_LIMIT_SECONDS, concurrent=True
            ):
                yield start + match.start(), start + match.end()
        except TimeoutError:
            raise ParameterError(
                f"the separator '{expression}' needs more than {TIME_LIMIT_SECONDS:g} seconds on "
                f"the text from character {start}: it can backtrack without end; make it simpler"
            ) from None

    return search
