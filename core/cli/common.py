# SPDX-License-Identifier: AGPL-3.0-or-later
"""What commands share: flags, reading files, recipes from flags, output."""

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from core.document.model import Document, Form, Notice, TextSettings
from core.errors import ChunkscopeError, DocumentError, ParameterError
from core.pipeline import Pipeline
from core.scores.options import PARAMETERS as SCORE_PARAMETERS
from core.strategies.recipe import Recipe, parse_recipe
from core.units.tokens import canonical_tokenizer
from core.vectors.embedder import Embedder
from core.vectors.models import load_embedder

PASSWORD_VARIABLE = "CHUNKSCOPE_PASSWORD"
DEFAULT_MODEL = "minilm"
SCORE_OPTIONS = frozenset(parameter.name for parameter in SCORE_PARAMETERS)


class UsageError(ChunkscopeError):
    """Flags that do not fit together."""


# --- flags ---------------------------------------------------------------------------------------


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """`--json` and `--quiet`."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")


def add_file_arguments(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    """FILE and how it is read."""
    if many:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    else:
        parser.add_argument("file", metavar="FILE", type=Path, help="a PDF, .txt or .md file")
    add_reading_arguments(parser)


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """How files are read."""
    parser.add_argument("--password", default="", metavar="TEXT", help="of an encrypted PDF")
    parser.add_argument("--form", choices=("plain", "markdown"), default="plain")
    parser.add_argument("--boilerplate", choices=("drop", "keep"), default="drop")
    parser.add_argument(
        "--layout",
        choices=("fast", "model"),
        default="fast",
        help="fast: font rules and tags; model: waits for the layout model",
    )
    parser.add_argument("--pages", metavar="1-20", help="pages to read, for example 1-3,7")
    parser.add_argument("--no-cache", action="store_true", help="read and write no cache on disk")
    add_output_arguments(parser)


def add_recipe_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """One strategy with its parameters."""
    parser.add_argument(
        "--strategy", metavar="S", required=required, help="a code such as RC, or RC:size=400"
    )
    parser.add_argument("--tokenizer", metavar="T", help="what a token is")
    parser.add_argument("--sentences", metavar="U", help="who finds sentences")
    parser.add_argument("--reg", choices=("on", "off"), help="regularise the chunks")
    parser.add_argument("--query", default="", help="for strategies that read a query")
    add_setting_arguments(parser)


def add_setting_arguments(parser: argparse.ArgumentParser) -> None:
    """`--set`, `--parameters`, `--mode`."""
    parser.add_argument("--mode", choices=("default", "reference"), default="default")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter; may be repeated",
    )
    parser.add_argument(
        "--parameters", type=Path, metavar="FILE.toml", help="parameters from a file"
    )


# --- reading -------------------------------------------------------------------------------------


def settings_of(namespace: argparse.Namespace) -> TextSettings:
    """How files are read, from flags."""
    return TextSettings(
        form=cast(Form, namespace.form),
        boilerplate=namespace.boilerplate,
        layout=namespace.layout,
        pages=parse_pages(namespace.pages) if namespace.pages else None,
    )


def parse_pages(text: str) -> tuple[int, ...]:
    """Indices of pages from "1-3,7".

    Raises:
        ParameterError: not of that form, or below 1.
    """
    pages: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last) if dash else int(first)
        except ValueError:
            raise ParameterError(
                f"pages is '{text}', but must be numbers and ranges such as 1-3,7"
            ) from None
        if not 1 <= low <= high:
            raise ParameterError(
                f"pages is '{text}', but ranges must rise from 1 up: write for example 1-3,7"
            )
        pages.extend(range(low - 1, high))
    return tuple(sorted(set(pages)))


def read(path: Path, namespace: argparse.Namespace, progress: "Printed") -> Document:
    """Read one file as the flags say."""
    from core.document.read import read_document

    password = namespace.password or os.environ.get(PASSWORD_VARIABLE, "")
    document = read_document(
        path,
        settings_of(namespace),
        password=password,
        progress=progress,
        use_cache=not namespace.no_cache,
    )
    progress.end()
    return document


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        DocumentError: it is not there or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DocumentError(f"{path} does not exist: check the name and the folder") from None
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"{path} is not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None


# --- recipes -------------------------------------------------------------------------------------


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
    settings = {
        name: value
        for name, value in given_settings(namespace).items()
        if name not in SCORE_OPTIONS
    }
    return parse_recipe(namespace.strategy, settings, options=_options(namespace))


def recipes_of(words: Sequence[str], namespace: argparse.Namespace) -> list[Recipe]:
    """Recipes of a list of one-word strategies; mode and `--reg` hold for all."""
    return [parse_recipe(word, options=_options(namespace)) for word in words]


def score_settings(namespace: argparse.Namespace) -> dict[str, object]:
    """Options of the scores among the given settings."""
    given = given_settings(namespace)
    return {name: value for name, value in given.items() if name in SCORE_OPTIONS}


def _options(namespace: argparse.Namespace) -> dict[str, object]:
    options: dict[str, object] = {"mode": getattr(namespace, "mode", "default")}
    for name in ("tokenizer", "sentences", "reg", "query"):
        value = getattr(namespace, name, None)
        if value:
            options[name] = value
    return options


def tokenizer_name(recipe: Recipe) -> str:
    """Full name of the unit in which the recipe counts tokens."""
    chosen = recipe.shared.text("tokenizer")
    own = recipe.strategy.declaration.tokenizer or "cl100k_base"
    return canonical_tokenizer(own if chosen == "default" else chosen)


def pipeline_for(recipes: Sequence[Recipe], model: str | None, *, always: bool = False) -> Pipeline:
    """A pipeline with a model, where one is needed or named."""
    needs = always or any(needs_model(recipe) for recipe in recipes)
    embedder = embedder_of(model) if needs else None
    return Pipeline(embedder)


def needs_model(recipe: Recipe) -> bool:
    """True if the recipe cannot run without vectors."""
    if recipe.strategy.declaration.strategy_class == "embedding":
        return True
    return recipe.parameters.get("reading") == "query" and bool(recipe.shared.text("query"))


def embedder_of(name: str | None) -> Embedder:
    """The model called `name`, the packaged one without a name."""
    return load_embedder(name or DEFAULT_MODEL)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ParameterError(f"{path} does not exist: check the name and the folder") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ParameterError(f"{path} cannot be read as TOML: {error}") from None


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{name}."))
        else:
            flat[f"{prefix}{name}"] = value
    return flat


# --- output --------------------------------------------------------------------------------------


class Printed:
    """Progress on standard error: a line that changes, on a terminal only."""

    def __init__(self, namespace: argparse.Namespace) -> None:
        self._is_shown = not namespace.quiet and sys.stderr.isatty()
        self._is_open = False

    def __call__(self, done: int, total: int, what: str) -> None:
        """Show how far the work is."""
        if self._is_shown:
            print(f"\r\033[K{done:,} of {total:,} {what}", end="", file=sys.stderr, flush=True)
            self._is_open = True

    def end(self) -> None:
        """Clear the line."""
        if self._is_open:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._is_open = False


def print_json(value: object) -> None:
    """Exactly one JSON document on standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False, allow_nan=False)
    print()


