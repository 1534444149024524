# SPDX-License-Identifier: AGPL-3.0-or-later
"""Gold spans in the documents at hand: trusted, found again, or doubtful (`spec/evaluation.md` 2).

Nothing is written back here: a placement is a proposal until the user saves it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from core.document.model import Document
from core.search.normal_text import NormalText, normal_text
from core.search.query_sets import GoldSpan, Query, QuerySet, SetDocument, in_code_points

Status = Literal["exact", "moved", "normalised", "fuzzy", "ambiguous", "lost", "not covered"]
PLACED: frozenset[Status] = frozenset({"exact", "moved", "normalised", "fuzzy"})
LEAST_SIMILARITY = 0.90
LEAST_LEAD = 0.05
SHORTEST_FUZZY = 20  # normalised characters
GREATEST_CHANGE = 0.20  # of the text's length; above, "nearest" means nothing
_LONG_TEXT = 200_000  # characters; above, a quick look first says if there is anything at all
_QUICK_LEAST = 75.0


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a gold span is in the document at hand. Offsets are code points; −1: nowhere."""

    document: str  # id of the document at hand, "" when it is not there
    start: int
    end: int
    status: Status
    similarity: float = 1.0

    @property
    def is_placed(self) -> bool:
        """True if the span can be used."""
        return self.status in PLACED


@dataclass(frozen=True, slots=True)
class PlacedQuery:
    """A question with the placements of its gold spans, in their order."""

    query: Query
    placements: tuple[Placement, ...]
    set_name: str = ""

    @property
    def left_out(self) -> str:
        """Why the question is in no span measure; empty if it is."""
        if self.query.unanswerable:
            return "unanswerable"
        if not self.query.gold:
            return "not annotated" if self.query.answer is None else "an answer, but no gold"
        statuses = {placement.status for placement in self.placements}
        if "not covered" in statuses:
            return "its document is not here"
        doubtful = statuses - PLACED
        return f"gold {', '.join(sorted(doubtful))}" if doubtful else ""


def document_ids(
    documents: Sequence[SetDocument], here: Mapping[str, Document], named: Iterable[str] = ()
) -> dict[str, str]:
    """Which document at hand each name of a query set means.

    Args:
        documents: as the set lists them.
        here: the documents at hand by id.
        named: more names that gold spans use.

    Returns:
        Ids by the set's names: by equal text, else by file name, else by the name itself.
    """
    known = {each.doc: each for each in documents}
    for name in named:
        known.setdefault(name, SetDocument(name))
    by_hash = {document.sha256: id_ for id_, document in here.items()}
    by_name: dict[str, str] = {}
    for id_, document in here.items():
        for name in (id_, document.name):
            path = PurePath(name.replace("\\", "/"))
            for each in (name, path.name, path.stem):
                by_name.setdefault(each, id_)
    found = {}
    for name, entry in known.items():
        candidates = (by_hash.get(entry.sha256), by_name.get(entry.file), by_name.get(name))
        matches = [each for each in candidates if each is not None]
        if matches:
            found[name] = matches[0]
    return found


def place_gold(query_set: QuerySet, here: Mapping[str, Document]) -> list[PlacedQuery]:
    """Find the gold spans of all questions in the documents at hand.

    Args:
        query_set: as loaded, in any unit.
        here: the documents at hand by id.
    """
    named = {span.doc for query in query_set.queries for span in query.gold}
    ids = document_ids(query_set.documents, here, named)
    texts = {name: here[id_].text for name, id_ in ids.items()}
    lengths = {each.doc: each.length for each in query_set.documents}
    placed = []
    for query in in_code_points(query_set, texts).queries:
        placements = tuple(
            _placed(span, ids.get(span.doc), texts.get(span.doc), lengths.get(span.doc))
            for span in query.gold
        )
        placed.append(PlacedQuery(query, placements, query_set.name))
    return placed


def place_quote(
    text: str, quote: str, start: int, end: int, *, old_length: int | None = None
) -> tuple[int, int, Status, float]:
    """Find a quote in a text: the steps of `spec/evaluation.md` 2, in their order.

    Args:
        text: as it is now.
        quote: the passage.
        start: where it was.
        end: likewise.
        old_length: characters of the text as it was; None: as now.

    Returns:
        Start, end, status, and similarity; −1, −1 where it is not placed.
    """
    if text[start:end] == quote:
        return start, end, "exact", 1.0
    old = old_length or len(text)
    resized = abs(len(text) - old) > GREATEST_CHANGE * old
    spans = [(hit, hit + len(quote)) for hit in _occurrences(text, quote)]
    if spans:
        return _nearest(spans, start, resized, "moved")
    where, needle = _normal(text), normal_text(quote).text.strip()
    hits = _occurrences(where.text, needle) if needle else []
    if hits:
        spans = [where.span(hit, hit + len(needle)) for hit in hits]
        return _nearest(spans, start, resized, "normalised")
    return _fuzzy(where, needle, round(start * len(text) / old))


