# SPDX-License-Identifier: AGPL-3.0-or-later
"""The pair finder on spaCy: pronouns of an English text with the mentions they stand for."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from core.arrays import Spans, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.scores.antecedents import RULES, Discourse, read_on
from core.scores.mentions import model_version, parse
from core.scores.pairs import FoundPairs, as_pairs, no_pairs

VERSION = "2"
KEPT_TEXTS = 16
ENGLISH_ONLY = "reference pairs can be found in English only, and the document's language is '{}'"


@dataclass(frozen=True, slots=True)
class SpacyPairFinder:
    """Finds pairs by one of the rules of `antecedents.py`, once a text.

    persons: "third", or "all" for *I*, *we* and *you* too, which as a rule have no antecedent in
    the text. demonstratives, relatives: *this* and *who* and their like, off as published.
    """

    rule: str = "ranked"
    persons: str = "third"
    demonstratives: bool = False
    relatives: bool = False
    _kept: OrderedDict[str, FoundPairs] = field(default_factory=OrderedDict, compare=False)

    @property
    def id(self) -> str:
        """Rule, versions and options: part of cache keys, shown beside RC."""
        options = [
            name
            for name, is_on in (
                ("persons=all", self.persons == "all"),
                ("demonstratives", self.demonstratives),
                ("relatives", self.relatives),
            )
            if is_on
        ]
        extra = f" ({', '.join(options)})" if options else ""
        return f"spaCy {self.rule} {VERSION}/{model_version()}{extra}"

    def find(
        self,
        text: str,
        language: str,
        *,
        boilerplate: Spans | None = None,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> FoundPairs:
        """All pairs of the text, from the cache if it was read before.

        Args:
            text: the document's text.
            language: ISO 639-1; other than "en" gives no pairs, with the reason.
            boilerplate: int64 (n, 2), spans whose mentions do not count.
            cancel: asked between blocks of about a page.
            progress: told characters.
        """
        if language != "en":
            return no_pairs(self.id, ENGLISH_ONLY.format(language))
        key = self._key(text, boilerplate)
        if key not in self._kept:
            found = no_pairs(self.id, "")
            for found in self.find_step_by_step(  # noqa: B007 - the last one has all pairs
                text, boilerplate=boilerplate, cancel=cancel, progress=progress
            ):
                pass
            self._kept[key] = found
            while len(self._kept) > KEPT_TEXTS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def find_step_by_step(
        self,
        text: str,
        *,
        boilerplate: Spans | None = None,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Iterator[FoundPairs]:
        """Yield the pairs found so far, after each block of about a page of English text."""
        spans = as_spans([]) if boilerplate is None else boilerplate
        discourse = Discourse()
        for parsed in parse(
            text,
            spans,
            speakers=self.persons == "all",
            demonstratives=self.demonstratives,
            relatives=self.relatives,
            cancel=cancel,
            progress=progress,
        ):
            read_on(discourse, parsed, RULES[self.rule])
            yield self._pairs(discourse)

    def _pairs(self, discourse: Discourse) -> FoundPairs:
        links = discourse.links
        rows = [
            (each.mention.start, each.mention.end, each.pronoun.start, each.pronoun.end)
            for each in links
        ]
        return FoundPairs(
            self.id,
            as_pairs(rows),
            np.array([each.confidence for each in links], np.float64),
            (self.rule,) * len(links),
            (f"{discourse.resolved - len(links)} pronouns have no mention before them",),
        )

    def _key(self, text: str, boilerplate: Spans | None) -> str:
        digest = hashlib.sha256(text.encode("utf-8"))
        digest.update(b"" if boilerplate is None else boilerplate.tobytes())
        return f"{self.id}|{digest.hexdigest()}"
