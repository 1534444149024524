# SPDX-License-Identifier: AGPL-3.0-or-later
"""Near-duplicates among chunks and among documents (`spec/evaluation.md` 9 and 10)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Spans
from core.cancel import NEVER, CancelToken
from core.document.model import Document
from core.search.normal_text import normal_text, normalised

WORDS = 5  # of a shingle
NEAR = 0.8  # Jaccard share
CONTAINED = 0.8  # share of the smaller set
DOCUMENTS_ALIKE = 0.5
COMMON_WORDS = 50  # of a passage that two documents share
EXACT_UP_TO = 5_000  # chunks
COMMON_SHINGLE = 200  # chunks; a shingle in more of them makes no candidates
PERMUTATIONS, BANDS, SEED = 128, 32, 12_345
Shingles = frozenset[int]
PairKind = Literal["near-duplicate", "contained"]


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two chunks that say nearly the same; `first` is the lower number."""

    first: int
    second: int
    jaccard: float
    contained: float
    kind: PairKind
    overlaps: bool  # in position in one document: an effect of the overlap setting


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """Two documents with common text; `share` of `part` is in `whole`."""

    part: str
    whole: str
    share: float
    jaccard: float
    same_text: bool
    same_file: bool
    passages: tuple[tuple[int, int, int, int], ...] = ()  # start, end in part; in whole


def shingles(text: str) -> Shingles:
    """Hashes of the runs of five words of a normalised text; of all its words if fewer."""
    words = normalised(text).split()
    if len(words) < WORDS:
        return frozenset({_hash(words)}) if words else frozenset()
    return frozenset(map(_hash, zip(*(words[i:] for i in range(WORDS)), strict=False)))


def similarity(one: Shingles, other: Shingles) -> tuple[float, float]:
    """Jaccard share, and share of the smaller set; 0 for an empty set."""
    if not one or not other:
        return 0.0, 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common), common / min(len(one), len(other))


def duplicate_pairs(
    texts: Sequence[str], documents: Indices, spans: Spans, *, cancel: CancelToken = NEVER
) -> list[DuplicatePair]:
    """The pairs of chunks that are near-duplicates, or one of which is in the other.

    Args:
        texts: of the n chunks.
        documents: int64 (n,), the document of each.
        spans: int64 (n, 2), where each is in its document.
        cancel: asked between chunks.
    """
    sets = []
    for text in texts:
        cancel.check()
        sets.append(shingles(text))
    candidates = _by_shingle(sets) if len(sets) <= EXACT_UP_TO else _by_minhash(sets)
    found = []
    for first, second in sorted(candidates):
        jaccard, contained = similarity(sets[first], sets[second])
        if jaccard < NEAR and contained < CONTAINED:
            continue
        overlaps = documents[first] == documents[second] and (
            max(spans[first, 0], spans[second, 0]) < min(spans[first, 1], spans[second, 1])
        )
        kind: PairKind = "near-duplicate" if jaccard >= NEAR else "contained"
        found.append(DuplicatePair(first, second, jaccard, contained, kind, bool(overlaps)))
    return found


def duplicate_groups(pairs: Sequence[DuplicatePair]) -> list[list[int]]:
    """Connected chunks, each group ascending; its first is the representative."""
    parents: dict[int, int] = {}

    def root(node: int) -> int:
        parents.setdefault(node, node)
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for pair in pairs:
        low, high = sorted((root(pair.first), root(pair.second)))
        parents[high] = low
    groups: dict[int, list[int]] = {}
    for node in sorted(parents):
        groups.setdefault(root(node), []).append(node)
    return list(groups.values())


def repeats(ranked: Indices, pairs: frozenset[tuple[int, int]]) -> list[bool]:
    """Whether each ranked chunk nearly repeats a higher one; pairs are (lower, higher number)."""
    seen: list[int] = []
    found = []
    for chunk in ranked.tolist():
        found.append(any((min(chunk, old), max(chunk, old)) in pairs for old in seen))
        seen.append(chunk)
    return found


def document_pairs(documents: Mapping[str, Document]) -> list[DocumentPair]:
    """Pairs of documents half of one of which is in the other, or that are the same file."""
    sets = {name: shingles(document.text) for name, document in documents.items()}
    found = []
    for one, other in combinations(sorted(documents), 2):
        jaccard, contained = similarity(sets[one], sets[other])
        first, second = documents[one], documents[other]
        same_file = bool(first.source_sha256) and first.source_sha256 == second.source_sha256
        same_text = first.text == second.text
        if contained < DOCUMENTS_ALIKE and not same_file and not same_text:
            continue
        part, whole = (one, other) if len(sets[one]) <= len(sets[other]) else (other, one)
        passages = common_passages(documents[part].text, documents[whole].text)
        found.append(
            DocumentPair(part, whole, contained, jaccard, same_text, same_file, tuple(passages))
        )
    return found


