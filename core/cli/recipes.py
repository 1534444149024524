# SPDX-License-Identifier: AGPL-3.0-or-later
"""Recipes, score options and models from flags."""

import argparse
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import ParameterError, nearest
from core.pipeline import Pipeline
from core.scores.options import PARAMETERS as SCORE_PARAMETERS
from core.strategies.recipe import Recipe, parse_recipe
from core.strategies.shared_options import shared_names
from core.vectors.cache import VectorCache
from core.vectors.embedder import Embedder
from core.vectors.models import load_embedder

DEFAULT_MODEL = "minilm"
SCORE_OPTIONS = frozenset(parameter.name for parameter in SCORE_PARAMETERS)


def given_settings(namespace: argparse.Namespace) -> dict[str, object]:
    """Parameters from `--parameters` and `--set`, which wins.

    Raises:
        ParameterError: one is not NAME=VALUE, or the file is not TOML.
    """
    given: dict[str, object] = {}
    if namespace.parameters is not None:
        given.update(_flat(_toml(namespace.parameters)))
    for each in namespace.settings:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise ParameterError(
                f"--set {each} is not NAME=VALUE: write for example --set size=400"
            )
        given[name.strip()] = value
    return given


def recipe_of(namespace: argparse.Namespace) -> Recipe:
    """The recipe of `--strategy` and the flags beside it."""
    return parse_recipe(namespace.strategy, _settings(namespace), options=_options(namespace))


def recipes_of(words: Sequence[str], namespace: argparse.Namespace) -> list[Recipe]:
    """Recipes of a list of one-word strategies; shared options and `--reg` hold for all.

    Raises:
        ParameterError: `--set` names a parameter of one strategy only.
    """
    settings, known = _settings(namespace), set(shared_names())
    own = [name for name in settings if name not in known]
    if own:
        raise ParameterError(
            f"--set {own[0]} is no option that all strategies share{nearest(own[0], known)}: "
            f"write it into the word, for example {words[0].partition(':')[0]}:{own[0]}="
            f"{settings[own[0]]}"
        )
    return [parse_recipe(word, settings, options=_options(namespace)) for word in words]


def mode_of(namespace: argparse.Namespace) -> str:
    """The mode in force: that of `--mode`, or of `--set mode=…`."""
    return namespace.mode or str(given_settings(namespace).get("mode", "default"))


def score_settings(namespace: argparse.Namespace) -> dict[str, object]:
    """Options of the scores among the given settings."""
    given = given_settings(namespace)
    return {name: value for name, value in given.items() if name in SCORE_OPTIONS}


def _settings(namespace: argparse.Namespace) -> dict[str, object]:
    given = given_settings(namespace)
    return {name: value for name, value in given.items() if name not in SCORE_OPTIONS}


def _options(namespace: argparse.Namespace) -> dict[str, object]:
    flags = ("mode", "tokenizer", "sentences", "reg", "query")
    given = {name: getattr(namespace, name, None) for name in flags}
    return {name: value for name, value in given.items() if value}


def pipeline_for(recipe: Recipe, namespace: argparse.Namespace) -> Pipeline:
    """A pipeline with a model, where the recipe needs one."""
    return Pipeline(model_of(namespace) if needs_model(recipe) else None)


def needs_model(recipe: Recipe) -> bool:
    """True if the recipe cannot run without vectors."""
    if recipe.strategy.declaration.strategy_class == "embedding":
        return True
    return recipe.parameters.get("reading") == "query" and bool(recipe.shared.text("query"))


def model_of(namespace: argparse.Namespace) -> Embedder:
    """The model of `--embedder`, the packaged one without."""
    return embedder_of(namespace.embedder or DEFAULT_MODEL, namespace)


def embedder_of(name: str, namespace: argparse.Namespace) -> Embedder:
    """The model called `name`; with `--no-cache` its vectors are kept in memory only."""
    return load_embedder(name, cache=VectorCache() if namespace.no_cache else None)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ParameterError(f"{path} does not exist: check the name and the folder") from None
    except OSError as error:
        raise ParameterError(f"{path} cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ParameterError(f"{path} has lists inside lists too deep to be read") from None
    except ValueError as error:  # of the decoder, the parser, or a number of 4,300 digits
        raise ParameterError(
            f"{path} is not TOML: {error}; write lines such as size = 400"
        ) from None


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{name}."))
        else:
            flat[f"{prefix}{name}"] = value
    return flat
