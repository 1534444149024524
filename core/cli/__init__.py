# SPDX-License-Identifier: AGPL-3.0-or-later
"""The command line: one module a command; the contract is the README's."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper

from core import VERSION
from core.cli.flags import UsageError
from core.errors import ChunkscopeError

COMMANDS = {
    "strategies": "all strategies with their parameters",
    "text": "the text of a document, its pages and blocks",
    "chunk": "cut a document into chunks",
    "score": "the five intrinsic scores of a chunking",
    "search": "what a query finds among the chunks",
    "select": "the best strategy for each document",
    "evaluate": "measure strategies on questions with known answers",
    "export": "write chunks, a report or code to a file",
    "sweep": "scores over the range of a parameter",
    "batch": "chunk and score each document of a folder",
}
USAGE, INTERRUPTED = 2, 130


def run_command(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status.

    0; 1 for what the user can mend, with one line on standard error; 2 for usage; 130 after
    Ctrl+C.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):  # a terminal may know fewer letters than documents
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        namespace = make_parser(_asked(arguments)).parse_args(arguments)
        run = import_module(f"core.cli.{namespace.command}").run
        if namespace.command != "text":
            _load_own_strategies()
        run(namespace)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ChunkscopeError, OSError) as error:  # OSError: a full disk, a folder without rights
        print(f"chunkscope: {_in_one_line(error)}", file=sys.stderr)
        return USAGE if isinstance(error, UsageError) else 1
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def _open_what_is_closed() -> None:
    """Give a stream that was closed before the start somewhere to write to."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - until the end


def _load_own_strategies() -> None:
    """Load the strategies of the user's that were agreed to in the window; tell what fails."""
    from core.strategies.user_strategies import load_agreed

    for error in load_agreed().errors:
        print(f"chunkscope: {error}", file=sys.stderr)


def make_parser(commands: Sequence[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser of all commands; only `commands` are given their own flags."""
    parser = argparse.ArgumentParser(
        prog="main.py",
        description="See what a chunker did to a document. Without a command the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"Chunkscope {VERSION}")
    added = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help_text in COMMANDS.items():
        command = added.add_parser(name, help=help_text, description=help_text.capitalize() + ".")
        if name in commands:
            import_module(f"core.cli.{name}").add_arguments(command)
    return parser


def _in_one_line(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'} cannot be used: {error.strerror or error}"
    return " ".join(str(error).split())


def _asked(arguments: Sequence[str]) -> Sequence[str]:
    """Only the module of the command that is asked for is imported."""
    return [arguments[0]] if arguments and arguments[0] in COMMANDS else []
