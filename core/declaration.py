# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a strategy declares of itself: one row a parameter, from which all else is made.

Sliders, flags, checks, help, documentation, sweeps and test limits come from here; none of
them is written by hand.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.errors import ParameterError, nearest

ParameterType = Literal["integer", "number", "choice", "boolean", "words", "pattern"]
StrategyClass = Literal["instant", "layout", "embedding", "model"]
Value = int | float | str | bool | tuple[str, ...]
Bound = int | float | str  # a string is an expression over other parameters: "size - 1"


@dataclass(frozen=True, slots=True)
class ByChoice:
    """Another default and maximum of a parameter at some values of a choice."""

    choice: str  # name of the parameter that decides
    defaults: Mapping[str, Value]
    maxima: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One adjustable value of a strategy or score."""

    name: str
    default: Value
    help: str
    type: ParameterType = "integer"
    minimum: Bound | None = None
    maximum: Bound | None = None
    step: float = 1  # of the slider and the arrow keys
    unit: str = ""
    choices: tuple[str, ...] = ()
    slow: bool = False  # True: a change runs `prepare` again, not only `cut`
    open_choice: bool = False  # a choice that also takes a value of its own, such as a list
    by: ByChoice | None = None  # `default` and `maximum` hold where this names nothing else

    def check(self, value: object, others: Mapping[str, Value]) -> Value:
        """Return `value` in this parameter's type, or raise `ParameterError`.

        Args:
            value: a value of the type, or its text as a user types it.
            others: the other parameters' values, for bounds that depend on them.

        Raises:
            ParameterError: the value is not of the type or out of range.
        """
        converted = _CONVERT[self.type](self, value)
        if isinstance(converted, bool | str | tuple):
            return converted
        low, high = self.bounds(others)
        if not _is_within(converted, low, high):
            default = self.default_at(others)
            reset = f" or reset it to {default}" if _is_within(default, low, high) else ""
            raise ParameterError(
                f"{self.name} is {converted:.12g}{_unit(self)}, but must be "
                f"{self._range(low, high)}: choose a value in that range{reset}"
            )
        return converted

    def bounds(self, others: Mapping[str, Value]) -> tuple[float | None, float | None]:
        """The least and greatest value at the values of the other parameters."""
        maximum = self.maximum
        if self.by:
            maximum = self.by.maxima.get(str(others.get(self.by.choice)), maximum)
        return _bound(self.minimum, others), _bound(maximum, others)

    def default_at(self, others: Mapping[str, Value]) -> Value:
        """The default at the values of the other parameters."""
        if self.by is None:
            return self.default
        return self.by.defaults.get(str(others.get(self.by.choice)), self.default)

    def _range(self, low: float | None, high: float | None) -> str:
        parts = []
        for word, bound, written in (
            ("at least", low, self.minimum),
            ("at most", high, self.maximum),
        ):
            if bound is not None:
                formula = f" ({written})" if isinstance(written, str) else ""
                parts.append(f"{word} {bound:.12g}{formula}")
        return " and ".join(parts)


@dataclass(frozen=True, slots=True)
class Preset:
    """Named values of some parameters, as a publication or the user chose them."""

    name: str
    parameters: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is known of a strategy without running it."""

    code: str
    name: str
    family: str
    strategy_class: StrategyClass
    source: str
    help: str
    parameters: tuple[Parameter, ...] = ()
    presets: tuple[Preset, ...] = ()
    same_as: tuple[str, ...] = ()  # pairs that always coincide, such as "SBC"
    tokenizer: str | None = None  # default of the shared option; None: not used
    sentences: str | None = None  # default of the shared option; None: not used
    model_made: bool = False  # asks a language model
    apart: bool = False  # is prepared in the engine process, whatever finds its sentences

    def parameter(self, name: str) -> Parameter:
        """The parameter called `name`.

        Raises:
            ParameterError: there is none; the message names the nearest.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = [parameter.name for parameter in self.parameters]
        raise ParameterError(
            f"{self.code} has no parameter '{name}'{nearest(name, known)}; "
            f"it has: {', '.join(known) or 'none'}"
        )

    def check(self, values: Mapping[str, object]) -> dict[str, Value]:
        """All parameters with their values: those given, and defaults for the others.

        Raises:
            ParameterError: an unknown name, or a value that is not allowed.
        """
        given = {name: self.parameter(name) for name in values}
        checked: dict[str, Value] = {each.name: each.default for each in self.parameters}
        for name, parameter in given.items():
            checked[name] = _CONVERT[parameter.type](parameter, values[name])
        for parameter in self.parameters:
            if parameter.name not in values:
                checked[parameter.name] = parameter.default_at(checked)
        # what was given comes first: of two that contradict each other, it is the one to mend
        for parameter in sorted(self.parameters, key=lambda each: each.name not in values):
            value = checked[parameter.name]
            checked[parameter.name] = parameter.check(value, checked)
        return checked


def evaluate_bound(expression: str, values: Mapping[str, Value]) -> float | None:
    """The value of an expression of names, numbers, + - * / and parentheses.

    Returns:
        None when a name has no numeric value here.
    """

    def visit(node: ast.expr) -> float | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.Name | ast.Attribute):
            value = values.get(ast.unparse(node))
            return value if isinstance(value, int | float) else None
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = visit(node.left), visit(node.right)
            if left is None or right is None:
                return None
            return _OPERATORS[type(node.op)](left, right)
        raise ValueError(f"a bound cannot hold {ast.unparse(node)!r}")

    return visit(ast.parse(expression, mode="eval").body)


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _is_within(value: Value, low: float | None, high: float | None) -> bool:
    """True for a number between two bounds, of which either may be missing."""
    number = float(value) if isinstance(value, int | float) else math.nan
    return (low is None or number >= low) and (high is None or number <= high)


def _bound(bound: Bound | None, others: Mapping[str, Value]) -> float | None:
    return evaluate_bound(bound, others) if isinstance(bound, str) else bound


def _unit(parameter: Parameter) -> str:
    return f" {parameter.unit}" if parameter.unit else ""


def _refuse(parameter: Parameter, value: object, wanted: str) -> ParameterError:
    return ParameterError(
        f"{parameter.name} is {value!r}, but must be {wanted}: "
        f"give such a value or reset it to {parameter.default!r}"
    )


def _integer(parameter: Parameter, value: object) -> Value:
    if isinstance(value, bool):
        raise _refuse(parameter, value, "a whole number")
    try:
        number = float(value)  # type: ignore[arg-type]  # the except clause covers all else
    except (TypeError, ValueError):
        raise _refuse(parameter, value, "a whole number") from None
    if not math.isfinite(number) or number != int(number):
        raise _refuse(parameter, value, "a whole number")
    return int(value) if isinstance(value, str) and value.lstrip("+-").isdigit() else int(number)


def _number(parameter: Parameter, value: object) -> Value:
    try:
        number = float(value)  # type: ignore[arg-type]  # the except clause covers all else
    except (TypeError, ValueError):
        raise _refuse(parameter, value, "a number") from None
    if isinstance(value, bool) or not math.isfinite(number):
        raise _refuse(parameter, value, "a finite number")
    return number


def _choice(parameter: Parameter, value: object) -> Value:
    if isinstance(value, tuple | list) and parameter.open_choice:
        return tuple(str(each) for each in value)
    text = str(value)
    if text in parameter.choices or parameter.open_choice:
        return text
    raise ParameterError(
        f"{parameter.name} is '{text}', but must be one of {', '.join(parameter.choices)}"
        f"{nearest(text, parameter.choices)}"
    )


_BOOLEANS = {"on": True, "true": True, "yes": True, "1": True} | {
    "off": False,
    "false": False,
    "no": False,
    "0": False,
}


def _boolean(parameter: Parameter, value: object) -> Value:
    found = value if isinstance(value, bool) else _BOOLEANS.get(str(value).strip().lower())
    if found is None:
        raise _refuse(parameter, value, "on or off")
    return found


# A word may be a recipe: no word begins at the comma of "STM:size=600,reg=on".
_BETWEEN_WORDS = re.compile(r",(?!\s*[A-Za-z_][\w.]*=)")


def _words(parameter: Parameter, value: object) -> Value:
    if isinstance(value, str):
        return tuple(word.strip() for word in _BETWEEN_WORDS.split(value) if word.strip())
    if isinstance(value, tuple | list):
        return tuple(str(each) for each in value)
    raise _refuse(parameter, value, "a list of words, separated by commas")


def _pattern(parameter: Parameter, value: object) -> Value:
    if isinstance(value, str):
        return value
    raise _refuse(parameter, value, "a regular expression")


_CONVERT: dict[str, Callable[[Parameter, object], Value]] = {
    "integer": _integer,
    "number": _number,
    "choice": _choice,
    "boolean": _boolean,
    "words": _words,
    "pattern": _pattern,
}
