# SPDX-License-Identifier: AGPL-3.0-or-later
"""The user's own presets: named recipes that are remembered between starts."""

import json

from core.errors import ChunkscopeError
from core.strategies.recipe import Recipe, parse_recipe
from gui import settings


def own_presets(code: str) -> dict[str, Recipe]:
    """The user's presets of a strategy by name; those that fit no longer are left out."""
    kept = {}
    for name, word in _words().get(code, {}).items():
        try:
            kept[name] = parse_recipe(word)
        except ChunkscopeError:  # made by a version with other parameters
            continue
    return kept


def save_preset(name: str, recipe: Recipe) -> None:
    """Remember a recipe under a name, in place of an older one of that name."""
    words = _words()
    words.setdefault(recipe.code, {})[name] = recipe.word
    settings.write(settings.OWN_PRESETS, json.dumps(words, ensure_ascii=False))


def delete_preset(name: str, code: str) -> None:
    """Forget a preset."""
    words = _words()
    words.get(code, {}).pop(name, None)
    settings.write(settings.OWN_PRESETS, json.dumps(words, ensure_ascii=False))


def _words() -> dict[str, dict[str, str]]:
    try:
        read = json.loads(settings.read(settings.OWN_PRESETS) or "{}")
    except (json.JSONDecodeError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
