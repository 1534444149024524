# SPDX-License-Identifier: AGPL-3.0-or-later
"""Make the query sets of the samples: place the quotes of `sources/*.questions.toml`.

    python resources/samples/make_queries.py [--plain] [guideline] [report]

The text of a sample is what `main.py text` gives for it, since gold offsets must be those
of the application's own document text. `--plain` takes the text in the order of the PDF's
content instead, without the application. A quote that is not found exactly once ends the
run with status 1, and no file is changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pymupdf
from locate import Haystack

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
_BODY = pymupdf.Rect(0, 60, 595, 790)  # between running header and footer (points)
NAMES = ("guideline", "report")


def read_questions(name: str) -> list[dict]:
    """The authored questions of one sample."""
    path = HERE / "sources" / f"{name}.questions.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))["question"]


def content_text(path: Path) -> str:
    """Text of a PDF in the order of its content, without running headers and footers."""
    with pymupdf.open(path) as document:
        return "".join(page.get_text("text", clip=_BODY) for page in document)


def application_text(path: Path) -> tuple[str, list[int]]:
    """The application's text of a PDF, and where each of its pages begins."""
    command = [sys.executable, str(ROOT / "main.py"), "text", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise LookupError(f"main.py text {path.name} failed: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    return answer["text"], [page["span"][0] for page in answer["pages"]]


def query_set(name: str, text: str, page_starts: list[int]) -> dict:
    """The query set of one sample, in the format `chunkscope-queries`.

    Raises:
        LookupError: quotes that are not found exactly once, all of them in one message.
    """
    haystack = Haystack(text)
    questions, problems = [], []
    for authored in read_questions(name):
        gold = []
        for passage in authored.get("gold", []):
            try:
                start, end = haystack.find(passage["quote"])
            except LookupError as problem:
                problems.append(f"{authored['id']}: {problem}")
                continue
            span = {"doc": name, "start": start, "end": end, "text": text[start:end]}
            span["grade"] = passage.get("grade", 2)
            if "group" in passage:
                span["group"] = passage["group"]
            if page_starts:
                span["page"] = sum(first <= start for first in page_starts)
            gold.append(span)
        question = {"id": authored["id"], "question": authored["question"], "gold": gold}
        question |= {key: authored[key] for key in ("answer", "tags") if key in authored}
        question["unanswerable"] = authored.get("unanswerable", False)
        questions.append(question)
    if problems:
        raise LookupError("\n".join(problems))
    return {
        "format": "chunkscope-queries",
        "version": 1,
        "name": f"Questions on the sample {name}",
        "offset_unit": "unicode_code_points",
        "documents": [
            {
                "doc": name,
                "file": f"{name}.pdf",
                "sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
                "length": len(text),
            }
        ],
        "questions": questions,
    }


def main(arguments: list[str]) -> int:
    """Write the query sets; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", choices=[[], *NAMES], help="samples; all by default")
    parser.add_argument("--plain", action="store_true", help="take the text from the PDF itself")
    options = parser.parse_args(arguments)
    try:
        for name in options.names or NAMES:
            path = HERE / f"{name}.pdf"
            text, starts = (content_text(path), []) if options.plain else application_text(path)
            made = query_set(name, text, starts)
            target = HERE / f"{name}.queries.json"
            target.write_text(
                json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            print(f"{target.name}: {len(made['questions'])} questions")
    except LookupError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
