# SPDX-License-Identifier: AGPL-3.0-or-later
"""Shared hypothesis strategies: texts that look like documents, and spans of them."""

import numpy as np
from hypothesis import strategies as st

# Pieces that offsets go wrong on: line ends, marks that combine, wide and zero-width characters.
AWKWARD = (
    "\r\n", "\r", "\n\n", "\u2028", "\u0085", "\t", "\u00a0", "\u200b", "\ufeff", "\u00ad",
    "e\u0301", "\U0001f44d\U0001f3fd", "\U0001f468\u200d\U0001f469", "\U00020000",
    "\u4e2d\u6587\u3002", "\u05d0\u05d1 12", "\x00",
    "<|endoftext|>", "```\n", "| a | b |\n", "# Title\n",
)  # fmt: skip
WORDS = ("a", "The", "dose", "is", "2.5", "mg", "e.g.", "Dr.", "renal-failure", "naïve", "patients")
ENDS = (". ", "? ", "!\n", ".\n\n", ", ", " ", "; ", "\u2026 ")

# Prose: words and sentence ends, now and then something awkward.
prose = st.lists(
    st.one_of(
        st.sampled_from(WORDS).map(lambda word: word + " "),
        st.sampled_from(ENDS),
        st.sampled_from(AWKWARD),
    ),
    max_size=80,
).map("".join)

# Any text that can be written as UTF-8 (no lone surrogates).
any_text = st.text(st.characters(codec="utf-8"), max_size=300)

texts = st.one_of(prose, any_text)


@st.composite
def texts_with_spans(draw, max_spans: int = 20):
    """A text and int64 (n, 2), half-open spans in it, in any order, possibly empty or nested."""
    text = draw(texts)
    edges = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(edges, edges).map(sorted), max_size=max_spans))
    return text, np.array(pairs, np.int64).reshape(-1, 2)
