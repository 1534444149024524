# SPDX-License-Identifier: AGPL-3.0-or-later
"""`make bench-peers`: the same split by other splitters and by ours, side by side.

Makes a virtual environment of its own, so that the peers' dependencies never meet ours, and runs
`bench/peer_splits.py` in it. The table and `build/bench/peers.json` give CPU time divided by that
of one tiktoken cl100k encode of the same text in the same process.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv-peers"
REQUIREMENTS = ROOT / "bench" / "requirements-peers.txt"
OUT = ROOT / "build" / "bench" / "peers.json"
CHARACTERS = 1_442_000  # the three shared texts, repeated: 1.45 MB of UTF-8
SHARED_TEXTS = ("chatlogs.md", "state_of_the_union.md", "wikitexts.md")
CACHED_TABLE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # tiktoken's file name for cl100k_base


def main(arguments: Sequence[str] | None = None) -> int:
    """Install what is missing, run the splits, print the table and write the JSON."""
    options = _parser().parse_args(arguments)
    python = make_environment(FOLDER)
    text = make_text(options.text or _own_texts(), options.characters)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    file = OUT.with_name("peers.txt")
    file.write_text(text, "utf-8", newline="")
    done = subprocess.run(
        [python, "-m", "bench.peer_splits", file, "--runs", str(options.runs)],
        cwd=ROOT,
        env={**os.environ, "TIKTOKEN_CACHE_DIR": str(FOLDER / "tiktoken"), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    result = json.loads(done.stdout)
    OUT.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    print(table(result))
    print(f"\nwritten: {OUT.relative_to(ROOT)}")
    return 0


def make_environment(folder: Path) -> Path:
    """The Python of the peers' environment, made anew when the requirements have changed."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = folder / "requirements.sha256"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if python.exists() and mark.exists() and mark.read_text() == wanted:
        return python
    print(f"installing the peers into {folder.name}", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], check=True)
    _place_table(folder)
    mark.write_text(wanted)
    return python


def _place_table(folder: Path) -> None:
    """Put the packaged cl100k table where tiktoken looks before it asks the network."""
    places = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    (folder / "tiktoken").mkdir(exist_ok=True)
    packaged = Path(places) / "tiktoken_ext" / "data" / "cl100k_base.tiktoken"
    shutil.copyfile(packaged, folder / "tiktoken" / CACHED_TABLE)


def make_text(files: Sequence[Path], characters: int) -> str:
    """The files' texts joined by blank lines, repeated to so many characters."""
    joined = "\n\n".join(file.read_text("utf-8") for file in files) + "\n\n"
    return (joined * (characters // len(joined) + 1))[:characters]


def _own_texts() -> list[Path]:
    """The shared texts, or the sources of the sample documents where those are absent."""
    shared = Path(os.environ.get("CHUNKSCOPE_SHARED", ROOT.parent / "shared")) / "data"
    if shared.is_dir():
        return [shared / name for name in SHARED_TEXTS]
    return sorted(_sources(ROOT / "resources" / "samples" / "sources"))


def _sources(folder: Path) -> Iterator[Path]:
    yield from (path for path in folder.rglob("*") if path.suffix in (".md", ".txt"))


def table(result: dict[str, object]) -> str:
    """The result for people; ratios to one encode, smallest first."""
    rows = sorted(result["tasks"], key=lambda row: row["ratio"])  # type: ignore[call-overload]
    lines = [
        f"{result['bytes']:,} bytes, {result['tokens']:,} cl100k tokens, size {result['size']}, "
        f"median of {result['runs']} runs; {result['versions']}",
        "",
        f"{'':34}{'s':>8}{'least':>8}{'ratio':>8}{'chunks':>8}",
    ]
    for row in rows:
        chunks = "" if row["chunks"] is None else f"{row['chunks']:,}"
        lines.append(
            f"{row['name']:34}{row['median']:8.3f}{row['least']:8.3f}{row['ratio']:8.2f}{chunks:>8}"
        )
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--text", type=Path, action="append", help="a text file; repeatable")
    parser.add_argument("--characters", type=int, default=CHARACTERS)
    parser.add_argument("--runs", type=int, default=5)
    return parser


if __name__ == "__main__":
    sys.exit(main())
