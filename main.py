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
    if arguments and not Path(arguments[0]).is_file():
        print(f"chunkscope: {_refusal(arguments[0])}", file=sys.stderr)
        return 1
    from gui.application import run

    return run(Path(arguments[0]) if arguments else None)


def _refusal(word: str) -> str:
    """Why `word`, neither a command nor a file, opens nothing; in one line."""
    from core.errors import nearest

    path = Path(word)
    shown = " ".join(str(path).split())
    if path.is_dir():
        return f"{shown} is a folder: name a file in it, or use 'main.py batch' for all of them"
    if path.suffix or path.name != word:
        return f"{shown} does not exist or is not a file: check the name and the folder"
    return (
        f"there is no command '{shown}' and no file of that name{nearest(word, COMMANDS)}: "
        "'main.py --help' lists the commands"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
