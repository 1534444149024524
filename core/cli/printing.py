# SPDX-License-Identifier: AGPL-3.0-or-later
"""What commands print: one JSON document or a table, and progress and notes beside it."""

import argparse
import json
import sys
from collections.abc import Sequence

from core.document.model import Notice


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
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a file name that is not UTF-8
        text = json.dumps(value, allow_nan=False)
    print(text)


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


def _cell(value: object) -> str:
    if value is None:
        return "n/a"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
