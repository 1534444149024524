# SPDX-License-Identifier: AGPL-3.0-or-later
"""The options that all strategies share, declared like their own parameters.

They are set by the names here (`--set tail.rule=merge`). What a strategy declares under the same
name comes first: `sentences` of SGC is a number.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from core.declaration import Declaration, Parameter, Value
from core.errors import ParameterError, nearest
from core.units.sentences import SPLITTERS, canonical_splitter
from core.units.tokens import TOKENIZERS, canonical_tokenizer

SNAPS = ("none", "character", "grapheme", "word", "sentence", "block")
BY_STRATEGY = "default"  # of tokenizer and sentences: what the strategy declares

SHARED_OPTIONS: tuple[Parameter, ...] = (
    Parameter(
        "mode",
        "default",
        "default: cuts never split a visible character; reference: as the released code does it",
        type="choice",
        choices=("default", "reference"),
        slow=True,
    ),
    Parameter(
        "tokenizer",
        BY_STRATEGY,
        "What a token is; default: the one that the strategy was published with",
        type="choice",
        choices=(BY_STRATEGY, *TOKENIZERS),
        slow=True,
    ),
    Parameter(
        "sentences",
        BY_STRATEGY,
        "Who finds sentences; default: the splitter that the strategy was published with, and "
        "Unicode rules for texts that are not English",
        type="choice",
        choices=(BY_STRATEGY, *SPLITTERS),
        slow=True,
    ),
    Parameter(
        "headings_end_sentences",
        BY_STRATEGY,
        "Whether a heading is a sentence of its own; default: on for K4 and S1",
        type="choice",
        choices=(BY_STRATEGY, "on", "off"),
        slow=True,
    ),
    Parameter(
        "paragraphs.rule",
        "strict",
        "strict: between blank lines; layout: the blocks of the page",
        type="choice",
        choices=("strict", "layout"),
        slow=True,
    ),
    Parameter(
        "query",
        "",
        "The query of strategies that read the text for what is asked (LCSI, LCPI, LCTS)",
        type="pattern",
        slow=True,
    ),
    Parameter(
        "snap",
        "grapheme",
        "Where cuts may lie: a cut moves back to the start of the character it splits, or to the "
        "nearest edge of a word, sentence or block",
        type="choice",
        choices=SNAPS,
    ),
    Parameter(
        "protect",
        "off",
        "What is never cut while it fits: tables, or blocks (tables, figures, footnotes, lists)",
        type="choice",
        choices=("off", "tables", "blocks"),
    ),
    Parameter(
        "tail.rule",
        "keep",
        "What becomes of a short last chunk: kept, joined with the one before, or dropped",
        type="choice",
        choices=("keep", "merge", "drop"),
    ),
    Parameter(
        "tail.min",
        25,
        "A last chunk below this share of the size is short",
        minimum=1,
        maximum=99,
        unit="percent",
    ),
    Parameter(
        "cap.max",
        0,
        "Greatest size of any chunk as a last resort: longer ones are cut; 0: no limit",
        minimum=0,
        maximum=100_000,
        unit="units of cap.length",
    ),
    Parameter(
        "cap.length",
        "cl100k_base",
        "What cap.max counts",
        type="choice",
        choices=TOKENIZERS,
        slow=True,
    ),
    Parameter(
        "reg",
        False,
        "Regularisation: chunks above the greatest size are split, small ones are joined",
        type="boolean",
    ),
    Parameter(
        "reg.max",
        1100,
        "A chunk above this is split",
        minimum=1,
        maximum=100_000,
        step=10,
        unit="tokens",
    ),
    Parameter(
        "reg.min",
        100,
        "A chunk below this is joined with a neighbour",
        minimum=0,
        maximum="reg.max",
        step=5,
        unit="tokens",
    ),
    Parameter(
        "reg.merged_max",
        1150,
        "Greatest sum of two chunks that are joined",
        minimum="reg.max",
        maximum=100_000,
        step=10,
        unit="tokens",
    ),
    Parameter(
        "reg.toward",
        "next",
        "Which neighbour a small chunk is joined with, if both fit",
        type="choice",
        choices=("next", "previous"),
    ),
    Parameter("reg.split", True, "Whether chunks that are too large are split", type="boolean"),
    Parameter("reg.fill", True, "Whether gaps between chunks are closed", type="boolean"),
    Parameter(
        "reg.length",
        "o200k_base",
        "What the sizes of regularisation count",
        type="choice",
        choices=TOKENIZERS,
        slow=True,
    ),
)

_BY_NAME = {option.name: option for option in SHARED_OPTIONS}
_DECLARATION = Declaration(
    "shared", "Shared options", "shared", "instant", "", "", parameters=SHARED_OPTIONS
)
_REFERENCE_DEFAULTS: dict[str, object] = {"snap": "none"}
_CANONICAL: dict[str, Callable[[str], str]] = {
    "tokenizer": canonical_tokenizer,
    "cap.length": canonical_tokenizer,
    "reg.length": canonical_tokenizer,
    "sentences": canonical_splitter,
}
# strategies whose sentences end at headings in default mode (`spec/strategies.md` 2.2)
_HEADINGS_END_SENTENCES = frozenset({"K4", "S1"})


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """The shared options of one recipe, all checked."""

    values: tuple[tuple[str, Value], ...]

    def __getitem__(self, name: str) -> Value:
        return dict(self.values)[name]

    def text(self, name: str) -> str:
        """The value of a choice."""
        return str(self[name])

    def number(self, name: str) -> int:
        """The value of a whole number."""
        return int(self[name])  # type: ignore[arg-type]  # an integer by its declaration

    @property
    def is_reference(self) -> bool:
        """True in reference mode (`spec/strategies.md` 1.5)."""
        return self["mode"] == "reference"

    def changed(self) -> dict[str, Value]:
        """The options that differ from their defaults in this mode."""
        defaults = {option.name: _default(option, self.is_reference) for option in SHARED_OPTIONS}
        return {name: value for name, value in self.values if value != defaults[name]}


def shared_option(name: str) -> Parameter:
    """The shared option called `name`.

    Raises:
        ParameterError: there is none; the message names the nearest.
    """
    if name not in _BY_NAME:
        raise ParameterError(f"there is no shared option '{name}'{nearest(name, _BY_NAME)}")
    return _BY_NAME[name]


def check_shared(settings: Mapping[str, object]) -> SharedOptions:
    """All shared options: those of `settings`, and defaults for the others.

    Raises:
        ParameterError: an unknown name, or a value that is not allowed.
    """
    unknown = [name for name in settings if name not in _BY_NAME]
    if unknown:
        shared_option(unknown[0])
    is_reference = str(settings.get("mode", "default")) == "reference"
    given = _REFERENCE_DEFAULTS | dict(settings) if is_reference else settings
    values = _DECLARATION.check({name: _canonical(name, value) for name, value in given.items()})
    if is_reference and values["snap"] != "none":
        raise ParameterError(
            f"snap is '{values['snap']}', but must be 'none' in reference mode: leave it out, or "
            "choose the default mode"
        )
    return SharedOptions(tuple(values.items()))


def shared_names() -> Iterable[str]:
    """The names of all shared options."""
    return _BY_NAME.keys()


def tokenizer_of(declaration: Declaration, shared: SharedOptions) -> str:
    """The token unit in force: the user's, or else the strategy's own."""
    chosen = shared.text("tokenizer")
    own = declaration.tokenizer or "cl100k_base"
    return canonical_tokenizer(own if chosen == BY_STRATEGY else chosen)


def splitter_of(declaration: Declaration, shared: SharedOptions, language: str) -> str:
    """The sentence splitter in force: the user's, or the strategy's own.

    Punkt, spaCy and the published expression know English; a text in another language is split by
    Unicode's rules, except in reference mode.
    """
    chosen = shared.text("sentences")
    if chosen != BY_STRATEGY:
        return chosen
    if language != "en" and not shared.is_reference:
        return "unicode"
    return declaration.sentences or "punkt"


def headings_end_sentences(code: str, shared: SharedOptions) -> bool:
    """Whether headings are sentences of their own: the user's choice, or the strategy's."""
    chosen = shared.text("headings_end_sentences")
    if chosen != BY_STRATEGY:
        return chosen == "on"
    return code in _HEADINGS_END_SENTENCES and not shared.is_reference


def _default(option: Parameter, is_reference: bool) -> object:
    return _REFERENCE_DEFAULTS.get(option.name, option.default) if is_reference else option.default


def _canonical(name: str, value: object) -> object:
    """Aliases of names of units; everything else as it is."""
    if name in _CANONICAL and value != BY_STRATEGY:
        return _CANONICAL[name](str(value))
    return value