def common_passages(one: str, other: str) -> list[tuple[int, int, int, int]]:
    """Maximal runs of at least 50 equal words: start and end in one text, then in the other."""
    words, places = _words(one)
    other_words, other_places = _words(other)
    where: dict[tuple[str, ...], int] = {}
    for index in range(len(other_words) - WORDS, -1, -1):
        where[tuple(other_words[index : index + WORDS])] = index
    found = []
    index = 0
    while index + WORDS <= len(words):
        start = where.get(tuple(words[index : index + WORDS]))
        length = 0 if start is None else _run(words, other_words, index, start)
        if start is not None and length >= COMMON_WORDS:
            last, other_last = index + length - 1, start + length - 1
            found.append(
                (
                    places[index][0],
                    places[last][1],
                    other_places[start][0],
                    other_places[other_last][1],
                )
            )
        index += max(1, length)
    return found


def copied_spans(
    quote: str, home: str, documents: Mapping[str, Document], *, least: int = 50
) -> list[tuple[str, int, int]]:
    """The other documents that hold the same passage: id, start and end.

    The passage must be the same string of at least 50 characters, or be equal once normalised.
    """
    found = []
    for name, document in documents.items():
        if name == home:
            continue
        start = document.text.find(quote) if len(quote) >= least else -1
        if start >= 0:
            found.append((name, start, start + len(quote)))
            continue
        needle = normalised(quote).strip()
        if len(needle) < least or needle not in _normalised(document.text):
            continue
        where = _normal_text(document.text)
        place = where.text.find(needle)
        if place >= 0:
            found.append((name, *where.span(place, place + len(needle))))
    return found


_normalised = lru_cache(maxsize=64)(normalised)
_normal_text = lru_cache(maxsize=8)(normal_text)


def _by_shingle(sets: Sequence[Shingles]) -> set[tuple[int, int]]:
    """Pairs that share a shingle that is not too common."""
    holders: dict[int, list[int]] = {}
    for number, each in enumerate(sets):
        for shingle in each:
            holders.setdefault(shingle, []).append(number)
    groups = {tuple(each) for each in holders.values() if 1 < len(each) <= COMMON_SHINGLE}
    candidates: set[tuple[int, int]] = set()
    for group in groups:
        candidates.update(combinations(group, 2))
    return candidates


def _by_minhash(sets: Sequence[Shingles]) -> set[tuple[int, int]]:
    """Pairs that agree in a band of their MinHash signatures (Broder 1997)."""
    signatures = minhash(sets)
    rows = PERMUTATIONS // BANDS
    candidates: set[tuple[int, int]] = set()
    for band in range(BANDS):
        buckets: dict[bytes, list[int]] = {}
        part = np.ascontiguousarray(signatures[:, band * rows : (band + 1) * rows])
        for number, each in enumerate(sets):
            if each:
                buckets.setdefault(part[number].tobytes(), []).append(number)
        for members in buckets.values():
            if len(members) > 1:
                candidates.update(combinations(members, 2))
    return candidates


def minhash(sets: Sequence[Shingles]) -> NDArray[np.uint64]:
    """uint64 (n, 128): the least of each set under 128 permutations, linear modulo 2^64."""
    generator = np.random.default_rng(SEED)
    highest = np.iinfo(np.uint64).max
    factors = generator.integers(0, highest, PERMUTATIONS, np.uint64) | np.uint64(1)
    shifts = generator.integers(0, highest, PERMUTATIONS, np.uint64)
    signatures = np.full((len(sets), PERMUTATIONS), highest, np.uint64)
    for number, each in enumerate(sets):
        if each:
            values = np.fromiter(each, np.uint64, len(each))
            signatures[number] = (values[:, None] * factors + shifts).min(axis=0)
    return signatures


def _hash(words: Sequence[str]) -> int:
    """64 bits that are the same in every run."""
    return int.from_bytes(
        blake2b(" ".join(words).encode(errors="surrogatepass"), digest_size=8).digest()
    )


def _words(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The normalised words of a text with their spans in it."""
    where = normal_text(text)
    words, places = [], []
    position = 0
    for word in where.text.split():
        start = where.text.index(word, position)
        position = start + len(word)
        words.append(word)
        places.append(where.span(start, position))
    return words, places


def _run(words: Sequence[str], others: Sequence[str], index: int, start: int) -> int:
    """How many words are equal from there on."""
    length = 0
    while (
        index + length < len(words)
        and start + length < len(others)
        and words[index + length] == others[start + length]
    ):
        length += 1
    return length
