# SPDX-License-Identifier: AGPL-3.0-or-later
"""Try every file of a folder on the command line and write a table of what happened.

    python scripts/try_corpus.py ../shared/corpus docs/corpus.md

Each file goes through `text`, `chunk` by two strategies and `score`. A longer text than SCORED is
scored with toy vectors: there the commands are tried, not the model.
"""

import argparse
import contextlib
import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.cli import run_command

STRATEGIES = ("RC:size=1000,overlap=0", "STM:size=600,reg=on")
SCORED = 60_000  # characters that the real model still scores
CLASSES = ((1, "under 1 s"), (3, "under 3 s"), (10, "under 10 s"), (60, "under a minute"))
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
TITLES = (
    "file",
    "pages",
    "characters",
    "blocks",
    "chunks",
    "mean score",
    "time",
    "notices",
    "result",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one command gave."""

    status: int
    answer: Any
    error: str
    seconds: float


def main() -> None:
    """Try all files, and write the table into the document."""
    document, files = asked_for(__doc__)
    rows = []
    for path, password in files:
        rows.append(tried(path, password))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    write_table(document, rows)


def asked_for(description: str | None) -> tuple[Path, list[tuple[Path, str]]]:
    """The document that holds the table, and the files to try with their passwords."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path)
    parser.add_argument("document", type=Path, help="where the table stands between two marks")
    parser.add_argument("--passwords", default="", help="NAME=PASSWORD,… of locked files")
    namespace = parser.parse_args()
    passwords = dict(each.split("=", 1) for each in namespace.passwords.split(",") if each)
    files = sorted(namespace.folder.glob("*.pdf"))
    return namespace.document, [(path, passwords.get(path.name, "")) for path in files]


def tried(path: Path, password: str) -> tuple[str, ...]:
    """The row of one file."""
    given = ["--password", password] if password else []
    text = asked("text", path, given)
    if text.status != 0:
        return (
            path.name,
            "",
            "",
            "",
            "",
            "",
            time_class(text.seconds),
            "",
            f"refused: {text.error}",
        )
    answer = text.answer
    chunks = [asked("chunk", path, [*given, "--strategy", each]) for each in STRATEGIES]
    characters = answer["document"]["characters"]
    model = [] if characters <= SCORED else ["--embedder", "toy"]
    score = asked("score", path, [*given, "--strategy", STRATEGIES[0], *model])
    failed = [each.error for each in (*chunks, score) if each.status != 0]
    seconds = text.seconds + sum(each.seconds for each in chunks)
    mean = None if score.status else score.answer["scores"]["mean"]
    return (
        path.name,
        str(answer["document"]["pages"]),
        f"{characters:,}",
        str(len(answer["blocks"])),
        " / ".join(str(len(each.answer["chunks"])) if each.answer else "–" for each in chunks),
        "not measurable" if mean is None else f"{mean:.3f}{' (toy)' if model else ''}",
        time_class(seconds),
        notices_in_words(answer["notices"]),
        "; ".join(failed) or "answered",
    )


def asked(command: str, path: Path, flags: Iterable[str]) -> Answer:
    """Run one command as the command line does."""
    out, error = io.StringIO(), io.StringIO()
    began = perf_counter()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        status = run_command([command, str(path), *flags, "--json", "--no-cache"])
    seconds = perf_counter() - began
    words = " ".join(error.getvalue().split()).removeprefix("chunkscope: ")
    return Answer(status, json.loads(out.getvalue()) if status == 0 else None, words, seconds)


def notices_in_words(notices: Iterable[dict[str, Any]]) -> str:
    """How many notices of each kind."""
    counts = Counter(each["kind"] for each in notices)
    return ", ".join(f"{kind} × {count}" if count > 1 else kind for kind, count in counts.items())


def time_class(seconds: float) -> str:
    """The time in words: exact seconds would say more of the machine than of the file."""
    return next((words for limit, words in CLASSES if seconds < limit), "minutes")


def write_table(
    document: Path,
    rows: Iterable[tuple[str, ...]],
    titles: Sequence[str] = TITLES,
    marks: tuple[str, str] = (BEGIN, END),
) -> None:
    """Put the table between the two marks of the document."""
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    text = document.read_text(encoding="utf-8")
    begin, end = marks
    head, tail = text.split(begin)[0], text.split(end)[1]
    table = "\n".join(lines)
    document.write_text(f"{head}{begin}\n{table}\n{end}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
