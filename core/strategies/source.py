# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a strategy may ask of a document: its text and units, each made once and kept."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, Literal, TypeVar

from core.arrays import Spans, Vectors
from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Document
from core.errors import ModelError
from core.units.graphemes import Graphemes, grapheme_table
from core.units.paragraphs import layout_paragraphs, strict_paragraphs
from core.units.sentences import end_at_headings, spacy_sentences, split_sentences
from core.units.tokens import PieceCounter, TokenTable, piece_counter, token_table
from core.vectors.embedder import Embedder
from core.vectors.late import TokenVectors, late_vectors
from core.vectors.remote import Caller

T = TypeVar("T")
Mode = Literal["default", "reference"]


@dataclass(frozen=True, slots=True)
class Options:
    """The shared options that change what a strategy is given (`spec/strategies.md` 2)."""

    mode: Mode = "default"
    tokenizer: str | None = None  # None: the strategy's own default
    sentences: str | None = None  # None: the strategy's own default
    paragraphs: Literal["strict", "layout"] = "strict"
    headings_end_sentences: bool = False
    query: str = ""
    estimate: bool = False  # late vectors stand for ordinary ones where contexts change


# Units that come from the characters alone, whatever blocks were found in them.
OF_TEXT = frozenset(
    (
        "tokens",
        "counter",
        "graphemes",
        "spacy tokens",
        "spacy sentences",
        "token vectors",
        "found pairs",
    )
)


class Units:
    """The cache of one document's units, shared by all strategies. One worker uses it at a time.

    `of_text` holds what comes from the characters alone (`OF_TEXT`). Versions of a document that
    differ in their blocks only share it: the layout arrives while vectors are being made.
    """

    def __init__(self, of_text: dict[Hashable, Any] | None = None) -> None:
        self._kept: dict[Hashable, Any] = {}
        self._of_text: dict[Hashable, Any] = {} if of_text is None else of_text

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under `key`, made on first use."""
        place = self._place(key)
        if key not in place:
            place[key] = make()
        value: T = place[key]
        return value

    def __contains__(self, key: Hashable) -> bool:
        return key in self._place(key)

    def _place(self, key: Hashable) -> dict[Hashable, Any]:
        kind = key[0] if isinstance(key, tuple) else key
        return self._of_text if kind in OF_TEXT else self._kept

    def aside(self) -> "Units":
        """The same cache, except that what strategies prepare is not kept in it."""
        return _UnitsAside(self)


class _UnitsAside(Units):
    def __init__(self, units: Units) -> None:
        self._kept, self._of_text = units._kept, units._of_text
        self._prepared: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        if isinstance(key, tuple) and key[0] == "prepared":
            value: T = self._prepared.setdefault(key, make())
            return value
        return super().get(key, make)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A document as one strategy sees it.

    `tokenizer` and `splitter` are the names in force for this strategy: the user's choice, or
    else the strategy's published default.
    """

    document: Document
    options: Options = field(default_factory=Options)
    tokenizer: str = "cl100k_base"
    splitter: str = "punkt"
    embedder: Embedder | None = None
    units: Units = field(default_factory=Units)
    cancel: CancelToken = NEVER
    progress: Progress = silent
    engine: Caller | None = None  # where functions run that import large libraries; None: here

    def apart(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a module's function, in the engine process if there is one.

        It is given `cancel` and `progress` by keyword. For what imports spaCy, scikit-learn and
        the like: in the window's process such an import would stop the window for a second.
        """
        if self.engine is None:
            return function(*arguments, cancel=self.cancel, progress=self.progress)
        call = self.engine.call_apart
        return call(function, *arguments, cancel=self.cancel, progress=self.progress)

    @property
    def text(self) -> str:
        """The document's text."""
        return self.document.text

    @property
    def is_reference(self) -> bool:
        """True in reference mode (`spec/strategies.md` 1.5)."""
        return self.options.mode == "reference"

    def tokens(self, tokenizer: str | None = None) -> TokenTable:
        """The offset table of the whole text's tokens."""
        name = tokenizer or self.tokenizer
        return self.units.get(("tokens", name), lambda: token_table(self.text, name))

    def counter(self, tokenizer: str | None = None) -> PieceCounter:
        """Counts units of pieces, each encoded by itself, with a cache by piece."""
        name = tokenizer or self.tokenizer
        return self.units.get(("counter", name), lambda: piece_counter(name))

    def sentences(self, splitter: str | None = None) -> Spans:
        """int64 (n, 2): spans of the sentences, ascending, without overlap."""
        name = splitter or self.splitter
        ends = self.options.headings_end_sentences

        def split() -> Spans:
            if name != "spacy":
                return split_sentences(self.document, name, headings_end_sentences=ends)
            found = self.units.get(
                "spacy sentences", lambda: self.apart(spacy_sentences, self.text)
            )
            return end_at_headings(self.document, found) if ends else found

        return self.units.get(("sentences", name, ends), split)

    def paragraphs(self) -> Spans:
        """int64 (n, 2): spans of the paragraphs by the rule in force."""
        rule = self.options.paragraphs
        make = layout_paragraphs if rule == "layout" else strict_paragraphs
        return self.units.get(("paragraphs", rule), lambda: make(self.document))

    def graphemes(self) -> Graphemes:
        """Where grapheme clusters begin."""
        return self.units.get("graphemes", lambda: grapheme_table(self.text))

    def model(self) -> Embedder:
        """The embedder.

        Raises:
            ModelError: none was chosen.
        """
        if self.embedder is None:
            raise ModelError("this strategy needs an embedding model: choose one")
        return self.embedder

    def vectors(self, texts: list[str]) -> Vectors:
        """float32 (n, d): ordinary vectors of `texts`."""
        return self.model().encode(texts, self.cancel, self.progress)

    def sentence_vectors(self, splitter: str | None = None) -> Vectors:
        """float32 (n, d): ordinary vectors of the sentences, newlines read as spaces."""
        spans = self.sentences(splitter)
        key = ("sentence vectors", splitter or self.splitter, self.options, model_key(self.model()))
        texts = [self.text[a:b].replace("\n", " ") for a, b in spans.tolist()]
        return self.units.get(key, lambda: self.vectors(texts))

    def token_vectors(self) -> TokenVectors:
        """Prefix sums of the token vectors, for late pooling."""
        model = self.model()
        return self.units.get(
            ("token vectors", model_key(model)),
            lambda: late_vectors(self.text, model, cancel=self.cancel, progress=self.progress),
        )

    def part(self, text: str) -> "Source":
        """The same options over another text: the second stage of a hybrid."""
        return replace(self, document=Document(text), units=Units())


def model_key(model: Embedder) -> tuple[str, int | None]:
    """What the vectors of a text depend on: the model, and how much of a text it reads."""
    return model.id, model.window


def renewed(prepared: T, source: Source) -> T:
    """A prepared value for another run: one that asks its source for more asks `source` now.

    What it was prepared with carries the cancel token of a run that is over.
    """
    if is_dataclass(prepared) and isinstance(getattr(prepared, "source", None), Source):
        return replace(prepared, source=source)  # type: ignore[type-var]  # just looked
    return prepared
