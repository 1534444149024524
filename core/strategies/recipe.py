# SPDX-License-Identifier: AGPL-3.0-or-later
r"""A recipe: a strategy with all its parameters and shared options, checked.

The one-word form is that of the command line, `FC:size=400,overlap=200`. A comma begins the next
parameter only where `NAME=` follows, so word lists and patterns may hold commas; before a comma
that is followed by such text by chance stands a backslash: `RGX:pattern=a\,b=`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.declaration import Declaration, Parameter, Value
from core.errors import ParameterError, nearest
from core.strategies.hybrids import GENERIC, generic_strategy, stages_of
from core.strategies.registry import Strategy, find
from core.strategies.shared_options import SharedOptions, check_shared, shared_names
from core.units.tokens import ALIASES

_NEXT_PARAMETER = re.compile(r"(?<!\\),(?=\s*[A-Za-z_][\w.]*=)")

# `spec/strategies.md` 1.4: the released windows take one unit a step where the overlap is as large
# as the size, the recursive ones allow an overlap of just the size.
_ENDLESS_OVERLAP = frozenset({"FCC", "FC", "OFC", "SGC", "PGC", "K1b"})
_FULL_OVERLAP = frozenset({"RC", "RTF", "PCC", "STM", "K1"})
_REFERENCE_DEFAULTS: Mapping[str, Mapping[str, Value]] = {"PAGE": {"keep_empty": True}}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A strategy's code with the values of its own parameters and of the shared options."""

    code: str
    own: tuple[tuple[str, Value], ...]
    shared: SharedOptions

    @property
    def parameters(self) -> dict[str, Value]:
        """The strategy's own parameters by name."""
        return dict(self.own)

    @property
    def settings(self) -> dict[str, Value]:
        """All that makes this recipe again: own parameters, and shared options that differ."""
        return dict(self.own) | {
            name: value
            for name, value in self.shared.changed().items()
            if name not in dict(self.own)
        }

    @property
    def is_reference(self) -> bool:
        """True in reference mode."""
        return self.shared.is_reference

    @property
    def strategy(self) -> Strategy:
        """The strategy with the declaration that it has at these parameters."""
        return strategy_at(self.code, self.parameters)

    @property
    def word(self) -> str:
        """The one-word form, with all of `settings`."""
        written = ",".join(f"{name}={_written(value)}" for name, value in self.settings.items())
        return f"{self.code}:{written}" if written else self.code

    def with_settings(self, settings: Mapping[str, object]) -> "Recipe":
        """The same recipe with some values changed; what is not named stays.

        Raises:
            ParameterError: an unknown name, or a value that is not allowed.
        """
        then = strategy_at(self.code, self.parameters | dict(settings)).declaration
        own = {parameter.name for parameter in then.parameters}
        kept: dict[str, object] = {k: v for k, v in self.own if k in own}
        options = {k: v for k, v in self.shared.changed().items() if k in own or k not in settings}
        return make_recipe(self.code, {**kept, **settings}, options=options)


def strategy_at(code: str, settings: Mapping[str, object]) -> Strategy:
    """The strategy called `code`; HYB with the parameters of its two stages.

    Raises:
        ParameterError: there is none of that name.
    """
    found = find(code)
    if found.declaration.code != GENERIC:
        return found
    defaults = {p.name: p.default for p in found.declaration.parameters}
    stages = (str(settings.get(name, defaults[name])) for name in ("primary", "secondary"))
    return generic_strategy(*stages)


def make_recipe(
    code: str,
    settings: Mapping[str, object] | None = None,
    *,
    options: Mapping[str, object] | None = None,
) -> Recipe:
    """Check everything and fill in defaults.

    Args:
        code: a strategy's code.
        settings: own parameters and shared options by name; values may be text. An own parameter
            comes before a shared option of the same name.
        options: shared options by name, also where the strategy has a parameter of that name.

    Raises:
        ParameterError: an unknown strategy or name, or a value that is not allowed.
    """
    settings = settings or {}
    declaration = strategy_at(code, settings).declaration
    own_names = {parameter.name for parameter in declaration.parameters}
    shared = check_shared(
        {
            name: value
            for name, value in settings.items()
            if name not in own_names and _known_option(declaration, name)
        }
        | dict(options or {})
    )
    own = {p.name: _full(p, settings[p.name]) for p in declaration.parameters if p.name in settings}
    if shared.is_reference:
        own = {**_REFERENCE_DEFAULTS.get(declaration.code, {}), **own}
        declaration = _as_released(declaration)
    return Recipe(declaration.code, tuple(declaration.check(own).items()), shared)


def parse_recipe(
    word: str,
    settings: Mapping[str, object] | None = None,
    *,
    options: Mapping[str, object] | None = None,
) -> Recipe:
    """A recipe from its one-word form, `CODE` or `CODE:NAME=VALUE,NAME=VALUE`.

    Args:
        word: the one-word form.
        settings: more settings, such as the mode; the word's own come first.
        options: shared options by name, as for `make_recipe`.

    Raises:
        ParameterError: the word has no such form, an unknown name, or a value not allowed.
    """
    code, colon, written = word.strip().partition(":")
    given: dict[str, object] = {}
    for part in _NEXT_PARAMETER.split(written) if colon else []:
        name, equals, value = part.strip().partition("=")
        if not equals or not name:
            raise ParameterError(
                f"'{part}' in '{word}' is not NAME=VALUE: write a strategy as CODE:NAME=VALUE,…, "
                "for example FC:size=400,overlap=200"
            )
        given[name] = value.replace("\\,", ",")
    return make_recipe(code, {**(settings or {}), **given}, options=options)


def _full(parameter: Parameter, value: object) -> object:
    """The full name of a token unit where the choice is one; everything else as it is."""
    is_unit = "cl100k_base" in parameter.choices
    return ALIASES.get(str(value), value) if is_unit else value


def _known_option(declaration: Declaration, name: str) -> bool:
    """True for a shared option; everything else is refused with the nearest name.

    Raises:
        ParameterError: no parameter and no shared option has that name.
    """
    if name in shared_names():
        return True
    own = [parameter.name for parameter in declaration.parameters]
    raise ParameterError(
        f"{declaration.code} has no parameter '{name}'{nearest(name, [*own, *shared_names()])}; "
        f"it has: {', '.join(own) or 'none'}; shared by all: {', '.join(shared_names())}"
    )


def _as_released(declaration: Declaration) -> Declaration:
    """The declaration with the bounds of the released code."""
    parameters = tuple(_released_bound(declaration, p) for p in declaration.parameters)
    return replace(declaration, parameters=parameters)


def _released_bound(declaration: Declaration, parameter: Parameter) -> Parameter:
    prefix, _, name = parameter.name.rpartition(".")
    if name != "overlap" or not isinstance(parameter.maximum, str):
        return parameter
    code = declaration.code
    if declaration.family == "hybrids":
        primary, secondary = stages_of(declaration)
        code = primary if prefix == "primary" else secondary
    if code in _ENDLESS_OVERLAP:
        return replace(parameter, maximum=None)
    if code in _FULL_OVERLAP:
        return replace(parameter, maximum=parameter.maximum.removesuffix(" - 1"))
    return parameter


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        value = ",".join(value)
    return _NEXT_PARAMETER.sub(r"\\,", str(value))
