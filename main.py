# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunkscope: `main.py [FILE]` opens the window, `main.py COMMAND …` works without one."""

import sys
from pathlib import Path

COMMANDS = (
    "strategies",
    "text",
    "chunk",
    "score",
    "search",
    "select",
    "evaluate",
    "export",
    "sweep",
    "batch",
)


def main(arguments: list[str]) -> int:
    """Run a command, or open the window on a file or on what was open last."""
    is_command = bool(arguments) and (arguments[0] in COMMANDS or arguments[0].startswith("-"))
    if is_command:
        from core.cli import run_command

        return run_command(arguments)
    from gui.application import run

    return run(Path(arguments[0]) if arguments else None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
