# SPDX-License-Identifier: AGPL-3.0-or-later
"""Flags that several commands share."""

import argparse
from pathlib import Path

from core.errors import ChunkscopeError


class UsageError(ChunkscopeError):
    """Flags that do not fit together: exit status 2, as for argparse."""


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
    parser.add_argument("--pages", metavar="1-20", help="pages to show, for example 1-3,7")
    parser.add_argument("--no-cache", action="store_true", help="read and write no cache on disk")
    add_output_arguments(parser)


def add_recipe_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """One strategy with its parameters."""
    parser.add_argument(
        "--strategy", metavar="S", required=required, help="a code such as RC, or RC:size=400"
    )
    add_option_arguments(parser)
    parser.add_argument("--query", default="", help="for strategies that read a query")


def add_option_arguments(parser: argparse.ArgumentParser) -> None:
    """What holds for any strategy: units, regularisation, mode, parameters."""
    parser.add_argument("--tokenizer", metavar="T", help="what a token is")
    parser.add_argument("--sentences", metavar="U", help="who finds sentences")
    parser.add_argument("--reg", choices=("on", "off"), help="regularise the chunks")
    add_setting_arguments(parser)


def add_setting_arguments(parser: argparse.ArgumentParser) -> None:
    """`--set`, `--parameters`, `--mode`."""
    parser.add_argument("--mode", choices=("default", "reference"), help="default without")
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
