# SPDX-License-Identifier: AGPL-3.0-or-later
"""Linker repair: a step that begins with "unless" or "until" stays with the step before.

Source: section 2.2.6 of the clinical paper; the details are ours (`spec/strategies.md` 5.5).
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.arrays import Indices, Spans
from core.strategies.chunks import Rule
from core.strategies.source import Source
from core.units.tokens import TokenTable

TOKENIZER = "cl100k_base"
LINKER_RULES = (
    Rule("linker", "kept with the step before: begins with {detail}"),
    Rule(
        "linker overlap",
        "begins {value:.0f} tokens earlier, at most {threshold:.0f}: "
        "the step after begins with {detail}",
    ),
)
KEPT, EARLIER = 2, 3  # after the two rules of the joining

_FIRST_WORD = re.compile(r"[^\W_][\w'’-]*")
_WORD_START = re.compile(r"(?<!\S)\S")


class Cut(NamedTuple):
    """A cut before a sentence. `rule` is an index into the strategy's rules.

    A named tuple: a drag makes thousands, and a frozen dataclass takes three times as long.
    """

    sentence: int
    rule: int
    value: float
    threshold: float
    detail: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class StepWords:
    """What linker repair asks of the n sentences.

    first_words: in lower case, without leading marks; "" where there is no word.
    first_tokens, last_tokens: int64 (n,), index of each sentence's first and last token.
    """

    text: str
    spans: Spans
    first_words: Sequence[str]
    first_tokens: Indices
    last_tokens: Indices
    tokens: TokenTable


def step_words(source: Source, spans: Spans, texts: Sequence[str]) -> StepWords:
    """Find the first words and the tokens of the sentences, int64 (n, 2)."""
    found = [_FIRST_WORD.search(text) for text in texts]
    tokens = source.tokens(TOKENIZER)
    return StepWords(
        text=source.text,
        spans=spans,
        first_words=[match.group().lower() if match else "" for match in found],
        first_tokens=tokens.token_at(spans[:, 0]),
        last_tokens=tokens.token_at(np.maximum(spans[:, 1] - 1, spans[:, 0])),
        tokens=tokens,
    )


def keep_with_step_before(
    cuts: Sequence[Cut],
    steps: StepWords,
    words: Sequence[int],
    *,
    linkers: Collection[str],
    max_words: int,
) -> list[Cut]:
    """Move each cut past the sentences after it that begin with a linker, while they fit.

    A chunk of which nothing is left disappears with its cut.

    Args:
        cuts: ascending.
        steps: the sentences.
        words: words of each sentence.
        linkers: in lower case.
        max_words: greatest sum of a chunk's words.
    """
    if not cuts:
        return []
    first_words = steps.first_words
    kept: list[Cut] = []
    before = sum(words[: cuts[0].sentence])
    ends = [*(cut.sentence for cut in cuts[1:]), len(words)]
    for cut, end in zip(cuts, ends, strict=True):
        sentence, linker = cut.sentence, ""
        while (
            sentence < end
            and first_words[sentence] in linkers
            and before + words[sentence] <= max_words
        ):
            linker = first_words[sentence]
            before += words[sentence]
            sentence += 1
        if sentence == end:
            continue
        kept.append(Cut(sentence, KEPT, np.nan, np.nan, linker) if linker else cut)
        before = sum(words[sentence:end])
    return kept


def earlier_starts(
    edges: Indices, steps: StepWords, *, linkers: Collection[str], repair_overlap: int
) -> Iterator[tuple[int, int, Cut]]:
    """Chunks that begin with a linker, which did not fit into the chunk before.

    Args:
        edges: int64 (m + 1,), the first sentence of each of m chunks, and their number.
        steps: the sentences.
        linkers: in lower case.
        repair_overlap: tokens that may be repeated.

    Yields:
        The chunk, where it begins now (in code points), and the reason.
    """
    for chunk in range(1, len(edges) - 1):
        first = int(edges[chunk])
        linker = steps.first_words[first]
        if linker not in linkers:
            continue
        found = _earlier_start(steps, int(edges[chunk - 1]), first, repair_overlap)
        if found is not None:
            start, repeated = found
            yield chunk, start, Cut(first, EARLIER, repeated, repair_overlap, linker)


def _earlier_start(
    steps: StepWords, previous: int, first: int, most: int
) -> tuple[int, int] | None:
    """Start and tokens of what is repeated before sentence `first`; None for nothing.

    The longest run of whole sentences of the chunk before that has at most `most` tokens; if
    there is none, the last sentence from the first word start within its last `most` tokens.
    """
    last_token = int(steps.last_tokens[first - 1])
    counts = last_token - steps.first_tokens[previous:first] + 1
    fitting = np.flatnonzero(counts <= most)
    if len(fitting):
        sentence = previous + int(fitting[0])
        return int(steps.spans[sentence, 0]), int(counts[fitting[0]])
    if most < 1:
        return None
    low = int(steps.tokens.floors[last_token - most + 1])
    match = _WORD_START.search(steps.text, low, int(steps.spans[first - 1, 1]))
    if match is None:
        return None
    token = int(steps.tokens.token_at(np.array([match.start()]))[0])
    return match.start(), last_token - token + 1
