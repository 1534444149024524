# SPDX-License-Identifier: AGPL-3.0-or-later
"""Windows of spaCy tokens (K1b), the second baseline of the clinical paper.

Source: section 2.2.6 of the clinical paper; `spec/strategies.md` 5.2.
"""

import numpy as np

from core.arrays import Spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.declaration import Declaration, Parameter, Preset
from core.strategies.chunks import Chunks, Rule, one_span_chunks
from core.strategies.groups import window_reasons, windows
from core.strategies.registry import strategy
from core.strategies.source import Source
from core.units.sentences import parser

# A piece for the tokenizer ends after white space, where no token of spaCy's goes across.
CHARACTERS_AT_ONCE = 200_000

K1B = Declaration(
    code="K1b",
    name="Fixed spaCy-token window (clinical)",
    family="clinical",
    strategy_class="instant",
    source="Comparative evaluation of advanced chunking (clinical paper), section 2.2.6",
    help="Windows of equally many spaCy tokens. The paper names 250, 400 and 600; 400 is ours.",
    parameters=(
        Parameter(
            "size",
            default=400,
            minimum=1,
            maximum=20_000,
            step=10,
            unit="spaCy tokens",
            help="Tokens of a window",
        ),
        Parameter(
            "overlap",
            default=50,
            minimum=0,
            maximum="size - 1",
            step=5,
            unit="spaCy tokens",
            help="Tokens that two neighbouring windows share",
        ),
    ),
    presets=(
        Preset("Clinical paper, 250", {"size": 250, "overlap": 50}),
        Preset("Clinical paper, 400", {"size": 400, "overlap": 50}),
        Preset("Clinical paper, 600", {"size": 600, "overlap": 50}),
    ),
    apart=True,
)

FULL = Rule("window full", "the window has {value:.0f} of {threshold:.0f} spaCy tokens")
STEP = Rule("window step", "the next window starts {value:.0f} spaCy tokens later")


def find_tokens(source: Source) -> Spans:
    """int64 (n, 2): spaCy's tokens, those of white space left out; made once and kept."""
    return source.units.get("spacy tokens", lambda: source.apart(spacy_tokens, source.text))


def spacy_tokens(text: str, cancel: CancelToken = NEVER, progress: Progress = silent) -> Spans:
    """int64 (n, 2): spans of the tokens of the packaged English pipeline."""
    tokenizer = parser().tokenizer
    found = [np.empty((0, 2), np.int64)]
    start = 0
    while start < len(text):
        cancel.check()
        progress(start, len(text), "characters")
        end = _piece_end(text, start)
        table = tokenizer(text[start:end]).to_array(["IDX", "LENGTH", "IS_SPACE"]).astype(np.int64)
        words = table[table[:, 2] == 0]
        found.append(np.stack([words[:, 0], words[:, 0] + words[:, 1]], axis=1) + start)
        start = end
    return np.concatenate(found)


def _piece_end(text: str, start: int) -> int:
    """The end of the next piece: before white space that follows a word, or the text's end."""
    end = start + CHARACTERS_AT_ONCE
    while end < len(text) and not (text[end].isspace() and not text[end - 1].isspace()):
        end += 1
    return min(end, len(text))


@strategy(K1B, prepare=find_tokens)
def cut_spacy_windows(tokens: Spans, *, size: int, overlap: int) -> Chunks:
    """Windows of `size` tokens; each shares `overlap` with the one before."""
    step = max(1, size - overlap)
    first, end = windows(len(tokens), size, step)
    spans = np.stack([tokens[first, 0], tokens[end - 1, 1]], axis=1)
    starts, ends = window_reasons(
        FULL, STEP, end - first, size=size, step=step, at_end=end == len(tokens)
    )
    return one_span_chunks(spans, starts, ends)
