# SPDX-License-Identifier: AGPL-3.0-or-later
"""Lists of separators as a user gives them: the name of a known list, or a list of their own."""

import json
from collections.abc import Mapping

from core.errors import ParameterError, nearest


def listed(
    parameter: str, value: str | tuple[str, ...], known: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    r"""The separators that `value` stands for.

    Args:
        parameter: the parameter's name, for messages.
        value: a name of `known`, a list as JSON text such as `["\n\n", " ", ""]`, or a tuple.
        known: the named lists.

    Raises:
        ParameterError: it is none of these, or the list is empty.
    """
    if isinstance(value, str):
        if value in known:
            return known[value]
        value = _from_json(parameter, value, known)
    if not value:
        raise ParameterError(
            f"{parameter} is an empty list, but must have at least one separator: "
            f"give one or choose {', '.join(known)}"
        )
    return tuple(value)


def _from_json(parameter: str, value: str, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        items = None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ParameterError(
            f"{parameter} is '{value}', but must be {', '.join(known)} or a JSON list of strings "
            f'such as ["\\n\\n", " ", ""]{nearest(value, known)}'
        )
    return tuple(items)