def print_table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for people; numbers stand at the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(title), *(len(r[k]) for r in cells), 0) for k, title in enumerate(titles)]
    is_number = [
        all(isinstance(row[k], int | float) or row[k] is None for row in rows)
        for k in range(len(titles))
    ]
    for line in ([*titles], *cells):
        parts = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, is_number, strict=True)
        ]
        print("  ".join(parts).rstrip())


def print_notices(notices: Sequence[Notice], namespace: argparse.Namespace) -> None:
    """Notices for people on standard error; JSON has them inside."""
    if namespace.json or namespace.quiet:
        return
    for notice in notices:
        where = f"page {notice.page + 1}: " if notice.page is not None else ""
        print(f"note: {where}{notice.message}", file=sys.stderr)


def document_json(document: Document, path: Path) -> dict[str, object]:
    """The "document" of every answer."""
    return {
        "file": str(path),
        "sha256": document.sha256,
        "source_sha256": document.source_sha256,
        "pages": len(document.pages),
        "characters": len(document.text),
        "form": document.settings.form,
        "layout": document.settings.layout,
    }


def notices_json(notices: Sequence[Notice]) -> list[dict[str, object]]:
    """Notices as plain values."""
    return [{"page": n.page, "kind": n.kind, "message": n.message} for n in notices]


def _cell(value: object) -> str:
    if value is None:
        return "n/a"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
