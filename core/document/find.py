# SPDX-License-Identifier: AGPL-3.0-or-later
"""Finding words in a document's text, as a reader means them.

White space matches any run of white space, quotes and dashes match their typographic forms, and
a soft or line-end hyphen inside a word does not hide it. The text itself is never changed.
"""

from dataclasses import dataclass

import regex

from core.arrays import Spans, as_spans
from core.cancel import NEVER, CancelToken
from core.errors import ChunkscopeError

MOST_MATCHES = 20_000
TIMEOUT_SECONDS = 2.0
_SAME = ("-‐‑‒–—―−", "'‘’‚‛", '"“”„‟', "…")
_HYPHEN = "(?:[-‐‑\u00ad]\\s*)?"


class FindError(ChunkscopeError):
    """What was typed cannot be searched for; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """int64 (n, 2), ascending; and whether there are more than are counted."""

    spans: Spans
    is_cut_short: bool


def find_all(
    text: str,
    wanted: str,
    *,
    case: bool = False,
    word: bool = False,
    pattern: bool = False,
    cancel: CancelToken = NEVER,
) -> Matches:
    """All places of `wanted`.

    Args:
        text: where to look.
        wanted: words, or a regular expression with `pattern`.
        case: upper and lower case differ.
        word: only whole words.
        pattern: `wanted` is a regular expression.
        cancel: asked now and then.

    Raises:
        FindError: the expression is wrong, or needs too long on this text.
    """
    source = wanted if pattern else _readers_pattern(wanted)
    if word:
        source = rf"\b(?:{source})\b"
    flags = 0 if case else regex.IGNORECASE
    try:
        compiled = regex.compile(source, flags)
    except regex.error as error:
        raise FindError(
            f"this expression is not right at position {error.pos}: {error.msg}"
        ) from None
    spans = []
    try:
        for found in compiled.finditer(text, timeout=TIMEOUT_SECONDS):
            if found.end() > found.start():
                spans.append(found.span())
            if len(spans) % 1_000 == 0:
                cancel.check()
            if len(spans) >= MOST_MATCHES:
                return Matches(as_spans(spans), is_cut_short=True)
    except TimeoutError:
        raise FindError(
            f"this expression needs more than {TIMEOUT_SECONDS:g} seconds on this text: "
            "make it simpler"
        ) from None
    return Matches(as_spans(spans), is_cut_short=False)


def _readers_pattern(wanted: str) -> str:
    """Words as a pattern: any white space, any kind of quote and dash, hyphens inside words."""
    parts: list[str] = []
    for index, character in enumerate(wanted):
        same = next((group for group in _SAME if character in group), "")
        if character.isspace():
            if not parts or parts[-1] != r"\s+":
                parts.append(r"\s+")
        elif same:
            parts.append(f"[{regex.escape(same)}]\\s*" if same == _SAME[0] else f"[{same}]")
        else:
            goes_on = index + 1 < len(wanted) and wanted[index + 1].isalpha()
            parts.append(
                regex.escape(character) + (_HYPHEN if character.isalpha() and goes_on else "")
            )
    return "".join(parts)
