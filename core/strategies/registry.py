# SPDX-License-Identifier: AGPL-3.0-or-later
"""The registry of strategies: written by the decorator, read by all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from core.declaration import Declaration, Value
from core.errors import ParameterError, nearest
from core.strategies.chunks import Chunks
from core.strategies.waiting import WAITING

Prepare = Callable[..., Any]  # (source, **slow parameters) -> what the strategy likes
Cut = Callable[..., Chunks]  # (prepared, **fast parameters) -> chunks with reasons


@dataclass(frozen=True, slots=True)
class Strategy:
    """A declaration and its two functions.

    `prepare(source, **slow)` finds the values that decisions compare with thresholds; it may be
    slow and is cached. `cut(prepared, **fast)` compares: numpy, no model, no regex over the text.
    """

    declaration: Declaration
    prepare: Prepare
    cut: Cut
    origin: str = "built-in"
    is_listed: bool = True  # False: taken where it is named, but not offered

    def split(self, values: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
        """Slow and fast parameters of `values`, which has been checked."""
        slow = {p.name: values[p.name] for p in self.declaration.parameters if p.slow}
        fast = {p.name: values[p.name] for p in self.declaration.parameters if not p.slow}
        return slow, fast


_STRATEGIES: dict[str, Strategy] = {}


def strategy(
    declaration: Declaration,
    *,
    prepare: Prepare,
    origin: str = "built-in",
    is_listed: bool = True,
) -> Callable[[Cut], Cut]:
    """Register the decorated function as the `cut` of `declaration`.

    Raises:
        ValueError: the code is taken.
    """

    def register(cut: Cut) -> Cut:
        code = declaration.code
        if code in _STRATEGIES:
            raise ValueError(
                f"{code} is registered twice: "
                f"{_STRATEGIES[code].cut.__module__} and {cut.__module__}"
            )
        _STRATEGIES[code] = Strategy(declaration, prepare, cut, origin, is_listed)
        return cut

    return register


def forget(code: str) -> None:
    """Take a user's strategy out again, because its file changed or failed."""
    _STRATEGIES.pop(code, None)


@cache
def _load_built_in() -> None:
    """Import every module beside this one, so that its decorator registers what it holds.

    Not when the package is imported: the window needs chunks before it needs strategies.
    """
    package = __name__.rpartition(".")[0]
    for module in iter_modules([str(Path(__file__).parent)], prefix=f"{package}."):
        import_module(module.name)


def find(code: str) -> Strategy:
    """The strategy called `code`, case ignored where that is unambiguous.

    Raises:
        ParameterError: there is none; the message names the nearest.
    """
    _load_built_in()
    if code in _STRATEGIES:
        return _STRATEGIES[code]
    folded = [known for known in _STRATEGIES if known.lower() == code.lower()]
    if len(folded) == 1:
        return _STRATEGIES[folded[0]]
    waiting = WAITING.get(code.upper())
    if waiting is not None:
        raise ParameterError(
            f"{waiting.code} asks a language model, and none can be connected yet: choose a "
            "strategy of another class"
        )
    raise ParameterError(_not_found(code))


def _not_found(code: str) -> str:
    """What to do about a code that nothing has; a file of the user's may wait for agreement."""
    from core.strategies.user_strategies import HOW_TO_AGREE, naming, unagreed

    waiting = unagreed()
    if named := naming(code, waiting):
        return f"there is no strategy '{code}' yet: {named.place} waits for {HOW_TO_AGREE}"
    message = (
        f"there is no strategy '{code}'{nearest(code, _STRATEGIES)}: "
        "'main.py strategies' lists all of them"
    )
    if waiting:
        count = "one of your own waits" if len(waiting) == 1 else f"{len(waiting)} of your own wait"
        message += f"; {count} for {HOW_TO_AGREE}"
    return message


def strategies() -> dict[str, Strategy]:
    """All strategies that are offered, by code, in the order of registration."""
    _load_built_in()
    return {code: each for code, each in _STRATEGIES.items() if each.is_listed}