def _placed(
    span: GoldSpan, document: str | None, text: str | None, old_length: int | None
) -> Placement:
    if document is None or text is None:
        return Placement("", -1, -1, "not covered", 0.0)
    start, end, status, similarity = place_quote(
        text, span.text, span.start, span.end, old_length=old_length
    )
    return Placement(document, start, end, status, similarity)


def _occurrences(text: str, quote: str) -> list[int]:
    found, start = [], text.find(quote)
    while start >= 0:
        found.append(start)
        start = text.find(quote, start + 1)
    return found


def _nearest(
    spans: Sequence[tuple[int, int]], old: int, resized: bool, status: Status
) -> tuple[int, int, Status, float]:
    """The span that begins nearest to the old start, if there is one nearest."""
    ordered = sorted(spans, key=lambda span: abs(span[0] - old))
    is_doubtful = len(ordered) > 1 and (
        resized or abs(ordered[0][0] - old) == abs(ordered[1][0] - old)
    )
    return (-1, -1, "ambiguous", 1.0) if is_doubtful else (*ordered[0], status, 1.0)


@lru_cache(maxsize=8)
def _normal(text: str) -> NormalText:
    return normal_text(text)


def _fuzzy(where: NormalText, needle: str, expected: int) -> tuple[int, int, Status, float]:
    """The best alignment near the expected place, then anywhere."""
    if len(needle) < SHORTEST_FUZZY:
        return -1, -1, "lost", 0.0
    text = where.text
    centre = int(where.origins.searchsorted(expected))
    reach = max(2_000, 5 * len(needle))
    windows = [(max(0, centre - reach), min(len(text), centre + reach + len(needle)))]
    if windows[0] != (0, len(text)):
        windows.append((0, len(text)))
    best_similarity = 0.0
    for low, high in windows:
        part = text[low:high]
        if len(part) > _LONG_TEXT and fuzz.partial_ratio(needle, part) < _QUICK_LEAST:
            continue
        start, end, similarity = best_alignment(part, needle)
        if similarity >= LEAST_SIMILARITY:
            others = (part[:start], part[end:])
            second = max(best_alignment(other, needle)[2] for other in others)
            if similarity - second >= LEAST_LEAD:
                return *where.span(low + start, low + end), "fuzzy", similarity
        best_similarity = max(best_similarity, similarity)
    return -1, -1, "lost", best_similarity


def best_alignment(text: str, needle: str) -> tuple[int, int, float]:
    """The part of a text that is most similar to a needle, and how similar it is.

    Similarity is 1 − Levenshtein distance / the longer length. The end of the part is where the
    distance is least, the start where the reversed needle ends best; both by Myers' bit vectors
    (Journal of the ACM 46, 1999) in integers of any length.
    """
    if not text or not needle:
        return 0, 0, 0.0
    end = _best_end(text, needle)
    reach = min(end, 2 * len(needle))
    start = end - _best_end(text[end - reach : end][::-1], needle[::-1])
    part = text[start:end]
    distance = Levenshtein.distance(part, needle)
    return start, end, 1 - distance / max(len(part), len(needle))


def _best_end(text: str, needle: str) -> int:
    """The first end of a part of `text` whose distance to `needle` is least."""
    masks: dict[str, int] = {}
    for bit, character in enumerate(needle):
        masks[character] = masks.get(character, 0) | 1 << bit
    last = 1 << (len(needle) - 1)
    ones = (1 << len(needle)) - 1
    plus, minus, distance = ones, 0, len(needle)
    best, best_end = distance, 0
    for index, character in enumerate(text):
        equal = masks.get(character, 0)
        across = (((equal & plus) + plus) ^ plus) | equal | minus
        up = minus | ~(across | plus) & ones
        down = plus & across
        if up & last:
            distance += 1
        elif down & last:
            distance -= 1
        up = up << 1 & ones  # a part may begin anywhere: nothing is added at the edge
        down = down << 1 & ones
        plus = down | ~(across | up) & ones
        minus = up & across
        if distance < best:
            best, best_end = distance, index + 1
    return best_end
